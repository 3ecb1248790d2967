"""What engines with a pool of workers share: hand out turns, gather results."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any

from fsops.core.engine import Turn, TurnResult

Done = Callable[[Turn, TurnResult], None]
Check = Callable[[], None]

PATIENCE = 0.1  # seconds between two looks at whether the run is to stop
AHEAD = 4  # turns handed out per worker: enough to keep all busy, few enough to take back


class Handout:
    """Turns on their way: in the queue, or with a worker.

    Parameters
    ----------
    turns
        What is to be done, in order.
    submit
        Gives a turn to the workers.
    window
        How many turns may be with workers at a time.
    """

    def __init__(
        self, turns: Iterable[Turn], submit: Callable[[Turn], Future[Any]], window: int
    ) -> None:
        self._queue = deque(turns)
        self._submit = submit
        self._window = window
        self.waiting: dict[Future[Any], Turn] = {}

    def gather(self, done: Callable[[Turn, Any], bool], check: Check) -> None:
        """Give out turns and take their answers until there are none left.

        ``done`` tells whether the turn failed: then only those before it are waited for, as
        without workers. Raises whatever keeps a worker from giving an answer.
        """
        while self._queue or self.waiting:
            check()
            while self._queue and len(self.waiting) < self._window:
                turn = self._queue.popleft()
                self.waiting[self._submit(turn)] = turn
            ready, _ = wait(self.waiting, timeout=PATIENCE, return_when=FIRST_COMPLETED)
            for future in sorted(ready, key=lambda ended: self.waiting[ended].number):
                if future in self.waiting:  # not dropped, because one before it has failed
                    answer = future.result()
                    turn = self.waiting.pop(future)
                    if done(turn, answer):
                        self._drop(after=turn.number)

    def _drop(self, after: int) -> None:
        self._queue.clear()
        for future, turn in list(self.waiting.items()):
            if turn.number > after:
                future.cancel()
                del self.waiting[future]

    def cancel(self) -> None:
        """Take back what no worker has begun with."""
        for future in self.waiting:
            future.cancel()
