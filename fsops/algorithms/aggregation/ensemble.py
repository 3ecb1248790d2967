"""The weightings of an ensemble of one filter, computed all at once.

A weight matrix has one row per member (resample) and one column per feature. Filters made of means
and variances need no loop over resamples: the rows of a resample are counts, and the sums of all
resamples are one matrix product. How the weightings are combined is in `aggregation`.
"""

from collections.abc import Callable, Iterator
from math import prod

import numpy as np

from fsops.algorithms.base import compiled as kernels
from fsops.algorithms.base.compiled import sets as set_kernels
from fsops.algorithms.base.moments import ROUNDING, ClassMoments, CrossMoments
from fsops.algorithms.base.types import (
    Floats,
    Ints,
    Numbers,
    Scores,
    as_classes,
    as_matrix,
    as_target,
    count_classes,
    is_sparse,
)
from fsops.algorithms.filters.contrasts import contrast_of

TILE_VALUES = 524288  # doubles of one intermediate result: four megabytes
JOINT_VALUES = 4_000_000  # the same where all features of a member are needed at once


def resampled_class_scores(
    X: Numbers,
    codes: Numbers,
    counts: Floats,
    score: Callable[[ClassMoments], Scores],
    *,
    n_classes: int | None = None,
    joint: bool = False,
) -> Floats:
    """Weights of a filter on class means and variances, for all resamples at once.

    The same weights as from `score(ClassMoments.of(X[rows], codes[rows], n_classes))` for each
    member's rows, up to rounding.

    Parameters
    ----------
    X, codes
        Rows by features without missing values; class of each row.
    counts
        How often each row occurs in each member, (K, n); see `resampling.row_counts`.
    score
        Such as `univariate.welch_t_from`, with its parameters bound. It is given moments with one
        more axis, (classes, members, features), unless joint.
    n_classes
        Number of classes, by default from codes.
    joint
        Set this if a feature's score depends on the other features, as with SAM's estimated s0.

    Returns
    -------
    ndarray, shape (K, p)
    """
    classes = n_classes or count_classes(codes)
    if is_sparse(X):
        moments = (ClassMoments.of(X, codes, classes, member) for member in counts)
        return np.array([score(found).weights for found in moments])
    X = as_matrix(X)
    codes = as_classes(codes, len(X), classes)
    _check_counts(counts, len(X))
    result = np.empty((len(counts), X.shape[1]))
    for part in _member_parts(len(counts), classes * X.shape[1], joint):
        sums = _ClassSums(X, codes, counts[part], classes)
        if joint:
            _score_jointly(sums, score, result[part])
        else:
            _score_tiles(sums, score, result[part])
    return result


def resampled_cross_scores(
    X: Numbers, y: Numbers, counts: Floats, score: Callable[[CrossMoments], Scores]
) -> Floats:
    """Weights of a correlation filter for all resamples at once, (K, p).

    Parameters
    ----------
    X, y
        Rows by features without missing values; numeric label.
    counts
        How often each row occurs in each member, (K, n).
    score
        Such as `univariate.pearson_from`.
    """
    X = as_matrix(X)
    target = as_target(y, len(X))
    _check_counts(counts, len(X))
    size = counts.sum(axis=1, keepdims=True)
    mean_y = (counts @ target)[:, None] / size
    # Centered for each member, so that the cross-products need no correction.
    deviation = counts * (target - mean_y)
    ss_y = (deviation * (target - mean_y)).sum(axis=1, keepdims=True)
    result = np.empty((len(counts), X.shape[1]))
    for tile in _tiles(X.shape[1], len(counts)):
        pivot, centred = _centred(X[:, tile].copy())
        total, squares = counts @ centred, counts @ (centred * centred)
        mean, ss = _mean_and_ss(total, squares, size)
        moments = CrossMoments(size, pivot + mean, mean_y, ss, ss_y, deviation @ centred)
        result[:, tile] = score(moments).weights
    return result


def _check_counts(counts: Floats, n: int) -> None:
    if counts.ndim != 2 or counts.shape[1] != n:
        raise ValueError(f"Row counts must have shape (members, {n}), got {counts.shape}.")
    if counts.size and counts.sum(axis=1).min() <= 0:
        raise ValueError("A resample has no rows.")


def _member_parts(members: int, values: int, joint: bool) -> Iterator[slice]:
    """All members together, or as many as fit if each needs that many values."""
    step = max(1, JOINT_VALUES // max(1, values)) if joint else max(1, members)
    for start in range(0, members, step):
        yield slice(start, min(members, start + step))


def _tile_width(lines: int) -> int:
    return max(64, TILE_VALUES // max(1, lines))


def _tiles(p: int, lines: int) -> Iterator[slice]:
    width = _tile_width(lines)
    for start in range(0, p, width):
        yield slice(start, min(p, start + width))


def _centred(values: Numbers) -> tuple[Floats, Floats]:
    """Column means and deviations: the sums of squares of resamples must not cancel.

    The values are overwritten.
    """
    centred: Floats = values.astype(np.float64, copy=False)
    pivot = centred.mean(axis=0)
    centred -= pivot
    if not np.isfinite(pivot).all():
        raise ValueError(
            "To compute all resamples at once, the data must not have missing or infinite values."
        )
    return pivot, centred


def _mean_and_ss(total: Floats, squares: Floats, size: Floats) -> tuple[Floats, Floats]:
    """Mean and sum of squared deviations from sums; the sums are overwritten."""
    mean = total / np.maximum(size, 1.0)
    total *= mean
    ss = np.subtract(squares, total, out=total)
    # What subtraction leaves of a column that is constant in the resample. One look at the extremes
    # tells for most tiles that there is none.
    if not ss.min(initial=np.inf) > ROUNDING * squares.max(initial=0.0):
        ss[ss <= ROUNDING * squares] = 0.0
    return mean, ss


class _CleanMoments(ClassMoments):
    """Moments without noise: it was set to exactly 0 when they were made."""

    __slots__ = ()

    def within(self) -> Floats:
        return self.ss


class _ClassSums:
    """Sums over the rows of each class in all members, for one tile of columns at a time."""

    def __init__(self, X: Numbers, codes: Ints, counts: Floats, classes: int) -> None:
        self.X = X
        self.order = np.argsort(codes, kind="stable")
        ends = np.cumsum(np.bincount(codes, minlength=classes))
        # A class is summed over its own rows only.
        self.rows = [slice(a, b) for a, b in zip([0, *ends], ends, strict=False)]
        self.weights = [np.ascontiguousarray(counts[:, self.order[own]]) for own in self.rows]
        self.size = np.stack([w.sum(axis=1, keepdims=True) for w in self.weights])
        self.by_kernel = kernels.take_values(self.size.size * X.shape[1])

    def tiles(self) -> Iterator[tuple[slice, Floats, Floats, Floats]]:
        """Columns, their means, and sums of deviations from these and of their squares.

        The sums are (classes, members, width) and overwritten for the next tile.
        """
        buffer = np.empty((2, self.size.size * _tile_width(self.size.size)))
        for tile in _tiles(self.X.shape[1], self.size.size):
            pivot, centred = _centred(self.X[self.order, tile])
            shape = *self.size.shape[:2], pivot.size
            total, squares = (b[: prod(shape)].reshape(shape) for b in buffer)
            self._sum(centred, total)
            centred *= centred
            self._sum(centred, squares)
            yield tile, pivot, total, squares

    def _sum(self, values: Floats, out: Floats) -> None:
        for own, weights, sums in zip(self.rows, self.weights, out, strict=True):
            np.matmul(weights, values[own], out=sums)

    def moments(self, pivot: Floats, total: Floats, squares: Floats) -> ClassMoments:
        """Moments from the sums of a tile, which are overwritten."""
        if self.by_kernel:
            set_kernels.finish_class_sums(total, squares, self.size, pivot, ROUNDING)
            return _CleanMoments(self.size, pivot, total, squares)
        return ClassMoments(self.size, pivot, *_mean_and_ss(total, squares, self.size))


def _score_tiles(sums: _ClassSums, score: Callable[[ClassMoments], Scores], result: Floats) -> None:
    contrast = contrast_of(score, sums.size) if sums.by_kernel else None
    for tile, pivot, total, squares in sums.tiles():
        if contrast is None or not contrast.fill(pivot, total, squares, result, tile.start):
            result[:, tile] = score(sums.moments(pivot, total, squares)).weights


def _score_jointly(
    sums: _ClassSums, score: Callable[[ClassMoments], Scores], result: Floats
) -> None:
    members, p = result.shape
    origin = np.empty(p)
    offset, ss = np.empty((2, len(sums.size), members, p))
    for tile, pivot, total, squares in sums.tiles():
        moments = sums.moments(pivot, total, squares)
        origin[tile], offset[:, :, tile], ss[:, :, tile] = (
            moments.origin,
            moments.offset,
            moments.ss,
        )
    for member in range(members):
        moments = ClassMoments(sums.size[:, member], origin, offset[:, member], ss[:, member])
        result[member] = score(moments).weights
