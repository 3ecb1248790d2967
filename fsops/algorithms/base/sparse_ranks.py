"""Rank sums of two classes for the columns of a sparse matrix.

Only the stored values are sorted. The zeros of a column are one tie of known size, between its
negative and its positive values. Sums of ranks are whole or half numbers, so the compiled and the
numpy way give the same bits.
"""

import numpy as np

from fsops.algorithms.base.compiled import sparse as kernels
from fsops.algorithms.base.sparse_sums import StoredPart, stored_parts
from fsops.algorithms.base.types import Bools, Floats, Sparse


def sparse_rank_sums(X: Sparse, positive: Bools) -> Floats:
    """Rank sum of class 1, its known rows, those of class 0, and the ties, (4, columns)."""
    sums = np.zeros((4, X.shape[1]))
    if kernels.take_sorted(X.nnz):
        kernels.add_rank_sums(X, positive, sums)
        return sums
    for part in stored_parts(X):
        sums[:, part.columns] = _rank_sums(part, positive)
    return sums


def _rank_sums(part: StoredPart, positive: Bools) -> Floats:
    ones = positive[part.rows].astype(np.float64)
    known = ~np.isnan(part.values)
    gone = part.sums((~known).astype(np.float64))[0]
    gone_ones = part.sums(np.where(known, 0.0, ones))[0]
    n_ones = float(positive.sum()) - gone_ones
    count = len(positive) - gone
    used = known & (part.values != 0)
    part = StoredPart(part.columns, part.values[used], part.rows[used], part.column[used])
    ones = ones[used]
    stored, below = part.sums(np.ones(len(ones)))[0], part.sums(part.values < 0)[0]
    zeros = count - stored
    order = np.lexsort((part.values, part.column))
    values, column = part.values[order], part.column[order]
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = (values[1:] != values[:-1]) | (column[1:] != column[:-1])
    starts = np.flatnonzero(first)
    length = np.diff(np.append(starts, len(order))).astype(np.float64)
    own = column[starts]
    # The place of a run in its column: behind the zeros if it is positive.
    before = np.concatenate([[0.0], np.cumsum(stored)])[own]
    place = starts - before + np.where(values[starts] > 0, zeros[own], 0.0)
    hits = np.add.reduceat(ones[order], starts) if len(starts) else np.zeros(0)
    width = part.width
    rank_sum = np.bincount(own, hits * (place + (length + 1) / 2), minlength=width)
    ties = np.bincount(own, length**3 - length, minlength=width)
    rank_sum = rank_sum + (n_ones - part.sums(ones)[0]) * (below + (zeros + 1) / 2)
    return np.stack([rank_sum, n_ones, count - n_ones, ties + (zeros**3 - zeros)])
