"""Choosing attributes: one from a list with types, or several in a dialog of two lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QGridLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from fsops.core.declare.parameters import Parameter, has_macro, join_names, split_names, value_text
from fsops.data import Schema
from fsops.errors import did_you_mean, enumerate_names
from fsops_gui.base.texts import tr
from fsops_gui.panels.field import Field, FieldContext, TextField, button, is_list
from fsops_gui.widgets.buttons import ok_and_cancel
from fsops_gui.widgets.combo import CalmCombo

NAME = Qt.ItemDataRole.UserRole
DESCRIBED = 1000
"""So many attributes of a list have a tip with their type."""
MOST = 20_000
"""So many attributes are listed; the search finds the others."""


def kind_of(schema: Schema | None, name: str) -> str:
    """Return type and role of an attribute in words; nothing if it is not known."""
    if schema is None or name not in schema:
        return ""
    attribute = schema.attribute(name)
    return (
        str(attribute.value_type)
        if attribute.is_regular
        else (f"{attribute.value_type}, {attribute.role}")
    )


def absent(schema: Schema | None, names: Sequence[str]) -> str:
    """Return a sentence about names that no attribute has; nothing if all are there."""
    gone = [n for n in names if n and schema is not None and n not in schema and not has_macro(n)]
    if not gone or schema is None:
        return ""
    hint = did_you_mean(gone[0], schema.names)
    return f"{tr('There is no attribute {names}.', names=enumerate_names(gone))} {hint}".strip()


class AttributeField(Field):
    """The name of an attribute, chosen from those that arrive, or typed."""

    def __init__(self, parameter: Parameter, around: FieldContext) -> None:
        super().__init__(parameter, around)
        self._shown: Schema | None = None
        self.combo = CalmCombo()
        self.combo.setEditable(True)
        self.combo.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.put(self.combo)
        self.combo.textActivated.connect(self._tell)
        completer = self.combo.completer()
        if completer is not None:
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            completer.setCompletionMode(completer.CompletionMode.PopupCompletion)
        line = self.combo.lineEdit()
        assert line is not None
        line.setPlaceholderText(self.default() or tr("name of an attribute"))
        line.textEdited.connect(self._tell)
        self.offer_macros(line)

    def _tell(self, text: str) -> None:
        self.edited.emit(text or None)

    def offered(self, schema: Schema) -> list[str]:
        """Return the names that are offered."""
        return list(schema.names[:MOST])

    def fault(self, value: Any) -> str:
        """Say if no attribute has that name."""
        return absent(self.around.schema(), [value_text(value)])

    def show_value(self, value: Any) -> None:
        """Show a name, and offer those that are there, with their types."""
        text = "" if value is None else value_text(value)
        schema = self.around.schema()
        if schema is not self._shown:
            self._shown = schema
            self.combo.clear()
            self.combo.addItems([] if schema is None else self.offered(schema))
            for row in range(min(self.combo.count(), DESCRIBED)):
                name = self.combo.itemText(row)
                told = f"{name}: {kind_of(schema, name)}"
                self.combo.setItemData(row, told, Qt.ItemDataRole.ToolTipRole)
        if self.combo.currentText() != text:
            self.combo.setEditText(text)
        kind = kind_of(schema, text)
        self.combo.setToolTip(f"{text}: {kind}" if kind else self.toolTip())


class AttributesField(TextField):
    """Names of attributes, typed or chosen in a dialog."""

    def __init__(self, parameter: Parameter, around: FieldContext) -> None:
        super().__init__(parameter, around)
        self.edit.setPlaceholderText(tr("names separated by |"))
        self.line.addWidget(button("…", tr("Choose attributes"), self.open_choice))

    def show_value(self, value: Any) -> None:
        """Show names."""
        super().show_value(join_names(value) if is_list(value) else value)

    def fault(self, value: Any) -> str:
        """Say which names no attribute has."""
        return absent(self.around.schema(), value if is_list(value) else split_names(str(value)))

    def open_choice(self) -> None:
        """Open the dialog with the two lists."""
        dialog = AttributesDialog(self.around.schema(), split_names(self.edit.text()), self)
        dialog.accepted.connect(lambda: self._tell(join_names(dialog.names())))
        dialog.open()


class AttributesDialog(QDialog):
    """All attributes at the left, the chosen ones at the right, with a search over both."""

    def __init__(self, schema: Schema | None, chosen: Sequence[str], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Choose attributes"))
        self._schema = schema
        self._all = () if schema is None else schema.names
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Search by name or type"))
        self.search.setClearButtonEnabled(True)
        self.available, self.chosen = self._list(tr("Available")), self._list(tr("Chosen"))
        self._chosen = list(dict.fromkeys(chosen))
        self._titles = (QLabel(), QLabel())
        grid = QGridLayout()
        for column, (title, of) in enumerate(
            zip(self._titles, (self.available, self.chosen), strict=True)
        ):
            grid.addWidget(title, 0, 2 * column)
            grid.addWidget(of, 1, 2 * column)
        between = QVBoxLayout()
        between.addStretch(1)
        self.take = button("→", tr("Take the selected attributes"), self._take)
        self.give_back = button("←", tr("Leave the selected attributes out"), self._give_back)
        self.take_all = button("⇉", tr("Take all that are listed"), self._take_all)
        self.clear = button("⇇", tr("Leave all out"), self._clear)
        for small in (self.take, self.give_back, self.take_all, self.clear):
            between.addWidget(small)
        between.addStretch(1)
        grid.addLayout(between, 1, 1)
        layout = QVBoxLayout(self)
        layout.addWidget(self.search)
        layout.addLayout(grid, 1)
        layout.addWidget(ok_and_cancel(self))
        self.search.textChanged.connect(self._fill)
        self.available.itemActivated.connect(lambda _item: self._take())
        self.chosen.itemActivated.connect(lambda _item: self._give_back())
        self.resize(560, 420)
        self._fill()

    @staticmethod
    def _list(name: str) -> QListWidget:
        made = QListWidget()
        made.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        made.setAccessibleName(name)
        made.setUniformItemSizes(True)
        return made

    def _fits(self, name: str) -> bool:
        words = self.search.text().lower().split()
        text = f"{name} {kind_of(self._schema, name)}".lower()
        return all(word in text for word in words)

    def _fill(self) -> None:
        taken = set(self._chosen)
        free = [name for name in self._all if name not in taken and self._fits(name)]
        for widget, names in ((self.available, free[:MOST]), (self.chosen, self._chosen)):
            widget.clear()
            for name in names:
                kind = kind_of(self._schema, name)
                item = QListWidgetItem(f"{name}  ({kind})" if kind else name)
                item.setData(NAME, name)
                widget.addItem(item)
        self._titles[0].setText(tr("Available ({n})", n=len(free)))
        self._titles[1].setText(tr("Chosen ({n})", n=len(self._chosen)))

    @staticmethod
    def _selected(widget: QListWidget) -> list[str]:
        rows = sorted(widget.row(item) for item in widget.selectedItems())
        return [item.data(NAME) for row in rows if (item := widget.item(row)) is not None]

    def _take(self) -> None:
        self._chosen += self._selected(self.available)
        self._fill()

    def _give_back(self) -> None:
        gone = set(self._selected(self.chosen))
        self._chosen = [name for name in self._chosen if name not in gone]
        self._fill()

    def _take_all(self) -> None:
        taken = set(self._chosen)
        self._chosen += [n for n in self._all if n not in taken and self._fits(n)]
        self._fill()

    def _clear(self) -> None:
        self._chosen = []
        self._fill()

    def names(self) -> list[str]:
        """Return the names that were chosen."""
        return list(self._chosen)
