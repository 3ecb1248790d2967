"""The scene: the levels inside one operator (or the whole process), side by side.

It shows a document and owns nothing of it: the mouse makes edits of the document, and what the
document says has changed is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from PyQt6.QtCore import QPointF, Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import (
    QGraphicsScene,
    QGraphicsSceneHelpEvent,
    QGraphicsSceneMouseEvent,
    QToolTip,
)

from fsops.core.operator import Operator
from fsops.core.propagation import Propagated
from fsops.core.wiring import Connection
from fsops.errors import FsopsError
from fsops_gui.canvas.frame_item import FrameItem
from fsops_gui.canvas.look import SCALE
from fsops_gui.canvas.note_item import NoteItem
from fsops_gui.canvas.operator_item import Marks, OperatorItem, RunState
from fsops_gui.canvas.selection import Selected, neighbour
from fsops_gui.canvas.tips import metadata_at, port_tip
from fsops_gui.canvas.wire_drag import WireDrag
from fsops_gui.canvas.wire_item import WireItem
from fsops_gui.connecting import End
from fsops_gui.document import ROOT, Change, Document, Level
from fsops_gui.edits import Place
from fsops_gui.texts import tr
from fsops_gui.theme import current_colours

GAP = 40.0


class ProcessScene(QGraphicsScene):
    """One place in a process: its outermost level, or all levels inside one operator."""

    moved_to = pyqtSignal(object)
    """The name of the operator whose inside is shown now; None for the whole process."""
    selected_now = pyqtSignal()
    """Another selection, told once when everything is in its place."""
    said = pyqtSignal(str)
    """A sentence for the status bar."""
    fixes_wanted = pyqtSignal(str, QPointF)
    """The sign of a problem was clicked: which operator, where on the screen."""
    dropped_in_space = pyqtSignal(object, QPointF)
    """A wire was dropped where nothing is: the port it began at, and the point of the scene."""

    def __init__(self, document: Document) -> None:
        super().__init__()
        self.document = document
        self.owner: str | None = None
        self.frames: list[FrameItem] = []
        self.active: Level = ROOT
        self.known = Propagated()
        self._marks: dict[str, Marks] = {}
        self._faults: dict[tuple[str, ...], list[str]] = {}
        self._runs: dict[str, RunState] = {}
        self._drag: WireDrag | None = None
        self._pressed: dict[OperatorItem | NoteItem, QPointF] = {}
        self._changing = 0
        self.selectionChanged.connect(self._tell_selection)
        document.changed.connect(self._follow)
        self.enter(None)

    # --- showing ----------------------------------------------------------------------------

    @contextmanager
    def _change(self) -> Iterator[None]:
        """Keep quiet about the selection while items come and go."""
        self._changing += 1
        try:
            yield
        finally:
            self._changing -= 1
        self._tell_selection()

    def _tell_selection(self) -> None:
        if not self._changing:
            self.selected_now.emit()

    def enter(self, owner: str | None) -> None:
        """Show the inside of an operator, or with None the whole process."""
        with self._change():
            self._enter(owner)
        self.moved_to.emit(owner)

    def _enter(self, owner: str | None) -> None:
        self.owner = owner
        self._drag = None
        self._pressed.clear()
        self.clear()
        colours = current_colours()
        self.setBackgroundBrush(colours.background)
        count = 1 if owner is None else len(self.document.process.find(owner).subprocesses)
        levels = [Level(owner, i) for i in range(count)]
        self.frames = [FrameItem(lev, self.document.level(lev), colours) for lev in levels]
        for frame in self.frames:
            self.addItem(frame)
        self._line_up()
        self.activate(levels[0])
        self._decorate()

    def redraw(self) -> None:
        """Draw everything anew, as after a change of colours."""
        active = self.active
        self.enter(self.owner)
        self.activate(active)

    def go_up(self) -> None:
        """Show the level around the one shown, with the operator it belongs to selected."""
        if self.owner is not None:
            inside = self.owner
            self.enter(self.document.level_of(inside).owner)
            self.select([inside])

    def _line_up(self) -> None:
        x = 0.0
        for frame in self.frames:
            frame.setPos(x - frame.rect().left(), 0)
            x += frame.rect().width() + GAP
        total = self.itemsBoundingRect()
        self.setSceneRect(total.adjusted(-24, -24, 24, 24))

    def _follow(self, change: Change) -> None:
        self._end_drag()  # a wire that is being drawn may have lost its operator
        renamed = dict(change.renamed)
        self.owner = renamed.get(self.owner or "", self.owner)
        for old, new in renamed.items():
            if old in self._marks:
                self._marks[new] = self._marks.pop(old)
            if old in self._runs:
                self._runs[new] = self._runs.pop(old)
        owner = next((n for n in change.after.walk() if n.name == self.owner), None)
        if self.owner is not None and (owner is None or not owner.subprocesses):
            self.enter(None)
            return
        if owner is not None and len(owner.subprocesses) != len(self.frames):
            self.enter(self.owner)
            return
        with self._change():
            for index, frame in enumerate(self.frames):
                frame.level = Level(self.owner, index)
                frame.show_process(frame.level.of(change.after), renamed)
        self.active = Level(self.owner, self.active.index)
        self._line_up()
        self._decorate()
        if renamed:
            self.moved_to.emit(self.owner)

    def activate(self, level: Level) -> None:
        """Make one of the levels shown the one that new operators go to."""
        self.active = level
        for frame in self.frames:
            frame.active = frame.level == level and len(self.frames) > 1
            frame.update()

    # --- what is known about operators ------------------------------------------------------

    def set_marks(
        self,
        marks: dict[str, Marks],
        levels: dict[tuple[str, ...], list[str]],
        known: Propagated,
    ) -> None:
        """Show what the check has found: about operators, about levels, and at the ports."""
        self._marks, self._faults, self.known = marks, levels, known
        self._decorate()

    def set_runs(self, runs: dict[str, RunState]) -> None:
        """Show how far the run is."""
        self._runs = dict(runs)
        self._decorate()

    def _decorate(self) -> None:
        for frame in self.frames:
            frame.show_faults(self._faults.get(frame.process.path, []))
            for name, item in frame.operators.items():
                marks, run = self._marks.get(name, Marks()), self._runs.get(name, RunState())
                if item.marks != marks or item.run != run:
                    item.marks, item.run = marks, run
                    item.update()

    # --- finding ----------------------------------------------------------------------------

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

    def wire_at(self, point: QPointF) -> WireItem | None:
        """Return the wire at a point where no operator is."""
        found = self.items(point)
        if any(isinstance(item, OperatorItem) for item in found):
            return None
        return next((item for item in found if isinstance(item, WireItem)), None)

    def item_of(self, name: str) -> OperatorItem | None:
        """Return the item of an operator, if its level is shown."""
        return next((f.operators[name] for f in self.frames if name in f.operators), None)

    def place_at(self, point: QPointF) -> tuple[FrameItem, Place]:
        """Return level and place for an operator whose middle is at a point."""
        frame = self.frame_at(point)
        local = point - frame.pos() - QPointF(66, 28)
        return frame, (max(round(local.x() / SCALE), 0), max(round(local.y() / SCALE), 0))

    # --- selecting --------------------------------------------------------------------------

    def selected(self) -> dict[Level, Selected]:
        """Return what is selected, by level."""
        found: dict[Level, Selected] = {}
        for item in self.selectedItems():
            frame = item.parentItem()
            if not isinstance(frame, FrameItem):
                continue
            chosen = found.setdefault(frame.level, Selected())
            if isinstance(item, OperatorItem):
                chosen.names.append(item.name)
            elif isinstance(item, WireItem):
                chosen.wires.append(item.connection)
            elif isinstance(item, NoteItem):
                chosen.notes.append(item.number)
        return found

    def selected_names(self) -> list[str]:
        """Return the selected operators, those of the active level first."""
        groups = self.selected()
        first = groups.pop(self.active, Selected()).names
        return first + [name for group in groups.values() for name in group.names]

    def select(self, names: Iterable[str]) -> None:
        """Select operators and nothing else."""
        wanted = set(names)
        with self._change():
            self.clearSelection()
            for frame in self.frames:
                for name in wanted & frame.operators.keys():
                    frame.operators[name].setSelected(True)
                    self.activate(frame.level)

    def select_all(self) -> None:
        """Select every operator of the active level."""
        self.select(self.frame_of(self.active).operators)

    def neighbour(self, dx: int, dy: int) -> str | None:
        """Return the operator next to the selected one in a direction."""
        return neighbour(self.frame_of(self.active).operators, self.selected_names(), dx, dy)

    # --- mouse ------------------------------------------------------------------------------

    def mousePressEvent(self, event: QGraphicsSceneMouseEvent | None) -> None:
        """Begin a wire at a port, open what was clicked, or select and move."""
        assert event is not None
        point = event.scenePos()
        self.activate(self.frame_at(point).level)
        if self._drag is not None:  # another button cancels the wire
            self._end_drag()
            return
        if event.button() == Qt.MouseButton.LeftButton:
            if self._press_sign(event) or self._press_port(event):
                event.accept()
                return
        elif event.button() == Qt.MouseButton.RightButton:
            event.accept()  # keeps the selection for the menu
            return
        super().mousePressEvent(event)
        movable = (OperatorItem, NoteItem)
        self._pressed = {i: i.pos() for i in self.selectedItems() if isinstance(i, movable)}

    def _press_sign(self, event: QGraphicsSceneMouseEvent) -> bool:
        item = self.operator_at(event.scenePos())
        if item is None:
            return False
        local = item.mapFromScene(event.scenePos())
        if item.marks.texts and item.bubble().contains(local):
            self.select([item.name])
            self.fixes_wanted.emit(item.name, QPointF(event.screenPos()))
            return True
        if item.shown.inner and item.entrance().contains(local):
            self.enter(item.name)
            return True
        return False

    def _press_port(self, event: QGraphicsSceneMouseEvent) -> bool:
        found = self.port_at(event.scenePos())
        if found is None:
            return False
        frame, end = found
        if event.modifiers() & Qt.KeyboardModifier.AltModifier:
            wires = [w for w in frame.wires if _touches(w, end)]
            self.document.remove_wires(frame.level, wires)
        else:
            self._drag = WireDrag(frame, end)
        return True

    def mouseMoveEvent(self, event: QGraphicsSceneMouseEvent | None) -> None:
        """Lead the wire that is drawn, or the wires of operators that are moved."""
        assert event is not None
        if self._drag is not None:
            text = self._drag.move(event.scenePos() - self._drag.frame.pos())
            self.said.emit(text)
            QToolTip.showText(event.screenPos(), text)
            return
        super().mouseMoveEvent(event)
        if event.buttons() & Qt.MouseButton.LeftButton:
            names = {item.name for item in self._pressed if isinstance(item, OperatorItem)}
            for frame in self.frames if names else ():
                frame.lead(frame.wires_at(names))

    def mouseReleaseEvent(self, event: QGraphicsSceneMouseEvent | None) -> None:
        """Connect, or take over where things were moved to."""
        assert event is not None
        if self._drag is not None:
            self._release_wire(event)
            return
        super().mouseReleaseEvent(event)
        self._take_places()

    def _release_wire(self, event: QGraphicsSceneMouseEvent) -> None:
        drag, self._drag = self._drag, None
        assert drag is not None
        point = event.scenePos() - drag.frame.pos()
        said = drag.move(point)
        connection = drag.finish(point)
        QToolTip.hideText()
        if connection is not None:
            self._attempt(lambda: self.document.connect(drag.frame.level, connection))
        elif said:
            self.said.emit(said)
        elif self.frame_at(event.scenePos()) is not drag.frame:
            self.said.emit(tr("A wire cannot leave its process: results leave at its right edge."))
        elif self.operator_at(event.scenePos()) is None and self.port_at(event.scenePos()) is None:
            self.dropped_in_space.emit(drag.start, event.scenePos())

    def _end_drag(self) -> None:
        if self._drag is not None:
            self._drag.cancel()
            self._drag = None
            QToolTip.hideText()

    def _take_places(self) -> None:
        moved = {item: pos for item, pos in self._pressed.items() if item.pos() != pos}
        self._pressed = {}
        for frame in self.frames if moved else ():
            places = {
                item.name: _place(item)
                for item in moved
                if isinstance(item, OperatorItem) and item.parentItem() is frame
            }
            if places:
                self.document.move(frame.level, places)
            for item in [i for i in moved if isinstance(i, NoteItem)]:
                if item.parentItem() is frame:
                    self.document.change_note(frame.level, item.number, place=_place(item))

    def mouseDoubleClickEvent(self, event: QGraphicsSceneMouseEvent | None) -> None:
        """Open the inner processes of an operator."""
        assert event is not None
        item = self.operator_at(event.scenePos())
        if item is not None and item.shown.inner and self.port_at(event.scenePos()) is None:
            self.enter(item.name)
        else:
            super().mouseDoubleClickEvent(event)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Escape ends a wire that is being drawn."""
        if event is not None and event.key() == Qt.Key.Key_Escape:
            self._end_drag()
        super().keyPressEvent(event)

    def _attempt(self, edit: Callable[[], None]) -> None:
        try:
            edit()
        except FsopsError as error:
            self.said.emit(str(error))

    # --- palette ----------------------------------------------------------------------------

    def drop(self, operator: Operator, point: QPointF) -> str:
        """Add an operator at a point; on a wire, into the wire."""
        wire = self.wire_at(point)
        frame, place = self.place_at(point)
        self.activate(frame.level)
        if wire is not None and operator.inputs and operator.outputs:
            name = self.document.insert(frame.level, operator, wire.connection, place)
        else:
            after = next((n for n in self.selected_names() if n in frame.operators), None)
            name = self.document.add(frame.level, operator, place, after)
        self.select([name])
        return name

    def highlight_wire(self, point: QPointF | None) -> None:
        """Let the wire glow that a drop at a point would go into."""
        target = self.wire_at(point) if point is not None else None
        for frame in self.frames:
            for item in frame.wires.values():
                if item.glows != (item is target):
                    item.glows = item is target
                    item.update()

    # --- tips -------------------------------------------------------------------------------

    def tip_at(self, point: QPointF) -> str:
        """Return what is told about a point of the scene."""
        found = self.port_at(point)
        if found is not None:
            frame, end = found
            port = frame.declared(end)
            meta = metadata_at(self.known, end, list(frame.wires))
            return port_tip(end, port, meta) if port else ""
        item = self.operator_at(point)
        if item is not None:
            lines = [item.shown.kind] if item.shown.kind != item.name else []
            lines += item.marks.texts + ([item.shown.note] if item.shown.note else [])
            return "\n".join(lines)
        wire = self.wire_at(point)
        return str(wire.connection) if wire is not None else ""

    def helpEvent(self, event: QGraphicsSceneHelpEvent | None) -> None:
        """Show the tip."""
        if event is not None:
            QToolTip.showText(event.screenPos(), self.tip_at(event.scenePos()))


def _place(item: OperatorItem | NoteItem) -> Place:
    return round(item.pos().x() / SCALE), round(item.pos().y() / SCALE)


def _touches(wire: Connection, end: End) -> bool:
    if end.outgoing:
        return (wire.from_node, wire.from_port) == (end.node, end.port)
    return (wire.to_node, wire.to_port) == (end.node, end.port)
