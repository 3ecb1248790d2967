"""The log: what runs and errors of the program have said."""

from __future__ import annotations

from datetime import datetime

from PyQt6.QtWidgets import QPlainTextEdit

from fsops_gui.texts import tr

LINES = 5000


class LogPanel(QPlainTextEdit):
    """Lines with their time; the oldest go when there are too many."""

    def __init__(self) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setMaximumBlockCount(LINES)
        self.setAccessibleName(tr("Log"))

    def say(self, text: str, where: str = "") -> None:
        """Add a line."""
        at = datetime.now().strftime("%H:%M:%S")
        self.appendPlainText(f"{at}  {where + ': ' if where else ''}{text}")
