"""Mouse actions on the canvas: wires, moves, sizes, and clicks on signs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtWidgets import QGraphicsSceneMouseEvent, QToolTip

from fsops.core.graph.wiring import SOURCE
from fsops.editing.connections import End
from fsops.editing.layout import Place
from fsops.errors import FsopsError
from fsops_gui.base.texts import tr
from fsops_gui.canvas.frame_item import FrameItem
from fsops_gui.canvas.look import SCALE
from fsops_gui.canvas.note_item import NoteItem
from fsops_gui.canvas.operator_item import OperatorItem
from fsops_gui.canvas.wire_bends import BendDrag, handle_at, units
from fsops_gui.canvas.wire_drag import WireDrag
from fsops_gui.canvas.wire_item import WireItem

if TYPE_CHECKING:
    from fsops_gui.canvas.scene import ProcessScene

AWAY = 40.0
"""How far a note must be dragged to come off its operator."""


class Mouse:
    """Converts presses, moves and releases to edits of the document.

    Each method returns whether it has done all there is to do; else the scene goes on.
    """

    def __init__(self, scene: ProcessScene) -> None:
        self._scene = scene
        self._drag: WireDrag | None = None
        self._bend: BendDrag | None = None
        self._resized: NoteItem | None = None
        self._pressed: dict[OperatorItem | NoteItem, QPointF] = {}
        self._stopped = False
        """Whether the moved items are back, and the button is still down."""

    def forget(self) -> None:
        """Forget the held items; they are gone."""
        self._drag = None
        self._bend = None
        self._resized = None
        self._pressed.clear()
        self._stopped = False

    @property
    def busy(self) -> bool:
        """Whether something is dragged: a wire, the corner of a note, or the pressed item."""
        held = (self._drag, self._bend, self._resized)
        return any(item is not None for item in held) or bool(self._pressed)

    def cursor_at(self, point: QPointF) -> Qt.CursorShape:
        """Return the cursor for the effect of a press at a point."""
        scene = self._scene
        if scene.port_at(point) is not None:
            return Qt.CursorShape.CrossCursor
        item = scene.operator_at(point)
        if item is not None:
            local = item.mapFromScene(point)
            sign = item.marks.texts and item.bubble().contains(local)
            door = item.shown.inner and item.entrance().contains(local)
            return Qt.CursorShape.PointingHandCursor if sign or door else Qt.CursorShape.ArrowCursor
        note = scene.note_at(point)
        if note is not None and note.handle().contains(note.mapFromScene(point)):
            return Qt.CursorShape.SizeFDiagCursor
        return Qt.CursorShape.ArrowCursor

    # --- pressing ---------------------------------------------------------------------------

    def press(self, event: QGraphicsSceneMouseEvent) -> bool:
        """Begin a wire at a port, open the clicked item, or let the scene select and move."""
        scene = self._scene
        self._stopped = False
        scene.activate(scene.frame_at(event.scenePos()).level)
        if self._drag is not None:  # another button cancels the wire
            self.end_wire()
            return True
        if event.button() == Qt.MouseButton.RightButton:
            return True  # keeps the selection for the menu
        if event.button() != Qt.MouseButton.LeftButton:
            return False
        if self._press_sign(event) or self._press_port(event) or self._press_corner(event):
            return True
        self._press_wire(event)
        return False

    def _press_wire(self, event: QGraphicsSceneMouseEvent) -> None:
        """Be ready to pull a bend point out of a wire; a click still selects it."""
        scene = self._scene
        plain = not event.modifiers() and scene.note_at(event.scenePos()) is None
        wire = scene.wire_at(event.scenePos()) if plain else None
        frame = wire.parentItem() if wire is not None else None
        if wire is not None and isinstance(frame, FrameItem):
            self._bend = BendDrag(frame, wire, event.scenePos() - frame.pos())

    def double_click(self, event: QGraphicsSceneMouseEvent) -> bool:
        """Remove the bend point that is clicked; with Ctrl add one to the wire."""
        scene = self._scene
        wire = scene.wire_at(event.scenePos())
        frame = wire.parentItem() if wire is not None else None
        if wire is None or not isinstance(frame, FrameItem):
            return False
        point = event.scenePos() - frame.pos()
        number = handle_at(wire, point)
        self._bend = None
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            scene.bends.add_at(frame, wire, point)
        elif number is not None:
            points = [p for i, p in enumerate(units(wire.via)) if i != number]
            scene.document.bend(frame.level, wire.connection, points)
        else:
            return False
        return True

    def hold(self) -> None:
        """Remember where the selected things were before they are moved."""
        movable = (OperatorItem, NoteItem)
        chosen = self._scene.selectedItems()
        self._pressed = {i: i.pos() for i in chosen if isinstance(i, movable)}

    def _press_sign(self, event: QGraphicsSceneMouseEvent) -> bool:
        scene = self._scene
        item = scene.operator_at(event.scenePos())
        if item is None:
            return False
        local = item.mapFromScene(event.scenePos())
        if item.marks.texts and item.bubble().contains(local):
            scene.select([item.name])
            scene.fixes_wanted.emit(item.name, QPointF(event.screenPos()))
            return True
        if item.shown.inner and item.entrance().contains(local):
            scene.enter(item.name)
            return True
        return False

    def _press_port(self, event: QGraphicsSceneMouseEvent) -> bool:
        found = self._scene.port_at(event.scenePos())
        if found is None:
            return False
        frame, end = found
        if event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self._scene.document.remove_wires(frame.level, frame.wires_of(end))
        else:
            self._drag = WireDrag(frame, end)
        return True

    def _press_corner(self, event: QGraphicsSceneMouseEvent) -> bool:
        note = self._scene.note_at(event.scenePos())
        if note is None or not note.handle().contains(note.mapFromScene(event.scenePos())):
            return False
        self._scene.clearSelection()
        note.setSelected(True)
        self._resized = note
        return True

    # --- moving -----------------------------------------------------------------------------

    def move(self, event: QGraphicsSceneMouseEvent) -> bool:
        """Lead the wire that is drawn, or give a note another size."""
        if self._drag is not None:
            text = self._drag.move(event.scenePos() - self._drag.frame.pos())
            self._scene.said.emit(text)
            QToolTip.showText(event.screenPos(), text)
            return True
        if self._bend is not None:
            self._bend.move(event.scenePos() - self._bend.frame.pos())
            return self._bend.moves
        if self._resized is not None:
            corner = self._resized.mapFromScene(event.scenePos())
            self._resized.resize(corner.x(), corner.y())
            return True
        return self._stopped

    def follow(self) -> None:
        """Update the wires of moved items; highlight the wire that an operator would go into."""
        if self._moved():
            self._scene.make_room(self._pressed)
        self._lead_wires()
        self._scene.highlight(self._target())

    def _moved(self) -> dict[OperatorItem | NoteItem, QPointF]:
        """Return the moved items, with their former places."""
        return {item: pos for item, pos in self._pressed.items() if item.pos() != pos}

    def _lead_wires(self) -> None:
        names = {item.name for item in self._pressed if isinstance(item, OperatorItem)}
        for frame in self._scene.frames if names else ():
            frame.lead(frame.wires_at(names))

    def _target(self) -> WireItem | None:
        """Return the wire that the operator which is moved would go into."""
        moved = list(self._moved())
        if len(moved) != 1 or not isinstance(moved[0], OperatorItem):
            return None
        return self._scene.wire_under(moved[0])

    def stop(self) -> bool:
        """Cancel the current mouse action; return whether there was one."""
        return self.end_wire() or self._unbend() or self._put_back()

    def _unbend(self) -> bool:
        bend, self._bend = self._bend, None
        if bend is None or not bend.moves:
            return False
        bend.cancel()
        self._stopped = True
        return True

    def _put_back(self) -> bool:
        if self._resized is not None:
            self._resized.reset_size()
            self._resized, self._stopped = None, True
            return True
        moved = self._moved()
        for item, place in moved.items():
            item.setPos(place)
        if moved:
            self._lead_wires()
            self._scene.highlight(None)
            self._scene.line_up()
            self._pressed, self._stopped = {}, True
        return bool(moved)

    # --- releasing --------------------------------------------------------------------------

    def release(self, event: QGraphicsSceneMouseEvent) -> bool:
        """Connect, or take over the size of a note."""
        if self._drag is not None:
            self._release_wire(event)
            return True
        bend, self._bend = self._bend, None
        if bend is not None and bend.moves:
            points = bend.points()
            self._scene.document.bend(bend.frame.level, bend.wire.connection, points)
            return True
        if self._resized is not None:
            note, self._resized = self._resized, None
            size = (round(note.size[0] / SCALE), round(note.size[1] / SCALE))
            self._scene.document.change_note(self._scene.spot_of(note), size=size)
            return True
        return False

    def _release_wire(self, event: QGraphicsSceneMouseEvent) -> None:
        scene = self._scene
        drag, self._drag = self._drag, None
        assert drag is not None
        point = event.scenePos() - drag.frame.pos()
        QToolTip.hideText()
        if drag.frame.end_at(point) == drag.start:
            drag.cancel()
            self.ask_for(drag.frame, drag.start)
            return
        said = drag.move(point)
        connection = drag.finish(point)
        if connection is not None:
            self.attempt(lambda: scene.document.connect(drag.frame.level, connection))
        elif said:
            scene.said.emit(said)
        elif scene.frame_at(event.scenePos()) is not drag.frame:
            scene.said.emit(tr("A wire cannot leave its process: results leave at its right edge."))
        elif (
            scene.operator_at(event.scenePos()) is None and scene.port_at(event.scenePos()) is None
        ):
            scene.dropped_in_space.emit(drag.start, event.scenePos())

    def ask_for(self, frame: FrameItem, end: End) -> None:
        """Report the output of a port: its own, or the one that feeds it."""
        level = frame.process
        start = (end.node, end.port) if end.outgoing else level.incoming(end.node).get(end.port)
        while start is not None and start[0] == SOURCE and level.owner is not None:
            owner = level.owner
            level = owner.process
            start = level.incoming(owner.name).get(start[1])
        if start is None or start[0] == SOURCE:
            self._scene.said.emit(tr("This port passes no value."))
        else:
            self._scene.port_clicked.emit(start[0], start[1], True)

    def end_wire(self) -> bool:
        """Cancel a wire that is being drawn; return whether there was one."""
        if self._drag is None:
            return False
        self._drag.cancel()
        self._drag = None
        QToolTip.hideText()
        return True

    def take_places(self, point: QPointF) -> None:
        """Make edits of the moves; a note may have left an operator, or joined one."""
        moved, wire = self._moved(), self._target()
        self._pressed, self._stopped = {}, False
        self._scene.highlight(None)
        first = next(iter(moved), None)
        if isinstance(first, NoteItem) and len(moved) == 1:
            self._take_note(first, moved[first], point)
            return
        if isinstance(first, OperatorItem) and wire is not None:
            level = self._scene.document.level_of(first.name)
            self._scene.document.move_into(level, first.name, place_of(first), wire.connection)
            return
        document = self._scene.document
        frames = {item.parentItem() for item in moved} & set(self._scene.frames)
        document.undo_stack.beginMacro(tr("Move")) if len(frames) > 1 else None
        for frame in self._scene.frames:
            mine = [item for item in moved if item.parentItem() is frame]
            places = {i.name: place_of(i) for i in mine if isinstance(i, OperatorItem)}
            notes = {i.number: place_of(i) for i in mine if isinstance(i, NoteItem)}
            if mine:
                document.move(frame.level, places, notes)
        document.undo_stack.endMacro() if len(frames) > 1 else None

    def _take_note(self, note: NoteItem, before: QPointF, point: QPointF) -> None:
        scene = self._scene
        spot = scene.spot_of(note)
        under = scene.operator_at(point)
        if note.owner is not None:
            away = note.pos() - before
            if abs(away.x()) + abs(away.y()) < AWAY:
                note.setPos(before)
                return
            place = note.scenePos() - scene.frame_of(spot.level).pos()
            scene.document.free_note(spot, (_units(place.x()), _units(place.y())))
        elif under is not None and not under.shown.note and under.parentItem() is note.parentItem():
            scene.document.attach_note(spot, under.name)
        else:
            scene.document.change_note(spot, place=place_of(note))

    def attempt(self, edit: Callable[[], object]) -> None:
        """Make an edit; why it is not possible is said."""
        try:
            edit()
        except FsopsError as error:
            self._scene.said.emit(str(error))


def _units(length: float) -> int:
    return round(length / SCALE)


def place_of(item: OperatorItem | NoteItem) -> Place:
    """Return where an item is, in the units of process files."""
    return _units(item.pos().x()), _units(item.pos().y())
