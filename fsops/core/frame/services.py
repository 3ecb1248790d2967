"""Services of a run for its operators: events, cancellation, and loops on any engine."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from fsops.core.frame.events import Event, Finished, Listener, Logged, Progressed, Started
from fsops.core.frame.frame import (
    Frame,
    current,
    current_position,
    current_state,
)
from fsops.core.frame.state import Changes
from fsops.errors import OperatorWarning, PortError

if TYPE_CHECKING:
    from fsops.core.frame.context import Context
    from fsops.core.frame.engine import Engine, Iteration, IterationResult, Store
    from fsops.core.frame.loops import LoopWork
    from fsops.core.graph.process import Process

WARNING = "warning"
BUSY = 0.9  # fraction of the workers that a loop must keep busy
LONG_LOOP = 0.1  # seconds from which on the engine gains more from a loop than it costs

Item = TypeVar("Item")
Value = TypeVar("Value")


class Services:
    """Services of a run for its operators; these defaults serve a call from plain Python.

    Parameters
    ----------
    listener : callable, optional
        Called with every event. Without one, warnings are Python warnings.
    engine : Engine, optional
        Runs the iterations of loops; without one they run here, one after the other. Loops inside
        of iterations that it runs always do, so that there are never more workers than asked for.
        If a loop is too short to keep all workers busy, its iterations run here instead, and the
        loops inside of them on the engine.
    store : Store, optional
        Caches the results of single iterations.
    """

    memory_limit: int | None = None
    """Bytes of memory for tables that are read in blocks; None for no limit."""
    writable: Sequence[Path] | None = None
    """Folders in which operators may write files; None for anywhere."""
    readable: Sequence[Path] | None = None
    """Files and folders that operators may read; None for all."""

    def __init__(
        self,
        listener: Listener | None = None,
        engine: Engine | None = None,
        store: Store | None = None,
    ) -> None:
        self._listener = listener
        self.engine = engine
        self.store = store
        self._loops_on_engine: list[int] = []
        """Numbers of iterations of the loops that the engine has run."""

    def emit(self, event: Event) -> None:
        """Report an event: to the listener, or in a worker to the list that travels back."""
        frame = current()
        if frame is not None and isinstance(event, Logged):
            for record in frame.records:
                record.append(event)
        if frame is None or frame.sink is None:
            self._report(event)
        elif not isinstance(event, Progressed):  # stale when the iteration is done
            frame.sink.append(event)

    def started(self, path: tuple[str, ...]) -> None:
        """Report that an operator starts."""
        self.emit(Started(path))

    def finished(
        self, path: tuple[str, ...], seconds: float, peak_memory: int | None, *, cached: bool
    ) -> None:
        """Report that an operator is done."""
        self.emit(Finished(path, seconds, peak_memory, cached))

    def _report(self, event: Event) -> None:
        if self._listener is not None:
            self._listener(event)
        elif isinstance(event, Logged) and event.name == WARNING:
            # Without a run around it, Python's own way must reach the user.
            warnings.warn(str(event.value), OperatorWarning, stacklevel=2)

    def check_cancelled(self) -> None:
        """Raise ``Cancelled`` if the run should stop."""

    def one_thread(self) -> AbstractContextManager[None]:
        """Return a block in which linear algebra gives the same bits as inside of loops."""
        return nullcontext()

    def run_process(
        self, process: Process, inputs: Mapping[str, Any], frame: Frame
    ) -> Mapping[str, Any]:
        """Run another process in a frame and return its results by port; only runs can."""
        raise PortError(
            "Another process can be executed only inside of a run.",
            hint="Put the operator into a process, and run that: fsops.run(process).",
        )

    def caches_iterations(self, frame: Frame) -> bool:
        """Return whether the iterations of the operator's loop may come from the store."""
        return True

    def has_loops_inside(self, frame: Frame) -> bool:
        """Return whether the iterations of the operator's loop are known to have loops inside."""
        return False

    def map(
        self,
        function: Callable[[Item], Value],
        items: Sequence[Item],
        context: Context,
        label: str,
        paired: bool,
        *,
        here: bool = False,
    ) -> list[Value]:
        """Return ``function`` of every item, in order; each item is one iteration."""
        from fsops.core.frame.loops import LoopWork, make_iterations  # most operators have no loop

        frame = context.frame
        key = frame.result_key if self.caches_iterations(frame) else None
        # Each iteration starts from this copy, so that none sees the changes of another one.
        work = LoopWork(function, frame, current_state().copy(), self.store, key)
        iterations = make_iterations(items, paired=paired)
        progress = context.progress(iterations, label)
        running = current()
        in_worker = running is not None and running.sink is not None
        engine = None if in_worker or here or len(iterations) < 2 else self.engine
        # Serial loops too: the number of BLAS threads changes sums in the last bit.
        with self.one_thread():
            done: Iterable[IterationResult] = (
                work.cached(iteration) or work.done(iteration) for iteration in progress
            )
            if engine is not None and self._is_short(engine, frame, len(iterations)):
                done = self._spread_inside(engine, work, iterations, progress)
            elif engine is not None:
                self._loops_on_engine.append(len(iterations))
                done = self._by_engine(engine, work, iterations, progress)
            values: list[Value] = []
            # In the order of the items, not of completion: every engine ends with the same state.
            # One change for all iterations: of 20,000, each kept by itself takes 48 MB.
            changes = Changes({}, {}, {}, {})
            for result in done:
                values.append(self._reported(result).value)
                changes.add(result.changes)
        current_state().absorb(changes)
        return values

    def rehearsed(
        self, function: Callable[[Item], Value], item: Item, context: Context
    ) -> IterationResult:
        """Return the result of a paired iteration; see `Context.rehearsed`."""
        from fsops.core.frame.engine import Iteration
        from fsops.core.frame.loops import LoopWork

        frame = replace(context.frame, result_key=None)
        iteration = Iteration(0, item, current_position().place, (*current_position().chance, 0))
        with self.one_thread():
            return LoopWork(function, frame, current_state().copy())(iteration)

    def _is_short(self, engine: Engine, frame: Frame, count: int) -> bool:
        """Return whether a loop leaves workers idle that loops inside of it could use."""
        workers = getattr(engine, "workers", 1)
        return _speed_up(count, workers) < BUSY * workers and self.has_loops_inside(frame)

    def _spread_inside(
        self,
        engine: Engine,
        work: LoopWork,
        iterations: Sequence[Iteration],
        progress: Iterator[Iteration],
    ) -> Iterator[IterationResult]:
        """Run iterations here, so that the loops inside of them can use all workers.

        The first iteration shows whether this pays. The engine runs the others as soon as their
        number keeps as many workers busy.
        """
        workers = getattr(engine, "workers", 1)
        before, began = len(self._loops_on_engine), time.perf_counter()
        first = next(progress)
        yield work.cached(first) or work.done(first)
        inside = self._loops_on_engine[before:]
        pays = time.perf_counter() - began > LONG_LOOP * len(inside)
        gain = max((_speed_up(count, workers) for count in inside if pays), default=0.0)
        left = len(iterations) - 1
        while left and gain > _speed_up(left, workers):
            iteration = next(progress)
            yield work.cached(iteration) or work.done(iteration)
            left -= 1
        if left:
            yield from self._by_engine(engine, work, iterations[-left:], progress)
        else:
            next(progress, None)  # reports that all are done

    def _by_engine(
        self,
        engine: Engine,
        work: LoopWork,
        iterations: Sequence[Iteration],
        progress: Iterator[Iteration],
    ) -> list[IterationResult]:
        """Return the results in order; iterations that are cached do not run again."""
        results: dict[int, IterationResult] = {}
        # The generator must be started before `done` can advance it. This reports 0 of n.
        next(progress)

        def done(iteration: Iteration, result: IterationResult) -> None:
            results[iteration.number] = result
            next(progress, None)

        for iteration in iterations:
            self.check_cancelled()
            cached = work.cached(iteration)
            if cached is not None:
                done(iteration, cached)
        left = [iteration for iteration in iterations if iteration.number not in results]
        if left:
            engine.run(work, left, done, self.check_cancelled)
        # After an error later iterations may be missing: `_reported` raises before that matters.
        return [results[number] for number in sorted(results)]

    def _reported(self, result: IterationResult) -> IterationResult:
        """Return the result after its events are reported; raise its error if it has one."""
        for event in result.events:
            self.emit(event)
        if result.error is not None:
            raise result.error
        return result


def _speed_up(count: int, workers: int) -> float:
    """Return how many times as fast workers are with iterations that take equally long."""
    return count / math.ceil(count / workers) if count else 0.0
