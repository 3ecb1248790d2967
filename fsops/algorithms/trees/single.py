"""Values for the trees of scikit-learn, which keep only seven digits."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fsops.algorithms.base.types import Floats, Ints

NARROW = 1e-3
"""Values whose range is a smaller fraction of their size lose digits that trees need."""
TINY = 1e-30
"""Smaller values are nearly 0 in single precision."""
FAR = 1e30
"""Other rows are not farther away than this: single precision has no larger numbers."""


@dataclass(frozen=True, eq=False)
class Moved:
    """Columns far from 0, which are moved to 0 to 1, and tiny ones, which are scaled to it.

    Trees only use the order of the values, so that moving and scaling a column does not matter.
    Without it a column such as 1e8 plus a few units would have equal values. Other columns keep
    their values.
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
        columns = np.flatnonzero((scale > 0) & ((scale < NARROW * size) | (scale < TINY)))
        return cls(columns, low[columns], scale[columns])

    def values(self, X: Floats) -> Floats:
        """Return these or other rows with the same columns moved."""
        if not self.columns.size:
            return X
        moved: Floats = np.array(X, dtype=np.float64)
        with np.errstate(over="ignore"):
            part = (moved[:, self.columns] - self.low) / self.scale
        moved[:, self.columns] = np.clip(part, -FAR, FAR)
        return moved


def for_forests(X: Floats) -> npt.NDArray[Any]:
    """Return the values in single precision, with columns far from 0 and tiny ones moved."""
    return Moved.of(X).values(X).astype(np.float32)
