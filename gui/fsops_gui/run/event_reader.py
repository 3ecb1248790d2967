"""The reader of a run's events: in small portions, so that the window always answers."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from PyQt6.QtCore import QObject, QTimer, pyqtSignal

PORTION = 0.010
"""Seconds of reading after which the window gets its turn."""
LOOK_AFTER = 16
"""Lines read between two looks at the clock."""


class EventReader(QObject):
    """Takes bytes as they come, and hands over one event after the other.

    Parameters
    ----------
    take : callable
        Called with each event, a dict. What it raises for an event it does not understand
        (`KeyError`, `TypeError`, `ValueError`) passes that one over.
    """

    progressed = pyqtSignal()
    """Some events were handed over."""
    drained = pyqtSignal()
    """All that came, up to the end, was handed over; told once, after `finish`."""

    def __init__(
        self, take: Callable[[dict[str, Any]], None], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._take = take
        self._rest = b""
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
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._lines.extend(lines)
        if self._lines and not self._timer.isActive():
            self._timer.start()

    def finish(self) -> None:
        """Know that nothing more will come."""
        self._finished = True
        if self._rest:
            self._lines.append(self._rest)
            self._rest = b""
        if not self._timer.isActive():
            self._timer.start()

    def stop(self) -> None:
        """Forget what is not read yet."""
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
        except (ValueError, KeyError, TypeError):  # not ours to mend, and of later versions
            return
