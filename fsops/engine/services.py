"""What a run offers to its operators: events, cancellation, and how loops are run."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

from fsops.core.context import Context, Services, make_turns, run_turn
from fsops.core.engine import Engine, Turn, TurnResult
from fsops.core.events import Event, Listener, Progressed
from fsops.core.state import RunState, current_state
from fsops.engine.blas import one_thread
from fsops.errors import Cancelled, TimedOut

Item = TypeVar("Item")
Value = TypeVar("Value")

_HEARD: ContextVar[list[Event] | None] = ContextVar("fsops_heard", default=None)
"""In a turn that an engine runs: what happened, to be told when the turn is done."""


@contextmanager
def _hearing() -> Iterator[list[Event]]:
    heard: list[Event] = []
    token = _HEARD.set(heard)
    try:
        yield heard
    finally:
        _HEARD.reset(token)


class RunServices(Services):
    """Services of one run; setting ``cancel`` from anywhere stops it.

    Parameters
    ----------
    listener : callable, optional
        Told about every event.
    cancel : threading.Event, optional
        Stops the run when set.
    engine : Engine, optional
        Runs the turns of loops; without one they run here, one after the other. Loops inside of
        turns always do, so that there are never more workers than asked for.
    timeout : float, optional
        Seconds after which the run is stopped.
    """

    def __init__(
        self,
        listener: Listener | None = None,
        cancel: threading.Event | None = None,
        engine: Engine | None = None,
        timeout: float | None = None,
    ) -> None:
        super().__init__(listener)
        self._cancelled = cancel or threading.Event()
        self._engine = engine
        self._timeout = timeout
        self._deadline = math.inf if timeout is None else time.monotonic() + timeout

    def __reduce__(self) -> tuple[type[RunServices], tuple[()], dict[str, int | None]]:
        """In another process there is no listener and no further engine."""
        return RunServices, (), {"memory_limit": self.memory_limit}

    def emit(self, event: Event) -> None:
        """Tell the listener; inside of a turn that an engine runs, later."""
        heard = _HEARD.get()
        if heard is None:
            super().emit(event)
        elif not isinstance(event, Progressed):  # would be told when it is over
            heard.append(event)

    def check_cancelled(self) -> None:
        """Raise `Cancelled` if the run is to stop."""
        if self._cancelled.is_set():
            raise Cancelled("The run was stopped.")
        if time.monotonic() > self._deadline:
            raise TimedOut(f"The run was stopped after {self._timeout:g} seconds.")

    def map(
        self,
        function: Callable[[Item], Value],
        items: Sequence[Item],
        context: Context,
        label: str,
        paired: bool,
    ) -> list[Value]:
        """Return ``function`` of every item, in order; each item is one iteration."""
        with one_thread():
            if self._engine is None or _HEARD.get() is not None or len(items) < 2:
                return super().map(function, items, context, label, paired)
            work = TurnWork(function, current_state().copy())
            turns = make_turns(items, paired=paired)
            return self._by_engine(self._engine, work, turns, context.progress(turns, label))

    def _by_engine(
        self, engine: Engine, work: TurnWork, turns: Sequence[Turn], progress: Iterator[Turn]
    ) -> list[Any]:
        found: dict[int, TurnResult] = {}
        next(progress)

        def done(turn: Turn, result: TurnResult) -> None:
            found[turn.number] = result
            next(progress, None)

        engine.run(work, turns, done, self.check_cancelled)
        return self._taken_over([found[number] for number in sorted(found)])

    def _taken_over(self, results: Sequence[TurnResult]) -> list[Any]:
        """Return the values, in order; tell what happened, and raise the first error."""
        for result in results:
            for event in result.events:
                self.emit(event)
            if result.error is not None:
                raise result.error
            current_state().absorb(result.changes)
        return [result.value for result in results]


@dataclass(frozen=True)
class TurnWork:
    """The turns of one loop as work for any thread, process or machine."""

    function: Callable[[Any], Any]
    state: RunState

    def __call__(self, turn: Turn) -> TurnResult:
        """Do one turn."""
        with _hearing() as heard:
            try:
                value, changes = run_turn(self.function, turn, self.state)
            except Exception as error:  # noqa: BLE001 - raised again where the results are taken
                return TurnResult(error=error, events=heard)
        return TurnResult(value, None, changes, heard)
