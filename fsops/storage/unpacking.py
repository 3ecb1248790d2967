"""Files that unfold: their content is compared with a bound before it takes memory.

A file of a few kilobytes can declare a table of many gigabytes. A reader that knows the size of
the content beforehand calls `require_for_file`. One that does not know it counts against
`file_allowance`, or reads a packed file through `BoundedStream`.
"""

from __future__ import annotations

import io
import os
from typing import BinaryIO

from fsops.errors import DataError, UsageError
from fsops.memory import available, parse_size, require, size_text

VARIABLE = "FSOPS_FILE_LIMIT"
"""Environment variable with the most memory that the content of one file may take."""
SMALL_CONTENT = 256 * 2**20
"""Bytes that the content of a file may take, however small the file is."""
RATIO = 200
"""A larger content may take this many times the size of the file."""
PEAK = 4
"""Memory that a table needs at the peak, as a multiple of the text it is read from."""

StrPath = str | os.PathLike[str]


def require_for_file(need: float, path: StrPath, advice: str = "") -> None:
    """Raise `DataError` with both numbers if the content of a file needs too much memory.

    Parameters
    ----------
    need : float
        Bytes at the peak, from the sizes that the file declares.
    path : path
        The file.
    advice : str
        A way to read less of it, as a sentence.
    """
    name = os.path.basename(os.fspath(path))
    require(need, f'"{name}"', advice or "Read fewer columns or rows.")
    limit, size = file_limit(), os.stat(path).st_size
    if limit is not None and need > limit:
        raise DataError(
            f'"{name}" needs {size_text(need)} of memory, but {size_text(limit)} are allowed for '
            "the content of a file.",
            hint=f"If you trust the file, raise the limit ({VARIABLE}).",
        )
    if limit is None and need > _content_limit(size):
        raise DataError(
            f'"{name}" has {size_text(size)}, but its content needs {size_text(need)} of memory, '
            f"more than {RATIO} times as much.",
            hint=f"If you trust the file, set {VARIABLE}={size_text(1.1 * need).replace(' ', '')}.",
        )


def file_allowance(path: StrPath) -> float:
    """Return the bytes that `require_for_file` allows, for a reader that counts."""
    limit, free = file_limit(), available()
    bound = _content_limit(os.stat(path).st_size) if limit is None else limit
    return bound if free is None else min(bound, free)


def file_limit() -> int | None:
    """Return the limit that the user has set, in bytes; None if there is none."""
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return None
    try:
        return parse_size(text)
    except UsageError as error:
        raise UsageError(f"{VARIABLE}: {error.message}") from None


def _content_limit(size: int) -> int:
    return max(SMALL_CONTENT, RATIO * size)


class BoundedStream(io.RawIOBase):
    """The bytes of a decompressor, up to the memory that the file may take.

    ``io.BufferedReader(BoundedStream(gzip.open(path), path))`` raises `DataError` once more has
    been unpacked than `require_for_file` allows. The size that a file declares is not believed.

    Parameters
    ----------
    unpacked : binary stream
        The decompressor, such as ``gzip.open(path)``. It is closed with this stream.
    path : path
        The file, whose size counts.
    peak : float
        Memory that the reader needs for each unpacked byte.
    """

    def __init__(self, unpacked: BinaryIO, path: StrPath, peak: float = PEAK) -> None:
        self._unpacked = unpacked
        self._path = path
        self._most = file_allowance(path) / peak
        self._count = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Fill the buffer; raise `DataError` beyond the bound."""
        data = self._unpacked.read(len(buffer))
        self._count += len(data)
        if self._count > self._most:
            raise DataError(
                f'"{os.path.basename(os.fspath(self._path))}" has '
                f"{size_text(os.stat(self._path).st_size)}, but unpacks to more than "
                f"{size_text(self._most)}, which it may take at most.",
                hint="If you trust the file, unpack it, and read the unpacked file.",
            )
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Close the decompressor too."""
        if not self.closed:
            self._unpacked.close()
        super().close()
