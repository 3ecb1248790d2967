"""One parameter in the form: label, field, error message, and its menu."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QKeySequence, QPalette, QShortcut
from PyQt6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QMenu, QToolButton, QWidget

from fsops.core.checks.problems import Problem, Severity
from fsops.core.declare.parameters import Parameter, check_parameters, has_macro
from fsops.errors import ParameterError
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.panels.field import FieldContext, button
from fsops_gui.panels.fields import field_for

LOWER = 4
"""Offset of a label from its field: the texts are on one line."""
WITHOUT_TEXT = ("boolean", "choice", "pairs")
"""Kinds of parameters whose fields have no line in which a macro could be written."""


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
    """Return the error in a parameter, as a sentence, or an empty text."""
    if parameter.name not in given:
        if not (parameter.required and applies):
            return ""
        what = parameter.allowed()
        return tr("Must be set.") if what == "text" else tr("Must be set: {what}.", what=what)
    if has_macro(given[parameter.name]):
        return ""
    try:
        check_parameters([parameter], {parameter.name: given[parameter.name]})
    except ParameterError as error:
        return f"{error.message} {error.hint}".strip()
    return ""


def needs_text(parameter: Parameter, value: Any) -> bool:
    """Return whether a macro needs a line of text where the field has none."""
    return has_macro(value) and isinstance(value, str) and parameter.kind in WITHOUT_TEXT


WRONG, DOUBTFUL = "✖", "▲"
"""Signs as in the list of problems."""


class ParameterRow:
    """Label, field, reset button, and error message: one parameter."""

    def __init__(
        self, parameter: Parameter, value: Any, around: FieldContext, grid: QGridLayout
    ) -> None:
        self.parameter = parameter
        self.label = QLabel()
        self.label.setWordWrap(True)
        self.field = field_for(parameter, value, around)
        self.needs_text = needs_text(parameter, value)
        self.label.setBuddy(self.field)
        shown = self.field.default() or tr("empty")
        self.reset = QToolButton()
        self.reset.setText("↺")
        self.reset.setAutoRaise(True)
        words = tr("Back to the default: {value}", value=shown)
        self.reset.setToolTip(words)
        self.reset.setAccessibleName(f"{parameter.name}: {words}")
        self.more = button("⋮", tr("More about {name}", name=parameter.name), self.open_menu)
        self.menu = QMenu(self.more)
        self.more.setFixedWidth(18)
        self.more.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # each field is one step: Alt+Return
        self.reset.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        for key in ("Alt+Return", "Alt+Enter"):
            keys = QShortcut(QKeySequence(key), self.field)
            keys.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            keys.activated.connect(self.open_menu)
        self.fault = QLabel()
        self.fault.setWordWrap(True)
        self._text = QPalette.ColorRole.WindowText
        for widget in (self.label, self.field):
            widget.setToolTip(self.help())
            widget.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            widget.customContextMenuRequested.connect(lambda _point: self.open_menu())
        self._lay_out(grid)

    def _lay_out(self, grid: QGridLayout) -> None:
        row, wide = grid.rowCount(), self.field.wide
        self.ends = QWidget()
        line = QHBoxLayout(self.ends)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(0)
        line.addWidget(self.reset)
        line.addWidget(self.more)
        top = Qt.AlignmentFlag.AlignTop
        self.label.setContentsMargins(0, LOWER, 0, 0)
        aside = Qt.AlignmentFlag(0) if wide else top
        grid.addWidget(self.label, row, 0, 1, 2 if wide else 1, top)
        # Tab goes in the order of the children: the field, then the way back if there is one.
        grid.addWidget(self.field, row + wide, 0 if wide else 1, 1, 3 if wide else 1, aside)
        grid.addWidget(self.ends, row, 2, top | Qt.AlignmentFlag.AlignRight)
        grid.addWidget(self.fault, row + 1 + wide, 0, 1, 3)

    def add_action(self, words: str, act: Callable[[], object]) -> None:
        """Add something that can be done with the parameter."""
        action = self.menu.addAction(words)
        if action is not None:
            action.triggered.connect(lambda _on=False: act())

    def open_menu(self) -> None:
        """Open what can be done with the parameter."""
        self.menu.popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))

    def help(self) -> str:
        """Return the help of the parameter, as HTML."""
        p = self.parameter
        lines = [f"<b>{escape(p.name)}</b>: {escape(p.description)}"]
        if not p.choices:  # the field itself lists them
            allowed = p.allowed()
            lines.append(escape(f"{allowed[:1].upper()}{allowed[1:]}."))
        default = self.field.default()
        if default:
            lines.append(escape(tr("Default: {value}.", value=default)))
        if p.when:
            lines.append(escape(tr("Only if {condition}.", condition=p.when)))
        if p.required:
            lines.append(escape(tr("It must be set.")))
        return "<br>".join(lines)

    def update(
        self, given: Mapping[str, Any], *, applies: bool, expert: bool, told: Problem | None = None
    ) -> None:
        """Show the value, mark set parameters, and show errors, also those of a check."""
        name, value = self.parameter.name, given.get(self.parameter.name)
        is_set = name in given
        fault = fault_of(self.parameter, given, applies=applies)
        fault = fault or (self.field.fault(value) if applies and is_set else "")
        sign = WRONG if fault else ""
        if not fault and told is not None:
            fault, sign = told.message, WRONG if told.severity is Severity.ERROR else DOUBTFUL
        self.field.show_value(value)
        self._mark(is_set=is_set, sign=sign)
        self.fault.setText(f"{sign} {fault}" if fault else "")
        shown = (applies or is_set) and (expert or not self.parameter.expert or is_set)
        for widget in (self.label, self.field, self.ends):
            widget.setVisible(shown)
        self.reset.setVisible(shown and is_set)
        self.fault.setVisible(shown and bool(fault))

    def _mark(self, *, is_set: bool, sign: str) -> None:
        """Say by signs, not only by color: * must be set, • was set, ✖ is wrong, ▲ doubtful."""
        words = self.parameter.name.replace("_", " ")
        words += " *" if self.parameter.required else ""
        words += " •" if is_set else ""
        self.label.setText(f"{sign} {words}" if sign else words)
        font = self.label.font()
        font.setBold(self.parameter.required or is_set)
        self.label.setFont(font)
        for label in (self.label, self.fault):
            palette = QPalette()
            if sign == WRONG:
                palette.setColor(self._text, palette.color(QPalette.ColorRole.BrightText))
            elif sign:
                palette.setColor(self._text, current_colours().warning)
            label.setPalette(palette)

    @property
    def visible(self) -> bool:
        """Whether the parameter is shown."""
        return not self.field.isHidden()

    def holds(self, widget: QWidget | None) -> bool:
        """Return whether a widget belongs to the parameter."""
        return widget is not None and (
            widget in (self.label, self.ends)
            or self.field.isAncestorOf(widget)
            or self.ends.isAncestorOf(widget)
        )
