"""Peak memory of the process while an operator runs."""

from __future__ import annotations

import contextlib
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


# The kernel counts pages in batches, so a lowered mark may differ a little from the use.
_SLACK = 4 * 2**20


@dataclass
class _Span:
    """A stretch of time: the mark it began with, and the highest one known to lie within."""

    began: int = 0
    is_lowered: bool = False
    peak: int = 0

    def begin(self) -> None:
        """Lower the mark if that is allowed, and remember its value."""
        with contextlib.suppress(OSError):
            _CLEAR.write_text("5", encoding="ascii")
        self.began, used = _marks()
        self.is_lowered = self.began <= used + _SLACK

    def note(self) -> None:
        """Count the mark if it was reached within this span."""
        mark, _ = _marks()
        if self.is_lowered or mark > self.began:
            self.peak = max(self.peak, mark)


class PeakMemory:
    """Measures peaks that nest: an inner operator's peak counts for the outer one too.

    The system keeps one high-water mark per process. Linux lets us lower it to the present use,
    which costs microseconds. Where that is not allowed (other systems, some containers), a peak
    is known only if it is the highest so far; otherwise it is reported as unknown.
    """

    def __init__(self) -> None:
        self._open: list[_Span] = []
        self._thread = threading.get_ident()

    def __reduce__(self) -> tuple[type[PeakMemory], tuple[()]]:
        """Another process has separate memory."""
        return PeakMemory, ()

    def start(self) -> None:
        """Begin to measure; threads side by side share one mark, which says nothing of each."""
        if threading.get_ident() != self._thread:
            return
        if self._open:
            self._open[-1].note()
        span = _Span()
        span.begin()
        self._open.append(span)

    def stop(self) -> int | None:
        """Return the peak in bytes since the matching `start`; None where it cannot be known."""
        if threading.get_ident() != self._thread:
            return None
        ended = self._open.pop()
        ended.note()
        if self._open:
            outer = self._open[-1]
            outer.peak = max(outer.peak, ended.peak)
            outer.begin()
        return ended.peak or None


def _marks() -> tuple[int, int]:
    """Return the highest memory use since the mark was last lowered, and the use now, in bytes."""
    try:
        status = _STATUS.read_bytes()
    except OSError:
        status = b""
    return _bytes_after(b"VmHWM:", status) or _since_start(), _bytes_after(b"VmRSS:", status)


def _bytes_after(field: bytes, status: bytes) -> int:
    try:
        return int(status.partition(field)[2].split(maxsplit=1)[0]) * 1024
    except (ValueError, IndexError):
        return 0


def _since_start() -> int:
    try:
        import resource
    except ImportError:
        return 0
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used if sys.platform == "darwin" else used * 1024
