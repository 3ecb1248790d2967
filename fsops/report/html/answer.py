"""The answer of a study as the page shows it: lamp, verdict, three numbers with their chance."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from fsops.data import SizeCurves, StudyAnswer
from fsops.report.escaping import visible
from fsops.report.numbers import count_text

LAMPS = {"red": "error", "yellow": "warning", "green": "ok", "grey": "stale"}
"""From top to bottom as on a traffic light; gray lights none."""
WORDS = {"red": "nothing found", "yellow": "with caution", "green": "found", "grey": "cannot say"}


@dataclass(frozen=True)
class Number:
    """A number of the answer, with the value that chance gives."""

    name: str
    value: str
    note: str


@dataclass(frozen=True)
class AnswerView:
    """The text at the top of the page."""

    question: str
    light: str
    state: str
    """Name of the colors: ok, warning, error or stale."""
    word: str
    headline: str
    sentences: tuple[str, ...]
    not_said: str
    numbers: tuple[Number, ...]
    doubts: tuple[str, ...]
    next_steps: tuple[str, ...]

    def without_advice(self) -> AnswerView:
        """Return the same without what to do next; doubts join the sentences."""
        return replace(self, sentences=(*self.sentences, *self.doubts), doubts=(), next_steps=())


def answer_view(answer: StudyAnswer, curves: SizeCurves | None) -> AnswerView:
    """Return an answer as the page shows it."""
    verdict = answer.verdict
    return AnswerView(
        question(answer),
        verdict.light,
        LAMPS[verdict.light],
        WORDS[verdict.light],
        visible(verdict.headline),
        tuple(map(_unbroken, verdict.sentences)),
        visible(verdict.not_said),
        tuple(_numbers(answer, curves)),
        tuple(map(_unbroken, verdict.doubts)),
        tuple(map(visible, verdict.next_steps)),
    )


def _unbroken(sentence: str) -> str:
    """Return the sentence with each percent sign kept on the line of its number."""
    return visible(sentence).replace(" %", "\u00a0%")


def question(answer: StudyAnswer) -> str:
    """Return the question of a study."""
    if len(answer.classes) == 2:
        first, second = map(visible, answer.classes)
        return f"Which attributes distinguish {first} from {second}?"
    if answer.classes:
        return f"Which attributes distinguish the classes of {visible(answer.label)}?"
    return f"Which attributes predict {visible(answer.label)}?"


def _numbers(answer: StudyAnswer, curves: SizeCurves | None) -> list[Number]:
    main = next((e for e in answer.estimates if math.isfinite(e.value)), answer.main)
    guess = f"; guessing {main.text(main.chance)}" if math.isfinite(main.chance) else ""
    between = f"{main.text(main.lower)} to {main.text(main.upper)}{guess}"
    name = main.name[:1].upper() + main.name[1:]
    found = [Number(f"{name}, new rows", main.text(main.value), between)]
    if answer.verdict.found:
        found.append(
            Number("Attributes needed", count_text(answer.size), "more bring no clear gain")
        )
    else:
        total = f"of {count_text(answer.attributes)} attributes"
        found.append(Number("Beyond chance", count_text(len(answer.beyond)), total))
    stability = _stability(answer, curves)
    return found if stability is None else [*found, stability]


def _stability(answer: StudyAnswer, curves: SizeCurves | None) -> Number | None:
    """Return the stability at the number of attributes that is enough, or at the best one."""
    chance = answer.chance
    size = answer.size if answer.verdict.found else answer.best_size
    at = np.flatnonzero(chance.sizes == size)
    if not at.size:
        return None
    value = chance.stability[at[0]]
    if curves is not None and curves.stability is not None and answer.method in curves.methods:
        column = np.flatnonzero(curves.sizes == size)
        if column.size:
            value = curves.stability[curves.methods.index(answer.method), column[0]]
    limit = chance.stability_band.upper[at[0]]
    if not math.isfinite(value):
        return None
    note = f"chance below {limit:.2f}" if math.isfinite(limit) else "0 is a random choice"
    return Number(f"Stability at {size}", f"{value:.2f}", note)
