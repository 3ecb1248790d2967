"""Earlier names of operators and parameters, and the words to use instead of synonyms."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection
from functools import cache
from typing import Any

from fsops.core.declare.vocabulary import EVERY, KEYS, PREFIXES, RENAMED, WORDS
from fsops.errors import RenamedWarning


def present_key(key: str) -> str:
    """Return the present key of an operator; a key without a successor is returned as it is."""
    return KEYS.get(key, key)


def with_earlier_keys(find: Callable[[str], Any], keys: Collection[str]) -> Callable[[str], Any]:
    """Return a function that finds an operator by its key or, with a warning, an earlier key."""

    def find_present(name: str) -> Any:
        key = KEYS.get(name, name)
        if key == name or key not in keys:
            return find(name)
        warn_renamed("", name, key)
        return find(key)

    return find_present


def earlier_keys(key: str) -> tuple[str, ...]:
    """Return the keys that an operator had before."""
    return tuple(old for old, new in KEYS.items() if new == key)


def earlier_parameters(key: str, names: Collection[str]) -> dict[str, str]:
    """Return the earlier names of an operator's parameters, each with its present name."""
    renamed = {**_by_operator().get(EVERY, {}), **_by_operator().get(key, {})}
    return {old: new for old, new in renamed.items() if new in names and old not in names}


@cache
def _by_operator() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for old, new, keys in RENAMED:
        for key in keys.split():
            found.setdefault(key, {})[old] = new
    return found


def right_word(name: str) -> str:
    """Return the word to use instead of a synonym; empty if the name is right."""
    words = [word for word, synonyms in WORDS.items() if name in synonyms]
    words += [new + name.removeprefix(old) for old, new in PREFIXES.items() if name.startswith(old)]
    return " or ".join(dict.fromkeys(words))


def warn_renamed(operator: str, old: str, new: str, stacklevel: int = 2) -> None:
    """Warn that a name is an earlier one; without ``operator`` it is the name of an operator."""
    text = f'{operator}: the parameter "{old}"' if operator else f'The operator "{old}"'
    warnings.warn(f'{text} is now called "{new}".', RenamedWarning, stacklevel=stacklevel + 1)
