"""Compiled inner loops for the moments of many sets of rows, for large jobs.

See `compiled`, whose rules hold here: every kernel has a numpy twin, which gives the same bits.
"""

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


def take_sets(X: Numbers, sets: int) -> bool:
    """Whether kernels are to add up the rows of so many sets of a table stored in one piece."""
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
    first: int,
    rounding: float,
) -> None:
    """Write means plus shift, and sums of squared deviations, to the columns from first on.

    total, squares, offset and ss are (sets, columns), size (sets, 1). Squared deviations that are
    only rounding errors become 0.
    """
    for k in range(total.shape[0]):
        t, s = total[k], squares[k]
        means, deviations = offset[k, first : first + t.size], ss[k, first : first + t.size]
        n = max(size[k, 0], 1.0)
        for j in range(t.size):
            mean = t[j] / n
            rest = s[j] - t[j] * mean
            deviations[j] = 0.0 if rest <= rounding * s[j] else rest
            means[j] = mean + shift[j]
