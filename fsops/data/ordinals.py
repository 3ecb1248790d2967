"""Ordered categories as numbers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fsops.data.columns import MISSING_CODE
from fsops.data.examples import ExampleSet
from fsops.data.schema import Schema, ValueType

ORDINALS = frozenset({ValueType.ORDINAL})
Positions = npt.NDArray[np.intp]


def ordinal_positions(schema: Schema) -> Positions:
    """Return the regular attributes with ordered categories."""
    return np.intersect1d(schema.regular_nominal, schema.of_types(ORDINALS))


def ordinals_as_numbers(examples: ExampleSet) -> ExampleSet:
    """Return the table with ordered categories as 0, 1, …; the same table if it has none."""
    positions = ordinal_positions(examples.schema)
    if not len(positions):
        return examples
    codes = examples.values(positions)
    return examples.with_numbers(positions, np.where(codes == MISSING_CODE, np.nan, codes))


def numbers_of_levels(schema: Schema) -> npt.NDArray[np.float64]:
    """Return the number of ordered categories of each numerical attribute; NaN for other numbers.

    The numerical attributes are those of the table that `ordinals_as_numbers` returns.
    """
    positions = ordinal_positions(schema)
    numerical = np.union1d(schema.regular_numerical, positions)
    levels = np.full(len(numerical), np.nan)
    levels[np.searchsorted(numerical, positions)] = schema.category_counts(positions)
    return levels
