"""The attribute that is looked at: its values by class, with boxes, or against a numeric label."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QPainter, QPen
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from fsops_gui.base.fonts import font
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.panels.explore.material import Material
from fsops_gui.panels.explore.scatter import RowChart
from fsops_gui.panels.explore.selection import SharedSelection
from fsops_gui.panels.explore.view import LinkedView
from fsops_gui.widgets.charts.chart import PlotRange
from fsops_gui.widgets.charts.colours import class_colours, faded
from fsops_gui.widgets.charts.ticks import number_text

Floats = npt.NDArray[np.float64]
HALF = 0.3
"""Half the width of a box; classes are 1 apart."""
NARROW = 380
"""Below this width words do not fit beside the plot."""


class BoxChart(RowChart):
    """Points in a strip per class, each with a box: quartiles, median, and whiskers."""

    boxes = True

    def paint_data(self, painter: QPainter, at: QRectF) -> None:
        """Draw the boxes below the points."""
        if self.boxes:
            for code, colour in enumerate(class_colours(len(self.material.classes))):
                values = self.ys[self.codes == code] if len(self.ys) else self.ys
                values = values[np.isfinite(values)]
                if len(values):
                    self._paint_box(painter, code, np.quantile(values, [0, 0.25, 0.5, 0.75, 1]))
                    painter.setPen(QPen(colour, 1))
        super().paint_data(painter, at)

    def _paint_box(self, painter: QPainter, code: int, five: Floats) -> None:
        colour = class_colours(len(self.material.classes))[code]
        low, first, middle, third, high = five.tolist()
        reach = 1.5 * (third - first)
        ends = np.array([max(low, first - reach), first, middle, third, min(high, third + reach)])
        x, y = self.pixels(np.array([code - HALF, code + HALF, code]), np.zeros(3))
        y = self.pixels(np.zeros(5), ends)[1]
        painter.setPen(QPen(colour, 1.3))
        painter.setBrush(faded(colour, 34))
        painter.drawLine(QPointF(x[2], y[0]), QPointF(x[2], y[4]))
        painter.setBrush(current_colours().operator)
        painter.drawRoundedRect(QRectF(QPointF(x[0], y[3]), QPointF(x[1], y[1])), 3, 3)
        painter.setBrush(faded(colour, 34))
        painter.drawRoundedRect(QRectF(QPointF(x[0], y[3]), QPointF(x[1], y[1])), 3, 3)
        painter.setPen(QPen(colour, 2.2))
        painter.drawLine(QPointF(x[0], y[2]), QPointF(x[1], y[2]))

    def paint_above(self, painter: QPainter, at: QRectF) -> None:
        """Write the classes below."""
        super().paint_above(painter, at)
        if not self.boxes:
            return
        painter.setFont(font("caption"))
        painter.setPen(current_colours().secondary)
        counts = np.bincount(self.codes, minlength=len(self.material.classes))
        for code, name in enumerate(self.material.classes):
            x = self.pixels(np.array([code - 0.5, code + 0.5]), np.zeros(2))[0]
            wide = float(x[1] - x[0])
            text = tr("{name}, {n} rows", name=name, n=int(counts[code])) if name else ""
            text = painter.fontMetrics().elidedText(
                text, Qt.TextElideMode.ElideRight, int(wide - 4)
            )
            place = QRectF(x[0], at.bottom() + 5, wide, 16)
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)


class ByClassView(LinkedView):
    """Values of one attribute by class, and a few facts about it."""

    def __init__(self, material: Material, selection: SharedSelection) -> None:
        super().__init__(material, selection)
        self.chart = BoxChart(tr("Values by class"), material, selection)
        self.charts = [self.chart]
        self.facts = QWidget()
        self.facts.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Ignored)
        self._lines = QVBoxLayout(self.facts)
        self._lines.setContentsMargins(4, 8, 8, 8)
        self._lines.setSpacing(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.chart, 1)
        row.addWidget(self.facts)
        self._shown: int | None = None
        self.show_selection()

    def show_selection(self) -> None:
        """Show the attribute that is looked at; mark the chosen rows."""
        focus = self.selection.focus
        if focus is None:
            focus = int(self.material.best[0]) if len(self.material.best) else None
        if focus != self._shown and focus is not None:
            self._show(focus)
        self.chart.mark(self.selection.rows)

    def _show(self, attribute: int) -> None:
        self._shown = attribute
        material, chart = self.material, self.chart
        values = material.column(attribute)
        if material.target is not None:
            chart.boxes = False
            assert material.table is not None
            chart.x_title, chart.y_title = material.table.label.name, material.names[attribute]
            chart.show_rows(material.target, values)
        else:
            chart.has_x = False
            chart.x_title, chart.y_title = " ", ""
            chart.show_rows(material.codes + _jitter(len(values)), values)
            home = chart.home
            chart.set_home(
                PlotRange(-0.55, len(material.classes) - 0.45, home.bottom, home.top), margin=0
            )
        self.say(material.names[attribute])
        self._tell(facts_of(material, attribute))

    def _tell(self, facts: list[tuple[str, str]]) -> None:
        while self._lines.count():
            item = self._lines.takeAt(0)
            widget = None if item is None else item.widget()
            if widget is not None:
                widget.hide()  # it is deleted only when the event loop runs again
                widget.deleteLater()
        for title, text in facts:
            small, large = QLabel(title), QLabel(text)
            small.setObjectName("factTitle")
            large.setObjectName("fact")
            small.setFont(font("caption"))
            large.setFont(font("body_strong"))
            large.setWordWrap(True)
            large.setTextFormat(Qt.TextFormat.PlainText)
            self._lines.addWidget(small)
            self._lines.addWidget(large)
            self._lines.addSpacing(5)
        self._lines.addStretch(1)

    def resizeEvent(self, a0: object) -> None:
        """Leave the words out where they would take the plot's room."""
        super().resizeEvent(a0)  # type: ignore[arg-type]
        self.facts.setVisible(self.width() >= NARROW)


def facts_of(material: Material, attribute: int) -> list[tuple[str, str]]:
    """Return facts about an attribute: where it is higher, by how much, how surely."""
    values = material.column(attribute)
    missing = int(np.isnan(values).sum())
    facts = [] if material.table is None else _by_label(material, values)
    tested = material.volcano
    if tested is not None and np.isfinite(tested.q[attribute]):
        facts.append((tested.q_title, f"{tested.q[attribute]:.2g}"))
    facts.append((tr("Missing"), tr("{n} of {all}", n=missing, all=len(values))))
    return facts


def _by_label(material: Material, values: Floats) -> list[tuple[str, str]]:
    from fsops.algorithms.base.moments import ClassMoments
    from fsops.algorithms.statistics.effects import correlations, hedges_g

    if material.target is not None:
        r = float(correlations(values[:, None], material.target[:, None])[0, 0])
        return [(tr("Correlation"), number_text(r, 3))]
    codes, classes = material.codes, material.classes
    groups = [values[(codes == c) & np.isfinite(values)] for c in range(len(classes))]
    if len(classes) < 2 or not all(len(group) > 1 for group in groups):
        return []
    means = [float(group.mean()) for group in groups]
    facts = [(tr("Higher in"), classes[int(np.argmax(means))])]
    if len(classes) == 2:
        known = np.isfinite(values)
        with np.errstate(all="ignore"):
            found = hedges_g(ClassMoments.of(values[known, None], codes[known], 2))
        effect, low, high = (float(v[0]) for v in (found.effect, found.lower, found.upper))
        span = tr("{low} to {high}", low=number_text(low, 2), high=number_text(high, 2))
        facts.append((tr("Effect size g"), f"{number_text(effect, 3)} ({span})"))
        facts.append((tr("AUC alone"), f"{_auc(groups[0], groups[1]):.2f}"))
    return facts


def _auc(negative: Floats, positive: Floats) -> float:
    """Return how often a row of one class is above one of the other; at least 0.5."""
    from fsops.algorithms.statistics.agreement import auc

    found = auc(positive, negative)
    return max(found, 1 - found)


def _jitter(count: int) -> Floats:
    """Return small shifts that are the same every time."""
    golden = (5**0.5 - 1) / 2
    return np.asarray(((np.arange(count) * golden) % 1.0 - 0.5) * 1.5 * HALF, dtype=np.float64)
