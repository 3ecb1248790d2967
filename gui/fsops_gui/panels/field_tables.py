"""Fields for several values: lists, and names with values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PyQt6.QtCore import QModelIndex, Qt, QTimer, pyqtSignal
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from fsops.core.declare.parameters import Parameter, value_text
from fsops_gui.base.texts import tr
from fsops_gui.panels.field import Field, FieldContext, TextField, button, is_list
from fsops_gui.widgets.buttons import ok_and_cancel
from fsops_gui.widgets.word_completer import MACRO, WORD, WordCompleter

FEWEST, MOST = 3, 7
"""How many lines a table in the form shows."""


class _Offering(QStyledItemDelegate):
    """Offers words in the cells of one column."""

    def __init__(self, words: Callable[[int], Sequence[str]], parent: QWidget) -> None:
        super().__init__(parent)
        self._words = words

    def createEditor(
        self, parent: QWidget | None, option: QStyleOptionViewItem, index: QModelIndex
    ) -> QWidget | None:
        """Return an editor that offers words."""
        editor = super().createEditor(parent, option, index)
        if isinstance(editor, QLineEdit):
            words = list(self._words(index.column()))
            macros = [word for word in words if word.startswith("%{")]
            others = [word for word in words if not word.startswith("%{")]
            WordCompleter(editor, lambda: macros, MACRO)
            WordCompleter(editor, lambda: others, WORD)
        return editor


class RowsTable(QWidget):
    """A table of texts, whose lines can be added, removed and moved."""

    changed = pyqtSignal()

    def __init__(
        self,
        titles: Sequence[str],
        words: Callable[[int], Sequence[str]],
        name: str,
        *,
        grows: bool = False,
    ) -> None:
        super().__init__()
        self._grows = grows
        self.table = QTableWidget(0, len(titles))
        self.table.setHorizontalHeaderLabels(list(titles))
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setWordWrap(False)
        self.table.setAccessibleName(name)
        self.table.setItemDelegate(_Offering(words, self.table))
        columns, rows = self.table.horizontalHeader(), self.table.verticalHeader()
        assert columns is not None
        assert rows is not None
        columns.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(self.fontMetrics().height() + 8)
        rows.hide()
        self._head, self._line = columns.sizeHint().height() + 6, rows.defaultSectionSize()
        self._fit()
        buttons = QVBoxLayout()
        buttons.setSpacing(0)
        self.add = button("+", tr("Add a line"), self.add_line)
        self.remove = button("−", tr("Remove the line"), self._remove_line)
        self.up = button("↑", tr("Move the line up"), lambda: self._move(-1))
        self.down = button("↓", tr("Move the line down"), lambda: self._move(1))
        for small in (self.add, self.remove, self.up, self.down):
            buttons.addWidget(small)
        buttons.addStretch(1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.table, 1)
        layout.addLayout(buttons)
        self.setFocusProxy(self.table)
        self._telling = False
        self._wanted: list[tuple[str, ...]] = []
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self._fill)
        self.table.itemChanged.connect(self._tell)

    def _tell(self, _item: QTableWidgetItem | None = None) -> None:
        self._telling = True
        try:
            self.changed.emit()
        finally:
            self._telling = False

    def _fit(self) -> None:
        """Make the table as high as its lines need, within limits."""
        if self._grows:
            return
        lines = min(max(self.table.rowCount(), FEWEST), MOST)
        self.table.setFixedHeight(self._head + lines * self._line)

    def rows(self) -> list[tuple[str, ...]]:
        """Return the contents of the table, without empty lines."""
        found = []
        for row in range(self.table.rowCount()):
            cells = [self.table.item(row, column) for column in range(self.table.columnCount())]
            texts = tuple(cell.text() if cell is not None else "" for cell in cells)
            if any(texts):
                found.append(texts)
        return found

    def show_rows(self, wanted: Sequence[Sequence[str]]) -> None:
        """Show other lines; no signal is emitted."""
        self._wanted = [tuple(row) for row in wanted]
        if self._telling:  # the cell that tells of its change must not be taken from under it
            self._later.start(0)
        else:
            self._fill()

    def _fill(self) -> None:
        if self._wanted == self.rows():
            return
        self.table.blockSignals(True)
        self.table.setRowCount(0)
        for texts in self._wanted:
            row = self.table.rowCount()
            self.table.insertRow(row)
            for column, text in enumerate(texts):
                self.table.setItem(row, column, QTableWidgetItem(text))
        self.table.blockSignals(False)
        self._fit()

    def add_line(self) -> None:
        """Add an empty line and begin to write in it."""
        self.table.insertRow(self.table.rowCount())
        self._fit()
        last = self.table.rowCount() - 1
        self.table.blockSignals(True)
        for column in range(self.table.columnCount()):
            self.table.setItem(last, column, QTableWidgetItem(""))
        self.table.blockSignals(False)
        self.table.setCurrentCell(last, 0)
        first = self.table.item(last, 0)
        if first is not None and self.isVisible():
            self.table.editItem(first)

    def _remove_line(self) -> None:
        if self.table.currentRow() >= 0:
            self.table.removeRow(self.table.currentRow())
            self._fit()
            self.changed.emit()

    def _move(self, by: int) -> None:
        row, other = self.table.currentRow(), self.table.currentRow() + by
        if row < 0 or not 0 <= other < self.table.rowCount():
            return
        self.table.blockSignals(True)
        for column in range(self.table.columnCount()):
            one, two = self.table.takeItem(row, column), self.table.takeItem(other, column)
            self.table.setItem(row, column, two or QTableWidgetItem(""))
            self.table.setItem(other, column, one or QTableWidgetItem(""))
        self.table.setCurrentCell(other, max(self.table.currentColumn(), 0))
        self.table.blockSignals(False)
        self.changed.emit()


TITLES = {
    "types": ("Column", "Type"),
    "class_weights": ("Class", "Weight"),
    "classes": ("Class", "Upper limit"),
    "aggregation_attributes": ("Attribute", "Function"),
    "comparison_groups": ("Attribute", "Category"),
    "set_additional_roles": ("Attribute", "Role"),
    "rename_additional_attributes": ("Old name", "New name"),
    "macros": ("Macro", "Value"),
    "log": ("Column", "Value"),
}
"""Names of the columns of pairs, by parameter."""


class PairsField(Field):
    """A table of names with values."""

    wide = True
    titles = ("Name", "Value")
    """Default names of the columns."""

    def __init__(self, parameter: Parameter, around: FieldContext) -> None:
        super().__init__(parameter, around)
        usual = ("Parameter", "Values") if parameter.names_inner else self.titles
        titles = TITLES.get(parameter.name, usual)
        self.lines = RowsTable([tr(title) for title in titles], self._words, parameter.name)
        self.table = self.lines.table
        self.put(self.lines)
        self.setFocusProxy(self.table)
        self.lines.changed.connect(self._tell)

    def _words(self, column: int) -> Sequence[str]:
        names = (self.around.targets() if self.parameter.names_inner else ()) or (
            self.around.attributes()
        )
        return [*(names if column == 0 else ()), *self._macro_words()]

    def pairs(self) -> list[tuple[str, str]]:
        """Return the contents of the table, without empty lines."""
        return [(texts[0], texts[1]) for texts in self.lines.rows()]

    def _tell(self) -> None:
        self.edited.emit(self.pairs() or None)

    def add_line(self) -> None:
        """Add an empty line."""
        self.lines.add_line()

    def show_value(self, value: Any) -> None:
        """Show the pairs."""
        default = None if self.parameter.required else self.parameter.default
        given = default if value is None else value
        if isinstance(given, dict):
            given = list(given.items())
        items = [i if isinstance(i, list | tuple) else (i, "") for i in given or ()]
        self.lines.show_rows([(value_text(pair[0]), value_text(pair[1])) for pair in items])


class ListField(TextField):
    """Values separated by commas, or one by one in a table."""

    def __init__(self, parameter: Parameter, around: FieldContext) -> None:
        super().__init__(parameter, around)
        self.line.addWidget(button("…", tr("Edit the list"), self.open_list))

    def show_value(self, value: Any) -> None:
        """Show a list."""
        super().show_value(", ".join(map(value_text, value)) if is_list(value) else value)
        self._value = value

    def open_list(self) -> None:
        """Open the list as a table."""
        text = self.edit.text() or self.default()
        given = self._value if is_list(self._value) else text.split(",") if text else []
        values = [value_text(item).strip() for item in given]
        dialog = ListDialog(self.parameter, values, self._words, self)
        dialog.accepted.connect(lambda: self.edited.emit(dialog.values() or None))
        dialog.open()

    def _words(self, _column: int) -> Sequence[str]:
        return [*self.around.attributes(), *self._macro_words()]


class ListDialog(QDialog):
    """The values of a list, one under the other."""

    def __init__(
        self,
        parameter: Parameter,
        values: Sequence[str],
        words: Callable[[int], Sequence[str]],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(parameter.name.replace("_", " "))
        self.lines = RowsTable([tr("Value")], words, parameter.name, grows=True)
        self.lines.show_rows([(value,) for value in values])
        layout = QVBoxLayout(self)
        layout.addWidget(self.lines)
        layout.addWidget(ok_and_cancel(self))
        self.resize(320, 320)

    def values(self) -> list[str]:
        """Return the values, without empty ones."""
        return [row[0] for row in self.lines.rows()]
