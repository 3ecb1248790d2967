"""The bar of a tutorial: the step of now, how far it is, and a way out."""

from __future__ import annotations

from PyQt6.QtCore import QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QPainter, QPaintEvent
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from fsops_gui.base.fonts import font
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours

MARK, GAP = 22, 5


class StepMarks(QWidget):
    """A mark for each step; those that are done are filled."""

    def __init__(self) -> None:
        super().__init__()
        self._done = self._total = 0

    def show_steps(self, done: int, total: int) -> None:
        """Show how many steps are done."""
        self._done, self._total = done, total
        self.setFixedSize(QSize(total * (MARK + GAP), 8))
        self.update()

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Paint the marks."""
        painter, colours = QPainter(self), current_colours()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for number in range(self._total):
            painter.setBrush(colours.selected if number < self._done else colours.border)
            painter.drawRoundedRect(QRectF(number * (MARK + GAP), 1, MARK, 6), 3, 3)


class TourBar(QFrame):
    """One step of a tutorial above the page it is about."""

    next_wanted = pyqtSignal()
    left = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("banner")
        self.setAccessibleName(tr("Tutorial"))
        self.title, self.words = QLabel(), QLabel()
        self.title.setFont(font("body_strong"))
        self.words.setWordWrap(True)
        for label in (self.title, self.words):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.marks = StepMarks()
        self.next = QPushButton(tr("Next"))
        self.next.setObjectName("primary")
        self.next.clicked.connect(self.next_wanted)
        self.leave = QPushButton(tr("Leave"))
        self.leave.setToolTip(tr("The tutorial goes on from here when it is started again."))
        self.leave.clicked.connect(self.left)
        column = QVBoxLayout()
        column.setSpacing(2)
        column.addWidget(self.title)
        column.addWidget(self.words)
        line = QHBoxLayout(self)
        line.setContentsMargins(18, 8, 14, 8)
        line.setSpacing(14)
        line.addLayout(column, 1)
        line.addWidget(self.marks)
        line.addWidget(self.next)
        line.addWidget(self.leave)
        self.hide()

    def show_step(self, number: int, total: int, title: str, words: str, *, button: str) -> None:
        """Show a step; ``button`` is empty if doing it leads on."""
        self.title.setText(tr("Step {n} of {total}: {title}", n=number, total=total, title=title))
        self.words.setText(words)
        self.setAccessibleDescription(words)
        self.marks.show_steps(number - 1, total)
        self.next.setText(button)
        self.next.setVisible(bool(button))
        self.show()
