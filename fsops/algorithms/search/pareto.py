"""Comparing by several criteria at once: points that are not dominated, and how crowded they are.

One point dominates another if it is at least as good in every criterion and better in one.
Larger is better; an undefined value is the worst.

References
----------
Deb, Pratap, Agarwal & Meyarivan (2002), A fast and elitist multiobjective genetic algorithm:
NSGA-II. IEEE Transactions on Evolutionary Computation 6.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fsops.algorithms.base.types import Floats, Ints


def _defined(points: npt.ArrayLike) -> Floats:
    values = np.asarray(points, dtype=np.float64)
    return np.where(np.isnan(values), -np.inf, values)


def front(points: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Which points no other dominates.

    Parameters
    ----------
    points : array, shape (n, criteria)

    Returns
    -------
    ndarray of bool, shape (n,)
        Equal points are both in or both out.
    """
    values = _defined(points)
    # From the best in the first criterion on, a point can only be dominated by an earlier one.
    order = np.lexsort(-values.T[::-1])
    keep = np.zeros(len(values), dtype=bool)
    found = np.empty((0, values.shape[1]))
    for i in order:
        at_least = (found >= values[i]).all(axis=1)
        if not (at_least & (found > values[i]).any(axis=1)).any():
            keep[i] = True
            found = np.vstack([found, values[i]])
    return keep


def ranks(points: npt.ArrayLike) -> Ints:
    """Front of each point: 0 if not dominated, 1 if only by points of front 0, and so on.

    Parameters
    ----------
    points : array, shape (n, criteria)

    Returns
    -------
    ndarray of int, shape (n,)
    """
    values = _defined(points)
    rank = np.full(len(values), -1, dtype=np.intp)
    level, left = 0, np.arange(len(values))
    while left.size:
        inside = front(values[left])
        rank[left[inside]] = level
        left, level = left[~inside], level + 1
    return rank


def crowding(points: npt.ArrayLike) -> Floats:
    """Distance of each point to its neighbors on a front; infinite for its ends.

    Per criterion the gap between the two neighbors, as a fraction of the whole range, added up.

    Parameters
    ----------
    points : array, shape (n, criteria)
        Points of one front.

    Returns
    -------
    ndarray, shape (n,)
    """
    values = np.asarray(points, dtype=np.float64)
    finite = np.isfinite(values)
    values = np.where(finite, values, np.where(finite, values, np.inf).min(axis=0, initial=0.0))
    distance = np.zeros(len(values))
    for column in values.T:
        order = np.argsort(column, kind="stable")
        spread = column[order[-1]] - column[order[0]]
        distance[order[[0, -1]]] = np.inf
        if spread > 0:
            distance[order[1:-1]] += (column[order[2:]] - column[order[:-2]]) / spread
    return distance


def best(points: npt.ArrayLike, size: int) -> Ints:
    """Choose points front by front; of the last front those with most room around them.

    Parameters
    ----------
    points : array, shape (n, criteria)
    size : int
        How many to choose.

    Returns
    -------
    ndarray of int
        Their numbers, the best first.
    """
    values = _defined(points)
    rank = ranks(values)
    room = np.zeros(len(values))
    for level in range(int(rank.max(initial=-1)) + 1):
        here = np.flatnonzero(rank == level)
        room[here] = crowding(values[here])
    return np.lexsort((np.arange(len(values)), -room, rank))[:size]
