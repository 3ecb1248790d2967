"""Moments of many sets of rows of one table, such as the training sets of a cross-validation.

A set of rows is a line of counts: 0 or 1 for folds, more for bootstraps. The sums of all sets are
one matrix product per class, so that ten folds cost little more than one pass over the table.
The values are centred by the class means of the whole table first. So little is lost when the
squares are subtracted, however far the classes are from each other or from zero.
"""

from collections.abc import Iterator
from math import prod

import numpy as np

from fsops.algorithms.base.moments import ROUNDING, ClassMoments, CrossMoments
from fsops.algorithms.base.sums import divisor
from fsops.algorithms.base.types import Floats, Ints, Numbers, stored_by_column

TILE_BYTES = 2**21
"""Of a tile of the table and of its sums: fastest of 256 kB to 4 MB on four shapes."""


def class_moments_of_sets(
    X: Numbers, codes: Numbers, counts: Floats, n_classes: int
) -> ClassMoments:
    """Return the moments of the columns of X by class, for every set of rows.

    Parameters
    ----------
    X : array of shape (rows, features)
        Without missing or infinite values.
    codes : array of shape (rows,)
        Class of each row, 0..n_classes-1.
    counts : array of shape (sets, rows)
        How often each row is in each set.
    n_classes : int

    Returns
    -------
    ClassMoments
        Of shape (classes, sets, features).
    """
    rows = [np.flatnonzero(codes == c) for c in range(n_classes)]
    members = [np.ascontiguousarray(counts[:, own]) for own in rows]
    size = np.stack([own.sum(axis=1, keepdims=True) for own in members])
    p = X.shape[1]
    origin = np.empty(p)
    offset, ss = np.empty((2, n_classes, len(counts), p))
    for tile in _tiles(p, max(len(X), prod(size.shape))):
        means = np.zeros((n_classes, tile.stop - tile.start))
        for c, own in enumerate(rows):
            if not own.size:
                offset[c, :, tile], ss[c, :, tile] = 0.0, 0.0
                continue
            values = _gathered(X, own, tile)
            means[c] = values.mean(axis=0)
            values -= means[c]
            offset[c, :, tile], ss[c, :, tile] = _mean_and_ss(values, members[c], size[c])
        share = np.array([own.size for own in rows]) / len(X)
        origin[tile] = share @ means
        offset[:, :, tile] += (means - origin[tile])[:, None, :]
    if not size.all():  # a set lacks a class
        offset *= size > 0
    return ClassMoments(size, origin, offset, ss)


def cross_moments_of_sets(X: Numbers, target: Floats, counts: Floats) -> CrossMoments:
    """Return the moments of the columns of X with a target, of shape (sets, features).

    Parameters
    ----------
    X, counts
        See `class_moments_of_sets`.
    target : array of shape (rows,)
    """
    size = counts.sum(axis=1, keepdims=True)
    mean_y = (counts @ target)[:, None] / divisor(size)
    # Centred for each set, so that the cross-products need no correction.
    deviation = counts * (target - mean_y)
    ss_y = (deviation * (target - mean_y)).sum(axis=1, keepdims=True)
    p = X.shape[1]
    mean_x, ss_x, cross = np.empty((3, len(counts), p))
    everything = np.arange(len(X))
    for tile in _tiles(p, max(len(X), 3 * len(counts))):
        values = _gathered(X, everything, tile)
        pivot = values.mean(axis=0)
        values -= pivot
        cross[:, tile] = deviation @ values
        mean, ss_x[:, tile] = _mean_and_ss(values, counts, size)
        mean_x[:, tile] = pivot + mean
    return CrossMoments(size, mean_x, mean_y, ss_x, ss_y, cross)


def _tiles(p: int, lines: int) -> Iterator[slice]:
    width = max(64, TILE_BYTES // (8 * max(1, lines)))
    for start in range(0, p, width):
        yield slice(start, min(p, start + width))


def _gathered(X: Numbers, rows: Ints, tile: slice) -> Floats:
    """Return a copy of some rows of some columns, in the order in which they are stored."""
    part = X.T[tile].take(rows, axis=1).T if stored_by_column(X) else X[rows, tile]
    return part.astype(np.float64, copy=False)


def _mean_and_ss(values: Floats, counts: Floats, size: Floats) -> tuple[Floats, Floats]:
    """Return mean and sum of squared deviations of centred values, which are overwritten."""
    total = counts @ values
    mean = total / np.maximum(size, 1.0)
    values *= values
    squares = counts @ values
    total *= mean
    ss = squares - total
    # What subtraction leaves of a column that is constant in a set.
    noise = ss <= ROUNDING * squares
    if noise.any():
        ss[noise] = 0.0
    return mean, ss
