"""The table of attributes; its rows are chosen by click, keys and drag."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PyQt6.QtCore import QItemSelectionModel, QModelIndex, QRectF, QSize, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QKeyEvent, QMouseEvent, QPainter
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from fsops.report.numbers import count_text
from fsops_gui.base.fonts import font
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.panels.explore.material import Material
from fsops_gui.panels.explore.ranked_model import BAR, FOLDS, RankedModel, columns_of
from fsops_gui.panels.explore.selection import SharedSelection
from fsops_gui.panels.explore.view import LinkedView, choice
from fsops_gui.panels.results.page import filled
from fsops_gui.widgets.charts.chart import How

Ints = npt.NDArray[np.intp]
PAUSE = 200
ROW = 26
NARROW_NAME, WIDE_NAME = 90, 150
"""Pixels of the column of names."""
SAMPLE = 200
"""Names that are measured."""
NUMBER_ROOM = 42
"""Pixels of a cell with a bar that its number takes."""


class _Delegate(QStyledItemDelegate):
    """Paints bars beside numbers, squares for repetitions, and the chosen attributes."""

    def __init__(self, table: RankedTable) -> None:
        super().__init__(table)
        self._table = table

    def paint(
        self, painter: QPainter | None, option: QStyleOptionViewItem, index: QModelIndex
    ) -> None:
        """Paint a cell."""
        if painter is None:
            return
        colours = current_colours()
        at = QRectF(option.rect)
        chosen = bool(self._table.chosen[self._table.model_.shown[index.row()]])
        if chosen:
            painter.fillRect(at, colours.selected_tint)
            if index.column() == 0:
                painter.fillRect(QRectF(at.left(), at.top(), 3, at.height()), colours.selected)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        bar, folds = index.data(BAR), index.data(FOLDS)
        text = str(index.data() or "")
        painter.setFont(font("body_strong" if chosen and index.column() == 1 else "body"))
        painter.setPen(colours.faint if index.column() == 0 else colours.text)
        room = at.adjusted(8, 0, -8, 0)
        if folds is not None:
            self._paint_folds(painter, room, folds, text)
            return
        if bar is not None:
            self._paint_bar(painter, room, bar, chosen=chosen)
            painter.setPen(colours.text)
        side = Qt.AlignmentFlag.AlignRight if index.column() != 1 else Qt.AlignmentFlag.AlignLeft
        shown = painter.fontMetrics().elidedText(
            text, Qt.TextElideMode.ElideMiddle, int(room.width())
        )
        painter.drawText(room, side | Qt.AlignmentFlag.AlignVCenter, shown)

    @staticmethod
    def _paint_bar(
        painter: QPainter, room: QRectF, bar: tuple[float, float], *, chosen: bool
    ) -> None:
        colours = current_colours()
        wide = max(0.0, room.width() - NUMBER_ROOM)
        left, right = (room.left() + wide * end for end in bar)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colours.data["bar_selected" if chosen else "bar"])
        place = QRectF(left, room.center().y() - 5, max(1.0, right - left), 10)
        painter.drawRoundedRect(place, 2, 2)

    @staticmethod
    def _paint_folds(
        painter: QPainter, room: QRectF, folds: npt.NDArray[np.bool_], text: str
    ) -> None:
        colours = current_colours()
        step = min(6.0, max(3.0, (room.width() - 26) / max(1, len(folds))))
        painter.setPen(Qt.PenStyle.NoPen)
        for number, on in enumerate(folds.tolist()):
            painter.setBrush(colours.done if on else colours.border)
            x = room.left() + number * step
            painter.drawRoundedRect(QRectF(x, room.center().y() - 5, step - 1.5, 10), 1, 1)
        painter.setPen(colours.secondary)
        place = QRectF(room.left() + len(folds) * step + 4, room.top(), 24, room.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, text)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        """Return a size that lets the view decide."""
        return QSize(60, ROW)


class RankedTable(QTableView):
    """A table whose rows stand for attributes; it shows a selection that is not its own."""

    picked = pyqtSignal(object, object)
    """Attributes, and `How`."""
    sorted_by = pyqtSignal(int)

    def __init__(self, model: RankedModel) -> None:
        super().__init__()
        self.model_ = model
        self.chosen = np.zeros(len(model.material.names), dtype=bool)
        self._anchor: int | None = None
        self.setModel(model)
        self.setItemDelegate(_Delegate(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setShowGrid(False)
        self.setMouseTracking(False)
        self.setAccessibleName(tr("Attributes and their weights"))
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        rows, head = self.verticalHeader(), self.horizontalHeader()
        assert rows is not None
        assert head is not None
        rows.hide()
        rows.setDefaultSectionSize(ROW)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head.setSectionsClickable(True)
        head.setHighlightSections(False)
        head.sectionClicked.connect(self.sorted_by)
        self.fit_columns()

    def fit_columns(self) -> None:
        """Give each column the room it needs; the one with bars takes the rest."""
        head = self.horizontalHeader()
        assert head is not None
        kinds = ["#", "name", *(column.kind for column in self.model_.columns)]
        widths = {"#": 38, "name": self._name_width(), "bar": 110, "place": 100}
        widths |= {"number": 58, "p": 68}
        runs = self.model_.material.repeats
        widths["folds"] = 60 if runs is None else min(170, 46 + 6 * min(20, len(runs.runs)))
        for number, kind in enumerate(kinds):
            head.setSectionResizeMode(number, QHeaderView.ResizeMode.Interactive)
            title = str(self.model_.headerData(number, Qt.Orientation.Horizontal))
            least = self.fontMetrics().horizontalAdvance(title) + 22
            head.resizeSection(number, max(widths[kind], least if number > 1 else 0))
        head.setMinimumSectionSize(36)
        wide = [n for n, kind in enumerate(kinds) if kind in ("bar", "place")] or [1]
        for number in wide:
            head.setSectionResizeMode(number, QHeaderView.ResizeMode.Stretch)

    def _name_width(self) -> int:
        """Return the room for names: that of the first ones, within limits."""
        names, metrics = self.model_.material.names, self.fontMetrics()
        first = (str(names[n]) for n in range(min(len(names), SAMPLE)))
        widest = max(map(metrics.horizontalAdvance, first), default=0)
        return min(max(widest + 18, NARROW_NAME), WIDE_NAME)

    def show_chosen(self, attributes: Ints, focus: int | None) -> None:
        """Show the selection, and scroll to the attribute in focus."""
        self.chosen[:] = False
        self.chosen[attributes] = True
        view = self.viewport()
        if view is not None:
            view.update()
        row = -1 if focus is None else int(self.model_.place[focus])
        if row >= 0:
            index = self.model_.index(row, 1)
            selection = self.selectionModel()
            if selection is not None:
                selection.setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
            self.scrollTo(index)

    def mousePressEvent(self, e: QMouseEvent | None) -> None:
        """Choose the row; Ctrl adds or removes it, Shift takes all up to it."""
        super().mousePressEvent(e)
        if e is None:
            return
        index = self.indexAt(e.position().toPoint())
        if index.isValid():
            self._pick(index.row(), e.modifiers())

    def _pick(self, row: int, modifiers: Qt.KeyboardModifier) -> None:
        how = How.of(modifiers)
        if how is How.ADD and self._anchor is not None:
            first, last = sorted((self._anchor, row))
            self.picked.emit(self.model_.shown[first : last + 1], How.REPLACE)
            return
        self._anchor = row
        self.picked.emit(self.model_.shown[[row]], how)

    def keyPressEvent(self, e: QKeyEvent | None) -> None:
        """Choose the row that the keys lead to; Shift takes all in between."""
        before = self.currentIndex().row()
        super().keyPressEvent(e)
        after = self.currentIndex().row()
        if e is not None and after != before and after >= 0:
            held = e.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self._pick(after, held)


class RankedView(LinkedView):
    """Weights with effect and repetitions, or the places in all weightings."""

    def __init__(
        self, material: Material, selection: SharedSelection, *, compare: bool = False
    ) -> None:
        super().__init__(material, selection)
        self._compare = compare
        self._sorting = (0, True)
        self.model_ = RankedModel(material, columns_of(material, compare=compare))
        self.table = RankedTable(self.model_)
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Search"))
        self.search.setClearButtonEnabled(True)
        self.search.setAccessibleName(tr("Search attributes"))
        self.search.setMaximumWidth(130)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._arrange)
        self.search.textChanged.connect(lambda _text: self._timer.start(PAUSE))
        self.fields = [self.search]
        if not compare and len(material.weightings) > 1:
            entries = [(part.title, n) for n, part in enumerate(material.weightings)]
            self.of = choice(tr("Weighting"), *entries)
            self.of.setMaximumWidth(150)
            self.of.activated.connect(lambda _row: self._change())
            self.fields.insert(0, self.of)
        self.table.picked.connect(selection.choose_attributes)
        self.table.sorted_by.connect(self._sort)
        filled(self, self.table)
        self._say_count()
        self.show_selection()

    def _change(self) -> None:
        self.model_.set_columns(columns_of(self.material, int(self.of.currentData())))
        self._arrange()

    def _sort(self, section: int) -> None:
        column = section - 2
        best_first = column != self._sorting[0] or not self._sorting[1]
        self._sorting = (column, best_first)
        self._arrange()

    def _arrange(self) -> None:
        self._timer.stop()
        column, best_first = self._sorting
        self.model_.sort_by(column, best_first=best_first, wanted=self.search.text().strip())
        self._say_count()
        self.show_selection()

    def _say_count(self) -> None:
        shown, all_ = self.model_.rowCount(), len(self.material.names)
        both = tr("{n} of {all}", n=count_text(shown), all=count_text(all_))
        self.say(tr("{n} attributes", n=count_text(all_)) if shown == all_ else both)

    def show_selection(self) -> None:
        """Show the chosen attributes."""
        self.table.show_chosen(self.selection.attributes, self.selection.focus)
