"""Points that can be chosen: scatter plots of any size."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from PyQt6.QtCore import QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPen, QPolygonF

from fsops_gui.base.fonts import font
from fsops_gui.base.theme import current_colours
from fsops_gui.widgets.charts.chart import Chart, Floats, Hover, How, PlotRange
from fsops_gui.widgets.charts.colours import faded
from fsops_gui.widgets.charts.raster import dots, inside

Ints = npt.NDArray[np.intp]
NOTHING: Ints = np.empty(0, dtype=np.intp)
REACH = 9
"""Pixels within which a click meets a point."""
MOST_RINGS, MOST_NAMES = 400, 14


class DotChart(Chart):
    """Points with colors; some are marked, and new ones are chosen by click, box or lasso."""

    chosen = pyqtSignal(object, object)
    """Numbers of points, and `How`."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.xs: Floats = np.empty(0)
        self.ys: Floats = np.empty(0)
        self.codes: Ints = NOTHING
        self.marked: Ints = NOTHING
        self.named: Sequence[int] = ()
        """Points whose names are shown without being marked."""
        self.colours: Callable[[], list[QColor]] = list
        self.name_of: Callable[[int], str] = str
        """Name of a point, beside it."""
        self.about: Callable[[int], str] = str
        """Words about the point under the mouse."""
        self._picture: QImage | None = None
        self._key: object = None

    def set_points(self, x: Floats, y: Floats, codes: Ints, *, keep_view: bool = False) -> None:
        """Show points; those with an unknown coordinate are not drawn."""
        self.xs, self.ys, self.codes = x, y, codes
        self.marked, self._key = NOTHING, None
        known = np.isfinite(x) & np.isfinite(y)
        if known.any() and not keep_view:
            seen_x, seen_y = x[known], y[known]
            view = PlotRange(seen_x.min(), seen_x.max(), seen_y.min(), seen_y.max())
            self.set_home(_spread(view))
        self.update()

    def mark(self, positions: Ints) -> None:
        """Mark points, and no others."""
        self.marked = positions[positions < len(self.xs)]
        self.update()

    # --- painting ---------------------------------------------------------------------------

    def paint_data(self, painter: QPainter, at: QRectF) -> None:
        """Draw the points from one picture, and the marked ones above it."""
        painter.drawImage(at, self._image(at))
        if not len(self.marked):
            return
        accent = current_colours().selected
        x, y = self.pixels(self.xs[self.marked], self.ys[self.marked])
        if len(self.marked) > MOST_RINGS:
            size = QSize(int(at.width()), int(at.height()))
            codes = np.zeros(len(x), dtype=np.intp)
            painter.drawImage(at, dots(size, x - at.left(), y - at.top(), codes, [accent]))
            return
        colours = self.colours()
        for left, top, code in zip(
            x.tolist(), y.tolist(), self.codes[self.marked].tolist(), strict=True
        ):
            if np.isfinite(left) and np.isfinite(top):
                painter.setPen(QPen(accent, 1.6))
                painter.setBrush(faded(colours[code], 255))
                painter.drawEllipse(QPointF(left, top), 4.6, 4.6)

    def _image(self, at: QRectF) -> QImage:
        ratio = self.devicePixelRatioF()
        colours = self.colours()
        key = (self.view, at.width(), at.height(), ratio, [c.rgba() for c in colours])
        if self._picture is None or key != self._key:
            x, y = self.pixels(self.xs, self.ys)
            size = QSize(max(1, int(at.width() * ratio)), max(1, int(at.height() * ratio)))
            self._picture = dots(
                size, (x - at.left()) * ratio, (y - at.top()) * ratio, self.codes, colours,
                ratio=ratio,
            )  # fmt: skip
            self._key = key
        return self._picture

    def paint_above(self, painter: QPainter, at: QRectF) -> None:
        """Name the marked points, and the named ones where there is room."""
        painter.setFont(font("caption"))
        metrics = QFontMetricsF(painter.font())
        marked = self.marked[:MOST_NAMES].tolist() if len(self.marked) <= MOST_NAMES else []
        taken: list[QRectF] = []
        others = [n for n in self.named if n not in marked][:MOST_NAMES]
        for number in [*marked, *others]:
            x, y = self.pixels(self.xs[[number]], self.ys[[number]])
            place = QPointF(float(x[0]), float(y[0]))
            if not at.contains(place):
                continue
            text = metrics.elidedText(self.name_of(number), Qt.TextElideMode.ElideMiddle, 120)
            box = _beside(place, metrics.horizontalAdvance(text), metrics.height(), at)
            if any(box.intersects(other) for other in taken):
                continue
            taken.append(box)
            _write(painter, box, text, marked=number in marked)

    # --- choosing ---------------------------------------------------------------------------

    def nearest(self, place: QPointF) -> int | None:
        """Return the point at a place, or None; a marked one first."""
        if not len(self.xs):
            return None
        x, y = self.pixels(self.xs, self.ys)
        with np.errstate(invalid="ignore"):
            distance = np.hypot(x - place.x(), y - place.y())
        if len(self.marked):
            distance[self.marked] -= 2
        distance[~np.isfinite(distance)] = np.inf
        found = int(distance.argmin())
        return found if distance[found] <= REACH else None

    def hit(self, place: QPointF) -> Hover | None:
        """Return words about the point under the mouse."""
        found = self.nearest(place) if self.plot_rect().contains(place) else None
        return None if found is None else Hover(place, self.about(found))

    def click(self, place: QPointF, how: How) -> None:
        """Choose a point; a click beside all of them clears."""
        found = self.nearest(place)
        if found is not None:
            self.chosen.emit(np.array([found], dtype=np.intp), how)
        elif how is How.REPLACE:
            self.cleared.emit()

    def choose_inside(self, polygon: QPolygonF, how: How) -> None:
        """Choose the points inside a polygon."""
        x, y = self.pixels(self.xs, self.ys)
        found = inside(polygon, self.size(), x, y)
        if len(found) or how is How.REPLACE:
            self.chosen.emit(found, how)


def _spread(view: PlotRange) -> PlotRange:
    """Return a view with some height and width, also where all points are the same."""
    left, right, bottom, top = view
    if left == right:
        left, right = left - 0.5, right + 0.5
    if bottom == top:
        bottom, top = bottom - 0.5, top + 0.5
    return PlotRange(float(left), float(right), float(bottom), float(top))


def _beside(place: QPointF, wide: float, high: float, at: QRectF) -> QRectF:
    """Return the room of a name to the right of its point, or to the left at the edge."""
    left = place.x() + 9
    if left + wide > at.right() + 6:
        left = place.x() - 9 - wide
    return QRectF(left - 3, place.y() - high / 2, wide + 6, high)


def _write(painter: QPainter, box: QRectF, text: str, *, marked: bool) -> None:
    colours = current_colours()
    if marked:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colours.selected)
        painter.drawRoundedRect(box, 4, 4)
        painter.setPen(colours.on_accent)
    else:
        painter.setPen(colours.secondary)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
