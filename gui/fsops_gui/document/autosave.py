"""Autosave: unsaved work is kept in a swap file in case the program dies.

A swap file is plain process XML, written like every file of ours: the old one until the new one is
there. The swap file is beside the file of the document, or in the user's state folder.
 Its writer holds a lock, so that other windows do not offer open documents.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from PyQt6.QtCore import QLockFile, QObject, QTimer, pyqtSignal

from fsops.core.graph.process import Process
from fsops.errors import FsopsError
from fsops.storage import read_process
from fsops.storage.files import write_bytes
from fsops.storage.trust import readable_by_default
from fsops_gui.base.settings import DesignerSettings, state_folder
from fsops_gui.document.document import Document

SUFFIX = ".swap"
RESTRICTED = ".restricted"
"""Before the suffix: the process comes from another person, and may not read any file."""


def swap_of(path: Path) -> Path:
    """Return the swap file of a process file."""
    return path.with_name(f".{path.name}{SUFFIX}")


def _lock_of(swap: Path) -> Path:
    return swap.with_name(f"{swap.name}.lock")


def _locked(swap: Path) -> QLockFile | None:
    """Return the lock of a swap file; None if a program that lives has it."""
    lock = QLockFile(str(_lock_of(swap)))
    lock.setStaleLockTime(0)  # only a program that has died leaves it to others
    return lock if lock.tryLock(0) else None


def _is_free(swap: Path) -> bool:
    """Return whether no window has the document of a swap file open."""
    if not _lock_of(swap).exists():
        return True
    lock = _locked(swap)
    if lock is not None:
        lock.unlock()
    return lock is not None


def discard(swap: Path) -> None:
    """Remove a swap file."""
    for file in (swap, _origin_of(swap)):
        with contextlib.suppress(OSError):
            file.unlink()


def left_behind(path: Path) -> Process | None:
    """Return the unsaved work of a session that died; None if there is none."""
    swap = swap_of(path)
    if swap.is_symlink() or not swap.is_file() or not _is_free(swap):
        return None
    try:
        unsaved, saved = read_process(swap), read_process(path)
    except FsopsError:
        return None
    unsaved.name = saved.name if unsaved.name == swap.stem else unsaved.name
    if unsaved == saved:
        discard(swap)
        return None
    return unsaved


@dataclass(frozen=True)
class Orphan:
    """A process that a session which died has left among the files of the user."""

    swap: Path
    process: Process
    written: datetime
    path: Path | None = None
    """The file it belongs to: another window had the swap file beside it."""


def _origin_of(swap: Path) -> Path:
    """Return the small file with the path of the file that a swap file belongs to."""
    return swap.with_name(f"{swap.name}.origin")


def _original(swap: Path) -> Path | None:
    try:
        text = _origin_of(swap).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return Path(text) if text else None


def orphans_of(path: Path) -> list[Orphan]:
    """Return the unsaved work of a file that is not beside it, the latest first."""
    return [orphan for orphan in orphans() if orphan.path == path]


def orphans() -> list[Orphan]:
    """Return the processes in the state folder that no window has open, the latest first."""
    found = []
    for swap in sorted(state_folder().glob(f"*{SUFFIX}")):
        if not _is_free(swap):
            continue
        try:
            process = read_process(swap)
            written = datetime.fromtimestamp(swap.stat().st_mtime)
        except (FsopsError, OSError):
            continue
        if process == Process(process.name):  # there is nothing in it
            discard(swap)
            continue
        path = _original(swap)
        if process.name == swap.stem:  # it has no name of its own
            process.name = path.stem if path is not None else Process().name
        process.folder = None if path is None else path.parent
        is_restricted = swap.stem.endswith(RESTRICTED)
        process.readable = readable_by_default(process) if is_restricted else None
        found.append(Orphan(swap, process, written, path))
    return sorted(found, key=lambda orphan: orphan.written, reverse=True)


class Autosaver(QObject):
    """Keeps the swap file of a document."""

    wrote = pyqtSignal()
    failed = pyqtSignal(str)
    """Why nothing can be written; empty when it works again."""

    def __init__(self, document: Document) -> None:
        super().__init__()
        self._document = document
        self._written: Path | None = None
        self._failure = ""
        self._lock: QLockFile | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.write)
        document.changed.connect(self._wait)
        document.file_changed.connect(self._tidy)

    def _wait(self) -> None:
        # Further edits do not put it off: somebody who never pauses would lose everything.
        if not self._timer.isActive():
            self._timer.start(1000 * DesignerSettings().autosave_seconds)

    def write(self) -> None:
        """Write the unsaved work; a read-only folder beside the file does not matter."""
        if not self._document.modified:
            return
        try:
            target = self._target()
            write_bytes(target, self._document.as_xml(), follow=False)
            self._written = target
            if target.parent == state_folder() and self._document.path is not None:
                write_bytes(_origin_of(target), str(self._document.path).encode(), follow=False)
        except (FsopsError, OSError) as error:
            self._tell(str(error))
        else:
            self._tell("")
            self.wrote.emit()

    def _tell(self, failure: str) -> None:
        if failure != self._failure:
            self._failure = failure
            self.failed.emit(failure)

    def _target(self) -> Path:
        """Return the swap file that is ours: beside the file, or where another has that one."""
        path = self._document.path
        beside = swap_of(path) if path is not None else None
        ours = self._written
        if ours is not None and self._lock is not None:
            if (ours == beside or ours.parent == state_folder()) and not ours.is_symlink():
                return ours
            self.remove()  # the document has another file now
        # A folder from somebody else may have links of these names to files of the user.
        linked = beside is not None and (beside.is_symlink() or _lock_of(beside).is_symlink())
        if beside is not None and not linked and (lock := _locked(beside)) is not None:
            self._lock = lock
            return beside
        state_folder().mkdir(parents=True, exist_ok=True)
        name = path.stem if path is not None else "untitled"
        kind = "" if self._document.process.readable is None else RESTRICTED
        own = state_folder() / f"{name}-{os.getpid()}-{secrets.token_hex(4)}{kind}{SUFFIX}"
        self._lock = _locked(own)
        return own

    def _tidy(self) -> None:
        if not self._document.modified:
            self.remove()

    def remove(self) -> None:
        """Remove the swap file: everything is saved, or was given up."""
        self._timer.stop()
        if self._written is not None:
            discard(self._written)
            self._written = None
        if self._lock is not None:
            self._lock.unlock()
            self._lock = None
