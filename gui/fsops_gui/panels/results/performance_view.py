"""Performances: criteria with their spread and all values, and the confusion matrix."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QLabel, QSplitter, QWidget

from fsops.data import ConfusionMatrix, Criterion, ExampleSet, PerformanceVector
from fsops_gui.base.texts import tr
from fsops_gui.panels.results.exports import Cells
from fsops_gui.panels.results.page import Page, filled
from fsops_gui.panels.results.table_view import TableView
from fsops_gui.widgets.tables import FEW_DIGITS, TableModel, column_of

MOST_VALUES = 200
"""Repetitions that are shown one by one."""


def criterion_name(criterion: Criterion) -> str:
    """Return the name as people write it."""
    return criterion.name.replace("_", " ")


def criteria_table(performance: PerformanceVector) -> ExampleSet:
    """Return a row per criterion: mean ± deviation in words, then every value.

    Where nothing was measured, as with a bound, there are values only.
    """
    names = column_of(tr("criterion"), np.array([criterion_name(c) for c in performance], object))
    texts = np.array([str(c) for c in performance], object)
    if not any(c.measured for c in performance):
        return ExampleSet.from_columns([names, column_of(tr("value"), texts)], len(performance))
    count = min(max(c.count for c in performance), MOST_VALUES)
    columns = [
        names,
        column_of(tr("mean ± deviation"), texts),
        column_of(tr("better"), np.array([_direction(c) for c in performance], object)),
        column_of(tr("values"), np.array([c.count for c in performance])),
    ]
    for number in range(count if count > 1 else 0):
        values = [c.values[number] if number < c.count else np.nan for c in performance]
        columns.append(column_of(str(number + 1), np.array(values, dtype=np.float64)))
    return ExampleSet.from_columns(columns, len(performance))


def _direction(criterion: Criterion) -> str:
    return tr("larger") if criterion.maximize else tr("smaller")


def confusion_table(matrix: ConfusionMatrix) -> ExampleSet:
    """Return the counts with the recall of each class, and the precision in the last row."""
    counts = matrix.counts
    hits = np.diag(counts)
    columns = [
        column_of(
            "",
            np.array(
                [*(tr("true {c}", c=c) for c in matrix.classes), tr("class precision")], object
            ),
        )
    ]
    for name, column, hit in zip(matrix.classes, counts.T, hits, strict=True):
        texts = [*map(str, column.tolist()), _share(hit, column.sum())]
        columns.append(column_of(tr("predicted {c}", c=name), np.array(texts, object)))
    recall = [_share(hit, row.sum()) for hit, row in zip(hits, counts, strict=True)]
    overall = _share(hits.sum(), counts.sum())
    columns.append(column_of(tr("class recall"), np.array([*recall, overall], object)))
    return ExampleSet.from_columns(columns, len(matrix.classes) + 1)


def _share(hits: int, total: int) -> str:
    return f"{hits / total:.1%}" if total else "?"


class PerformancePage(Page):
    """The criteria, and below them the confusion matrix where it is known."""

    def __init__(self, performance: PerformanceVector) -> None:
        super().__init__()
        self.performance = performance
        main = performance.main
        once = tr("measured once") if main.measured else tr("computed")
        times = tr("{n} values", n=main.count) if main.count > 1 else once
        self.headline = QLabel(f"{criterion_name(main)}: {main}   ({times})")
        font = self.headline.font()
        font.setPointSizeF(font.pointSizeF() * 1.3)
        self.headline.setFont(font)
        self.headline.setContentsMargins(6, 6, 6, 4)
        self.headline.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        criteria = TableModel(criteria_table(performance), digits=FEW_DIGITS)
        self.view = TableView(criteria, tr("Criteria"))
        self.view.setColumnWidth(1, max(150, self.view.columnWidth(1)))
        parts: list[TableView] = [self.view]
        self.confusion: TableView | None = None
        if performance.confusion is not None:
            table = confusion_table(performance.confusion)
            counts = TableModel(table, right=range(1, len(table.schema)))
            self.confusion = TableView(counts, tr("Confusion matrix"), sortable=False)
            parts.append(self.confusion)
        for view in parts:
            _without_numbers(view)
        filled(self, self.headline, stacked(parts))

    def cells(self) -> Cells | None:
        """Return the criteria; with the focus in the confusion matrix, that."""
        chosen = self.confusion if self.confusion and self.confusion.hasFocus() else self.view
        return chosen.cells()


def _without_numbers(view: TableView) -> None:
    rows = view.verticalHeader()
    assert rows is not None
    rows.hide()


def stacked(parts: Sequence[QWidget]) -> QSplitter:
    """Return widgets below each other, with a border that can be moved."""
    splitter = QSplitter(Qt.Orientation.Vertical)
    for part in parts:
        splitter.addWidget(part)
    splitter.setSizes([300] * len(parts))
    return splitter


def performances_table(named: Sequence[tuple[str, PerformanceVector]]) -> ExampleSet:
    """Return performances side by side: a row per criterion, a column per performance."""
    criteria = list(dict.fromkeys(c.name for _, p in named for c in p))
    columns = [
        column_of(tr("criterion"), np.array([n.replace("_", " ") for n in criteria], object))
    ]
    for title, performance in named:
        known = {c.name: str(c) for c in performance}
        texts = np.array([known.get(name, "") for name in criteria], object)
        columns.append(column_of(title, texts))
    return ExampleSet.from_columns(columns, len(criteria))
