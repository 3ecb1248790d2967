"""Fields in which conditions and expressions are put together instead of being written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QComboBox,
    QDialog,
    QGridLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from fsops.core.declare.parameters import Parameter, has_macro
from fsops.data import Schema
from fsops.data.expression import Expression
from fsops.data.expression_values import FUNCTIONS
from fsops.errors import FsopsError
from fsops_gui.base.texts import tr
from fsops_gui.panels.attribute_choice import absent
from fsops_gui.panels.field import Field, FieldContext, TextField, button, is_list
from fsops_gui.panels.field_tables import PairsField
from fsops_gui.widgets.buttons import ok_and_cancel
from fsops_gui.widgets.combo import CalmCombo
from fsops_gui.widgets.word_completer import WORD, WordCompleter

NUMBERS = {"eq": "=", "ne": "≠", "lt": "<", "le": "≤", "gt": ">", "ge": "≥"}
TEXTS = {
    "equals": "is",
    "does_not_equal": "is not",
    "is_in": "is one of (;)",
    "is_not_in": "is none of (;)",
    "contains": "contains",
    "does_not_contain": "does not contain",
    "starts_with": "starts with",
    "ends_with": "ends with",
    "matches": "matches",
}
GAPS = {"is_missing": "is missing", "is_not_missing": "is not missing"}
RELATIONS = {**NUMBERS, **TEXTS, **GAPS}
SIGNS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_ENTRY = re.compile(rf"(.*?)\.({'|'.join(RELATIONS)})(?:\.(.*))?", re.DOTALL)
_PLAIN = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class Condition:
    """One comparison of an attribute."""

    attribute: str = ""
    relation: str = "equals"
    value: str = ""

    @classmethod
    def of_entry(cls, entry: str) -> Condition:
        """Return the meaning of an entry such as ``Age.gt.60``; an unreadable one is kept."""
        found = _ENTRY.fullmatch(entry)
        if found is None:
            return cls(entry, "", "")
        return cls(re.sub(r"\\([.\\])", r"\1", found[1]), found[2], found[3] or "")

    def entry(self) -> str:
        """Return it as Filter Examples takes it in its list."""
        if not self.relation:
            return self.attribute
        name = self.attribute.replace("\\", "\\\\").replace(".", "\\.")
        return f"{name}.{self.relation}" + ("" if self.relation in GAPS else f".{self.value}")

    def expression(self) -> str:
        """Return it as an expression."""
        name = attribute_word(self.attribute)
        if self.relation in GAPS:
            return f"missing({name})" if self.relation == "is_missing" else f"not missing({name})"
        if self.relation in SIGNS:
            return f"{name} {SIGNS[self.relation]} {self.value}"
        if self.relation in ("is_in", "is_not_in"):
            texts = [_quoted(part) for part in self.value.split(";") if part]
            sign, joint = ("==", " or ") if self.relation == "is_in" else ("!=", " and ")
            return f"({joint.join(f'{name} {sign} {text}' for text in texts)})"
        text = _quoted(self.value)
        if self.relation in ("contains", "does_not_contain"):
            negation = "" if self.relation == "contains" else "not "
            return f"{negation}contains({name}, {text})"
        if self.relation in ("starts_with", "ends_with"):
            return f"{self.relation.removesuffix('_with')}({name}, {text})"
        return f"{name} {'!=' if self.relation == 'does_not_equal' else '=='} {text}"


def attribute_word(name: str) -> str:
    """Return how an expression names an attribute."""
    return name if _PLAIN.fullmatch(name) and name not in FUNCTIONS else f"[{name}]"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def first_condition(around: FieldContext) -> Condition:
    """Return a condition to begin with, about the first attribute."""
    schema = around.schema()
    if schema is None or not len(schema):
        return Condition()
    attribute = schema.attribute(schema.names[0])
    return Condition(attribute.name, "equals" if attribute.value_type.is_nominal else "gt")


class ConditionLine(QWidget):
    """Attribute, comparison and value of one condition."""

    changed = pyqtSignal()
    removed = pyqtSignal(object)

    def __init__(self, around: FieldContext, relations: Sequence[str] = tuple(RELATIONS)) -> None:
        super().__init__()
        self._around = around
        self._relations = relations
        self.attribute, self.relation, self.value = CalmCombo(), CalmCombo(), CalmCombo()
        self.attribute.setEditable(True)
        self.attribute.setAccessibleName(tr("Attribute"))
        self.attribute.addItems(around.attributes()[:5000])
        self.relation.setAccessibleName(tr("Comparison"))
        self.relation.setMinimumContentsLength(6)
        self.value.setEditable(True)
        self.value.setMinimumContentsLength(6)
        self.value.setAccessibleName(tr("Value"))
        for combo in (self.attribute, self.value):
            combo.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        gone = button("−", tr("Remove the condition"), lambda: self.removed.emit(self))
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 4)
        grid.setSpacing(2)
        grid.addWidget(self.attribute, 0, 0, 1, 2)
        grid.addWidget(gone, 0, 2)
        grid.addWidget(self.relation, 1, 0)
        grid.addWidget(self.value, 1, 1, 1, 2)
        grid.setColumnStretch(1, 1)
        self.attribute.editTextChanged.connect(self._suit)
        for combo in (self.attribute, self.value):
            combo.editTextChanged.connect(lambda _text: self.changed.emit())
        self.relation.currentIndexChanged.connect(lambda _row: self._compared())

    def _schema(self) -> Schema | None:
        return self._around.schema()

    def _suit(self, name: str) -> None:
        """Offer the comparisons and values that suit the type of the attribute."""
        schema, kept, text = self._schema(), self.relation.currentData(), self.value.currentText()
        attribute = schema.attribute(name) if schema is not None and name in schema else None
        suited: Mapping[str, str] = RELATIONS
        if attribute is not None:
            suited = {**(TEXTS if attribute.value_type.is_nominal else NUMBERS), **GAPS}
        self.relation.blockSignals(True)
        self.relation.clear()
        for key, words in suited.items():
            if key in self._relations:
                self.relation.addItem(tr(words), key)
        self.relation.setCurrentIndex(max(self.relation.findData(kept), 0))
        self.relation.blockSignals(False)
        self.value.blockSignals(True)
        self.value.clear()
        self.value.addItems(attribute.categories[:200] if attribute is not None else ())
        self.value.setEditText(text)
        self.value.blockSignals(False)

    def _compared(self) -> None:
        self.value.setEnabled(self.relation.currentData() not in GAPS)
        self.changed.emit()

    def show_condition(self, condition: Condition) -> None:
        """Show a condition; no signal is emitted."""
        self.blockSignals(True)
        self.attribute.setEditText(condition.attribute)
        self._suit(condition.attribute)
        if self.relation.findData(condition.relation) < 0:
            words = RELATIONS.get(condition.relation, "")
            self.relation.addItem(words, condition.relation)
        self.relation.setCurrentIndex(self.relation.findData(condition.relation))
        self.value.setEditText(condition.value)
        self.value.setEnabled(condition.relation not in GAPS)
        self.blockSignals(False)

    def condition(self) -> Condition:
        """Return the choice."""
        return Condition(
            self.attribute.currentText(), self.relation.currentData() or "",
            self.value.currentText(),
        )  # fmt: skip


class Conditions(QWidget):
    """Lines of conditions, and a button for one more."""

    changed = pyqtSignal()

    def __init__(self, around: FieldContext, relations: Sequence[str] = tuple(RELATIONS)) -> None:
        super().__init__()
        self._around = around
        self._relations = relations
        self.lines: list[ConditionLine] = []
        self.add = QPushButton(tr("Add a condition"))
        self.add.clicked.connect(lambda _on: self._begin())
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(2)
        self._layout.addWidget(self.add)
        self.setFocusProxy(self.add)

    def _begin(self) -> None:
        self.append(first_condition(self._around))
        self.lines[-1].attribute.setFocus()
        self.changed.emit()

    def append(self, condition: Condition) -> None:
        """Add a line."""
        line = ConditionLine(self._around, self._relations)
        line.show_condition(condition)
        line.changed.connect(self.changed)
        line.removed.connect(self._remove)
        self.lines.append(line)
        self._layout.insertWidget(len(self.lines) - 1, line)

    def _remove(self, line: ConditionLine) -> None:
        self.lines.remove(line)
        self._layout.removeWidget(line)
        line.hide()
        line.deleteLater()
        self.changed.emit()

    def conditions(self) -> list[Condition]:
        """Return the conditions that name an attribute."""
        found = (line.condition() for line in self.lines)
        return [condition for condition in found if condition.attribute]

    def show_conditions(self, wanted: Sequence[Condition]) -> None:
        """Show other conditions, unless they are the same."""
        if list(wanted) == self.conditions():
            return
        while self.lines:
            line = self.lines.pop()
            self._layout.removeWidget(line)
            line.hide()
            line.deleteLater()
        for condition in wanted:
            self.append(condition)


class FiltersField(Field):
    """The list of conditions of Filter Examples."""

    wide = True

    def __init__(self, parameter: Parameter, around: FieldContext) -> None:
        super().__init__(parameter, around)
        self.conditions = Conditions(around)
        self.put(self.conditions)
        self.setFocusProxy(self.conditions.add)
        self.conditions.add.setAccessibleName(parameter.name)
        self.conditions.changed.connect(self._tell)

    def _tell(self) -> None:
        entries = [condition.entry() for condition in self.conditions.conditions()]
        self.edited.emit(entries or None)

    @staticmethod
    def _read(value: Any) -> list[Condition]:
        """Return the conditions of a value; RapidMiner gives each of them a key."""
        given = list(value.values()) if isinstance(value, Mapping) else value
        if isinstance(given, str):
            given = given.split(",")
        entries = [i[1] if is_list(i) and len(i) == 2 else i for i in given or ()]  # noqa: PLR2004
        return [Condition.of_entry(str(entry).strip()) for entry in entries]

    def show_value(self, value: Any) -> None:
        """Show the conditions."""
        self.conditions.show_conditions(self._read(value))

    def fault(self, value: Any) -> str:
        """Return the error of the first invalid condition."""
        schema = self.around.schema()
        for condition in self._read(value) if schema is not None else ():
            if has_macro(condition.attribute):
                continue
            gone = absent(schema, [condition.attribute])
            if gone:
                return gone
            if condition.relation in NUMBERS and not _may_be_compared(schema, condition):
                text = tr('{name}: "{value}" is not a number.')
                return text.format(name=condition.attribute, value=condition.value)
        return ""


def _may_be_compared(schema: Schema | None, condition: Condition) -> bool:
    """Return whether the value is a number where the attribute is one."""
    if schema is None or not schema.attribute(condition.attribute).value_type.is_numerical:
        return True
    try:
        float(condition.value)
    except ValueError:
        return has_macro(condition.value) or condition.value == "?"
    return True


class ExpressionField(TextField):
    """An expression: attributes and functions are offered, and errors are shown at once."""

    wide = True
    is_condition = False

    def __init__(self, parameter: Parameter, around: FieldContext) -> None:
        super().__init__(parameter, around)
        WordCompleter(self.edit, lambda: expression_words(around), WORD)

    def fault(self, value: Any) -> str:
        """Return the error in the expression, as far as the attributes are known."""
        if not isinstance(value, str) or not value or has_macro(value):
            return ""
        try:
            expression = Expression.parse(value)
            schema = self.around.schema()
            if schema is not None and self.is_condition:
                expression.check_condition(schema)
            elif schema is not None:
                expression.type_for(schema)
        except FsopsError as error:
            return f"{error.message} {error.hint}".strip()
        return ""


class ConditionField(ExpressionField):
    """An expression that is true or false, which can also be put together in a dialog."""

    is_condition = True

    def __init__(self, parameter: Parameter, around: FieldContext) -> None:
        super().__init__(parameter, around)
        self.line.addWidget(button("…", tr("Put the condition together"), self.build))

    def build(self) -> None:
        """Open the dialog; its result replaces the expression."""
        dialog = ConditionDialog(self.around, self)
        dialog.accepted.connect(lambda: self._tell(dialog.expression()))
        dialog.open()


class ConditionDialog(QDialog):
    """Conditions of which all, or at least one, must hold."""

    def __init__(self, around: FieldContext, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Condition"))
        self.joint = QComboBox()
        self.joint.addItem(tr("All of these must hold"), " and ")
        self.joint.addItem(tr("One of these must hold"), " or ")
        self.joint.setAccessibleName(tr("How the conditions are joined"))
        self.conditions = Conditions(around, [key for key in RELATIONS if key != "matches"])
        self.conditions.append(first_condition(around))
        self.shown = QLineEdit()
        self.shown.setReadOnly(True)
        self.shown.setAccessibleName(tr("The expression"))
        layout = QVBoxLayout(self)
        layout.addWidget(self.joint)
        layout.addWidget(self.conditions)
        layout.addStretch(1)
        layout.addWidget(QLabel(tr("This becomes the expression:")))
        layout.addWidget(self.shown)
        layout.addWidget(ok_and_cancel(self))
        self.joint.currentIndexChanged.connect(lambda _row: self._show())
        self.conditions.changed.connect(self._show)
        self.resize(420, 300)
        self._show()

    def expression(self) -> str:
        """Return the whole expression."""
        parts = [condition.expression() for condition in self.conditions.conditions()]
        joined: str = self.joint.currentData().join(parts)
        return joined

    def _show(self) -> None:
        self.shown.setText(self.expression())


class ExpressionsField(PairsField):
    """Names of new attributes with their expressions."""

    titles = ("Attribute", "Expression")

    def _words(self, column: int) -> Sequence[str]:
        return [*(expression_words(self.around) if column else ()), *self._macro_words()]

    def fault(self, value: Any) -> str:
        """Return the error of the first expression that cannot be calculated."""
        schema = self.around.schema()
        pairs = list(value.items()) if isinstance(value, Mapping) else list(value or ())
        for pair in pairs:
            if not is_list(pair) or has_macro(list(pair)):
                return ""
            name, words = str(pair[0]), str(pair[1])
            try:
                expression = Expression.parse(words)
                attribute = None if schema is None else expression.attribute_for(name, schema)
            except FsopsError as error:
                return f"{name}: {error.message} {error.hint}".strip()
            if schema is None or attribute is None:
                schema = None  # what follows may use it: only its form can be looked at
            else:
                known = name in schema
                schema = schema.replaced(attribute) if known else schema.appended([attribute])
        return ""


def expression_words(around: FieldContext) -> list[str]:
    """Return the words of an expression."""
    names = [attribute_word(name) for name in around.attributes()[:5000]]
    return [*names, *(f"{name}(" for name in FUNCTIONS)]


BUILDERS: Mapping[tuple[str, str], type[Field]] = {
    ("filter_examples", "filters_list"): FiltersField,
    ("filter_examples", "parameter_expression"): ConditionField,
    ("generate_attributes", "function_descriptions"): ExpressionsField,
}
"""Fields for single parameters, by operator and parameter."""
