"""Sums of deviations from a pivot, in steps that fit a cache; missing values are left out.

What `moments` is made of. Sums of the values themselves would lose digits where the values are far
from zero.
"""

from collections.abc import Callable, Iterator

import numpy as np

from fsops.algorithms.base.types import Floats, Ints, Numbers, stored_by_column

# Accumulators of one tile stay in the first-level cache; blocks of narrow tables in the second.
TILE_COLUMNS = 8192
BLOCK_VALUES = 32768
# A block this wide is not worth gathering: its rows are added one by one.
WIDE = 4096


def column_tiles(p: int, rows: int | None = None, width: int | None = None) -> Iterator[slice]:
    """Slices over p columns, of the given width, or less if `rows` rows would overflow a cache."""
    width = TILE_COLUMNS if width is None else width
    if rows is not None:
        width = max(1, min(width, 8 * BLOCK_VALUES // max(1, rows)))
    for start in range(0, p, width):
        yield slice(start, min(p, start + width))


def finite(values: Floats) -> Floats:
    """NaN for infinite: a mean or variance that does not exist spreads quietly as NaN."""
    return values if np.isfinite(values).all() else np.where(np.isinf(values), np.nan, values)


def divisor(count: Floats) -> Floats:
    """Counts to divide by; 1 instead of 0."""
    return np.where(count > 0, count, 1.0)


# --- sums by class --------------------------------------------------------------------------


def add_deviations(X: Numbers, rows: Ints, pivot: Floats, total: Floats, squares: Floats) -> None:
    """Add the deviations of these rows from the pivot, and their squares, to the two sums."""
    if stored_by_column(X):
        _add_columns(X, rows, pivot, total, squares)
        return
    for tile in column_tiles(pivot.size):
        add = _add_rows if tile.stop - tile.start >= WIDE else _add_blocks
        add(X[:, tile], rows, pivot[tile], total[tile], squares[tile])


def _add_columns(X: Numbers, rows: Ints, pivot: Floats, total: Floats, squares: Floats) -> None:
    """Feature by feature, for tables stored that way."""
    for tile in column_tiles(pivot.size, len(X)):
        d = X.T[tile].take(rows, axis=1).astype(np.float64, copy=False)
        d -= pivot[tile, None]
        total[tile] += d.sum(axis=1)
        squares[tile] += np.einsum("ij,ij->i", d, d)


def _add_rows(X: Numbers, rows: Ints, pivot: Floats, total: Floats, squares: Floats) -> None:
    """Row by row: wide rows are not worth gathering."""
    d = np.empty(pivot.size)
    for i in rows.tolist():
        np.subtract(X[i], pivot, out=d)
        np.add(total, d, out=total)
        np.multiply(d, d, out=d)
        np.add(squares, d, out=squares)


def _add_blocks(X: Numbers, rows: Ints, pivot: Floats, total: Floats, squares: Floats) -> None:
    """By gathered blocks of rows: narrow rows are not worth a call each."""
    size = max(1, BLOCK_VALUES // pivot.size)
    for start in range(0, rows.size, size):
        d = np.subtract(X[rows[start : start + size]], pivot)
        total += d.sum(axis=0)
        squares += np.einsum("ij,ij->j", d, d)


def known_sums(X: Numbers, weights: Floats | None = None) -> tuple[Floats, Floats, Floats, Floats]:
    """Count, pivot, sum of deviations from it and sum of squared deviations of known values."""
    p = X.shape[1]
    if not len(X):
        return np.zeros(p), np.zeros(p), np.zeros(p), np.zeros(p)
    d, count, pivot = _known_deviations(X, weights)
    with np.errstate(invalid="ignore", over="ignore"):
        total = d.sum(axis=0) if weights is None else weights @ d
        ss = _sum_of_products(d, d, weights) - total * (total / divisor(count))
    return count, pivot, total, ss


def _known_deviations(X: Numbers, weights: Floats | None = None) -> tuple[Floats, Floats, Floats]:
    """Deviations from the first known value of each column (0 if unknown), count and pivot."""
    unknown = np.isnan(X)
    count = len(X) - np.add.reduce(unknown, axis=0, dtype=np.float64)
    first = (~unknown).argmax(axis=0)
    pivot = np.where(count > 0, X[first, np.arange(X.shape[1])], 0.0)
    with np.errstate(invalid="ignore"):
        d = np.subtract(X, pivot, dtype=np.float64)
    np.copyto(d, 0.0, where=unknown)
    if weights is not None:
        count = weights @ (~unknown).astype(np.float64)
    return d, count, pivot


def _sum_of_products(a: Floats, b: Floats, weights: Floats | None) -> Floats:
    """Sum over the rows of the products of two matrices, column by column."""
    sums: Floats = np.einsum("ij,ij->j", a, b) if weights is None else weights @ (a * b)
    return sums


# --- sums with a target ---------------------------------------------------------------------


def cross_of(
    X: Numbers, centred: Floats, add: Callable[[Numbers, Floats, Floats, Floats], None]
) -> tuple[Floats, Floats, Floats]:
    """Mean, sum of squared deviations and cross-product of columns with a centred target."""
    n, p = X.shape
    total, squares, cross = sums = np.zeros((3, p))
    if not n:
        return total, squares, cross
    pivot = X[0].astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        add(X, centred, pivot, sums)
        squares -= total * (total / n)
        mean = pivot + total / n
    return finite(mean), finite(np.maximum(squares, 0.0)), finite(cross)


def add_cross_blocks(X: Numbers, y: Floats, pivot: Floats, sums: Floats) -> None:
    """Add deviations from the pivot, their squares and products with y to sums, (3, features)."""
    n, p = X.shape
    factors = np.stack([np.ones(n), y])
    # Whole columns where a feature is stored in one piece, else blocks of rows.
    size = n if stored_by_column(X) else min(256, max(16, 4 * BLOCK_VALUES // max(1, p)))
    for start in range(0, n, size):
        block = slice(start, start + size)
        d = np.subtract(X[block], pivot, dtype=np.float64)
        sums[[0, 2]] += factors[:, block] @ d
        sums[1] += np.einsum("ij,ij->j", d, d)


def known_cross(X: Numbers, y: Floats, weights: Floats | None = None) -> tuple[Floats, ...]:
    """The fields of `CrossMoments` over the known values of each column."""
    d, count, pivot = _known_deviations(X, weights)
    divide_by = divisor(count)
    known = ~np.isnan(X)
    dy = np.where(known, y[:, None] - y.mean(), 0.0)
    shift = (dy.sum(axis=0) if weights is None else weights @ dy) / divide_by
    dy = np.where(known, dy - shift, 0.0)
    with np.errstate(invalid="ignore", over="ignore"):
        total = d.sum(axis=0) if weights is None else weights @ d
        ss_x = _sum_of_products(d, d, weights) - total * (total / divide_by)
        # The deviations of y sum to 0, so those of x need not be centred.
        cross = _sum_of_products(d, dy, weights)
    return (
        count,
        finite(pivot + total / divide_by),
        y.mean() + shift,
        finite(np.maximum(ss_x, 0.0)),
        _sum_of_products(dy, dy, weights),
        finite(cross),
    )


# --- sums of a target -----------------------------------------------------------------------


def grouped_target(y: Floats, groups: Numbers, n_groups: int) -> tuple[Floats, Floats, Floats]:
    """Count, mean and sum of squared deviations of centred y by the codes of every column."""
    n, p = groups.shape
    # Code -1 falls into an extra group that is cut off again.
    code = np.where(groups < 0, n_groups, groups).astype(np.intp)
    cell = (code + np.arange(p) * (n_groups + 1)).ravel()
    cells = p * (n_groups + 1)
    values = np.repeat(y, p)
    count = np.bincount(cell, minlength=cells).astype(np.float64)
    mean = np.bincount(cell, values, minlength=cells) / np.maximum(count, 1.0)
    deviation = values - mean[cell]
    ss = np.bincount(cell, deviation * deviation, minlength=cells)

    def by_group(a: Numbers) -> Floats:
        return np.ascontiguousarray(a.reshape(p, n_groups + 1)[:, :n_groups].T, dtype=np.float64)

    return by_group(count), by_group(mean), by_group(ss)
