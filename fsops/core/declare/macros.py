"""Macros: ``%{name}`` in a parameter stands for a value known at the run."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from typing import Any

from fsops.errors import ParameterError, did_you_mean

# Braces are excluded: in "%{a%{b}}" only the inner macro matches.
_MACRO = re.compile(r"%\{([^{}]*)\}")
LONGEST = 2**20
"""Characters of a text with its macros replaced."""


def macro_names(value: Any, without: Container[str] = ()) -> list[str]:
    """Return the names of the macros in a value, also inside lists and pairs."""
    if isinstance(value, str):
        return [name for name in _MACRO.findall(value) if name not in without]
    if isinstance(value, Mapping):
        return [n for pair in value.items() for item in pair for n in macro_names(item, without)]
    if isinstance(value, list | tuple):
        return [name for item in value for name in macro_names(item, without)]
    return []


def expand(value: Any, macros: Mapping[str, str]) -> Any:
    """Return the value with all macros replaced, also inside lists and pairs."""
    if isinstance(value, str):
        _check_length(value, macros)
        # One pass: "%{" in the value of a macro is not expanded again, so macros cannot recurse.
        return _MACRO.sub(lambda match: _lookup(match[1], macros), value)
    if isinstance(value, list | tuple):
        return [expand(item, macros) for item in value]
    if isinstance(value, Mapping):
        return {expand(k, macros): expand(v, macros) for k, v in value.items()}
    return value


def _check_length(value: str, macros: Mapping[str, str]) -> None:
    """Refuse a text that would become too long: a macro set to itself twice, again and again."""
    length = len(value) + sum(len(macros.get(name, "")) for name in _MACRO.findall(value))
    if length > LONGEST:
        raise ParameterError(
            f'"{value[:40]}" has {length:,} characters with its macros, '
            f"but at most {LONGEST:,} are allowed.",
            hint="Use shorter macros.",
        )


def _lookup(name: str, macros: Mapping[str, str]) -> str:
    try:
        return macros[name]
    except KeyError:
        hint = did_you_mean(name, macros) or "Set it with --macro or in the process."
        raise ParameterError(f"The macro %{{{name}}} has no value.", hint=hint) from None
