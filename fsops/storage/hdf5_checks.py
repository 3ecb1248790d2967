"""Looks into an HDF5 file before it is read: it may come from a stranger.

Such a file can name other files: by a link, or as the place of its values. They would be read
without leave of the user, so such a file is refused. A damaged file can also let the HDF5
library crash or never return, which Python cannot stop. So a child process looks at it first.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

from fsops.errors import DataError

CPU_SECONDS = 5
WALL_SECONDS = 120
"""A busy machine may let the child wait."""
MOST_OBJECTS = 100_000
SMALL = 10_000
"""Values of a dataset that the child reads."""


def check_in_child(path: Path) -> None:
    """Raise `DataError` if the HDF5 library does not survive a look at the file."""
    about = path.stat()
    problem = _looked(str(path), about.st_size, about.st_mtime_ns)
    if problem:
        raise DataError(
            f'"{path.name}" is damaged: the HDF5 library {problem}.',
            hint="Copy or download the file again.",
        )


@lru_cache(maxsize=64)
def _looked(path: str, _size: int, _time: int) -> str:
    command = [sys.executable, "-m", "fsops.storage.hdf5_checks", path]
    try:
        code = subprocess.run(  # noqa: S603 - Python itself
            command, capture_output=True, timeout=WALL_SECONDS, check=False
        ).returncode
    except subprocess.TimeoutExpired:
        return "did not come to an end"
    return "crashes or does not come to an end" if code < 0 else ""


def check_content(content: Any, name: str) -> None:
    """Raise `DataError` if a file uses other files, or has too many objects."""
    import h5py
    from h5py import h5l

    found: list[bytes] = []

    def look(link: bytes, info: Any) -> bool | None:
        found.append(link)
        is_own = info.type in (h5l.TYPE_HARD, h5l.TYPE_SOFT)
        return None if is_own and len(found) <= MOST_OBJECTS else True

    if content.id.links.visit(look, info=True):
        if len(found) > MOST_OBJECTS:
            raise DataError(f'"{name}" has more than {MOST_OBJECTS:,} parts.')
        raise _uses_others(name, found[-1].decode(errors="replace"))

    def look_at(part: str, item: Any) -> str | None:
        is_set = isinstance(item, h5py.Dataset)
        return part if is_set and (item.external or item.is_virtual) else None

    elsewhere = content.visititems(look_at)
    if elsewhere is not None:
        raise _uses_others(name, str(elsewhere))


def _uses_others(name: str, part: str) -> DataError:
    return DataError(
        f'"{name}" takes "{part}" from another file, which is not allowed.',
        hint="Save the table with all its values in one file.",
    )


def _look(path: str) -> None:
    """In the child: do the quick steps of the reader."""
    import h5py

    with contextlib.suppress(ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    with h5py.File(path, "r") as content:
        check_content(content, path)

        def read(_name: str, item: Any) -> None:
            dict(item.attrs)
            if isinstance(item, h5py.Dataset) and item.size is not None and item.size <= SMALL:
                _ = item[()]

        dict(content.attrs)
        content.visititems(read)


if __name__ == "__main__":
    # An exception is no reason to refuse the file: the reader meets it, too, and reports it.
    with contextlib.suppress(Exception):
        _look(sys.argv[1])
