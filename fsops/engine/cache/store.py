"""A folder of results, one file each, that several runs may share."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fsops.engine.cache.codec import decode, encode
from fsops.errors import StorageError

VARIABLE = "FSOPS_CACHE"
MAGIC = b"fsops-result-2\n"
DIGEST = hashlib.sha256().digest_size
TRIAL = 4096  # bytes that must fit into the folder at the start of a run
DEFAULT_LIMIT = 4 * 2**30
LARGEST = 2**30
"""A single result above this many bytes is not kept."""
_KEY = re.compile(r"[0-9a-f]{64}")


def default_folder() -> Path:
    """Return the default folder of cached results: FSOPS_CACHE, else the user's cache folder."""
    if os.environ.get(VARIABLE):
        return Path(os.environ[VARIABLE])
    from platformdirs import user_cache_path

    return user_cache_path("fsops", appauthor=False, opinion=False)


@dataclass(frozen=True)
class Found:
    """A result that was kept."""

    value: Any


@dataclass(frozen=True)
class Usage:
    """How much is kept."""

    entries: int
    size: int


class ResultStore:
    """Results by key, on disk.

    A result is written under another name and then renamed, so that a reader sees all of it or
    nothing; a checksum reveals later damage. Unreadable results are computed again.
    """

    def __init__(self, folder: str | os.PathLike[str], limit: int = DEFAULT_LIMIT) -> None:
        self.folder = Path(folder).absolute()  # workers may start elsewhere
        self.limit = limit
        self.required = False
        """Whether a result that cannot be written is an error, as with ``--resume``."""
        self.failure = ""
        """Why a result could not be written, as a sentence."""
        try:
            # Results may contain private data: only the user may read the folder.
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise StorageError(f'The cache "{folder}" cannot be made: {reason}.') from None

    def check_writable(self) -> None:
        """Raise if nothing can be kept: it should be known before a long run, not after it."""
        try:
            with tempfile.TemporaryFile(dir=self.folder) as trial:
                trial.write(bytes(TRIAL))  # on a full disk an empty file can still be made
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise StorageError(
                f'Nothing can be stored in the cache "{self.folder}": {reason}.',
                hint="Choose another folder with --cache.",
            ) from None

    def get(self, key: str) -> Found | None:
        """Return the result with that key; None if there is none that is whole."""
        file = self._file(key)
        stored = _content(file)
        if stored is None:
            return None
        body = stored[len(MAGIC) + DIGEST :]
        head = _head(key, body)
        # The checksum finds damage, not malice: the codec itself must be safe.
        if stored[: len(head)] == head:
            with contextlib.suppress(Exception):  # made by another version, or by a stranger
                found = Found(decode(body))
                with contextlib.suppress(OSError):
                    os.utime(file)  # what is used is kept longest
                return found
        with contextlib.suppress(OSError):
            file.unlink()
        return None

    def put(self, key: str, value: Any) -> bool:
        """Keep a result; return whether that was possible. A full disk does not stop the run."""
        try:
            body = encode(value)
        except Exception:  # noqa: BLE001 - what cannot be kept, for whatever reason, is made again
            return False
        if len(body) > min(LARGEST, self.limit):
            return False
        file = self._file(key)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            if file.parent.is_symlink():
                return False
            # In the same folder: os.replace is atomic only within one file system.
            handle, name = tempfile.mkstemp(dir=file.parent, prefix=".part-")
            try:
                with os.fdopen(handle, "wb") as part:
                    part.write(_head(key, body) + body)
                os.replace(name, file)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(name)
                raise
        except OSError as error:
            self._note_failure(error)
            return False
        return True

    def _note_failure(self, error: OSError) -> None:
        """Remember why a result could not be cached; raise if the run relies on the cache."""
        reason = (error.strerror or str(error)).lower()
        self.failure = self.failure or (
            f'Results could not be cached in "{self.folder}": {reason}. The next run computes them '
            "again."
        )
        if self.required:
            raise StorageError(
                f'Results cannot be cached in "{self.folder}" any more: {reason}.',
                hint="Free some space, and run again: finished results are not computed again.",
            ) from None

    def _file(self, key: str) -> Path:
        return self.folder / key[:2] / key

    def _folders(self) -> Iterator[Path]:
        """Return the folders with results; a link to a folder elsewhere is not one of them."""
        for folder in self.folder.glob("[0-9a-f][0-9a-f]"):
            if folder.is_dir() and not folder.is_symlink():
                yield folder

    def _files(self) -> Iterator[tuple[Path, os.stat_result]]:
        for folder in self._folders():
            for file in folder.glob(f"{folder.name}*"):
                with contextlib.suppress(OSError):
                    if _KEY.fullmatch(file.name) and not file.is_dir():
                        yield file, file.stat(follow_symlinks=False)

    def usage(self) -> Usage:
        """Return how many results there are, and their size in bytes."""
        sizes = [found.st_size for _, found in self._files()]
        return Usage(len(sizes), sum(sizes))

    def prune(self) -> None:
        """Remove the least recently used results until the rest fits the limit."""
        files = sorted(self._files(), key=lambda item: item[1].st_mtime)
        size = sum(found.st_size for _, found in files)
        for file, found in files:
            if size <= self.limit:
                return
            with contextlib.suppress(OSError):
                file.unlink()
                size -= found.st_size

    def clear(self) -> Usage:
        """Remove all results; return how much that was."""
        usage = self.usage()
        for file, _ in self._files():
            with contextlib.suppress(OSError):
                file.unlink()
        for folder in self._folders():
            for hidden in folder.glob(".part-*"):
                with contextlib.suppress(OSError):
                    hidden.unlink()
            with contextlib.suppress(OSError):
                folder.rmdir()
        return usage


def _head(key: str, body: bytes) -> bytes:
    """Return the start of a file: its checksum covers the key, so no file counts for another."""
    return MAGIC + hashlib.sha256(key.encode() + b"\n" + body).digest()


def _content(file: Path) -> bytes | None:
    """Return the bytes of a file of the store; None for links, pipes and far too large files."""
    flags = os.O_RDONLY | sum(getattr(os, f, 0) for f in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
    most = LARGEST + len(MAGIC) + DIGEST
    try:
        if file.parent.is_symlink():
            return None
        with open(os.open(file, flags), "rb") as stream:
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > most:
                return None
            return stream.read(most)
    except OSError:
        return None
