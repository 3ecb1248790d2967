"""Effect against certainty: every attribute is a point."""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QPainter, QPen

from fsops.report.numbers import count_text
from fsops_gui.base.fonts import font
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.panels.explore.effects import LIMIT
from fsops_gui.panels.explore.material import Material
from fsops_gui.panels.explore.selection import SharedSelection
from fsops_gui.panels.explore.view import LinkedView
from fsops_gui.panels.results.page import filled
from fsops_gui.widgets.charts.chart import PlotRange
from fsops_gui.widgets.charts.colours import faded
from fsops_gui.widgets.charts.points import DotChart
from fsops_gui.widgets.charts.ticks import number_text

NAMED = 8
"""Findings whose names are shown."""
CROWD = 2_000


class VolcanoChart(DotChart):
    """Points with a line at the limit of significance."""

    limit: float | None = None
    limit_text = ""

    def paint_data(self, painter: QPainter, at: QRectF) -> None:
        """Draw the limit below the points."""
        colours = current_colours()
        zero = float(self.pixels(np.zeros(1), np.zeros(1))[0][0])
        painter.setPen(QPen(colours.border, 1))
        painter.drawLine(QPointF(zero, at.top()), QPointF(zero, at.bottom()))
        super().paint_data(painter, at)
        if self.limit is not None:
            y = float(self.pixels(np.zeros(1), np.array([self.limit]))[1][0])
            painter.setPen(QPen(colours.faint, 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(at.left(), y), QPointF(at.right(), y))
            painter.setFont(font("micro"))
            painter.setPen(colours.secondary)
            place = QRectF(at.right() - 124, y - 16, 120, 14)
            painter.drawText(place, Qt.AlignmentFlag.AlignRight, self.limit_text)


class VolcanoView(LinkedView):
    """Chooses attributes by their effect and p-value."""

    def __init__(self, material: Material, selection: SharedSelection) -> None:
        super().__init__(material, selection)
        self.chart = VolcanoChart(tr("Volcano plot"))
        self.charts = [self.chart]
        self.chart.colours = self._colours
        self.chart.name_of = lambda n: material.names[n]
        self.chart.about = self._about
        self.chart.chosen.connect(selection.choose_attributes)
        self.chart.cleared.connect(selection.clear)
        filled(self, self.chart)
        self._fill()
        self.show_selection()

    def _fill(self) -> None:
        found = self.material.volcano
        if found is None:
            return
        height, significant = found.height, found.significant
        codes = np.where(significant, np.where(found.effect < 0, 1, 2), 0).astype(np.intp)
        self.chart.set_points(found.effect, height, codes)
        self.chart.x_title, self.chart.y_title = found.effect_title, "−log₁₀ p"
        known = np.isfinite(found.effect) & np.isfinite(height)
        if known.any():
            x, y = found.effect[known], height[known]
            far = float(np.abs(x).max()) or 1.0
            low = -far if (x < 0).any() else 0.0
            self.chart.set_home(PlotRange(low, far, 0.0, float(y.max()) * 1.05 or 1.0), margin=0.03)
        if significant.any():
            self.chart.limit = float(height[significant].min())
            self.chart.limit_text = f"{found.q_title} = {LIMIT:g}"
        strength = np.where(significant, height, -1.0)
        self.chart.named = [
            int(n) for n in np.argsort(-strength, kind="stable")[:NAMED] if strength[n] >= 0
        ]
        self.say(
            tr(
                "{n} of {all} below {kind} = {limit}",
                n=count_text(int(significant.sum())),
                all=count_text(int(known.sum())),
                kind=found.q_title,
                limit=f"{LIMIT:g}",
            )
        )

    def _colours(self) -> list[QColor]:
        data = current_colours().data
        many = len(self.chart.xs) > CROWD
        return [
            faded(data["chance"], 150 if many else 120), data["class_a"], data["class_b"],
        ]  # fmt: skip

    def _about(self, number: int) -> str:
        found = self.material.volcano
        assert found is not None
        return "\n".join(
            (
                self.material.names[number],
                f"{found.effect_title}: {number_text(float(found.effect[number]), 3)}",
                f"p = {found.p[number]:.2g}, {found.q_title} = {found.q[number]:.2g}",
            )
        )

    def show_selection(self) -> None:
        """Mark the chosen attributes."""
        self.chart.mark(self.selection.attributes)
