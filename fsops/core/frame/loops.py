"""The iterations of a loop as work for any engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fsops.core.frame.engine import Store, Turn, TurnResult
from fsops.core.frame.events import Event, Logged
from fsops.core.frame.frame import Frame, combined_key, current_position, entered, recorded
from fsops.core.frame.state import Changes, RunState


def make_turns(items: Sequence[Any], *, paired: bool) -> list[Turn]:
    """Return the iterations of a loop that starts here."""
    position = current_position()
    number, position.loops = position.loops, position.loops + 1
    return [
        Turn(
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

    def __call__(self, turn: Turn) -> TurnResult:
        """Run one iteration in a worker; its events travel back with the result."""
        events: list[Event] = []
        # The messages are recorded where the events are reported, not here as well.
        with entered(replace(self.frame, sink=events, records=())):
            try:
                result = self.done(turn)
            except Exception as error:  # noqa: BLE001 - raised again where the results are taken
                return TurnResult(error=error, events=events)
        return replace(result, events=events)

    def done(self, turn: Turn) -> TurnResult:
        """Run one iteration and store its result."""
        state = self.state.copy()
        with entered(self.frame.iteration(turn.place, turn.chance, state)), recorded() as messages:
            value = self.function(turn.item)
        changes = state.changes_since(self.state)
        key = self._key(turn)
        if key is not None and self.store is not None:
            # Stored by the worker: if the parent dies, finished iterations are not lost.
            self.store.put(key, CachedIteration(value, changes, messages))
        return TurnResult(value, None, changes)

    def cached(self, turn: Turn) -> TurnResult | None:
        """Return the result of this iteration from an earlier run."""
        key = self._key(turn)
        stored = self.store.get(key) if key is not None and self.store is not None else None
        # Files in the cache may come from elsewhere: the type of an entry is not certain.
        if stored is None or not isinstance(stored.value, CachedIteration):
            return None
        cached = stored.value
        return TurnResult(cached.value, None, cached.changes, list(cached.messages))

    def _key(self, turn: Turn) -> str | None:
        return None if self.key is None else combined_key(self.key, "turn", turn.place)


@dataclass(frozen=True)
class CachedIteration:
    """What is stored of an iteration."""

    value: Any
    changes: Changes
    messages: list[Logged]
