"""A monkey at the linked views: whatever it does, nothing is raised and the selection stays valid.

pytest-qt fails a test in which an exception is raised in a slot or an event.
"""

import random

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QWheelEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QComboBox

from fsops_gui.panels.explore.catalogue import suitable
from fsops_gui.panels.explore.explorer import Explorer
from fsops_gui.widgets.charts.chart import Tool

KEYS = (
    Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_Plus, Qt.Key.Key_Minus, Qt.Key.Key_0,
    Qt.Key.Key_Escape, Qt.Key.Key_Down, Qt.Key.Key_Tab, Qt.Key.Key_PageDown,
)  # fmt: skip
HELD = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
)


class Monkey:
    def __init__(self, page, seed):
        self.page, self.rng = page, random.Random(seed)
        self.keys = [spec.key for spec in suitable(page.material)]
        self.ways = [
            self.click, self.click, self.drag, self.drag, self.key, self.wheel, self.change_view,
            self.change_field, self.undo, self.choose, self.resize, self.use_tool, self.enlarge,
        ]  # fmt: skip

    def target(self):
        card = self.rng.choice([card for card in self.page.cards if card.isVisible()])
        charts = card.view.charts
        widget = self.rng.choice(charts) if charts else card.view.table.viewport()
        return widget, lambda: QPoint(
            self.rng.randrange(max(1, widget.width())), self.rng.randrange(max(1, widget.height()))
        )

    def click(self):
        widget, place = self.target()
        press = self.rng.choice([QTest.mouseClick, QTest.mouseDClick])
        press(widget, Qt.MouseButton.LeftButton, self.rng.choice(HELD), place())

    def drag(self):
        widget, place = self.target()
        button = self.rng.choice([Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton])
        held = self.rng.choice(HELD)
        QTest.mousePress(widget, button, held, place())
        for _ in range(self.rng.randrange(1, 5)):
            QTest.mouseMove(widget, place())
        QTest.mouseRelease(widget, button, held, place())

    def key(self):
        QTest.keyClick(self.target()[0], self.rng.choice(KEYS), self.rng.choice(HELD))

    def wheel(self):
        widget, place = self.target()
        at, iteration = QPointF(place()), QPoint(0, self.rng.choice([-240, -120, 120, 600]))
        event = QWheelEvent(
            at, widget.mapToGlobal(at), QPoint(), iteration, Qt.MouseButton.NoButton, HELD[0],
            Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(widget, event)

    def change_view(self):
        self.rng.choice(self.page.cards).show_view(self.rng.choice(self.keys))

    def change_field(self):
        fields = self.rng.choice(self.page.cards).view.fields
        for field in fields[:1]:
            if isinstance(field, QComboBox):
                row = self.rng.randrange(field.count())
                field.setCurrentIndex(row)
                field.activated.emit(row)
            else:
                field.setText(self.rng.choice(["", "a", "no such", "%"]))

    def undo(self):
        self.rng.choice([self.page.selection.undo, self.page.selection.redo])()

    def choose(self):
        many = self.rng.randrange(9)
        self.page.choose_names(self.rng.sample("abcdefgh", min(many, 8)))
        self.page.copy_names()

    def resize(self):
        self.page.resize(self.rng.randrange(300, 1500), self.rng.randrange(200, 1000))

    def use_tool(self):
        self.rng.choice(self.page.cards).use_tool(self.rng.choice(list(Tool)))

    def enlarge(self):
        self.page.enlarge(self.rng.choice(self.page.cards))

    def act(self, count):
        for step in range(count):
            self.rng.choice(self.ways)()
            if step % 5 == 0:
                QApplication.processEvents()
                self.page.grab()
            now = self.page.selection.now
            assert len(np.unique(now.attributes)) == len(now.attributes)
            assert ((now.attributes >= 0) & (now.attributes < 8)).all()
            assert ((now.rows >= 0) & (now.rows < 40)).all()
            assert (now.focus is None) == (len(now.attributes) == 0)


@pytest.mark.parametrize(
    ("seed", "count"), [(1, 150), pytest.param(2, 2_000, marks=pytest.mark.slow)]
)
def test_whatever_is_done_to_linked_views_nothing_is_raised(qtbot, predicted, seed, count):
    page = Explorer(predicted)
    qtbot.addWidget(page)
    page.resize(1200, 800)
    page.show()
    Monkey(page, seed).act(count)
    page.selection.clear()
    assert page.chosen_names() == []
