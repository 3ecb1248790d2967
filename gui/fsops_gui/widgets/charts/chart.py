"""The base of interactive plots: axes, zoom, moving, hover, box and lasso."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PyQt6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import (
    QEnterEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QWheelEvent,
)
from PyQt6.QtWidgets import QApplication, QWidget

from fsops_gui.base.fonts import font
from fsops_gui.base.theme import current_colours
from fsops_gui.widgets.charts.colours import faded
from fsops_gui.widgets.charts.ticks import tick_texts, ticks

Floats = npt.NDArray[np.float64]
STEP = 1.2
"""Factor of one step of the wheel."""
GAP = 90, 42
"""Pixels between two ticks, across and down."""


class How(StrEnum):
    """How a choice changes the selection."""

    REPLACE = "replace"
    ADD = "add"
    TOGGLE = "toggle"

    @classmethod
    def of(cls, modifiers: Qt.KeyboardModifier) -> How:
        """Return the meaning of the keys that are held: Shift adds, Ctrl toggles."""
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            return cls.TOGGLE
        return cls.ADD if modifiers & Qt.KeyboardModifier.ShiftModifier else cls.REPLACE


class Tool(StrEnum):
    """The effect of a drag with the left button."""

    BOX = "box"
    LASSO = "lasso"
    MOVE = "move"


class PlotRange(NamedTuple):
    """The part of the plane that is shown."""

    left: float
    right: float
    bottom: float
    top: float


class Hover(NamedTuple):
    """The item under the mouse: its place in pixels, and words about it."""

    place: QPointF
    text: str


class Chart(QWidget):
    """A plane with axes. Subclasses draw the content."""

    cleared = pyqtSignal()
    """A click hit nothing: clear the selection."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(160, 110)
        self.x_title = self.y_title = ""
        self.home = PlotRange(0.0, 1.0, 0.0, 1.0)
        self.view = self.home
        self.tool = Tool.BOX
        self.has_x = self.has_y = True
        """Whether an axis has ticks."""
        self.hover: Hover | None = None
        self._pressed: QPointF | None = None
        self._last = QPointF()
        self._way: list[QPointF] = []
        self._moving = False

    # --- places -----------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        """Return a size at which most plots can be read."""
        return QSize(420, 300)

    def plot_rect(self) -> QRectF:
        """Return the part of the widget inside the axes, in its own pixels."""
        bottom = 22 * self.has_x + 16 * bool(self.x_title) + 4
        left = self._left_room(max(10, self.height() - 8 - bottom))
        return QRectF(
            left, 8, max(10, self.width() - left - 10), max(10, self.height() - 8 - bottom)
        )

    def _left_room(self, height: float) -> float:
        """Return the pixels that the texts at the left need."""
        if not self.has_y:
            return 24 if self.y_title else 8
        metrics = QFontMetricsF(font("caption"))
        found = ticks(self.view.bottom, self.view.top, max(2, int(height / GAP[1])))
        longest = max((metrics.horizontalAdvance(t) for t in tick_texts(found)), default=20.0)
        return longest + (30 if self.y_title else 14)

    def set_home(self, view: PlotRange, *, margin: float = 0.04) -> None:
        """Show a part of the plane, and come back to it on a double click."""
        across, up = view.right - view.left, view.top - view.bottom
        across, up = across if across > 0 else 1.0, up if up > 0 else 1.0
        self.home = self.view = PlotRange(
            view.left - margin * across,
            view.left + (1 + margin) * across,
            view.bottom - margin * up,
            view.bottom + (1 + margin) * up,
        )
        self.update()

    def pixels(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Return the places of points, in pixels of the widget."""
        at, view = self.plot_rect(), self.view
        across = at.width() / (view.right - view.left)
        up = at.height() / (view.top - view.bottom)
        return at.left() + (x - view.left) * across, at.bottom() - (y - view.bottom) * up

    def point(self, place: QPointF) -> tuple[float, float]:
        """Return the numbers at a pixel of the widget."""
        at, view = self.plot_rect(), self.view
        x = view.left + (place.x() - at.left()) / at.width() * (view.right - view.left)
        y = view.bottom + (at.bottom() - place.y()) / at.height() * (view.top - view.bottom)
        return x, y

    # --- zoom -------------------------------------------------------------------------------

    def show_view(self, view: PlotRange) -> None:
        """Show another part of the plane, if it is neither too small nor too large."""
        home = self.home
        across = (view.right - view.left) / (home.right - home.left)
        if 1e-6 < across < 20 and view.top > view.bottom:
            self.view = view
            self.hover = None
            self.update()

    def zoom(self, factor: float, place: QPointF | None = None) -> None:
        """Show more (above 1) or less around a place."""
        x, y = self.point(self.plot_rect().center() if place is None else place)
        v = self.view
        self.show_view(
            PlotRange(
                x + (v.left - x) * factor,
                x + (v.right - x) * factor,
                y + (v.bottom - y) * factor,
                y + (v.top - y) * factor,
            )
        )

    def move_by(self, right: float, down: float) -> None:
        """Move the view by pixels."""
        at, v = self.plot_rect(), self.view
        x = right / at.width() * (v.right - v.left)
        y = down / at.height() * (v.top - v.bottom)
        self.show_view(PlotRange(v.left - x, v.right - x, v.bottom + y, v.top + y))

    def go_home(self) -> None:
        """Show all again."""
        self.show_view(self.home)

    # --- to be filled in --------------------------------------------------------------------

    def paint_data(self, painter: QPainter, at: QRectF) -> None:
        """Draw the content between the axes."""

    def paint_above(self, painter: QPainter, at: QRectF) -> None:
        """Draw items that may reach over the axes."""

    def hit(self, _place: QPointF) -> Hover | None:
        """Return the item at a place."""
        return None

    def click(self, _place: QPointF, _how: How) -> None:
        """Choose the item at a place."""

    def choose_inside(self, _polygon: QPolygonF, _how: How) -> None:
        """Choose the items inside a polygon, in pixels of the widget."""

    # --- painting ---------------------------------------------------------------------------

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Draw grid, content, axes and hover text."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        at = self.plot_rect()
        self._paint_axes(painter, at)
        painter.save()
        painter.setClipRect(at.adjusted(-1, -1, 1, 1))
        self.paint_data(painter, at)
        painter.restore()
        self.paint_above(painter, at)
        self._paint_way(painter)
        if self.hover is not None:
            paint_bubble(painter, self.hover, QRectF(self.rect()))
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(faded(current_colours().selected, 120), 1))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        painter.end()

    def _paint_axes(self, painter: QPainter, at: QRectF) -> None:
        colours = current_colours()
        painter.setFont(font("caption"))
        high = QFontMetricsF(painter.font()).height()
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for value, text in self._ticks(down=True) if self.has_y else ():
            y = float(self.pixels(np.zeros(1), np.array([value]))[1][0])
            painter.setPen(QPen(colours.border, 0.6))
            painter.drawLine(QPointF(at.left(), y), QPointF(at.right(), y))
            painter.setPen(colours.faint)
            painter.drawText(QRectF(0, y - high / 2, at.left() - 6, high), right, text)
        for value, text in self._ticks(down=False) if self.has_x else ():
            x = float(self.pixels(np.array([value]), np.zeros(1))[0][0])
            painter.setPen(colours.faint)
            place = QRectF(x - 45, at.bottom() + 4, 90, high)
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)
        painter.setPen(colours.secondary)
        if self.x_title:
            place = QRectF(at.left(), self.height() - high - 2, at.width(), high)
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, self.x_title)
        if self.y_title:
            painter.save()
            painter.translate(2 + high / 2, at.center().y())
            painter.rotate(-90)
            place = QRectF(-at.height() / 2, -high / 2, at.height(), high)
            metrics = QFontMetricsF(painter.font())
            fits = metrics.elidedText(self.y_title, Qt.TextElideMode.ElideRight, at.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, fits)
            painter.restore()

    def _ticks(self, *, down: bool) -> list[tuple[float, str]]:
        at, v = self.plot_rect(), self.view
        low, high = (v.bottom, v.top) if down else (v.left, v.right)
        length, gap = (at.height(), GAP[1]) if down else (at.width(), GAP[0])
        found = ticks(low, high, max(2, int(length / gap)))
        return list(zip(found, tick_texts(found), strict=True))

    def _paint_way(self, painter: QPainter) -> None:
        if len(self._way) > 1:
            colours = current_colours()
            painter.setPen(QPen(colours.selected, 1.2))
            painter.setBrush(faded(colours.selected, 36))
            painter.drawPolygon(self._polygon())

    def _polygon(self) -> QPolygonF:
        if self.tool is Tool.LASSO:
            return QPolygonF(self._way)
        return QPolygonF(QRectF(self._way[0], self._way[-1]).normalized())

    # --- mouse and keys ---------------------------------------------------------------------

    def mousePressEvent(self, a0: QMouseEvent | None) -> None:
        """Begin a box, a lasso or a move."""
        if a0 is None:
            return
        self._pressed = self._last = a0.position()
        self._moving = a0.button() != Qt.MouseButton.LeftButton or self.tool is Tool.MOVE
        self._way = []
        self.hover = None

    def mouseMoveEvent(self, a0: QMouseEvent | None) -> None:
        """Draw the box or lasso, move, or show the hover text."""
        if a0 is None:
            return
        place = a0.position()
        if self._pressed is None:
            hover = self.hit(place)
            if hover != self.hover:
                self.hover = hover
                self.update()
            return
        far = (place - self._pressed).manhattanLength() >= QApplication.startDragDistance()
        if self._moving:
            self.move_by(place.x() - self._last.x(), place.y() - self._last.y())
        elif far or self._way:
            self._way = [*(self._way or [self._pressed]), place]
            self.update()
        self._last = place

    def mouseReleaseEvent(self, a0: QMouseEvent | None) -> None:
        """Choose the items inside, or the item that was clicked."""
        if a0 is None or self._pressed is None:
            return
        how, way, moved = How.of(a0.modifiers()), self._way, self._moving
        if len(way) > 1:
            polygon = self._polygon()
            self._way, self._pressed = [], None
            self.choose_inside(polygon, how)
        elif not moved:
            self._pressed = None
            self.click(a0.position(), how)
        self._pressed, self._way, self._moving = None, [], False
        self.update()

    def mouseDoubleClickEvent(self, a0: QMouseEvent | None) -> None:
        """Show all again."""
        self.go_home()

    def wheelEvent(self, a0: QWheelEvent | None) -> None:
        """Zoom around the mouse."""
        if a0 is not None:
            self.zoom(STEP ** (-a0.angleDelta().y() / 120), a0.position())
            a0.accept()

    def keyPressEvent(self, a0: QKeyEvent | None) -> None:
        """Zoom with + and −, move with the arrows, show all with 0, clear with Escape."""
        if a0 is None:
            return
        moves = {
            Qt.Key.Key_Left: (40, 0), Qt.Key.Key_Right: (-40, 0),
            Qt.Key.Key_Up: (0, 40), Qt.Key.Key_Down: (0, -40),
        }  # fmt: skip
        key = Qt.Key(a0.key())
        if key in moves:
            self.move_by(*moves[key])
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(1 / STEP)
        elif key == Qt.Key.Key_Minus:
            self.zoom(STEP)
        elif key == Qt.Key.Key_0:
            self.go_home()
        elif key == Qt.Key.Key_Escape and self._pressed is None:
            self.cleared.emit()
        elif key == Qt.Key.Key_Escape:
            self._pressed, self._way = None, []
            self.update()
        else:
            super().keyPressEvent(a0)

    def leaveEvent(self, a0: QEvent | None) -> None:
        """Hide the hover text."""
        self.hover = None
        self.update()
        super().leaveEvent(a0)

    def enterEvent(self, event: QEnterEvent | None) -> None:
        """Show the tool by the shape of the mouse."""
        shape = {Tool.MOVE: Qt.CursorShape.OpenHandCursor}
        self.setCursor(shape.get(self.tool, Qt.CursorShape.CrossCursor))
        super().enterEvent(event)


def paint_bubble(painter: QPainter, hover: Hover, within: QRectF) -> None:
    """Draw words beside the mouse, inside the widget."""
    colours = current_colours()
    painter.setFont(font("caption"))
    lines = hover.text.split("\n")
    metrics = QFontMetricsF(painter.font())
    wide = max(metrics.horizontalAdvance(line) for line in lines) + 16
    high = metrics.height() * len(lines) + 10
    x = min(hover.place.x() + 12, within.right() - wide - 2)
    y = hover.place.y() - high - 8
    y = y if y > within.top() + 2 else min(hover.place.y() + 14, within.bottom() - high - 2)
    box = QRectF(max(within.left() + 2, x), y, wide, high)
    painter.setPen(QPen(colours.strong_border, 1))
    painter.setBrush(colours.operator)
    painter.drawRoundedRect(box, 5, 5)
    painter.setPen(colours.text)
    for number, line in enumerate(lines):
        top = box.top() + 5 + number * metrics.height()
        painter.drawText(QRectF(box.left() + 8, top, wide, metrics.height()), 0, line)
