"""A wire between two ports."""

from __future__ import annotations

from math import hypot

from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtGui import QColor, QPainter, QPainterPath, QPainterPathStroker, QPen
from PyQt6.QtWidgets import (
    QGraphicsItem,
    QGraphicsPathItem,
    QStyle,
    QStyleOptionGraphicsItem,
    QWidget,
)

from fsops.core.graph.wiring import Connection
from fsops_gui.base.theme import Colours

TOUCH = 14.0
"""How wide a wire is for the mouse."""
PARTS = 50
"""At the ends of so many parts of a wire its distance is measured."""


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
        self._shape: QPainterPath | None = None
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIsSelectable)
        self.setZValue(1)

    def lead(self, path: QPainterPath) -> None:
        """Lay the wire along a way."""
        if path != self.path():
            self._shape = None
            self.setPath(path)

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
        """Paint the wire; a selected one is thicker and dashed."""
        assert painter is not None
        assert option is not None
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        pen = QPen(self.colour, 1.8)
        if selected:
            pen = QPen(self.colours.selected, 3, Qt.PenStyle.DashLine)
        if self.glows:
            pen = QPen(self.colours.glow, 4)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(self.path())
