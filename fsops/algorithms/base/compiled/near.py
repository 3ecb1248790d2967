"""Compiled distances and scores of near rows, for Relief and its kin.

See `compiled`, whose rules hold here. The numpy twins are in `neighbors`.
"""

import numpy as np

from fsops.algorithms.base.compiled import _compiled
from fsops.algorithms.base.types import Bools, Floats, Int32s, Ints

# Rows and features of a block of which the distances from all anchors are summed.
NEAR_ROWS = 256
NEAR_FEATURES = 64
# Features whose differences from all neighbors are added up while they are in the cache.
NEAR_TILE = 512
# The same for the scores of single anchors.
SCORE_TILE = 256


@_compiled
def add_distances(X: Floats, anchors: Ints, distance: Floats) -> None:
    """Add the sums of absolute differences of the anchors from all rows to (anchors, rows).

    If every row is an anchor, only the values right of the diagonal are valid. Two anchors
    and four features are taken at a time, to load rows and sums less often.
    """
    n, p = X.shape
    half = anchors.size == n
    nowhere = np.zeros(n)
    block = np.zeros((NEAR_FEATURES, n))
    for f in range(0, p, NEAR_FEATURES):
        size = min(p - f, NEAR_FEATURES)
        for i in range(n):
            for g in range(size):
                block[g, i] = X[i, f + g]
        # Features that are equal in all rows fill up the last four.
        block[size:] = 0.0
        for first in range(0, n, NEAR_ROWS):
            last = min(n, first + NEAR_ROWS)
            for i in range(0, min(anchors.size, last) if half else anchors.size, 2):
                begin = max(first, i) if half else first
                pair = i + 1 < anchors.size
                a, b = anchors[i], anchors[i + 1 if pair else i]
                to_a = distance[i, begin:last]
                to_b = distance[i + 1, begin:last] if pair else nowhere[begin:last]
                for g in range(0, size, 4):
                    x0, x1 = block[g, begin:last], block[g + 1, begin:last]
                    x2, x3 = block[g + 2, begin:last], block[g + 3, begin:last]
                    a0, a1, a2, a3 = block[g, a], block[g + 1, a], block[g + 2, a], block[g + 3, a]
                    b0, b1, b2, b3 = block[g, b], block[g + 1, b], block[g + 2, b], block[g + 3, b]
                    for j in range(last - begin):
                        u0, u1, u2, u3 = x0[j], x1[j], x2[j], x3[j]
                        near = to_a[j] + abs(a0 - u0) + abs(a1 - u1)
                        to_a[j] = near + abs(a2 - u2) + abs(a3 - u3)
                        near = to_b[j] + abs(b0 - u0) + abs(b1 - u1)
                        to_b[j] = near + abs(b2 - u2) + abs(b3 - u3)


@_compiled
def mirror(distance: Floats) -> None:
    """Copy the values right of the diagonal of a square matrix to its left."""
    n = len(distance)
    for a in range(0, n, 64):
        for b in range(a, n, 64):
            for i in range(a, min(n, a + 64)):
                for j in range(max(b, i + 1), min(n, b + 64)):
                    distance[j, i] = distance[i, j]


@_compiled
def find_nearest(  # noqa: PLR0912, PLR0917 - kernels have no keywords
    near: Int32s,
    X: Floats,
    codes: Ints,
    sizes: Ints,
    largest_error: float,
    decimals: int,
    chosen: Ints,
    doubtful: Bools,
) -> None:
    """Choose the nearest rows of each class for each row, from rounded distances of all rows.

    chosen is (rows, classes, k) and ends with -1 where a class has fewer rows. Where the error may
    decide, distances are computed again in double precision; if two of them are still equal at the
    last place, the row is doubtful.
    """
    n, n_classes, k = chosen.shape
    distance, row = np.empty((n_classes, k + 1)), np.empty((n_classes, k + 1), dtype=np.int64)
    exact, candidate = np.empty(n), np.empty(n, dtype=np.int64)
    for i in range(n):
        distance[:] = np.inf
        line = near[i]
        for j in range(n):
            c, d = codes[j], line[j]
            if d < distance[c, k] and j != i:
                place = k
                while place > 0 and distance[c, place - 1] > d:
                    distance[c, place], row[c, place] = distance[c, place - 1], row[c, place - 1]
                    place -= 1
                distance[c, place], row[c, place] = d, j
        for c in range(n_classes):
            count = min(k, sizes[c] - (codes[i] == c))
            chosen[i, c, :count] = row[c, :count]
            if count < k or distance[c, k] == np.inf:
                continue
            limit = distance[c, k - 1]
            error = 2 * largest_error
            if distance[c, k] - limit > error:
                continue
            sure = found = 0
            for j in range(n):
                if codes[j] != c or j == i:
                    continue
                if line[j] < limit - error:
                    chosen[i, c, sure] = j
                    sure += 1
                elif line[j] <= limit + error:
                    total = 0.0
                    for f in range(X.shape[1]):
                        total += abs(X[i, f] - X[j, f])
                    exact[found], candidate[found] = round(total, decimals), j
                    found += 1
            order = np.argsort(exact[:found])
            for place in range(k - sure):
                chosen[i, c, sure + place] = candidate[order[place]]
            last = order[k - sure - 1]
            doubtful[i] |= exact[order[k - sure]] == exact[last]


@_compiled
def add_weighted_differences(
    X: Floats, starts: Ints, neighbours: Ints, weights: Floats, total: Floats
) -> None:
    """Add the weighted absolute differences of pairs of rows to the total of every feature.

    The neighbors of row i are those from starts[i] to starts[i + 1]; four are taken at a time.
    """
    n, p = X.shape
    for a in range(0, p, NEAR_TILE):
        b = min(p, a + NEAR_TILE)
        t = total[a:b]
        for i in range(n):
            x, e, last = X[i, a:b], starts[i], starts[i + 1]
            while e + 4 <= last:
                x0, x1 = X[neighbours[e], a:b], X[neighbours[e + 1], a:b]
                x2, x3 = X[neighbours[e + 2], a:b], X[neighbours[e + 3], a:b]
                w0, w1, w2, w3 = weights[e], weights[e + 1], weights[e + 2], weights[e + 3]
                for j in range(b - a):
                    v = x[j]
                    near = w0 * abs(v - x0[j]) + w1 * abs(v - x1[j])
                    t[j] += near + (w2 * abs(v - x2[j]) + w3 * abs(v - x3[j]))
                e += 4
            while e < last:
                x0, w0 = X[neighbours[e], a:b], weights[e]
                for j in range(b - a):
                    t[j] += w0 * abs(x[j] - x0[j])
                e += 1


def weighted_differences(X: Floats, anchors: Ints, neighbours: Ints, weights: Floats) -> Floats:
    """Sum of the weighted absolute differences of pairs of rows, for every feature.

    A pair and its mirror image are one pair.
    """
    n = len(X)
    key = np.minimum(anchors, neighbours) * n + np.maximum(anchors, neighbours)
    if key.size > n * n // 16:
        # Many pairs: one place for each possible one is faster than sorting.
        every = np.bincount(key, weights, minlength=n * n).astype(np.float64)
        pair = np.flatnonzero(every)
        summed: Floats = every[pair]
    else:
        pair, place = np.unique(key, return_inverse=True)
        summed = np.bincount(place, weights, minlength=pair.size).astype(np.float64)
    starts = np.searchsorted(pair, np.arange(n + 1) * n)
    total = np.zeros(X.shape[1])
    add_weighted_differences(X, starts, pair % n, summed, total)
    return total


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

    The neighbors of the i-th anchor are rows[starts[i]:starts[i + 1]], in group 0 if they are
    hits. Differences above the limit of a feature count as 1. Values are known (1) or not (0).
    """
    p = X.shape[1]
    sums, counts = np.empty((n_groups, SCORE_TILE)), np.empty((n_groups, SCORE_TILE))
    for first in range(0, p, SCORE_TILE):
        size = min(p - first, SCORE_TILE)
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
