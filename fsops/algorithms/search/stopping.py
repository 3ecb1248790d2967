"""When a search, an elimination or a loop of rounds stops before its end."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field


class Stopped(Exception):  # noqa: N818 - not an error: the best result so far counts
    """Ends a search early."""


@dataclass
class Stopping:
    """Stops a search that no longer improves, or that has used up its time.

    Attributes
    ----------
    tolerance
        A round is an improvement if the best value rises by more than this; None for 0.
    patience
        Stop after so many rounds in a row without an improvement; None for 1 if there is a
        tolerance, else for never.
    max_seconds
        Stop when so much time has passed; None for never.
    clock
        Returns seconds; only their differences count.
    """

    tolerance: float | None = None
    patience: int | None = None
    max_seconds: float | None = None
    clock: Callable[[], float] = time.monotonic
    rounds: int = field(default=0, init=False)
    """Finished rounds."""
    by_clock: bool = field(default=False, init=False)
    """Whether the time is the reason to stop."""

    def __post_init__(self) -> None:
        self._to_beat = -math.inf
        self._idle = 0
        self._began = self.clock()

    @property
    def watches_rounds(self) -> bool:
        """Whether the values of rounds can end the search."""
        return self.tolerance is not None or self.patience is not None

    @property
    def is_on(self) -> bool:
        """Whether anything can end the search."""
        return self.watches_rounds or self.max_seconds is not None

    def finish_round(self, value: float) -> None:
        """Take in the value of a round: larger is better, an undefined one is the worst."""
        self.rounds += 1
        if value > self._to_beat + (self.tolerance or 0.0):
            self._to_beat, self._idle = value, 0
        else:
            self._idle += 1

    def is_late(self) -> bool:
        """Return whether the time is used up."""
        late = self.max_seconds is not None and self.clock() - self._began >= self.max_seconds
        self.by_clock = self.by_clock or late
        return late

    def check(self) -> None:
        """Raise `Stopped` if no further round should begin; the first one always may."""
        if self.rounds and (self._is_idle() or self.is_late()):
            raise Stopped

    def _is_idle(self) -> bool:
        return self.watches_rounds and self._idle >= (self.patience or 1)

    def reason(self) -> str:
        """Return why the search stopped, as a sentence."""
        number = f"{self.rounds} round{'s' * (self.rounds != 1)}"
        if self.by_clock:
            return f"Stopped by max_seconds={self.max_seconds:g} after {number}."
        gain = f" of more than {self.tolerance:g}" if self.tolerance else ""
        idle = f"{self._idle} round{'s' * (self._idle != 1)}"
        return f"Stopped after {number}: {idle} in a row without an improvement{gain}."
