"""The scene: the levels inside one operator (or the whole process), side by side.

It shows a document and owns nothing of it: the mouse makes edits of the document, and changes
of the document are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import reduce

from PyQt6.QtCore import QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QBrush, QKeyEvent, QPainter, QPixmap
from PyQt6.QtWidgets import (
    QGraphicsItem,
    QGraphicsSceneHelpEvent,
    QGraphicsSceneMouseEvent,
    QStyleOptionGraphicsItem,
    QToolTip,
)

from fsops.core.checks.propagation import Propagated
from fsops.core.operator import Operator
from fsops.editing.connections import End
from fsops.editing.levels import ROOT, Level, Spot
from fsops.runs.watch import OperatorState
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import Colours, current_colours
from fsops_gui.base.tokens import tokens
from fsops_gui.canvas.frame_item import FrameItem
from fsops_gui.canvas.frames_scene import FramesScene
from fsops_gui.canvas.look import FULL_ZOOM, REACH
from fsops_gui.canvas.mouse import Mouse
from fsops_gui.canvas.note_item import NoteItem
from fsops_gui.canvas.operator_item import PLUS, OperatorItem
from fsops_gui.canvas.port_walk import PortWalk
from fsops_gui.canvas.preview import Preview
from fsops_gui.canvas.selection import LevelSelection, neighbour
from fsops_gui.canvas.tips import PortSummary, metadata_at, origin, port_tip, role_text
from fsops_gui.canvas.wire_bends import BendKeys
from fsops_gui.canvas.wire_item import WireItem
from fsops_gui.document.checker import Marks
from fsops_gui.document.document import Document
from fsops_gui.document.undo_steps import Change

GAP, BELOW = 40.0, 20.0
"""Between two frames, beside and below each other."""
SIDE_BY_SIDE = 0.75
"""Frames are placed below each other if a smaller zoom would be needed to see them side by side."""
_NO_MARKS, _NO_RUN = Marks(), OperatorState()


class ProcessScene(FramesScene):
    """One place in a process: its outermost level, or all levels inside one operator."""

    moved_to = pyqtSignal(object)
    """The name of the operator whose inside is shown now; None for the whole process."""
    leaving = pyqtSignal()
    """The view will change to another level."""
    selected_now = pyqtSignal()
    """Another selection, emitted once when everything is in its place."""
    said = pyqtSignal(str)
    """A sentence for the status bar."""
    fixes_wanted = pyqtSignal(str, QPointF)
    """The sign of a problem was clicked: which operator, where on the screen."""
    dropped_in_space = pyqtSignal(object, QPointF)
    """A wire was dropped where nothing is: the port it began at, and the point of the scene."""

    port_clicked = pyqtSignal(str, str, bool)
    """The output at a port was asked for: operator, port, and that it is an output."""
    port_reached = pyqtSignal(str)
    """The keyboard is at a port now: the words about it."""
    rearranged = pyqtSignal()
    """The frames were placed otherwise: beside each other or one below the other."""
    writing_wanted = pyqtSignal(object)
    """The `Spot` of a note that was double clicked."""

    def __init__(self, document: Document) -> None:
        super().__init__()
        self.document = document
        self.owner: str | None = None
        self.active: Level = ROOT
        self.known = Propagated()
        self.seen: Callable[[str, str], PortSummary | None] = lambda _operator, _port: None
        """The last value at an output."""
        self.stacked = False
        self.plain = False
        """Whether the canvas looks like the frames, as in small pictures."""
        self._room = 0.0
        self._far = False
        self._previews: Mapping[tuple[str, str], Preview] = {}
        self._marks: dict[str, Marks] = {}
        self._faults: dict[tuple[str, ...], list[str]] = {}
        self._runs: dict[str, OperatorState] = {}
        self.numbered = False
        self.mouse = Mouse(self)
        self.ports = PortWalk(self)
        self.bends = BendKeys(self)
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
        self.leaving.emit()
        with self._change():
            self._enter(owner)
        self.moved_to.emit(owner)

    def _enter(self, owner: str | None) -> None:
        # First, so that an operator that does not exist leaves everything as it was.
        count = 1 if owner is None else len(self.document.process.find(owner).subprocesses)
        self.owner = owner
        self.mouse.forget()
        self.ports.forget()
        self.clear()
        colours = current_colours()
        self._colours = colours
        self._dots = dots(colours)
        levels = [Level(owner, i) for i in range(count)]
        self.frames = [FrameItem(lev, self.document.level(lev), colours) for lev in levels]
        for frame in self.frames:
            frame.number_operators(self.numbered)
            self.addItem(frame)
        self._decorate()
        self.stacked = self._is_too_wide()
        self.line_up()
        self.activate(levels[0])

    def drawBackground(self, painter: QPainter | None, rect: QRectF) -> None:
        """Paint the canvas: a grid of dots where they can be distinguished."""
        assert painter is not None
        zoom = QStyleOptionGraphicsItem.levelOfDetailFromTransform(painter.worldTransform())
        if self.plain:
            painter.fillRect(rect, self._colours.frame)
        else:
            far = zoom < FULL_ZOOM
            painter.fillRect(rect, self._colours.background if far else self._dots)

    def set_far(self, far: bool) -> None:
        """Inform the cards whether the zoom is small."""
        self._far = far
        for frame in self.frames:
            for item in frame.operators.values():
                item.set_far(far)

    def set_nameless(self, on: bool) -> None:
        """Leave the names away when it is painted small, as in pictures of the whole."""
        for frame in self.frames:
            for item in frame.operators.values():
                item.nameless = on

    def set_room(self, width: float) -> None:
        """Note the width of the screen; frames that need more are placed below each other."""
        self._room = width
        stacked = self._is_too_wide()
        if stacked != self.stacked and not self.mouse.busy:
            self.stacked = stacked
            self.line_up()
            self.rearranged.emit()

    def _is_too_wide(self) -> bool:
        wide = sum(frame.natural_width for frame in self.frames) + GAP * len(self.frames)
        return len(self.frames) > 1 and 0 < self._room < SIDE_BY_SIDE * wide

    def redraw(self) -> None:
        """Redraw everything, as after a change of colors."""
        active, names = self.active, self.selected_names()
        self.enter(self.owner)
        self.activate(active)
        self.select(names)

    def go_up(self) -> None:
        """Show the level around the one shown, with the operator it belongs to selected."""
        if self.owner is not None:
            inside = self.owner
            self.enter(self.document.level_of(inside).owner)
            self.select([inside])

    def line_up(self) -> None:
        """Put the frames beside or below each other, and fit the canvas to its contents."""
        widest = max(frame.natural_width for frame in self.frames) if self.stacked else 0.0
        x = y = 0.0
        for frame in self.frames:
            frame.stretch(widest)
            box = frame.rect()
            frame.setPos(x - box.left(), y - box.top() if self.stacked else 0.0)
            if self.stacked:
                y += box.height() + BELOW
            else:
                x += box.width() + GAP
        boxes = [frame.boundingRect().translated(frame.pos()) for frame in self.frames]
        total = reduce(QRectF.united, boxes)
        if self.sceneRect() != total.adjusted(-24, -24, 24, 24):
            self.setSceneRect(total.adjusted(-24, -24, 24, 24))

    def make_room(self, items: Iterable[QGraphicsItem]) -> None:
        """Extend the canvas while items are dragged; later it fits its contents again."""
        room = reduce(QRectF.united, [item.sceneBoundingRect() for item in items], QRectF())
        if not self.sceneRect().contains(room):
            self.setSceneRect(self.sceneRect().united(room.adjusted(-24, -24, 24, 24)))

    def _follow(self, change: Change) -> None:
        self.mouse.end_wire()  # a wire that is being drawn may have lost its operator
        self.ports.leave()
        renamed = dict(change.renamed)
        self.owner = renamed.get(self.owner or "", self.owner)
        for old, new in renamed.items():
            if old in self._marks:
                self._marks[new] = self._marks.pop(old)
            if old in self._runs:
                self._runs[new] = self._runs.pop(old)
        left = {node.name: node for node in change.after.walk()}
        owner = left.get(self.owner or "")
        if self.owner is not None and (owner is None or not owner.subprocesses):
            around = self._around(change, {new: old for old, new in renamed.items()})
            self.enter(next((n for n in around if n in left and left[n].subprocesses), None))
            return
        if owner is not None and len(owner.subprocesses) != len(self.frames):
            self.enter(self.owner)
            return
        self.active = Level(self.owner, self.active.index)
        with self._change():
            for index, frame in enumerate(self.frames):
                frame.level = Level(self.owner, index)
                frame.show_process(frame.level.of(change.after), renamed)
        self.line_up()
        self._decorate()
        if renamed:
            self.moved_to.emit(self.owner)

    def _around(self, change: Change, old_names: dict[str, str]) -> Iterator[str]:
        """Return the operators around the shown level, the nearest first."""
        name = old_names.get(self.owner or "", self.owner or "")
        node = next((n for n in change.before.walk() if n.name == name), None)
        while node is not None and (node := node.process.owner) is not None:
            yield node.name

    def activate(self, level: Level) -> None:
        """Make one of the levels shown the one that new operators go to."""
        self.active = level
        for frame in self.frames:
            frame.active = frame.level == level and len(self.frames) > 1
            frame.update()

    def show_order(self, on: bool) -> None:
        """Show in which order the operators run, or no longer."""
        self.numbered = on
        for frame in self.frames:
            frame.number_operators(on)

    # --- what is known about operators ------------------------------------------------------

    def set_marks(
        self,
        marks: dict[str, Marks],
        levels: dict[tuple[str, ...], list[str]],
        known: Propagated,
    ) -> None:
        """Show the results of the check: at operators, levels and ports."""
        self._marks, self._faults, self.known = marks, levels, known
        self._decorate()

    def set_runs(self, runs: dict[str, OperatorState]) -> None:
        """Show how far the run is."""
        self._runs = dict(runs)
        self._decorate()

    def set_previews(self, previews: Mapping[tuple[str, str], Preview]) -> None:
        """Show the last results: small plots on the cards, counts on the wires."""
        self._previews = dict(previews)
        self._decorate()

    def _decorate(self) -> None:
        moved = False
        owner = self._runs.get(self.owner or "", _NO_RUN)
        for frame in self.frames:
            moved |= frame.show_previews(self._previews)
        for frame in self.frames:
            frame.show_faults(self._faults.get(frame.process.path, []))
            for name, item in frame.operators.items():
                marks, run = self._marks.get(name, _NO_MARKS), self._runs.get(name, _NO_RUN)
                item.set_far(self._far)
                if item.marks != marks or item.run != run:
                    # A copy: the run goes on changing its own.
                    item.marks, item.run = marks, replace(run)
                    item.update()
            frame.show_flow(self._previews, owner)
        if moved:
            self.line_up()

    # --- selecting --------------------------------------------------------------------------

    def selected(self) -> dict[Level, LevelSelection]:
        """Return the selected items, by level."""
        found: dict[Level, LevelSelection] = {}
        for item in self.selectedItems():
            if isinstance(item, NoteItem):
                spot = self.spot_of(item)
                found.setdefault(spot.level, LevelSelection()).notes.append(spot)
                continue
            frame = item.parentItem()
            if not isinstance(frame, FrameItem):
                continue
            chosen = found.setdefault(frame.level, LevelSelection())
            if isinstance(item, OperatorItem):
                chosen.names.append(item.name)
            elif isinstance(item, WireItem):
                chosen.wires.append(item.connection)
        return found

    def selected_note(self) -> Spot | None:
        """Return the first selected note."""
        return next((spot for group in self.selected().values() for spot in group.notes), None)

    def selected_names(self) -> list[str]:
        """Return the selected operators, those of the active level first."""
        groups = self.selected()
        first = groups.pop(self.active, LevelSelection()).names
        return first + [name for group in groups.values() for name in group.names]

    def select(self, names: Iterable[str], notes: Iterable[Spot] = ()) -> None:
        """Select operators, and notes, and nothing else."""
        wanted = set(names)
        with self._change():
            self.clearSelection()
            for item in map(self.note_of, notes):
                if item is not None:
                    item.setSelected(True)
            for frame in self.frames:
                for name in wanted & frame.operators.keys():
                    frame.operators[name].setSelected(True)
                    self.activate(frame.level)

    def select_all(self) -> None:
        """Select every operator and every free note of the active level."""
        frame = self.frame_of(self.active)
        self.select(frame.operators, [Spot(self.active, item.number) for item in frame.notes])

    def neighbour(self, dx: int, dy: int) -> str | None:
        """Return the operator next to the selected one in a direction."""
        return neighbour(self.frame_of(self.active).operators, self.selected_names(), dx, dy)

    # --- mouse and keys ---------------------------------------------------------------------

    def mousePressEvent(self, event: QGraphicsSceneMouseEvent | None) -> None:
        """Begin a wire, open the clicked item, or select and move."""
        assert event is not None
        self.ports.leave()
        plus = self.plus_at(event.scenePos())
        if plus is not None and event.button() == Qt.MouseButton.LeftButton:
            event.accept()
            self.dropped_in_space.emit(plus, event.scenePos() + QPointF(PLUS, -PLUS))
            return
        if self.mouse.press(event):
            event.accept()
            return
        super().mousePressEvent(event)
        self.mouse.hold()

    def mouseMoveEvent(self, event: QGraphicsSceneMouseEvent | None) -> None:
        """Lead the wire that is drawn, or the wires of operators that are moved."""
        assert event is not None
        if self.mouse.move(event):
            return
        super().mouseMoveEvent(event)
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.mouse.follow()

    def mouseReleaseEvent(self, event: QGraphicsSceneMouseEvent | None) -> None:
        """Connect, or take over where things were moved to."""
        assert event is not None
        if self.mouse.release(event):
            return
        super().mouseReleaseEvent(event)
        self.mouse.take_places(event.scenePos())

    def mouseDoubleClickEvent(self, event: QGraphicsSceneMouseEvent | None) -> None:
        """Open the inner processes of an operator, or write in a note."""
        assert event is not None
        point = event.scenePos()
        item, note = self.operator_at(point), self.note_at(point)
        if item is not None and item.shown.inner and self.port_at(point) is None:
            self.enter(item.name)
        elif note is not None and item is None:
            self.writing_wanted.emit(self.spot_of(note))
        elif item is None and not self.mouse.double_click(event):
            super().mouseDoubleClickEvent(event)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Escape cancels the mouse action, else it clears the selection."""
        if event is not None and event.key() == Qt.Key.Key_Escape and not self.mouse.stop():
            self.clearSelection()
        super().keyPressEvent(event)

    def plus_at(self, point: QPointF) -> End | None:
        """Return the output behind which a "+" is at a point."""
        if self._far:
            return None
        for item in self.selectedItems():
            if isinstance(item, OperatorItem):
                for end, place in item.plus_places():
                    away = item.mapToScene(place) - point
                    if abs(away.x()) <= REACH and abs(away.y()) <= REACH:
                        return end
        return None

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
        self.highlight(self.wire_at(point) if point is not None else None)

    def highlight(self, target: WireItem | None) -> None:
        """Let one wire glow, or none."""
        for frame in self.frames:
            for item in frame.wires.values():
                if item.glows != (item is target):
                    item.glows = item is target
                    item.update()

    # --- tips -------------------------------------------------------------------------------

    def tip_at(self, point: QPointF) -> str:
        """Return the tip for a point of the scene."""
        found = self.port_at(point)
        if found is not None:
            frame, end = found
            port = frame.declared(end)
            wires = list(frame.wires)
            meta = metadata_at(self.known, end, wires)
            start = origin(end, wires)
            seen = None if start is None else self.seen(*start)
            stale = start is not None and self._runs.get(start[0], OperatorState()).stale
            return port_tip(end, port, meta, seen, stale=stale) if port else ""
        item = self.operator_at(point)
        if item is not None:
            lines = [item.name] if item.cut else []
            lines += [item.shown.kind] if item.shown.kind != item.name else []
            lines += [] if item.shown.placeholder else [role_text(item.shown.role)]
            lines += [item.run.text] if item.run.text else []
            return "\n".join([*lines, *self._breakpoint_lines(item), *item.marks.texts])
        wire = self.wire_at(point)
        return str(wire.connection) if wire is not None else ""

    @staticmethod
    def _breakpoint_lines(item: OperatorItem) -> list[str]:
        words = {
            "before": tr("The run stops before this operator."),
            "after": tr("The run stops after this operator."),
        }
        return [text for moment, text in words.items() if moment in item.shown.breakpoints]

    def helpEvent(self, event: QGraphicsSceneHelpEvent | None) -> None:
        """Show the tip."""
        if event is not None:
            QToolTip.showText(event.screenPos(), self.tip_at(event.scenePos()))


def dots(colours: Colours) -> QBrush:
    """Return the canvas with a grid of dots."""
    side = int(tokens()["space"]["canvas_grid"])
    tile = QPixmap(side, side)
    tile.fill(colours.background)
    painter = QPainter(tile)
    painter.fillRect(0, 0, 1, 1, colours.dot)
    painter.end()
    return QBrush(tile)
