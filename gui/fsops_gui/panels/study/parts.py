"""Parts that the screens of the guided study share."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from fsops_gui.base.fonts import font
from fsops_gui.base.icons import glyph
from fsops_gui.base.theme import current_colours
from fsops_gui.base.tokens import icon_name

EDGE = 28
"""Margin of a screen."""


def text(words: str = "", style: str = "body", *, wrap: bool = True) -> QLabel:
    """Return words in a style of the type scale."""
    label = QLabel(words)
    label.setFont(font(style))
    label.setWordWrap(wrap)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label


def faint(words: str = "", style: str = "caption") -> QLabel:
    """Return words that explain others."""
    label = text(words, style)
    label.setObjectName("faint")
    return label


def card() -> tuple[QFrame, QVBoxLayout]:
    """Return a card and the column in it."""
    frame = QFrame()
    frame.setObjectName("card")
    layout = QVBoxLayout(frame)
    layout.setContentsMargins(18, 14, 18, 14)
    layout.setSpacing(8)
    return frame, layout


def state_colour(state: str) -> str:
    """Return the color of a state: ok, warning, error or stale."""
    colours = current_colours()
    found = {"ok": colours.done, "warning": colours.warning, "error": colours.error}
    return found.get(state, colours.stale).name()


class StateIcon(QLabel):
    """The icon of a state in its color, which follows the theme."""

    def __init__(self, state: str = "", side: int = 18) -> None:
        super().__init__()
        self._side = side
        self.setFixedSize(side, side)
        self.show_state(state)

    def show_state(self, state: str) -> None:
        """Show another state."""
        self.state = state
        self.repaint_icon()

    def repaint_icon(self) -> None:
        """Use the colors of the theme."""
        name = icon_name("state", self.state) if self.state else ""
        picture = glyph(name, state_colour(self.state)).pixmap(self._side, self._side)
        self.setPixmap(picture)


def head(title: str, about: str) -> tuple[QWidget, QLabel, QLabel, QHBoxLayout]:
    """Return the top of a screen: a heading, a sentence, and room for a button at the right."""
    row = QWidget()
    line = QHBoxLayout(row)
    line.setContentsMargins(0, 0, 0, 0)
    words = QVBoxLayout()
    words.setSpacing(2)
    heading, sentence = text(title, "heading"), faint(about, "body")
    words.addWidget(heading)
    words.addWidget(sentence)
    line.addLayout(words, 1)
    return row, heading, sentence, line
