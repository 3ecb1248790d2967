"""An operator on the canvas: one light item that paints its ports itself."""

from __future__ import annotations

from dataclasses import dataclass, field

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen
from PyQt6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from fsops.core.process import Node
from fsops_gui.canvas.look import (
    FOOT,
    NARROW,
    PLAIN_ZOOM,
    PORT,
    REACH,
    ROW,
    SCALE,
    TITLE,
    WIDE,
    plain_port_name,
    port_colour,
    port_shape,
    small_font,
    text_width,
    title_font,
)
from fsops_gui.connecting import End, ShownPort, shown_ports
from fsops_gui.theme import Colours

MARGIN = 12.0


@dataclass(frozen=True)
class Shown:
    """Everything about an operator that its picture depends on."""

    name: str
    kind: str
    placeholder: bool
    enabled: bool
    breakpoints: frozenset[str]
    note: str
    inner: int
    inputs: tuple[ShownPort, ...]
    outputs: tuple[ShownPort, ...]
    place: tuple[float, float]

    @classmethod
    def of(cls, node: Node) -> Shown:
        """Return what is shown of an operator."""
        position = node.position or {}
        return cls(
            node.name,
            node.operator.title,
            node.operator.is_placeholder,
            node.enabled,
            node.breakpoints,
            node.note.text if node.note else "",
            len(node.subprocesses),
            tuple(shown_ports(node.process, node.name, outgoing=False)),
            tuple(shown_ports(node.process, node.name, outgoing=True)),
            (position.get("x", 0) * SCALE, position.get("y", 0) * SCALE),
        )


@dataclass
class RunState:
    """How far an operator is in the current or the last run."""

    state: str = ""
    """Empty, running, done or failed."""
    done: int = 0
    total: int = 0
    seconds: float | None = None

    @property
    def text(self) -> str:
        """What is written at the foot of the operator."""
        if self.state == "running":
            return f"▶ {self.done} of {self.total}" if self.total else "▶ running"
        if self.state == "failed":
            return "✗ failed"
        if self.state == "done":
            return f"✓ {self.seconds:.2f} s" if self.seconds is not None else "✓"
        return ""


@dataclass
class Marks:
    """What was found about an operator: it is told by a sign, words and colour."""

    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    inside: int = 0
    """How many of these concern operators inside."""

    @property
    def texts(self) -> list[str]:
        """All messages, errors first."""
        return [*self.errors, *self.warnings]


class OperatorItem(QGraphicsItem):
    """The picture of an operator."""

    def __init__(self, shown: Shown, colours: Colours, parent: QGraphicsItem) -> None:
        super().__init__(parent)
        self.shown = shown
        self.colours = colours
        self.run = RunState()
        self.marks = Marks()
        self.glowing: frozenset[End] = frozenset()
        self.dimmed = False
        self.setFlags(
            QGraphicsItem.GraphicsItemFlag.ItemIsSelectable
            | QGraphicsItem.GraphicsItemFlag.ItemIsMovable
        )
        self.setZValue(2)
        self._measure()
        self.setPos(*shown.place)

    # --- content ----------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The operator's name."""
        return self.shown.name

    def show_as(self, shown: Shown) -> bool:
        """Take over what has changed; return whether anything has."""
        place = QPointF(*shown.place)
        if shown == self.shown and self.pos() == place:
            return False
        self.shown = shown
        self._measure()
        self.setPos(place)
        self.update()
        return True

    def _measure(self) -> None:
        self.prepareGeometryChange()
        s = self.shown
        rows = max(len(s.inputs), len(s.outputs), 1)
        widths = [text_width(s.name, bold=True) + 26 + 14 * bool(s.inner)]
        for i in range(rows):
            sides = [side[i].name for side in (s.inputs, s.outputs) if i < len(side)]
            widths.append(sum(text_width(plain_port_name(name)) for name in sides) + 34)
        self.width = min(max(NARROW, *widths), WIDE)
        self.height = TITLE + rows * ROW + FOOT

    # --- geometry ---------------------------------------------------------------------------

    def boundingRect(self) -> QRectF:
        """Return what may be painted on."""
        return QRectF(-MARGIN, -MARGIN, self.width + 2 * MARGIN, self.height + 2 * MARGIN)

    def body(self) -> QRectF:
        """Return the rectangle of the operator without ports and signs."""
        return QRectF(0, 0, self.width, self.height)

    def shape(self) -> QPainterPath:
        """Return where the mouse touches the operator."""
        path = QPainterPath()
        path.addRect(self.body().adjusted(-PORT, -2, PORT, 2))
        return path

    def port_place(self, name: str, *, outgoing: bool) -> QPointF:
        """Return where a port is, in the item's coordinates."""
        ports = self.shown.outputs if outgoing else self.shown.inputs
        row = next((i for i, port in enumerate(ports) if port.name == name), 0)
        return QPointF(self.width if outgoing else 0.0, TITLE + (row + 0.5) * ROW)

    def end_at(self, point: QPointF) -> End | None:
        """Return the port at a point of the item."""
        for outgoing, ports in ((False, self.shown.inputs), (True, self.shown.outputs)):
            for port in ports:
                away = self.port_place(port.name, outgoing=outgoing) - point
                if abs(away.x()) <= REACH and abs(away.y()) <= ROW / 2:
                    return End(self.name, port.name, outgoing)
        return None

    def bubble(self) -> QRectF:
        """Return where the sign of a problem is."""
        return QRectF(self.width - 11, -9, 19, 19)

    def entrance(self) -> QRectF:
        """Return where a click opens the inner processes."""
        return QRectF(self.width - 20, self.height - 17, 16, 14)

    # --- painting ---------------------------------------------------------------------------

    def paint(
        self,
        painter: QPainter | None,
        option: QStyleOptionGraphicsItem | None,
        widget: QWidget | None = None,
    ) -> None:
        """Paint the operator; seen from far away only its rectangle."""
        assert painter is not None
        c, s = self.colours, self.shown
        zoom = QStyleOptionGraphicsItem.levelOfDetailFromTransform(painter.worldTransform())
        if self.dimmed:
            painter.setOpacity(0.45)
        fill = c.operator if s.enabled and not s.placeholder else c.disabled
        pen = QPen(self._border(), 2.4 if self.isSelected() or self.run.state == "running" else 1.2)
        if s.placeholder or not s.enabled:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(fill)
        if zoom < PLAIN_ZOOM:
            painter.drawRect(self.body())
            if self.marks.texts:
                painter.fillRect(self.bubble(), c.error if self.marks.errors else c.warning)
            return
        painter.drawRoundedRect(self.body(), 6, 6)
        self._paint_title(painter)
        self._paint_side(painter, s.inputs, outgoing=False)
        self._paint_side(painter, s.outputs, outgoing=True)
        self._paint_foot(painter)
        self._paint_bubble(painter)

    def _border(self) -> QColor:
        c = self.colours
        if self.isSelected():
            return c.selected
        return {"running": c.running, "done": c.done, "failed": c.error}.get(
            self.run.state, c.border
        )

    def _paint_title(self, painter: QPainter) -> None:
        c, s = self.colours, self.shown
        room = QRectF(10, 2, self.width - 20, TITLE - 3)
        painter.setFont(title_font())
        painter.setPen(c.text if s.enabled and not s.placeholder else c.faint)
        metrics = QFontMetricsF(title_font())
        text = metrics.elidedText(s.name, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_side(
        self, painter: QPainter, ports: tuple[ShownPort, ...], *, outgoing: bool
    ) -> None:
        c = self.colours
        other = self.shown.inputs if outgoing else self.shown.outputs
        metrics = QFontMetricsF(small_font())
        painter.setFont(small_font())
        align = Qt.AlignmentFlag.AlignRight if outgoing else Qt.AlignmentFlag.AlignLeft
        for row, port in enumerate(ports):
            place = self.port_place(port.name, outgoing=outgoing)
            facing = plain_port_name(other[row].name) if row < len(other) else ""
            room = self.width - 24 - (text_width(facing) + 8 if facing else 0)
            room = max(room, (self.width - 32) / 2)
            left = self.width - 11 - room if outgoing else 11
            text = metrics.elidedText(plain_port_name(port.name), Qt.TextElideMode.ElideRight, room)
            painter.setPen(c.faint)
            box = QRectF(left, place.y() - ROW / 2, room, ROW)
            painter.drawText(box, align | Qt.AlignmentFlag.AlignVCenter, text)
            glows = End(self.name, port.name, outgoing) in self.glowing
            paint_port(painter, place, port, c, glows=glows)

    def _paint_foot(self, painter: QPainter) -> None:
        c, s = self.colours, self.shown
        foot = QRectF(8, self.height - FOOT - 1, self.width - 16, FOOT)
        signs = [self.run.text] if self.run.text else []
        signs += ["off"] if not s.enabled else []
        signs += ["not installed"] if s.placeholder else []
        signs += [f"⏸ {' + '.join(sorted(s.breakpoints))}"] if s.breakpoints else []
        signs += ["✎"] if s.note else []
        painter.setFont(small_font())
        painter.setPen(self._border() if self.run.text and not self.isSelected() else c.faint)
        painter.drawText(foot, Qt.AlignmentFlag.AlignVCenter, "  ".join(signs))
        if self.run.state == "running" and self.run.total:
            part = min(self.run.done / self.run.total, 1.0)
            painter.fillRect(QRectF(1, self.height - 4, (self.width - 2) * part, 3), c.running)
        if s.inner:
            painter.setPen(QPen(c.faint, 1.2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            door = self.entrance()
            painter.drawRect(door.adjusted(0, 0, -5, -4))
            painter.setBrush(self.colours.operator)
            painter.drawRect(door.adjusted(5, 4, 0, 0))

    def _paint_bubble(self, painter: QPainter) -> None:
        if not self.marks.texts:
            return
        box = self.bubble()
        painter.setPen(Qt.PenStyle.NoPen)
        if self.marks.errors:
            painter.setBrush(self.colours.error)
            painter.drawEllipse(box)
        else:
            painter.setBrush(self.colours.warning)
            path = QPainterPath(QPointF(box.center().x(), box.top()))
            path.lineTo(box.bottomRight())
            path.lineTo(box.bottomLeft())
            path.closeSubpath()
            painter.drawPath(path)
            box = box.adjusted(0, 4, 0, 2)
        painter.setFont(title_font())
        painter.setPen(self.colours.operator)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "!")


def paint_port(
    painter: QPainter, place: QPointF, port: ShownPort, colours: Colours, *, glows: bool
) -> None:
    """Paint a port in the shape and colour of its type; one that fits a wire has a ring."""
    colour = port_colour(port.declared.type, colours)
    if glows:
        painter.setPen(QPen(colours.glow, 3))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(place, PORT + 4, PORT + 4)
    painter.setPen(QPen(colour, 1.4))
    # A port that may stay empty is hollow.
    painter.setBrush(colours.operator if port.declared.optional else colour)
    painter.translate(place)
    painter.drawPath(port_shape(port.declared.type))
    painter.translate(-place)
