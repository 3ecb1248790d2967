"""The runs of a session: changes, results, and several of them side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QTabWidget,
    QWidget,
)

from fsops.core.declare.parameters import value_text
from fsops.core.graph.process import Node, Process, parameter_as_text
from fsops.data import AttributeWeights, ExampleSet, PerformanceVector
from fsops.errors import FsopsError
from fsops.report.numbers import seconds_text
from fsops_gui.base.background import in_background
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.panels.results.exports import Cells
from fsops_gui.panels.results.page import Page, TextPage, filled
from fsops_gui.panels.results.performance_view import criterion_name, performances_table
from fsops_gui.panels.results.tab import title_of
from fsops_gui.panels.results.table_view import TablePage
from fsops_gui.panels.results.weights_view import WeightsPage
from fsops_gui.run.history import Entry, RunHistory
from fsops_gui.widgets.flow_layout import bar_of
from fsops_gui.widgets.tables import column_of
from fsops_gui.widgets.weight_comparison import Weightings

ABSENT = "–"
NUMBER, CHANGES, RESULT = 0, 4, 5
STATUS = {
    "finished": "Finished",
    "failed": "Failed",
    "cancelled": "Stopped",
    "crashed": "Crashed",
    "paused": "Paused",
    "running": "Running",
}


def titled(entry: Entry) -> str:
    """Return the name of a run."""
    return tr("Run {n}", n=entry.number)


# --- what differs ---------------------------------------------------------------------------


def different_parameters(processes: Sequence[tuple[str, Process]]) -> ExampleSet:
    """Return the parameters that are not the same in all processes, a column per process."""
    nodes = [{node.name: node for node in process.walk()} for _, process in processes]
    names = list(dict.fromkeys(name for known in nodes for name in known))
    rows: list[tuple[str, str, list[str]]] = []
    for name in names:
        there = [known.get(name) for known in nodes]
        if any(node is None for node in there):
            words = [ABSENT if node is None else tr("there") for node in there]
            rows.append((name, tr("(operator)"), words))
            continue
        found = [node for node in there if node is not None]
        parameters = list(dict.fromkeys(p for node in found for p in node.parameters))
        for parameter in parameters:
            texts = [_parameter_text(node, parameter) for node in found]
            if len(set(texts)) > 1:
                rows.append((name, parameter, texts))
        switched = [tr("on") if node.enabled else tr("off") for node in found]
        if len(set(switched)) > 1:
            rows.append((name, tr("(enabled)"), switched))
    columns = [
        column_of(tr("operator"), np.array([row[0] for row in rows], object)),
        column_of(tr("parameter"), np.array([row[1] for row in rows], object)),
    ]
    for place, (title, _) in enumerate(processes):
        columns.append(column_of(title, np.array([row[2][place] for row in rows], object)))
    return ExampleSet.from_columns(columns, len(rows))


def _parameter_text(node: Node, name: str) -> str:
    if name not in node.parameters:
        declared = {parameter.name: parameter for parameter in node.operator.parameters}
        default = declared[name].default if name in declared else None
        return ABSENT if default is None else value_text(default)
    try:
        text = parameter_as_text(node, name)
    except FsopsError:
        return str(node.parameters[name])
    if isinstance(text, str):
        return text
    return ", ".join(item if isinstance(item, str) else " = ".join(item) for item in text)


@dataclass(frozen=True)
class Delivered:
    """Results of a run that can be compared."""

    performances: tuple[tuple[str, PerformanceVector], ...] = ()
    weights: tuple[tuple[str, AttributeWeights], ...] = ()

    @property
    def headline(self) -> str:
        """The most important figure, such as ``accuracy: 92.6 % ± 2.8 %``."""
        if self.performances:
            main = self.performances[0][1].main
            return f"{criterion_name(main)}: {main}"
        if self.weights:
            return tr("best: {names}", names=", ".join(self.weights[0][1].top(3)))
        return ""


def delivered_by(entry: Entry) -> Delivered:
    """Return performances and weights among the results of a run; it reads files."""
    performances, weights = [], []
    for index, result in enumerate(entry.report.results):
        if result.kind not in (PerformanceVector.__name__, AttributeWeights.__name__):
            continue
        value = entry.run.result_value(index)
        if isinstance(value, PerformanceVector):
            performances.append((title_of(result), value))
        elif isinstance(value, AttributeWeights):
            weights.append((title_of(result), value))
    return Delivered(tuple(performances), tuple(weights))


def _by_run(title: str, name: str, several: bool) -> str:
    return f"{title}: {name}" if several else title


class ComparisonPage(Page):
    """Runs side by side: parameters that differ, performances, weights."""

    def __init__(self, entries: list[Entry], delivered: list[Delivered]) -> None:
        super().__init__()
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.setTabPosition(QTabWidget.TabPosition.South)
        self.tabs.setAccessibleName(tr("Comparison of runs"))
        pairs = list(zip(entries, delivered, strict=True))
        performances = [
            (_by_run(titled(entry), name, len(d.performances) > 1), performance)
            for entry, d in pairs
            for name, performance in d.performances
        ]
        weights = [
            (_by_run(titled(entry), name, len(d.weights) > 1), part)
            for entry, d in pairs
            for name, part in d.weights
        ]
        self._add(tr("Different parameters"), _parameters_page(entries))
        if performances:
            table = performances_table(performances)
            self._add(tr("Performances"), TablePage(table, tr("Performances"), kinds=False))
        if weights:
            self._add(tr("Weights"), WeightsPage(Weightings.of(weights), can_change=True))
        filled(self, self.tabs)

    def _add(self, title: str, page: Page) -> None:
        page.said.connect(self.said)
        self.tabs.addTab(page, title)

    def cells(self) -> Cells | None:
        """Return the text of the visible page."""
        page = self.tabs.currentWidget()
        return page.cells() if isinstance(page, Page) else None


def _parameters_page(entries: list[Entry]) -> Page:
    parameters = different_parameters([(titled(e), e.process) for e in entries])
    if len(parameters):
        return TablePage(parameters, tr("Different parameters"), kinds=False)
    told = tr("All parameters are the same. Other changes:") + "\n\n"
    told += "\n".join(f"{titled(e)}: {'; '.join(e.changes) or ABSENT}" for e in entries)
    return TextPage(told)


# --- the panel ------------------------------------------------------------------------------


class HistoryPanel(QWidget):
    """A list of runs; two or more of them can be compared."""

    process_wanted = pyqtSignal(Process)
    """This process is to be edited again."""
    results_wanted = pyqtSignal(object)
    """The results of this `Entry` are to be shown."""
    compared = pyqtSignal(str, object)
    """A title, and a `ComparisonPage` of the chosen runs."""
    said = pyqtSignal(str)

    def __init__(self) -> None:
        super().__init__()
        self.history: RunHistory | None = None
        self._entries: list[Entry] = []
        self._delivered: dict[int, Delivered] = {}
        self._make_list()
        self._make_buttons()
        filled(self, bar_of(*self.buttons), self.list)
        self._enable()

    def _make_list(self) -> None:
        self.list = QTableWidget(0, 6)
        self.list.setHorizontalHeaderLabels(
            [tr("run"), tr("time"), tr("ended"), tr("took"), tr("changes"), tr("main result")]
        )
        self.list.setAccessibleName(tr("Runs"))
        self.list.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setAlternatingRowColors(True)
        self.list.setTabKeyNavigation(False)
        down, across = self.list.verticalHeader(), self.list.horizontalHeader()
        assert down is not None
        assert across is not None
        down.hide()
        for column in range(6):
            across.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        for column in (CHANGES, RESULT):  # the two that may be long share the rest
            across.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        self.list.itemSelectionChanged.connect(self._enable)
        self.list.cellDoubleClicked.connect(lambda _row, _column: self._show_results())

    def _make_buttons(self) -> None:
        self.compare_button = QPushButton(tr("Compare"))
        self.compare_button.setToolTip(
            tr("Choose two or more runs (Ctrl or Shift and a click) to compare them.")
        )
        self.compare_button.clicked.connect(self.compare)
        self.results_button = QPushButton(tr("Show its results"))
        self.results_button.clicked.connect(self._show_results)
        self.back_button = QPushButton(tr("Bring this process back"))
        self.back_button.setToolTip(tr("Edit the process as it was then; this can be undone"))
        self.back_button.clicked.connect(self._bring_back)
        self.buttons = (self.compare_button, self.results_button, self.back_button)

    def set_history(self, history: RunHistory) -> None:
        """Show the runs of another session."""
        self.history = history
        self._delivered.clear()
        history.changed.connect(self._changed)
        self.refresh()

    def _changed(self) -> None:
        if self.sender() in (self.history, None):
            self.refresh()

    def refresh(self) -> None:
        """Show the runs as they are now, newest first."""
        chosen = {entry.number for entry in self.chosen()}
        self._entries = [] if self.history is None else list(self.history)[::-1]
        known = {entry.number for entry in self._entries}
        self._delivered = {n: d for n, d in self._delivered.items() if n in known}
        self.list.setRowCount(len(self._entries))
        for row, entry in enumerate(self._entries):
            self._fill(row, entry)
            for column in range(6):
                item = self.list.item(row, column)
                if item is not None:
                    item.setSelected(entry.number in chosen)
            if entry.number not in self._delivered:
                self._read(entry)
        self.list.resizeRowsToContents()
        self._enable()

    def _fill(self, row: int, entry: Entry) -> None:
        report = entry.report
        changes = "; ".join(entry.changes) or (
            tr("the first run") if entry.number == 1 else tr("nothing")
        )
        known = self._delivered.get(entry.number)
        told = report.message if report.status != "finished" else (known.headline if known else "…")
        cells = (
            str(entry.number),
            entry.started.strftime("%H:%M:%S"),
            tr(STATUS.get(report.status, report.status)),
            "" if report.seconds is None else seconds_text(report.seconds),
            changes,
            told,
        )
        for column, text in enumerate(cells):
            item = QTableWidgetItem(text)
            item.setToolTip("\n".join(entry.changes) if column == CHANGES else text)
            if column == 2 and report.status not in ("finished", "running"):
                item.setForeground(current_colours().error)
            self.list.setItem(row, column, item)

    def _read(self, entry: Entry) -> None:
        def show(delivered: Delivered) -> None:
            row = next((r for r, e in enumerate(self._entries) if e is entry), None)
            if row is None:  # it was forgotten, or belongs to another process
                return
            self._delivered[entry.number] = delivered
            item = self.list.item(row, RESULT)
            if item is not None and entry.report.status == "finished":
                item.setText(delivered.headline)
                item.setToolTip(delivered.headline)

        in_background(self, lambda: delivered_by(entry), show)

    def chosen(self) -> list[Entry]:
        """Return the chosen runs, oldest first."""
        rows = {item.row() for item in self.list.selectedItems()}
        return sorted((self._entries[row] for row in rows), key=lambda entry: entry.number)

    def _enable(self) -> None:
        count = len(self.chosen())
        self.compare_button.setEnabled(count > 1)
        self.results_button.setEnabled(count == 1)
        self.back_button.setEnabled(count == 1)

    def _show_results(self) -> None:
        for entry in self.chosen()[-1:]:
            self.results_wanted.emit(entry)

    def _bring_back(self) -> None:
        for entry in self.chosen()[:1]:
            self.process_wanted.emit(entry.process)

    # --- comparing --------------------------------------------------------------------------

    def compare(self) -> None:
        """Put the chosen runs side by side."""
        entries = self.chosen()
        if len(entries) < 2:
            self.said.emit(tr("Choose two or more runs first."))
            return
        in_background(
            self,
            lambda: [self._delivered.get(e.number) or delivered_by(e) for e in entries],
            lambda delivered: self.compared.emit(
                tr("Runs {numbers}", numbers=", ".join(str(e.number) for e in entries)),
                ComparisonPage(entries, delivered),
            ),
        )
