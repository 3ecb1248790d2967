"""The iterations of a loop as work for any engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fsops.core.frame.engine import Iteration, IterationResult, Store
from fsops.core.frame.events import Event, Logged, LoggedOnce
from fsops.core.frame.frame import Frame, combined_key, current_position, entered, recorded
from fsops.core.frame.state import Changes, RunState


def make_iterations(items: Sequence[Any], *, paired: bool) -> list[Iteration]:
    """Return the iterations of a loop that starts here."""
    position = current_position()
    number, position.loops = position.loops, position.loops + 1
    return [
        Iteration(
            index,
            item,
            # Two loops of one operator have the same indices: the number of the loop tells
            # them apart in the cache.
            (*position.place, number, index),
            (*position.chance, 0 if paired else index),
        )
        for index, item in enumerate(items)
    ]


@dataclass(frozen=True)
class LoopWork:
    """The iterations of one loop as work for any thread, process or machine."""

    function: Callable[[Any], Any]
    frame: Frame
    """Of the operator whose loop it is."""
    state: RunState
    """The memory of the run when the loop started."""
    store: Store | None = None
    key: str | None = None
    """Key of the operator's results; None if iterations are not cached."""

    def __call__(self, iteration: Iteration) -> IterationResult:
        """Run one iteration in a worker; its events travel back with the result."""
        events: list[Event] = []
        # The messages are recorded where the events are reported, not here as well.
        with entered(replace(self.frame, sink=events, records=())):
            try:
                result = self.done(iteration)
            except Exception as error:  # noqa: BLE001 - raised again where the results are taken
                return IterationResult(error=error, events=events)
        return replace(result, events=events)

    def done(self, iteration: Iteration) -> IterationResult:
        """Run one iteration and store its result."""
        state = self.state.copy()
        with (
            entered(self.frame.iteration(iteration.place, iteration.chance, state)),
            recorded() as messages,
        ):
            value = self.function(iteration.item)
        changes = state.changes_since(self.state)
        key = self._key(iteration)
        if key is not None and self.store is not None and is_repeatable(messages):
            # Stored by the worker: if the parent dies, finished iterations are not lost.
            self.store.put(key, CachedIteration(value, changes, messages))
        return IterationResult(value, None, changes)

    def cached(self, iteration: Iteration) -> IterationResult | None:
        """Return the result of this iteration from an earlier run."""
        key = self._key(iteration)
        stored = self.store.get(key) if key is not None and self.store is not None else None
        # Files in the cache may come from elsewhere: the type of an entry is not certain.
        if stored is None or not isinstance(stored.value, CachedIteration):
            return None
        cached = stored.value
        return IterationResult(cached.value, None, cached.changes, list(cached.messages))

    def _key(self, iteration: Iteration) -> str | None:
        return None if self.key is None else combined_key(self.key, "iteration", iteration.place)


def is_repeatable(messages: Iterable[Logged]) -> bool:
    """Return whether another run would give the result that these messages belong to."""
    return not any(isinstance(message, LoggedOnce) for message in messages)


@dataclass(frozen=True)
class CachedIteration:
    """The stored part of an iteration."""

    value: Any
    changes: Changes
    messages: list[Logged]
