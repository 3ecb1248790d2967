"""Pieces of Python code: names, values, and lines that are not too long."""

from __future__ import annotations

import builtins
import keyword
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

WIDTH = 100
RESERVED = {*dir(builtins), *keyword.kwlist, "fsops", "main", "partial", "Path"}


@dataclass
class Names:
    """Names of Python, each given once."""

    reserved: set[str]
    """What Python, or the script, has them for; ours get a trailing underscore."""
    taken: set[str] = field(default_factory=set)

    def inside(self) -> Names:
        """Return room for the names of a function."""
        return Names(self.reserved | self.taken)

    def new(self, *wanted: str) -> str:
        """Return the first that is free; if none is, the last with a number."""
        names = [f"{name}_" if name in self.reserved else name for name in map(slug, wanted)]
        number = 2
        found = next((name for name in names if name not in self.taken), names[-1])
        while found in self.taken:
            found, number = f"{names[-1].rstrip('_')}_{number}", number + 1
        self.taken.add(found)
        return found


def slug(name: str) -> str:
    """Return a name as Python would have it."""
    found = re.sub(r"\W+", "_", name.lower()).strip("_")
    return found if found and not found[0].isdigit() else f"step_{found}".strip("_")


def literal(value: Any) -> str:
    """Return a value as Python code, text in double quotes where that reads well."""
    if isinstance(value, dict):
        pairs = [f"{literal(key)}: {literal(item)}" for key, item in value.items()]
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(literal, value))}{',' * (len(value) == 1)})"
    if isinstance(value, str) and repr(value).startswith("'") and '"' not in value:
        inside = repr(value)[1:-1]
        return f'"{inside}"'
    return repr(value)


def bracketed(
    start: str, opening: str, parts: Sequence[str], closing: str, *, plain: bool = False
) -> str:
    """Return a bracket on one line, or with a line for each part if that is too long."""
    brackets = ("", "") if plain else (opening, closing)
    line = f"{start}{brackets[0]}{', '.join(parts)}{brackets[1]}"
    if len(line) <= WIDTH - 8 and "\n" not in line:
        return line
    inside = "".join(textwrap.indent(f"{part},", "    ") + "\n" for part in parts)
    return f"{start}{opening}\n{inside}{closing}"
