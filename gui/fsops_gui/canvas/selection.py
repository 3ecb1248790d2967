"""What is selected, and what lies next to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fsops.core.graph.wiring import Connection
from fsops.editing.levels import Spot
from fsops_gui.canvas.operator_item import OperatorItem


@dataclass
class LevelSelection:
    """What is selected on one level."""

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
