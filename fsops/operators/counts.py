"""Tables of counts: words in texts, molecules in cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fsops.algorithms.base.types import is_sparse
from fsops.data import ExampleSet
from fsops.errors import DataError, enumerate_names


def require_counts(examples: ExampleSet, otherwise: str) -> None:
    """Raise `DataError`, naming the attributes, if a number is negative or infinite.

    ``otherwise`` is a sentence about methods for such numbers.
    """
    examples.require_bounded()
    refuse_negative(
        examples.matrix(), examples.schema.names_at(examples.schema.regular_numerical), otherwise
    )


def refuse_negative(X: Any, names: Sequence[str], otherwise: str) -> None:
    """Raise `DataError`, naming the columns of a dense or sparse matrix with negative numbers."""
    if not ((X.data if is_sparse(X) else X) < 0).any():
        return
    negative = (X < 0).sum(axis=0) if is_sparse(X) else (X < 0).any(axis=0)
    wrong = [names[place] for place in np.flatnonzero(negative).tolist()]
    raise DataError(
        f"There are negative numbers in {enumerate_names(wrong)}, but counts cannot be.",
        hint=otherwise,
    )
