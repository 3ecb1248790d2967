"""Bend points of wires: layout only, so they change no result.

They are data of the edges of the graph. So they go with their wire, and follow a rename.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fsops.core.graph.wiring import Connection

if TYPE_CHECKING:
    from fsops.core.graph.process import Process

Point = tuple[int, int]
"""Across and down, in the units of process files."""
KEY = "bends"
MOST = 50
"""Bend points of a wire."""
_TEXT = re.compile(r"-?\d{1,9},-?\d{1,9}(?: -?\d{1,9},-?\d{1,9})*")


def bends_of(process: Process, wire: Connection) -> tuple[Point, ...]:
    """Return the bend points of a wire, from its start to its end."""
    data = process.graph.get_edge_data(
        wire.from_node, wire.to_node, (wire.from_port, wire.to_port), {}
    )
    found: tuple[Point, ...] = data.get(KEY, ())
    return found


def set_bends(process: Process, wire: Connection, points: Sequence[Point]) -> None:
    """Give a wire bend points; none lets it find its way itself."""
    data = process.graph.edges[wire.from_node, wire.to_node, (wire.from_port, wire.to_port)]
    if points:
        data[KEY] = tuple((round(x), round(y)) for x, y in points[:MOST])
    else:
        data.pop(KEY, None)


def all_bends(process: Process) -> dict[Connection, tuple[Point, ...]]:
    """Return the bend points of all wires of a level that have any."""
    return {
        Connection(start, out, end, into): about[KEY]
        for start, end, (out, into), about in process.graph.edges(keys=True, data=True)
        if KEY in about
    }


def bends_text(points: Sequence[Point]) -> str:
    """Return bend points as a file has them: ``120,80 150,80``."""
    return " ".join(f"{x},{y}" for x, y in points)


def bends_in(text: str) -> tuple[Point, ...] | None:
    """Return the bend points in a text; None if it does not hold any."""
    if not _TEXT.fullmatch(text):
        return None
    points = [part.split(",") for part in text.split(" ")]
    return tuple((int(x), int(y)) for x, y in points) if len(points) <= MOST else None
