"""Nearest rows of a sparse matrix, which never becomes dense.

Squared distances come from products of rows, which cancel where rows are near each other. So the
distances of the nearest candidates are computed again from the differences of their values.
"""

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from fsops.algorithms.base.sparse_sums import squared_lengths
from fsops.algorithms.base.types import Floats, Ints, Sparse

Metric = Literal["euclidean", "manhattan"]
BLOCK_NUMBERS = 2**22
"""Numbers that are held at once: distances of a block of rows, or values of pairs of rows."""
ROUNDING = 1e-10
"""Error of a squared distance from products, in parts of the squared lengths of the rows."""


def nearest_rows(X: Sparse, training: Sparse, k: int, metric: Metric) -> tuple[Floats, Ints]:
    """Distances and numbers of the k nearest training rows of each row, nearest first.

    Of rows at the same distance those with the lower number come first.

    Parameters
    ----------
    X, training
        Rows by features, without missing values.
    k
        At most the number of training rows.
    metric
        Euclidean or Manhattan distance.
    """
    X, training = X.tocsr(), training.tocsr()
    distances, rows = np.empty((X.shape[0], k)), np.empty((X.shape[0], k), dtype=np.intp)
    find = _nearest_by_products if metric == "euclidean" else _nearest_by_differences
    for block in _row_blocks(X.shape[0], training.shape[0]):
        distances[block], rows[block] = find(X[block], training, k)
    return distances, rows


def _row_blocks(n: int, width: int) -> Iterator[slice]:
    step = max(1, BLOCK_NUMBERS // max(1, width))
    yield from (slice(first, min(first + step, n)) for first in range(0, n, step))


def _nearest_by_products(X: Any, training: Any, k: int) -> tuple[Floats, Ints]:
    length, others = squared_lengths(X), squared_lengths(training)
    approximate = length[:, None] + others - 2.0 * (X @ training.T).toarray()
    last = np.partition(approximate, k - 1, axis=1)[:, k - 1]
    error = ROUNDING * (length + others.max(initial=0.0))
    row, candidate = np.nonzero(approximate <= (last + 2.0 * error)[:, None])
    exact = np.sqrt(_squared_distances(X, training, row, candidate))
    order = np.lexsort((candidate, exact, row))
    # The candidates of a row are neighbors now; the first k of them are the nearest.
    starts = np.searchsorted(row, np.arange(X.shape[0]))
    chosen = order[starts[:, None] + np.arange(k)]
    return exact[chosen], candidate[chosen]


def _nearest_by_differences(X: Any, training: Any, k: int) -> tuple[Floats, Ints]:
    from sklearn.metrics.pairwise import manhattan_distances

    distances = manhattan_distances(X, training)
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distances, nearest, axis=1), nearest


def _squared_distances(X: Any, training: Any, row: Ints, candidate: Ints) -> Floats:
    """Squared distances of pairs of rows, from the differences of their values."""
    found = np.empty(len(row))
    longest = 1 + int(
        max(np.diff(X.indptr).max(initial=0), np.diff(training.indptr).max(initial=0))
    )
    for block in _row_blocks(len(row), longest):
        difference = X[row[block]] - training[candidate[block]]
        found[block] = squared_lengths(difference)
    return found
