"""Caveats derived from the results: values that a reader could overrate."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from fsops.data import (
    AttributeWeights,
    Collection,
    FlowObject,
    PerformanceVector,
    StabilityResult,
    StudyAnswer,
)
from fsops.report.numbers import count_text

if TYPE_CHECKING:
    from fsops.report.summary import TableSummary

NEAR = 1.96
"""Standard errors by which a useful accuracy should exceed the fraction of the largest class."""
MANY_TWINS = 0.02
"""Fraction of duplicated rows that cannot change a performance much."""


@dataclass(frozen=True)
class Finding:
    """Something to be careful about: in which result, and what."""

    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


def findings(
    named: Iterable[tuple[str, FlowObject]],
    tables: Iterable[TableSummary] = (),
    *,
    validated: bool = False,
) -> list[Finding]:
    """Return what to be careful about, as sentences.

    Parameters
    ----------
    named : iterable of (str, FlowObject)
        The results with their names.
    tables : iterable of TableSummary
        The tables they were made from.
    validated : bool
        Whether rows of the tables were kept apart to test on.
    """
    found = [Finding(name, text) for name, value in named for text in _about(value)]
    # A stability validation delivers the same figures in two results: reported once, at the first.
    once = {finding.message: finding for finding in reversed(found)}
    unique = [finding for finding in found if once[finding.message] is finding]
    return unique + [Finding(t.name, text) for t in tables if validated for text in _twins(t)]


def _about(value: FlowObject) -> Iterator[str]:
    if isinstance(value, PerformanceVector):
        yield from _near_majority(value)
        yield from _unstable_figures(value)
    elif isinstance(value, StabilityResult):
        yield from _unstable(value.selections)
    elif isinstance(value, StudyAnswer):
        if value.verdict.light != "green":
            yield value.verdict.text
        yield from value.verdict.doubts
    elif isinstance(value, Collection):
        chosen = _selections(value)
        if chosen is not None:
            yield from _unstable(chosen)


# --- selections that agree no more than chance ----------------------------------------------


def _selections(collection: Collection[FlowObject]) -> npt.NDArray[np.bool_] | None:
    """Return the selected attributes, if the items are repetitions of one selection."""
    parts = [item for item in collection if isinstance(item, AttributeWeights)]
    same = len({part.origin for part in parts}) == 1
    if len(parts) < 2 or len(parts) != len(collection) or not same:
        return None
    weights = np.nan_to_num(AttributeWeights.stack(parts)[1])
    # Scores that happen to be 0 here and there are no choice.
    return weights == 1 if np.isin(weights, (0, 1)).all() else None


def _unstable(selections: npt.NDArray[np.bool_]) -> Iterator[str]:
    if len(selections) < 2 or not selections.any() or selections.all():
        return
    # Most runs have no selections to compare.
    from fsops.algorithms.stability.similarity import nogueira

    found = nogueira(selections)
    if not math.isnan(found.value):
        yield from _chance(found.value, found.lower, found.upper)


def _unstable_figures(performance: PerformanceVector) -> Iterator[str]:
    """Read the agreement from the results of a stability validation."""
    measured = {criterion.name: criterion.mean for criterion in performance}
    parts = [measured.get(f"nogueira{end}", math.nan) for end in ("", "_lower", "_upper")]
    if not any(map(math.isnan, parts)):
        yield from _chance(*parts)


def _chance(value: float, lower: float, upper: float) -> Iterator[str]:
    if lower > 0:
        return
    figure = f"Nogueira's stability is {value:.2f}, 95 % interval {lower:.2f} to {upper:.2f}"
    if value <= 0:
        sentence = (
            f"The repetitions agree no more than random selections would: {figure}, 0 is chance."
        )
    else:
        sentence = f"Repetitions agree no better than chance: {figure}."
    yield (
        f"{sentence} Read no meaning into which attributes were selected. More rows, or a "
        "selection that combines many resamples, may help."
    )


# --- accuracies that the largest class alone gives ------------------------------------------


def _near_majority(performance: PerformanceVector) -> Iterator[str]:
    matrix = performance.confusion
    accuracy = next((c.mean for c in performance if c.name == "accuracy"), None)
    if matrix is None or accuracy is None or math.isnan(accuracy):
        return
    rows = matrix.counts.sum(axis=1)
    total = int(rows.sum())
    if not total or (rows > 0).sum() < 2:
        return
    share = float(rows.max() / total)
    if accuracy - share > NEAR * math.sqrt(accuracy * (1 - accuracy) / total):
        return
    largest = matrix.classes[int(rows.argmax())]
    yield (
        f'The accuracy is {accuracy:.1%}, but {share:.1%} of the rows are of the class "{largest}":'
        " always predicting that class does about as well. Judge by kappa, or by recall and "
        "precision of each class."
    )


# --- rows that are there twice --------------------------------------------------------------


def _twins(table: TableSummary) -> Iterator[str]:
    if not table.repeated or table.repeated <= MANY_TWINS * table.rows:
        return
    yield (
        f"{count_text(table.repeated)} of {count_text(table.rows)} rows equal another in all "
        "attributes. A validation puts such copies into training and test rows, so the "
        "performance is optimistic. Unless they were measured again, remove them before."
    )
