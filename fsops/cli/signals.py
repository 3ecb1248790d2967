"""Signals that end a command outside of a run; `fsops.cli.interrupt` has those of a run.

Python raises KeyboardInterrupt between any two instructions. While modules load, that becomes a
traceback or another error; while a first interrupt is reported, a second one becomes a traceback.
So a signal

- ends the process at once before the work begins: there is nothing to clean up yet;
- raises KeyboardInterrupt during the work, but only once;
- does nothing for a moment while the end is reported, and then ends the process at once.

Nothing heavy is imported here: this comes before all other modules of a command.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterable
from types import FrameType

from fsops.cli.parent_line import report

MOMENT = 1.0
"""Seconds after an interrupt, or after the end of the work, in which signals do nothing."""
STOPPED = b"Stopped: The command was interrupted.\n"


class Interruption:
    """Raises KeyboardInterrupt, but not again within a moment: cleaning up needs its time."""

    def __init__(self) -> None:
        self.at: float | None = None
        """When it was raised."""

    @property
    def is_recent(self) -> bool:
        """Whether it was raised a moment ago."""
        return self.at is not None and time.monotonic() - self.at < MOMENT

    def raise_error(self) -> None:
        """Raise KeyboardInterrupt."""
        if not self.is_recent:
            self.at = time.monotonic()
            raise KeyboardInterrupt


class Signals:
    """How far a command is, and the effect that a signal has there."""

    def __init__(self) -> None:
        self._is_working = False
        self._interruption = Interruption()
        self._end: tuple[int, float] | None = None
        """The exit code, and when the work ended."""

    @property
    def has_interrupted(self) -> bool:
        """Whether the work was interrupted, whatever error Python made of it."""
        return self._interruption.at is not None

    def take(self, numbers: Iterable[int]) -> None:
        """Handle these signals from now on, without those that are ignored."""
        for number in numbers:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self.handle)

    def begin_work(self) -> None:
        """Note that there is something to clean up from now on."""
        self._is_working = True

    def end_work(self, code: int) -> int:
        """Note that nothing is left to interrupt; return the exit code."""
        self._end = code, time.monotonic()
        return code

    def handle(self, number: int, _frame: FrameType | None) -> None:
        """End the command."""
        report(f"stopping {number}")
        if self._end is not None:
            code, when = self._end
            if time.monotonic() - when >= MOMENT:
                os._exit(code)
        elif self._is_working and not self.has_interrupted:
            self._interruption.raise_error()
        elif not self._interruption.is_recent:
            with contextlib.suppress(OSError):  # the messages are closed
                os.write(2, STOPPED)
            os._exit(128 + number)


SIGNALS = Signals()
"""Those of this process."""
