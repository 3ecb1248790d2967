"""Compiled inner loops over sparse matrices, for large ones where numba is installed.

See `compiled`, whose rules hold here: every kernel has a numpy twin, which gives the same bits.
"""

from typing import Any, TypeAlias

import numpy as np

from fsops.algorithms.base.compiled import TABLE, _compiled, _frozen, _least, _worthwhile
from fsops.algorithms.base.types import Floats, Ints, Numbers

Stored: TypeAlias = tuple[Numbers, Numbers, Numbers]


def take_stored(values: int) -> bool:
    """Whether kernels are to read so many stored values."""
    return _worthwhile(values, _least(TABLE))


def add_class_sums(X: Any, codes: Ints, weights: Floats, size: Floats, sums: Floats) -> None:
    """Fill sums, (4, classes, columns): count, mean, rest of the deviations, their squares."""
    _add_class_sums(stored_in(X), codes, weights, size, sums)


def stored_in(X: Any) -> Stored:
    """The arrays of a matrix: values, rows, and where columns start; read-only as in a table."""
    return _frozen(X.data), _frozen(X.indices), _frozen(X.indptr)


@_compiled
def _add_class_sums(
    stored_values: Stored, codes: Ints, weights: Floats, size: Floats, sums: Floats
) -> None:
    data, rows, starts = stored_values
    n_classes, p = sums.shape[1], sums.shape[2]
    total, stored, gone = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes)
    mean, rest, squares = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes)
    for j in range(p):
        total[:], stored[:], gone[:] = 0.0, 0.0, 0.0
        rest[:], squares[:] = 0.0, 0.0
        for e in range(starts[j], starts[j + 1]):
            i, v = rows[e], np.float64(data[e])
            c, w = codes[i], weights[i]
            if not np.isnan(v):
                total[c] += w * v
                stored[c] += w
            else:
                gone[c] += w
        for c in range(n_classes):
            count = size[c] - gone[c]
            mean[c] = total[c] / count if count > 0 else 0.0
        for e in range(starts[j], starts[j + 1]):
            i, v = rows[e], np.float64(data[e])
            c, w = codes[i], weights[i]
            if not np.isnan(v):
                d = v - mean[c]
                rest[c] += w * d
                squares[c] += w * d * d
        for c in range(n_classes):
            count = size[c] - gone[c]
            zeros = count - stored[c]
            sums[0, c, j], sums[1, c, j] = count, mean[c]
            sums[2, c, j] = rest[c] - zeros * mean[c]
            sums[3, c, j] = squares[c] + zeros * mean[c] * mean[c]
