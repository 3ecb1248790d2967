"""Tables: sorted, filtered, searched, copied, written to files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QRectF, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import (
    QContextMenuEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QResizeEvent,
)
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QSplitter,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionHeader,
    QStyleOptionViewItem,
    QTableView,
)

from fsops.data import ExampleSet
from fsops.data.detail_headings import DetailHeading
from fsops.errors import FsopsError
from fsops.report.numbers import count_text
from fsops_gui.base.background import in_background
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.dialogs.file_choice import ask_for_file
from fsops_gui.panels.results.exports import (
    MOST_COPIED,
    Cells,
    csv_text,
    markdown_text,
    to_clipboard,
)
from fsops_gui.panels.results.page import Page, filled
from fsops_gui.panels.results.statistics import StatisticsPanel
from fsops_gui.widgets.flow_layout import bar_of
from fsops_gui.widgets.row_query import Replaced, RowQuery, arranged
from fsops_gui.widgets.tables import Rows, TableModel, rows_of, texts_of

PAUSE = 300
"""Milliseconds without a key before a filter works."""
COLUMN_WIDTH, BAR_WIDTH = 110, 190
BAR = 10
"""Height of the bar in a cell."""
SHORTEST_BAR = 24
"""Room that a bar needs beside the number."""
NARROW_PAGE = 560
"""Below this width a table needs all of its page."""
NARROWEST, WIDEST = 70, 260
OWN_KEYS = (QKeySequence.StandardKey.Copy, QKeySequence.StandardKey.SelectAll)
CONTAINS, WHERE = "contains", "where"


class BarDelegate(QStyledItemDelegate):
    """Draws the bar of a cell beside its text, never under it."""

    def paint(
        self, painter: QPainter | None, option: QStyleOptionViewItem, index: QModelIndex
    ) -> None:
        """Draw a cell."""
        span = index.data(TableModel.BarRole)
        if span is not None and span[0] < span[1] and painter is not None:
            super().paint(painter, option, index)
            model = index.model()
            texts = [str(index.data())]
            if isinstance(model, TableModel):  # so that the bars of a column begin alike
                texts.append(model.longest_text(index.column()))
            number = max(option.fontMetrics.horizontalAdvance(text) for text in texts)
            room = QRectF(option.rect.adjusted(8, 0, -number - 22, 0))
            if room.width() < SHORTEST_BAR:
                return
            selected = QStyle.StateFlag.State_Selected in option.state
            data = current_colours().data
            left = room.left() + span[0] * room.width()
            width = max(2.0, (span[1] - span[0]) * room.width())
            bar = QRectF(left, room.center().y() - BAR / 2, width, BAR)
            painter.save()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(data["bar_selected" if selected else "bar"])
            painter.drawRoundedRect(bar, 2, 2)
            painter.restore()
            return
        super().paint(painter, option, index)


MOST_ASKED = 5_000
"""Cells of a column or row up to which its heading shows whether all are selected."""


class TwoLineHeader(QHeaderView):
    """Headings of two lines, each cut in its middle where the column is narrow."""

    def initStyleOptionForIndex(self, option: QStyleOptionHeader | None, logicalIndex: int) -> None:
        """Cut the lines one by one; Qt would make them one line."""
        super().initStyleOptionForIndex(option, logicalIndex)
        if option is None or "\n" not in (option.text or ""):
            return
        room = self.sectionSize(logicalIndex) - 22  # the sign of the order needs its place
        cut = Qt.TextElideMode.ElideMiddle
        metrics = self.fontMetrics()
        lines = [metrics.elidedText(line, cut, room) for line in (option.text or "").split("\n")]
        option.text = "\n".join(lines)


class TableView(QTableView):
    """A table of any size; a click on a heading sorts, a third one gives the old order back."""

    rearranged = pyqtSignal()
    """Other rows are shown, or the same in another order."""
    refused = pyqtSignal(str)
    """Why a condition cannot be used."""
    searching = pyqtSignal()
    """The rows that are wanted are not known yet, and it takes a while."""

    def __init__(self, model: TableModel, name: str = "", *, sortable: bool = True) -> None:
        super().__init__()
        self._slow = QTimer(self)
        self._slow.setSingleShot(True)
        self._slow.setInterval(PAUSE)
        self._slow.timeout.connect(self.searching)
        self.wanted = RowQuery()
        self.keep: Rows | None = None
        """The rows to choose from; None for all."""
        self._asked = 0
        self.table_model = model
        self.setAlternatingRowColors(True)
        self.setItemDelegate(BarDelegate(self))
        self.setAccessibleName(name or tr("Table"))
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setWordWrap(False)
        across = TwoLineHeader(Qt.Orientation.Horizontal, self)
        self.setHorizontalHeader(across)
        down = self.verticalHeader()
        assert down is not None
        down.setDefaultSectionSize(24)
        down.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        across.setDefaultSectionSize(COLUMN_WIDTH)
        across.setSectionsClickable(sortable)
        across.setSortIndicatorShown(sortable)
        across.setSortIndicatorClearable(True)
        across.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        across.setHighlightSections(True)
        across.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        across.sortIndicatorChanged.connect(self._sort)
        self.set_table_model(model)

    def set_table_model(self, model: TableModel) -> None:
        """Show another table, in its own order."""
        self.table_model = model
        self.setModel(model)
        self._spare_headings()
        self.wanted = RowQuery()
        self._fit_first_columns()

    def _spare_headings(self) -> None:
        """Let the headings of a large table not follow the selection.

        To find out whether all of a column is selected, Qt asks each of its cells, for each
        column in sight: a million rows would take a minute.
        """
        model, across, down = self.table_model, self.horizontalHeader(), self.verticalHeader()
        assert across is not None
        assert down is not None
        # What they compare with is what the table could show without a filter.
        for header, cells in ((across, len(model.table)), (down, model.columnCount())):
            if cells > MOST_ASKED:
                header.setSelectionModel(QItemSelectionModel(model, header))

    def _fit_first_columns(self) -> None:
        """Give the columns in sight the room of their first rows, within reason."""
        header = self.horizontalHeader()
        assert header is not None
        for column in range(min(self.table_model.columnCount(), 30)):
            texts = [self.table_model.text(r, column) for r in range(self._first_rows())]
            room = max((self.fontMetrics().horizontalAdvance(t) for t in texts), default=0)
            has_bar = int(self.table_model.positions[column]) in self.table_model.bars
            least = BAR_WIDTH if has_bar else NARROWEST
            wanted = max(room + 24, header.sectionSizeHint(column) + 8, least)
            self.setColumnWidth(column, min(wanted, WIDEST))

    def _first_rows(self) -> int:
        return min(self.table_model.rowCount(), 50)

    def _sort(self, column: int, order: Qt.SortOrder) -> None:
        ascending = order == Qt.SortOrder.AscendingOrder
        position = int(self.table_model.positions[column]) if column >= 0 else None
        self.arrange(column=position, ascending=ascending)

    def sort_by(self, column: int, *, ascending: bool) -> None:
        """Sort by a column, and show the sign of it in its heading."""
        header = self.horizontalHeader()
        assert header is not None
        order = Qt.SortOrder.AscendingOrder if ascending else Qt.SortOrder.DescendingOrder
        header.setSortIndicator(column, order)

    def arrange(self, **wanted: Any) -> None:
        """Change which rows are shown, or their order; a thread works it out."""
        self.wanted = replace(self.wanted, **wanted)
        self._asked += 1
        asked, model, choice, keep = self._asked, self.table_model, self.wanted, self.keep
        self._slow.start()

        def show(rows: Rows | None) -> None:
            if asked == self._asked:
                self._slow.stop()
                model.show_rows(rows)
                self.rearranged.emit()

        def refuse(error: Exception) -> None:
            if isinstance(error, Replaced):
                return
            if asked == self._asked:
                self._slow.stop()
            if not isinstance(error, FsopsError):
                raise error
            if asked == self._asked:
                self.refused.emit(str(error))

        def is_replaced() -> bool:
            return asked != self._asked

        in_background(self, lambda: arranged(model.table, choice, keep, is_replaced), show, refuse)

    def go_to_column(self, column: int) -> None:
        """Bring a column into sight and choose its cell in the row of the cursor."""
        row = max(self.currentIndex().row(), 0)
        index = self.table_model.index(row, column)
        self.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)
        self.setCurrentIndex(index)

    def cells(self, *, selected: bool = False) -> Cells:
        """Return the cells as they are copied: those selected, or all that are shown."""
        model = self.table_model
        rows, columns = range(model.rowCount()), range(model.columnCount())
        if selected:
            rows, columns = self._selected()
        if len(columns) > MOST_COPIED:
            columns = columns[:MOST_COPIED]
        most = max(1, MOST_COPIED // max(1, len(columns)))
        return texts_of(model, rows[:most], columns)

    def _selected(self) -> tuple[range, range]:
        """Return the rectangle around the selected cells."""
        chosen = self.selectionModel()
        ranges = None if chosen is None else chosen.selection()
        parts = [] if ranges is None else [ranges[n] for n in range(len(ranges))]
        if not parts:
            return range(0), range(0)
        top, bottom = min(p.top() for p in parts), max(p.bottom() for p in parts)
        left, right = min(p.left() for p in parts), max(p.right() for p in parts)
        return range(top, bottom + 1), range(left, right + 1)

    def contextMenuEvent(self, a0: QContextMenuEvent | None) -> None:
        """Offer, by mouse or by the menu key, what headings and keys do otherwise."""
        assert a0 is not None
        menu = self.menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(a0.globalPos())

    def menu(self) -> QMenu:
        """Return what can be done with the column of the cursor and the selected cells."""
        column = max(self.currentIndex().column(), 0)
        menu = QMenu(self)
        choices: tuple[tuple[str, Callable[[], None]], ...] = (
            (tr("Sort, smallest first"), lambda: self.sort_by(column, ascending=True)),
            (tr("Sort, largest first"), lambda: self.sort_by(column, ascending=False)),
            (tr("Own order of the table"), lambda: self.sort_by(-1, ascending=True)),
            (tr("Copy selection as CSV"), lambda: self.copy_selected(csv_text)),
            (tr("Copy selection as Markdown"), lambda: self.copy_selected(markdown_text)),
        )
        for words, act in choices:
            action = menu.addAction(words)
            assert action is not None
            action.triggered.connect(act)
        return menu

    def copy_selected(self, as_text: Callable[[Cells], str]) -> None:
        """Copy the selected cells, headings too."""
        to_clipboard(as_text(self.cells(selected=True)))

    def event(self, event: QEvent | None) -> bool:
        """Keep the keys to copy and to select all; the window has them for the canvas."""
        if event is not None and event.type() == QEvent.Type.ShortcutOverride:
            assert isinstance(event, QKeyEvent)
            if any(event.matches(key) for key in OWN_KEYS):
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, e: QKeyEvent | None) -> None:
        """Copy the selected cells, headings too."""
        assert e is not None
        if e.matches(QKeySequence.StandardKey.Copy):
            self.copy_selected(csv_text)
            e.accept()
            return
        super().keyPressEvent(e)


def write_table(table: ExampleSet, path: Path) -> None:
    """Write a table as CSV or Parquet, by the name of the file."""
    from fsops.storage.csv_writer import CsvStyle, write_csv_table
    from fsops.storage.parquet import write_parquet_table

    if path.suffix.lower() == ".parquet":
        write_parquet_table(table, str(path))
    else:
        write_csv_table(table, str(path), CsvStyle(separator=",", quote_all=False))


class TablePage(Page):
    """A table with what one does to it: filter, go to a column, look at one closely, export."""

    def __init__(
        self,
        table: ExampleSet,
        title: str = "",
        *,
        kinds: bool = True,
        headings: Mapping[int, DetailHeading] | None = None,
    ) -> None:
        super().__init__()
        self.title = title
        self.view = TableView(TableModel(table, kinds=kinds, headings=headings), title)
        self.statistics = StatisticsPanel()
        self._make_fields()
        splitter = QSplitter()
        splitter.addWidget(self.view)
        splitter.addWidget(self.statistics)
        splitter.setStretchFactor(0, 1)
        splitter.setSizes([700, 260])
        self.bar = bar_of(
            self.kind, self.filter, self.count, self.finder, self.facts_button, self.export_button
        )
        filled(self, self.bar, self.complaint, splitter)
        self.view.rearranged.connect(self._show_count)
        self.view.refused.connect(self._complain)
        self.view.searching.connect(lambda: self.count.setText(tr("Searching…")))
        chosen = self.view.selectionModel()
        assert chosen is not None
        chosen.currentColumnChanged.connect(lambda now, _before: self._look_at(now.column()))
        self._show_count()
        self._by_hand = not kinds
        """Whether the user has shown or hidden the statistics; otherwise the width decides."""
        self.facts_button.clicked.connect(self._decide)
        self.statistics.setVisible(kinds)
        self.facts_button.setChecked(kinds)
        self._look_at(0)

    def _decide(self) -> None:
        self._by_hand = True

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Leave the page to the table where it is narrow."""
        super().resizeEvent(a0)
        if not self._by_hand:
            self.facts_button.setChecked(self.width() >= NARROW_PAGE)

    def _make_fields(self) -> None:
        self.kind = QComboBox()
        self.kind.addItem(tr("Rows that contain"), CONTAINS)
        self.kind.addItem(tr("Rows where"), WHERE)
        self.kind.setAccessibleName(tr("Kind of filter"))
        self.filter = QLineEdit()
        self.filter.setClearButtonEnabled(True)
        self.filter.setAccessibleName(tr("Filter"))
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.apply_filter)
        self.filter.textChanged.connect(lambda _text: self._timer.start(PAUSE))
        self.filter.returnPressed.connect(self.apply_filter)
        self.kind.currentIndexChanged.connect(self._change_kind)
        self._change_kind()
        self.finder = QLineEdit()
        self.finder.setPlaceholderText(tr("Go to column"))
        self.finder.setToolTip(tr("Enter goes to the next column with this in its name"))
        self.finder.setAccessibleName(tr("Go to column"))
        self.finder.returnPressed.connect(self._find)
        self.count = QLabel()
        self.facts_button = QPushButton(tr("Statistics"))
        self.facts_button.setCheckable(True)
        self.facts_button.toggled.connect(self._show_statistics)
        self.export_button = QPushButton(tr("Export…"))
        self.export_button.clicked.connect(self.export)
        self.complaint = QLabel()
        self.complaint.setWordWrap(True)
        self.complaint.setContentsMargins(6, 0, 6, 2)
        self.complaint.hide()

    def _change_kind(self) -> None:
        where = self.kind.currentData() == WHERE
        words = tr('such as: age > 40 and class == "ill"') if where else tr("text or number")
        self.filter.setPlaceholderText(words)
        self._timer.start(0)

    def apply_filter(self) -> None:
        """Show the rows that the filter lets through."""
        self._timer.stop()
        self.complaint.hide()
        text = self.filter.text().strip()
        where = self.kind.currentData() == WHERE
        choice = {"condition": text if where else "", "text": "" if where else text}
        wanted = self.view.wanted
        if (wanted.condition, wanted.text) != (choice["condition"], choice["text"]):
            self.view.arrange(**choice)

    def _complain(self, text: str) -> None:
        self._show_count()
        colour = current_colours().error.name()
        self.complaint.setStyleSheet(f"color: {colour}")
        self.complaint.setText(text)
        self.complaint.show()

    def _show_count(self) -> None:
        self.complaint.hide()
        model = self.view.table_model
        shown, total, columns = model.rowCount(), len(model.table), model.columnCount()
        rows = count_text(total)
        if shown != total:
            rows = tr("{shown} of {total}", shown=count_text(shown), total=rows)
        self.count.setText(tr("{rows} rows × {columns}", rows=rows, columns=count_text(columns)))
        if self.statistics.isVisible():
            self._look_at(max(self.view.currentIndex().column(), 0))

    def _find(self) -> None:
        text = self.finder.text().strip()
        if not text:
            return
        after = self.view.currentIndex().column()
        fresh = self.finder.isModified()
        self.finder.setModified(False)
        found = self.view.table_model.find_column(text, -1 if fresh else after)
        if found is None:
            self.said.emit(tr('No column has "{words}" in its name.', words=text))
        else:
            self.view.go_to_column(found)

    def _show_statistics(self, on: bool) -> None:
        self.statistics.setVisible(on)
        if on:
            self._look_at(max(self.view.currentIndex().column(), 0))

    def _look_at(self, column: int) -> None:
        model = self.view.table_model
        if 0 <= column < model.columnCount() and self.facts_button.isChecked():
            self.statistics.look_at(model.table, int(model.positions[column]), model.rows)

    def export(self) -> None:
        """Write the rows that are shown to a file."""
        kinds = {"csv": tr("Text, comma-separated"), "parquet": tr("Parquet")}
        path = ask_for_file(self, "export", self.title, kinds)
        if path is None:
            return
        table = rows_of(self.view.table_model.table, self.view.table_model.rows)

        def done(_nothing: None) -> None:
            self.said.emit(tr("Written: {path}", path=path))

        in_background(
            self, lambda: write_table(table, path), done, lambda e: self.said.emit(str(e))
        )

    def cells(self) -> Cells | None:
        """Return all that is shown."""
        return self.view.cells()
