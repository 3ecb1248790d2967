"""How long a loop may still take."""

from __future__ import annotations

FROM_CACHE = 200
"""An iteration that takes so many times longer than those before was the first not cached."""


class LoopPace:
    """How fast a loop goes, over all of its iterations, also those of earlier times it ran.

    A single slow or fast iteration hardly moves the mean, and between two iterations the remaining
    time only runs down, so that the estimate is stable.
    """

    def __init__(self, now: float) -> None:
        self._began = self._last = now
        self._done = 0
        self._total: int | None = None
        self._iterations = 0
        self._seconds = 0.0

    def note(self, done: int, total: int | None, now: float) -> None:
        """Note how far the loop is; one that is back at its start runs once more."""
        if done == 0 or done < self._done:
            self._began = now
        else:
            self._count(done - self._done, now - self._last)
        self._done, self._total, self._last = done, total, now

    def _count(self, iterations: int, seconds: float) -> None:
        mean = self._seconds / self._iterations if self._iterations else 0.0
        if iterations and seconds / iterations > max(1.0, FROM_CACHE * mean):
            # Those before were not computed but found in a cache; no pool is so large.
            self._iterations, self._seconds = 0, 0.0
        self._iterations += iterations
        self._seconds += seconds

    def elapsed(self, now: float) -> float:
        """Return for how long the loop has been running this time, or how long it took."""
        return (self._last if self._done == self._total else now) - self._began

    def remaining(self, now: float) -> float | None:
        """Return how long it may still take; None if that is not known."""
        if self._total is None or not self._iterations:
            return None
        mean = self._seconds / self._iterations
        left = self._total - self._done
        # An iteration that takes longer than usual does not make the others shorter.
        return max(mean * left - (now - self._last), mean * max(left - 1, 0))
