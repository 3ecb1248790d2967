"""Earlier versions of a process file: the last saves and autosaves, in the user's folder."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from PyQt6.QtCore import QObject

from fsops.core.graph.process import Process
from fsops.errors import FsopsError
from fsops.storage import parse_process
from fsops.storage.files import read_bytes, write_bytes
from fsops_gui.base.settings import versions_folder
from fsops_gui.document.document import Document

MOST = 20
"""Versions of a file that are kept."""
LARGEST = 2**26
"""Bytes of a version."""
SAVED, AUTOSAVED, OPENED = "saved", "autosaved", "opened"
PAUSE = timedelta(minutes=5)
"""From a version to the next autosave that counts as one."""
_TIME = "%Y%m%dT%H%M%S%f"


@dataclass(frozen=True)
class Version:
    """A state of a file."""

    file: Path
    written: datetime
    kind: str

    def process(self, folder: Path | None) -> Process:
        """Return the process of this version, as if it were in the folder of its file."""
        process = parse_process(read_bytes(self.file, LARGEST))
        process.folder = folder
        return process


def folder_of(path: Path) -> Path:
    """Return the folder with the versions of a file."""
    key = hashlib.sha256(str(path).encode()).hexdigest()[:16]
    return versions_folder() / f"{path.stem[:40]}-{key}"


def versions_of(path: Path) -> list[Version]:
    """Return the versions of a file, the latest first; other files in the folder are left out."""
    found = []
    folder = folder_of(path)
    for file in sorted(folder.glob("*.xml"), reverse=True) if folder.is_dir() else ():
        time, _, kind = file.stem.partition("-")
        with contextlib.suppress(ValueError):
            if kind in (SAVED, AUTOSAVED, OPENED):
                found.append(Version(file, datetime.strptime(time, _TIME), kind))
    return found


class VersionKeeper(QObject):
    """Writes a version when its document is saved, and now and then when it is autosaved."""

    def __init__(self, document: Document, now: Callable[[], datetime] = datetime.now) -> None:
        super().__init__()
        self._document = document
        self._now = now
        self._first = document.as_xml() if document.path is not None else None
        document.saved.connect(self._take_save)

    def _take_save(self) -> None:
        path = self._document.path
        if path is None:
            return
        if self._first is not None and not versions_of(path):
            self._write(path, OPENED, self._first)  # the file as it was before the first save
        self._first = None
        self._write(path, SAVED, self._document.as_xml())

    def take_autosave(self) -> None:
        """Keep a state that was not saved, unless the last version is recent."""
        path = self._document.path
        if path is None:
            return
        last = next(iter(versions_of(path)), None)
        if last is None or self._now() - last.written >= PAUSE:
            self._write(path, AUTOSAVED, self._document.as_xml())

    def _write(self, path: Path, kind: str, content: bytes) -> None:
        """Write a version and remove the oldest; a folder that cannot be written is left alone."""
        known = versions_of(path)
        with contextlib.suppress(FsopsError, OSError):
            if known and read_bytes(known[0].file, LARGEST) == content:
                return
            folder = folder_of(path)
            folder.mkdir(parents=True, exist_ok=True)
            after_last = [v.written + timedelta(microseconds=1) for v in known[:1]]
            time = max([self._now(), *after_last])
            write_bytes(folder / f"{time.strftime(_TIME)}-{kind}.xml", content)
            for old in versions_of(path)[MOST:]:
                old.file.unlink()
