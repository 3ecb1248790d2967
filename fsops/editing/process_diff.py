"""Differences between two processes as a list: operators, wires and parameters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fsops.core.graph.process import Node, Process
from fsops.core.graph.wiring import SINK, SOURCE, Connection
from fsops.editing.comparison import (
    named_wires,
    node_changes,
    outermost,
    process_changes,
    renamed_operators,
)

ADDED, REMOVED, CHANGED = "added", "removed", "changed"


@dataclass(frozen=True)
class ProcessDifference:
    """One difference, and where to see it on both sides."""

    kind: str
    """`ADDED`, `REMOVED` or `CHANGED`."""
    text: str
    before: str | None = None
    """Name of the operator before; None if it did not exist, or it is about a wire."""
    after: str | None = None
    wire: Connection | None = None
    """The wire, with the names of operators of its side."""
    owner_before: str | None = None
    """The operator around the wire; None for the outermost process."""
    owner_after: str | None = None


def process_diff(before: Process, after: Process) -> list[ProcessDifference]:
    """Return all differences; layout and notes do not count."""
    new_names = renamed_operators(before, after)
    olds = {new_names.get(node.name, node.name): node for node in before.walk()}
    news = {node.name: node for node in after.walk()}
    found = [
        ProcessDifference(REMOVED, f"{node.name}: {node.operator.title}", before=node.name)
        for node in outermost(before, olds, news)
    ]
    found += [
        ProcessDifference(ADDED, f"{node.name}: {node.operator.title}", after=node.name)
        for node in outermost(after, news, olds)
    ]
    for name, node in news.items():
        if name in olds:
            found += _changed(olds[name], node)
    found += _wires(before, after, new_names)
    found += [ProcessDifference(CHANGED, text) for text in process_changes(before, after)]
    return found


def _changed(old: Node, new: Node) -> Iterator[ProcessDifference]:
    if old.name != new.name:
        text = f"{old.name} is now called {new.name}"
        yield ProcessDifference(CHANGED, text, before=old.name, after=new.name)
    for text in node_changes(old, new):
        yield ProcessDifference(CHANGED, text, before=old.name, after=new.name)


def _wires(
    before: Process, after: Process, new_names: dict[str, str]
) -> Iterator[ProcessDifference]:
    """Return the wires that only one process has, in the names of their side."""
    old_names = {new: old for old, new in new_names.items()}
    mine, theirs = set(named_wires(before, new_names)), set(named_wires(after, {}))
    for path, wire in sorted(mine - theirs, key=str):
        own = Connection(
            old_names.get(wire.from_node, wire.from_node), wire.from_port,
            old_names.get(wire.to_node, wire.to_node), wire.to_port,
        )  # fmt: skip
        owner = _owner(path)
        owner = old_names.get(owner, owner) if owner else None
        yield ProcessDifference(REMOVED, str(own), wire=own, owner_before=owner)
    for path, wire in sorted(theirs - mine, key=str):
        yield ProcessDifference(ADDED, str(wire), wire=wire, owner_after=_owner(path))


def _owner(path: tuple[str, ...]) -> str | None:
    """Return the operator around a level; its path ends with the name of the inner process."""
    return path[-2] if len(path) > 1 else None


def names_of(differences: list[ProcessDifference], *, after: bool) -> dict[str, str]:
    """Return the kinds of difference by the operators of one side; the strongest counts."""
    found: dict[str, str] = {}
    for one in differences:
        name = one.after if after else one.before
        if name is not None and found.get(name) in (None, CHANGED):
            found[name] = one.kind
    return found


def wires_of(differences: list[ProcessDifference], *, after: bool) -> dict[Connection, str]:
    """Return the wires that only one side has."""
    kind = ADDED if after else REMOVED
    return {d.wire: kind for d in differences if d.wire is not None and d.kind == kind}


def ends_of(wire: Connection) -> list[str]:
    """Return the operators at the ends of a wire."""
    return [name for name in (wire.from_node, wire.to_node) if name not in (SOURCE, SINK)]
