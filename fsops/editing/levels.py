"""Addresses in a process: a level, a note of a level, and where two states differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fsops.core.graph.bends import all_bends
from fsops.core.graph.process import Node, Process
from fsops.errors import FsopsError, UsageError


@dataclass(frozen=True)
class Level:
    """A level of a process: the outermost one, or an inner process of an operator."""

    owner: str | None = None
    index: int = 0

    def of(self, process: Process) -> Process:
        """Return the level in a process; an error if the process has no such level any more."""
        if self.owner is None:
            return process
        inner = process.find(self.owner).subprocesses
        if self.index >= len(inner):
            raise UsageError(f'"{self.owner}" no longer has this inner process.')
        return inner[self.index]


ROOT = Level()


@dataclass(frozen=True)
class Spot:
    """Where a note is: one of the free notes of a level, or hanging on an operator of it."""

    level: Level
    number: int = -1
    owner: str | None = None


def all_levels(process: Process) -> Iterator[Process]:
    """Return the process and every inner one."""
    yield process
    for node in process.walk():
        yield from node.subprocesses


def place_of_change(before: Process, after: Process) -> tuple[Level, list[str]] | None:
    """Return the first level where two states of a process differ, and the operators that do.

    These are operators of the later state; those that are gone cannot be shown.
    """
    for level in (ROOT, *_inner_levels(after)):
        try:
            old = level.of(before)
        except FsopsError:  # the whole level is new: its operator is reported already
            continue
        new = level.of(after)
        names = [n.name for n in new if n.name not in old or not _same(old[n.name], n)]
        wired = old.same_connections(new) and all_bends(old) == all_bends(new)
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
