"""The list of all shortcuts, with a search."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import (
    QDialog,
    QHeaderView,
    QLineEdit,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from fsops_gui.base.actions import shortcut_rows
from fsops_gui.base.texts import tr


class ShortcutsDialog(QDialog):
    """All shortcuts, from the table of actions."""

    MORE = (
        ("Arrow keys", "Go to the next operator"),
        ("Shift + arrow keys", "Move the selected operators"),
        ("Return", "Open inner processes"),
        ("Tab", "Go through the ports of the selected operator"),
        ("Return at a port", "Begin a wire; Tab finds where it fits, Return connects"),
        ("Shift + Return at a port", "Show its value"),
        ("Delete at a port", "Remove its wires"),
        ("Any letter", "Add an operator by its name"),
        ("Ctrl + wheel", "Zoom"),
        ("Space + drag, middle button", "Move the canvas"),
        ("Click on a port", "Show its value"),
        ("Alt + click on a port", "Remove its wires"),
    )

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Shortcuts"))
        rows = shortcut_rows()
        rows += [(tr("Canvas"), tr(text), tr(keys)) for keys, text in self.MORE]
        self.table = QTableWidget(len(rows), 3)
        self.table.setHorizontalHeaderLabels([tr("Menu"), tr("Action"), tr("Keys")])
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        for i, row in enumerate(rows):
            for j, text in enumerate(row):
                self.table.setItem(i, j, QTableWidgetItem(text))
        header, side = self.table.horizontalHeader(), self.table.verticalHeader()
        if header is not None and side is not None:
            modes = QHeaderView.ResizeMode
            for column in (0, 2):
                header.setSectionResizeMode(column, modes.ResizeToContents)
            header.setSectionResizeMode(1, modes.Stretch)
            side.setDefaultSectionSize(24)
            side.hide()
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Search: action or keys"))
        self.field.setAccessibleName(tr("Search shortcuts"))
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self._search)
        layout = QVBoxLayout(self)
        layout.addWidget(self.field)
        layout.addWidget(self.table)
        self.resize(640, 540)

    def _search(self, text: str) -> None:
        """Show the rows that have all words."""
        words = text.lower().split()
        for row in range(self.table.rowCount()):
            items = [self.table.item(row, column) for column in range(3)]
            line = " ".join(item.text() for item in items if item is not None).lower()
            self.table.setRowHidden(row, not all(word in line for word in words))
