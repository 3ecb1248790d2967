"""One level on the canvas: a frame with the level's sources and sinks at its edges."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence

from PyQt6.QtCore import QPointF, QRectF
from PyQt6.QtGui import QColor, QPainter, QPainterPath
from PyQt6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from fsops.core.graph.bends import bends_of
from fsops.core.graph.process import Node, Process
from fsops.core.graph.wiring import SINK, SOURCE, Connection
from fsops.editing.connections import End, ShownPort, shown_ports
from fsops.editing.layout import TOP as ABOVE
from fsops.editing.levels import Level
from fsops.runs.watch import OperatorState
from fsops_gui.base.theme import Colours
from fsops_gui.canvas.appearance import Appearance, looks_the_same
from fsops_gui.canvas.frame_paint import paint_frame
from fsops_gui.canvas.look import (
    PLOT,
    REACH,
    ROW,
    SCALE,
    TITLE,
    WIDEST,
    plain_port_name,
    port_colour,
    text_width,
)
from fsops_gui.canvas.note_item import NoteItem
from fsops_gui.canvas.operator_item import OperatorItem
from fsops_gui.canvas.preview import Preview, passed_on
from fsops_gui.canvas.wire_item import DONE, NEVER_RUN, RUNNING, STALE, WireItem
from fsops_gui.canvas.wire_routes import (
    Obstacles,
    backward_path,
    lane_of,
    shift_of,
    via_path,
    wire_path,
)

LEFT, TOP = -24.0, 0.0
"""Where a frame begins if nothing in it needs more room."""
HEAD = 52.0
"""From the upper edge to the first item."""
LABEL = 16.0
"""Around the name of a port at the edge; wires are straight there."""
TURN = 48.0
"""Between the names at the edge and the operators: there wires go up and down."""
FIRST = ABOVE * SCALE + TITLE + ROW / 2
"""The first port at an edge: the wire to an operator in the first row is straight."""
STEP, NARROW_STEP, MANY = 36.0, 25.0, 8
SMALLEST = (560.0, 250.0)
NEAR = 60.0
"""So far from a wire it may matter that an operator comes or goes."""
BESIDE = 40.0
"""Free space between an operator and the one at its right, however long its name is."""

_NoteShown = tuple[str, dict[str, str]]


def _take(notes: list[_NoteShown | None], wanted: _NoteShown | None) -> int:
    """Return where a note is among others, and take it from there; -1 if it is not there."""
    at = notes.index(wanted) if wanted in notes else -1
    if at >= 0:
        notes[at] = None
    return at


class FrameItem(QGraphicsItem):
    """The picture of one level; operators, wires and notes are its children."""

    def __init__(self, level: Level, process: Process, colours: Colours) -> None:
        super().__init__()
        self.level = level
        self.colours = colours
        self.process = process
        self.operators: dict[str, OperatorItem] = {}
        self.wires: dict[Connection, WireItem] = {}
        self.notes: list[NoteItem] = []
        self.active = False
        self.is_plain = False
        """Whether only the operators and wires are drawn, as in small pictures."""
        self.faults: list[str] = []
        self.glowing: frozenset[End] = frozenset()
        self.focused: End | None = None
        self._numbered = False
        self._notes_shown: list[_NoteShown | None] = []
        self._ports: dict[bool, list[ShownPort]] = {True: [], False: []}
        self._wired: frozenset[tuple[str, bool]] = frozenset()
        """The connected ports of the edges: name, and whether it is a source."""
        self._edges = {True: LABEL, False: LABEL}
        self._steps = {True: STEP, False: STEP}
        self._rect = QRectF(LEFT, TOP, *SMALLEST)
        self.natural_width = self._rect.width()
        """How wide it is if nothing stretches it."""
        self._stretched = 0.0
        self.show_process(process, {})

    # --- content ----------------------------------------------------------------------------

    def show_process(self, process: Process, renamed: dict[str, str]) -> None:
        """Show another state of the level; only changed items are touched."""
        before, self.process = self.process, process
        for old, new in renamed.items():
            if old in self.operators and new in process:
                self.operators[new] = self.operators.pop(old)
        regions: list[QRectF] = []
        for name in [name for name in self.operators if name not in process]:
            regions.append(self._body(self.operators[name]))
            self._drop(self.operators.pop(name))
        changed = before is process or not before.same_connections(process)
        touched, left = self._show_operators(before, rewired=changed)
        regions += left
        edges = {
            True: shown_ports(process, SOURCE, outgoing=True),
            False: shown_ports(process, SINK, outgoing=False),
        }
        wired = frozenset(
            {
                *((name, True) for name in process.used_outputs(SOURCE)),
                *((name, False) for name in process.incoming(SINK)),
            }
        )
        if wired != self._wired:
            self._wired = wired
            self.update()
        if edges != self._ports or before.name != process.name or len(process) < 2:
            touched |= {SOURCE, SINK}
            self._ports = edges
            self._measure_edges()
            self.update()
        self._show_notes()
        if self.fit():
            touched |= {SOURCE, SINK}
        self._show_wires(touched, regions, changed=changed)
        if self._numbered:
            self._show_order()

    def _show_operators(self, before: Process, *, rewired: bool) -> tuple[set[str], list[QRectF]]:
        """Show the operators; return which look otherwise, and the places they take or left."""
        gone = len(self.operators) != len(before) or before is self.process
        touched: set[str] = set()
        regions: list[QRectF] = []
        for node in self.process:
            item = self.operators.get(node.name)
            if item is None:
                item = OperatorItem(Appearance.of(node), self.colours, self)
                self.operators[node.name] = item
                regions.append(self._body(item))
                touched.add(node.name)
            elif self._differs(item, before, node, rewired=rewired):
                body = self._body(item)
                if item.show_as(Appearance.of(node)):
                    touched.add(node.name)
                    regions += [body, self._body(item)] if body != self._body(item) else []
        if regions or gone:
            spread = self._spread()
            touched |= spread
            regions += [self._body(self.operators[name]) for name in spread]
        return touched, regions

    def show_previews(self, previews: Mapping[tuple[str, str], Preview]) -> bool:
        """Show small plots on cards with nothing below; return whether a size changed."""
        changed: set[str] = set()
        for item in self.operators.values():
            found = (previews.get((item.name, port.name)) for port in item.shown.outputs)
            preview = next((p for p in found if p is not None and p.kind), None)
            below = preview is None or self._is_free_below(item)
            if item.show_preview(preview, below=below):
                changed.add(item.name)
        if changed:
            self.fit()
            self.lead(self.wires.values())
        return bool(changed)

    def _is_free_below(self, item: OperatorItem) -> bool:
        """Return whether a plot would cover nothing."""
        x, y = item.pos().x(), item.pos().y() + item.plain_height
        room = QRectF(x, y, item.width, PLOT + 6)
        others = (other for other in self.operators.values() if other is not item)
        boxes = [QRectF(o.pos().x(), o.pos().y(), o.width, o.plain_height) for o in others]
        boxes += [note.boundingRect().translated(note.pos()) for note in self.notes]
        return item.note is None and not any(room.intersects(box) for box in boxes)

    def show_flow(self, previews: Mapping[tuple[str, str], Preview], owner: OperatorState) -> None:
        """Show on the wires the sizes of the last run; once for each output."""
        labelled: set[tuple[str, str]] = set()
        for wire, item in self.wires.items():
            before = self.operators.get(wire.from_node)
            run = owner if before is None else before.run
            state = STALE if run.stale else run.state if run.state in (RUNNING, DONE) else NEVER_RUN
            after = previews.get((wire.from_node, wire.from_port))
            count = ""
            if after is not None:
                table = self._table_before(wire.from_node, previews) if before else None
                count = passed_on(table, after)
            output = (wire.from_node, wire.from_port)
            item.show_run(state, "" if output in labelled else count)
            if item.label_box is not None:
                labelled.add(output)

    def _table_before(
        self, name: str, previews: Mapping[tuple[str, str], Preview]
    ) -> Preview | None:
        """Return the table that an operator was given."""
        given = (previews.get(start) for start in self.process.incoming(name).values())
        return next((p for p in given if p is not None and p.size is not None), None)

    def _spread(self) -> set[str]:
        """Widen operators to their names where there is free space; return which changed."""
        items = sorted(self.operators.values(), key=lambda item: item.pos().x())
        lefts = [item.pos().x() for item in items]
        changed: set[str] = set()
        for item in items:
            x, top, bottom = item.pos().x(), item.pos().y(), item.pos().y() + item.height
            near = items[bisect_right(lefts, x) : bisect_right(lefts, x + WIDEST + BESIDE)]
            room = next(
                (
                    other.pos().x() - x - BESIDE
                    for other in near
                    if other.pos().y() < bottom and other.pos().y() + other.height > top
                ),
                WIDEST,
            )
            if item.spread(room):
                changed.add(item.name)
        return changed

    def _measure_edges(self) -> None:
        """See how much room the ports at the edges take."""
        for source, ports in self._ports.items():
            widest = max((text_width(plain_port_name(p.name)) for p in ports), default=0.0)
            self._edges[source] = widest + LABEL
            self._steps[source] = STEP if len(ports) <= MANY else NARROW_STEP

    @staticmethod
    def _differs(item: OperatorItem, before: Process, node: Node, *, rewired: bool) -> bool:
        """Return whether an operator may look otherwise than its item."""
        if item.name != node.name or item.pos() != QPointF(*item.shown.place):
            return True
        if node.name not in before:
            return True
        return not looks_the_same(before[node.name], node, rewired=rewired)

    def number_operators(self, on: bool) -> None:
        """Show which operator runs when, or no longer."""
        self._numbered = on
        self._show_order()

    def _show_order(self) -> None:
        numbers: dict[str, int] = {}
        if self._numbered and not self.process.cycle():
            going = [node.name for node in self.process.order() if node.enabled]
            numbers = {name: i for i, name in enumerate(going, 1)}
        for name, item in self.operators.items():
            if item.order != numbers.get(name, 0):
                item.order = numbers.get(name, 0)
                item.update()

    @staticmethod
    def _body(item: OperatorItem) -> QRectF:
        return item.body().translated(item.pos())

    def _show_wires(self, touched: set[str], regions: list[QRectF], *, changed: bool) -> None:
        """Draw new wires, and redraw those of changed operators.

        In the regions something came or went: the wires there may have to go around it.
        """
        laid = {wire.connection: wire for wire in self.wires_at(touched)} if touched else {}
        for wire, item in self.wires.items() if len(laid) < len(self.wires) else ():
            box = item.path().boundingRect().adjusted(-NEAR, -NEAR, NEAR, NEAR)
            bent = bool(item.via) or bool(bends_of(self.process, wire))
            if wire not in laid and (bent or any(box.intersects(region) for region in regions)):
                laid[wire] = item
        if changed:
            wanted = set(self.process.connections)
            for gone in [wire for wire in self.wires if wire not in wanted]:
                self._drop(self.wires.pop(gone))
                laid.pop(gone, None)
            for wire in wanted - self.wires.keys():
                laid[wire] = WireItem(wire, self._colour(wire), self.colours, self)
                self.wires[wire] = laid[wire]
        for wire, item in laid.items():
            item.colour = self._colour(wire)
        self.lead(laid.values())

    def _colour(self, wire: Connection) -> QColor:
        ports = (
            self._ports[True]
            if wire.from_node == SOURCE
            else self.operators[wire.from_node].shown.outputs
        )
        port = next(port for port in ports if port.name == wire.from_port)
        return port_colour(port.declared.type, self.colours)

    def _show_notes(self) -> None:
        shown: list[_NoteShown | None] = [(n.text, dict(n.layout)) for n in self.process.notes]
        if shown == self._notes_shown:
            return
        before, self._notes_shown = self._notes_shown, shown
        # Those that only look otherwise, or have another number, stay, and stay selected.
        same = len(before) == len(shown)
        kept = list(range(len(shown))) if same else [_take(before, note) for note in shown]
        old, self.notes = self.notes, []
        for number, (note, at) in enumerate(zip(self.process.notes, kept, strict=True)):
            if at < 0:
                item = NoteItem(note, self.colours, self, number=number)
            else:
                item = old[at]
                item.number = number
                item.show_as(note)
            self.notes.append(item)
        for item in old:
            if item not in self.notes:
                self._drop(item)

    def _drop(self, item: QGraphicsItem) -> None:
        scene = item.scene()
        if scene is not None:
            scene.removeItem(item)
        item.setParentItem(None)

    def lead(self, wires: Iterable[WireItem]) -> None:
        """Lay wires along the places of their ports."""
        obstacles = Obstacles((name, item.box()) for name, item in self.operators.items())
        for wire in wires:
            bends = bends_of(self.process, wire.connection)
            wire.via = tuple((x * SCALE, y * SCALE) for x, y in bends)
            wire.lead(self._way(wire.connection, obstacles, wire.via))

    def preview_bends(self, wire: WireItem, points: Sequence[tuple[float, float]]) -> None:
        """Lay a wire through points while the mouse pulls it."""
        wire.via = tuple(points)
        wire.lead(self._way(wire.connection, Obstacles(()), wire.via))

    def _way(
        self, wire: Connection, obstacles: Obstacles, via: Sequence[tuple[float, float]]
    ) -> QPainterPath:
        start = self.place(End(wire.from_node, wire.from_port, outgoing=True))
        end = self.place(End(wire.to_node, wire.to_port, outgoing=False))
        leads = (
            self._edges[True] if wire.from_node == SOURCE else 0.0,
            self._edges[False] if wire.to_node == SINK else 0.0,
        )
        if via:
            return via_path(start, end, leads, via)
        if end.x() < start.x() and not any(leads):
            return backward_path(start, end, obstacles.between(end.x(), start.x()))
        near = obstacles.between(start.x(), end.x(), (wire.from_node, wire.to_node))
        shift = shift_of(self._names_at(wire.to_node, False), wire.to_port, up=end.y() < start.y())
        lane = lane_of(self._names_at(wire.from_node, True), wire.from_port) if near else (0, 1)
        return wire_path(start, end, leads, near, lane, shift=shift)

    def _names_at(self, node: str, outgoing: bool) -> list[str]:
        """Return the names of the ports of one side of an operator or of the edges."""
        if node not in self.operators:
            return [port.name for port in self._ports[outgoing]]
        shown = self.operators[node].shown
        return [port.name for port in (shown.outputs if outgoing else shown.inputs)]

    def wires_at(self, names: set[str]) -> list[WireItem]:
        """Return the wires that begin or end at operators."""
        return [
            item
            for wire, item in self.wires.items()
            if wire.from_node in names or wire.to_node in names
        ]

    def wires_of(self, end: End) -> list[Connection]:
        """Return the connections that begin or end at a port."""
        if end.outgoing:
            at = (end.node, end.port)
            return [wire for wire in self.wires if (wire.from_node, wire.from_port) == at]
        return [w for w in self.wires if (w.to_node, w.to_port) == (end.node, end.port)]

    # --- geometry ---------------------------------------------------------------------------

    def fit(self) -> bool:
        """Fit the frame to its contents; return whether that changed it."""
        bodies = [item.room() for item in self.operators.values()]
        bodies += [item.boundingRect().translated(item.pos()) for item in self.notes]
        right = max((body.right() for body in bodies), default=0.0) + TURN + self._edges[False]
        bottom = max((body.bottom() for body in bodies), default=0.0) + 40
        top = min((body.top() for body in bodies), default=HEAD)
        left = min((body.left() for body in bodies), default=0.0) if bodies else 0.0
        ports = max(FIRST + self._steps[side] * len(p) for side, p in self._ports.items())
        rect = QRectF(min(LEFT, left - self._edges[True] - TURN), min(TOP, top - HEAD), 0, 0)
        rect.setRight(max(right, rect.left() + SMALLEST[0]))
        rect.setBottom(max(bottom, ports, SMALLEST[1] + TOP))
        self.natural_width = rect.width()
        rect.setWidth(max(rect.width(), self._stretched))
        if rect == self._rect:
            return False
        self.prepareGeometryChange()
        self._rect = rect
        return True

    def stretch(self, width: float) -> None:
        """Be at least so wide, as the frame above or below."""
        self._stretched = width
        if self.fit():
            self.lead(self.wires_at({SINK}))

    def boundingRect(self) -> QRectF:
        """Return what may be painted on."""
        return self._rect.adjusted(-10, -4, 10, 4)

    def rect(self) -> QRectF:
        """Return the frame itself."""
        return QRectF(self._rect)

    def ends(self) -> Iterator[End]:
        """Return every port of the level."""
        for source in (True, False):
            for port in self._ports[source]:
                yield End(SOURCE if source else SINK, port.name, source)
        for name, item in self.operators.items():
            for outgoing in (False, True):
                ports = item.shown.outputs if outgoing else item.shown.inputs
                yield from (End(name, port.name, outgoing) for port in ports)

    def place(self, end: End) -> QPointF:
        """Return where a port is."""
        if end.node not in (SOURCE, SINK):
            item = self.operators[end.node]
            return item.pos() + item.port_place(end.port, outgoing=end.outgoing)
        at_left = end.node == SOURCE
        ports = self._ports[at_left]
        row = next((i for i, port in enumerate(ports) if port.name == end.port), 0)
        x = self._rect.left() if at_left else self._rect.right()
        return QPointF(x, FIRST + self._steps[at_left] * row)

    def end_at(self, point: QPointF) -> End | None:
        """Return the port at a point: one of the level, or of an operator."""
        for source in (True, False):
            for port in self._ports[source]:
                end = End(SOURCE if source else SINK, port.name, source)
                away = self.place(end) - point
                if abs(away.x()) <= REACH + 2 and abs(away.y()) <= REACH + 2:
                    return end
        for item in self.operators.values():
            if item.boundingRect().contains(point - item.pos()):
                found = item.end_at(point - item.pos())
                if found is not None:
                    return found
        return None

    def declared(self, end: End) -> ShownPort | None:
        """Return the declaration of a port."""
        if end.node in (SOURCE, SINK):
            ports = list(self._ports[end.node == SOURCE])
        else:
            shown = self.operators[end.node].shown
            ports = list(shown.outputs if end.outgoing else shown.inputs)
        return next((port for port in ports if port.name == end.port), None)

    def declared_or_none(self, end: End) -> ShownPort | None:
        """Return the declaration of a port; None if it is not one of this level."""
        known = end.node in (SOURCE, SINK) or end.node in self.operators
        return self.declared(end) if known else None

    def show_faults(self, faults: list[str]) -> None:
        """Show the problems of the level as a whole."""
        if faults != self.faults:
            self.faults = faults
            self.update()

    def glow(self, ends: Iterable[End] | None, start: str = "") -> None:
        """Let ports glow that fit a wire from an operator, and the rest fade; None ends that."""
        self.glowing = frozenset(ends or ())
        names = {start, *(end.node for end in self.glowing)}
        for name, item in self.operators.items():
            item.glowing = self.glowing
            item.dimmed = ends is not None and name not in names
            item.update()
        self.update()

    def focus(self, end: End | None) -> None:
        """Draw the ring of the keyboard around a port, or no longer."""
        self.focused = end
        for item in self.operators.values():
            mine = end if end is not None and end.node == item.name else None
            if item.focused != mine:
                item.focused = mine
                item.update()
        self.update()

    def is_wired(self, end: End) -> bool:
        """Return whether a port at an edge is connected."""
        return (end.port, end.outgoing) in self._wired

    def edge_ports(self, *, source: bool) -> list[ShownPort]:
        """Return the ports at the left edge, the sources, or those at the right edge."""
        return self._ports[source]

    def paint(
        self,
        painter: QPainter | None,
        option: QStyleOptionGraphicsItem | None,
        widget: QWidget | None = None,
    ) -> None:
        """Paint the frame, its title, and the ports at its edges."""
        assert painter is not None
        paint_frame(painter, self)
