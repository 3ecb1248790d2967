"""The command palette: one field for actions, operators and files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PyQt6.QtCore import QEvent, QObject, Qt
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QDialog, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from fsops_gui.texts import tr

SHOWN = 80


@dataclass(frozen=True)
class Command:
    """Something that can be found and done."""

    kind: str
    title: str
    act: Callable[[], object]
    words: str = ""
    """Further words it is found by."""


def matching(commands: Sequence[Command], text: str) -> list[Command]:
    """Return the commands that have all words; those that have them in the title come first."""
    words = text.lower().split()
    found = [
        c
        for c in commands
        if all(word in f"{c.kind} {c.title} {c.words}".lower() for word in words)
    ]
    return sorted(found, key=lambda c: not all(word in c.title.lower() for word in words))


class CommandPalette(QDialog):
    """A field to type in and what it finds."""

    def __init__(self, commands: Sequence[Command], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Find anything"))
        self._commands = commands
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Action, operator or file"))
        self.field.setAccessibleName(tr("Find anything"))
        self.found = QListWidget()
        self.found.setAccessibleName(tr("Found"))
        layout = QVBoxLayout(self)
        layout.addWidget(self.field)
        layout.addWidget(self.found)
        self.field.textChanged.connect(self._search)
        self.field.installEventFilter(self)
        self.found.itemActivated.connect(self._take)
        self.resize(520, 380)
        self._search("")

    def _search(self, text: str) -> None:
        self.found.clear()
        for command in matching(self._commands, text)[:SHOWN]:
            item = QListWidgetItem(f"{command.title}   ({command.kind})")
            item.setData(Qt.ItemDataRole.UserRole, command)
            self.found.addItem(item)
        self.found.setCurrentRow(0)

    def _take(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            command: Command = item.data(Qt.ItemDataRole.UserRole)
            self.accept()
            command.act()

    def eventFilter(self, a0: QObject | None, a1: QEvent | None) -> bool:
        """Move in the list with the arrow keys, take with Enter."""
        if isinstance(a1, QKeyEvent) and a1.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(a1.key()))
            if step is not None:
                row = self.found.currentRow() + step
                self.found.setCurrentRow(max(0, min(row, self.found.count() - 1)))
                return True
            if a1.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._take(self.found.currentItem())
                return True
        return super().eventFilter(a0, a1)
