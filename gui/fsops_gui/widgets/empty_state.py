"""A place without content yet: one icon, one sentence, one action."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, Qt, pyqtSignal
from PyQt6.QtGui import QPalette
from PyQt6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from fsops_gui.base.icons import glyph
from fsops_gui.base.theme import current_colours
from fsops_gui.base.tokens import icon_name

ICON = 28


class EmptyState(QWidget):
    """An icon, a sentence, a line about it, and a button."""

    acted = pyqtSignal()

    def __init__(self, icon: str, title: str, about: str = "", action: str = "") -> None:
        super().__init__()
        self._icon = icon_name("action", icon)
        self.picture, self.title, self.about = QLabel(), QLabel(title), QLabel(about)
        self.title.setObjectName("emptyTitle")
        self.button = QPushButton(action)
        self.button.setObjectName("primary")
        self.button.clicked.connect(self.acted)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 8, 16, 8)
        layout.setSpacing(6)
        layout.addStretch(1)
        for label in (self.picture, self.title, self.about):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            label.setWordWrap(label is not self.picture)
            layout.addWidget(label)
        layout.addWidget(self.button, 0, Qt.AlignmentFlag.AlignCenter)
        self.button.setVisible(bool(action))  # with a parent, else it is a window for a moment
        layout.addStretch(1)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self._paint()

    def say(self, title: str, about: str = "", *, offers: bool = True) -> None:
        """Say something else; the button is only there if it can help."""
        self.title.setText(title)
        self.about.setText(about)
        self.about.setVisible(bool(about))
        self.button.setVisible(offers and bool(self.button.text()))

    def text(self) -> str:
        """Return all words."""
        return f"{self.title.text()}\n\n{self.about.text()}".strip()

    def _paint(self) -> None:
        self.picture.setPixmap(glyph(self._icon, current_colours().faint.name()).pixmap(ICON, ICON))

    def changeEvent(self, a0: QEvent | None) -> None:
        """Paint the icon in the colors of the theme."""
        super().changeEvent(a0)
        if a0 is not None and a0.type() == QEvent.Type.PaletteChange:
            self._paint()
