"""The parameters of the selected operator, as a form made from its declaration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QPalette
from PyQt6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QLabel,
    QScrollArea,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from fsops.core.parameters import Parameter, check_parameters, has_macro
from fsops.core.process import Node, Process
from fsops.core.propagation import Propagated, canonical
from fsops.data import ExampleSetMetaData
from fsops.errors import ParameterError
from fsops_gui.document import Change, Document
from fsops_gui.panels.fields import Surroundings, field_for
from fsops_gui.texts import tr


def values_of(parameters: Sequence[Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values in force, for conditions between parameters; faulty ones are left out."""
    sound = {}
    for parameter in parameters:
        if parameter.name in given and not has_macro(given[parameter.name]):
            try:
                sound[parameter.name] = parameter.check(given[parameter.name])
            except ParameterError:
                continue
        elif not parameter.required:
            sound[parameter.name] = parameter.default
    return sound


def fault_of(parameter: Parameter, given: Mapping[str, Any], *, applies: bool) -> str:
    """Return what is wrong with a parameter, as a sentence, or an empty text."""
    if parameter.name not in given:
        missing = parameter.required and applies
        return tr("Must be set: {what}.", what=parameter.allowed()) if missing else ""
    if has_macro(given[parameter.name]):
        return ""
    try:
        check_parameters([parameter], {parameter.name: given[parameter.name]})
    except ParameterError as error:
        return f"{error.message} {error.hint}".strip()
    return ""


class Row:
    """Label, field, way back to the default, and what is wrong: one parameter."""

    def __init__(
        self, parameter: Parameter, value: Any, around: Surroundings, grid: QGridLayout
    ) -> None:
        self.parameter = parameter
        self.label = QLabel(parameter.name.replace("_", " "))
        self.label.setWordWrap(True)
        self.field = field_for(parameter, value, around)
        self.label.setBuddy(self.field)
        self.reset = QToolButton()
        self.reset.setText("↺")
        self.reset.setAutoRaise(True)
        shown = self.field.default() or tr("empty")
        words = tr("Back to the default: {value}", value=shown)
        self.reset.setToolTip(words)
        self.reset.setAccessibleName(f"{parameter.name}: {words}")
        self.fault = QLabel()
        self.fault.setWordWrap(True)
        palette = self.fault.palette()
        palette.setColor(
            QPalette.ColorRole.WindowText, palette.color(QPalette.ColorRole.BrightText)
        )
        self.fault.setPalette(palette)
        when = f"\n{tr('Only if {condition}.', condition=parameter.when)}" if parameter.when else ""
        help_text = f"{parameter.name}: {parameter.description}\n{parameter.allowed()}{when}"
        for widget in (self.label, self.field):
            widget.setToolTip(help_text)
        row = grid.rowCount()
        wide = self.field.wide
        grid.addWidget(self.label, row, 0, 1, 2 if wide else 1, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(self.reset, row, 2, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(self.field, row + wide, 0 if wide else 1, 1, 3 if wide else 1)
        grid.addWidget(self.fault, row + 1 + wide, 0, 1, 3)

    def update(self, given: Mapping[str, Any], *, applies: bool, expert: bool) -> None:
        """Show the value, mark what was set, and say what is wrong."""
        name = self.parameter.name
        is_set = name in given
        fault = fault_of(self.parameter, given, applies=applies)
        self.field.show_value(given.get(name))
        mark = " •" if is_set else ""
        self.label.setText(name.replace("_", " ") + mark)
        font = self.label.font()
        font.setBold(self.parameter.required or is_set)
        self.label.setFont(font)
        self.fault.setText(f"✖ {fault}" if fault else "")
        shown = (applies or is_set) and (expert or not self.parameter.expert or is_set)
        for widget in (self.label, self.field):
            widget.setVisible(shown)
        self.reset.setVisible(shown and is_set)
        self.fault.setVisible(shown and bool(fault))

    @property
    def visible(self) -> bool:
        """Whether the parameter is shown."""
        return not self.field.isHidden()


class ParametersPanel(QWidget):
    """The form of one operator; with none selected, that of the process."""

    said = pyqtSignal(str)

    def __init__(self, document: Document) -> None:
        super().__init__()
        self.document = document
        self.name: str | None = None
        self.rows: dict[str, Row] = {}
        self.known = Propagated()
        self._operator: object = None
        self.title = QLabel()
        self.title.setWordWrap(True)
        self.expert = QCheckBox(tr("Show expert parameters"))
        self.expert.toggled.connect(lambda _on: self.refresh())
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 6, 6, 6)
        for widget in (self.title, self._scroll, self.expert):
            layout.addWidget(widget)
        document.changed.connect(self._follow)
        self._build()

    def show_operator(self, name: str | None) -> None:
        """Show the parameters of an operator."""
        if name != self.name:
            self.name = name
            self._build()

    def set_known(self, known: Propagated) -> None:
        """Take over what arrives at the operators, for the choice of attributes."""
        self.known = known
        self.refresh()

    def _node(self) -> Node | None:
        found = (n for n in self.document.process.walk() if n.name == self.name)
        return next(found, None)

    def _follow(self, change: Change) -> None:
        self.name = change.renamed.get(self.name or "", self.name)
        node = self._node()
        if node is None or node.operator is not self._operator:
            self.name = node.name if node else None
            self._build()
        else:
            self.refresh()

    def attributes(self) -> list[str]:
        """Return the names of the attributes that arrive at the operator."""
        for meta in self.known.inputs.get(self.name or "", {}).values():
            if isinstance(meta, ExampleSetMetaData) and meta.schema is not None:
                return list(meta.schema.names)
        return []

    # --- building ---------------------------------------------------------------------------

    def _build(self) -> None:
        form = QWidget()
        grid = QGridLayout(form)
        grid.setColumnStretch(0, 2)
        grid.setColumnStretch(1, 3)
        grid.setVerticalSpacing(4)
        self.rows = {}
        node = self._node()
        self._operator = node.operator if node else None
        if node is None:
            self._build_process(grid)
        else:
            self._build_operator(node, grid)
        grid.setRowStretch(grid.rowCount(), 1)
        self._scroll.setWidget(form)
        self.refresh()

    def _build_operator(self, node: Node, grid: QGridLayout) -> None:
        around = Surroundings(self.attributes, self.document.process.folder)
        given = canonical(node)
        for parameter in node.operator.parameters:
            row = Row(parameter, given.get(parameter.name), around, grid)
            self.rows[parameter.name] = row
            row.field.edited.connect(lambda value, n=parameter.name: self._set(n, value))
            row.reset.clicked.connect(lambda _on=False, n=parameter.name: self._set(n, None))
        if node.operator.is_placeholder:
            words = [f"{name} = {value}" for name, value in node.parameters.items()]
            kept = tr("This operator is not installed. Its settings are kept:")
            grid.addWidget(_wrapped("\n".join([kept, *words])), 0, 0, 1, 3)
        elif not self.rows:
            grid.addWidget(_wrapped(tr("This operator has no parameters.")), 0, 0, 1, 3)

    def _build_process(self, grid: QGridLayout) -> None:
        seed = QSpinBox()
        seed.setRange(-1, 2**31 - 1)
        seed.setValue(self.document.process.seed)
        seed.setAccessibleName(tr("Random seed"))
        seed.setObjectName("seed")
        seed.valueChanged.connect(self._set_seed)
        grid.addWidget(QLabel(tr("random seed")), 0, 0)
        grid.addWidget(seed, 0, 1)

    def _set_seed(self, value: int) -> None:
        def change(process: Process) -> None:
            process.seed = value

        self.document.edit(tr("Set the random seed"), change, merge="seed")

    def _set(self, parameter: str, value: Any) -> None:
        if self.name is not None:
            self.document.set_parameter(self.name, parameter, value)

    # --- showing ----------------------------------------------------------------------------

    def refresh(self) -> None:
        """Show the values as they are now."""
        node = self._node()
        if node is None:
            self.title.setText(f"<b>{tr('Process')}</b>")
            self.expert.hide()
            seed = self.findChild(QSpinBox, "seed")
            if seed is not None and seed.value() != self.document.process.seed:
                seed.blockSignals(True)
                seed.setValue(self.document.process.seed)
                seed.blockSignals(False)
            return
        kind = "" if node.operator.title == node.name else f"<br>{node.operator.title}"
        self.title.setText(f"<b>{node.name}</b>{kind}")
        given = canonical(node)
        values = values_of(node.operator.parameters, given)
        for row in self.rows.values():
            when = row.parameter.when
            applies = when is None or when.holds(values)
            row.update(given, applies=applies, expert=self.expert.isChecked())
        experts = sum(parameter.expert for parameter in node.operator.parameters)
        self.expert.setText(tr("Show expert parameters ({n})", n=experts))
        self.expert.setVisible(bool(experts))


def _wrapped(text: str) -> QLabel:
    label = QLabel(text)
    label.setWordWrap(True)
    return label
