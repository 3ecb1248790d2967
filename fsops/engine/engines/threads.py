"""Turns in threads of this process: nothing is copied, but only numpy works side by side."""

from __future__ import annotations

import contextvars
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from fsops.core.frame.engine import Turn, TurnResult, Work
from fsops.engine.blas import one_thread_here
from fsops.engine.engines.pool import AHEAD, Check, Done, Handout


class ThreadEngine:
    """Runs turns in a pool of threads."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._pool = ThreadPoolExecutor(jobs, "fsops", one_thread_here)

    @property
    def workers(self) -> int:
        """Number of turns that run at the same time."""
        return self._jobs

    def run(self, work: Work, turns: Sequence[Turn], done: Done, check: Check) -> None:
        """Run all turns; threads that are busy when the run stops end with their turn."""

        def run_one(context: contextvars.Context, turn: Turn) -> TurnResult:
            check()
            return context.run(work, turn)

        def submit(portion: Sequence[Turn]) -> Future[TurnResult]:
            # A copy each: two threads cannot enter the same context at the same time.
            return self._pool.submit(run_one, contextvars.copy_context(), portion[0])

        def note(portion: Sequence[Turn], result: TurnResult) -> int | None:
            done(portion[0], result)
            return None if result.error is None else portion[0].number

        handout = Handout(turns, submit, AHEAD * self._jobs)
        try:
            handout.gather(note, check)
        finally:
            handout.cancel()

    def close(self) -> None:
        """Start no further turn."""
        self._pool.shutdown(wait=False, cancel_futures=True)
