"""Outcomes of a selection and a simple learner under many orders of the label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base.types import Floats, Ints

SIZES = (1, 2, 5, 10, 20, 50)
"""Numbers of attributes that are tried."""


@dataclass(frozen=True, eq=False)
class Outcomes:
    """By order (and size): large values of ``score``, ``stability``, ``largest`` mean signal.

    Attributes
    ----------
    score
        Balanced accuracy with equal priors, or Q² for numbers: pooled over the test rows.
    error
        Classification error with the priors of the rows, or the root mean squared error.
    stability
        Kuncheva's index of the selections of the folds.
    largest
        Largest R² of an attribute with the label, on all rows.
    frequency
        Largest fraction of the bootstraps in which an attribute is among the best; may be empty.
    """

    score: Floats
    error: Floats
    stability: Floats
    largest: Floats
    frequency: Floats

    @classmethod
    def joined(cls, parts: Sequence[Outcomes]) -> Outcomes:
        """Return the orders of several parts as one."""
        names = ("score", "error", "stability", "largest", "frequency")
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    def __len__(self) -> int:
        return len(self.score)


@dataclass(frozen=True, eq=False)
class TrueOrder:
    """More about the order as it is.

    Attributes
    ----------
    answers
        Predictions of the test rows, shape (sizes, rows): codes of classes, or numbers.
    margins
        For two classes: log likelihood of the second minus that of the first; else empty.
    rankings
        The best columns of each fold.
    strength
        R² of every column with the label, on all rows.
    """

    answers: Floats
    margins: Floats
    rankings: Ints
    strength: Floats


def usable_sizes(p: int, sizes: Sequence[int] = SIZES) -> Ints:
    """Return the sizes that leave at least as many columns out; 1 if there are only a few."""
    return np.array([size for size in sizes if size <= max(1, p // 2)], dtype=np.intp)
