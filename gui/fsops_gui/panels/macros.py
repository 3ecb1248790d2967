"""The macros of the process: their values, where they are used, and which operators set more."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QLabel, QVBoxLayout, QWidget

from fsops.core.checks.parameter_problems import macros_of
from fsops.core.declare.macros import macro_names
from fsops.core.graph.process import Process
from fsops.engine.macros import predefined_macros
from fsops.errors import enumerate_names
from fsops_gui.base.texts import tr
from fsops_gui.document.document import Document
from fsops_gui.panels.field_tables import RowsTable

PREDEFINED = tuple(predefined_macros(Process(), datetime.now(UTC)))
"""Macros that every process has."""


def uses_of(process: Process) -> dict[str, list[str]]:
    """Return the uses of each macro, as ``Operator.parameter``."""
    found: dict[str, list[str]] = {}
    for node in process.walk():
        for name, value in node.parameters.items():
            for macro in dict.fromkeys(macro_names(value)):
                found.setdefault(macro, []).append(f"{node.name}.{name}")
    return found


def setters_of(process: Process) -> dict[str, list[str]]:
    """Return the macros that each operator sets at the run, by the operator's name."""
    setters = (n for n in process.walk() if any(p.sets_macro for p in n.operator.parameters))
    found = {node.name: [m for m in macros_of(node) if m] for node in setters}
    return {name: macros for name, macros in found.items() if macros}


class MacrosEditor(QWidget):
    """A table of the macros of a process; every change can be undone."""

    said = pyqtSignal(str)

    def __init__(self, document: Document) -> None:
        super().__init__()
        self._document = document
        self.lines = RowsTable([tr("Macro"), tr("Value")], self._words, tr("Macros"))
        self.notes = QLabel()
        self.notes.setWordWrap(True)
        self.notes.setAccessibleName(tr("Where the macros are used"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.lines)
        layout.addWidget(self.notes)
        self.lines.changed.connect(self._set)
        self.show_macros()

    def _words(self, _column: int) -> Sequence[str]:
        return list(uses_of(self._document.process))

    def _set(self) -> None:
        rows = [
            (name.strip().removeprefix("%{").removesuffix("}"), value)
            for name, value in self.lines.rows()
        ]
        macros = {name: value for name, value in rows if name}

        def change(process: Process) -> None:
            process.macros = dict(macros)

        if macros != self._document.process.macros:
            self._document.edit(tr("Set macros"), change)

    def show_macros(self) -> None:
        """Show the macros as they are now."""
        process = self._document.process
        self.lines.show_rows(list(process.macros.items()))
        used, told = uses_of(process), []
        for name in process.macros:
            where = enumerate_names(used[name]) if name in used else tr("nothing")
            told.append(tr("%{{{name}}} is used by {where}.", name=name, where=where))
        setters = setters_of(process)
        for setter, names in setters.items():
            told.append(tr("{setter} sets {names}.", setter=setter, names=enumerate_names(names)))
        known = {*process.macros, *PREDEFINED, *(n for names in setters.values() for n in names)}
        unknown = [name for name in used if name not in known]
        if unknown:
            told.append(tr("Without a value: {names}.", names=enumerate_names(unknown)))
        self.notes.setText("\n".join(told) or tr("Write %{name} in a parameter to use a macro."))
