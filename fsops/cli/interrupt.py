"""Stopping a run: Ctrl-C, SIGTERM, SIGHUP and ``--timeout``.

The run stops between two steps. If a step takes longer than a moment, it is interrupted between two
lines of Python. An operator that does not come back even then is ended by `fsops.cli.supervision`.
"""

from __future__ import annotations

import _thread
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from fsops.cli.parent_line import report
from fsops.cli.signals import Interruption
from fsops.errors import Cancelled, TimedOut
from fsops.runs.execution import StopRequest

PATIENCE = 0.3
"""Seconds for a step to end before it is interrupted."""
NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP


class Stop(StopRequest):
    """A request to stop: by a signal, or because the time is over."""

    def __init__(self, timeout: float | None) -> None:
        super().__init__()
        self.signal: int | None = None
        self.is_overdue = False
        self._interruption = Interruption()
        self._timeout = timeout
        self._timers: list[threading.Timer] = []
        if timeout is not None:
            self._interrupt_after(timeout + PATIENCE, overdue=True)

    def _interrupt_after(self, seconds: float, *, overdue: bool = False) -> None:
        def interrupt() -> None:
            self.is_overdue = self.is_overdue or overdue
            _interrupt_main()

        timer = threading.Timer(seconds, interrupt)
        timer.daemon = True
        self._timers.append(timer)
        timer.start()

    @property
    def has_interrupted(self) -> bool:
        """Whether a step was interrupted."""
        return self._interruption.at is not None

    def interrupt(self) -> None:
        """Interrupt the step that is running, by an error."""
        self._interruption.raise_error()

    def requested_by(self, number: int) -> None:
        """Stop because of a signal; after a moment the step that is running is interrupted."""
        self.signal = number
        self.set()
        self._interrupt_after(PATIENCE)

    def work_ended(self) -> None:
        """Interrupt nothing any more: cleaning up needs its time."""
        for timer in self._timers:
            timer.cancel()
        report("ended")

    def error(self) -> Cancelled | None:
        """Return the error of an interrupted run; None if this did not interrupt it."""
        if self.signal is not None:
            return stopped_by(self.signal)
        if self.is_overdue:
            return TimedOut(f"The run was stopped after {self._timeout:g} seconds.")
        return None


def stopped_by(number: int) -> Cancelled:
    """Return the error of a run that a signal has stopped, with the usual exit code."""
    ctrl_c = number == signal.SIGINT
    name = "" if ctrl_c else f" by {signal.Signals(number).name}"
    error = Cancelled(f"The run was stopped{name}.")
    error.exit_code = 128 + number
    return error


def _interrupt_main() -> None:
    """Let the main thread meet SIGINT, also where it waits in a system call."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()


@contextmanager
def stoppable(announce: Callable[[], None], timeout: float | None = None) -> Iterator[Stop]:
    """Return a request that signals and the time limit set; a second signal stops at once."""
    if threading.current_thread() is not threading.main_thread():
        yield Stop(None)  # only the main thread gets signals
        return
    stop = Stop(timeout)

    def handle(number: int, frame: FrameType | None) -> None:
        if stop.is_set() or stop.is_overdue:
            stop.interrupt()
            return
        report(f"stopping {number}")
        stop.requested_by(number)
        announce()

    before = {number: signal.signal(number, handle) for number in _signals()}
    report("running")
    try:
        yield stop
    finally:
        stop.work_ended()
        for number, handler in before.items():
            signal.signal(number, handler)


def _signals() -> list[int]:
    """Return the signals that stop a run, without those that were ignored from the start."""
    numbers = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
    # nohup lets SIGHUP be ignored. SIGINT counts also where a script ignores it in the background.
    hup = getattr(signal, "SIGHUP", None)
    return [n for n in numbers if n != hup or signal.getsignal(n) is not signal.SIG_IGN]
