"""Search for words in the names, parameters and notes of a process, on all levels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fsops.core.graph.process import Process, parameter_as_text
from fsops.editing.levels import ROOT, Level, Spot
from fsops.errors import ParameterError


@dataclass(frozen=True)
class Match:
    """A place where the words are."""

    level: Level
    operator: str | None
    """None for a free note."""
    note: Spot | None
    where: str
    """In words: the name, the kind, a parameter or a note."""


def matches(process: Process, words: str) -> list[Match]:
    """Return the places with all of the words, in reading order; an operator counts once."""
    wanted = words.lower().split()
    if not wanted:
        return []
    found: list[Match] = []
    for match, text in _texts(process, ROOT):
        seen = found and match.operator is not None and found[-1].operator == match.operator
        if not seen and all(word in text.lower() for word in wanted):
            found.append(match)
    return found


def _texts(process: Process, level: Level) -> Iterator[tuple[Match, str]]:
    """Return every text of a level and of the levels inside it."""
    for number, note in enumerate(process.notes):
        yield Match(level, None, Spot(level, number), "note"), note.text
    for node in process:
        yield Match(level, node.name, None, "name"), node.name
        yield Match(level, node.name, None, "operator"), node.operator.title
        for parameter, value in node.parameters.items():
            where = f"parameter {parameter}"
            try:
                text = str(parameter_as_text(node, parameter))
            except ParameterError:
                text = str(value)
            yield Match(level, node.name, None, where), f"{parameter} {text}"
        if node.note is not None:
            spot = Spot(level, owner=node.name)
            yield Match(level, node.name, spot, "note"), node.note.text
        for index, inner in enumerate(node.subprocesses):
            yield from _texts(inner, Level(node.name, index))
