"""The dialog that asks for the label column of a table."""

from __future__ import annotations

from PyQt6.QtCore import QStringListModel, Qt
from PyQt6.QtWidgets import (
    QComboBox,
    QCompleter,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from fsops.core.checks.fixes import likely_labels
from fsops.data import Schema
from fsops.errors import enumerate_names
from fsops_gui.base.texts import tr

CLASSES = 6
"""Classes that are named."""


class LabelDialog(QDialog):
    """A list of the columns; the likely ones come first."""

    def __init__(self, file: str, rows: int | None, schema: Schema, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Which column is the label?"))
        self._schema = schema
        self.box = QComboBox()
        self.box.setEditable(True)
        self.box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.box.setModel(QStringListModel(_ordered(self._schema), self.box))
        self.box.setAccessibleName(tr("Column that is to be predicted"))
        completer = self.box.completer()
        if completer is not None:
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        self.about = QLabel()
        self.about.setWordWrap(True)
        kinds = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(kinds.Ok | kinds.Cancel)
        self.ok = buttons.button(kinds.Ok)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self.box.currentTextChanged.connect(self._tell)
        layout = QVBoxLayout(self)
        layout.addWidget(_wrapped(_question(file, rows, len(schema))))
        layout.addWidget(self.box)
        layout.addWidget(self.about)
        layout.addWidget(buttons)
        self.setMinimumWidth(420)
        self._tell(self.box.currentText())

    def label(self) -> str:
        """Return the column that was chosen."""
        return self.box.currentText()

    def _tell(self, name: str) -> None:
        """Describe the column."""
        is_column = name in self._schema
        if self.ok is not None:
            self.ok.setEnabled(is_column)
        if not is_column:
            self.about.setText(tr("There is no such column."))
            return
        attribute = self._schema.attribute(name)
        if attribute.value_type.is_nominal:
            classes = enumerate_names(attribute.categories, CLASSES)
            text = tr("{n} classes: {classes}.", n=len(attribute.categories), classes=classes)
        else:
            text = tr(
                "Numbers. A few distinct whole numbers, such as 0 and 1, are treated as classes."
            )
        self.about.setText(text)


def _ordered(schema: Schema) -> list[str]:
    """Return the columns; those with few categories and the last one are likely."""
    nominal = map(schema.attribute, schema.names_at(schema.regular_nominal))
    classes = [each.name for each in nominal if 2 <= len(each.categories) <= CLASSES]
    return list(dict.fromkeys([*likely_labels(schema), *classes, *schema.names]))


def _question(file: str, rows: int | None, columns: int) -> str:
    size = tr("{n:,} columns", n=columns)
    if rows is not None:
        size = tr("{rows:,} rows and {columns}", rows=rows, columns=size)
    return tr(
        "{file} has {size}, and no column name suggests the label. Choose it:",
        file=file,
        size=size,
    )


def _wrapped(text: str) -> QLabel:
    label = QLabel(text)
    label.setWordWrap(True)
    return label
