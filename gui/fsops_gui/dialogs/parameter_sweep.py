"""The dialog that asks for the values of a parameter to try."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QRadioButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from fsops.core.declare.parameters import Parameter, value_text
from fsops.editing.parameter_sweep import LOOP, SEARCH, Part, checked_values, refusal
from fsops_gui.base.texts import tr
from fsops_gui.widgets.buttons import ok_and_cancel

SHOWN = 8
"""How many values are shown."""
STEPS = 10


class ParameterSweepDialog(QDialog):
    """Values, the operator to run for each of them, and the use of the results."""

    def __init__(self, parameter: Parameter, parts: Sequence[Part], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        name = parameter.name.replace("_", " ")
        self.setWindowTitle(tr("Vary {name}", name=name))
        self._parameter = parameter
        self._parts = parts
        numbers = parameter.kind in ("integer", "number")
        self.by_list = QRadioButton(tr("These values, separated by commas"))
        self.by_range = QRadioButton(tr("A range"))
        self.list = QLineEdit(self._suggested())
        self.list.setAccessibleName(tr("Values"))
        self.low, self.high = QLineEdit(), QLineEdit()
        self.low.setPlaceholderText(tr("from"))
        self.high.setPlaceholderText(tr("to"))
        self.low.setAccessibleName(tr("from"))
        self.high.setAccessibleName(tr("to"))
        self.steps = QSpinBox()
        self.steps.setRange(1, 1000)
        self.steps.setValue(STEPS)
        self.steps.setAccessibleName(tr("steps"))
        self.scale = QComboBox()
        for scale in ("linear", "quadratic", "logarithmic"):
            self.scale.addItem(tr(scale), scale)
        self.scale.setAccessibleName(tr("Scale"))
        self.part = QComboBox()
        self.part.addItems([part.words for part in parts])
        self.aim = QComboBox()
        self.aim.addItem(tr("a table of all values (Loop Parameters)"), LOOP)
        self.aim.addItem(tr("the best value (Optimize Parameters)"), SEARCH)
        self.told = QLabel()
        self.told.setWordWrap(True)
        self.buttons = ok_and_cancel(self)
        self._lay_out(numbers)
        self.by_list.setChecked(True)
        for edit in (self.list, self.low, self.high):
            edit.textChanged.connect(self._judge)
        for button in (self.by_list, self.by_range):
            button.toggled.connect(self._judge)
        self.steps.valueChanged.connect(self._judge)
        for combo in (self.scale, self.part, self.aim):
            combo.currentIndexChanged.connect(self._judge)
        self._judge()

    def _suggested(self) -> str:
        p = self._parameter
        if p.kind == "boolean":
            return "false, true"
        if p.choices:
            return ", ".join(p.choices)
        return "" if p.required or p.default is None else value_text(p.default)

    def _lay_out(self, numbers: bool) -> None:
        layout = QVBoxLayout(self)
        layout.addWidget(self.by_list)
        layout.addWidget(self.list)
        between = QWidget()
        line = QHBoxLayout(between)
        line.setContentsMargins(0, 0, 0, 0)
        for widget in (self.low, self.high, QLabel(tr("steps")), self.steps, self.scale):
            line.addWidget(widget)
        layout.addWidget(self.by_range)
        layout.addWidget(between)
        self.by_range.setVisible(numbers)
        between.setVisible(numbers)
        form = QFormLayout()
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        form.addRow(tr("For each value run"), self.part)
        form.addRow(tr("Give"), self.aim)
        layout.addLayout(form)
        layout.addWidget(self.told)
        layout.addWidget(self.buttons)
        for edit in (self.low, self.high):
            edit.textEdited.connect(lambda _text: self.by_range.setChecked(True))
        self.list.textEdited.connect(lambda _text: self.by_list.setChecked(True))
        self.resize(460, 300)

    def values(self) -> str:
        """Return the values as the operators take them."""
        if self.by_list.isChecked():
            return self.list.text().strip()
        low, high = self.low.text().strip(), self.high.text().strip()
        return f"[{low};{high};{self.steps.value()};{self.scale.currentData()}]"

    def chosen_part(self) -> Part:
        """Return the operator to run for each value."""
        return self._parts[self.part.currentIndex()]

    def operator(self) -> str:
        """Return the key of the operator that tries the values."""
        key: str = self.aim.currentData()
        return key

    def _judge(self) -> None:
        """Show the values to try, or the error."""
        fault = refusal(self._parameter, self.values())
        if not fault and self.operator() == SEARCH and not self.chosen_part().measures:
            fault = tr("To find the best value, the repeated operator must return a performance.")
        if fault:
            self.told.setText(f"✖ {fault}")
        else:
            tried = checked_values(self._parameter, self.values())
            shown = ", ".join(value_text(v) for v in tried[:SHOWN])
            more = ", …" if len(tried) > SHOWN else ""
            words = tr("1 value: {shown}") if len(tried) == 1 else tr("{n} values: {shown}")
            self.told.setText(words.format(n=len(tried), shown=shown + more))
        ok = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        if ok is not None:
            ok.setEnabled(not fault)
