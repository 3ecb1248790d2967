"""A bar above the canvas with a message and buttons for the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QPalette
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours

Answer = tuple[str, Callable[[], object]]
"""The text and the action of a button."""


class NoticeBar(QFrame):
    """One sentence with buttons; hidden while there is no message."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAutoFillBackground(True)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAccessibleName(tr("Notice"))
        self.label = QLabel()
        self.label.setWordWrap(True)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.buttons: list[QPushButton] = []
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(10, 5, 10, 5)
        self._layout.addWidget(self.label, 1)
        self.hide()

    def tell(self, text: str, answers: Sequence[Answer]) -> None:
        """Show a sentence; each answer takes it away again."""
        self.put_away()
        self.label.setText(text)
        self.setAccessibleDescription(text)
        for words, act in answers:
            button = QPushButton(words)
            button.clicked.connect(lambda _on=False, a=act: self._answer(a))
            self._layout.addWidget(button)
            self.buttons.append(button)
        palette, colours = self.palette(), current_colours()
        palette.setColor(QPalette.ColorRole.Window, colours.note)
        palette.setColor(QPalette.ColorRole.WindowText, colours.text)
        self.setPalette(palette)
        self.show()

    def _answer(self, act: Callable[[], object]) -> None:
        self.put_away()
        act()

    def put_away(self) -> None:
        """Hide the bar."""
        for button in self.buttons:
            self._layout.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.buttons = []
        self.hide()
