"""The chosen attributes, or the best ones, as a heat map: rows of the table from left to right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PyQt6.QtCore import QPointF, QRectF
from PyQt6.QtGui import QPainter

from fsops_gui.base.background import in_background
from fsops_gui.base.fonts import font
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.panels.explore.clustering import class_order, clustered
from fsops_gui.panels.explore.material import Material
from fsops_gui.panels.explore.selection import SharedSelection
from fsops_gui.panels.explore.view import LinkedView, choice
from fsops_gui.panels.results.page import filled
from fsops_gui.widgets.charts.chart import How
from fsops_gui.widgets.charts.colours import LEVELS, class_colours, diverging
from fsops_gui.widgets.charts.grid import Branch, GridChart
from fsops_gui.widgets.charts.raster import image_of
from fsops_gui.widgets.charts.ticks import number_text

Ints = npt.NDArray[np.intp]
BEST, MOST, MOST_ROWS = 12, 200, 2_000
"""Attributes shown if fewer than three are chosen; most attributes; most rows of the table."""
REACH = 2.0
"""Deviations from the mean at the ends of the colors."""
LEGEND = 20


@dataclass(frozen=True, eq=False)
class Arranged:
    """The content of a heat map."""

    attributes: Ints
    rows: Ints
    levels: npt.NDArray[np.uint8]
    groups: list[tuple[str, int]]
    tree: list[Branch]


def arranged(material: Material, attributes: Ints, *, cluster: bool) -> Arranged:
    """Return attributes by rows as levels of color, in the order of clusters if wanted."""
    rows = np.arange(material.n_rows, dtype=np.intp)
    if len(rows) > MOST_ROWS:  # a sample that takes rows from everywhere
        rows = rows[:: -(-len(rows) // MOST_ROWS)]
    values = material.matrix(attributes)[rows]
    with np.errstate(invalid="ignore", divide="ignore"):
        known = np.isfinite(values)
        values = np.where(known, values, np.nan)
        count = np.maximum(known.sum(axis=0), 1)
        centre = np.nansum(values, axis=0) / count
        spread = np.sqrt(np.nansum((values - centre) ** 2, axis=0) / count)
        scaled = (values - centre) / np.where(spread > 0, spread, 1.0)
    scaled = np.clip(np.where(np.isnan(scaled), 0.0, scaled), -REACH, REACH)
    codes = material.codes[rows]
    across = class_order(scaled, codes, cluster=cluster)
    found = clustered(scaled.T, by_correlation=True) if cluster else None
    down = np.arange(len(attributes), dtype=np.intp) if found is None else found.items
    levels = ((scaled[across][:, down].T / REACH + 1) / 2 * (LEVELS - 1)).round().astype(np.uint8)
    names, counts = np.unique(codes, return_counts=True)
    groups = [
        (
            tr("{name}, {n} rows", name=material.classes[c], n=n) if material.classes[c] else "",
            int(n),
        )
        for c, n in zip(names.tolist(), counts.tolist(), strict=True)
    ]
    return Arranged(
        attributes[down], rows[across], levels, groups, [] if found is None else found.branches
    )


class HeatMapChart(GridChart):
    """Cells with a legend of the colors below."""

    def paint_above(self, painter: QPainter, at: QRectF) -> None:
        """Draw the legend."""
        super().paint_above(painter, at)
        colours = current_colours()
        painter.setFont(font("micro"))
        painter.setPen(colours.secondary)
        top = self.height() - 16.0
        painter.drawText(QRectF(at.left(), top, 40, 14), 0, tr("lower"))
        painter.drawImage(QRectF(at.left() + 38, top + 2, 90, 8), image_of(self.scale()[None, :]))
        text = tr("higher than the mean (−2 to 2 deviations)")
        painter.drawText(QPointF(at.left() + 134, top + 11), text)

    def plot_rect(self) -> QRectF:
        """Leave room for the legend."""
        return super().plot_rect().adjusted(0, 0, 0, -LEGEND + 4)


class HeatMapView(LinkedView):
    """Shows values; a cell chooses its attribute, a box its rows."""

    def __init__(self, material: Material, selection: SharedSelection) -> None:
        super().__init__(material, selection)
        self.chart = HeatMapChart(tr("Heat map"))
        self.charts = [self.chart]
        self.chart.scale = lambda: diverging(current_colours())
        self.chart.group_colours = lambda: class_colours(len(material.classes))
        self.chart.about = self._about
        self.order = choice(tr("Order"), (tr("Clustered"), True), (tr("As chosen"), False))
        self.fields = [self.order]
        self.order.activated.connect(lambda _row: self._arrange(self._wanted()))
        self.chart.cell_chosen.connect(self._choose_cell)
        self.chart.name_chosen.connect(self._choose_name)
        self.chart.box_chosen.connect(self._choose_box)
        self.chart.cleared.connect(selection.clear)
        self.shown: Arranged | None = None
        self._asked: Ints = np.empty(0, dtype=np.intp)
        filled(self, self.chart)
        self._arrange(self._wanted())

    def _wanted(self) -> Ints:
        chosen = self.selection.attributes
        if len(chosen) >= 3:
            return chosen[:MOST]
        best = self.material.best[:BEST]
        return np.concatenate([chosen[~np.isin(chosen, best)], best])

    def _arrange(self, attributes: Ints) -> None:
        self._asked = attributes
        material, cluster = self.material, bool(self.order.currentData())

        def show(found: Arranged) -> None:
            if attributes is self._asked:
                self._show(found)

        in_background(self, lambda: arranged(material, attributes, cluster=cluster), show)

    def _show(self, found: Arranged) -> None:
        self.shown = found
        self.chart.groups = found.groups if self.material.classes != ("",) else ()
        self.chart.tree = found.tree
        self.chart.set_cells(found.levels, [self.material.names[a] for a in found.attributes])
        words = tr("{n} attributes", n=len(found.attributes))
        chosen = len(self.selection.attributes)
        if chosen < 3:
            words = tr("{n} best attributes", n=len(found.attributes))
        elif chosen > MOST:
            words = tr("first {n} of {all} attributes", n=MOST, all=chosen)
        if len(found.rows) < self.material.n_rows:
            words += tr(", {n} of {all} rows", n=len(found.rows), all=self.material.n_rows)
        self.say(words)
        self._mark()

    def show_selection(self) -> None:
        """Show the chosen attributes; mark attribute and rows."""
        wanted = self._wanted()
        shown = self._asked
        # A click on a name inside must not move the rows under the mouse.
        if not set(wanted.tolist()) <= set(shown.tolist()) or len(wanted) >= 3 > len(shown):
            self._arrange(wanted)
        else:
            self._mark()

    def _mark(self) -> None:
        if self.shown is not None:
            chosen = self.selection.attributes
            if len(chosen) >= len(self.shown.attributes):
                focus = self.selection.focus
                chosen = chosen[:0] if focus is None else np.array([focus], dtype=np.intp)
            self.chart.marked_rows = np.flatnonzero(np.isin(self.shown.attributes, chosen))
            rows = np.isin(self.shown.rows, self.selection.rows)
            self.chart.marked_columns = np.flatnonzero(rows)
        self.chart.update()

    def _choose_cell(self, row: int, _column: int, how: How) -> None:
        self._choose_name(row, how)

    def _choose_name(self, row: int, how: How) -> None:
        if self.shown is not None:
            self.selection.choose_attributes(self.shown.attributes[[row]], how)

    def _choose_box(self, _rows: Ints, columns: Ints, how: How) -> None:
        if self.shown is not None:
            self.selection.choose_rows(self.shown.rows[columns], how)

    def _about(self, row: int, column: int) -> str:
        assert self.shown is not None
        attribute, example = int(self.shown.attributes[row]), int(self.shown.rows[column])
        name = self.material.classes[self.material.codes[example]]
        value = float(self.material.column(attribute)[example])
        where = f"{self.material.row_name(example)}{', ' if name else ''}{name}"
        return f"{self.material.names[attribute]}: {number_text(value)}\n{where}"
