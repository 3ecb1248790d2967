"""Queries for the frames and items of a scene."""

from __future__ import annotations

from PyQt6.QtCore import QPointF
from PyQt6.QtWidgets import QGraphicsScene

from fsops.editing.connections import End, fits_into_wire
from fsops.editing.layout import Place
from fsops.editing.levels import Level, Spot
from fsops_gui.canvas.frame_item import FrameItem
from fsops_gui.canvas.look import SCALE
from fsops_gui.canvas.note_item import NoteItem
from fsops_gui.canvas.operator_item import OperatorItem
from fsops_gui.canvas.wire_item import WireItem


class FramesScene(QGraphicsScene):
    """Frames side by side, with operators, wires and notes in them."""

    def __init__(self) -> None:
        super().__init__()
        self.frames: list[FrameItem] = []

    def frame_of(self, level: Level) -> FrameItem:
        """Return the frame of a level that is shown."""
        return next(frame for frame in self.frames if frame.level == level)

    def frame_at(self, point: QPointF) -> FrameItem:
        """Return the frame at a point, or the one nearest to it."""

        def distance(frame: FrameItem) -> float:
            box = frame.rect().translated(frame.pos())
            outside = max(box.left() - point.x(), point.x() - box.right(), 0.0)
            return outside + max(box.top() - point.y(), point.y() - box.bottom(), 0.0)

        return min(self.frames, key=distance)

    def port_at(self, point: QPointF) -> tuple[FrameItem, End] | None:
        """Return the port at a point of the scene."""
        for frame in self.frames:
            end = frame.end_at(point - frame.pos())
            if end is not None:
                return frame, end
        return None

    def operator_at(self, point: QPointF) -> OperatorItem | None:
        """Return the operator at a point of the scene."""
        found = (i for i in self.items(point) if isinstance(i, OperatorItem))
        return next(found, None)

    def note_at(self, point: QPointF) -> NoteItem | None:
        """Return the note at a point of the scene."""
        return next((i for i in self.items(point) if isinstance(i, NoteItem)), None)

    def spot_of(self, note: NoteItem) -> Spot:
        """Return the place of a note in the process."""
        parent = note.parentItem()
        frame = parent.parentItem() if isinstance(parent, OperatorItem) else parent
        assert isinstance(frame, FrameItem)
        return Spot(frame.level, note.number, note.owner)

    def note_of(self, spot: Spot) -> NoteItem | None:
        """Return the item of a note, if its level is shown."""
        frame = next((f for f in self.frames if f.level == spot.level), None)
        if frame is None:
            return None
        if spot.owner is not None:
            item = frame.operators.get(spot.owner)
            return item.note if item is not None else None
        return frame.notes[spot.number] if 0 <= spot.number < len(frame.notes) else None

    def wire_at(self, point: QPointF) -> WireItem | None:
        """Return the wire at a point where no operator is."""
        found = self.items(point)
        if any(isinstance(item, OperatorItem) for item in found):
            return None
        return next((item for item in found if isinstance(item, WireItem)), None)

    def wire_under(self, item: OperatorItem) -> WireItem | None:
        """Return the wire across the middle of an operator that could be put into it."""
        frame, body = item.parentItem(), item.body().translated(item.pos())
        if not isinstance(frame, FrameItem) or frame.wires_at({item.name}):
            return None
        x, y = body.width() / 4, body.height() / 4
        middle = body.adjusted(x, y, -x, -y)
        across = [
            wire
            for wire in frame.wires.values()
            if wire.shape().intersects(middle)
            and fits_into_wire(frame.process, frame.process[item.name], wire.connection)
        ]
        return min(across, key=lambda wire: wire.distance(middle.center()), default=None)

    def item_of(self, name: str) -> OperatorItem | None:
        """Return the item of an operator, if its level is shown."""
        return next((f.operators[name] for f in self.frames if name in f.operators), None)

    def place_at(self, point: QPointF) -> tuple[FrameItem, Place]:
        """Return level and place for an operator whose middle is at a point."""
        frame = self.frame_at(point)
        local = point - frame.pos() - QPointF(66, 28)
        return frame, (max(round(local.x() / SCALE), 0), max(round(local.y() / SCALE), 0))
