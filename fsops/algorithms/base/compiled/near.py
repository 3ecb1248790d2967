"""Compiled distances and scores of near rows, for Relief and its kin.

See `compiled`, whose rules hold here. The numpy twins are in `neighbors`.
"""

import numpy as np

from fsops.algorithms.base.compiled import _compiled
from fsops.algorithms.base.types import Bools, Floats, Ints

# Rows and features of a block of which the distances from all anchors are summed.
NEAR_ROWS = 256
NEAR_FEATURES = 64
# Units of a value from 0 to 1, of which so many features do not overflow 32 bits.
UNITS = 2.0**24
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


def near_distances(X: Floats) -> Floats:
    """Sums of absolute differences of all rows, within `near_error`; values are from 0 to 1.

    Differences of whole numbers are added up twice as fast as those of doubles.
    """
    distance = np.zeros((len(X), len(X)))
    _add_near_distances(X, distance)
    mirror(distance)
    distance /= UNITS
    return distance


def near_error(features: int) -> float:
    """Largest error of `near_distances`: two values are rounded by half a unit each.

    The sums are exact, up to the one by which the double ones are rounded.
    """
    return features * (1.0 + 2.0**-20) / UNITS


@_compiled
def _add_near_distances(X: Floats, distance: Floats) -> None:
    """Add the distances right of the diagonal, in units; the diagonal is 0."""
    n, p = X.shape
    block = np.zeros((NEAR_FEATURES, n), dtype=np.int32)
    sums = np.zeros((4, NEAR_ROWS), dtype=np.int32)
    for f in range(0, p, NEAR_FEATURES):
        size = min(p - f, NEAR_FEATURES)
        for i in range(n):
            for g in range(size):
                block[g, i] = np.int32(X[i, f + g] * UNITS + 0.5)
        # Features that are equal in all rows fill up the last two.
        block[size:] = 0
        for first in range(0, n, NEAR_ROWS):
            last = min(n, first + NEAR_ROWS)
            for i in range(0, last, 4):
                # Behind the last row the same one is taken again, and its sums are dropped.
                i1, i2, i3 = min(i + 1, n - 1), min(i + 2, n - 1), min(i + 3, n - 1)
                begin = max(first, i)
                width = last - begin
                s0, s1, s2, s3 = sums[0, :width], sums[1, :width], sums[2, :width], sums[3, :width]
                sums[:, :width] = 0
                for g in range(0, size, 2):
                    x, z = block[g, begin:last], block[g + 1, begin:last]
                    a0, a1, a2, a3 = block[g, i], block[g, i1], block[g, i2], block[g, i3]
                    b0, b1 = block[g + 1, i], block[g + 1, i1]
                    b2, b3 = block[g + 1, i2], block[g + 1, i3]
                    for j in range(width):
                        u, v = x[j], z[j]
                        s0[j] += abs(np.int32(a0 - u)) + abs(np.int32(b0 - v))
                        s1[j] += abs(np.int32(a1 - u)) + abs(np.int32(b1 - v))
                        s2[j] += abs(np.int32(a2 - u)) + abs(np.int32(b2 - v))
                        s3[j] += abs(np.int32(a3 - u)) + abs(np.int32(b3 - v))
                for k in range(min(4, n - i)):
                    for j in range(width):
                        distance[i + k, begin + j] += sums[k, j]


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
    near: Floats,
    X: Floats,
    codes: Ints,
    sizes: Ints,
    largest_error: float,
    chosen: Ints,
    doubtful: Bools,
) -> None:
    """Choose the nearest rows of each class for each row, from distances with a known error.

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
                    exact[found], candidate[found] = round(total, 12), j
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


def near_differences(X: Floats, near: Bools, codes: Ints, n_classes: int) -> Floats:
    """Sum over all rows of the scores of every feature by near rows, (rows, rows).

    The same as `weighted_differences` with the weights of hits and misses, without a list of all
    neighbors of all rows.
    """
    n = len(X)
    counts = np.zeros((n, n_classes))
    _count_near(near, codes, counts)
    own = (np.arange(n), codes)
    hits = counts[own]
    misses = np.maximum(counts.sum(axis=1) - hits, 1.0)
    factors = (n_classes - 1) * counts / (misses * misses)[:, None]
    factors[own] = -1.0 / np.maximum(hits, 1.0)
    most = min(int(counts.sum()), n * (n - 1) // 2) + 1
    starts, rows, weights = np.zeros(n + 1, np.intp), np.empty(most, np.intp), np.empty(most)
    mirrored = np.ascontiguousarray(near.T)
    _pair_near(
        near, mirrored, codes, factors, np.ascontiguousarray(factors.T), starts, rows, weights
    )
    total = np.zeros(X.shape[1])
    add_weighted_differences(X, starts, rows, weights, total)
    return total


@_compiled
def _count_near(near: Bools, codes: Ints, counts: Floats) -> None:
    """Add the number of near rows of each class, (rows, classes)."""
    for i in range(len(near)):
        line, count = near[i], counts[i]
        for j in range(codes.size):
            count[codes[j]] += 1.0 if line[j] else 0.0


@_compiled
def _pair_near(  # noqa: PLR0917 - kernels have no keywords
    near: Bools,
    mirrored: Bools,
    codes: Ints,
    factors: Floats,
    by_class: Floats,
    starts: Ints,
    rows: Ints,
    weights: Floats,
) -> None:
    """List the pairs of rows of which one is near the other, with the sum of both weights.

    Pairs of row i are those from starts[i] to starts[i + 1]. Without branches: a pair that does not
    count is overwritten by the next one.
    """
    n, e = len(near), 0
    for i in range(n):
        line, column, factor, back = near[i], mirrored[i], factors[i], by_class[codes[i]]
        for j in range(i + 1, n):
            weight = factor[codes[j]] if line[j] else 0.0
            weight += back[j] if column[j] else 0.0
            rows[e], weights[e] = j, weight
            e += 1 if weight != 0.0 else 0
        starts[i + 1] = e


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
