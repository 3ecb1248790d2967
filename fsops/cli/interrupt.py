"""Ctrl-C: the run stops at the next step, and if that takes too long, at once."""

from __future__ import annotations

import _thread
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

PATIENCE = 1.0  # seconds


@contextmanager
def stoppable(announce: Callable[[], None]) -> Iterator[threading.Event]:
    """Return an event that Ctrl-C sets; a second one, or a second later, interrupts as usual."""
    cancel = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield cancel  # only the main thread hears signals
        return

    def stop(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        cancel.set()
        impatient.start()
        announce()

    # An operator that looks at the event too rarely is interrupted between two lines of Python.
    impatient = threading.Timer(PATIENCE, _thread.interrupt_main)
    impatient.daemon = True
    before = signal.signal(signal.SIGINT, stop)
    try:
        yield cancel
    finally:
        impatient.cancel()
        signal.signal(signal.SIGINT, before)
