"""Fields to edit a parameter, one class for each kind; a new kind adds a line to `FIELDS`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from PyQt6.QtWidgets import QCheckBox, QFileDialog

from fsops.core.declare.parameters import Parameter, has_macro, value_text
from fsops_gui.base.texts import tr
from fsops_gui.dialogs.file_choice import last_folder, remember_folder
from fsops_gui.panels.attribute_choice import AttributeField, AttributesDialog, AttributesField
from fsops_gui.panels.builders import BUILDERS
from fsops_gui.panels.field import Field, FieldContext, TextField, button, range_text
from fsops_gui.panels.field_tables import ListField, PairsField
from fsops_gui.panels.reader_fields import READER_FIELDS
from fsops_gui.widgets.combo import CalmCombo

__all__ = [
    "FIELDS",
    "AttributeField",
    "AttributesDialog",
    "AttributesField",
    "BooleanField",
    "ChoiceField",
    "Field",
    "FileField",
    "ListField",
    "PairsField",
    "FieldContext",
    "TextField",
    "field_for",
]

TEXTUAL = ("integer", "number", "text", "file", "attribute", "attributes", "list")
"""Kinds whose fields have a line in which a macro can be written."""
TRUE = ("true", "yes", "on", "1")


class BooleanField(Field):
    """A box to tick."""

    def __init__(self, parameter: Parameter, around: FieldContext) -> None:
        super().__init__(parameter, around)
        self.box = QCheckBox()
        self.put(self.box)
        self.line.setContentsMargins(0, 2, 0, 0)  # its text on the line of the label
        self.box.clicked.connect(self.edited.emit)

    def show_value(self, value: Any) -> None:
        """Tick the box or not."""
        shown = self.parameter.default if value is None else value
        self.box.setChecked(shown is True or str(shown).lower() in TRUE)
        self.box.setText(tr("on") if self.box.isChecked() else tr("off"))


class ChoiceField(Field):
    """One of several values; where numbers are allowed as well, they can be typed."""

    def __init__(self, parameter: Parameter, around: FieldContext) -> None:
        super().__init__(parameter, around)
        self.combo = CalmCombo()
        self.put(self.combo)
        self.combo.setEditable(parameter.kind != "choice")
        self.combo.addItems([*([""] if parameter.optional else []), *parameter.choices])
        self.combo.textActivated.connect(self.edited.emit)
        line = self.combo.lineEdit()
        if line is not None:
            line.textEdited.connect(lambda text: self.edited.emit(text or None))
            line.setPlaceholderText(range_text(parameter))
            self.offer_macros(line)

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


class FileField(TextField):
    """The path of a file, typed or chosen; relative to the process file where that is possible."""

    def __init__(self, parameter: Parameter, around: FieldContext) -> None:
        super().__init__(parameter, around)
        self.line.addWidget(button("…", tr("Choose a file"), self._choose))

    def _choose(self) -> None:
        folder = str(last_folder("table", self.around.folder))
        suffixes = self.parameter.file.suffixes if self.parameter.file else ()
        kinds = (
            f"({' '.join('*' + s for s in suffixes)});;{tr('All files')} (*)" if suffixes else ""
        )
        write = self.parameter.file is not None and self.parameter.file.write
        ask = QFileDialog.getSaveFileName if write else QFileDialog.getOpenFileName
        chosen, _ = ask(self, tr("Choose a file"), folder, kinds)
        if chosen:
            remember_folder("table", Path(chosen))
            self._tell(self._short(chosen))

    def _short(self, path: str) -> str:
        if self.around.folder is None:
            return path
        relative = Path(os.path.relpath(path, self.around.folder)).as_posix()
        return path if relative.startswith("../../..") else relative


FIELDS: dict[str, type[Field]] = {
    "boolean": BooleanField,
    "choice": ChoiceField,
    "attribute": AttributeField,
    "attributes": AttributesField,
    "file": FileField,
    "list": ListField,
    "pairs": PairsField,
}


def field_for(parameter: Parameter, value: Any, around: FieldContext) -> Field:
    """Return the field for a parameter; a value with a macro is shown as text."""
    if has_macro(value) and isinstance(value, str) and parameter.kind not in TEXTUAL:
        return TextField(parameter, around)
    place = around.operator, parameter.name
    special = BUILDERS.get(place) or READER_FIELDS.get(place)
    if special is not None:
        return special(parameter, around)
    if parameter.choices and parameter.kind in ("integer", "number", "text"):
        return ChoiceField(parameter, around)
    return FIELDS.get(parameter.kind, TextField)(parameter, around)
