"""Values for the forests of scikit-learn, which keep only seven digits."""

from typing import Any

import numpy as np
import numpy.typing as npt

from fsops.algorithms.base.types import Floats

NARROW = 1e-3
"""Values whose range is a smaller fraction of their size lose digits that trees need."""
TINY = 1e-30
"""Smaller values are nearly 0 in single precision."""


def for_forests(X: Floats) -> npt.NDArray[Any]:
    """Return the values in single precision, with columns far from 0 moved and tiny ones scaled.

    Trees only use the order of the values, so that moving and scaling a column does not matter.
    Without it a column such as 1e8 plus a few units would have equal values.
    """
    if not X.size:
        return X.astype(np.float32)
    low, high = X.min(axis=0), X.max(axis=0)
    size = np.maximum(np.abs(low), np.abs(high))
    scale = high - low
    lost = (scale > 0) & ((scale < NARROW * size) | (scale < TINY))
    if not lost.any():
        return X.astype(np.float32)
    single = np.empty(X.shape, dtype=np.float32)
    single[:, ~lost] = X[:, ~lost]
    single[:, lost] = (X[:, lost] - low[lost]) / scale[lost]
    return single
