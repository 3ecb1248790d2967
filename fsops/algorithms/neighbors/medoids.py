"""Clusters around rows."""

from __future__ import annotations

import numpy as np

from fsops.algorithms.base.types import Floats, Ints

BLOCK = 2**22
"""Most differences that are computed at once."""


def nearest(X: Floats, points: Floats) -> Ints:
    """Return the nearest of some points for each row; of equally near ones the first."""
    step = max(1, BLOCK // max(1, points.size))
    parts = [
        ((X[first : first + step, None, :] - points) ** 2).sum(axis=2).argmin(axis=1)
        for first in range(0, len(X), step)
    ]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.intp)


def k_medoids(distances: Floats, k: int, runs: int, steps: int, rng: np.random.Generator) -> Ints:
    """Return the rows that are the centers of clusters with a small sum of distances.

    Rows join the nearest medoid, and each medoid moves to the row of its cluster with the smallest
    sum of distances, until nothing changes. The best of several random starts, in order.

    References
    ----------
    Park, Jun (2009): A simple and fast algorithm for K-medoids clustering. Expert Systems with
    Applications 36, 3336–3341.
    """
    found = [_improved(distances, np.sort(rng.choice(len(distances), k, False)), steps)
             for _ in range(runs)]  # fmt: skip
    costs = [distances[:, medoids].min(axis=1).sum() for medoids in found]
    return np.sort(found[int(np.argmin(costs))])


def _improved(distances: Floats, medoids: Ints, steps: int) -> Ints:
    for _ in range(steps):
        cluster = distances[:, medoids].argmin(axis=1)
        cluster[medoids] = np.arange(len(medoids))  # of equal rows each keeps its own
        moved = medoids.copy()
        for place in range(len(medoids)):
            members = np.flatnonzero(cluster == place)
            sums = distances[np.ix_(members, members)].sum(axis=0)
            moved[place] = members[sums.argmin()]
        if np.array_equal(moved, medoids):
            break
        medoids = moved
    return medoids
