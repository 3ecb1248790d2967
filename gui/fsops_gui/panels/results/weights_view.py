"""Weights: one weighting, or several as columns side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QSpinBox,
    QSplitter,
    QWidget,
)

from fsops.data import ExampleSet
from fsops.report.numbers import count_text
from fsops_gui.base.background import in_background
from fsops_gui.base.texts import tr
from fsops_gui.dialogs.file_choice import ask_for_file
from fsops_gui.panels.results.exports import Cells
from fsops_gui.panels.results.page import Page, filled
from fsops_gui.panels.results.table_view import PAUSE, TableView, write_table
from fsops_gui.widgets.flow_layout import bar_of
from fsops_gui.widgets.tables import FEW_DIGITS, Rows, TableModel, rows_of
from fsops_gui.widgets.weight_comparison import Weightings

TOP = 20


class WeightsPage(Page):
    """A table attribute by weighting, with bars; each column can be sorted by.

    Parameters
    ----------
    weightings : Weightings
        At least one.
    can_change : bool
        Whether columns can be taken away: true where they have been brought together by hand.
    """

    def __init__(self, weightings: Weightings, *, can_change: bool = False) -> None:
        super().__init__()
        self.weightings = weightings
        self.can_change = can_change
        self._make_fields()
        self.view = TableView(self._model(), tr("Weights"))
        self.pairs = TableView(
            TableModel(Weightings(()).agreement(TOP)), tr("Agreement of each pair")
        )
        for view in (self.view, self.pairs):
            rows = view.verticalHeader()
            assert rows is not None
            rows.hide()  # the numbers of the rows would be taken for places
        self.pairs_box = QWidget()
        self.pairs_title = QLabel(tr("How much they agree"))
        self.pairs_title.setContentsMargins(6, 2, 0, 0)
        filled(self.pairs_box, self.pairs_title, self.pairs)
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.addWidget(self.view)
        splitter.addWidget(self.pairs_box)
        splitter.setStretchFactor(0, 1)
        splitter.setSizes([500, 130])
        self.bar = bar_of(
            self.search, self.only_top, self.top, self.of_words, self.top_of, self.places,
            self.count, self.change_button, self.compare_button, self.export_button,
        )  # fmt: skip
        filled(self, self.bar, splitter)
        self.view.rearranged.connect(self._show_count)
        self._show_titles()
        self.view.sort_by(1, ascending=self.weightings.begins_with_ranking)

    def _make_fields(self) -> None:
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Part of the name"))
        self.search.setClearButtonEnabled(True)
        self.search.setAccessibleName(tr("Search attributes"))
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.choose_rows)
        self.search.textChanged.connect(lambda _text: self._timer.start(PAUSE))
        self.search.returnPressed.connect(self.choose_rows)
        self.only_top = QCheckBox(tr("Only the best"))
        self.top = QSpinBox()
        self.top.setRange(1, 10_000_000)
        self.top.setValue(TOP)
        self.top.setAccessibleName(tr("How many of the best"))
        self.of_words = QLabel(tr("of"))
        self.top_of = QComboBox()
        self.top_of.setAccessibleName(tr("The best of which weighting"))
        self.top_of.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.top_of.setMinimumContentsLength(10)
        self.places = QCheckBox(tr("Places"))
        self.places.setToolTip(tr("Show each attribute's place beside its weight"))
        self.only_top.toggled.connect(lambda _on: self.choose_rows())
        self.top.valueChanged.connect(lambda _k: self._change_top())
        self.top_of.activated.connect(lambda _index: self.choose_rows())
        self.places.toggled.connect(lambda _on: self._show_again())
        self.count = QLabel()
        self.change_button = QPushButton(tr("Take away"))
        self.change_menu = QMenu(self.change_button)
        self.change_button.setMenu(self.change_menu)
        self.compare_button = QPushButton(tr("Add to comparison"))
        self.compare_button.setToolTip(tr("Show these weights beside others, as columns"))
        self.compare_button.clicked.connect(self._ask_to_compare)
        self.export_button = QPushButton(tr("Export…"))
        self.export_button.clicked.connect(self.export)

    # --- what is shown ----------------------------------------------------------------------

    def _model(self) -> TableModel:
        places = self.places.isChecked()
        table = self.weightings.table(places=places)
        headings = self.weightings.headings(places=places)
        return TableModel(
            table,
            bars=self.weightings.bars(places=places),
            tails=self.weightings.tails(places=places),
            headings=headings,
            lined_up=headings,
            digits=FEW_DIGITS,
        )

    def set_weightings(self, weightings: Weightings) -> None:
        """Show other weightings."""
        self.weightings = weightings
        self._show_titles()
        self._show_again()

    def _show_titles(self) -> None:
        titles = self.weightings.titles
        several = len(titles) > 1
        chosen = self.top_of.currentData()
        self.top_of.clear()
        self.top_of.addItem(tr("any"), None)
        for title in titles:
            self.top_of.addItem(title, title)
        self.top_of.setCurrentIndex(max(0, self.top_of.findData(chosen)))
        self.top_of.setVisible(several)
        self.of_words.setVisible(several)
        self.pairs_box.setVisible(several)
        self.compare_button.setVisible(not self.can_change)
        self.change_button.setVisible(self.can_change)
        self.change_menu.clear()
        for title in titles:
            action = self.change_menu.addAction(title)
            if action is not None:
                action.triggered.connect(lambda _on=False, t=title: self._take_away(t))
        self._show_pairs()

    def _show_pairs(self) -> None:
        """Show how much each pair agrees; a thread works it out."""
        weightings, k = self.weightings, self.top.value()

        def show(table: ExampleSet) -> None:
            if (weightings, k) == (self.weightings, self.top.value()):
                self.pairs.set_table_model(TableModel(table))

        if len(weightings.parts) > 1:
            in_background(self, lambda: weightings.agreement(k), show)

    def _show_again(self) -> None:
        header = self.view.horizontalHeader()
        assert header is not None
        self.view.set_table_model(self._model())
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.view.sort_by(1, ascending=self.weightings.begins_with_ranking)
        self.choose_rows()

    def _take_away(self, title: str) -> None:
        if len(self.weightings.parts) > 1:
            self.set_weightings(self.weightings.without(title))
        else:
            self.said.emit(tr("The last one stays. Close the tab instead."))

    def _change_top(self) -> None:
        self._show_pairs()
        if self.only_top.isChecked():
            self.choose_rows()

    def choose_rows(self) -> None:
        """Show the attributes that the fields ask for."""
        self._timer.stop()
        rows: Rows | None = None
        if self.only_top.isChecked():
            rows = self.weightings.best(self.top.value(), self.top_of.currentData())
        wanted = self.search.text().strip().casefold()
        if wanted:
            hits = [n for n, name in enumerate(self.weightings.names) if wanted in name.casefold()]
            found = np.array(hits, dtype=np.intp)
            rows = found if rows is None else np.intersect1d(rows, found)
        self.view.keep = rows
        self.view.arrange()

    def _show_count(self) -> None:
        shown, total = self.view.table_model.rowCount(), len(self.weightings.names)
        if shown == total:
            self.count.setText(tr("{n} attributes", n=count_text(total)))
        else:
            self.count.setText(
                tr("{shown} of {total}", shown=count_text(shown), total=count_text(total))
            )

    # --- out of the window ------------------------------------------------------------------

    def _ask_to_compare(self) -> None:
        for title, weights in self.weightings.parts:
            self.compare_wanted.emit(title, weights)

    def export(self) -> None:
        """Write the visible rows to a file."""
        kinds = {"csv": tr("Text, comma-separated"), "parquet": tr("Parquet")}
        path = ask_for_file(self, "export", tr("weights"), kinds)
        if path is None:
            return
        model = self.view.table_model

        def work() -> Any:
            write_table(rows_of(model.table, model.rows), path)

        def done(_nothing: Any) -> None:
            self.said.emit(tr("Written: {path}", path=path))

        in_background(self, work, done, lambda error: self.said.emit(str(error)))

    def cells(self) -> Cells | None:
        """Return all that is shown."""
        return self.view.cells()
