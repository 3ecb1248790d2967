"""Folders of runs in shared memory or among temporary files, and those that killed runs left."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

PREFIX = "fsops-run-"
SHARED = Path("/dev/shm")  # noqa: S108 # nosec B108


def make_folder(where: Path | None = None) -> Path:
    """Return a new folder of this process; those of processes that are gone are removed."""
    sweep(where or Path(tempfile.gettempdir()))
    return Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=where))


def sweep(folder: Path) -> None:
    """Remove the folders of processes that are gone."""
    for left in folder.glob(f"{PREFIX}*"):
        pid = left.name.removeprefix(PREFIX).partition("-")[0]
        if pid.isdecimal() and not _is_alive(int(pid)):
            shutil.rmtree(left, ignore_errors=True)


def remove_folders(pid: int, *places: Path) -> None:
    """Remove the folders of one process, which has ended; by default in all places."""
    for place in places or (SHARED, Path(tempfile.gettempdir())):
        for left in place.glob(f"{PREFIX}{pid}-*"):
            shutil.rmtree(left, ignore_errors=True)


def _is_alive(pid: int) -> bool:
    if sys.platform == "win32":  # where the signal 0 is Ctrl-C
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
