"""Sums over the columns of a sparse matrix: stored values one by one, all zeros at once.

A matrix in compressed sparse column format has the values of a column side by side. Means come from
a first pass over them; a second pass adds up the deviations from the means, to which z zeros
contribute -z * mean, and z * mean^2 to their squares. So nothing is lost for columns that are far
from zero, and a column costs as much as it has stored values.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from fsops.algorithms.base.compiled import sparse as kernels
from fsops.algorithms.base.types import Floats, Ints, Numbers, Sparse, is_sparse

PART = 1 << 19
"""Stored values that are handled at once without a compiled kernel."""


class StoredPart(NamedTuple):
    """The stored values of some neighboring columns."""

    columns: slice
    values: Floats
    rows: Ints
    column: Ints
    """Column of each value, counted from the first one of the part."""

    @property
    def width(self) -> int:
        """Number of columns."""
        return int(self.columns.stop - self.columns.start)

    def sums(self, values: Numbers, groups: Ints | None = None, n_groups: int = 1) -> Floats:
        """Sums of one number per stored value, by group and column."""
        place = self.column if groups is None else groups * self.width + self.column
        total = np.bincount(place, values, minlength=n_groups * self.width)
        return total.astype(np.float64, copy=False).reshape(n_groups, self.width)


def stored_parts(X: Sparse) -> Iterator[StoredPart]:
    """The stored values, in parts of whole columns that are small enough for the cache."""
    pointers, p = X.indptr, X.shape[1]
    first = 0
    while first < p:
        last = int(np.searchsorted(pointers, pointers[first] + PART, side="right")) - 1
        last = min(p, max(first + 1, last))
        stored = slice(pointers[first], pointers[last])
        column = np.repeat(np.arange(last - first), np.diff(pointers[first : last + 1]))
        values = X.data[stored].astype(np.float64, copy=False)
        yield StoredPart(slice(first, last), values, X.indices[stored], column)
        first = last


def class_sums(
    X: Sparse, codes: Ints, n_classes: int, weights: Floats | None
) -> tuple[Floats, Floats, Floats, Floats]:
    """Count, pivot, sum of deviations from it and sum of squared deviations, by class and column.

    The pivot is the class mean up to rounding. Missing values are left out of their column.
    """
    size = np.bincount(codes, weights, minlength=n_classes).astype(np.float64)
    sums = np.zeros((4, n_classes, X.shape[1]))
    if kernels.take_stored(X.nnz):
        kernels.add_class_sums(
            X, codes, np.ones(len(codes)) if weights is None else weights, size, sums
        )
    else:
        for part in stored_parts(X):
            sums[:, :, part.columns] = _class_sums(part, codes, size, weights)
    count, pivot, total, ss = sums
    ss -= total * (total / np.maximum(count, np.finfo(np.float64).tiny))
    np.maximum(ss, 0.0, out=ss)
    return count, pivot, total, ss


def _class_sums(part: StoredPart, codes: Ints, size: Floats, weights: Floats | None) -> Floats:
    """The numpy twin of the kernel: the same additions in the same order."""
    groups, n_classes = codes[part.rows], len(size)
    weight = np.ones(len(part.rows)) if weights is None else weights[part.rows]
    known = ~np.isnan(part.values)
    values = np.where(known, part.values, 0.0)
    total = part.sums(weight * values, groups, n_classes)
    stored = part.sums(np.where(known, weight, 0.0), groups, n_classes)
    count = size[:, None] - part.sums(np.where(known, 0.0, weight), groups, n_classes)
    mean = np.divide(total, count, out=np.zeros_like(total), where=count > 0)
    deviation = np.where(known, values - mean[groups, part.column], 0.0)
    zeros = count - stored
    rest = part.sums(weight * deviation, groups, n_classes) - zeros * mean
    squares = part.sums(weight * deviation * deviation, groups, n_classes) + zeros * mean * mean
    return np.stack([count, mean, rest, squares])


def cross_sums(X: Sparse, centred: Floats, mean: Floats, weights: Floats | None) -> Floats:
    """Sums of products of deviations from the means with a centered target, of complete columns.

    The target is less its mean over the weighted rows.
    """
    factor = centred if weights is None else centred * weights
    everything = float(np.add.accumulate(factor)[-1]) if len(factor) else 0.0
    found = np.zeros(X.shape[1])
    for part in stored_parts(X):
        centre = mean[part.columns]
        y = factor[part.rows]
        products = part.sums((part.values - centre[part.column]) * y)[0]
        found[part.columns] = products - centre * (everything - part.sums(y)[0])
    return found


def columns_with_missing(X: Sparse) -> Ints:
    """Numbers of the columns that have missing values."""
    before = np.concatenate([[0], np.cumsum(np.isnan(X.data))])
    return np.flatnonzero(np.diff(before[X.indptr]))


def squared_lengths(X: Sparse) -> Floats:
    """Squared length of each row of a sparse matrix."""
    lengths: Floats = np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).reshape(-1)
    return lengths


def mapped(X: Any, function: Callable[[Floats], Numbers]) -> Any:
    """A function of all values that is 0 at 0, as doubles in the storage of X, dense or sparse."""
    if not is_sparse(X):
        return function(X).astype(np.float64, copy=False)
    found = X.astype(np.float64)
    found.data = function(found.data).astype(np.float64, copy=False)
    return found
