"""What a running process keeps between its operators: macros, remembered results, log rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

from fsops.data.flow import FlowObject

Row = dict[str, float | str]
V = TypeVar("V")


@dataclass(frozen=True)
class Outcome:
    """How an operator last ran: its parameters, how long it took, and the criteria it measured."""

    parameters: Mapping[str, Any]
    seconds: float
    criteria: Mapping[str, float]
    """By name; the main one also as ``performance``."""


@dataclass
class RunState:
    """The memory of a run. Each turn of a loop works on its own copy.

    When the loop is over the turns' changes are taken over in their order, so that the result is
    the same whether the turns ran one after the other or side by side.
    """

    macros: dict[str, str] = field(default_factory=dict)
    remembered: dict[str, FlowObject] = field(default_factory=dict)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    logs: dict[str, list[Row]] = field(default_factory=dict)

    def copy(self) -> RunState:
        """Return an independent copy; the results in it are shared."""
        logs = {name: list(rows) for name, rows in self.logs.items()}
        return RunState(dict(self.macros), dict(self.remembered), dict(self.outcomes), logs)

    def absorb(self, before: RunState, after: RunState) -> None:
        """Take over what a turn changed between ``before`` and ``after``."""
        _take_over(self.macros, before.macros, after.macros)
        _take_over(self.remembered, before.remembered, after.remembered)
        _take_over(self.outcomes, before.outcomes, after.outcomes)
        for name, rows in after.logs.items():
            self.logs.setdefault(name, []).extend(rows[len(before.logs.get(name, [])) :])


def _take_over(mine: dict[str, V], before: Mapping[str, V], after: Mapping[str, V]) -> None:
    for name in before.keys() - after.keys():
        mine.pop(name, None)
    for name, value in after.items():
        if name not in before or before[name] is not value:
            mine[name] = value


_STATE: ContextVar[RunState | None] = ContextVar("fsops_state", default=None)


def current_state() -> RunState:
    """Return the memory of the run; outside of one there is nothing to remember."""
    return _STATE.get() or RunState()


@contextmanager
def in_state(state: RunState) -> Iterator[RunState]:
    """Let what runs inside keep its things in ``state``."""
    token = _STATE.set(state)
    try:
        yield state
    finally:
        _STATE.reset(token)
