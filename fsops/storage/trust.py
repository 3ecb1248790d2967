"""Processes that the user trusts: they may read any file.

A process file may come from a stranger. It reads only in its own folder and in the folders for
data, unless the user has written it here or has said that it can be trusted. This is known by the
SHA-256 of its content: `write_process` notes it, and ``fsops trust``. So a trusted process stays
trusted when it is moved, but not when another person changes it. In the same way the
designer notes single files that the user lets a process read.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from fsops.core.graph.process import Process
from fsops.errors import StorageError
from fsops.storage.files import write_bytes
from fsops.storage.repository import RAPIDMINER_VARIABLE, repository_folder

VARIABLE = "FSOPS_TRUST"
"""Environment variable with the folder of the notes."""
DATA_VARIABLE = "FSOPS_DATA"
READING = ".read"
"""Ending of the notes with files that a process may read."""
_PACKAGE = Path(__file__).resolve().parents[1]
_CHECKOUT = _PACKAGE.parent / "processes"
BUNDLED = (_PACKAGE,) if (_PACKAGE / "processes").is_dir() else (_PACKAGE, _CHECKOUT)
"""Folders of files that come with fsops: inside the package, or beside it in a checkout."""


def trust(content: bytes, path: str | os.PathLike[str]) -> None:
    """Note that the user trusts a process; ``path`` is where it is now, for people."""
    _write_note(_note(content), [str(path)])


def _write_note(note: Path, lines: Sequence[str]) -> None:
    try:
        note.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        text = "".join(f"{line}\n" for line in lines)
        write_bytes(note, text.encode(errors="backslashreplace"), follow=False)
    except OSError as error:
        raise StorageError(
            f'The folder "{note.parent}" for trusted processes cannot be written: '
            f"{error.strerror}.",
            hint=f"Name another one in the environment variable {VARIABLE}.",
        ) from None


def try_trust(content: bytes, path: str | os.PathLike[str]) -> None:
    """Note it where possible: saving must not fail because of it."""
    with contextlib.suppress(StorageError, OSError):
        trust(content, path)


def allow_reading(digest: str, paths: Sequence[Path]) -> None:
    """Note that a process may read some files; ``digest`` is the SHA-256 of its content."""
    known = [str(path) for path in allowed_reading(digest)]
    lines = sorted({*known, *(str(path) for path in paths)})
    _write_note(_folder() / f"{digest}{READING}", lines)


def allowed_reading(digest: str) -> list[Path]:
    """Return the files that the user lets a process read, besides those that all may read."""
    try:
        lines = (_folder() / f"{digest}{READING}").read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return []
    return [Path(line) for line in lines if Path(line).is_absolute()]


def is_trusted(content: bytes, path: str | os.PathLike[str] | None = None) -> bool:
    """Return whether the user trusts a process, or it comes with fsops."""
    if path is not None and any(Path(path).resolve().is_relative_to(f) for f in BUNDLED):
        return True
    with contextlib.suppress(OSError):
        return _note(content).is_file()
    return False


def readable_by_default(process: Process) -> list[Path]:
    """Return where any process may read: in its folder, and in the folders for data."""
    named = [os.environ.get(name) for name in (DATA_VARIABLE, RAPIDMINER_VARIABLE)]
    folders = [Path(name).expanduser() for name in named if name]
    own = [] if process.folder is None else [process.folder]
    return [*own, *folders, repository_folder(), *BUNDLED]


def _note(content: bytes) -> Path:
    return _folder() / digest_of(content)


def digest_of(content: bytes) -> str:
    """Return the name under which a process is noted."""
    return hashlib.sha256(content).hexdigest()


def _folder() -> Path:
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).expanduser()
    from platformdirs import user_state_path

    return user_state_path("fsops", appauthor=False) / "trusted"
