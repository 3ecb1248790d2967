"""Orders, ranks and top-k masks of weight vectors, one tie rule for all of them.

The rule: larger weight first, equal weights by smaller index, NaN last.
"""

import numpy as np

from fsops.algorithms.base.sums import column_tiles
from fsops.algorithms.base.types import Bools, Floats, Ints


def descending_order(weights: Floats) -> Ints:
    """Indices from the largest to the smallest weight along the last axis.

    Equal weights keep the order of their indices and NaN comes last.

    Parameters
    ----------
    weights : ndarray, shape (..., p)

    Returns
    -------
    ndarray of int, shape (..., p)
    """
    return np.argsort(-np.asarray(weights, dtype=np.float64), axis=-1, kind="stable")


def ordinal_ranks(weights: Floats) -> Ints:
    """Ranks 1..p along the last axis, 1 for the largest weight, no two alike.

    Parameters
    ----------
    weights : ndarray, shape (..., p)

    Returns
    -------
    ndarray of int, shape (..., p)
    """
    order = descending_order(weights)
    ranks = np.empty_like(order)
    places = np.broadcast_to(np.arange(1, order.shape[-1] + 1), order.shape)
    np.put_along_axis(ranks, order, places, axis=-1)
    return ranks


def average_ranks(weights: Floats) -> Floats:
    """Ranks 1..p of one vector, 1 for the largest; equal weights share their mean rank.

    Parameters
    ----------
    weights : ndarray, shape (p,)

    Returns
    -------
    ndarray of float, shape (p,)
    """
    _, group, counts = np.unique(-weights, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2.0)[group]


def average_ranks_of_columns(X: Floats) -> Floats:
    """`average_ranks` of every column of a matrix without missing values, many at a time.

    Parameters
    ----------
    X : ndarray, shape (n, p)

    Returns
    -------
    ndarray of float, shape (n, p)
    """
    ranks = np.empty(X.shape, order="F")
    n, p = X.shape
    for tile in column_tiles(p, n) if n else ():
        values = np.negative(X[:, tile].T, order="C")
        order = np.argsort(values, axis=1)
        ordered = np.take_along_axis(values, order, axis=1)
        first = np.ones(values.shape, dtype=np.bool_)
        first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
        starts = np.flatnonzero(first)
        counts = np.diff(np.append(starts, values.size))
        shared = np.repeat(starts % n + (counts + 1) / 2.0, counts).reshape(values.shape)
        np.put_along_axis(ranks[:, tile].T, order, shared, axis=1)
    return ranks


def top_k_mask(weights: Floats, k: int) -> Bools:
    """Mask of the k best weights along the last axis (all of them if k exceeds p).

    Parameters
    ----------
    weights : ndarray, shape (..., p)
    k : int
        At least 0.

    Returns
    -------
    ndarray of bool, shape (..., p)
    """
    if k < 0:
        raise ValueError(f"k is {k}, but a number of features is at least 0.")
    return ordinal_ranks(weights) <= k
