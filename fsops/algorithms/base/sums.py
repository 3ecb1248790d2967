"""Sums of deviations from a pivot, in steps that fit a cache; missing values are left out.

`moments` is built on them. Sums of the values themselves would lose digits where the values are far
from zero.
"""

from collections.abc import Iterator

import numpy as np

from fsops.algorithms.base.types import Floats, Ints, Numbers, stored_by_column

# Accumulators of one tile stay in the first-level cache; blocks of narrow tables in the second.
TILE_COLUMNS = 8192
BLOCK_VALUES = 32768
# Columns of a table stored by columns that are turned into rows at a time.
COLUMN_WIDTH = 64


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
    by_column = stored_by_column(X)
    for tile, block, lines in _blocks(X, rows.size):
        members, d = rows[block], lines[1:]
        part = X.T[tile].take(members, axis=1).T if by_column else X[:, tile][members]
        np.subtract(part, pivot[tile], out=d)
        _add_lines(lines, total[tile])
        np.multiply(d, d, out=d)
        _add_lines(lines, squares[tile])


def _blocks(X: Numbers, n: int) -> Iterator[tuple[slice, slice, Floats]]:
    """Columns and some of n rows that fit into a cache, and a buffer with one line more."""
    width = max(COLUMN_WIDTH, BLOCK_VALUES // max(1, n)) if stored_by_column(X) else TILE_COLUMNS
    for tile in column_tiles(X.shape[1], width=width):
        # An odd number: steps of a power of 2 would all meet in the same lines of the cache.
        size = max(1, BLOCK_VALUES // (tile.stop - tile.start)) | 1
        buffer = np.empty((min(size, n) + 1, tile.stop - tile.start))
        for start in range(0, n, size):
            block = slice(start, min(n, start + size))
            yield tile, block, buffer[: block.stop - start + 1]


def _add_lines(lines: Floats, total: Floats) -> None:
    """Add all lines but the first, which is overwritten, to the total: one after the other.

    So do the kernels, which give the same bits. Of a single column numpy would add pairs first.
    """
    lines[0] = total
    if lines.shape[1] > 1:
        np.add.reduce(lines, axis=0, out=total)
    else:
        total[:] = np.add.accumulate(lines, axis=0)[-1]


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


def cross_of(X: Numbers, centred: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean, sum of squared deviations and cross-product of columns with a centered target."""
    n, p = X.shape
    total, squares, cross = sums = np.zeros((3, p))
    if not n:
        return total, squares, cross
    pivot = X[0].astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        _add_cross_blocks(X, centred, pivot, sums)
        squares -= total * (total / n)
        mean = pivot + total / n
    return finite(mean), finite(np.maximum(squares, 0.0)), finite(cross)


def _add_cross_blocks(X: Numbers, y: Floats, pivot: Floats, sums: Floats) -> None:
    """Add deviations from the pivot, their squares and products with y to sums, (3, features)."""
    by_column = stored_by_column(X)
    for tile, block, lines in _blocks(X, len(X)):
        total, squares, cross = sums[:, tile]
        d = lines[1:]
        part = X.T[tile, block].copy().T if by_column else X[block, tile]
        np.subtract(part, pivot[tile], out=d)
        _add_lines(lines, total)
        products = np.empty(lines.shape)
        np.multiply(d, y[block, None], out=products[1:])
        _add_lines(products, cross)
        np.multiply(d, d, out=d)
        _add_lines(lines, squares)


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
        # The deviations of y sum to 0, so those of x need not be centered.
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
    """Count, mean and sum of squared deviations of centered y by the codes of every column."""
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
