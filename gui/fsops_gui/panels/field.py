"""The base of all fields of the form, and the plain one: a line of text.

A field shows a text (or a list) as a process file has it, and reports the user's changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QHBoxLayout, QLineEdit, QToolButton, QWidget

from fsops.core.declare.parameters import Parameter, value_text
from fsops.data import Schema
from fsops_gui.widgets.word_completer import MACRO, WordCompleter


def _no_schema() -> Schema | None:
    return None


@dataclass(frozen=True)
class FieldContext:
    """Information for a field."""

    schema: Callable[[], Schema | None] = _no_schema
    """The attributes that arrive at the operator, as far as they are known."""
    folder: Path | None = None
    """Where relative paths begin."""
    macros: Callable[[], Sequence[str]] = tuple
    """Names of the macros that a value may contain."""
    targets: Callable[[], Sequence[str]] = tuple
    """Parameters of inner operators, such as SVM.C."""
    operator: str = ""
    """The key of the operator."""

    def attributes(self) -> list[str]:
        """Return the names of the attributes that arrive."""
        schema = self.schema()
        return [] if schema is None else list(schema.names)


def range_text(parameter: Parameter) -> str:
    """Return the bounds in few signs, for the field itself."""
    bounds = parameter.bounds or {}
    low = f"{bounds['ge']:g}" if "ge" in bounds else ""
    high = f"{bounds['le']:g}" if "le" in bounds else ""
    if low and high:
        return f"{low} … {high}"
    signs = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}
    return ", ".join(f"{signs[name]} {value:g}" for name, value in bounds.items())


class Field(QWidget):
    """The base of all fields."""

    edited = pyqtSignal(object)
    """The value as the user left it; None takes the setting back."""
    wide = False
    """Whether it needs a separate line."""

    def __init__(self, parameter: Parameter, around: FieldContext) -> None:
        super().__init__()
        self.parameter = parameter
        self.around = around
        self.line = QHBoxLayout(self)
        self.line.setContentsMargins(0, 0, 0, 0)
        self.line.setSpacing(2)

    def show_value(self, value: Any) -> None:
        """Show a value; None stands for the default."""
        raise NotImplementedError

    def fault(self, value: Any) -> str:
        """Return what else is wrong with a value that has the right type; mostly nothing."""
        return ""

    def default(self) -> str:
        """Return the default as text."""
        p = self.parameter
        if p.required or p.default is None:
            return ""
        if isinstance(p.default, list | tuple):
            return ", ".join(map(value_text, p.default))
        if isinstance(p.default, dict):
            return ", ".join(f"{name} = {value_text(v)}" for name, v in p.default.items())
        return value_text(p.default)

    def put(self, widget: QWidget) -> None:
        """Add the widget that has the focus and the name for screen readers."""
        self.line.addWidget(widget, 1)
        self.setFocusProxy(widget)
        widget.setAccessibleName(self.parameter.name)
        widget.setAccessibleDescription(self.parameter.description)

    def offer_macros(self, edit: QLineEdit) -> None:
        """Offer the macros as soon as ``%{`` is typed."""
        WordCompleter(edit, self._macro_words, MACRO)

    def _macro_words(self) -> list[str]:
        return [f"%{{{name}}}" for name in self.around.macros()]


class TextField(Field):
    """Text and numbers; macros are allowed everywhere."""

    def __init__(self, parameter: Parameter, around: FieldContext) -> None:
        super().__init__(parameter, around)
        self.edit = QLineEdit()
        self.put(self.edit)
        self.offer_macros(self.edit)
        self.edit.setPlaceholderText(self._hint())
        self.edit.textEdited.connect(self._tell)

    def _hint(self) -> str:
        default, bounds = self.default(), range_text(self.parameter)
        if default:
            return f"{default}  ({bounds})" if bounds else default
        return bounds or (self.parameter.allowed() if self.parameter.kind != "text" else "")

    def _tell(self, text: str) -> None:
        # An empty field means the default, or that a text is empty where it may be.
        self.edited.emit(text if text or self.parameter.optional else None)

    def show_value(self, value: Any) -> None:
        """Show a value; text that is being typed is left alone if it means the same."""
        text = "" if value is None else value if isinstance(value, str) else value_text(value)
        if self.edit.text() != text:
            self.edit.setText(text)


def is_list(value: Any) -> bool:
    """Return whether a value is a list of values."""
    return isinstance(value, list | tuple)


def button(sign: str, words: str, act: Callable[[], object]) -> QToolButton:
    """Return a small button with a sign, and words for it."""
    made = QToolButton()
    made.setText(sign)
    made.setToolTip(words)
    made.setAccessibleName(words)
    made.setAutoRaise(True)
    made.clicked.connect(lambda _on: act())
    return made
