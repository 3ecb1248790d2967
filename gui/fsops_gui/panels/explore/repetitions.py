"""Views of repeated selections: the stability matrix, and the UpSet plot of sets of attributes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QFontMetricsF, QPainter, QPen

from fsops_gui.base.fonts import font
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.panels.explore.material import Material
from fsops_gui.panels.explore.selection import SharedSelection
from fsops_gui.panels.explore.view import LinkedView
from fsops_gui.panels.results.page import filled
from fsops_gui.widgets.charts.chart import Chart, Hover, How, PlotRange
from fsops_gui.widgets.charts.colours import scale_of
from fsops_gui.widgets.charts.grid import GridChart

Ints = npt.NDArray[np.intp]
Bools = npt.NDArray[np.bool_]
MOST = 40
"""Attributes of the stability matrix."""
TOP = 10
"""Best attributes of a weighting that count as its set."""
MOST_SETS, MOST_BARS = 10, 24


class StabilityView(LinkedView):
    """Attributes by repetitions: a cell is filled if the repetition chose the attribute."""

    def __init__(self, material: Material, selection: SharedSelection) -> None:
        super().__init__(material, selection)
        self.chart = GridChart(tr("Stability matrix"))
        self.charts = [self.chart]
        self.chart.scale = lambda: scale_of(
            current_colours().data["chance_band"], current_colours().done
        )
        self.chart.about = self._about
        self.chart.cell_chosen.connect(lambda row, _column, how: self._choose(row, how))
        self.chart.name_chosen.connect(self._choose)
        self.chart.box_chosen.connect(
            lambda rows, _columns, how: selection.choose_attributes(self.shown[rows], how)
        )
        self.chart.cleared.connect(selection.clear)
        repeats = material.repeats
        assert repeats is not None
        order = np.argsort(-repeats.counts, kind="stable")
        self.shown: Ints = order[repeats.counts[order] > 0][:MOST]
        cells = repeats.selected[:, self.shown].T.astype(np.uint8) * 255
        names = [f"{material.names[a]}  {repeats.counts[a]}" for a in self.shown]
        self.chart.set_cells(cells, names)
        ever = int((repeats.counts > 0).sum())
        self.say(tr("{n} attributes chosen in {r} repetitions", n=ever, r=len(repeats.runs)))
        filled(self, self.chart)
        self.show_selection()

    def _choose(self, row: int, how: How) -> None:
        self.selection.choose_attributes(self.shown[[row]], how)

    def _about(self, row: int, column: int) -> str:
        repeats = self.material.repeats
        assert repeats is not None
        attribute = int(self.shown[row])
        words = tr("chosen") if repeats.selected[column, attribute] else tr("not chosen")
        run = tr("repetition {name}", name=repeats.runs[column])
        return f"{self.material.names[attribute]}\n{run}: {words}"

    def show_selection(self) -> None:
        """Mark the chosen attributes."""
        self.chart.marked_rows = np.flatnonzero(np.isin(self.shown, self.selection.attributes))
        self.chart.update()


@dataclass(frozen=True, eq=False)
class Sets:
    """Sets of attributes with titles, and the exclusive intersections, largest first."""

    titles: tuple[str, ...]
    members: Bools
    """Sets by attributes."""
    patterns: Bools
    """Intersections by sets."""
    parts: tuple[Ints, ...]
    """Attributes of each intersection."""


def sets_of(material: Material) -> Sets:
    """Return the best attributes of each weighting, or the selections of the repetitions."""
    if len(material.weightings) > 1:
        titles = tuple(part.title for part in material.weightings[:MOST_SETS])
        members = np.stack(
            [
                (part.places <= TOP) & ~np.isnan(part.values) & (part.scores != 0)
                for part in material.weightings[:MOST_SETS]
            ]
        )
    else:
        assert material.repeats is not None
        titles = tuple(material.repeats.runs[:MOST_SETS])
        members = material.repeats.selected[:MOST_SETS]
    used = np.flatnonzero(members.any(axis=0))
    patterns, which = np.unique(members[:, used].T, axis=0, return_inverse=True)
    sizes = np.bincount(which.ravel(), minlength=len(patterns))
    order = np.lexsort((patterns.sum(axis=1), -sizes))[:MOST_BARS]
    parts = tuple(used[which.ravel() == n] for n in order)
    return Sets(titles, members, patterns[order], parts)


class UpSetChart(Chart):
    """Bars of intersections above dots that say which sets are in each."""

    def __init__(self, view: UpSetView) -> None:
        super().__init__(tr("UpSet plot"))
        self._view = view
        self.has_x = self.has_y = False

    def _room(self) -> tuple[float, float, float]:
        """Return the pixels of names, of a column and of a row of dots."""
        sets = self._view.sets
        metrics = QFontMetricsF(font("caption"))
        longest = max((metrics.horizontalAdvance(t) for t in sets.titles), default=0.0)
        names = min(longest + 44, 0.4 * self.width())
        column = min(34.0, (self.width() - names - 12) / max(1, len(sets.parts)))
        row = min(20.0, 0.5 * self.height() / max(1, len(sets.titles)))
        return names, column, row

    def paintEvent(self, a0: object) -> None:
        """Draw bars, dots and names."""
        colours, painter, sets = current_colours(), QPainter(self), self._view.sets
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        names, column, row = self._room()
        base = self.height() - row * len(sets.titles) - 10
        largest = max((len(part) for part in sets.parts), default=1)
        marked = self._view.marked()
        painter.setFont(font("caption"))
        for n, title in enumerate(sets.titles):
            y = base + 6 + n * row
            if n % 2 == 0:
                painter.fillRect(QRectF(names, y, column * len(sets.parts), row), colours.hover)
            painter.setPen(colours.secondary)
            text = painter.fontMetrics().elidedText(
                f"{title}  {int(sets.members[n].sum())}",
                Qt.TextElideMode.ElideMiddle,
                int(names - 12),
            )
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(0, y, names - 6, row), right, text)
        for n, part in enumerate(sets.parts):
            x = names + n * column
            high = (base - 24) * len(part) / largest
            on = colours.data["bar_selected" if marked[n] else "bar"]
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(on)
            painter.drawRoundedRect(QRectF(x + 4, base - high, column - 8, high), 2, 2)
            painter.setPen(colours.secondary)
            place = QRectF(x, base - high - 16, column, 14)
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, str(len(part)))
            self._paint_dots(painter, n, QRectF(x, base + 6, column, row), marked=bool(marked[n]))
        self._paint_hover(painter)
        painter.end()

    def _paint_dots(self, painter: QPainter, bar: int, cell: QRectF, *, marked: bool) -> None:
        colours, pattern = current_colours(), self._view.sets.patterns[bar]
        dark = colours.selected if marked else colours.text
        inside = np.flatnonzero(pattern)
        middle = cell.center()
        if len(inside) > 1:
            painter.setPen(QPen(dark, 1.6))
            ends = [QPointF(middle.x(), middle.y() + n * cell.height()) for n in inside[[0, -1]]]
            painter.drawLine(*ends)
        painter.setPen(Qt.PenStyle.NoPen)
        for n, on in enumerate(pattern.tolist()):
            painter.setBrush(dark if on else colours.border)
            size = min(4.5, cell.height() / 2 - 2)
            painter.drawEllipse(QPointF(middle.x(), middle.y() + n * cell.height()), size, size)

    def _paint_hover(self, painter: QPainter) -> None:
        from fsops_gui.widgets.charts.chart import paint_bubble

        if self.hover is not None:
            paint_bubble(painter, self.hover, QRectF(self.rect()))

    def bar_at(self, place: QPointF) -> int | None:
        """Return the intersection at a pixel."""
        names, column, _ = self._room()
        number = int((place.x() - names) // max(column, 1e-9))
        return number if place.x() >= names and number < len(self._view.sets.parts) else None

    def hit(self, place: QPointF) -> Hover | None:
        """Return the attributes of the intersection under the mouse."""
        number = self.bar_at(place)
        if number is None:
            return None
        sets, names = self._view.sets, self._view.material.names
        inside = [t for t, on in zip(sets.titles, sets.patterns[number], strict=True) if on]
        part = sets.parts[number]
        listed = ", ".join(names[int(a)] for a in part[:5]) + (" …" if len(part) > 5 else "")
        return Hover(place, f"{tr('only in')} {', '.join(inside[:4])}\n{listed}")

    def click(self, place: QPointF, how: How) -> None:
        """Choose the attributes of an intersection."""
        number = self.bar_at(place)
        if number is not None:
            self._view.selection.choose_attributes(self._view.sets.parts[number], how)
        elif how is How.REPLACE:
            self.cleared.emit()

    def show_view(self, view: PlotRange) -> None:
        """Stay as it is: all bars are shown."""


class UpSetView(LinkedView):
    """Which attributes several selections have in common; a bar chooses its attributes."""

    def __init__(self, material: Material, selection: SharedSelection) -> None:
        super().__init__(material, selection)
        self.sets = sets_of(material)
        self.chart = UpSetChart(self)
        self.charts = [self.chart]
        self.chart.cleared.connect(selection.clear)
        best = len(material.weightings) > 1
        words = tr("{k} best of each method", k=TOP) if best else tr("selections of repetitions")
        self.say(words)
        filled(self, self.chart)

    def marked(self) -> Bools:
        """Return which intersections have a chosen attribute."""
        chosen = self.selection.attributes
        return np.array([bool(np.isin(part, chosen).any()) for part in self.sets.parts], dtype=bool)

    def show_selection(self) -> None:
        """Mark the bars of the chosen attributes."""
        self.chart.update()
