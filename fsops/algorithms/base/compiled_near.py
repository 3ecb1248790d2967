"""Compiled scores of near rows, for features with missing values or mixed kinds.

See `compiled`, whose rules hold here. The numpy twin is in `neighbors.surf`.
"""

import numpy as np

from fsops.algorithms.base.compiled import _compiled
from fsops.algorithms.base.types import Floats, Ints

TILE = 256
"""Features whose sums stay in the cache while the neighbours of a row pass by."""


@_compiled
def add_near_scores(  # noqa: PLR0917 - kernels have no keywords
    X: Floats,
    known: Floats,
    limits: Floats,
    anchors: Ints,
    starts: Ints,
    rows: Ints,
    groups: Ints,
    n_groups: int,
    total: Floats,
) -> None:
    """Add the scores of all anchors to the total of each feature.

    The neighbours of the i-th anchor are rows[starts[i]:starts[i + 1]], in group 0 if they are
    hits. Differences above the limit of a feature count as 1. Values are known (1) or not (0).
    """
    p = X.shape[1]
    sums, counts = np.empty((n_groups, TILE)), np.empty((n_groups, TILE))
    for first in range(0, p, TILE):
        size = min(p - first, TILE)
        last = first + size
        limit, t = limits[first:last], total[first:last]
        for i in range(anchors.size):
            sums[:] = 0.0
            counts[:] = 0.0
            x, own = X[anchors[i], first:last], known[anchors[i], first:last]
            for e in range(starts[i], starts[i + 1]):
                z, there = X[rows[e], first:last], known[rows[e], first:last]
                s, c = sums[groups[e]], counts[groups[e]]
                for j in range(size):
                    difference = abs(x[j] - z[j])
                    difference = 1.0 if difference > limit[j] else difference
                    s[j] += difference * there[j]
                    c[j] += there[j]
            for j in range(size):
                score = misses = 0.0
                for g in range(1, n_groups):
                    score += sums[g, j] * counts[g, j]
                    misses += counts[g, j]
                misses = max(misses, 1.0)
                score *= (n_groups - 1) / (misses * misses)
                t[j] += own[j] * (score - sums[0, j] / max(counts[0, j], 1.0))
