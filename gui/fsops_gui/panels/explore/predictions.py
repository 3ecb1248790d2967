"""Views of predictions: ROC with thresholds, confusion matrix and errors. All choose rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QPainter, QPen, QPolygonF

from fsops.data import ExampleSet
from fsops.data.schema import PREDICTION
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.panels.explore.material import Material
from fsops_gui.panels.explore.scatter import RowChart
from fsops_gui.panels.explore.selection import SharedSelection
from fsops_gui.panels.explore.view import LinkedView
from fsops_gui.panels.results.page import filled
from fsops_gui.widgets.charts.chart import Chart, Hover, How, PlotRange
from fsops_gui.widgets.charts.colours import scale_of
from fsops_gui.widgets.charts.grid import GridChart

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Predicted:
    """Predictions of a table with two classes or more."""

    classes: tuple[str, ...]
    true: Ints
    guess: Ints
    confidence: Floats | None
    """Of the last class (rows); None if the model gives none."""


def is_classified(material: Material) -> bool:
    """Return whether there are predictions of classes."""
    table = material.predictions
    found = None if table is None else table.schema.special(PREDICTION)
    return found is not None and found.value_type.is_nominal


def has_confidences(material: Material) -> bool:
    """Return whether a ROC curve can be drawn: two classes with confidences."""
    if not is_classified(material):
        return False
    found = predicted(material)
    return len(found.classes) == 2 and found.confidence is not None


def predicted(material: Material) -> Predicted:
    """Return true and predicted classes of the rows, -1 where one is missing."""
    table = material.predictions
    assert table is not None
    guess = table.schema.special(PREDICTION)
    assert guess is not None
    names = tuple(dict.fromkeys([*table.label.categories, *guess.categories]))
    true, found = (_codes(table, name, names) for name in (table.label.name, guess.name))
    return Predicted(names, true, found, _confidence(table, names[-1]) if names else None)


def _codes(table: ExampleSet, name: str, names: tuple[str, ...]) -> Ints:
    place = {text: number for number, text in enumerate(names)}
    values = table.nominal_values(name)
    return np.array([-1 if v is None else place[v] for v in values], dtype=np.intp)


def _confidence(table: ExampleSet, name: str) -> Floats | None:
    from fsops.data.model import confidence_role

    column = confidence_role(name)
    if column not in table.schema:
        return None
    return np.asarray(table.column(column), dtype=np.float64)


class ConfusionView(LinkedView):
    """How often each class was predicted as each; a cell chooses its rows."""

    def __init__(self, material: Material, selection: SharedSelection) -> None:
        super().__init__(material, selection)
        self.found = predicted(material)
        self.chart = GridChart(tr("Confusion matrix"))
        self.charts = [self.chart]
        self.chart.scale = lambda: scale_of(
            current_colours().operator, current_colours().data["bar_selected"]
        )
        count = len(self.found.classes)
        known = (self.found.true >= 0) & (self.found.guess >= 0)
        counts = np.zeros((count, count), dtype=np.intp)
        np.add.at(counts, (self.found.true[known], self.found.guess[known]), 1)
        self.counts = counts
        part = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        self.chart.writes = True
        self.chart.texts = [[str(n) for n in row] for row in counts.tolist()]
        self.chart.groups = [(tr("as {name}", name=c), 1) for c in self.found.classes]
        self.chart.group_colours = lambda: [current_colours().border] * count
        self.chart.about = self._about
        names = [tr("true {name}", name=name) for name in self.found.classes]
        self.chart.set_cells((part * 255).astype(np.uint8), names)
        self.chart.cell_chosen.connect(self._choose)
        self.chart.cleared.connect(selection.clear)
        right = np.trace(counts) / max(1, counts.sum())
        self.say(tr("{part} % of {n} rows right", part=f"{100 * right:.1f}", n=int(counts.sum())))
        filled(self, self.chart)

    def rows_of(self, true: int, guess: int) -> Ints:
        """Return the rows of a cell."""
        return np.flatnonzero((self.found.true == true) & (self.found.guess == guess))

    def _choose(self, true: int, guess: int, how: How) -> None:
        self.selection.choose_rows(self.rows_of(true, guess), how)

    def _about(self, true: int, guess: int) -> str:
        classes, n = self.found.classes, int(self.counts[true, guess])
        return tr(
            "{n} rows of {a}, predicted as {b}\nClick to mark them", n=n, a=classes[true],
            b=classes[guess],
        )  # fmt: skip

    def show_selection(self) -> None:
        """Mark the rows of cells that hold chosen rows only in other views."""
        self.chart.update()


class RocChart(Chart):
    """The curve of all thresholds; the mouse moves along it, a click chooses the errors there."""

    def __init__(self, view: RocView) -> None:
        super().__init__(tr("ROC curve"))
        self._view = view
        self.x_title, self.y_title = tr("false positive rate"), tr("true positive rate")
        self.set_home(PlotRange(0.0, 1.0, 0.0, 1.0), margin=0.02)

    def paint_data(self, painter: QPainter, at: QRectF) -> None:
        """Draw the diagonal of chance, the curve, and the threshold."""
        colours, view = current_colours(), self._view
        x, y = self.pixels(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
        painter.setPen(QPen(colours.data["chance"], 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(x[0], y[0]), QPointF(x[1], y[1]))
        x, y = self.pixels(view.false, view.found)
        line = [QPointF(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
        painter.setPen(QPen(colours.data["bar_selected"], 2))
        painter.drawPolyline(QPolygonF(line))
        painter.setPen(QPen(colours.operator, 2))
        painter.setBrush(colours.selected)
        painter.drawEllipse(line[view.at], 6, 6)

    def nearest(self, place: QPointF) -> int:
        """Return the threshold whose point is nearest."""
        x, y = self.pixels(self._view.false, self._view.found)
        return int(np.hypot(x - place.x(), y - place.y()).argmin())

    def hit(self, place: QPointF) -> Hover | None:
        """Return the rates at the nearest threshold."""
        return Hover(place, self._view.words(self.nearest(place)))

    def click(self, place: QPointF, how: How) -> None:
        """Take a threshold, and choose the rows that are wrong with it."""
        self._view.take(self.nearest(place), how)


class RocView(LinkedView):
    """PortValue and falsely found rows for every threshold of the confidence."""

    def __init__(self, material: Material, selection: SharedSelection) -> None:
        super().__init__(material, selection)
        from fsops.plots.predictions import area, rates

        found = predicted(material)
        assert found.confidence is not None
        self._rows = np.flatnonzero((found.true >= 0) & ~np.isnan(found.confidence))
        self._positive = found.true[self._rows] == len(found.classes) - 1
        self._scores = found.confidence[self._rows]
        self.false, self.found = rates(self._positive, self._scores)
        self.thresholds = np.append(np.inf, np.unique(self._scores)[::-1])
        self._name = found.classes[-1]
        self.at = int(np.abs(self.thresholds - 0.5).argmin())
        self.chart = RocChart(self)
        self.charts = [self.chart]
        self.chart.cleared.connect(selection.clear)
        area_text = f"{area(self.false, self.found):.3f}"
        self.say(tr("{name}: AUC {area}", name=self._name, area=area_text))
        filled(self, self.chart)

    def wrong_rows(self, number: int) -> Ints:
        """Return the rows that are wrong with a threshold."""
        guess = self._scores >= self.thresholds[number]
        result: Ints = self._rows[guess != self._positive]
        return result

    def words(self, number: int) -> str:
        """Return threshold and rates."""
        limit = self.thresholds[number]
        shown = tr("nothing") if np.isinf(limit) else f"{limit:.3f}"
        return tr(
            "threshold {t}: {n} rows wrong\nfound {tp} %, false alarms {fp} %",
            t=shown, n=len(self.wrong_rows(number)), tp=f"{100 * self.found[number]:.0f}",
            fp=f"{100 * self.false[number]:.0f}",
        )  # fmt: skip

    def take(self, number: int, how: How) -> None:
        """Use a threshold; choose the rows that are wrong with it."""
        self.at = number
        self.selection.choose_rows(self.wrong_rows(number), how)
        self.chart.update()


class ErrorsView(LinkedView):
    """Each row by its confidence in the true class, or true against predicted numbers."""

    def __init__(self, material: Material, selection: SharedSelection) -> None:
        super().__init__(material, selection)
        self.chart = RowChart(tr("Errors of the predictions"), material, selection)
        self.charts = [self.chart]
        table = material.predictions
        assert table is not None
        if is_classified(material):
            found = predicted(material)
            y = self._of_true(found)
            wrong = np.flatnonzero((found.true != found.guess) & (found.true >= 0))
            order = np.argsort(np.argsort(np.where(np.isnan(y), 2.0, y), kind="stable"))
            self.chart.x_title = tr("rows, the worst first")
            self.chart.y_title = tr("confidence in the true class")
            self.chart.show_rows(order.astype(np.float64), y)
            self.say(tr("{n} rows wrong", n=len(wrong)))
        else:
            guess = table.schema.special(PREDICTION)
            assert guess is not None
            assert material.target is not None
            values = np.asarray(table.column(guess.name), dtype=np.float64)
            self.chart.x_title, self.chart.y_title = tr("true"), tr("predicted")
            self.chart.show_rows(material.target, values)
            error = float(np.sqrt(np.nanmean((values - material.target) ** 2)))
            self.say(tr("root mean squared error {e}", e=f"{error:.4g}"))
        filled(self, self.chart)
        self.show_selection()

    @staticmethod
    def _of_true(found: Predicted) -> Floats:
        """Return the confidence of each row's true class; 1 or 0 where the model gives none."""
        if found.confidence is None or len(found.classes) != 2:
            return np.asarray(found.true == found.guess, dtype=np.float64)
        last = found.true == len(found.classes) - 1
        return np.asarray(np.where(last, found.confidence, 1 - found.confidence), np.float64)

    def show_selection(self) -> None:
        """Mark the chosen rows."""
        self.chart.mark(self.selection.rows)
