"""Values for the trees of scikit-learn, which keep only seven digits and take tiny gaps as ties."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fsops.algorithms.base.types import Floats, Ints

NARROW = 1e-3
"""Values whose range is a smaller fraction of their size lose digits that trees need."""
SMALL = 1e-2
"""Values with a smaller range may differ by less than 1e-7, which scikit-learn takes as equal.

A node whose label has a variance below 2e-16 is not split either.
"""
FAR = 1e30
"""Other rows are not farther away than this: single precision has no larger numbers."""


@dataclass(frozen=True, eq=False)
class Moved:
    """Columns far from 0, which are moved to 0 to 1, and small ones, which are scaled to it.

    Trees only use the order of the values, so that moving and scaling a column does not matter.
    Without it a column such as 1e8 plus a few units, or of nanograms in grams, would have equal
    values. Other columns keep their values. A numerical label is such a column, too: its variances
    lose their digits in the same way.
    """

    columns: Ints
    low: Floats
    scale: Floats

    @classmethod
    def of(cls, X: Floats) -> "Moved":
        """Return the columns of some rows that have to be moved; NaN is unknown."""
        if not X.size:
            return cls(np.zeros(0, dtype=np.intp), np.zeros(0), np.zeros(0))
        low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
        scale = high - low
        size = np.maximum(np.abs(low), np.abs(high))
        columns = np.flatnonzero((scale > 0) & ((scale < NARROW * size) | (scale < SMALL)))
        return cls(columns, low[columns], scale[columns])

    @classmethod
    def of_label(cls, y: Floats) -> "Moved":
        """Return how a numerical label has to be moved."""
        return cls.of(y[:, np.newaxis])

    def values(self, X: Floats) -> Floats:
        """Return these or other rows with the same columns moved."""
        if not self.columns.size:
            return X
        moved: Floats = np.array(X, dtype=np.float64)
        with np.errstate(over="ignore"):
            part = (moved[:, self.columns] - self.low) / self.scale
        moved[:, self.columns] = np.clip(part, -FAR, FAR)
        return moved

    def label(self, y: Floats) -> Floats:
        """Return the moved label."""
        moved: Floats = self.values(y[:, np.newaxis])[:, 0]
        return moved

    def predictions(self, moved: Floats) -> Floats:
        """Return predictions of the moved label in the unit of the label."""
        return self.low[0] + self.scale[0] * moved if self.columns.size else moved

    def variance(self, value: float) -> float:
        """Return a variance of the label in the unit of the moved label, at most 1."""
        if not self.columns.size:
            return value
        scale = float(self.scale[0])
        return min(value / scale / scale, 1.0)


def for_forests(X: Floats) -> npt.NDArray[Any]:
    """Return the values in single precision, with columns far from 0 and small ones moved."""
    return Moved.of(X).values(X).astype(np.float32)


def label_for_trees(y: Floats) -> Floats:
    """Return a numerical label with values far from 0 and small ones moved."""
    return Moved.of_label(y).label(y)
