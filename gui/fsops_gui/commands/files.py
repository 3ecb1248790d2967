"""New, open, save: the document and its file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtWidgets import QFileDialog

from fsops_gui import dialogs
from fsops_gui.autosave import left_behind
from fsops_gui.document import Document
from fsops_gui.texts import tr

if TYPE_CHECKING:
    from fsops_gui.window import Window


class Files:
    """New, open, save: the document and its file."""

    def __init__(self, window: Window) -> None:
        self._window = window

    def may_leave(self) -> bool:
        """Ask about changes that are not saved; return whether to go on."""
        if not self._window.session.document.modified:
            return True
        answer = dialogs.ask_save(self._window, self._window.session.document.title)
        if answer == dialogs.SAVE:
            self._window.attempt(self.save)
            return not self._window.session.document.modified
        return answer == dialogs.DISCARD

    def new(self) -> None:
        """Begin an empty process."""
        if self.may_leave():
            self._window.attach(Document())

    def open(self) -> None:
        """Choose a file to open."""
        kinds = tr("Processes") + " (*.xml *.rmp)"
        chosen, _ = QFileDialog.getOpenFileName(self._window, tr("Open"), self._folder(), kinds)
        if chosen:
            self.open_file(Path(chosen))

    def open_file(self, path: Path) -> None:
        """Open a file; one that cannot be read leaves everything as it is."""

        def act() -> None:
            document = Document.open(path)
            if self.may_leave():
                self._window.attach(document)
                self._window.settings.remember(path.resolve())
                self.recover()

        self._window.attempt(act)

    def recover(self) -> None:
        """Offer what an earlier session had not saved, if there is anything."""
        document = self._window.session.document
        unsaved = left_behind(document.path) if document.path is not None else None
        if unsaved is not None and dialogs.ask_recover(self._window, document.title):
            document.take_over(tr("Bring back changes"), unsaved)

    def open_example(self, path: Path) -> None:
        """Open a copy of an example, which has no file yet."""
        if self.may_leave():
            document = Document.open(path)
            document.path = None  # a copy to play with
            self._window.attach(document)

    def _folder(self) -> str:
        path = self._window.session.document.path
        return str(path.parent if path else Path.home())

    def save(self) -> None:
        """Save; ask for a name where there is none, and before replacing what others wrote."""
        document = self._window.session.document
        if document.path is None:
            self.save_as()
            return
        if document.changed_on_disk() and not dialogs.ask_overwrite(self._window, document.title):
            return
        document.save()
        self._window.settings.remember(document.path)
        self._window.say(tr("Saved {name}.", name=document.title))

    def save_as(self) -> None:
        """Save under another name."""
        chosen, _ = QFileDialog.getSaveFileName(
            self._window, tr("Save as"), self._folder(), tr("Processes") + " (*.xml)"
        )
        if chosen:
            path = Path(chosen)
            self._window.session.document.save(path if path.suffix else path.with_suffix(".xml"))
            self._window.settings.remember(path)
