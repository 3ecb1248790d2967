"""Problems with the parameters of operators, and values that would be valid."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any

from fsops.core.checks.fixes import likely_labels
from fsops.core.checks.problems import Kind, Problem, QuickFix, SetMacro, SetParameter, Severity
from fsops.core.checks.propagation import Propagated, canonical
from fsops.core.declare.macros import expand, macro_names
from fsops.core.declare.parameters import Parameter, check_parameters, has_macro, value_text
from fsops.core.graph.process import Node
from fsops.core.graph.targets import find_target
from fsops.data import ExampleSetMetaData, Schema
from fsops.errors import DataError, ParameterError, closest, did_you_mean, enumerate_names


class ParameterProblems:
    """Looks at parameters, knowing what arrives at the operators and the values of macros."""

    def __init__(self, known: Propagated, macros: Mapping[str, str]) -> None:
        self.known = known
        self.macros = macros

    def of(self, node: Node) -> Iterator[Problem]:
        """Return the problems of an operator's parameters."""
        by_name = {parameter.name: parameter for parameter in node.operator.parameters}
        sound = dict(canonical(node))
        for name, value in canonical(node).items():
            if name not in by_name:
                sound.pop(name)
                yield self._unknown_parameter(node, name)
                continue
            problem = self._value(node, by_name[name], value)
            if problem is not None:
                sound.pop(name)
                yield problem
        try:
            # Without the faulty values, so that no fault is reported twice.
            check_parameters(node.operator.parameters, sound, partial=True)
        except ParameterError as error:
            # `when` may depend on a faulty value: then it is open whether a parameter is missing.
            if not any(name in canonical(node) and name not in sound for name in by_name):
                yield self._not_set(node, sound, error)

    def _not_set(self, node: Node, sound: Mapping[str, Any], error: ParameterError) -> Problem:
        """Say that a parameter must be set, with values that it may have."""
        # `check_parameters` starts this message with the name of the parameter.
        name = error.message.partition(" ")[0]
        parameter = next((p for p in node.operator.parameters if p.name == name), None)
        values: list[Any] = []
        if parameter is not None and name not in sound:
            values = [*parameter.examples, *parameter.choices]
            schema = self._schema(node)
            if parameter.kind == "attribute" and schema is not None:
                values = likely_labels(schema)
        fixes = tuple(_set(node, name, value) for value in values[:3])
        return Problem(Kind.BAD_PARAMETER, node.path, error.message, fixes=fixes, parameter=name)

    def _unknown_parameter(self, node: Node, name: str) -> Problem:
        known = [parameter.name for parameter in node.operator.parameters]
        hint = did_you_mean(name, known) or (
            f"There are {enumerate_names(known)}." if known else "It has no parameters."
        )
        remove = QuickFix(f"Remove {name}", (SetParameter(node.name, name, None),))
        renames = tuple(
            QuickFix(
                f"Rename it to {other}",
                (
                    SetParameter(node.name, other, node.parameters.get(name)),
                    SetParameter(node.name, name, None),
                ),
            )
            for other in closest(name, known)
        )
        text = f'There is no parameter "{name}". {hint}'
        return Problem(
            Kind.UNKNOWN_PARAMETER, node.path, text, fixes=(*renames, remove), parameter=name
        )

    def _value(self, node: Node, parameter: Parameter, value: Any) -> Problem | None:
        if any(f"%{{{name}}}" in str(value) for name in macros_for(node)):
            return None  # known only at the run
        try:
            if has_macro(value):
                value = expand(value, self.macros)
        except ParameterError as error:
            return self._unknown_macro(node, parameter, value, error)
        try:
            checked = parameter.check(value)
        except ParameterError as error:
            text = f"{error.message} {error.hint}".strip()
            return Problem(
                Kind.BAD_PARAMETER,
                node.path,
                text,
                fixes=self._better_values(node, parameter, value),
                parameter=parameter.name,
            )
        return self._inner(node, parameter, checked) or self._column(node, parameter, checked)

    def _unknown_macro(
        self, node: Node, parameter: Parameter, value: Any, error: ParameterError
    ) -> Problem:
        name = macro_names(value, without=self.macros)[0]
        fixes = []
        if isinstance(value, str):
            fixes = [
                QuickFix(
                    f"Use the macro {other}",
                    (
                        SetParameter(
                            node.name,
                            parameter.name,
                            value.replace(f"%{{{name}}}", f"%{{{other}}}"),
                        ),
                    ),
                )
                for other in closest(name, self.macros)
            ]
        text = "" if parameter.required else value_text(parameter.default)
        if text and not isinstance(parameter.default, list | tuple | Mapping):
            words = f"Add the macro {name} to the process, with the value {text}"
            fixes.append(QuickFix(words, (SetMacro(name, text),)))
        return Problem(
            # A warning only: the macro may be set on the command line.
            Kind.UNKNOWN_MACRO,
            node.path,
            f"{error.message} {error.hint}",
            Severity.WARNING,
            tuple(fixes),
            parameter.name,
        )

    def _inner(self, node: Node, parameter: Parameter, value: Any) -> Problem | None:
        """Say if a parameter names one of an inner operator that is not there."""
        for target in value if parameter.names_inner else ():
            try:
                find_target(node.subprocesses, target)
            except ParameterError as error:
                text = f"{parameter.name}: {error.message} {error.hint}".strip()
                return Problem(Kind.BAD_PARAMETER, node.path, text, parameter=parameter.name)
        return None

    def _better_values(self, node: Node, parameter: Parameter, value: Any) -> tuple[QuickFix, ...]:
        better: list[Any] = [*closest(str(value), parameter.choices)]
        if not parameter.required and parameter.default is not None:
            better.append(parameter.default)
        with_point = _with_decimal_point(parameter, value)
        if with_point is not None:
            better.insert(0, with_point)
        nearest = _within(parameter, value)
        if nearest is not None:
            better.append(nearest)
        # Values may be lists, which are not hashable: dict.fromkeys is not possible.
        different = [c for i, c in enumerate(better) if c not in better[:i]]
        return tuple(_set(node, parameter.name, choice) for choice in different)

    def _schema(self, node: Node) -> Schema | None:
        """Return the attributes of the first table that arrives at an operator, if known."""
        inputs = self.known.inputs.get(node.name, {}).values()
        meta = next((m for m in inputs if isinstance(m, ExampleSetMetaData)), None)
        return None if meta is None else meta.schema

    def _column(self, node: Node, parameter: Parameter, value: Any) -> Problem | None:
        """Say if a parameter names an attribute that the first table will not have."""
        if parameter.kind not in ("attribute", "attributes") or value is None:
            return None
        schema = self._schema(node)
        if schema is None or not _applies(node, parameter):
            return None
        names = [value] if isinstance(value, str) else list(value)
        absent = [name for name in names if name not in schema]
        if not absent:
            return None
        hint = did_you_mean(absent[0], schema.names) or (
            f"There are {enumerate_names(schema.names)}."
        )
        fixes = [
            QuickFix(
                f'Use "{close}"' if len(names) == 1 else f'Use "{close}" for "{absent[0]}"',
                (SetParameter(node.name, parameter.name, _replaced(value, absent[0], close)),),
            )
            for close in closest(absent[0], schema.names)
        ]
        if len(absent) < len(names):
            rest = [name for name in names if name in schema]
            words = f"Leave {enumerate_names(absent)} out"
            fixes.append(QuickFix(words, (SetParameter(node.name, parameter.name, rest),)))
        text = f"{parameter.name}: there is no attribute {enumerate_names(absent)}. {hint}"
        return Problem(
            Kind.MISSING_COLUMN, node.path, text, fixes=tuple(fixes), parameter=parameter.name
        )


def _applies(node: Node, parameter: Parameter) -> bool:
    """Return whether a parameter has any effect, as others are set; if that is open, not."""
    if parameter.when is None:
        return True
    try:
        values = check_parameters(node.operator.parameters, canonical(node), partial=True)
    except ParameterError:  # reported separately
        return False
    return parameter.when.holds(values)


def absent_column(node: Node, error: DataError, *, certain: bool) -> Problem:
    """Report a column that a file does not have, at the parameter that names it."""
    settings = dict(canonical(node))
    named = (name for name, value in settings.items() if _names(value, error.column))
    parameter = next(named, "")
    value = settings.get(parameter)
    fixes = [
        QuickFix(
            f'Set {parameter} to "{near}"'
            if isinstance(value, str)
            else f'Use "{near}" for "{error.column}"',
            (SetParameter(node.name, parameter, _replaced(value, error.column, near)),),
        )
        for near in (error.near if parameter else ())
    ]
    severity = Severity.ERROR if certain else Severity.WARNING
    text = f"{error.message} {error.hint}".strip()
    return Problem(Kind.MISSING_COLUMN, node.path, text, severity, tuple(fixes), parameter)


def _names(value: Any, column: str) -> bool:
    """Return whether a setting is the name of a column, or has it among others."""
    if isinstance(value, str):
        return value == column
    return isinstance(value, Container) and column in value


def _replaced(value: Any, old: str, new: str) -> Any:
    if isinstance(value, Mapping):
        return {new if name == old else name: what for name, what in value.items()}
    return new if isinstance(value, str) else [new if name == old else name for name in value]


def _set(node: Node, name: str, value: Any) -> QuickFix:
    shown = value_text(value) if not isinstance(value, list | tuple | Mapping) else str(value)
    return QuickFix(f"Set {name} to {shown}", (SetParameter(node.name, name, value),))


def _with_decimal_point(parameter: Parameter, value: Any) -> float | None:
    """Return a number that was written with a decimal comma, if it is allowed."""
    if parameter.kind != "number" or not isinstance(value, str) or value.count(",") != 1:
        return None
    try:
        number = float(value.replace(",", "."))
        check_parameters([parameter], {parameter.name: number}, partial=True)
    except (ValueError, ParameterError):
        return None
    return number


def _within(parameter: Parameter, value: Any) -> float | int | None:
    """Return the bound that a number is beyond, if the bound itself is allowed."""
    bounds = parameter.bounds or {}
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    low, high = bounds.get("ge"), bounds.get("le")
    if low is not None and number < low:
        return int(low) if parameter.kind == "integer" else low
    if high is not None and number > high:
        return int(high) if parameter.kind == "integer" else high
    return None


def macros_for(node: Node) -> Iterator[str]:
    """Return the macros set by the operators around, for what runs inside, and by setters."""
    around = node.process.owner
    while around is not None:
        yield from macros_of(around)
        around = around.process.owner
    for other in node.process.root.walk():
        # Operators with inner processes set macros for these only; setters set them for all.
        if not other.subprocesses:
            yield from macros_of(other)


def macros_of(node: Node) -> Iterator[str]:
    """Return the macros an operator sets: the value of a parameter, or the names in a list."""
    for parameter in node.operator.parameters:
        value = canonical(node).get(parameter.name, parameter.default)
        if parameter.sets_macro and isinstance(value, Mapping):
            yield from map(str, value)
        elif parameter.sets_macro:
            yield str(value)
