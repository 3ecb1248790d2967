"""Compiled inner loops for the moments of many sets of rows, and for F from moments.

See `compiled`, whose rules hold here: every kernel has a numpy twin, which gives the same bits.
"""

import sys

import numpy as np

from fsops.algorithms.base.compiled import (
    TABLE,
    _compiled,
    _in_one_piece,
    _least,
    _worthwhile,
)
from fsops.algorithms.base.types import Floats, Ints, Numbers

SETS = 4
"""The kernels save a pass over the table for every so many sets."""
MOMENTS = 1 << 13
"""If numba is loaded: a kernel takes a third of the time of its twin from so many moments on."""
F_TILE = 1024
"""Features whose sums stay in the first-level cache."""


def take_sets(X: Numbers, sets: int) -> bool:
    """Whether kernels should add up the rows of so many sets of a table stored in one piece."""
    return _in_one_piece(X) and _worthwhile(X.size * max(1, sets // SETS), _least(TABLE))


@_compiled
def add_groups(  # noqa: PLR0917 - a kernel takes no keywords
    X: Numbers, first: int, rows: Ints, starts: Ints, mean: Floats, sums: Floats
) -> None:
    """Fill the mean of some rows, and sums of deviations from it and of their squares by group.

    Parameters
    ----------
    X
        Stored by rows; the columns from ``first`` on are summed, as many as ``mean`` has.
    rows, starts
        Rows of all groups, and where each group starts.
    sums
        (2, groups, columns).
    """
    n, width = rows.size, mean.size
    a, b = first, first + width
    mean[:] = 0.0
    i = 0
    while i + 4 <= n:
        x0, x1, x2, x3 = (
            X[rows[i], a:b],
            X[rows[i + 1], a:b],
            X[rows[i + 2], a:b],
            X[rows[i + 3], a:b],
        )
        for j in range(width):
            mean[j] = mean[j] + x0[j] + x1[j] + x2[j] + x3[j]
        i += 4
    while i < n:
        x0 = X[rows[i], a:b]
        for j in range(width):
            mean[j] += x0[j]
        i += 1
    for j in range(width):
        mean[j] /= n
    for g in range(starts.size - 1):
        t, s = sums[0, g], sums[1, g]
        t[:], s[:] = 0.0, 0.0
        i, last = starts[g], starts[g + 1]
        while i + 4 <= last:
            x0, x1 = X[rows[i], a:b], X[rows[i + 1], a:b]
            x2, x3 = X[rows[i + 2], a:b], X[rows[i + 3], a:b]
            for j in range(width):
                d0, d1, d2, d3 = x0[j] - mean[j], x1[j] - mean[j], x2[j] - mean[j], x3[j] - mean[j]
                t[j] = t[j] + d0 + d1 + d2 + d3
                s[j] = s[j] + d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3
            i += 4
        while i < last:
            x0 = X[rows[i], a:b]
            for j in range(width):
                d0 = x0[j] - mean[j]
                t[j] += d0
                s[j] += d0 * d0
            i += 1


@_compiled
def finish_sets(  # noqa: PLR0917 - a kernel takes no keywords
    total: Floats,
    squares: Floats,
    size: Floats,
    shift: Floats,
    offset: Floats,
    ss: Floats,
    c: int,
    first: int,
    rounding: float,
) -> None:
    """Write means plus shift, and sums of squared deviations, to the columns from first on.

    total and squares of class c are (sets, columns), size (sets, 1), offset and ss (sets, classes,
    columns). Squared deviations that are only rounding errors become 0.
    """
    for k in range(total.shape[0]):
        t, s = total[k], squares[k]
        means, deviations = offset[k, c, first : first + t.size], ss[k, c, first : first + t.size]
        n = max(size[k, 0], 1.0)
        for j in range(t.size):
            mean = t[j] / n
            rest = s[j] - t[j] * mean
            deviations[j] = 0.0 if rest <= rounding * s[j] else rest
            means[j] = mean + shift[j]


def take_moments(moments: int) -> bool:
    """Whether kernels should combine so many moments of classes; a validation does so often."""
    return _worthwhile(moments, MOMENTS if "numba" in sys.modules else TABLE)


@_compiled
def fill_f(  # noqa: PLR0917 - a kernel takes no keywords
    count: Floats, origin: Floats, offset: Floats, ss: Floats, rounding: float, statistic: Floats
) -> bool:
    """Fill in F of every feature; False if one does not vary within the classes.

    The moments are those of `ClassMoments`, with one count per class, (classes, 1).
    """
    n_classes, p = offset.shape
    total, present = 0.0, 0.0
    for c in range(n_classes):
        total += count[c, 0]
        present += 1.0 if count[c, 0] > 0 else 0.0
    within, centre, between = np.empty(F_TILE), np.empty(F_TILE), np.empty(F_TILE)
    varies = True
    for a in range(0, p, F_TILE):
        size = min(F_TILE, p - a)
        within[:], centre[:], between[:] = 0.0, 0.0, 0.0
        for c in range(n_classes):
            n, means, squares = count[c, 0], offset[c, a : a + size], ss[c, a : a + size]
            middle = origin[a : a + size]
            for j in range(size):
                scaled = rounding * (middle[j] + means[j])
                noise = squares[j] <= n * scaled * scaled
                within[j] += 0.0 if noise else squares[j]
                centre[j] += n * means[j]
        for c in range(n_classes):
            n, means = count[c, 0], offset[c, a : a + size]
            for j in range(size):
                deviation = means[j] - centre[j] / max(total, 1.0)
                between[j] += deviation * deviation * n
        for j in range(size):
            statistic[a + j] = (between[j] * (total - present)) / (within[j] * (present - 1.0))
            varies = varies and within[j] > 0.0
    return varies


@_compiled
def finish_class_sums(
    total: Floats, squares: Floats, size: Floats, origin: Floats, rounding: float
) -> None:
    """Convert sums and sums of squares into means and sums of squared deviations, in place.

    The sums are of deviations from the origin, (features,), in classes and resamples of these
    sizes: total and squares are (classes, resamples, features), size (classes, resamples, 1).
    Noise becomes exactly 0, as in the twin in `ensemble` and with `moments.negligible`.
    """
    n_classes, members, p = total.shape
    for c in range(n_classes):
        for k in range(members):
            n, t, s = size[c, k, 0], total[c, k], squares[c, k]
            share = 1.0 / max(n, 1.0)
            for j in range(p):
                mean = t[j] * share
                ss = s[j] - t[j] * mean
                scaled = rounding * (origin[j] + mean)
                noise = max(rounding * s[j], n * scaled * scaled)
                t[j] = mean
                s[j] = ss if ss > noise else 0.0


@_compiled
def fill_contrasts(  # noqa: PLR0917 - a kernel takes no keywords
    total: Floats,
    squares: Floats,
    origin: Floats,
    size: Floats,
    factors: Floats,
    s0: float,
    squared: bool,
    rounding: float,
    result: Floats,
    first: int,
) -> bool:
    """Write |difference of means| / (sqrt(g0 SS0 + g1 SS1) + s0), or its square, to the result.

    The sums are as for `finish_class_sums`, of two classes; the factors g have the shape of size.
    False if some SS is rounding noise.
    """
    _, members, p = total.shape
    noisy = 0
    for k in range(members):
        t0, t1, q0, q1 = total[0, k], total[1, k], squares[0, k], squares[1, k]
        n0, n1, g0, g1 = size[0, k, 0], size[1, k, 0], factors[0, k, 0], factors[1, k, 0]
        share0, share1 = 1.0 / n0, 1.0 / n1
        out = result[k, first : first + p]
        for j in range(p):
            m0, m1 = t0[j] * share0, t1[j] * share1
            ss0, ss1 = q0[j] - t0[j] * m0, q1[j] - t1[j] * m1
            r0, r1 = rounding * (origin[j] + m0), rounding * (origin[j] + m1)
            noisy += ss0 <= max(rounding * q0[j], n0 * r0 * r0)
            noisy += ss1 <= max(rounding * q1[j], n1 * r1 * r1)
            d = abs(m1 - m0) / (np.sqrt(g0 * ss0 + g1 * ss1) + s0)
            out[j] = d * d if squared else d
    return noisy == 0
