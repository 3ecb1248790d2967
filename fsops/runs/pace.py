"""How long a loop may still take."""

from __future__ import annotations

FROM_CACHE = 200
"""An iteration that takes so many times longer than those before was the first not cached."""

WARM_UP = (3.0, 50.0)
"""A first iteration that takes so many times longer than the second one loaded and compiled code.

If it takes even longer, a pool has computed both at the same time.
"""


class LoopPace:
    """How fast a loop goes, over all of its iterations, also those of earlier times it ran.

    A single slow or fast iteration hardly moves the mean, and between two iterations the remaining
    time only runs down, so that the estimate is stable. The first iteration alone
    gives no estimate.
    """

    def __init__(self, now: float) -> None:
        self._began = self._last = now
        self._done = 0
        self._total: int | None = None
        self._iterations = 0
        self._seconds = 0.0
        self._singles: list[float] = []
        """Seconds of the first two iterations, if they were noted one by one."""

    def note(self, done: int, total: int | None, now: float) -> None:
        """Note how far the loop is; one that is back at its start runs once more."""
        if done == 0 or done < self._done:
            self._began = now
        else:
            self._count(done - self._done, now - self._last)
        self._done, self._total, self._last = done, total, now

    def _count(self, iterations: int, seconds: float) -> None:
        mean = self._seconds / self._iterations if self._iterations else 0.0
        if self._iterations and iterations and seconds / iterations > max(1.0, FROM_CACHE * mean):
            # Those before were not computed but found in a cache; no pool is so large.
            self._iterations, self._seconds, self._singles = 0, 0.0, [0.0, 0.0]
        self._iterations += iterations
        self._seconds += seconds
        if iterations == 1 and len(self._singles) == self._iterations - 1 < 2:
            self._singles.append(seconds)

    def _mean(self) -> float | None:
        """Return the seconds of an iteration; None if that is not known."""
        if not self._iterations or (self._iterations == 1 and len(self._singles) == 1):
            return None
        if len(self._singles) == 2:
            first, second = self._singles
            if WARM_UP[0] * second < first < WARM_UP[1] * second:
                return (self._seconds - first) / (self._iterations - 1)
        return self._seconds / self._iterations

    def elapsed(self, now: float) -> float:
        """Return for how long the loop has been running this time, or how long it took."""
        return (self._last if self._done == self._total else now) - self._began

    def remaining(self, now: float) -> float | None:
        """Return how long it may still take; None if that is not known."""
        mean = self._mean()
        if self._total is None or mean is None:
            return None
        left = self._total - self._done
        # An iteration that takes longer than usual does not make the others shorter.
        return max(mean * left - (now - self._last), mean * max(left - 1, 0))
