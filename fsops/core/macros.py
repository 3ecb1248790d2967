"""Macros: ``%{name}`` in a parameter stands for a value known at the run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from fsops.errors import ParameterError, did_you_mean

_MACRO = re.compile(r"%\{([^{}]*)\}")


def expand(value: Any, macros: Mapping[str, str]) -> Any:
    """Return the value with all macros replaced, also inside lists and pairs."""
    if isinstance(value, str):
        return _MACRO.sub(lambda match: _lookup(match[1], macros), value)
    if isinstance(value, list | tuple):
        return [expand(item, macros) for item in value]
    if isinstance(value, Mapping):
        return {expand(k, macros): expand(v, macros) for k, v in value.items()}
    return value


def _lookup(name: str, macros: Mapping[str, str]) -> str:
    try:
        return macros[name]
    except KeyError:
        hint = did_you_mean(name, macros) or "Set it with --macro or in the process."
        raise ParameterError(f"The macro %{{{name}}} has no value.", hint=hint) from None
