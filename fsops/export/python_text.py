"""Pieces of Python code: names, values, and lines that are not too long."""

from __future__ import annotations

import builtins
import keyword
import re
import textwrap
import unicodedata
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from typing import Any

WIDTH = 100
RESERVED = {*dir(builtins), *keyword.kwlist, "fsops", "main", "partial", "Path"}


@dataclass
class Names:
    """Names of Python, each given once."""

    reserved: Set[str]
    """Names reserved by Python or the script; ours get a trailing underscore."""
    taken: set[str] = field(default_factory=set)
    outer: Names | None = None
    """Of the script, for names of a function."""
    hiding: set[str] = field(default_factory=set)
    """Names given inside, behind which one of ours would not be seen."""

    def inside(self) -> Names:
        """Return room for the names of a function."""
        return Names(self.reserved, outer=self)

    def new(self, *wanted: str) -> str:
        """Return the first that is free; if none is, the last with a number."""
        reserved = self.reserved | self.outer.taken if self.outer else self.reserved
        used = reserved | self.taken | self.hiding
        names = [f"{name}_" if name in reserved else name for name in map(slug, wanted)]
        number = 2
        found = next((name for name in names if name not in used), names[-1])
        while found in used:
            found, number = f"{names[-1].rstrip('_')}_{number}", number + 1
        self.taken.add(found)
        if self.outer:
            self.outer.hiding.add(found)
        return found


def slug(name: str) -> str:
    """Return a name as Python would have it.

    Python reads names in their compatible form, in which a ligature is its letters.
    """
    text = _compatible(_compatible(name).lower())
    kept = "".join(sign if f"a{sign}".isidentifier() else " " for sign in text)
    found = re.sub(" +", "_", kept).strip("_")
    return found if found.isidentifier() else f"step_{found}".strip("_")


def _compatible(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


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
