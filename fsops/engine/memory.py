"""Peak memory of the process while an operator runs."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


class PeakMemory:
    """Measures peaks that nest: an inner operator's peak counts for the outer one too.

    Linux keeps one high-water mark per process and lets us reset it, which costs microseconds;
    elsewhere the peak since the start of the process is all there is.
    """

    def __init__(self) -> None:
        self._open: list[int] = []

    def start(self) -> None:
        """Begin to measure."""
        self._note_peak()
        self._open.append(0)

    def stop(self) -> int | None:
        """Return the peak in bytes since the matching `start`; None where it cannot be known."""
        self._note_peak()
        peak = self._open.pop()
        if self._open:
            self._open[-1] = max(self._open[-1], peak)
        return peak or None

    def _note_peak(self) -> None:
        peak = _high_water_mark()
        if self._open:
            self._open[-1] = max(self._open[-1], peak)


def _high_water_mark() -> int:
    """Return the highest memory use since the last call, and start anew."""
    try:
        status = _STATUS.read_text()
        peak = int(status.partition("VmHWM:")[2].split(maxsplit=1)[0]) * 1024
    except (OSError, ValueError, IndexError):
        return _since_start()
    with contextlib.suppress(OSError):  # where it is forbidden, the peak is that since the start
        _CLEAR.write_text("5")
    return peak


def _since_start() -> int:
    try:
        import resource
    except ImportError:
        return 0
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used if sys.platform == "darwin" else used * 1024
