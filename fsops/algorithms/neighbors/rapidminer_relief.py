"""Relief with the formulas of RapidMiner, for processes that come from there.

It differs from `fsops.algorithms.neighbors.relief.relieff` in four points. Near rows are found by
the Euclidean distance of the values as they are. The difference of two numbers is
(|x - z| - min) / (max - min). Sums are not divided by the number of neighbors. A missing value
leaves its row out for its feature only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fsops.algorithms.base.sums import column_tiles
from fsops.algorithms.base.types import Bools, Floats, Ints, Numbers

BLOCK_ROWS = 256


def rapidminer_relief(
    X: Floats, nominal: Numbers, codes: Ints, *, k: int = 10, rows: Ints | None = None
) -> Floats:
    """Weights of the numeric features, then of the nominal ones.

    Parameters
    ----------
    X, nominal
        Numbers with NaN, and categories with -1, where a value is missing. Missing values add
        nothing to the distance of two rows.
    codes
        Class of each row, counted from 0.
    k
        Number of neighbors from each class; all rows of a smaller class are taken.
    rows
        Rows whose neighbors are compared; all by default.
    """
    chosen = np.arange(len(X)) if rows is None else rows
    values = np.hstack([X, np.where(nominal < 0, np.nan, nominal)])
    is_category = np.arange(values.shape[1]) >= X.shape[1]
    shares = np.bincount(codes) / len(codes)
    near = [
        _nearest(values, chosen, np.flatnonzero(codes == c), k)
        for c in range(len(shares))
        if shares[c]
    ]
    shares = shares[shares > 0]
    own = np.unique(codes, return_inverse=True)[1][chosen]
    factors = shares / np.maximum(1 - shares[own], np.finfo(float).tiny)[:, None]
    factors[np.arange(len(chosen)), own] = -1.0
    weights = np.empty(values.shape[1])
    for tile in column_tiles(values.shape[1], len(chosen)):
        weights[tile] = _weights(values[:, tile], is_category[tile], chosen, near, factors)
    return weights


def _nearest(values: Floats, chosen: Ints, members: Ints, k: int) -> Ints:
    """The k nearest rows of a class for each chosen row; -1 where there are fewer."""
    near = np.full((len(chosen), k), -1, dtype=np.intp)
    for start in range(0, len(chosen), BLOCK_ROWS):
        block = chosen[start : start + BLOCK_ROWS]
        distance = _squared_distances(values[block], values[members])
        distance[block[:, None] == members] = np.inf
        order = np.argsort(distance, axis=1, kind="stable")[:, :k]
        exists = np.isfinite(np.take_along_axis(distance, order, axis=1))
        near[start : start + BLOCK_ROWS, : order.shape[1]] = np.where(exists, members[order], -1)
    return near


def _squared_distances(some: Floats, others: Floats) -> Floats:
    """Squared distances, without the features in which one of two values is missing.

    They are sums of squared differences: a matrix product would order equal rows by rounding.
    """
    from scipy.spatial.distance import cdist

    if np.isfinite(some).all() and np.isfinite(others).all():
        return np.asarray(cdist(some, others, "sqeuclidean"))
    return np.array([np.nansum((others - row) ** 2, axis=1) for row in some])


def _weights(
    values: Floats, is_category: Bools, chosen: Ints, near: Sequence[Ints], factors: Floats
) -> Floats:
    low, high = np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)
    span = np.where(high > low, high - low, np.inf)
    total = np.zeros(values.shape[1])
    for neighbours, factor in zip(near, factors.T, strict=True):
        for place in neighbours.T:
            difference = np.abs(values[chosen] - values[place])
            difference = np.where(is_category, difference > 0, (difference - low) / span)
            difference[np.isnan(values[chosen]) | np.isnan(values[place])] = 0.0
            total += np.where(place < 0, 0.0, factor) @ difference
    known = (~np.isnan(values[chosen])).sum(axis=0)
    return np.asarray(total / np.maximum(known, 1))
