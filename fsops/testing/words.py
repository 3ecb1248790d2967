"""The words that fsops avoids in text for users, with the words to use instead."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

LIST = "words.toml"


@dataclass(frozen=True)
class AvoidedWord:
    """A pattern, the words to use instead, and how often fsops itself still has it."""

    pattern: str
    use: str
    at_most: int = 0


@cache
def words() -> tuple[AvoidedWord, ...]:
    """Return the word list."""
    text = files(__package__).joinpath(LIST).read_text(encoding="utf-8")
    return tuple(AvoidedWord(**word) for word in tomllib.loads(text)["word"])


def avoided(text: str) -> dict[str, str]:
    """Return the words of a text that readers stumble over, each with the words to use."""
    plain = " ".join(text.split())
    return {found[0]: word.use for word in words() for found in re.finditer(word.pattern, plain)}
