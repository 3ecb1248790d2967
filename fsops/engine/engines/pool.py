"""What engines with a pool of workers share: hand out turns, gather results, try again."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait

from fsops.core.engine import Turn, TurnResult

Done = Callable[[Turn, TurnResult], None]
Check = Callable[[], None]
Waiting = dict["Future[TurnResult]", Turn]

PATIENCE = 0.1  # seconds between two looks at whether the run is to stop


def gather(waiting: Waiting, done: Done, check: Check) -> None:
    """Wait for all; once a turn has failed, only for those before it, as without workers.

    Raises whatever keeps a worker from giving an answer.
    """
    while waiting:
        check()
        ready, _ = wait(waiting, timeout=PATIENCE, return_when=FIRST_COMPLETED)
        for future in sorted(ready, key=lambda ended: waiting[ended].number):
            if future not in waiting:  # dropped, because one before it has failed
                continue
            result = future.result()
            turn = waiting.pop(future)
            done(turn, result)
            if result.error is not None:
                _drop(waiting, after=turn.number)


def _drop(waiting: Waiting, after: int) -> None:
    for future, turn in list(waiting.items()):
        if turn.number > after:
            future.cancel()
            del waiting[future]
