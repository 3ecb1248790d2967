"""A wire between two ports."""

from __future__ import annotations

from itertools import pairwise
from math import hypot

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QPainter, QPainterPath, QPainterPathStroker, QPen, QPolygonF
from PyQt6.QtWidgets import (
    QGraphicsItem,
    QGraphicsPathItem,
    QStyle,
    QStyleOptionGraphicsItem,
    QWidget,
)

from fsops.core.graph.wiring import SINK, Connection
from fsops_gui.base.theme import Colours
from fsops_gui.canvas.look import (
    FULL_ZOOM,
    GLYPH_ZOOM,
    WIRE_STRONG,
    WIRE_WIDTH,
    laid_out,
    small_font,
    text_width,
)

TOUCH = 14.0
"""How wide a wire is for the mouse."""
PARTS = 50
"""At the ends of so many parts of a wire its distance is measured."""
NEVER_RUN, RUNNING, DONE, STALE = "", "running", "done", "stale"
FADED = {NEVER_RUN: 0.75, STALE: 0.45}
"""Opacity of a wire by its state."""
DASHES = {NEVER_RUN: (3.0, 2.0), RUNNING: (4.0, 3.0)}
"""Of a pen, in widths of the wire."""
PILL = 16.0
"""Height of the count on a wire."""
FLAT = 0.5
BELOW_CARDS, LABELLED = 1.0, 1.5
"""Which wires lie over others; cards lie over all of them."""
HANDLE = 4.5
"""Radius of a bend point."""
EDGE_NAME = 60.0
"""Room that the name of a port at the edge of a level needs beside a count."""
ARROW = 9.0
"""How far from its end a wire shows its direction."""


class WireItem(QGraphicsPathItem):
    """The picture of a connection."""

    def __init__(
        self, connection: Connection, colour: QColor, colours: Colours, parent: QGraphicsItem
    ) -> None:
        super().__init__(parent)
        self.connection = connection
        self.colour = colour
        self.colours = colours
        self.glows = False
        self.state = NEVER_RUN
        self.count = ""
        """Size of the last value, such as ``208 × 60``."""
        self.via: tuple[tuple[float, float], ...] = ()
        """Bend points, in the frame."""
        self._shape: QPainterPath | None = None
        self._label: QRectF | None = None
        self._arrow = QPolygonF()
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIsSelectable)
        self.setAcceptHoverEvents(True)
        self.setZValue(BELOW_CARDS)

    def lead(self, path: QPainterPath) -> None:
        """Lay the wire along a way."""
        if path != self.path():
            self._shape = None
            self.setPath(path)
            self._place_parts()

    def show_run(self, state: str, count: str) -> None:
        """Show how the last run used the wire."""
        if (state, count) != (self.state, self.count):
            self.prepareGeometryChange()
            self.state, self.count = state, count
            self._place_parts()
            self.update()

    def _place_parts(self) -> None:
        """Find the place of the count: the middle of the longest level piece that has room."""
        path = self.path()
        points = [QPointF(e.x, e.y) for e in map(path.elementAt, range(path.elementCount()))]
        level = _level_pieces(points)
        self._label = None
        self.setZValue(BELOW_CARDS)
        if points:
            end = points[-1]
            tip = QPointF(end.x() - ARROW, end.y())
            back = QPointF(-5.5, -3.4), QPointF(-5.5, 3.4)
            self._arrow = QPolygonF([tip, tip + back[0], tip + back[1]])
        if self.count and level:
            a, b = max(level, key=lambda piece: abs(piece[1].x() - piece[0].x()))
            long = abs(b.x() - a.x())
            wide = text_width(self.count) + 12
            at_edge = b == points[-1] and self.connection.to_node == SINK
            if wide <= long - 16:  # the ports at its ends stay free
                middle = (a + b) / 2 - QPointF(4 if b == points[-1] else 0, 0)
                if at_edge:  # beside the name of the port, as far as there is room
                    left = a.x() + 8 + wide / 2
                    middle.setX(max(left, min(middle.x(), b.x() - EDGE_NAME - wide / 2)))
                self.setZValue(LABELLED)  # its count lies over other wires
                self._label = QRectF(middle.x() - wide / 2, middle.y() - PILL / 2, wide, PILL)

    @property
    def label_box(self) -> QRectF | None:
        """Where the count is; None where there is no room for it."""
        return self._label

    def boundingRect(self) -> QRectF:
        """Return what may be painted on."""
        box = super().boundingRect().adjusted(-HANDLE - 2, -HANDLE - 2, HANDLE + 2, HANDLE + 2)
        return box if self._label is None else box.united(self._label.adjusted(-1, -1, 1, 1))

    def shape(self) -> QPainterPath:
        """Return where the mouse touches the wire."""
        if self._shape is None:
            stroker = QPainterPathStroker()
            stroker.setWidth(TOUCH)
            self._shape = stroker.createStroke(self.path())
        return self._shape

    def distance(self, point: QPointF) -> float:
        """Return how far the wire is from a point."""
        path = self.path()
        places = (path.pointAtPercent(part / PARTS) - point for part in range(PARTS + 1))
        return min(hypot(away.x(), away.y()) for away in places)

    def paint(
        self,
        painter: QPainter | None,
        option: QStyleOptionGraphicsItem | None,
        widget: QWidget | None = None,
    ) -> None:
        """Paint the wire in the color of its type, with its direction and its count."""
        assert painter is not None
        assert option is not None
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        zoom = QStyleOptionGraphicsItem.levelOfDetailFromTransform(painter.worldTransform())
        colour = QColor(self.colour)
        if not (selected or hovered or self.glows):
            colour.setAlphaF(FADED.get(self.state, 1.0))
        if selected or self.glows:
            halo = self.colours.glow if self.glows else self.colours.selected_tint
            painter.setPen(QPen(halo, 4 if self.glows else 8))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPath(self.path())
        pen = QPen(colour, WIRE_STRONG if selected or hovered else WIRE_WIDTH)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if zoom < GLYPH_ZOOM:
            pen.setWidthF(1.2)
            pen.setCosmetic(True)
        elif self.state in DASHES and not selected:
            pen.setDashPattern(list(DASHES[self.state]))
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(self.path())
        if zoom >= GLYPH_ZOOM:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawPolygon(self._arrow)
        if (selected or hovered) and zoom >= GLYPH_ZOOM:
            painter.setPen(QPen(colour, WIRE_WIDTH))
            painter.setBrush(self.colours.frame)
            for x, y in self.via:
                painter.drawEllipse(QPointF(x, y), HANDLE, HANDLE)
        if self._label is not None and zoom >= FULL_ZOOM:
            self._paint_count(painter, self._label)

    def _paint_count(self, painter: QPainter, box: QRectF) -> None:
        c = self.colours
        painter.setPen(QPen(c.border, 1))
        painter.setBrush(c.frame)
        painter.drawRoundedRect(box, PILL / 2, PILL / 2)
        painter.setFont(small_font())
        painter.setPen(c.faint if self.state == STALE else c.secondary)
        painter.drawStaticText(QPointF(box.left() + 6, box.top() + 1), laid_out(self.count))


def _level_pieces(points: list[QPointF]) -> list[tuple[QPointF, QPointF]]:
    """Return the level pieces of a way, each as long as it goes on."""
    found: list[tuple[QPointF, QPointF]] = []
    for a, b in pairwise(points):
        if abs(a.y() - b.y()) < FLAT:
            begin = found.pop()[0] if found and found[-1][1] == a else a
            found.append((begin, b))
    return found
