"""The command palette: one field for actions, operators, files and settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PyQt6.QtCore import QEvent, QObject, Qt
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import (
    QDialog,
    QHeaderView,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours

SHOWN = 80
ROLE = Qt.ItemDataRole.UserRole


@dataclass(frozen=True)
class Command:
    """Something that can be found and done."""

    kind: str
    title: str
    act: Callable[[], object]
    words: str = ""
    """Further words it is found by."""
    keys: str = ""
    """Keys that do the same."""
    name: str = ""
    """The subject of the title, where that begins with a verb: an operator to add."""


def matching(commands: Sequence[Command], text: str) -> list[Command]:
    """Return the commands that have all words; the closer to the title, the earlier."""
    words = text.lower().split()
    found = [
        c
        for c in commands
        if all(word in f"{c.kind} {c.title} {c.words}".lower() for word in words)
    ]
    if not words:
        return found

    def distance(command: Command) -> int:
        title, wanted = command.title.lower(), " ".join(words)
        if title.startswith(wanted) or command.name.lower().startswith(wanted):
            return 0
        if all(re.search(rf"\b{re.escape(word)}\b", title) for word in words):
            return 1
        return 2 if all(word in title for word in words) else 3

    return sorted(found, key=distance)


class CommandPalette(QDialog):
    """A search field and its hits."""

    def __init__(self, commands: Sequence[Command], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Find anything"))
        self._commands = commands
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Action, operator, file or setting"))
        self.field.setAccessibleName(tr("Find anything"))
        self.found = QTreeWidget()
        self.found.setAccessibleName(tr("Found"))
        self.found.setColumnCount(3)
        self.found.setHeaderHidden(True)
        self.found.setRootIsDecorated(False)
        self.found.setUniformRowHeights(True)
        header = self.found.header()
        if header is not None:
            header.setStretchLastSection(False)
            header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
            for column in (1, 2):
                header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        layout = QVBoxLayout(self)
        layout.addWidget(self.field)
        layout.addWidget(self.found)
        self.field.textChanged.connect(self._search)
        self.field.installEventFilter(self)
        self.found.itemActivated.connect(self._take)
        self.resize(620, 420)
        self._search("")

    def _search(self, text: str) -> None:
        self.found.clear()
        faint = current_colours().faint
        for command in matching(self._commands, text)[:SHOWN]:
            item = QTreeWidgetItem([command.title, command.kind, command.keys])
            item.setData(0, ROLE, command)
            for column in (1, 2):
                item.setForeground(column, faint)
            self.found.addTopLevelItem(item)
        self.found.setCurrentItem(self.found.topLevelItem(0))

    def _take(self, item: QTreeWidgetItem | None) -> None:
        if item is not None:
            command: Command = item.data(0, ROLE)
            self.accept()
            command.act()

    def eventFilter(self, a0: QObject | None, a1: QEvent | None) -> bool:
        """Move in the list with the arrow keys, take with Enter."""
        if isinstance(a1, QKeyEvent) and a1.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(a1.key()))
            if step is not None:
                row = self.found.indexOfTopLevelItem(self.found.currentItem()) + step
                last = self.found.topLevelItemCount() - 1
                self.found.setCurrentItem(self.found.topLevelItem(max(0, min(row, last))))
                return True
            if a1.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._take(self.found.currentItem())
                return True
        return super().eventFilter(a0, a1)
