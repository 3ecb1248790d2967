"""The settings of an operator in a few words, derived from its declaration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from pathlib import PurePath
from typing import Any

from fsops.core.declare.parameters import Parameter
from fsops.core.graph.process import Node
from fsops.core.operator import Operator

MOST = 3
"""Parts of a summary."""
LONGEST = 28
"""Characters of a value."""
MOST_KEPT = 5_000
_SUMMARIES: dict[tuple[Operator, str], tuple[str, ...]] = {}
"""By operator and settings: large processes repeat themselves, and every edit asks again."""


def parameter_summary(node: Node) -> tuple[str, ...]:
    """Return the most informative settings, such as ``k = 10``; the most important first.

    Settings that differ from their defaults come first, in the order of the declaration. Then come
    defaults that say how the operator works and are not for experts: numbers other than 0, and
    choices on which other parameters depend.
    """
    given = node.canonical_parameters()
    known = (node.operator, repr(given))
    if known not in _SUMMARIES:
        if len(_SUMMARIES) >= MOST_KEPT:
            _SUMMARIES.clear()
        _SUMMARIES[known] = _summary(node, given)
    return _SUMMARIES[known]


def _summary(node: Node, given: Mapping[str, Any]) -> tuple[str, ...]:
    values = {p.name: given.get(p.name, None if p.required else p.default) for p in _all(node)}
    applicable = [p for p in _all(node) if p.when is None or p.when.holds(values)]
    changed = [p for p in applicable if p.name in given and _differs(p, given[p.name])]
    deciding = {name for p in _all(node) if p.when is not None for name in p.when.names}
    others = [p for p in applicable if p not in changed and _is_informative(p, deciding)]
    found = [text for p in (*changed, *others) if (text := _part(p, values))]
    return tuple(found[:MOST])


def _all(node: Node) -> Iterator[Parameter]:
    return iter(node.operator.parameters)


def _differs(parameter: Parameter, value: Any) -> bool:
    return parameter.required or str(value) != str(parameter.default)


def _is_informative(parameter: Parameter, deciding: Set[str]) -> bool:
    """Return whether the default of a parameter says how the operator works."""
    if parameter.expert:
        return False
    if parameter.kind == "choice":
        return parameter.name in deciding
    return parameter.kind in ("integer", "number") and parameter.default != 0


def _part(parameter: Parameter, values: Mapping[str, Any]) -> str:
    """Return one setting in words; empty where it says nothing."""
    value, words = values[parameter.name], parameter.name.replace("_", " ")
    if value is None or value in ("", [], (), {}):
        return ""
    if parameter.kind == "boolean":
        return words if str(value).lower() == "true" else f"no {words}"
    if isinstance(value, (list, tuple, dict)):
        count = len(value)
        return f"{words}: {_short(value)}" if count == 1 else f"{count} {words}"
    if parameter.kind in ("integer", "number"):
        return f"{words} = {_short(value)}"
    if parameter.kind == "choice":
        return str(value).replace("_", " ")
    return _short(PurePath(str(value)).name if parameter.file is not None else value)


def _short(value: Any) -> str:
    if isinstance(value, (list, tuple, dict)):
        value = next(iter(value))
    text = f"{value:g}" if isinstance(value, float) else " ".join(str(value).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
