"""Fields to edit a parameter, one class for each kind; a new kind adds a line to `FIELDS`.

A field shows a text (or a list) as a process file has it, and tells what the user made of it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QWheelEvent
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QTableWidget,
    QTableWidgetItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from fsops.core.parameters import Parameter, has_macro, join_names, split_names, value_text
from fsops_gui.texts import tr

TRUE = ("true", "yes", "on", "1")


@dataclass(frozen=True)
class Surroundings:
    """What a field may ask for."""

    attributes: Callable[[], Sequence[str]] = tuple
    """Names of the attributes that arrive at the operator."""
    folder: Path | None = None
    """Where relative paths begin."""


class Field(QWidget):
    """The base of all fields."""

    edited = pyqtSignal(object)
    """The value as the user left it; None takes the setting back."""
    wide = False
    """Whether it needs a line of its own."""

    def __init__(self, parameter: Parameter, around: Surroundings) -> None:
        super().__init__()
        self.parameter = parameter
        self.around = around
        self.line = QHBoxLayout(self)
        self.line.setContentsMargins(0, 0, 0, 0)
        self.line.setSpacing(2)

    def show_value(self, value: Any) -> None:
        """Show a value; None stands for the default."""
        raise NotImplementedError

    def default(self) -> str:
        """Return the default as text."""
        p = self.parameter
        if p.required or p.default is None:
            return ""
        if isinstance(p.default, list | tuple):
            return ", ".join(map(value_text, p.default))
        return value_text(p.default)

    def put(self, widget: QWidget) -> None:
        """Add the widget that has the focus and the name for screen readers."""
        self.line.addWidget(widget, 1)
        self.setFocusProxy(widget)
        widget.setAccessibleName(self.parameter.name)
        widget.setAccessibleDescription(self.parameter.description)


class TextField(Field):
    """Text and numbers; macros can stand everywhere."""

    def __init__(self, parameter: Parameter, around: Surroundings) -> None:
        super().__init__(parameter, around)
        self.edit = QLineEdit()
        self.put(self.edit)
        default = self.default()
        allowed = parameter.allowed() if parameter.kind != "text" else ""
        self.edit.setPlaceholderText(default or allowed)
        self.edit.textEdited.connect(self._tell)

    def _tell(self, text: str) -> None:
        # An empty field means the default, or that a text is empty where it may be.
        self.edited.emit(text if text or self.parameter.optional else None)

    def show_value(self, value: Any) -> None:
        """Show a value; what is being typed is left alone if it means the same."""
        text = "" if value is None else value if isinstance(value, str) else value_text(value)
        if self.edit.text() != text:
            self.edit.setText(text)


class ListField(TextField):
    """Values separated by commas."""

    def show_value(self, value: Any) -> None:
        """Show a list."""
        super().show_value(", ".join(map(value_text, value)) if _is_list(value) else value)


class BooleanField(Field):
    """A box to tick."""

    def __init__(self, parameter: Parameter, around: Surroundings) -> None:
        super().__init__(parameter, around)
        self.box = QCheckBox()
        self.put(self.box)
        self.box.clicked.connect(self.edited.emit)

    def show_value(self, value: Any) -> None:
        """Tick the box or not."""
        shown = self.parameter.default if value is None else value
        self.box.setChecked(shown is True or str(shown).lower() in TRUE)
        self.box.setText(tr("on") if self.box.isChecked() else tr("off"))


class CalmCombo(QComboBox):
    """A list that the mouse wheel only changes when it has the focus."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(10)

    def wheelEvent(self, e: QWheelEvent | None) -> None:
        """Scroll the panel instead, unless the user is here."""
        if self.hasFocus():
            super().wheelEvent(e)
        elif e is not None:
            e.ignore()


class ChoiceField(Field):
    """One of several values; where numbers are allowed as well, they can be typed."""

    def __init__(self, parameter: Parameter, around: Surroundings) -> None:
        super().__init__(parameter, around)
        self.combo = CalmCombo()
        self.put(self.combo)
        self.combo.setEditable(parameter.kind != "choice")
        self.combo.addItems([*([""] if parameter.optional else []), *parameter.choices])
        self.combo.textActivated.connect(self.edited.emit)
        line = self.combo.lineEdit()
        if line is not None:
            line.textEdited.connect(lambda text: self.edited.emit(text or None))

    def show_value(self, value: Any) -> None:
        """Choose a value; one that is not allowed is shown all the same."""
        text = self.default() if value is None else value_text(value)
        if self.combo.currentText() == text:
            return
        if self.combo.isEditable():
            self.combo.setEditText(text)
            return
        if self.combo.findText(text) < 0:
            self.combo.addItem(text)
        self.combo.setCurrentText(text)


class AttributeField(Field):
    """The name of an attribute, chosen from those that arrive, or typed."""

    def __init__(self, parameter: Parameter, around: Surroundings) -> None:
        super().__init__(parameter, around)
        self.combo = CalmCombo()
        self.combo.setEditable(True)
        self.combo.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.put(self.combo)
        self.combo.textActivated.connect(self._tell)
        line = self.combo.lineEdit()
        assert line is not None
        line.setPlaceholderText(self.default() or tr("name of an attribute"))
        line.textEdited.connect(self._tell)

    def _tell(self, text: str) -> None:
        self.edited.emit(text or None)

    def show_value(self, value: Any) -> None:
        """Show a name, and offer those that are there."""
        text = "" if value is None else value_text(value)
        names = list(self.around.attributes())
        if [self.combo.itemText(i) for i in range(self.combo.count())] != names:
            self.combo.clear()
            self.combo.addItems(names)
        if self.combo.currentText() != text:
            self.combo.setEditText(text)


class AttributesField(TextField):
    """Names of attributes, typed or ticked in a list."""

    def __init__(self, parameter: Parameter, around: Surroundings) -> None:
        super().__init__(parameter, around)
        self.edit.setPlaceholderText(tr("names separated by |"))
        self.line.addWidget(_button("…", tr("Choose attributes"), self._choose))

    def show_value(self, value: Any) -> None:
        """Show names."""
        super().show_value(join_names(value) if _is_list(value) else value)

    def _choose(self) -> None:
        dialog = NamesDialog(self.around.attributes(), split_names(self.edit.text()), self)
        dialog.accepted.connect(lambda: self._tell(join_names(dialog.names())))
        dialog.open()


class NamesDialog(QDialog):
    """Attributes to tick."""

    def __init__(self, names: Sequence[str], ticked: Sequence[str], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Choose attributes"))
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Search"))
        self.list = QListWidget()
        for name in dict.fromkeys([*names, *ticked]):
            item = QListWidgetItem(name)
            chosen = Qt.CheckState.Checked if name in ticked else Qt.CheckState.Unchecked
            item.setCheckState(chosen)
            self.list.addItem(item)
        kinds = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(kinds.Ok | kinds.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        for widget in (self.search, self.list, buttons):
            layout.addWidget(widget)
        self.search.textChanged.connect(self._filter)

    def _items(self) -> list[QListWidgetItem]:
        found = (self.list.item(row) for row in range(self.list.count()))
        return [item for item in found if item is not None]

    def _filter(self, text: str) -> None:
        for item in self._items():
            item.setHidden(text.lower() not in item.text().lower())

    def names(self) -> list[str]:
        """Return the names that are ticked."""
        return [i.text() for i in self._items() if i.checkState() == Qt.CheckState.Checked]


class FileField(TextField):
    """The path of a file, typed or chosen; relative to the process file where that is possible."""

    def __init__(self, parameter: Parameter, around: Surroundings) -> None:
        super().__init__(parameter, around)
        self.line.addWidget(_button("…", tr("Choose a file"), self._choose))

    def _choose(self) -> None:
        folder = str(self.around.folder or Path.home())
        suffixes = self.parameter.file.suffixes if self.parameter.file else ()
        kinds = (
            f"({' '.join('*' + s for s in suffixes)});;{tr('All files')} (*)" if suffixes else ""
        )
        write = self.parameter.file is not None and self.parameter.file.write
        ask = QFileDialog.getSaveFileName if write else QFileDialog.getOpenFileName
        chosen, _ = ask(self, tr("Choose a file"), folder, kinds)
        if chosen:
            self._tell(self._short(chosen))

    def _short(self, path: str) -> str:
        if self.around.folder is None:
            return path
        relative = Path(os.path.relpath(path, self.around.folder)).as_posix()
        return path if relative.startswith("../../..") else relative


class PairsField(Field):
    """A table of names with values."""

    wide = True

    def __init__(self, parameter: Parameter, around: Surroundings) -> None:
        super().__init__(parameter, around)
        self.table = QTableWidget(0, 2)
        self.table.setHorizontalHeaderLabels([tr("Name"), tr("Value")])
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setFixedHeight(120)
        self.table.setWordWrap(False)
        for header in (self.table.verticalHeader(), self.table.horizontalHeader()):
            if header is not None:
                header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        rows = self.table.verticalHeader()
        if rows is not None:
            rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            rows.hide()
        self.put(self.table)
        buttons = QVBoxLayout()
        buttons.addWidget(_button("+", tr("Add a line"), self.add_line))
        buttons.addWidget(_button("−", tr("Remove the line"), self._remove_line))
        buttons.addStretch(1)
        self.line.addLayout(buttons)
        self.table.itemChanged.connect(self._tell)

    def pairs(self) -> list[tuple[str, str]]:
        """Return what the table holds, without lines that are empty."""
        found = []
        for row in range(self.table.rowCount()):
            cells = [self.table.item(row, column) for column in (0, 1)]
            texts = [cell.text() if cell is not None else "" for cell in cells]
            if any(texts):
                found.append((texts[0], texts[1]))
        return found

    def _tell(self) -> None:
        self.edited.emit(self.pairs() or None)

    def add_line(self) -> None:
        """Add an empty line."""
        self.table.insertRow(self.table.rowCount())
        self.table.setCurrentCell(self.table.rowCount() - 1, 0)

    def _remove_line(self) -> None:
        if self.table.currentRow() >= 0:
            self.table.removeRow(self.table.currentRow())
            self._tell()

    def show_value(self, value: Any) -> None:
        """Show the pairs."""
        default = None if self.parameter.required else self.parameter.default
        given = default if value is None else value
        if isinstance(given, dict):
            given = list(given.items())
        items = [i if isinstance(i, list | tuple) else (i, "") for i in given or ()]
        wanted = [(value_text(pair[0]), value_text(pair[1])) for pair in items]
        if wanted == self.pairs():
            return
        self.table.blockSignals(True)
        self.table.setRowCount(0)
        for name, text in wanted:
            self.add_line()
            row = self.table.rowCount() - 1
            self.table.setItem(row, 0, QTableWidgetItem(name))
            self.table.setItem(row, 1, QTableWidgetItem(text))
        self.table.blockSignals(False)


FIELDS: dict[str, type[Field]] = {
    "boolean": BooleanField,
    "choice": ChoiceField,
    "attribute": AttributeField,
    "attributes": AttributesField,
    "file": FileField,
    "list": ListField,
    "pairs": PairsField,
}


def field_for(parameter: Parameter, value: Any, around: Surroundings) -> Field:
    """Return the field for a parameter; a value with a macro is shown as text."""
    if has_macro(value) and isinstance(value, str):
        return TextField(parameter, around)
    if parameter.choices and parameter.kind in ("integer", "number", "text"):
        return ChoiceField(parameter, around)
    return FIELDS.get(parameter.kind, TextField)(parameter, around)


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _button(sign: str, words: str, act: Callable[[], None]) -> QToolButton:
    button = QToolButton()
    button.setText(sign)
    button.setToolTip(words)
    button.setAccessibleName(words)
    button.clicked.connect(lambda _on: act())
    return button
