"""An operator on the canvas: one light item that paints its ports itself."""

from __future__ import annotations

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPen
from PyQt6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from fsops.core.graph.process import Note
from fsops.editing.connections import End, ShownPort
from fsops.runs.watch import OperatorState
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import Colours
from fsops_gui.canvas.appearance import Appearance
from fsops_gui.canvas.look import (
    FOOT,
    NARROW,
    PLAIN_ZOOM,
    PORT,
    REACH,
    ROW,
    TITLE,
    WIDE,
    WIDEST,
    WORD_ZOOM,
    elided,
    plain_port_name,
    port_colour,
    port_shape,
    small_font,
    text_width,
    title_font,
)
from fsops_gui.canvas.note_item import NoteItem
from fsops_gui.document.checker import Marks

MARGIN = 14.0
STOP = 6.0
"""Half the size of the sign of a breakpoint."""


class OperatorItem(QGraphicsItem):
    """The picture of an operator."""

    width, height = NARROW, TITLE  # asked for before they are measured

    def __init__(self, shown: Appearance, colours: Colours, parent: QGraphicsItem) -> None:
        super().__init__(parent)
        self.shown = shown
        self.colours = colours
        self.run = OperatorState()
        self.marks = Marks()
        self.glowing: frozenset[End] = frozenset()
        self.focused: End | None = None
        """The port at which somebody is with the keyboard."""
        self.order = 0
        """Which one it is in the order of the run; 0 if that is not shown."""
        self.dimmed = False
        self.note: NoteItem | None = None
        self.setFlags(
            QGraphicsItem.GraphicsItemFlag.ItemIsSelectable
            | QGraphicsItem.GraphicsItemFlag.ItemIsMovable
        )
        self.setZValue(2)
        self._room = WIDEST
        self._measure()
        self._show_note()
        self.setPos(*shown.place)

    # --- content ----------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The operator's name."""
        return self.shown.name

    def show_as(self, shown: Appearance) -> bool:
        """Take over what has changed; return whether anything has."""
        place = QPointF(*shown.place)
        if shown == self.shown and self.pos() == place:
            return False
        before, self.shown = self.shown, shown
        self._measure()
        if (before.note, before.note_layout) != (shown.note, shown.note_layout) or self.note:
            self._show_note()
        self.setPos(place)
        self.update()
        return True

    def _show_note(self) -> None:
        text, layout = self.shown.note, dict(self.shown.note_layout)
        if not text:
            if self.note is not None:
                self.note.drop()
                self.note = None
            return
        if self.note is None:
            self.note = NoteItem(Note(text, layout), self.colours, self, owner=self.name)
        else:
            self.note.owner = self.name
            self.note.show_as(Note(text, layout))
        self.note.put_under(self.body())

    def _measure(self) -> None:
        self.prepareGeometryChange()
        s = self.shown
        rows = max(len(s.inputs), len(s.outputs), 1)
        widths = [NARROW]
        for i in range(rows):
            sides = [side[i].name for side in (s.inputs, s.outputs) if i < len(side)]
            widths.append(sum(text_width(plain_port_name(name)) for name in sides) + 34)
        self._least = min(max(widths), WIDE)
        self._wanted = min(max(self._least, text_width(s.name, bold=True) + 22), WIDEST)
        self.width = max(self._least, min(self._wanted, self._room))
        self.height = TITLE + rows * ROW + FOOT

    def spread(self, room: float) -> bool:
        """Be as wide as the name, where there is room; return whether that changed anything."""
        self._room = room
        width = max(self._least, min(self._wanted, room))
        if width == self.width:
            return False
        self.prepareGeometryChange()
        self.width = width
        self.update()
        return True

    # --- geometry ---------------------------------------------------------------------------

    def boundingRect(self) -> QRectF:
        """Return what may be painted on."""
        return QRectF(-MARGIN, -MARGIN, self.width + 2 * MARGIN, self.height + 2 * MARGIN)

    def body(self) -> QRectF:
        """Return the rectangle of the operator without ports and signs."""
        return QRectF(0, 0, self.width, self.height)

    def room(self) -> QRectF:
        """Return the rectangle of the operator with the note that hangs on it, in its parent."""
        room = self.body()
        if self.note is not None:
            room |= self.note.boundingRect().translated(self.note.pos())
        return room.translated(self.pos())

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
        thick = self.isSelected() or self.run.state in ("running", "paused")
        pen = QPen(self._border(), 2.4 if thick else 1.2)
        if s.placeholder or not s.enabled:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(fill)
        if zoom < PLAIN_ZOOM:
            self._paint_far_away(painter)
            return
        painter.drawRoundedRect(self.body(), 6, 6)
        if self.run.stale:
            self._paint_hatching(painter)
        elif self.run.state == "paused":
            self._paint_pause(painter)
        self._paint_role(painter)
        self._paint_title(painter)
        self._paint_side(painter, s.inputs, outgoing=False)
        self._paint_side(painter, s.outputs, outgoing=True)
        self._paint_foot(painter, words=zoom >= WORD_ZOOM)
        self._paint_breakpoints(painter)
        self._paint_bubble(painter)
        if self.order:
            self._paint_order(painter)

    def _paint_far_away(self, painter: QPainter) -> None:
        """Paint only the rectangle, strong enough to be seen however small it is."""
        c, s = self.colours, self.shown
        pen = painter.pen()
        pen.setCosmetic(True)
        painter.setPen(pen)
        if s.enabled and not s.placeholder:
            painter.setBrush(c.border)
        painter.drawRect(self.body())
        if self.marks.texts:
            painter.fillRect(self.bubble(), c.error if self.marks.errors else c.warning)

    def _border(self) -> QColor:
        c = self.colours
        if self.isSelected():
            return c.selected
        if self.run.stale:
            return c.border
        states = {"running": c.running, "paused": c.warning, "done": c.done, "failed": c.error}
        return states.get(self.run.state, c.border)

    def _paint_hatching(self, painter: QPainter) -> None:
        """Hatch the foot of an operator whose result is out of date."""
        colour = QColor(self.colours.warning)
        colour.setAlpha(110)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QBrush(colour, Qt.BrushStyle.BDiagPattern))
        painter.drawRoundedRect(QRectF(1, self.height - 4, self.width - 2, 4), 2, 2)

    def _paint_pause(self, painter: QPainter) -> None:
        """Put a band under an operator at which the run has stopped."""
        colour = QColor(self.colours.warning)
        colour.setAlpha(70)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawRoundedRect(QRectF(2, self.height - FOOT - 2, self.width - 4, FOOT), 4, 4)

    def role_bar(self) -> QRectF:
        """Return where the colour of the role is."""
        return QRectF(4, 6, 3, TITLE - 10)

    def _paint_role(self, painter: QPainter) -> None:
        c, s = self.colours, self.shown
        painter.fillRect(self.role_bar(), c.faint if s.placeholder else c.roles[s.role])

    def _paint_title(self, painter: QPainter) -> None:
        c, s = self.colours, self.shown
        room = QRectF(10, 2, self.width - 20, TITLE - 3)
        painter.setFont(title_font())
        painter.setPen(c.text if s.enabled and not s.placeholder else c.faint)
        text = elided(s.name, room.width(), bold=True)
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_side(
        self, painter: QPainter, ports: tuple[ShownPort, ...], *, outgoing: bool
    ) -> None:
        c = self.colours
        other = self.shown.inputs if outgoing else self.shown.outputs
        painter.setFont(small_font())
        align = Qt.AlignmentFlag.AlignRight if outgoing else Qt.AlignmentFlag.AlignLeft
        for row, port in enumerate(ports):
            place = QPointF(self.width if outgoing else 0.0, TITLE + (row + 0.5) * ROW)
            facing = plain_port_name(other[row].name) if row < len(other) else ""
            room = self.width - 24 - (text_width(facing) + 8 if facing else 0)
            room = max(room, (self.width - 32) / 2)
            left = self.width - 11 - room if outgoing else 11
            painter.setPen(c.faint)
            box = QRectF(left, place.y() - ROW / 2, room, ROW)
            text = elided(plain_port_name(port.name), room)
            painter.drawText(box, align | Qt.AlignmentFlag.AlignVCenter, text)
            end = End(self.name, port.name, outgoing)
            paint_port(painter, place, port, c, glows=end in self.glowing)
            if end == self.focused:
                paint_ring(painter, place, c)

    @property
    def cut(self) -> bool:
        """Whether there is no room for the whole name."""
        return elided(self.name, self.width - 20, bold=True) != self.name

    def foot_text(self) -> str:
        """Return what fits at the foot: the state of the run first, then what else is to know."""
        s = self.shown
        signs = [*self.run.parts]
        signs += [tr("off")] if not s.enabled else []
        signs += [tr("not installed")] if s.placeholder else []
        room = self.width - 16 - (18 if s.inner else 0)
        while len(signs) > 1 and text_width(" · ".join(signs)) > room:
            signs.pop()
        return elided(" · ".join(signs), room)

    def _paint_foot(self, painter: QPainter, *, words: bool) -> None:
        c, s = self.colours, self.shown
        if words:
            foot = QRectF(8, self.height - FOOT - 1, self.width - 16, FOOT - 2)
            painter.setFont(small_font())
            plain = self.isSelected() or self.run.stale or self.run.state in ("", "waiting")
            painter.setPen(
                c.text if self.run.state == "paused" else c.faint if plain else self._border()
            )
            painter.drawText(foot, Qt.AlignmentFlag.AlignVCenter, self.foot_text())
        if self.run.state in ("running", "paused") and self.run.total:
            part = min(self.run.done / self.run.total, 1.0)
            painter.fillRect(
                QRectF(1, self.height - 4, (self.width - 2) * part, 3), self._state_colour()
            )
        if s.inner:
            painter.setPen(QPen(c.faint, 1.2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            door = self.entrance()
            painter.drawRect(door.adjusted(0, 0, -5, -4))
            painter.setBrush(self.colours.operator)
            painter.drawRect(door.adjusted(5, 4, 0, 0))

    def _state_colour(self) -> QColor:
        return self.colours.warning if self.run.state == "paused" else self.colours.running

    def _paint_breakpoints(self, painter: QPainter) -> None:
        """Paint a stop sign where the run will stop: at the left before, at the right after."""
        c = self.colours
        for moment, x in (("before", 0.0), ("after", self.width)):
            if moment not in self.shown.breakpoints:
                continue
            centre = QPointF(x, TITLE / 2 + 4)
            painter.setPen(QPen(c.operator, 1.2))
            painter.setBrush(c.error)
            painter.translate(centre)
            painter.drawPath(_octagon())
            painter.setPen(QPen(c.operator, 1.6))
            painter.drawLine(QPointF(-1.8, -2.4), QPointF(-1.8, 2.4))
            painter.drawLine(QPointF(1.8, -2.4), QPointF(1.8, 2.4))
            painter.translate(-centre)

    def _paint_order(self, painter: QPainter) -> None:
        text = str(self.order)
        box = QRectF(-9, -11, max(20.0, text_width(text, bold=True) + 12), 18)
        painter.setPen(QPen(self.colours.operator, 1.2))
        painter.setBrush(self.colours.text)
        painter.drawRoundedRect(box, 9, 9)
        painter.setFont(title_font())
        painter.setPen(self.colours.operator)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

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


def _octagon() -> QPainterPath:
    a, b = STOP, STOP * 0.42
    path = QPainterPath(QPointF(-b, -a))
    for x, y in ((b, -a), (a, -b), (a, b), (b, a), (-b, a), (-a, b), (-a, -b)):
        path.lineTo(x, y)
    path.closeSubpath()
    return path


def paint_ring(painter: QPainter, place: QPointF, colours: Colours) -> None:
    """Paint the ring around the port at which somebody is with the keyboard."""
    painter.setPen(QPen(colours.text, 2, Qt.PenStyle.DotLine))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    side = PORT + 6
    painter.drawRect(QRectF(place.x() - side, place.y() - side, 2 * side, 2 * side))


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
