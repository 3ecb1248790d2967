"""Moments of many sets of rows of one table, such as the training sets of a cross-validation.

A set of rows is a line of counts: 0 or 1 for folds, more for bootstraps. The sums of all sets are
one matrix product per class, so that ten folds cost little more than one pass over the table. Rows
that all sets count alike, such as the rows of one fold, are added up before the product.
The values are centered by the class means of the whole table first. So little is lost when the
squares are subtracted, however far the classes are from each other or from zero.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base.compiled import sets as kernels
from fsops.algorithms.base.moments import ROUNDING, ClassMoments, CrossMoments
from fsops.algorithms.base.sums import divisor
from fsops.algorithms.base.types import Floats, Ints, Numbers, stored_by_column

TILE_BYTES = 2**20
"""Of a tile of the table: fastest of 256 kB to 2 MB on four shapes."""
FEW = 2
"""Rows are added up before the product if so many are alike on average: it costs a pass."""


@dataclass(frozen=True, slots=True, eq=False)
class _Tile:
    """Some columns of a table: those from ``first`` on of a table stored by rows."""

    columns: slice
    X: Numbers
    first: int
    compiled: bool

    @property
    def width(self) -> int:
        return int(self.columns.stop - self.columns.start)

    def rows(self, rows: Ints) -> Floats:
        """Return a copy of some rows."""
        part = self.X[rows, self.first : self.first + self.width]
        return part.astype(np.float64, copy=False)


@dataclass(frozen=True, slots=True, eq=False)
class _ClassRows:
    """The rows of a class, in groups that each set counts alike.

    Attributes
    ----------
    rows
        Row numbers, group by group.
    starts
        Where each group starts, and the number of rows.
    counts
        How often each set counts the rows of each group, (sets, groups).
    size
        Rows in each set, (sets, 1).
    """

    rows: Ints
    starts: Ints
    counts: Floats
    size: Floats

    @classmethod
    def of(cls, rows: Ints, counts: Floats) -> "_ClassRows":
        """Group the rows; ``counts`` is (sets, all rows)."""
        own = np.ascontiguousarray(counts[:, rows])
        size = own.sum(axis=1, keepdims=True)
        # Products with random numbers are equal for equal columns, and hardly for others.
        place = np.random.default_rng(0).random(len(own)) @ own
        _, first, group = np.unique(place, return_index=True, return_inverse=True)
        if FEW * first.size > rows.size or not np.array_equal(own[:, first[group]], own):
            return cls(rows, np.arange(rows.size + 1), own, size)
        starts = np.concatenate([[0], np.cumsum(np.bincount(group))])
        order = np.argsort(group, kind="stable")
        return cls(rows[order], starts, np.ascontiguousarray(own[:, first]), size)

    def sums(self, tile: _Tile, mean: Floats) -> tuple[Floats, Floats]:
        """Fill the mean of the class; return sums of deviations and of their squares by set."""
        if tile.compiled:
            sums = np.empty((2, self.starts.size - 1, tile.width))
            kernels.add_groups(tile.X, tile.first, self.rows, self.starts, mean, sums)
            return self.counts @ sums[0], self.counts @ sums[1]
        values = tile.rows(self.rows)
        mean[:] = _added(values) / max(1, len(values))
        values -= mean
        total = self.counts @ self._by_group(values)
        values *= values
        return total, self.counts @ self._by_group(values)

    def _by_group(self, values: Floats) -> Floats:
        if self.starts.size > len(values):
            return values
        ends = zip(self.starts, self.starts[1:], strict=False)
        return np.array([_added(values[start:end]) for start, end in ends])


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
    classes = [_ClassRows.of(own, counts) for own in rows]
    size = np.stack([own.size for own in classes])
    fractions = np.array([own.size for own in rows]) / len(X)
    origin = np.empty(X.shape[1])
    # Two arrays: memory of more than 32 MB is given back to the system, and asked for again.
    # The classes of a set lie together, because they will be read together.
    offset, ss = (np.empty((len(counts), n_classes, X.shape[1])) for _ in range(2))
    for tile in _tiles(X, len(counts)):
        means = np.zeros((n_classes, tile.width))
        sums = [own.sums(tile, mean) for own, mean in zip(classes, means, strict=True)]
        origin[tile.columns] = fractions @ means
        means -= origin[tile.columns]
        for c, (total, squares) in enumerate(sums):
            if tile.compiled:
                moments = total, squares, size[c], means[c], offset, ss
                kernels.finish_sets(*moments, c, tile.columns.start, ROUNDING)
                continue
            mean, ss[:, c, tile.columns] = _mean_and_ss(total, squares, size[c])
            np.add(mean, means[c], out=offset[:, c, tile.columns])
    offset, ss = offset.transpose(1, 0, 2), ss.transpose(1, 0, 2)
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
    # Centered for each set, so that the cross-products need no correction.
    deviation = counts * (target - mean_y)
    ss_y = (deviation * (target - mean_y)).sum(axis=1, keepdims=True)
    p = X.shape[1]
    mean_x, ss_x, cross = np.empty((3, len(counts), p))
    everything = np.arange(len(X))
    for tile in _tiles(X, len(counts)):
        values = tile.rows(everything)
        pivot = values.mean(axis=0)
        values -= pivot
        cross[:, tile.columns] = deviation @ values
        total = counts @ values
        values *= values
        mean, ss_x[:, tile.columns] = _mean_and_ss(total, counts @ values, size)
        mean_x[:, tile.columns] = pivot + mean
    return CrossMoments(size, mean_x, mean_y, ss_x, ss_y, cross)


def _tiles(X: Numbers, sets: int) -> Iterator[_Tile]:
    """Cut a table into parts that fit a cache; those of tables stored by columns are copied."""
    by_column, compiled = stored_by_column(X), kernels.take_sets(X, sets)
    width = max(64, TILE_BYTES // (8 * max(1, len(X))))
    for start in range(0, X.shape[1], width):
        columns = slice(start, min(X.shape[1], start + width))
        if by_column:
            yield _Tile(columns, np.ascontiguousarray(X[:, columns]), 0, compiled)
        else:
            yield _Tile(columns, X, start, compiled)


def _added(values: Floats) -> Floats:
    """Return the sum of the rows, one after the other, as the kernels add them.

    Of a single column numpy would add pairs first.
    """
    single = values.shape[1] == 1 and len(values)
    total: Floats = np.cumsum(values, axis=0)[-1] if single else values.sum(axis=0)
    return total


def _mean_and_ss(total: Floats, squares: Floats, size: Floats) -> tuple[Floats, Floats]:
    """Return mean and sum of squared deviations from sums, which are overwritten."""
    mean = total / np.maximum(size, 1.0)
    total *= mean
    ss = squares - total
    # What subtraction leaves of a column that is constant in a set.
    noise = ss <= ROUNDING * squares
    if noise.any():
        ss[noise] = 0.0
    return mean, ss
