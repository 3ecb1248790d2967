"""What a run offers to its operators: events, cancellation, and how loops are run."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from fsops.core.frame.context import Context, Services, make_turns, run_turn
from fsops.core.frame.engine import Engine, Turn, TurnResult
from fsops.core.frame.events import Event, Listener, Logged, Path, Progressed
from fsops.core.frame.state import Changes, RunState, current_state
from fsops.engine.blas import one_thread
from fsops.engine.cache.keys import combined
from fsops.errors import Cancelled, TimedOut

if TYPE_CHECKING:
    from fsops.engine.cache.store import ResultStore
    from fsops.engine.ports import PortKeeper

Item = TypeVar("Item")
Value = TypeVar("Value")

_HEARD: ContextVar[list[Event] | None] = ContextVar("fsops_heard", default=None)
"""In a turn that an engine runs: what happened, to be told when the turn is done."""


_RECORDS: ContextVar[tuple[list[Logged], ...]] = ContextVar("fsops_records", default=())
"""Who notes the messages of what is running, to keep them with its result."""


@contextmanager
def recorded() -> Iterator[list[Logged]]:
    """Note the messages of what runs inside."""
    record: list[Logged] = []
    token = _RECORDS.set((*_RECORDS.get(), record))
    try:
        yield record
    finally:
        _RECORDS.reset(token)


@contextmanager
def _hearing() -> Iterator[list[Event]]:
    heard: list[Event] = []
    # Whoever notes the messages outside gets them when they are told there.
    tokens = _HEARD.set(heard), _RECORDS.set(())
    try:
        yield heard
    finally:
        _HEARD.reset(tokens[0])
        _RECORDS.reset(tokens[1])


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
    store : ResultStore, optional
        Keeps results, also those of single turns, for the next run.
    """

    def __init__(
        self,
        listener: Listener | None = None,
        cancel: threading.Event | None = None,
        engine: Engine | None = None,
        timeout: float | None = None,
        store: ResultStore | None = None,
    ) -> None:
        super().__init__(listener)
        self._cancelled = cancel or threading.Event()
        self._engine = engine
        self.store = store
        self.ports: PortKeeper | None = None
        """Keeps what comes out of the ports, to be looked at; not in other processes."""
        self.observers: Sequence[Callable[[Path, Mapping[str, Any]], None]] = ()
        """Called with the path and the outputs of each operator that has ended; as ``ports``."""
        self.entered: frozenset[Path] = frozenset()
        """Operators that must really run, because something inside is waited for."""
        self._timeout = timeout
        self._deadline = math.inf if timeout is None else time.monotonic() + timeout

    def __reduce__(self) -> tuple[type[RunServices], tuple[()], dict[str, Any]]:
        """In another process there is no listener and no further engine."""
        return RunServices, (), {"memory_limit": self.memory_limit, "store": self.store}

    def one_thread(self) -> AbstractContextManager[None]:
        """Return a block in which linear algebra uses one thread, as in the turns of loops."""
        return one_thread()

    def emit(self, event: Event) -> None:
        """Tell the listener; inside of a turn that an engine runs, later."""
        if isinstance(event, Logged):
            for record in _RECORDS.get():
                record.append(event)
        heard = _HEARD.get()
        if heard is None:
            super().emit(event)
        elif not isinstance(event, Progressed):  # would be told when it is over
            heard.append(event)

    def deliver(self, path: Path, outputs: Mapping[str, Any]) -> None:
        """Take notice of what comes out of an operator."""
        if _HEARD.get() is not None:  # of turns that run side by side none is the last one
            return
        if self.ports is not None:
            self.ports.note(path, outputs)
        for observe in self.observers:
            observe(path, outputs)

    def write_ports(self, seconds: float = math.inf) -> None:
        """Write what came out of the ports, and tell where it is."""
        if self.ports is not None:
            self.ports.write(self.emit, seconds)

    def run_here(self) -> None:
        """Leave the turns of loops to no engine."""
        self._engine = None

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
        key = None if context.path in self.entered else context.result_key
        work = TurnWork(function, current_state().copy(), self.store, key)
        turns = make_turns(items, paired=paired)
        progress = context.progress(turns, label)
        by_engine = self._engine if _HEARD.get() is None and len(turns) > 1 else None
        with one_thread():
            done: Iterable[TurnResult] = (work.kept(turn) or work.done(turn) for turn in progress)
            if by_engine is not None:
                done = self._by_engine(by_engine, work, turns, progress)
            results = [self._told(result) for result in done]
        for result in results:
            current_state().absorb(result.changes)
        return [result.value for result in results]

    def _by_engine(
        self, engine: Engine, work: TurnWork, turns: Sequence[Turn], progress: Iterator[Turn]
    ) -> list[TurnResult]:
        """Return the results in order; what was kept is not done again."""
        found: dict[int, TurnResult] = {}
        next(progress)

        def done(turn: Turn, result: TurnResult) -> None:
            found[turn.number] = result
            next(progress, None)

        for turn in turns:
            self.check_cancelled()
            kept = work.kept(turn)
            if kept is not None:
                done(turn, kept)
        left = [turn for turn in turns if turn.number not in found]
        if left:
            engine.run(work, left, done, self.check_cancelled)
        return [found[number] for number in sorted(found)]

    def _told(self, result: TurnResult) -> TurnResult:
        """Return the result; tell what happened, or raise its error."""
        for event in result.events:
            self.emit(event)
        if result.error is not None:
            raise result.error
        return result


@dataclass(frozen=True)
class TurnWork:
    """The turns of one loop as work for any thread, process or machine."""

    function: Callable[[Any], Any]
    state: RunState
    store: ResultStore | None = None
    key: str | None = None
    """Of the operator whose loop it is; None if results are not to be kept."""

    def __call__(self, turn: Turn) -> TurnResult:
        """Do one turn in a worker; what happens is told with the result."""
        with _hearing() as heard:
            try:
                result = self.done(turn)
            except Exception as error:  # noqa: BLE001 - raised again where the results are taken
                return TurnResult(error=error, events=heard)
        return replace(result, events=heard)

    def done(self, turn: Turn) -> TurnResult:
        """Do one turn and keep its result."""
        with recorded() as messages:
            value, changes = run_turn(self.function, turn, self.state)
        key = self._key(turn)
        if key is not None and self.store is not None:
            self.store.put(key, KeptTurn(value, changes, messages))
        return TurnResult(value, None, changes)

    def kept(self, turn: Turn) -> TurnResult | None:
        """Return what an earlier run kept of this turn."""
        key = self._key(turn)
        found = self.store.get(key) if key is not None and self.store is not None else None
        if found is None or not isinstance(found.value, KeptTurn):
            return None
        kept = found.value
        return TurnResult(kept.value, None, kept.changes, list(kept.messages))

    def _key(self, turn: Turn) -> str | None:
        return None if self.key is None else combined(self.key, "turn", turn.place)


@dataclass(frozen=True)
class KeptTurn:
    """What is stored of a turn."""

    value: Any
    changes: Changes
    messages: list[Logged]
