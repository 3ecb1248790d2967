"""Changes that a run makes to its process: parameters (``--set``) and macros (``--macro``)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fsops.core.declare.parameters import Parameter, has_macro, value_text
from fsops.core.declare.renames import warn_renamed
from fsops.core.graph.process import Node, Process
from fsops.errors import ParameterError, UsageError, did_you_mean, enumerate_names

SETTING_FORM = "Write it as Operator.parameter=value."
MOST_NAMED = 3
Settings = Mapping[str, Any] | Sequence[str]
"""By ``"Operator.parameter"``, or texts as on the command line: ``Operator.parameter=value``."""


@dataclass(frozen=True)
class Override:
    """A parameter that the run sets."""

    operator: str
    parameter: str
    value: Any


# --- macros ---------------------------------------------------------------------------------


def read_macros(macros: Mapping[str, Any] | Sequence[str]) -> dict[str, str]:
    """Return macros as texts; a text ``name=value`` is split."""
    if isinstance(macros, Mapping):
        return {name: value_text(value) for name, value in macros.items()}
    found = {}
    for text in macros:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(
                f'--macro "{text}" cannot be understood.', hint="Write it as name=value."
            )
        found[name.strip()] = value
    return found


def check_macros_used(process: Process, macros: Mapping[str, Any] | Sequence[str]) -> None:
    """Refuse a macro that no parameter uses: it is most likely a typing error."""
    label = "macros" if isinstance(macros, Mapping) else "--macro"
    texts = " ".join(str(node.parameters) for node in process.walk())
    used = {*re.findall(r"%\{([^{}]*)\}", texts), *process.macros}
    for name in read_macros(macros):
        if name not in used:
            hint = did_you_mean(name, used)
            raise UsageError(f"{label}: nothing in the process uses %{{{name}}}.", hint=hint)


# --- parameters -----------------------------------------------------------------------------


def apply_settings(process: Process, settings: Settings) -> list[Override]:
    """Set parameters of a process, and return them."""
    if isinstance(settings, Mapping):
        overrides = [_named_setting(process, *item) for item in settings.items()]
    else:
        overrides = [_read_setting(process, text) for text in settings]
    for override in overrides:
        node = process.find(override.operator)
        aliases = node.operator.aliases.parameters
        for name in [n for n in node.parameters if aliases.get(n, n) == override.parameter]:
            del node.parameters[name]
        node.parameters[override.parameter] = override.value
    return overrides


def _named_setting(process: Process, target: str, value: Any) -> Override:
    """Return the parameter that ``"Operator.parameter"`` names; it has no dot itself."""
    operator, _, name = target.rpartition(".")
    node = next((node for node in process.walk() if node.name == operator), None)
    if node is None:
        raise _unknown_operator(process, operator, f'set["{target}"]')
    return _override(node, name, value, f'set["{target}"]')


def _form_of(process: Process, text: str) -> str:
    """Return how a setting is written, with operators that have the parameter."""
    parameter, _, value = text.partition("=")
    names = [
        node.name
        for node in process.walk()
        if any(each.name == parameter.strip() for each in node.operator.parameters)
    ]
    meant = [f'"{name}.{parameter.strip()}={value}"' for name in names[:MOST_NAMED]]
    return f"{SETTING_FORM} Perhaps {' or '.join(meant)}." if meant else SETTING_FORM


def _read_setting(process: Process, text: str) -> Override:
    """Return the parameter that a text sets; the longest operator name that matches counts."""
    label = f'--set "{text}"'
    nodes = [node for node in process.walk() if text.startswith(f"{node.name}.")]
    if not nodes:
        operator, dot, _ = text.partition("=")[0].rpartition(".")
        if not dot or "=" not in text:
            raise UsageError(f"{label} cannot be understood.", hint=_form_of(process, text))
        raise _unknown_operator(process, operator, label)
    node = max(nodes, key=lambda node: len(node.name))
    name, equals, value = text[len(node.name) + 1 :].partition("=")
    if not equals:
        raise UsageError(f"{label} has no value.", hint=SETTING_FORM)
    return _override(node, name.strip(), value, label)


def _override(node: Node, name: str, value: Any, label: str) -> Override:
    if node.operator.is_placeholder:  # the validator will report that it is not installed
        return Override(node.name, name, value)
    parameter = _parameter(node, name, label)
    if parameter.name != name:
        warn_renamed(node.operator.title, name, parameter.name)
    return Override(node.name, parameter.name, _checked(node, parameter, value))


def _unknown_operator(process: Process, operator: str, label: str) -> UsageError:
    names = [node.name for node in process.walk()]
    hint = did_you_mean(operator, names) or f"There are {enumerate_names(names, 20)}."
    return UsageError(f'{label}: there is no operator "{operator}".', hint=hint)


def _parameter(node: Node, name: str, label: str) -> Parameter:
    try:
        return node.operator.parameter(name)
    except KeyError:
        known = [parameter.name for parameter in node.operator.parameters]
        hint = did_you_mean(name, known) or (
            f"There are {enumerate_names(known, 20)}." if known else "It has no parameters."
        )
        message = f'{label}: "{node.name}" has no parameter "{name}".'
        raise UsageError(message, hint=hint) from None


def _checked(node: Node, parameter: Parameter, given: Any) -> Any:
    """Return the value as a file would hold it, after a check whether it is allowed."""
    value = _from_text(parameter, given) if isinstance(given, str) else given
    if not has_macro(value):
        try:
            parameter.check(value)
        except ParameterError as error:
            raise error.at(node.path) from None
    return value


def _from_text(parameter: Parameter, text: str) -> Any:
    """Read lists and pairs: as JSON, or pairs as ``name=value,name=value``."""
    if parameter.kind not in ("list", "pairs", "attributes"):
        return text
    if text.startswith(("[", "{")):
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            raise UsageError(f"{parameter.name}: {text} is not JSON ({error}).") from None
    if parameter.kind != "pairs":
        return text
    pairs = [part.partition("=") for part in text.split(",") if part]
    if not all(equals for _, equals, _ in pairs):
        raise UsageError(f"{parameter.name}: write {text} as name=value,name=value.")
    return [(name, value) for name, _, value in pairs]
