"""Bend points of wires: pulled out of a wire with the mouse, moved, removed, or set by keys."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot
from typing import TYPE_CHECKING

from PyQt6.QtCore import QPointF
from PyQt6.QtWidgets import QApplication

from fsops.core.graph.bends import MOST, Point, bends_of
from fsops.core.graph.wiring import Connection
from fsops_gui.base.texts import tr
from fsops_gui.canvas.frame_item import FrameItem
from fsops_gui.canvas.look import SCALE
from fsops_gui.canvas.wire_item import HANDLE, WireItem

if TYPE_CHECKING:
    from fsops_gui.canvas.scene import ProcessScene

SNAP = 6.0
"""So near to the level of an end or of another bend point a point takes that level."""
NUDGE = 8
"""How far a key moves a bend point, in the units of process files."""


def handle_at(wire: WireItem, point: QPointF) -> int | None:
    """Return the number of the bend point that is at a point of the frame."""
    away = [hypot(x - point.x(), y - point.y()) for x, y in wire.via]
    near = min(range(len(away)), key=away.__getitem__, default=None)
    return near if near is not None and away[near] <= 2 * HANDLE else None


def place_for(wire: WireItem, point: QPointF) -> int:
    """Return the number that a new bend point at a point of the wire gets."""
    path = wire.path()
    parts = [index / 200 for index in range(201)]

    def at(x: float, y: float) -> float:
        def away(part: float) -> float:
            place = path.pointAtPercent(part)
            return hypot(place.x() - x, place.y() - y)

        return min(parts, key=away)

    here = at(point.x(), point.y())
    return sum(at(x, y) < here for x, y in wire.via)


class BendDrag:
    """A press on a wire that becomes a bend point as soon as the mouse moves."""

    def __init__(self, frame: FrameItem, wire: WireItem, pressed: QPointF) -> None:
        self.frame, self.wire = frame, wire
        self._pressed = pressed
        self._before = list(wire.via)
        self._number = handle_at(wire, pressed)
        # The wire changes with each preview, so the place of a new point is found before.
        self._new_number = place_for(wire, pressed)
        self.moves = False

    def move(self, point: QPointF) -> None:
        """Take the bend point along; a small move is still a click."""
        away = point - self._pressed
        if not self.moves and abs(away.x()) + abs(away.y()) < QApplication.startDragDistance():
            return
        points = list(self._before)
        if self._number is None:
            if len(points) >= MOST:
                return
            number = self._new_number
            points.insert(number, (0.0, 0.0))
        else:
            number = self._number
        self.moves = True
        points[number] = self._snapped(point, [p for i, p in enumerate(points) if i != number])
        self.frame.preview_bends(self.wire, points)

    def _snapped(
        self, point: QPointF, others: Sequence[tuple[float, float]]
    ) -> tuple[float, float]:
        """Return the point at the level of an end or another point, if it is near."""
        path = self.wire.path()
        ends = (path.pointAtPercent(0.0).y(), path.pointAtPercent(1.0).y())
        levels = [*ends, *(y for _, y in others)]
        near = min(levels, key=lambda y: abs(y - point.y()))
        return point.x(), near if abs(near - point.y()) <= SNAP else point.y()

    def cancel(self) -> None:
        """Put the wire back."""
        self.frame.preview_bends(self.wire, self._before)

    def points(self) -> list[Point]:
        """Return the bend points of now, in the units of process files."""
        return units(self.wire.via)


def units(points: Sequence[tuple[float, float]]) -> list[Point]:
    """Return points of the canvas in the units of process files."""
    return [(round(x / SCALE), round(y / SCALE)) for x, y in points]


class BendKeys:
    """Bend points of the selected wire, or of the wire at the port reached by keys."""

    def __init__(self, scene: ProcessScene) -> None:
        self._scene = scene
        self._last: tuple[Connection, int] | None = None

    def wire(self) -> tuple[FrameItem, WireItem] | None:
        """Return the wire that is meant: selected, at the port of now, or of one operator."""
        scene = self._scene
        for item in scene.selectedItems():
            frame = item.parentItem()
            if isinstance(item, WireItem) and isinstance(frame, FrameItem):
                return frame, item
        here, frame = scene.ports.here, scene.ports.frame
        if here is not None and frame is not None:
            return next(((frame, frame.wires[w]) for w in frame.wires_of(here)), None)
        for name in scene.selected_names()[:1]:
            frame = scene.frame_of(scene.document.level_of(name))
            ways = [w for w in frame.wires.values() if w.connection.from_node == name]
            return (frame, ways[0]) if ways else None
        return None

    def add(self) -> None:
        """Add a bend point in the middle of the wire, and select the wire."""
        found = self.wire()
        if found is None:
            self._scene.said.emit(tr("Select a wire, or an operator with a wire."))
            return
        frame, wire = found
        middle = wire.path().pointAtPercent(0.5)
        self.add_at(frame, wire, middle)

    def add_at(self, frame: FrameItem, wire: WireItem, point: QPointF) -> None:
        """Add a bend point to a wire at a point of the frame."""
        number = place_for(wire, point)
        points = units(wire.via)
        points.insert(number, units([(point.x(), point.y())])[0])
        self._scene.document.bend(frame.level, wire.connection, points)
        self.hold(frame, wire.connection, number)

    def hold(self, frame: FrameItem, wire: Connection, number: int) -> None:
        """Select a wire; the keys move one of its bend points."""
        self._last = (wire, number)
        self._scene.ports.leave()
        self._scene.clearSelection()
        if wire in frame.wires:
            frame.wires[wire].setSelected(True)
        self._scene.said.emit(
            tr("Bend point {n} of {wire}. Shift and an arrow key move it.", n=number + 1, wire=wire)
        )

    def shift(self, dx: int, dy: int) -> bool:
        """Move the bend point of the selected wire; return whether there is one."""
        found = self.wire() if not self._scene.selected_names() else None
        if found is None:
            return False
        frame, wire = found
        points = list(bends_of(frame.process, wire.connection))
        if not points:
            return False
        known = self._last is not None and self._last[0] == wire.connection
        number = min(self._last[1] if known and self._last else 0, len(points) - 1)
        x, y = points[number]
        points[number] = (x + dx * NUDGE, y + dy * NUDGE)
        self._scene.document.bend(frame.level, wire.connection, points, merge=True)
        return True

    def remove(self, number: int | None = None) -> None:
        """Remove a bend point of the wire, or all of them."""
        found = self.wire()
        points = list(bends_of(found[0].process, found[1].connection)) if found else []
        if found is None or not points:
            self._scene.said.emit(tr("Select a wire with bend points."))
            return
        points = [] if number is None else [p for i, p in enumerate(points) if i != number]
        self._scene.document.bend(found[0].level, found[1].connection, points)
