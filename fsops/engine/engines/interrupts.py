"""Ctrl-C belongs to the run, not to the workers that it starts."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Let processes and threads that start here never get SIGINT; here it arrives afterwards.

    A terminal sends it to all processes of a run. A Python that is just starting would print a
    traceback. A blocked signal stays blocked in a new process.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # its start would let the signal through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
