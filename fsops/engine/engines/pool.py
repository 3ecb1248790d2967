"""The common part of engines with workers: distribute iterations, collect results."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any

from fsops.core.frame.engine import Iteration, IterationResult

Done = Callable[[Iteration, IterationResult], None]
Check = Callable[[], None]

PATIENCE = 0.1  # seconds between two looks at whether the run should stop
AHEAD = 4  # iterations handed out per worker: enough to keep all busy, few enough to take back


class Handout:
    """Iterations on their way: in the queue, or with a worker.

    Parameters
    ----------
    iterations
        The iterations, in order.
    submit
        Gives some iterations to a worker.
    window
        How many such portions may be with workers at a time.
    size
        From the number of remaining iterations to the number sent at a time; one by default.
    """

    def __init__(
        self,
        iterations: Iterable[Iteration],
        submit: Callable[[Sequence[Iteration]], Future[Any]],
        window: int,
        size: Callable[[int], int] = lambda left: 1,
    ) -> None:
        self._queue = deque(iterations)
        self._submit = submit
        self._window = window
        self._size = size
        self.waiting: dict[Future[Any], Sequence[Iteration]] = {}

    def gather(self, done: Callable[[Sequence[Iteration], Any], int | None], check: Check) -> None:
        """Send iterations and receive their answers until none is left.

        ``done`` returns the number of a failed iteration: then only those before it are awaited,
        as without workers. Raises whatever keeps a worker from giving an answer.
        """
        while self._queue or self.waiting:
            check()
            while self._queue and len(self.waiting) < self._window:
                size = min(self._size(len(self._queue)), len(self._queue))
                portion = [self._queue.popleft() for _ in range(size)]
                self.waiting[self._submit(portion)] = portion
            ready, _ = wait(self.waiting, timeout=PATIENCE, return_when=FIRST_COMPLETED)
            # In order, so that the first error is the same as in a serial run.
            for future in sorted(ready, key=lambda ended: self.waiting[ended][0].number):
                if future in self.waiting:  # not dropped, because one before it has failed
                    answer = future.result()
                    failed = done(self.waiting.pop(future), answer)
                    if failed is not None:
                        self._drop(after=failed)

    def _drop(self, after: int) -> None:
        self._queue.clear()
        for future, portion in list(self.waiting.items()):
            if portion[0].number > after:
                future.cancel()
                del self.waiting[future]

    def cancel(self) -> None:
        """Take back what no worker has begun with."""
        for future in self.waiting:
            future.cancel()
