"""The reader of a run's events: in small portions, so that the window always answers."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from PyQt6.QtCore import QObject, QTimer, pyqtSignal

PORTION = 0.010
"""Seconds of reading after which the window handles events."""
LOOK_AFTER = 16
"""Lines read between two looks at the clock."""
LONGEST = 2**24
"""Bytes of a line; events are much shorter."""


class EventReader(QObject):
    """Takes bytes as they come, and hands over one event after the other.

    Parameters
    ----------
    take : callable
        Called with each event, a dict. An event for which it raises `KeyError`,
        `TypeError` or `ValueError` is skipped.
    """

    progressed = pyqtSignal()
    """Some events were handed over."""
    drained = pyqtSignal()
    """All events up to the end were passed on; emitted once, after `finish`."""

    def __init__(
        self, take: Callable[[dict[str, Any]], None], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._take = take
        self._parts: list[bytes] = []
        """Of the line that is not complete yet."""
        self._length = 0
        self._lines: deque[bytes] = deque()
        self._finished = False
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._read_portion)

    @property
    def waiting(self) -> int:
        """How many lines have come and are not read yet."""
        return len(self._lines)

    def feed(self, data: bytes) -> None:
        """Take bytes, which may end in the middle of a line."""
        begin, *more = data.split(b"\n")
        self._collect(begin)
        if more:
            self._end_line()
            self._lines.extend(line for line in more[:-1] if len(line) <= LONGEST)
            self._collect(more[-1])
        if self._lines and not self._timer.isActive():
            self._timer.start()

    def finish(self) -> None:
        """Know that nothing more will come."""
        self._finished = True
        self._end_line()
        if not self._timer.isActive():
            self._timer.start()

    def _collect(self, part: bytes) -> None:
        """Add to the line that is not complete; of one that is too long nothing is kept."""
        self._length += len(part)
        if self._length > LONGEST:
            self._parts.clear()
        elif part:
            self._parts.append(part)

    def _end_line(self) -> None:
        if self._parts:
            self._lines.append(b"".join(self._parts))
        self._parts.clear()
        self._length = 0

    def stop(self) -> None:
        """Forget unread events."""
        self._lines.clear()
        self._timer.stop()

    def _read_portion(self) -> None:
        end = time.perf_counter() + PORTION
        read = bool(self._lines)
        while self._lines:
            for _ in range(min(LOOK_AFTER, len(self._lines))):
                self._read(self._lines.popleft())
            if time.perf_counter() > end:
                break
        if read:
            self.progressed.emit()
        if self._lines:
            return
        self._timer.stop()
        if self._finished:
            self._finished = False
            self.drained.emit()

    def _read(self, line: bytes) -> None:
        try:
            event = json.loads(line)
            if isinstance(event, dict):
                self._take(event)
        except (ValueError, LookupError, TypeError, RecursionError):  # of other versions
            return
