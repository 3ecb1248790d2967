"""Rows as points: two or three attributes against each other, and projections of many."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt
from PyQt6.QtGui import QColor
from PyQt6.QtWidgets import QGridLayout

from fsops_gui.base.background import in_background
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.panels.explore.material import Material
from fsops_gui.panels.explore.projections import PlaneProjection, project, umap_is_there
from fsops_gui.panels.explore.selection import SharedSelection
from fsops_gui.panels.explore.view import LinkedView, choice
from fsops_gui.panels.results.page import filled
from fsops_gui.widgets.charts.colours import LEVELS, class_colours, diverging, faded
from fsops_gui.widgets.charts.points import DotChart
from fsops_gui.widgets.charts.ticks import number_text

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]
OPAQUE = 1_000
"""Up to so many points are drawn without transparency."""


class RowChart(DotChart):
    """Points that are rows of the table, colored by class or by the values of an attribute."""

    def __init__(self, name: str, material: Material, selection: SharedSelection) -> None:
        super().__init__(name)
        self.material = material
        self.by: int | None = None
        """Attribute that colors the points; None for the class."""
        self.colours = self._palette
        self.name_of = material.row_name
        self.about = self._words
        self.chosen.connect(selection.choose_rows)
        self.cleared.connect(selection.clear)

    def show_rows(self, x: Floats, y: Floats) -> None:
        """Show the rows at places."""
        self.set_points(x, y, self._row_codes())

    def colour_by(self, attribute: int | None) -> None:
        """Color the rows by an attribute, or by class."""
        self.by = attribute
        self.codes = self._row_codes()
        self._key = None
        self.update()

    def _row_codes(self) -> Ints:
        if self.by is None:
            return self.material.codes
        values = self.material.column(self.by)
        low, high = np.nanquantile(values, [0.02, 0.98]) if np.isfinite(values).any() else (0, 1)
        part = np.clip((values - low) / ((high - low) or 1.0), 0, 1)
        return np.where(np.isnan(part), LEVELS, part * (LEVELS - 1)).astype(np.intp)

    def _palette(self) -> list[QColor]:
        strength = 255 if len(self.xs) <= OPAQUE else 170
        if self.by is not None:
            colours = [QColor.fromRgb(int(c)) for c in diverging(current_colours())]
            return [*colours, current_colours().data["chance"]]
        return [faded(c, strength) for c in class_colours(len(self.material.classes))]

    def _words(self, row: int) -> str:
        m = self.material
        name = m.classes[m.codes[row]]
        lines = [f"{m.row_name(row)}{', ' if name else ''}{name}"]
        lines += [
            f"{title}: {number_text(float(values[row]))}"
            for title, values in ((self.x_title, self.xs), (self.y_title, self.ys))
            if title
        ]
        return "\n".join(lines)


class ScatterView(LinkedView):
    """Two attributes against each other, or three as three plots."""

    def __init__(self, material: Material, selection: SharedSelection) -> None:
        super().__init__(material, selection)
        self._shown: tuple[int, ...] = ()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(2)
        self.show_selection()

    def _wanted(self) -> tuple[int, ...]:
        """Return the two or three attributes to show: the chosen ones, else the best."""
        chosen = [int(a) for a in self.selection.attributes[-3:]]
        if len(chosen) >= 2:
            return tuple(chosen)
        best = [int(a) for a in self.material.best[:3] if int(a) not in chosen]
        return tuple([*chosen, *best][:2])

    def show_selection(self) -> None:
        """Show the attributes that were chosen last; mark the chosen rows."""
        wanted = self._wanted()
        if wanted != self._shown:
            self._show(wanted)
        for chart in self.charts:
            assert isinstance(chart, RowChart)
            chart.mark(self.selection.rows)

    def _show(self, attributes: tuple[int, ...]) -> None:
        self._shown = attributes
        pairs = list(combinations(attributes, 2))
        for chart in self.charts[len(pairs) :]:
            self._grid.removeWidget(chart)
            chart.deleteLater()
        del self.charts[len(pairs) :]
        while len(self.charts) < len(pairs):
            chart = RowChart(tr("Scatter plot"), self.material, self.selection)
            chart.tool = self.charts[0].tool if self.charts else chart.tool
            self._grid.addWidget(chart, 0, len(self.charts))
            self.charts.append(chart)
        for chart, (a, b) in zip(self.charts, pairs, strict=True):
            assert isinstance(chart, RowChart)
            chart.x_title, chart.y_title = self.material.names[a], self.material.names[b]
            chart.show_rows(self.material.column(a), self.material.column(b))
        self.say(_legend(self.material))


class ProjectionView(LinkedView):
    """All rows in a plane: principal components, or UMAP where it is installed."""

    def __init__(self, material: Material, selection: SharedSelection) -> None:
        super().__init__(material, selection)
        self.chart = RowChart(tr("Projection"), material, selection)
        self.charts = [self.chart]
        self.method = choice(tr("Method"), ("PCA", "pca"))
        if umap_is_there():
            self.method.addItem("UMAP", "umap")
        self.of = choice(
            tr("Attributes to project"), (tr("All attributes"), False), (tr("Chosen"), True)
        )
        self.colour = choice(
            tr("Color of the points"), (tr("By class"), 0), (tr("By attribute"), 1)
        )
        self.fields = [self.of, self.colour]
        if self.method.count() > 1:
            self.fields.insert(0, self.method)
        else:  # not shown, but not a window either
            self.method.setParent(self)
            self.method.hide()
        self.method.activated.connect(lambda _row: self._project())
        self.of.activated.connect(lambda _row: self._project())
        self.colour.activated.connect(lambda _row: self._paint())
        self._asked: object = None
        filled(self, self.chart)
        self._project()
        self.show_selection()

    def _project(self) -> None:
        material, method = self.material, str(self.method.currentData())
        chosen = self.selection.attributes if self.of.currentData() else None
        if chosen is not None and len(chosen) < 2:
            self.say(tr("choose two attributes or more"))
            chosen = None
        asked = self._asked = object()

        def show(found: PlaneProjection) -> None:
            if asked is self._asked:
                self._show(found)

        in_background(self, lambda: project(material, chosen, method), show, self._refuse)

    def _refuse(self, error: Exception) -> None:
        self.say(str(error))

    def _show(self, found: PlaneProjection) -> None:
        self.chart.x_title, self.chart.y_title = found.titles
        self.chart.show_rows(found.places[:, 0], found.places[:, 1])
        self.say(found.words)
        self.show_selection()

    def _paint(self) -> None:
        focus = self.selection.focus
        by_attribute = bool(self.colour.currentData())
        if by_attribute and focus is None:
            focus = int(self.material.best[0]) if len(self.material.best) else None
        self.chart.colour_by(focus if by_attribute else None)

    def show_selection(self) -> None:
        """Mark the chosen rows; color by the attribute that is looked at."""
        if self.colour.currentData() and self.selection.focus not in (None, self.chart.by):
            self._paint()
        if self.of.currentData():
            self._project_again()
        self.chart.mark(self.selection.rows)

    def _project_again(self) -> None:
        now = tuple(self.selection.attributes.tolist())
        if now != getattr(self, "_projected", ()):
            self._projected = now
            self._project()


def _legend(material: Material) -> str:
    counts = np.bincount(material.codes, minlength=len(material.classes))
    if material.classes == ("",):
        return ""
    return ", ".join(f"{n}: {c}" for n, c in zip(material.classes[:4], counts[:4], strict=True))
