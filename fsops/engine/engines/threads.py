"""Iterations in threads of this process: nothing is copied, but only numpy runs in parallel."""

from __future__ import annotations

import contextvars
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from fsops.core.frame.engine import Iteration, IterationResult, Work
from fsops.engine.blas import one_thread_here
from fsops.engine.engines.pool import AHEAD, Check, Done, Handout


class ThreadEngine:
    """Runs iterations in a pool of threads."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._pool = ThreadPoolExecutor(jobs, "fsops", one_thread_here)

    @property
    def workers(self) -> int:
        """Number of iterations that run at the same time."""
        return self._jobs

    def run(self, work: Work, iterations: Sequence[Iteration], done: Done, check: Check) -> None:
        """Run all iterations; busy threads finish theirs when the run stops."""

        def run_one(context: contextvars.Context, iteration: Iteration) -> IterationResult:
            check()
            return context.run(work, iteration)

        def submit(portion: Sequence[Iteration]) -> Future[IterationResult]:
            # A copy each: two threads cannot enter the same context at the same time.
            return self._pool.submit(run_one, contextvars.copy_context(), portion[0])

        def note(portion: Sequence[Iteration], result: IterationResult) -> int | None:
            done(portion[0], result)
            return None if result.error is None else portion[0].number

        handout = Handout(iterations, submit, AHEAD * self._jobs)
        try:
            handout.gather(note, check)
        finally:
            handout.cancel()

    def close(self) -> None:
        """Start no further iteration."""
        self._pool.shutdown(wait=False, cancel_futures=True)
