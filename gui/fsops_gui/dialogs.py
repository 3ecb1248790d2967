"""Questions to the user; each opens without stopping the program unless its answer is needed."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QMessageBox,
    QPlainTextEdit,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from fsops_gui.actions import shortcut_rows
from fsops_gui.texts import tr

SAVE, DISCARD, CANCEL = "save", "discard", "cancel"


def ask_save(parent: QWidget, title: str) -> str:
    """Ask what to do with changes that no file has."""
    kinds = QMessageBox.StandardButton
    answer = QMessageBox.question(
        parent,
        tr("Save changes?"),
        tr('"{title}" has changes that are not saved.', title=title),
        kinds.Save | kinds.Discard | kinds.Cancel,
        kinds.Save,
    )
    return {kinds.Save: SAVE, kinds.Discard: DISCARD}.get(answer, CANCEL)


def ask_overwrite(parent: QWidget, title: str) -> bool:
    """Ask whether to replace a file that somebody else has changed."""
    kinds = QMessageBox.StandardButton
    answer = QMessageBox.question(
        parent,
        tr("The file has changed"),
        tr('Somebody else has changed "{title}". Replace it with this process?', title=title),
        kinds.Yes | kinds.No,
        kinds.No,
    )
    return answer == kinds.Yes


def ask_recover(parent: QWidget, title: str) -> bool:
    """Ask whether to bring back what an earlier session had not saved."""
    kinds = QMessageBox.StandardButton
    answer = QMessageBox.question(
        parent,
        tr("Bring back changes?"),
        tr('"{title}" has changes that were not saved when the program ended. ', title=title)
        + tr("Bring them back? They can be undone."),
        kinds.Yes | kinds.No,
        kinds.Yes,
    )
    return answer == kinds.Yes


def tell(parent: QWidget, text: str, details: str = "") -> QMessageBox:
    """Show a fault of the program, and let the session go on."""
    box = QMessageBox(QMessageBox.Icon.Warning, tr("Something went wrong"), text, parent=parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    if details:
        box.setInformativeText(tr("Your process is still there; save it under another name."))
        box.setDetailedText(details)
    box.open()
    return box


class ShortcutsDialog(QDialog):
    """All shortcuts, from the table of actions."""

    MORE = (
        ("Arrow keys", "Go to the next operator"),
        ("Shift + arrow keys", "Move the selected operators"),
        ("Enter", "Open inner processes"),
        ("Tab", "Go to the next inner process"),
        ("Any letter", "Add an operator by its name"),
        ("Ctrl + wheel", "Zoom"),
        ("Space + drag, middle button", "Move the canvas"),
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
            header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
            side.hide()
        layout = QVBoxLayout(self)
        layout.addWidget(self.table)
        self.resize(620, 520)


class NoteDialog(QDialog):
    """A text to write."""

    def __init__(self, text: str, done: Callable[[str], None], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Note"))
        self.edit = QPlainTextEdit(text)
        self.edit.setAccessibleName(tr("Note"))
        kinds = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(kinds.Ok | kinds.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.edit)
        layout.addWidget(buttons)
        self.accepted.connect(lambda: done(self.edit.toPlainText()))
