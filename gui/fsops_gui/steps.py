"""Places in a process, and the steps of its history."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from PyQt6.QtGui import QUndoCommand

from fsops.core.graph.process import Node, Process
from fsops.errors import FsopsError
from fsops_gui import edits


@dataclass(frozen=True)
class Level:
    """A level of a process: the outermost one, or an inner process of an operator."""

    owner: str | None = None
    index: int = 0

    def of(self, process: Process) -> Process:
        """Return the level in a process."""
        return edits.level_of(process, self.owner, self.index)


ROOT = Level()


@dataclass(frozen=True)
class Spot:
    """Where a note is: one of the free notes of a level, or hanging on an operator of it."""

    level: Level
    number: int = -1
    owner: str | None = None


@dataclass(frozen=True)
class Change:
    """What a step of the history did."""

    before: Process
    after: Process
    renamed: Mapping[str, str]
    """New names of operators by their old ones."""


def place_of_change(before: Process, after: Process) -> tuple[Level, list[str]] | None:
    """Return the first level where two states of a process differ, and the operators that do.

    These are operators of the later state; those that are gone cannot be shown.
    """
    for level in (ROOT, *_inner_levels(after)):
        try:
            old = level.of(before)
        except (FsopsError, IndexError):  # the whole level is new: its operator is told already
            continue
        new = level.of(after)
        names = [n.name for n in new if n.name not in old or not _same(old[n.name], n)]
        wired = old.same_connections(new)
        if names or len(old) != len(new) or not wired or old.notes != new.notes:
            return level, names
    return None


def _inner_levels(process: Process) -> Iterator[Level]:
    for node in process.walk():
        yield from (Level(node.name, index) for index in range(len(node.subprocesses)))


def _same(one: Node, two: Node) -> bool:
    """Return whether two states of an operator are the same, whatever is inside of them."""
    return one is two or (
        one.operator is two.operator
        and one.parameters == two.parameters
        and (one.enabled, one.breakpoints, one.position, one.note)
        == (two.enabled, two.breakpoints, two.position, two.note)
        and len(one.subprocesses) == len(two.subprocesses)
    )


class Step(QUndoCommand):
    """A process before and after an edit."""

    def __init__(
        self, show: Callable[[Change], None], text: str, change: Change, merge: str
    ) -> None:
        super().__init__(text)
        self._show = show
        self._change = change
        self._merge = merge

    def id(self) -> int:
        """Return the same number for steps that may become one."""
        return hash(self._merge) % (2**31 - 1) if self._merge else -1

    def mergeWith(self, other: QUndoCommand | None) -> bool:
        """Take a further step of the same kind in, such as the next letter typed."""
        if not isinstance(other, Step) or other._merge != self._merge:
            return False
        self._change = Change(self._change.before, other._change.after, self._change.renamed)
        self.setObsolete(self._change.before == self._change.after)
        return True

    def redo(self) -> None:
        """Show what was after the edit."""
        self._show(self._change)

    def undo(self) -> None:
        """Show what was before the edit."""
        back = {new: old for old, new in self._change.renamed.items()}
        self._show(Change(self._change.after, self._change.before, back))
