"""Ctrl-C: the first asks the run to stop at the next step, the second stops at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def stoppable(announce: Callable[[], None]) -> Iterator[threading.Event]:
    """Return an event that Ctrl-C sets; a second Ctrl-C interrupts as usual."""
    cancel = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield cancel  # only the main thread hears signals
        return

    def stop(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        cancel.set()
        announce()

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield cancel
    finally:
        signal.signal(signal.SIGINT, before)
