"""Weights of rows: how often each row of a table counts."""

from __future__ import annotations

import numpy as np

from fsops.data.examples import ExampleSet
from fsops.errors import DataError

BYTES_PER_VALUE = 8


def without_weightless_rows(examples: ExampleSet) -> ExampleSet:
    """Return the rows whose weight is not 0; without the weights if all others are 1.

    A table in a file is returned as it is: its statistics leave out rows with the weight 0.
    """
    weights = examples.row_weights
    if weights is None or not examples.values_known:
        return examples
    table = counted_rows(examples)
    return _without_weights(table) if (weights[weights > 0] == 1).all() else table


def counted_rows(examples: ExampleSet) -> ExampleSet:
    """Return the rows whose weight is not 0, also of a table in a file; weights stay as they are.

    Without weights of 0 it is the table itself.
    """
    weights = examples.row_weights
    if weights is None or weights.all():
        return examples
    return examples.take(np.flatnonzero(weights))


def has_whole_weights(examples: ExampleSet) -> bool:
    """Return whether each row counts a whole number of times."""
    weights = examples.row_weights
    return weights is None or bool((weights == np.round(weights)).all())


def repeated(examples: ExampleSet, method: str) -> ExampleSet:
    """Return each row as often as its weight says, without the weights.

    Raises `DataError` if weights are not whole numbers; ``method`` is the subject of the message.
    """
    weights = examples.row_weights
    if weights is None:
        return examples
    attribute = examples.schema.row_weight
    assert attribute is not None
    if not has_whole_weights(examples):
        raise DataError(
            f'{method} takes whole numbers as row weights, but "{attribute.name}" has others.',
            hint="A weight is the number of times a row counts. Round the weights (Generate "
            "Attributes), or draw rows by their weights (Sample (Bootstrapping)).",
        )
    from fsops import memory

    rows = weights.sum()
    memory.require(
        rows * len(examples.schema) * BYTES_PER_VALUE,
        f"The table with each row repeated by its weight, {rows:,.0f} rows,",
        "Divide the weights by a common factor.",
    )
    times = np.repeat(np.arange(len(examples)), weights.astype(np.intp))
    return _without_weights(examples.take(times))


def _without_weights(examples: ExampleSet) -> ExampleSet:
    attribute = examples.schema.row_weight
    return examples if attribute is None else examples.drop([attribute.name])
