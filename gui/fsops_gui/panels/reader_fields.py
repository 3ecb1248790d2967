"""Columns of a file that is read: chosen from those that it has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fsops.core.checks.fixes import likely_labels
from fsops.core.declare.parameters import value_text
from fsops.data import Schema, ValueType
from fsops_gui.panels.attribute_choice import AttributeField, AttributesDialog, absent
from fsops_gui.panels.field import Field, is_list
from fsops_gui.panels.field_tables import ListField, PairsField

READERS = ("read_csv", "read_excel", "read_parquet", "read_arff")


class ColumnField(AttributeField):
    """One column. While a name is typed the file cannot be described: the list stays."""

    def fault(self, value: Any) -> str:
        """Say if the file had no such column when it was last understood."""
        return absent(self._shown, [value_text(value)])

    def show_value(self, value: Any) -> None:
        """Show a name, and offer the columns that the file had when it was last understood."""
        if self.around.schema() is not None:
            super().show_value(value)
        elif self.combo.currentText() != (text := "" if value is None else value_text(value)):
            self.combo.setEditText(text)


class LabelField(ColumnField):
    """The column to predict: those that may be it are offered first, the file's order follows."""

    def offered(self, schema: Schema) -> list[str]:
        """Return the columns, the most likely labels first."""
        label = [schema.label.name] if schema.label is not None else []
        return list(dict.fromkeys([*label, *likely_labels(schema), *super().offered(schema)]))


class ColumnsField(ListField):
    """Several columns, chosen in a dialog or typed."""

    def open_list(self) -> None:
        """Open the dialog with the two lists; columns that are left out are in the second."""
        chosen = self._value if is_list(self._value) else self.edit.text().split(",")
        names = [value_text(name).strip() for name in chosen or ()]
        dialog = AttributesDialog(self.around.schema(), list(filter(None, names)), self)
        dialog.accepted.connect(lambda: self.edited.emit(dialog.names() or None))
        dialog.open()


class TypesField(PairsField):
    """Columns with their types."""

    def _words(self, column: int) -> Sequence[str]:
        if column == 0:
            return super()._words(column)
        return [str(kind) for kind in ValueType]


_FIELDS: Mapping[str, type[Field]] = {
    "label": LabelField,
    "id": ColumnField,
    "skip": ColumnsField,
    "types": TypesField,
}
READER_FIELDS: Mapping[tuple[str, str], type[Field]] = {
    (reader, name): field for reader in READERS for name, field in _FIELDS.items()
}
"""Fields for single parameters, by operator and parameter."""
