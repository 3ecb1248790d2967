"""Files that a process may read and write: a name becomes a path once, and this path is used.

A process may come from a stranger. It reads only in folders that the user has allowed, and writes
only there. Links and ``..`` are resolved before the comparison, and the operator gets the resolved
path, so that no other path is used than the one that was compared.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fsops.core.declare.parameters import File
from fsops.errors import StorageError


@dataclass(frozen=True)
class FileAccess:
    """Where the names of files start, and where files may be read and written."""

    folder: Path | None = None
    """Where relative names start; None for the current folder."""
    readable: Sequence[Path] | None = None
    """Files and folders that may be read; None for all."""
    writable: Sequence[Path] | None = None
    """Folders that may be written; None for all."""

    def path(self, file: File, name: str) -> str:
        """Return the path that a name stands for; `StorageError` if it is not allowed.

        A name of data that is not a file, such as that of a sample, is returned as it is.
        """
        text = self.full_name(name)
        found = Path(text) if file.resolve is None else file.resolve(text)
        if found is None:
            return text
        if file.write:
            target = _resolved(found)
            if not _is_allowed(target, self.writable):
                raise _not_writable(target)
            return str(target)
        if self.readable is None:
            return text
        refused = self.refused(file, name)
        if refused:
            raise _not_readable(refused[0])
        return str(_resolved(found))

    def refused(self, file: File, name: str) -> list[Path]:
        """Return the paths behind a name that may not be read: of a folder also its links."""
        text = self.full_name(name)
        found = Path(text) if file.resolve is None else file.resolve(text)
        if found is None or file.write:
            return []
        target = _resolved(found)
        paths = (target, *_linked_from(target))
        return [path for path in paths if not _is_allowed(path, self.readable)]

    def full_name(self, name: str) -> str:
        """Return the name with the folder of the process file before a relative one."""
        try:
            expanded = Path(name).expanduser()
        except RuntimeError:  # there is no such user
            expanded = Path(name)
        # pathlib drops the folder if the path is absolute.
        return str(expanded if self.folder is None else self.folder / expanded)


def _resolved(path: Path) -> Path:
    """Return the path without links and dots."""
    try:
        found = path.resolve()
    except (OSError, RuntimeError, ValueError):  # links in a circle, a NUL in the name
        raise StorageError(
            f'"{path}" is not a possible path.', hint="Choose another file."
        ) from None
    # POSIX lets "//x" be something else than "/x"; for files it never is.
    return Path("/" + str(found).lstrip("/")) if str(found).startswith("//") else found


def _is_allowed(path: Path, folders: Sequence[Path] | None) -> bool:
    return folders is None or any(path.is_relative_to(folder.resolve()) for folder in folders)


def _linked_from(folder: Path) -> Iterator[Path]:
    """Return where the links in a folder lead to: some readers read all files of a folder."""
    try:
        links = [p for p in folder.iterdir() if p.is_symlink()] if folder.is_dir() else []
    except OSError:
        return
    yield from map(_resolved, links)


def _not_writable(target: Path) -> StorageError:
    folder = shlex.quote(str(target.parent))
    return StorageError(
        f'The process wants to write "{target}", which is outside its folder.',
        hint=f"If you agree, run it with --allow-write {folder}",
    )


def _not_readable(target: Path) -> StorageError:
    folder = shlex.quote(str(target.parent))
    return StorageError(
        f'The process wants to read "{target}", which is outside its folder.',
        hint=f"If you agree, run it with --allow-read {folder}, or trust the process with "
        "fsops trust and its file",
    )
