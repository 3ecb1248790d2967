"""Doubts about the answer of a study, as sentences."""

from __future__ import annotations

import numpy as np

from fsops.algorithms.base.types import Ints
from fsops.data import ExampleSet
from fsops.data.design import BATCH
from fsops.data.leakage import giveaways
from fsops.errors import enumerate_names
from fsops.operators.validation.design import Design
from fsops.report.summary import repeated_rows

FEW_ROWS, FEW_IN_CLASS = 30, 10
MUCH_MISSING = 0.05
UNEQUAL = 0.2
ASSOCIATED = 0.3
"""Cramér's V of label and batch from which the two go together."""


def doubts_about(
    examples: ExampleSet,
    original: ExampleSet | None,
    class_counts: tuple[int, ...],
    design: Design,
) -> tuple[str, ...]:
    """Return what makes an answer about a table doubtful; ``original`` has its missing values."""
    found = [
        *_given_away(original if original is not None else examples),
        *_few_rows(examples, class_counts),
        *_unequal(class_counts),
        *_missing(original if original is not None else examples),
        *_repeated(examples, design),
        *_batches(examples),
    ]
    return tuple(found)


def _given_away(examples: ExampleSet) -> list[str]:
    """Two such attributes hide each other: without one the other still predicts everything."""
    found = giveaways(examples)
    if not found:
        return []
    verb = "gives" if len(found) == 1 else "give, each alone,"
    made = "Was it" if len(found) == 1 else "Were they"
    return [
        f"{enumerate_names(found, 3)} {verb} the class of every row. {made} made from the label? "
        "If so, leave out and run again."
    ]


def _few_rows(examples: ExampleSet, counts: tuple[int, ...]) -> list[str]:
    if len(examples) < FEW_ROWS:
        return [
            f"Few rows: {len(examples)}. A weak signal cannot be detected with this number of rows."
        ]
    if counts and min(counts) < FEW_IN_CLASS:
        rows = "1 row" if min(counts) == 1 else f"{min(counts)} rows"
        return [f"The smallest class has only {rows}."]
    return []


def _unequal(counts: tuple[int, ...]) -> list[str]:
    if counts and min(counts) < UNEQUAL * sum(counts):
        numbers = ", ".join(str(count) for count in sorted(counts, reverse=True))
        return [f"The classes are unequal: {numbers} rows."]
    return []


def _missing(examples: ExampleSet) -> list[str]:
    by_attribute = examples.missing_by_attribute
    regular = set(examples.schema.regular_names) if by_attribute else set()
    counts = {name: count for name, count in by_attribute.items() if count and name in regular}
    if not counts:
        return []
    cells = len(examples) * len(examples.schema.regular)
    fraction = sum(counts.values()) / cells
    worst = sorted(counts, key=lambda name: -counts[name])
    amount = f"{100 * fraction:.1f} % of the values"
    where = "" if fraction > MUCH_MISSING else f", in {enumerate_names(worst, 3)}"
    return [
        f"{amount} are missing{where}. They were filled from all rows, including the test rows."
    ]


def _repeated(examples: ExampleSet, design: Design) -> list[str]:
    if design.together is not None:
        return []
    repeated = repeated_rows(examples)
    if not repeated:
        return []
    return [
        f"{repeated} rows equal another in all attributes. Equal rows in training and test make "
        "the result look better than it is."
    ]


def _batches(examples: ExampleSet) -> list[str]:
    attribute = examples.schema.special(BATCH)
    if attribute is None or not examples.label.value_type.is_nominal:
        return []
    batch = np.unique(examples.column(attribute.name), return_inverse=True)[1].reshape(-1)
    strength = _cramer(batch.astype(np.intp), examples.label_values().astype(np.intp))
    if strength < ASSOCIATED:
        return []
    return [
        f'The label is related to the batch "{attribute.name}" (Cramér\'s V {strength:.2f}). '
        "Labels were permuted within batches, but the errors on new rows may come from the batch."
    ]


def _cramer(one: Ints, two: Ints) -> float:
    """Return Cramér's V of two columns of codes."""
    a, b = (np.unique(codes, return_inverse=True)[1].reshape(-1) for codes in (one, two))
    table = np.zeros((int(a.max()) + 1, int(b.max()) + 1))
    np.add.at(table, (a, b), 1)
    least = min(table.shape) - 1
    if not least:
        return 0.0
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / len(one)
    chi = float((np.square(table - expected) / expected).sum())
    return float(np.sqrt(chi / (len(one) * least)))
