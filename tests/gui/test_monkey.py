"""A monkey at the window: whatever it does, the file stays valid and nothing is raised."""

import random

import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from fsops.storage.process_reader import parse_process
from fsops_gui import dialogs
from fsops_gui.actions import SPECS
from fsops_gui.command_palette import CommandPalette

LEFT_OUT = {"new", "open", "save", "save_as", "close", "run", "copy_command"}
OPERATORS = ["retrieve", "normalize", "weight by sam", "select top k", "cross validation", "naive bayes", "loop"]  # fmt: skip


class Monkey:
    def __init__(self, window, hand, seed):
        self.window = window
        self.hand = hand
        self.rng = random.Random(seed)
        self.methods = [spec.name for spec in SPECS if spec.name not in LEFT_OUT]

    @property
    def view(self):
        return self.window.session.editor.view

    def point(self):
        rng, size = self.rng, self.view.viewport().size()
        items = [i for f in self.window.session.editor.scene.frames for i in f.operators.values()]
        if items and rng.random() < 0.7:
            item = rng.choice(items)
            places = [item.body().center(), item.port_place("", outgoing=rng.random() < 0.5), item.entrance().center()]  # fmt: skip
            return self.view.mapFromScene(item.mapToScene(rng.choice(places)))
        return QPoint(rng.randrange(size.width()), rng.randrange(size.height()))

    def act(self):
        rng = self.rng
        kind = rng.randrange(8)
        if kind <= 2:
            method = rng.choice(self.methods)
            self.window.actions_table.by_name[method].trigger()
            return method
        if kind == 3:
            words = rng.choice(OPERATORS)
            self.view.begin_adding(words)
            QTest.keyClick(self.view.quick_add.field, Qt.Key.Key_Return)
            return f"add {words}"
        if kind == 4:
            self.hand.drag(self.window, self.point(), self.point())
            return "drag"
        if kind == 5:
            self.hand.double_click(self.window, self.point())
            return "double click"
        if kind == 6:
            keys = [Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Tab, Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Space]  # fmt: skip
            held = rng.choice([Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier])
            QTest.keyClick(self.view, rng.choice(keys), held)
            return "key"
        self.hand.click(self.window, self.point())
        return "click"

    def close_what_opened(self):
        for kind in (CommandPalette, dialogs.ShortcutsDialog, dialogs.NoteDialog):
            for dialog in [d for d in self.window.findChildren(kind) if d.isVisible()]:
                dialog.edit.setPlainText("a note") if kind is dialogs.NoteDialog else None
                dialog.accept()
        popup = QApplication.activePopupWidget()
        if popup is not None:
            popup.close()
        self.view.quick_add.hide()


@pytest.mark.parametrize("seed", [3, 4])
def test_whatever_a_monkey_does_the_process_stays_sound(window_of, quickstart, hand, seed):
    window = window_of(quickstart)
    start = quickstart.as_xml()
    monkey = Monkey(window, hand, seed)
    done = []
    for _ in range(150):
        done.append(monkey.act())
        monkey.close_what_opened()
        if len(list(quickstart.process.walk())) > 50:
            quickstart.undo_stack.setIndex(0)
        assert parse_process(quickstart.as_xml()) == quickstart.process, done[-5:]
        for frame in window.session.editor.scene.frames:
            level = quickstart.level(frame.level)
            assert set(frame.operators) == {node.name for node in level}, done[-5:]
            assert set(frame.wires) == set(level.connections), done[-5:]
    quickstart.undo_stack.setIndex(0)
    assert quickstart.as_xml() == start
