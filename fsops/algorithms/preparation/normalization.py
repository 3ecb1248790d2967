"""Location and spread of each feature, to bring features to a common scale.

Every rule returns a center and a divisor per feature: the scaled value is (x - center) / divisor.
The divisor of a feature that cannot be scaled is infinite, which makes all its values 0. Missing
values (NaN) are left out.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from fsops.algorithms.base.moments import ClassMoments
from fsops.algorithms.base.sparse_sums import stored_parts
from fsops.algorithms.base.sums import column_tiles
from fsops.algorithms.base.types import (
    Floats,
    Numbers,
    Sparse,
    as_matrix,
    is_sparse,
    stored_by_column,
)
from fsops.algorithms.preparation.discretize import quantiles

NORMAL_QUARTILES = 1.349
"""Distance of the quartiles of the normal distribution with deviation 1."""
PART, WIDTH = 1 << 18, 1 << 16
"""Values of a part of a matrix, and its columns: as fast as others on six shapes, or faster."""


def mean_and_deviation(X: Numbers) -> tuple[Floats, Floats]:
    """Mean and sample standard deviation (divisor n - 1); 0 for a single value, or none."""
    X = as_matrix(X)
    moments = ClassMoments.of(X, np.zeros(len(X), dtype=np.intp), 1)
    freedom = np.maximum(moments.count[0] - 1, 1.0)
    return moments.mean[0], np.sqrt(moments.within()[0] / freedom)


def z_transformation(X: Numbers) -> tuple[Floats, Floats]:
    """Mean and sample standard deviation."""
    mean, deviation = mean_and_deviation(X)
    return mean, _divisor(deviation)


def value_range(X: Numbers) -> tuple[Floats, Floats]:
    """Lowest value, and distance to the highest."""
    X = as_matrix(X)
    low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
    return _centre(low), _divisor(high - low)


def interquartile_range(X: Numbers) -> tuple[Floats, Floats]:
    """Median, and distance of the quartiles divided by that of the normal distribution."""
    low, median, high = quantiles(X, np.array([0.25, 0.5, 0.75]))
    return _centre(median), _divisor((high - low) / NORMAL_QUARTILES)


def proportion(X: Any) -> tuple[Floats, Floats]:
    """Nothing, and the sum of the absolute values; a feature of zeros stays as it is."""
    if is_sparse(X):
        total = _stored_sums(X, np.abs)
        return np.zeros_like(total), np.where(total > 0, total, 1.0)
    X = as_matrix(X)
    total = np.empty(X.shape[1])
    for tile in column_tiles(X.shape[1], len(X)):
        total[tile] = np.nansum(np.abs(X[:, tile]), axis=0)
    return np.zeros_like(total), np.where(total > 0, total, 1.0)


def average_norm(X: Any) -> tuple[Floats, Floats]:
    """Nothing, and one divisor for all features: the root of the mean squared length of the rows.

    The mean square of each feature is taken over its known values. A table of zeros stays as it is.

    References
    ----------
    Lal, Chapelle & Schölkopf (2006), Combining a filter method with SVMs, in: Feature Extraction,
    Foundations and Applications.
    """
    return norm_of_squares(mean_squares(X))


def norm_of_squares(squares: Floats) -> tuple[Floats, Floats]:
    """The same from the mean squares of all features."""
    length = float(np.sqrt(squares.sum()))
    return np.zeros_like(squares), np.full(squares.shape, length if length > 0 else 1.0)


def mean_squares(X: Any) -> Floats:
    """Mean square of the known values of each feature."""
    square, known = np.empty(X.shape[1]), np.empty(X.shape[1])
    if is_sparse(X):
        square, known = _stored_sums(X, np.square), X.shape[0] - _stored_sums(X, np.isnan)
    else:
        X = as_matrix(X)
        for tile in column_tiles(X.shape[1], len(X)):
            part = X[:, tile].astype(np.float64)
            square[tile] = np.nansum(part * part, axis=0)
            known[tile] = (~np.isnan(part)).sum(axis=0)
    result: Floats = square / np.maximum(known, 1.0)
    return result


def largest_size(X: Any) -> tuple[Floats, Floats]:
    """Nothing, and the largest absolute value; a feature of zeros stays as it is."""
    if is_sparse(X):
        size = np.zeros(X.shape[1])
        filled = np.flatnonzero(np.diff(X.indptr))
        if len(filled):
            largest = np.fmax.reduceat(np.abs(X.data), X.indptr[filled])
            size[filled] = np.nan_to_num(largest, nan=0.0, posinf=np.inf)
    else:
        X = as_matrix(X)
        size = np.fmax.reduce(np.abs(X), axis=0, initial=0.0).astype(np.float64)
    return np.zeros_like(size), np.where(size > 0, size, 1.0)


def _stored_sums(X: Sparse, term: Callable[[Floats], Numbers]) -> Floats:
    """Sums over the columns of a function that is 0 at 0; missing values are left out."""
    total = np.zeros(X.shape[1])
    for part in stored_parts(X):
        total[part.columns] = part.sums(np.nan_to_num(term(part.values), nan=0.0))[0]
    return total


def scaled(X: Any, centre: Floats, divisor: Floats, offset: float = 0.0) -> Any:
    """Each value less the center of its feature, divided, plus an offset; stored as X is."""
    if is_sparse(X):
        return scaled_columns(X, divisor)
    result = np.empty_like(X)
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        for rows, tile in _neighbours(X):
            part = np.subtract(X[rows, tile], centre[tile], out=result[rows, tile])
            part /= divisor[tile]
            if offset:
                part += offset
    return result


def _neighbours(X: Numbers) -> Iterator[tuple[slice, slice]]:
    """Rows and columns of the parts of a matrix whose values are neighbors and fit into a cache.

    Columns of a tall matrix stored by rows, taken with all rows, need up to five times as long.
    """
    n, p = X.shape
    width = max(1, PART // max(1, n)) if stored_by_column(X) else WIDTH
    for tile in column_tiles(p, width=width):
        height = max(1, PART // max(1, tile.stop - tile.start))
        for start in range(0, n, height):
            yield slice(start, start + height), tile


def scaled_columns(X: Sparse, divisor: Floats) -> Sparse:
    """A sparse matrix with each column divided by a number."""
    scaled = X.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        scaled.data /= np.repeat(divisor, np.diff(X.indptr))
    return scaled


def _centre(values: Numbers) -> Floats:
    return np.where(np.isnan(values), 0.0, values).astype(np.float64)


def _divisor(spread: Numbers) -> Floats:
    return np.where(spread > 0, spread, np.inf).astype(np.float64)
