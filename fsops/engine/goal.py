"""Running up to one operator: its inputs run, and the run ends with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fsops.core.checks.side_effects import is_noticed, with_inner
from fsops.core.frame.events import Path as Place
from fsops.core.graph.process import Node, Process
from fsops.errors import PortError, UsageError


class Reached(BaseException):
    """The operator has ended. Not an error, so that no operator around it takes it for one."""

    def __init__(self, outputs: Mapping[str, Any]) -> None:
        super().__init__()
        self.outputs = outputs


@dataclass(frozen=True)
class Goal:
    """An operator that a run is to end with."""

    path: Place
    skipped: frozenset[Place]
    """Operators that it does not need, on its own level and on those around it.

    Also inner processes beside its own that come later.
    """
    levels: frozenset[Place]
    """The processes on the way to it; that something is missing at their ends does not matter."""

    @classmethod
    def of(cls, process: Process, name: str) -> Goal:
        """Return the goal with the operators it needs; an operator that never runs is refused."""
        node = process.find(name)
        skipped: set[Place] = set()
        levels: set[Place] = set()
        at: Node | None = node
        while at is not None:
            if not at.enabled:
                raise UsageError(
                    f'"{at.name}" is switched off, so a run never gets to "{name}".',
                    hint="Switch it on.",
                )
            needed = _needed(at)
            skipped |= {other.path for other in at.process if other.name not in needed}
            levels.add(at.process.path)
            skipped |= {inner.path for inner in _later_beside(at.process)}
            at = at.process.owner
        return cls(node.path, frozenset(skipped), frozenset(levels))

    @property
    def around(self) -> frozenset[Place]:
        """The operators that it is inside of."""
        return frozenset(level[:-1] for level in self.levels if level)

    def concerns(self, path: Place) -> bool:
        """Return whether a problem at that place would keep the run from its goal."""
        if path in self.levels:
            return False
        return not any(path[: len(other)] == other for other in self.skipped)


def _later_beside(process: Process) -> list[Process]:
    if process.owner is None:
        return []
    beside = process.owner.subprocesses
    return beside[next(i for i, inner in enumerate(beside) if inner is process) + 1 :]


def _needed(node: Node) -> set[str]:
    """Return the names of all operators of the level that a node needs, and its own.

    Besides those that feed it they are the ones before it that leave something behind which one of
    them may find: macros, remembered results, logs, files.
    """
    level = node.process
    found = {node.name, *level.ancestors(node.name)}
    waiting = [other for other in _before(node) if other.enabled and other.name not in found]
    while True:
        # Repeated, because an operator that is added may need the side effects of another one.
        inside = [n for name in found for n in with_inner(level[name])]
        more = next((other for other in waiting if is_noticed(other, inside)), None)
        if more is None:
            return found
        found |= {more.name, *level.ancestors(more.name)}
        waiting = [other for other in waiting if other.name not in found]


def _before(node: Node) -> list[Node]:
    """Return what runs before a node in a run of all."""
    try:
        order = node.process.order()
    except PortError:  # a cycle; reported when the process is checked
        return []
    return order[: order.index(node)]


def operators_to_enter(process: Process, goal: Goal | None, *, breakpoints: bool) -> set[Place]:
    """Return the operators that must really run, because something inside is waited for."""
    found: set[Place] = set() if goal is None else set(goal.around)
    for node in process.walk() if breakpoints else ():
        at = node.process.owner if node.breakpoints else None
        while at is not None:
            found.add(at.path)
            at = at.process.owner
    return found


def operators_around_loops(process: Process) -> set[Place]:
    """Return the operators that have a loop inside."""
    found: set[Place] = set()
    for node in process.walk():
        at = node.process.owner if node.enabled and node.operator.iterations is not None else None
        while at is not None and at.path not in found:
            found.add(at.path)
            at = at.process.owner
    return found
