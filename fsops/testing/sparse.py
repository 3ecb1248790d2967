"""Tables with many zeros, stored with and without them."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_array

from fsops.data import ExampleSet

KEPT = 0.4
"""Fraction of the numbers that stay as they are."""


def thinned(examples: ExampleSet) -> ExampleSet:
    """Return the same table with many of its numbers set to zero; missing values stay missing."""
    positions = examples.schema.regular_numerical
    values = examples.values(positions)
    kept = np.random.default_rng(18).random(values.shape) < KEPT
    return examples.with_numbers(
        positions, np.where(kept | np.isnan(values), values, 0.0), real=False
    )


def without_signs(examples: ExampleSet) -> ExampleSet:
    """Return the same table with the sizes of its regular numbers."""
    positions = examples.schema.regular_numerical
    return examples.with_numbers(positions, np.abs(examples.values(positions)), real=False)


def as_sparse(examples: ExampleSet) -> ExampleSet:
    """Return the same table with its regular numerical attributes stored sparsely."""
    positions = examples.schema.regular_numerical
    return examples.with_numbers(positions, csc_array(examples.values(positions)), real=False)
