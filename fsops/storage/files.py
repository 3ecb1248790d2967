"""Files: the one way to write them, and a careful way to read them."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import time
from collections.abc import Iterator
from typing import BinaryIO

from fsops.errors import StorageError, closest, quoted
from fsops.storage.messages import shown

StrPath = str | os.PathLike[str]

TEMP_PREFIX, TEMP_SUFFIX = ".fsops-", ".tmp"
STALE_SECONDS = 24 * 60 * 60
PATH_LENGTH = 200  # of a path in a message
FOLLOWED = "Links are followed only where you name the file. Remove the link, or name another file."

_REASONS = {
    errno.EACCES: "you have no permission",
    errno.EPERM: "you have no permission",
    errno.EROFS: "the disk is read-only",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "your disk quota is used up",
    errno.EFBIG: "it would become too large",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ENOTDIR: "a part of its path is not a folder",
    errno.EISDIR: "it is a folder",
    errno.ELOOP: "its symbolic links run in a circle",
    errno.EIO: "the disk reports a fault",
}


def read_bytes(path: StrPath, limit: int) -> bytes:
    """Return the content of a regular file of at most ``limit`` bytes.

    Folders, devices and pipes are refused without waiting for them.
    """
    with _explained(path, "read", missing="there is no such file"):
        # Asked before opening: a device may act on being opened, a pipe may never answer.
        _check_regular(path, os.stat(path).st_mode, "read")
        descriptor = os.open(path, os.O_RDONLY | _flag("O_NONBLOCK") | _flag("O_BINARY"))
        with open(descriptor, "rb") as file:
            _check_regular(path, os.fstat(descriptor).st_mode, "read")
            data = file.read(limit + 1)
    if len(data) > limit:
        raise _refused(path, "read", f"it is larger than {limit / 2**20:g} MiB")
    return data


def write_bytes(path: StrPath, data: bytes, *, follow: bool = True) -> None:
    """Write a file as `replacing` does."""
    with replacing(path, follow=follow) as file:
        file.write(data)


@contextlib.contextmanager
def replacing(path: StrPath, *, follow: bool = True) -> Iterator[BinaryIO]:
    """Open a file for writing that takes its place only when it is complete.

    At any moment, even after a crash or a power cut, the file is the old or the new one, never a
    mix. Its mode is kept. All files of fsops are written like this.

    Parameters
    ----------
    path : path
    follow : bool
        Whether a symbolic link is followed and stays one. Only for a file that the user has named:
        a link in a folder from a stranger may lead to any file of the user. Otherwise a link is
        refused.
    """
    with _explained(path, "written", missing="its folder does not exist"):
        if not follow:
            refuse_link(path)
        target = os.path.realpath(path) if follow else _without_last_link(path)
        mode = _mode_to_keep(path)
        folder = os.path.dirname(target)
        temp = os.path.join(folder, f"{TEMP_PREFIX}{secrets.token_hex(8)}{TEMP_SUFFIX}")
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | _flag("O_BINARY")
        descriptor = os.open(temp, flags, 0o666)
        try:
            with open(descriptor, "wb") as file:
                yield file
                file.flush()
                if mode is not None:
                    os.chmod(temp, mode)
                os.fsync(file.fileno())
            os.replace(temp, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temp)
            raise
        _sync_folder(folder)
    _sweep(folder)


def refuse_link(path: StrPath) -> None:
    """Raise `StorageError` if a file to be written is a symbolic link."""
    if os.path.islink(path):
        raise _refused(path, "written", "it is a symbolic link", FOLLOWED)


def _without_last_link(path: StrPath) -> str:
    """Return the full path; `os.replace` puts a file in place of a link that is made meanwhile."""
    folder, name = os.path.split(os.fspath(path))
    return os.path.join(os.path.realpath(folder), name)


def _flag(name: str) -> int:
    """Return a flag of `os.open` that not every system has."""
    return int(getattr(os, name, 0))


def _mode_to_keep(path: StrPath) -> int | None:
    """Return the mode of the file to be replaced, or None if there is none yet."""
    if os.path.basename(os.fspath(path)) in ("", ".", ".."):
        raise _refused(path, "written", "it is a folder")
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return None
    _check_regular(path, mode, "written")
    if not os.access(path, os.W_OK):
        raise _refused(path, "written", "it is write-protected")
    return stat.S_IMODE(mode)


def _check_regular(path: StrPath, mode: int, doing: str) -> None:
    if stat.S_ISDIR(mode):
        raise _refused(path, doing, "it is a folder")
    if not stat.S_ISREG(mode):
        raise _refused(path, doing, "it is not a file but a device or a pipe")


def _refused(path: StrPath, doing: str, reason: str, hint: str = "") -> StorageError:
    return StorageError(f"{shown(path, PATH_LENGTH)} cannot be {doing}: {reason}.", hint=hint)


@contextlib.contextmanager
def _explained(path: StrPath, doing: str, *, missing: str) -> Iterator[None]:
    """Return the words for an error code of the system."""
    try:
        yield
    except OSError as error:
        if not _concerns(path, error):
            raise
        if isinstance(error, FileNotFoundError):
            raise _refused(path, doing, missing, _similar(path)) from None
        reason = _REASONS.get(error.errno or 0) or f"{error.strerror or error}".lower()
        raise _refused(path, doing, reason) from error
    except ValueError as error:
        if "null" not in str(error):
            raise
        raise _refused(path, doing, "its name holds a NUL character") from None


def _concerns(path: StrPath, error: OSError) -> bool:
    """Return whether the error is about the file itself, not another that the caller uses."""
    name = error.filename
    return name in (None, os.fspath(path)) or TEMP_PREFIX in str(name)


def _similar(path: StrPath) -> str:
    """Suggest files of the folder whose names are close."""
    folder, name = os.path.split(os.fspath(path))
    with contextlib.suppress(OSError, ValueError), os.scandir(folder or ".") as entries:
        names = [entry.name for entry, _ in zip(entries, range(1000), strict=False)]
        stem, suffix = os.path.splitext(name[:PATH_LENGTH])
        # Compared without the suffix: it makes all names of a folder alike.
        stems = [n.removesuffix(suffix) for n in names if n.isprintable() and n.endswith(suffix)]
        close = closest(stem, stems)
        return f"Did you mean {' or '.join(quoted(n + suffix) for n in close)}?" if close else ""
    return ""


def _sync_folder(folder: str) -> None:
    """Make the new name of a file last; some systems and file systems cannot, or need not."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    with contextlib.suppress(PermissionError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOTSUP):
                raise
        finally:
            os.close(descriptor)


def _sweep(folder: str) -> None:
    """Remove files that a killed program left behind more than a day ago."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            ours = entry.name.startswith(TEMP_PREFIX) and entry.name.endswith(TEMP_SUFFIX)
            if ours and entry.stat().st_mtime < time.time() - STALE_SECONDS:
                os.unlink(entry.path)
