"""Dates as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from fsops.data.examples import ExampleSet
from fsops.data.schema import ValueType

DATES = frozenset({ValueType.DATE})


def milliseconds(dates: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return dates as milliseconds since the beginning of 1970; NaN where missing."""
    missing = np.isnat(dates)
    numbers = dates.astype("datetime64[us]").astype(np.int64) / 1000.0
    return np.where(missing, np.nan, numbers)


def dates_as_numbers(examples: ExampleSet) -> ExampleSet:
    """Return the table with its regular dates as numbers; the same table if it has none."""
    schema = examples.schema
    positions = np.intersect1d(schema.regular_other, schema.of_types(DATES))
    if not len(positions):
        return examples
    return examples.with_numbers(positions, milliseconds(examples.values(positions)))
