"""The parameters of the selected operator, as a form made from its declaration."""

from __future__ import annotations

from html import escape
from typing import Any

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QApplication,
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from fsops.core.checks.parameter_problems import macros_for
from fsops.core.checks.problems import Problem
from fsops.core.checks.propagation import Propagated, canonical
from fsops.core.graph.process import Node, Process
from fsops.data import ExampleSetMetaData, Schema
from fsops.editing.parameter_sweep import parts, vary
from fsops.errors import FsopsError
from fsops.plugins import plugins
from fsops_gui.base.texts import tr
from fsops_gui.canvas.tips import in_words
from fsops_gui.dialogs.parameter_sweep import ParameterSweepDialog
from fsops_gui.dialogs.preview import PreviewDialog, can_be_read
from fsops_gui.document.checker import Findings
from fsops_gui.document.document import Document
from fsops_gui.document.undo_steps import Change
from fsops_gui.panels.field import FieldContext, button
from fsops_gui.panels.macros import PREDEFINED, MacrosEditor
from fsops_gui.panels.parameter_row import ParameterRow, fault_of, needs_text, values_of

__all__ = ["ParametersPanel", "ParameterRow", "fault_of", "values_of"]


class ParametersPanel(QWidget):
    """The form of one operator; with none selected, that of the process."""

    said = pyqtSignal(str)

    def __init__(self, document: Document) -> None:
        super().__init__()
        self.document = document
        self.name: str | None = None
        self.rows: dict[str, ParameterRow] = {}
        self.known = Propagated()
        self._findings: Findings | None = None
        self.macros: MacrosEditor | None = None
        self._operator: object = None
        self._shown = document.process
        self.title = _wrapped("")
        self.reset_all = button("↺", tr("Set all parameters back to their defaults"), self._reset)
        self.expected = _wrapped("")
        self.expected.setAccessibleName(tr("Preview"))
        self.expert = QCheckBox(tr("Show expert parameters"))
        self.expert.toggled.connect(lambda _on: self.refresh())
        self.help = _wrapped("")
        self.help.setAccessibleName(tr("About the parameter"))
        self.help.setTextFormat(Qt.TextFormat.RichText)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        top = QHBoxLayout()
        top.addWidget(self.title, 1)
        top.addWidget(self.reset_all, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 8, 8, 6)  # in line with the title of the panel
        layout.addLayout(top)
        layout.addWidget(self.expected)
        layout.addWidget(self._scroll, 1)
        layout.addWidget(self.expert)
        layout.addWidget(self.help)
        document.changed.connect(self._follow)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._show_help)
        self._build()

    def show_operator(self, name: str | None) -> None:
        """Show the parameters of an operator."""
        if name != self.name:
            self._finish_typing()
            self.name = name
            self._build()

    def _finish_typing(self) -> None:
        """Let a cell that is being written set its text, at the operator that it belongs to.

        While another process comes there may be no such operator, so the text is dropped.
        """
        form, field = self._scroll.widget(), QApplication.focusWidget()
        if self._shown is not self.document.process or form is None or field is None:
            return
        if form.isAncestorOf(field):
            field.clearFocus()

    def show_field(self, parameter: str) -> None:
        """Bring a parameter into sight and put the cursor there."""
        row = self.rows.get(parameter)
        if row is None:
            return
        if row.parameter.expert and not row.visible:
            self.expert.setChecked(True)
        form = self._scroll.widget()
        layout = None if form is None else form.layout()
        if layout is not None:
            layout.activate()  # a field that was hidden has no place yet
        self._scroll.ensureWidgetVisible(row.field)
        row.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_findings(self, findings: Findings) -> None:
        """Apply the results of a check: the inputs, and errors in parameters."""
        self._findings = findings
        self.set_known(findings.known)

    def _told(self, node: Node) -> dict[str, Problem]:
        """Return the results of the last check for the parameters of an operator."""
        found = self._findings
        if found is None or found.process is not self.document.process:
            return {}  # it is about what was before
        return {p.parameter: p for p in found.problems if p.path == node.path}

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
        is_process = self.name is None and self._operator is None
        if not is_process and (node is None or node.operator is not self._operator):
            self.name = node.name if node else None
            self._build()
        else:
            self.refresh()

    # --- what the fields ask for ------------------------------------------------------------

    def schema(self) -> Schema | None:
        """Return the attributes that arrive at the operator; of a reader, those that it reads."""
        given = self.known.inputs.get(self.name or "", {})
        told = given or self.known.outputs.get(self.name or "", {})
        for meta in told.values():
            if isinstance(meta, ExampleSetMetaData) and meta.schema is not None:
                return meta.schema
        return None

    def attributes(self) -> list[str]:
        """Return the names of the attributes that arrive at the operator."""
        schema = self.schema()
        return [] if schema is None else list(schema.names)

    def macro_names(self) -> list[str]:
        """Return the macros that a value may contain here."""
        node = self._node()
        set_elsewhere = [] if node is None else list(macros_for(node))
        names = [*self.document.process.macros, *set_elsewhere, *PREDEFINED]
        return list(dict.fromkeys(name for name in names if name))

    def targets(self) -> list[str]:
        """Return the parameters of inner operators, as loops over values name them."""
        node = self._node()
        inner = [] if node is None else [n for sub in node.subprocesses for n in sub.walk()]
        return [f"{n.name}.{p.name}" for n in inner for p in n.operator.parameters]

    # --- building ---------------------------------------------------------------------------

    def _build(self) -> None:
        form = QWidget()
        grid = QGridLayout(form)
        grid.setContentsMargins(0, 0, 4, 0)
        grid.setHorizontalSpacing(4)
        grid.setColumnStretch(0, 2)
        grid.setColumnStretch(1, 3)
        grid.setVerticalSpacing(4)
        self.rows = {}
        self.macros = None
        node = self._node()
        self._operator = node.operator if node else None
        if node is None:
            self._build_process(grid)
        else:
            self._build_operator(node, grid)
        grid.setRowStretch(grid.rowCount(), 1)
        old = self._scroll.takeWidget()
        if old is not None:  # it may be the one that has told of an edit: it goes later
            for silenced in old.findChildren(QWidget):
                silenced.blockSignals(True)  # a cell that loses the focus would set its text
            old.hide()
            old.deleteLater()
        self._scroll.setWidget(form)
        self.help.hide()
        self.refresh()

    def _build_operator(self, node: Node, grid: QGridLayout) -> None:
        around = FieldContext(
            self.schema,
            self.document.process.folder,
            self.macro_names,
            self.targets,
            node.operator.key,
        )
        given = canonical(node)
        for parameter in node.operator.parameters:
            row = ParameterRow(parameter, given.get(parameter.name), around, grid)
            self.rows[parameter.name] = row
            self._connect(row, parameter.name)
        if node.operator.is_placeholder:
            words = [f"{name} = {value}" for name, value in node.parameters.items()]
            kept = tr("This operator is not installed. Its settings are kept:")
            grid.addWidget(_wrapped("\n".join([kept, *words])), 0, 0, 1, 3)
        elif not self.rows:
            grid.addWidget(_wrapped(tr("This operator has no parameters.")), 0, 0, 1, 3)

    def _connect(self, row: ParameterRow, name: str) -> None:
        row.field.edited.connect(lambda value: self._set(name, value))
        row.reset.clicked.connect(lambda _on=False: self._set(name, None))
        row.add_action(tr("Back to the default"), lambda: self._set(name, None))
        row.add_action(tr("Vary this parameter…"), lambda: self.open_vary(name))
        row.add_action(tr("Write a macro…"), lambda: self._write_macro(name))
        node = self._node()
        if node is not None and row.parameter.file is not None and can_be_read(node):
            row.add_action(tr("Preview…"), self.open_preview)

    def _build_process(self, grid: QGridLayout) -> None:
        seed = QSpinBox()
        seed.setRange(-1, 2**31 - 1)
        seed.setValue(self.document.process.seed)
        seed.setAccessibleName(tr("Random seed"))
        seed.setObjectName("seed")
        seed.valueChanged.connect(self._set_seed)
        grid.addWidget(QLabel(tr("random seed")), 0, 0)
        grid.addWidget(seed, 0, 1)
        grid.addWidget(QLabel(tr("macros")), 1, 0, 1, 2)
        self.macros = MacrosEditor(self.document)
        grid.addWidget(self.macros, 2, 0, 1, 2)

    def _set_seed(self, value: int) -> None:
        def change(process: Process) -> None:
            process.seed = value

        self.document.edit(tr("Set the random seed"), change, merge="seed")

    # --- editing ----------------------------------------------------------------------------

    def _set(self, parameter: str, value: Any) -> None:
        if self.name is not None:
            self.document.set_parameter(self.name, parameter, value)

    def _reset(self) -> None:
        name, rows = self.name, list(self.rows)
        if name is None:
            return

        def change(process: Process) -> None:
            for parameter in rows:
                process.find(name).set_parameter(parameter, None)

        self.document.edit(tr("Set {name} back to the defaults", name=name), change)

    def _write_macro(self, parameter: str) -> None:
        """Put the beginning of a macro into a field, whatever kind it is."""
        self._set(parameter, "%{}")
        row = self.rows.get(parameter)
        if row is not None:
            row.field.setFocus()
            edit = getattr(row.field, "edit", None)
            if edit is not None:
                edit.setCursorPosition(2)

    def open_preview(self) -> None:
        """Show the table that the operator reads."""
        node = self._node()
        if node is not None:
            PreviewDialog(node, self).open()

    def open_vary(self, parameter: str) -> None:
        """Ask for values, and put the operator into a loop over them."""
        node = self._node()
        if node is None:
            return
        name = node.name
        dialog = ParameterSweepDialog(
            node.operator.parameter(parameter), parts(self.document.process, name), self
        )

        def wrap() -> None:
            operator = plugins().registry[dialog.operator()]
            part, values = dialog.chosen_part(), dialog.values()
            try:
                self.document.edit(
                    tr("Vary {name}", name=parameter),
                    lambda p: vary(p, part, f"{name}.{parameter}", values, operator),
                )
            except FsopsError as error:
                self.said.emit(str(error))

        dialog.accepted.connect(wrap)
        dialog.open()

    # --- showing ----------------------------------------------------------------------------

    def refresh(self) -> None:
        """Show the values as they are now."""
        self._shown = self.document.process
        node = self._node()
        if node is None:
            self._refresh_process()
            return
        given = canonical(node)
        for name, row in self.rows.items():
            value = given.get(name)
            wanted = needs_text(row.parameter, value)
            typing = value is not None and row.field.isAncestorOf(QApplication.focusWidget())
            if row.needs_text != wanted and (wanted or not typing):
                self._build()  # a macro needs a line of text, whatever the field was
                return
        kind = "" if node.operator.title == node.name else f"<br>{escape(node.operator.title)}"
        self.title.setText(f"<b>{escape(node.name)}</b>{kind}")
        values, told = values_of(node.operator.parameters, given), self._told(node)
        for name, row in self.rows.items():
            when = row.parameter.when
            applies = when is None or when.holds(values)
            row.update(
                given,
                applies=applies,
                expert=self.expert.isChecked(),
                told=told.get(name),
            )
        experts = sum(not row.visible and row.parameter.expert for row in self.rows.values())
        total = sum(parameter.expert for parameter in node.operator.parameters)
        shown = tr("Show expert parameters ({n})", n=experts or total)
        self.expert.setText(shown if not self.expert.isChecked() else tr("Expert parameters"))
        self.expert.setVisible(bool(total))
        self.reset_all.setVisible(any(name in given for name in self.rows))
        self._show_expected(node)

    def _refresh_process(self) -> None:
        self.title.setText(f"<b>{tr('Process')}</b>")
        for widget in (self.expert, self.reset_all, self.expected):
            widget.hide()
        seed = self.findChild(QSpinBox, "seed")
        if seed is not None and seed.value() != self.document.process.seed:
            seed.blockSignals(True)
            seed.setValue(self.document.process.seed)
            seed.blockSignals(False)
        if self.macros is not None:
            self.macros.show_macros()

    def _show_expected(self, node: Node) -> None:
        """Show a short preview of the table of a reader."""
        told = self.known.outputs.get(node.name, {}) if not node.operator.inputs else {}
        words = [in_words(m) for m in told.values() if isinstance(m, ExampleSetMetaData)]
        self.expected.setText(tr("Expected: {words}", words=words[0]) if words else "")
        self.expected.setVisible(bool(words))

    def _show_help(self, _old: QWidget | None, new: QWidget | None) -> None:
        """Show below the form the help of the field with the focus."""
        row = next((row for row in self.rows.values() if row.holds(new)), None)
        if row is not None:
            self.help.setText(row.help())
            self.help.show()


def _wrapped(text: str) -> QLabel:
    label = QLabel(text)
    label.setWordWrap(True)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
    return label
