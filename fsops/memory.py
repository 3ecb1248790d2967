"""Memory: amounts as people write them, how much is available, and a check before a large request.

Linux grants memory that it does not have, and ends the process when the memory is used. So an
operation whose need is known beforehand asks here first, and the user gets a sentence instead.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from fsops.errors import DataError, UsageError

VARIABLE = "FSOPS_MEMORY"
"""Environment variable with the amount of memory to count on, such as ``32GB``."""
SMALL = 64 * 2**20
"""A request below this many bytes is not compared with anything: the comparison takes 0.1 ms."""

UNITS = {"": 1, "b": 1}
UNITS |= {f"{letter}b": 1000**power for power, letter in enumerate("kmgt", start=1)}
UNITS |= {f"{letter}ib": 1024**power for power, letter in enumerate("kmgt", start=1)}
UNITS |= {letter: 1000**power for power, letter in enumerate("kmgt", start=1)}
LEAST = 1_000_000

_MEMINFO = Path("/proc/meminfo")
_STATUS = Path("/proc/self/status")
_GROUPS = Path("/proc/self/cgroup")
_MOUNT = Path("/sys/fs/cgroup")
# Files of a control group: the limit, the use, and the part of it that the kernel can take back.
_V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
_V2 = ("memory.max", "memory.current", "inactive_file")


def parse_size(text: str) -> int:
    """Return the number of bytes: ``1GB``, ``1.5 GiB``, ``800000000``."""
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*", text)
    unit = UNITS.get(found[2].lower()) if found else None
    if found is None or unit is None:
        raise UsageError(f'"{text}" is not an amount of memory; write 500MB, 1GB or 2GiB.')
    size = int(float(found[1]) * unit)
    if size < LEAST:
        raise UsageError(f'"{text}" is too little memory to work with; give 1MB or more.')
    return size


def size_text(size: float) -> str:
    """Return a number of bytes as people say it: ``1.5 GB``."""
    power = next((power for power in range(4) if size < 999.5 * 1000**power), 4)
    return f"{size / 1000**power:.3g} {('bytes', 'kB', 'MB', 'GB', 'TB')[power]}"


def require(needed: float, purpose: str, advice: str) -> None:
    """Raise `DataError` if an operation needs more memory than there is.

    Parameters
    ----------
    needed : float
        Bytes that the operation takes in addition to those in use.
    purpose : str
        The subject of the message: ``"The kernel matrix of 90,000 rows"``.
    advice : str
        What to do, as a sentence.
    """
    if needed < SMALL:
        return
    free = available()
    if free is not None and needed > free:
        raise DataError(
            f"{purpose} needs {size_text(needed)} of memory, but {size_text(free)} are available.",
            hint=advice,
        )


def require_pairs(rows: int, others: int, purpose: str, copies: int = 3) -> None:
    """Raise `DataError` if a matrix with a number for every pair of rows does not fit.

    Parameters
    ----------
    rows, others : int
        Lines and columns of the matrix.
    purpose : str
        As in `require`, without the size: ``"The kernel matrix"``.
    copies : int
        How many such matrices exist at the same time while it is computed.
    """
    require(
        8.0 * copies * rows * others,
        f"{purpose} of {rows:,} × {others:,} rows",
        "Use fewer rows (Sample), or a method without distances or kernels between all rows.",
    )


def available() -> int | None:
    """Return how many bytes this process can take; None where the system does not report it.

    The smallest of: the memory of the machine that is free or can be freed, the limits of the
    control groups (containers, batch systems), and the limit of the address space (``ulimit -v``).
    """
    given = os.environ.get(VARIABLE)
    if given:
        return parse_size(given)
    found = [*_machine(), *_groups(), *_address_space()]
    return max(0, min(found)) if found else None


def _machine() -> Iterator[int]:
    free = _after("MemAvailable:", _text(_MEMINFO))
    if free is not None:
        yield free * 1024
        return
    with contextlib.suppress(Exception):  # other systems: psutil if another package brought it
        import psutil  # type: ignore[import-untyped, unused-ignore]

        yield int(psutil.virtual_memory().available)


def _groups() -> Iterator[int]:
    """Return the memory left by the limits of this control group and those around it."""
    for line in _text(_GROUPS).splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if not controllers:
            # Beside groups of version 1, those of version 2 have a mount of their own.
            for mount in (_MOUNT, _MOUNT / "unified"):
                yield from _left_in(mount, path, _V2)
        elif "memory" in controllers.split(","):
            yield from _left_in(_MOUNT / "memory", path, _V1)


def _left_in(mount: Path, path: str, names: tuple[str, str, str]) -> Iterator[int]:
    limit_file, use_file, freeable = names
    # In a container the path is often that of the host, and the group is at the mount itself.
    group = mount / path.strip("/")
    for folder in (group, *group.parents):
        limit, use = _text(folder / limit_file).strip(), _text(folder / use_file).strip()
        if limit.isdecimal() and use.isdecimal():
            yield int(limit) - int(use) + (_after(freeable, _text(folder / "memory.stat")) or 0)
        if folder == mount:
            return


def _address_space() -> Iterator[int]:
    try:
        import resource
    except ImportError:  # Windows
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    used = _after("VmSize:", _text(_STATUS))
    if limit != resource.RLIM_INFINITY and used is not None:
        yield limit - used * 1024


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


def _after(word: str, text: str) -> int | None:
    """Return the number after a word at the beginning of a line."""
    for line in text.splitlines():
        if line.startswith(word):
            with contextlib.suppress(IndexError, ValueError):
                return int(line.removeprefix(word).split()[0])
    return None
