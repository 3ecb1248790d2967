"""Parallel coordinates: an axis per attribute, a line per row."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PyQt6.QtCore import QPointF, QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF

from fsops_gui.base.fonts import font
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.panels.explore.material import Material
from fsops_gui.panels.explore.selection import SharedSelection
from fsops_gui.panels.explore.view import LinkedView
from fsops_gui.panels.results.page import filled
from fsops_gui.widgets.charts.chart import Chart, Hover, How, PlotRange
from fsops_gui.widgets.charts.colours import class_colours, faded
from fsops_gui.widgets.charts.ticks import number_text

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]
AXES, MOST_LINES = 10, 1_500


class ParallelChart(Chart):
    """Lines over axes; a drag along an axis chooses the rows that pass there."""

    def __init__(self, view: ParallelView) -> None:
        super().__init__(tr("Parallel coordinates"))
        self._view = view
        self.has_x = self.has_y = False
        self.x_title = " "
        self.scaled: Floats = np.empty((0, 0))
        self._picture: QImage | None = None
        self._key: object = None

    def set_lines(self, scaled: Floats) -> None:
        """Show rows by attributes, values between 0 and 1."""
        self.scaled, self._key = scaled, None
        self.set_home(PlotRange(0.0, max(1.0, scaled.shape[1] - 1.0), 0.0, 1.0), margin=0.05)

    def paint_data(self, painter: QPainter, at: QRectF) -> None:
        """Draw axes, all lines from one picture, and the chosen rows above them."""
        colours = current_colours()
        ratio = self.devicePixelRatioF()
        key = (
            self.view,
            self.size(),
            ratio,
            colours.operator.name(),
            len(self._view.selection.rows),
        )
        if self._picture is None or key != self._key:
            size = QSize(int(self.width() * ratio), int(self.height() * ratio))
            image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
            image.setDevicePixelRatio(ratio)
            image.fill(Qt.GlobalColor.transparent)
            inner = QPainter(image)
            inner.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_lines(inner)
            inner.end()
            self._picture, self._key = image, key
        painter.drawImage(QPointF(0, 0), self._picture)
        painter.setPen(QPen(colours.strong_border, 1))
        for axis in range(self.scaled.shape[1]):
            x, y = self.pixels(np.array([axis, axis]), np.array([0.0, 1.0]))
            painter.drawLine(QPointF(x[0], y[0]), QPointF(x[1], y[1]))

    def _paint_lines(self, painter: QPainter) -> None:
        material, chosen = self._view.material, self._view.selection.rows
        rows = np.arange(len(self.scaled))
        if len(rows) > MOST_LINES:
            rows = rows[:: -(-len(rows) // MOST_LINES)]
        strength = 30 if len(chosen) else max(40, min(170, 9_000 // max(1, len(rows))))
        palette = [faded(c, strength) for c in class_colours(len(material.classes))]
        self._draw(painter, rows, palette, 1.0)
        strong = class_colours(len(material.classes))
        self._draw(painter, chosen[:MOST_LINES], strong, 1.6)

    def _draw(self, painter: QPainter, rows: Ints, palette: list[QColor], wide: float) -> None:
        axes = np.arange(self.scaled.shape[1], dtype=np.float64)
        for row in rows.tolist():
            values = self.scaled[row]
            known = np.isfinite(values)
            x, y = self.pixels(axes[known], values[known])
            points = [QPointF(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
            painter.setPen(QPen(palette[int(self._view.material.codes[row])], wide))
            painter.drawPolyline(QPolygonF(points))

    def paint_above(self, painter: QPainter, at: QRectF) -> None:
        """Name the axes."""
        painter.setFont(font("caption"))
        chosen = set(self._view.selection.attributes.tolist())
        for axis, attribute in enumerate(self._view.shown.tolist()):
            x = float(self.pixels(np.array([axis]), np.zeros(1))[0][0])
            gap = 2 * at.width() / max(2, len(self._view.shown))
            name = painter.fontMetrics().elidedText(
                self._view.material.names[attribute], Qt.TextElideMode.ElideMiddle, int(gap - 14)
            )
            on = attribute in chosen
            painter.setPen(current_colours().selected if on else current_colours().secondary)
            left = min(max(2.0, x - gap / 2), self.width() - gap - 2)
            place = QRectF(left, self.height() - 18 - 15 * (axis % 2), gap, 16)
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, name)

    def plot_rect(self) -> QRectF:
        """Leave two lines for the names of the axes."""
        return super().plot_rect().adjusted(0, 0, 0, -14)

    def axis_at(self, place: QPointF) -> int | None:
        """Return the nearest axis."""
        x, _ = self.point(place)
        axis = round(x)
        return axis if 0 <= axis < self.scaled.shape[1] and abs(x - axis) < 0.5 else None

    def hit(self, place: QPointF) -> Hover | None:
        """Return attribute and value at the mouse."""
        axis = self.axis_at(place)
        if axis is None or not self.plot_rect().contains(place):
            return None
        low, high = self._view.ends[axis]
        value = low + self.point(place)[1] * (high - low)
        name = self._view.material.names[int(self._view.shown[axis])]
        return Hover(place, f"{name}: {number_text(value)}")

    def click(self, place: QPointF, how: How) -> None:
        """Choose the attribute of an axis."""
        axis = self.axis_at(place)
        if axis is not None:
            self._view.selection.choose_attributes(self._view.shown[[axis]], how)

    def choose_inside(self, polygon: QPolygonF, how: How) -> None:
        """Choose the rows that cross the nearest axis inside a box."""
        box = polygon.boundingRect()
        axis = self.axis_at(box.center())
        if axis is None:
            return
        high, low = self.point(box.topLeft())[1], self.point(box.bottomLeft())[1]
        values = self.scaled[:, axis]
        inside = np.flatnonzero((values >= low) & (values <= high))
        self._view.selection.choose_rows(inside, how)


class ParallelView(LinkedView):
    """The chosen attributes, or the best ones, as axes."""

    def __init__(self, material: Material, selection: SharedSelection) -> None:
        super().__init__(material, selection)
        self.shown: Ints = np.empty(0, dtype=np.intp)
        self.ends: list[tuple[float, float]] = []
        self.chart = ParallelChart(self)
        self.charts = [self.chart]
        self.chart.cleared.connect(selection.clear)
        filled(self, self.chart)
        self.show_selection()

    def show_selection(self) -> None:
        """Show the chosen attributes as axes, and the chosen rows."""
        chosen = self.selection.attributes
        best = self.material.best[:AXES]
        if len(chosen) >= 3:
            wanted = chosen[:AXES]
        else:
            new = chosen[~np.isin(chosen, best)]
            wanted = np.concatenate([new, best])[:AXES]
        if not np.array_equal(wanted, self.shown) and not (
            len(chosen) < 3 and len(self.shown) and np.isin(chosen, self.shown).all()
        ):
            self._show(wanted)
        self.chart.update()

    def _show(self, attributes: Ints) -> None:
        self.shown = attributes
        values = self.material.matrix(attributes)
        scaled = np.full(values.shape, np.nan)
        self.ends = []
        for n, column in enumerate(values.T):
            known = column[np.isfinite(column)]
            low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
            self.ends.append((low, high))
            scaled[:, n] = (column - low) / (high - low) if high > low else 0.5
        self.chart.set_lines(scaled)
        self.say(tr("{n} attributes", n=len(attributes)))
