"""Tables of counts: words in texts, molecules in cells."""

from __future__ import annotations

import numpy as np

from fsops.algorithms.base.types import is_sparse
from fsops.data import ExampleSet
from fsops.errors import DataError, enumerate_names


def require_counts(examples: ExampleSet, otherwise: str) -> None:
    """Raise `DataError`, naming the attributes, if a number is negative or infinite.

    ``otherwise`` is a sentence about methods for such numbers.
    """
    examples.require_bounded()
    X = examples.matrix()
    negative = (X < 0).sum(axis=0) if is_sparse(X) else (X < 0).any(axis=0)
    names = examples.schema.names_at(examples.schema.regular_numerical[np.flatnonzero(negative)])
    if names:
        raise DataError(
            f"There are negative numbers in {enumerate_names(names)}, but counts cannot be.",
            hint=otherwise,
        )
