"""One level on the canvas: a frame with the level's sources and sinks at its edges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PyQt6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from fsops.core.process import Node, Process
from fsops.core.wiring import SINK, SOURCE, Connection
from fsops_gui.canvas.look import (
    REACH,
    plain_port_name,
    port_colour,
    small_font,
    title_font,
)
from fsops_gui.canvas.note_item import NoteItem
from fsops_gui.canvas.operator_item import OperatorItem, paint_port, paint_ring
from fsops_gui.canvas.shown import Shown, looks_the_same
from fsops_gui.canvas.wire_item import WireItem
from fsops_gui.connecting import End, ShownPort, shown_ports
from fsops_gui.document import Level
from fsops_gui.texts import tr
from fsops_gui.theme import Colours

EDGE, HEAD = 84.0, 30.0
FIRST, STEP = 46.0, 36.0
SMALLEST = (430.0, 290.0)


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
        self.faults: list[str] = []
        self.glowing: frozenset[End] = frozenset()
        self.focused: End | None = None
        self._numbered = False
        self._notes_shown: list[tuple[str, dict[str, str]]] = []
        self._ports: dict[bool, list[ShownPort]] = {True: [], False: []}
        self._rect = QRectF(-EDGE, -HEAD, *SMALLEST)
        self.show_process(process, {})

    # --- content ----------------------------------------------------------------------------

    def show_process(self, process: Process, renamed: dict[str, str]) -> None:
        """Show another state of the level; only what has changed is touched."""
        before, self.process = self.process, process
        for old, new in renamed.items():
            if old in self.operators and new in process:
                self.operators[new] = self.operators.pop(old)
        for name in [name for name in self.operators if name not in process]:
            self._drop(self.operators.pop(name))
        touched: set[str] = set()
        for node in process:
            item = self.operators.get(node.name)
            if item is None:
                self.operators[node.name] = OperatorItem(Shown.of(node), self.colours, self)
                touched.add(node.name)
            elif self._differs(item, before, node) and item.show_as(Shown.of(node)):
                touched.add(node.name)
        edges = {
            True: shown_ports(process, SOURCE, outgoing=True),
            False: shown_ports(process, SINK, outgoing=False),
        }
        if edges != self._ports or before.name != process.name or len(process) < 2:
            touched |= {SOURCE, SINK}
            self._ports = edges
            self.update()
        self._show_notes()
        if self.fit():
            touched |= {SOURCE, SINK}
        self._show_wires(touched, changed=before is process or before.wiring != process.wiring)
        if self._numbered:
            self._show_order()

    @staticmethod
    def _differs(item: OperatorItem, before: Process, node: Node) -> bool:
        """Return whether an operator may look otherwise than its item."""
        if item.name != node.name or item.pos() != QPointF(*item.shown.place):
            return True
        return node.name not in before or not looks_the_same(before[node.name], node)

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

    def _show_wires(self, touched: set[str], *, changed: bool) -> None:
        """Draw the wires that are new, and anew those of operators that look otherwise now."""
        laid = {wire.connection: wire for wire in self.wires_at(touched)} if touched else {}
        if changed:
            wanted = set(self.process.wiring)
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
        shown = [(note.text, dict(note.layout)) for note in self.process.notes]
        if shown == self._notes_shown:
            return
        self._notes_shown = shown
        for item in self.notes:
            self._drop(item)
        self.notes = [
            NoteItem(note, self.colours, self, number=number)
            for number, note in enumerate(self.process.notes)
        ]

    def _drop(self, item: QGraphicsItem) -> None:
        scene = item.scene()
        if scene is not None:
            scene.removeItem(item)
        item.setParentItem(None)

    def lead(self, wires: Iterable[WireItem]) -> None:
        """Lay wires along the places of their ports."""
        for wire in wires:
            c = wire.connection
            start = self.place(End(c.from_node, c.from_port, outgoing=True))
            wire.lead(start, self.place(End(c.to_node, c.to_port, outgoing=False)))

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
        """Make the frame as large as what it holds; return whether that changed it."""
        bodies = [item.room() for item in self.operators.values()]
        bodies += [item.boundingRect().translated(item.pos()) for item in self.notes]
        right = max((body.right() for body in bodies), default=0.0) + EDGE + 30
        bottom = max((body.bottom() for body in bodies), default=0.0) + 40
        top = min((body.top() for body in bodies), default=0.0)
        left = min((body.left() for body in bodies), default=0.0)
        ports = FIRST + STEP * max(map(len, self._ports.values()))
        rect = QRectF(min(-EDGE, left - EDGE - 12), min(-HEAD, top - HEAD - 14), 0, 0)
        rect.setRight(max(right, SMALLEST[0] - EDGE))
        rect.setBottom(max(bottom, ports, SMALLEST[1] - HEAD))
        if rect == self._rect:
            return False
        self.prepareGeometryChange()
        self._rect = rect
        return True

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
        return QPointF(x, FIRST + STEP * row)

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
        """Return what is declared about a port."""
        if end.node in (SOURCE, SINK):
            ports = list(self._ports[end.node == SOURCE])
        else:
            shown = self.operators[end.node].shown
            ports = list(shown.outputs if end.outgoing else shown.inputs)
        return next((port for port in ports if port.name == end.port), None)

    def show_faults(self, faults: list[str]) -> None:
        """Show what is wrong with the level as a whole."""
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

    # --- painting ---------------------------------------------------------------------------

    def paint(
        self,
        painter: QPainter | None,
        option: QStyleOptionGraphicsItem | None,
        widget: QWidget | None = None,
    ) -> None:
        """Paint the frame, its title, and the ports at its edges."""
        assert painter is not None
        c = self.colours
        painter.setPen(QPen(c.selected if self.active else c.border, 1.5))
        painter.setBrush(c.frame)
        painter.drawRoundedRect(self._rect, 8, 8)
        painter.setFont(title_font())
        painter.setPen(c.faint)
        head = QRectF(self._rect.left() + 14, self._rect.top() + 4, self._rect.width() - 28, 22)
        painter.drawText(head, Qt.AlignmentFlag.AlignVCenter, self.process.name)
        painter.setFont(small_font())
        if self.faults:
            painter.setPen(c.error)
            text = QFontMetricsF(small_font()).elidedText(
                f"✖ {self.faults[0]}", Qt.TextElideMode.ElideRight, head.width() - 120
            )
            side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(head, side, text)
        for source in (True, False):
            for port in self._ports[source]:
                end = End(SOURCE if source else SINK, port.name, source)
                place = self.place(end)
                paint_port(painter, place, port, c, glows=end in self.glowing)
                if end == self.focused:
                    paint_ring(painter, place, c)
                painter.setPen(c.faint)
                side = Qt.AlignmentFlag.AlignLeft if source else Qt.AlignmentFlag.AlignRight
                x = place.x() + 11 if source else place.x() - EDGE - 11
                room = QRectF(x, place.y() - 19, EDGE, 16)
                painter.drawText(
                    room, side | Qt.AlignmentFlag.AlignVCenter, plain_port_name(port.name)
                )
        if not self.operators:
            self._paint_hint(painter)

    def _paint_hint(self, painter: QPainter) -> None:
        painter.setPen(self.colours.faint)
        lines = (
            tr("This process is empty."),
            tr("Drag an operator here from the list of operators,"),
            tr("or just begin to type its name."),
        )
        painter.drawText(self._rect, Qt.AlignmentFlag.AlignCenter, "\n".join(lines))
