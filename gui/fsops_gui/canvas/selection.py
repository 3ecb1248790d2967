"""The selected items, and their neighbors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fsops.core.graph.process import Node, Process
from fsops.core.graph.wiring import Connection
from fsops.editing.levels import Level, Spot
from fsops_gui.base.texts import tr
from fsops_gui.canvas.operator_item import OperatorItem


@dataclass
class LevelSelection:
    """The selected items of one level."""

    names: list[str] = field(default_factory=list)
    wires: list[Connection] = field(default_factory=list)
    notes: list[Spot] = field(default_factory=list)


def neighbour(
    operators: Mapping[str, OperatorItem], selected: Sequence[str], dx: int, dy: int
) -> str | None:
    """Return the operator next to the selected one in a direction; the first if none is."""
    names = [name for name in selected if name in operators]
    if not names:
        return next(iter(operators), None)
    here = operators[names[0]].pos()
    ahead: list[tuple[float, str]] = []
    for name, item in operators.items():
        away = item.pos() - here
        along = away.x() * dx + away.y() * dy
        across = abs(away.x() * dy) + abs(away.y() * dx)
        if name not in names and along > 1:
            ahead.append((along + 2 * across, name))
    return min(ahead)[1] if ahead else None


def selection_text(
    process: Process, chosen: Mapping[Level, LevelSelection], signs: Mapping[str, Sequence[str]]
) -> str:
    """Return the selection in words for screen readers; signs are problems by operator."""
    names = [name for group in chosen.values() for name in group.names]
    wires = [wire for group in chosen.values() for wire in group.wires]
    notes = sum(len(group.notes) for group in chosen.values())
    if len(names) == 1 and not wires:
        return node_text(process.root.find(names[0]), signs.get(names[0], ()))
    if names:
        return tr("{n} operators are selected.", n=len(names))
    if wires:
        return tr("Wire {wire}", wire=", ".join(map(str, wires)))
    if notes:
        return tr("{n} notes are selected.", n=notes)
    return tr("{n} operators. Nothing is selected.", n=len(process))


def node_text(node: Node, signs: Sequence[str]) -> str:
    """Return an operator in words: kind, neighbors, state and problems."""
    level = node.process
    title = node.operator.title
    parts = [node.name if node.name == title else f"{node.name}: {title}"]
    fed, feeding = level.before(node.name), level.after(node.name)
    if fed:
        parts.append(tr("after {names}", names=", ".join(n for n in level.names if n in fed)))
    if feeding:
        parts.append(tr("before {names}", names=", ".join(n for n in level.names if n in feeding)))
    if node.subprocesses:
        parts.append(tr("{n} inner processes", n=len(node.subprocesses)))
    if not node.enabled:
        parts.append(tr("switched off"))
    return "; ".join([*parts, *signs])
