"""What the command line changes in a process: ``--set`` and ``--macro``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fsops.core.declare.parameters import Parameter, has_macro
from fsops.core.graph.process import Node, Process
from fsops.errors import ParameterError, UsageError, did_you_mean, enumerate_names

SETTING_FORM = "Write it as Operator.parameter=value."


@dataclass(frozen=True)
class Override:
    """A parameter that the command line sets."""

    operator: str
    parameter: str
    value: Any


def read_macros(texts: Sequence[str]) -> dict[str, str]:
    """Return the macros that ``--macro name=value`` gives."""
    macros = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(
                f'--macro "{text}" cannot be understood.', hint="Write it as name=value."
            )
        macros[name.strip()] = value
    return macros


def apply_settings(process: Process, texts: Sequence[str]) -> list[Override]:
    """Set the parameters that ``--set`` names, and return them."""
    overrides = [_read_setting(process, text) for text in texts]
    for override in overrides:
        node = process.find(override.operator)
        aliases = node.operator.aliases.parameters
        for name in [n for n in node.parameters if aliases.get(n, n) == override.parameter]:
            del node.parameters[name]
        node.parameters[override.parameter] = override.value
    return overrides


def _read_setting(process: Process, text: str) -> Override:
    """Return what a setting means; of operators whose names match, the longest name counts."""
    nodes = [node for node in process.walk() if text.startswith(f"{node.name}.")]
    if not nodes:
        raise _unknown_operator(process, text)
    node = max(nodes, key=lambda node: len(node.name))
    name, equals, value = text[len(node.name) + 1 :].partition("=")
    if not equals:
        raise UsageError(f'--set "{text}" has no value.', hint=SETTING_FORM)
    if node.operator.is_placeholder:  # the validator will say that it is not installed
        return Override(node.name, name.strip(), value)
    parameter = _parameter(node, name.strip(), text)
    return Override(node.name, parameter.name, _checked(node, parameter, value))


def _unknown_operator(process: Process, text: str) -> UsageError:
    names = [node.name for node in process.walk()]
    wanted, dot, _ = text.partition("=")[0].rpartition(".")
    if not dot or "=" not in text:
        return UsageError(f'--set "{text}" cannot be understood.', hint=SETTING_FORM)
    hint = did_you_mean(wanted, names) or f"There are {enumerate_names(names, 20)}."
    return UsageError(f'--set "{text}": there is no operator "{wanted}".', hint=hint)


def _parameter(node: Node, name: str, text: str) -> Parameter:
    try:
        return node.operator.parameter(name)
    except KeyError:
        known = [parameter.name for parameter in node.operator.parameters]
        hint = did_you_mean(name, known) or (
            f"There are {enumerate_names(known, 20)}." if known else "It has no parameters."
        )
        message = f'--set "{text}": "{node.name}" has no parameter "{name}".'
        raise UsageError(message, hint=hint) from None


def _checked(node: Node, parameter: Parameter, text: str) -> Any:
    """Return the value as a file would hold it, after a look whether it is allowed."""
    value = _from_text(parameter, text)
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
