"""Questions to the user; each opens without stopping the program unless its answer is needed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QMessageBox, QWidget

from fsops_gui.base.texts import tr

SAVE, DISCARD, CANCEL, RECOVER = "save", "discard", "cancel", "recover"
MOST_LINES = 12
"""Files that a question lists."""


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


def ask_stop(parent: QWidget, title: str) -> bool:
    """Ask whether to close a process that is running."""
    kinds = QMessageBox.StandardButton
    answer = QMessageBox.question(
        parent,
        tr("Stop the run?"),
        tr('"{title}" is running. Stop the run and close the tab?', title=title),
        kinds.Yes | kinds.No,
        kinds.No,
    )
    return answer == kinds.Yes


def ask_delete(parent: QWidget, name: str) -> bool:
    """Ask whether to delete a building block."""
    kinds = QMessageBox.StandardButton
    answer = QMessageBox.question(
        parent,
        tr("Delete the building block?"),
        tr('Delete "{name}"? Processes that contain a copy keep it.', name=name),
        kinds.Yes | kinds.No,
        kinds.No,
    )
    return answer == kinds.Yes


def ask_overwrite(parent: QWidget, title: str) -> bool:
    """Ask whether to replace a file that another program has changed."""
    kinds = QMessageBox.StandardButton
    answer = QMessageBox.question(
        parent,
        tr("The file has changed"),
        tr('Another program has changed "{title}". Replace it with this process?', title=title),
        kinds.Yes | kinds.No,
        kinds.No,
    )
    return answer == kinds.Yes


def ask_recover(parent: QWidget, text: str) -> str:
    """Ask whether to restore the unsaved work of an earlier session, or to discard it."""
    box = QMessageBox(QMessageBox.Icon.Question, tr("Bring back changes?"), text, parent=parent)
    box.setInformativeText(tr("The program ended before they were saved."))
    roles = QMessageBox.ButtonRole
    bring = box.addButton(tr("Bring back"), roles.AcceptRole)
    give_up = box.addButton(tr("Discard"), roles.DestructiveRole)
    box.addButton(tr("Ask again later"), roles.RejectRole)
    box.setDefaultButton(bring)
    box.exec()
    clicked = box.clickedButton()
    box.deleteLater()
    return RECOVER if clicked is bring else DISCARD if clicked is give_up else CANCEL


def ask_reading(parent: QWidget, title: str, files: Mapping[Path, str]) -> bool:
    """Ask whether a process from another person may read files outside its folder."""
    text = tr('"{title}" wants to read outside its folder.', title=title)
    box = QMessageBox(QMessageBox.Icon.Warning, tr("Allow reading?"), text, parent=parent)
    lines = [tr("{path} (by {name})", path=p, name=name) for p, name in files.items()]
    more = [tr("and {n} more", n=len(lines) - MOST_LINES)] if len(lines) > MOST_LINES else []
    advice = tr(
        "This process was not written or saved on this computer. Allow it only if you know these "
        "files and trust the author of the process. The answer is remembered for this file."
    )
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setInformativeText("\n".join([*lines[:MOST_LINES], *more, "", advice]))
    roles = QMessageBox.ButtonRole
    allow = box.addButton(tr("Allow these files"), roles.AcceptRole)
    refuse = box.addButton(tr("Do not run"), roles.RejectRole)
    box.setDefaultButton(refuse)
    box.setEscapeButton(refuse)
    box.exec()
    agreed = box.clickedButton() is allow
    box.deleteLater()
    return agreed


def tell(parent: QWidget, text: str, details: str = "") -> QMessageBox:
    """Show a fault of the program, and let the session go on."""
    box = QMessageBox(QMessageBox.Icon.Warning, tr("Something went wrong"), text, parent=parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    if details:
        box.setInformativeText(tr("Your process is still there; save it under another name."))
        box.setDetailedText(details)
    box.open()
    return box
