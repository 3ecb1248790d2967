"""A swap file beside the document holds what is not saved yet, in case the program dies.

It is plain process XML, written like every file of ours: the old one until the new one is there.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from PyQt6.QtCore import QObject, QTimer

from fsops.core.process import Process
from fsops.errors import FsopsError
from fsops.storage import read_process
from fsops.storage.files import write_bytes
from fsops_gui.document import Document

PAUSE = 3000
"""Milliseconds without an edit before the swap file is written."""


def swap_of(path: Path) -> Path:
    """Return the swap file of a process file."""
    return path.with_name(f".{path.name}.swap")


def left_behind(path: Path) -> Process | None:
    """Return what a session that died had not saved; None if there is nothing to ask about."""
    swap = swap_of(path)
    if not swap.is_file():
        return None
    try:
        unsaved, saved = read_process(swap), read_process(path)
    except FsopsError:
        return None
    unsaved.name = saved.name if unsaved.name == swap.stem else unsaved.name
    if unsaved == saved:
        with contextlib.suppress(OSError):
            swap.unlink()
        return None
    return unsaved


class Autosaver(QObject):
    """Keeps the swap file of a document; a document without a file has none."""

    def __init__(self, document: Document) -> None:
        super().__init__()
        self._document = document
        self._written: Path | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.write)
        document.changed.connect(self._wait)
        document.file_changed.connect(self._tidy)

    def _wait(self) -> None:
        if self._document.path is not None:
            self._timer.start(PAUSE)

    def write(self) -> None:
        """Write what is not saved; a folder that cannot be written to is no reason to disturb."""
        path = self._document.path
        if path is not None and self._document.modified:
            with contextlib.suppress(FsopsError, OSError):
                write_bytes(swap_of(path), self._document.as_xml())
                self._written = swap_of(path)

    def _tidy(self) -> None:
        if not self._document.modified:
            self.remove()

    def remove(self) -> None:
        """Remove the swap file: everything is saved, or was given up."""
        self._timer.stop()
        if self._written is not None:
            with contextlib.suppress(OSError):
                self._written.unlink()
            self._written = None
