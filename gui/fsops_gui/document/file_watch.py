"""Notices when another program changes the file of a document."""

from __future__ import annotations

import hashlib

from PyQt6.QtCore import QFileSystemWatcher, QObject, QTimer, pyqtSignal

from fsops.storage import read_process
from fsops_gui.base.texts import tr
from fsops_gui.document.document import Document

PAUSE = 300
"""Milliseconds after a change; a file may be written in several goes."""


class FileWatch(QObject):
    """Watches the file of a document.

    The folder is watched too: a file that is replaced is another one to the system.
    """

    changed = pyqtSignal()
    """The file holds something that this document has neither read nor written."""
    gone = pyqtSignal()
    """The file was deleted or moved."""

    def __init__(self, document: Document) -> None:
        super().__init__()
        self._document = document
        self._accepted = ""
        self._watcher = QFileSystemWatcher(self)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PAUSE)
        self._timer.timeout.connect(self._look)
        self._watcher.fileChanged.connect(self._wait)
        self._watcher.directoryChanged.connect(self._wait)
        document.file_changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        """Watch the file that the document has now."""
        path = self._document.path
        wanted = {str(path), str(path.parent)} if path is not None else set()
        watched = {*self._watcher.files(), *self._watcher.directories()}
        if watched - wanted:
            self._watcher.removePaths(list(watched - wanted))
        if wanted - watched:
            self._watcher.addPaths(list(wanted - watched))

    def _wait(self, _path: str) -> None:
        self._timer.start()

    def _look(self) -> None:
        self._follow()
        path = self._document.path
        if path is None:
            return
        was_lost = self._document.is_lost
        self._document.set_lost(not path.exists())
        if self._document.is_lost and not was_lost:
            self.gone.emit()
        elif path.is_file() and self.is_foreign():
            self.changed.emit()

    def is_foreign(self) -> bool:
        """Return whether the file has changes that the user has not read, written or accepted."""
        return self._document.changed_on_disk() and self._content() != self._accepted

    def accept(self) -> None:
        """Accept the changes of others: saving may replace them without a question."""
        self._accepted = self._content()

    def reload(self) -> None:
        """Load the present content of the file as a step that can be undone."""
        path = self._document.path
        if path is None:
            return
        process = read_process(path)
        self.accept()
        self._document.take_over(tr("Read {name} again", name=path.name), process)
        self._document.undo_stack.setClean()

    def _content(self) -> str:
        """Return a checksum of the file; empty if it cannot be read."""
        path = self._document.path
        try:
            return hashlib.sha256(path.read_bytes()).hexdigest() if path is not None else ""
        except OSError:
            return ""

    def close(self) -> None:
        """Watch nothing any more."""
        self._timer.stop()
        self._document.file_changed.disconnect(self._follow)
        for paths in (self._watcher.files(), self._watcher.directories()):
            if paths:
                self._watcher.removePaths(paths)
