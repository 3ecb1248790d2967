"""Garbage collection in the thread of the window only.

Python looks for unused cycles of objects in any thread that makes objects. If a thread in the
background destroys an object of Qt, a signal on its way to that object ends the program.
"""

from __future__ import annotations

import gc

from PyQt6.QtCore import QObject, QTimer

INTERVAL = 100
"""Milliseconds between two looks; the automatic collection is off."""


class Collector(QObject):
    """Collects garbage in its own thread, by the thresholds of Python, until it is closed."""

    def __init__(self) -> None:
        super().__init__()
        self._automatic = gc.isenabled()
        gc.disable()
        self._timer = QTimer(self)
        self._timer.timeout.connect(collect_some)
        self._timer.start(INTERVAL)

    def close(self) -> None:
        """Leave the collection to Python again, if it was so before."""
        self._timer.stop()
        if self._automatic:
            gc.enable()


def collect_some() -> None:
    """Collect the oldest generation that has reached its threshold, as Python does."""
    pairs = zip(gc.get_count(), gc.get_threshold(), strict=False)
    due = [generation for generation, (count, limit) in enumerate(pairs) if 0 < limit < count]
    if due:
        gc.collect(max(due))
