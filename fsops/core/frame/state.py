"""The memory of a run: macros, remembered results, log rows, and how operators last ran."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fsops.data.flow import FlowObject

Row = dict[str, float | str]


@dataclass(frozen=True)
class LastRun:
    """How an operator last ran: its parameters, how long it took, and the criteria it measured."""

    parameters: Mapping[str, Any]
    seconds: float
    criteria: Mapping[str, float]
    """By name; the main one also as ``performance``."""


@dataclass
class RunState:
    """The memory of a run. Each iteration of a loop works on its own copy.

    After the loop the changes of all iterations are applied in their order. So the result is the
    same whether the iterations ran one after the other or in parallel.
    """

    macros: dict[str, str] = field(default_factory=dict)
    remembered: dict[str, FlowObject] = field(default_factory=dict)
    outcomes: dict[str, LastRun] = field(default_factory=dict)
    logs: dict[str, list[Row]] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    """Values that Set Parameters gives, by ``"Operator.parameter"``."""

    def copy(self) -> RunState:
        """Return an independent copy; the results in it are shared."""
        logs = {name: list(rows) for name, rows in self.logs.items()}
        return RunState(
            dict(self.macros), dict(self.remembered), dict(self.outcomes), logs, dict(self.settings)
        )

    def changes_since(self, before: RunState) -> Changes:
        """Return the changes since then."""
        return Changes(
            _difference(before.macros, self.macros),
            _difference(before.remembered, self.remembered),
            _difference(before.outcomes, self.outcomes),
            {name: rows[len(before.logs.get(name, [])) :] for name, rows in self.logs.items()},
            _difference(before.settings, self.settings),
        )

    def absorb(self, changes: Changes) -> None:
        """Apply the changes that an iteration has made."""
        _apply(self.macros, changes.macros)
        _apply(self.remembered, changes.remembered)
        _apply(self.outcomes, changes.outcomes)
        _apply(self.settings, changes.settings)
        for name, rows in changes.logs.items():
            self.logs.setdefault(name, []).extend(rows)


Difference = dict[str, Any]
"""New values by name; None for removed ones."""


@dataclass(frozen=True)
class Changes:
    """Changes that an iteration made to the memory of the run."""

    macros: Difference
    remembered: Difference
    outcomes: Difference
    logs: dict[str, list[Row]]
    settings: Difference = field(default_factory=dict)

    def add(self, later: Changes) -> None:
        """Take over the changes of a later iteration: both together are one change."""
        self.macros.update(later.macros)
        self.remembered.update(later.remembered)
        self.outcomes.update(later.outcomes)
        self.settings.update(later.settings)
        for name, rows in later.logs.items():
            self.logs.setdefault(name, []).extend(rows)


def _difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> Difference:
    if not before and not after:  # as most of them are in every iteration
        return {}
    gone: Difference = dict.fromkeys(name for name in before if name not in after)
    # Identity, not ==: values are immutable, and comparing tables is slow.
    return gone | {name: value for name, value in after.items() if before.get(name) is not value}


def _apply(mine: dict[str, Any], difference: Difference) -> None:
    for name, value in difference.items():
        if value is None:
            mine.pop(name, None)
        else:
            mine[name] = value
