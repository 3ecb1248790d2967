"""What is not saved is put aside, in case the program dies.

A swap file is plain process XML, written like every file of ours: the old one until the new one is
there. That of a document with a file stands beside it; that of one without is in the state folder
of the user. Whoever writes it holds a lock, so nobody else offers what is still being worked on.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from PyQt6.QtCore import QLockFile, QObject, QTimer

from fsops.core.graph.process import Process
from fsops.errors import FsopsError
from fsops.storage import read_process
from fsops.storage.files import write_bytes
from fsops.storage.trust import readable_by_default
from fsops_gui.base.settings import DesignerSettings, state_folder
from fsops_gui.document.document import Document

SUFFIX = ".swap"
RESTRICTED = ".restricted"
"""Before the suffix: the process comes from somebody else, and may not read any file."""


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
    """Return whether nobody works on what a swap file holds."""
    if not _lock_of(swap).exists():
        return True
    lock = _locked(swap)
    if lock is not None:
        lock.unlock()
    return lock is not None


def discard(swap: Path) -> None:
    """Remove a swap file."""
    with contextlib.suppress(OSError):
        swap.unlink()


def left_behind(path: Path) -> Process | None:
    """Return what a session that died had not saved; None if there is nothing to ask about."""
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
    """A process without a file that a session which died has left."""

    swap: Path
    process: Process
    written: datetime


def orphans() -> list[Orphan]:
    """Return the processes without a file that nobody works on any more, the latest first."""
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
        process.folder = None
        is_restricted = swap.stem.endswith(RESTRICTED)
        process.readable = readable_by_default(process) if is_restricted else None
        found.append(Orphan(swap, process, written))
    return sorted(found, key=lambda orphan: orphan.written, reverse=True)


class Autosaver(QObject):
    """Keeps the swap file of a document."""

    def __init__(self, document: Document) -> None:
        super().__init__()
        self._document = document
        self._written: Path | None = None
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
        """Write what is not saved; a folder that cannot be written to is no reason to disturb."""
        if not self._document.modified:
            return
        with contextlib.suppress(FsopsError, OSError):
            target = self._target()
            write_bytes(target, self._document.as_xml(), follow=False)
            self._written = target

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
