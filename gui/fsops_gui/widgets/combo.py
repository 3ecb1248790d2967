"""A list of choices that the mouse wheel does not change by accident."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QWheelEvent
from PyQt6.QtWidgets import QComboBox


class CalmCombo(QComboBox):
    """A list that the mouse wheel only changes when it has the focus."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(10)

    def wheelEvent(self, e: QWheelEvent | None) -> None:
        """Scroll the panel instead, unless the user is here."""
        if self.hasFocus():
            super().wheelEvent(e)
        elif e is not None:
            e.ignore()
