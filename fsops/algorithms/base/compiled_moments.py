"""Compiled inner loops for means, variances and products with a label.

See `compiled`, whose rules hold here. All sums are of deviations from a pivot, the first row (of
each class), and are added up row by row, as the numpy twins in `sums` do it. Four rows, or four
columns, are taken at a time, so that the sums are loaded and stored less often.
"""

import numpy as np

from fsops.algorithms.base.compiled import (
    KNOWN_TILE,
    TILE,
    _compiled,
    _frozen,
    _grouped,
    prefetch,
)
from fsops.algorithms.base.types import Floats, Ints, Numbers

# Values of columns with missing ones that are copied side by side, and the least columns of them.
KNOWN_VALUES, KNOWN_WIDTH = 1 << 16, 32


def class_sums(X: Numbers, codes: Ints, n_classes: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Moments of each class.

    Returns
    -------
    pivot, total, offset, ss
        Of each class and feature: the first value, the sum of deviations from it, the mean less
        the first value of the first class, and the sum of squared deviations from the mean. Not
        finite where a value is missing or infinite; the offset means nothing if a class is empty.
    """
    rows, starts = _grouped(codes, n_classes)
    pivot, total, offset, ss = np.empty((4, n_classes, X.shape[1]))
    if X.flags.f_contiguous:
        _add_class_columns(_frozen(X.T), rows, starts, pivot, total, ss)
    else:
        _add_class_rows(_frozen(X), rows, starts, pivot, total, ss)
    _finish_class_sums(starts, pivot, total, offset, ss)
    return pivot, total, offset, ss


def known_class_sums(X: Numbers, codes: Ints, n_classes: int, columns: Ints) -> Floats:
    """Count, pivot, sum of deviations and of squared deviations of the known values, (4, C, k).

    Of k columns; the pivot is the first known value of a class, or 0.
    """
    rows, starts = _grouped(codes, n_classes)
    sums = np.zeros((4, n_classes, columns.size))
    if X.flags.f_contiguous:
        _add_known_class_columns(_frozen(X.T), rows, starts, columns, sums)
    else:
        _add_known_class_rows(_frozen(X), rows, starts, columns, sums)
    return sums


def cross_sums(X: Numbers, y: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean, sum of squared deviations and of products with y of each column; y is centred."""
    mean, ss, cross = sums = np.empty((3, X.shape[1]))
    if X.flags.f_contiguous:
        _add_cross_columns(_frozen(X.T), y, sums)
    else:
        _add_cross_rows(_frozen(X), y, sums)
    return mean, ss, cross


def known_cross_sums(X: Numbers, y: Floats, columns: Ints) -> Floats:
    """The same over the known values of k columns, (6, k).

    Mean, sum of squared deviations, sum of products with y less its mean over the same rows, sum of
    squares of y less that mean, number of known values, mean of y.
    """
    sums = np.zeros((6, columns.size))
    if X.flags.f_contiguous:
        _add_known_cross_columns(_frozen(X.T), y, columns, sums)
    else:
        _add_known_cross_rows(_frozen(X), y, columns, sums)
    return sums


# --- classes --------------------------------------------------------------------------------------


@_compiled
def _add_class_rows(  # noqa: PLR0917 - a kernel takes no keywords
    X: Numbers, rows: Ints, starts: Ints, pivot: Floats, total: Floats, squares: Floats
) -> None:
    """Fill pivots and sums of a table stored by rows; those of class c are rows[starts[c]:...]."""
    n_classes, p = pivot.shape
    for a in range(0, p, TILE):
        b = min(p, a + TILE)
        for c in range(n_classes):
            centre, t, s = pivot[c, a:b], total[c, a:b], squares[c, a:b]
            i, last = starts[c], starts[c + 1]
            centre[:], t[:], s[:] = 0.0, 0.0, 0.0
            if i < last:
                centre[:] = X[rows[i], a:b]
            while i + 4 <= last:
                x0, x1 = X[rows[i], a:b], X[rows[i + 1], a:b]
                x2, x3 = X[rows[i + 2], a:b], X[rows[i + 3], a:b]
                for j in range(b - a):
                    d0, d1 = x0[j] - centre[j], x1[j] - centre[j]
                    d2, d3 = x2[j] - centre[j], x3[j] - centre[j]
                    t[j] = t[j] + d0 + d1 + d2 + d3
                    s[j] = s[j] + d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3
                i += 4
            while i < last:
                x0 = X[rows[i], a:b]
                for j in range(b - a):
                    d0 = x0[j] - centre[j]
                    t[j] += d0
                    s[j] += d0 * d0
                i += 1


@_compiled
def _add_class_columns(  # noqa: PLR0917
    XT: Numbers, rows: Ints, starts: Ints, pivot: Floats, total: Floats, squares: Floats
) -> None:
    """The same for a table stored by columns, given transposed."""
    n_classes, p = pivot.shape
    n = rows.size
    flat = XT.reshape(-1)
    for j in range(0, p - p % 4, 4):
        x0, x1, x2, x3 = XT[j], XT[j + 1], XT[j + 2], XT[j + 3]
        following = (j + 4) * n
        for c in range(n_classes):
            if starts[c] == starts[c + 1]:
                pivot[c, j : j + 4], total[c, j : j + 4], squares[c, j : j + 4] = 0.0, 0.0, 0.0
                continue
            r = rows[starts[c]]
            m0, m1, m2, m3 = (
                np.float64(x0[r]),
                np.float64(x1[r]),
                np.float64(x2[r]),
                np.float64(x3[r]),
            )
            t0, t1, t2, t3 = 0.0, 0.0, 0.0, 0.0
            s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
            for i in range(starts[c], starts[c + 1]):
                prefetch(flat, following + 4 * i)
                r = rows[i]
                d0, d1, d2, d3 = x0[r] - m0, x1[r] - m1, x2[r] - m2, x3[r] - m3
                t0, t1, t2, t3 = t0 + d0, t1 + d1, t2 + d2, t3 + d3
                s0, s1, s2, s3 = s0 + d0 * d0, s1 + d1 * d1, s2 + d2 * d2, s3 + d3 * d3
            pivot[c, j], pivot[c, j + 1], pivot[c, j + 2], pivot[c, j + 3] = m0, m1, m2, m3
            total[c, j], total[c, j + 1], total[c, j + 2], total[c, j + 3] = t0, t1, t2, t3
            squares[c, j], squares[c, j + 1] = s0, s1
            squares[c, j + 2], squares[c, j + 3] = s2, s3
    for j in range(p - p % 4, p):
        for c in range(n_classes):
            centre, t, s = 0.0, 0.0, 0.0
            if starts[c] < starts[c + 1]:
                centre = np.float64(XT[j, rows[starts[c]]])
            for i in range(starts[c], starts[c + 1]):
                d = XT[j, rows[i]] - centre
                t, s = t + d, s + d * d
            pivot[c, j], total[c, j], squares[c, j] = centre, t, s


@_compiled
def _finish_class_sums(
    starts: Ints, pivot: Floats, total: Floats, offset: Floats, squares: Floats
) -> None:
    """Replace squared deviations from the pivot by those from the mean, and fill the offset."""
    n_classes, p = pivot.shape
    origin = pivot[0]
    for c in range(n_classes):
        count = max(1.0, float(starts[c + 1] - starts[c]))
        centre, t, o, s = pivot[c], total[c], offset[c], squares[c]
        for j in range(p):
            mean = t[j] / count
            ss = s[j] - t[j] * mean
            s[j] = 0.0 if ss < 0.0 else ss
            o[j] = (centre[j] - origin[j]) + mean


@_compiled
def _add_known_class_rows(
    X: Numbers, rows: Ints, starts: Ints, columns: Ints, sums: Floats
) -> None:
    """`known_class_sums` of a table stored by rows."""
    n_classes, k = sums.shape[1:]
    values = np.empty(min(k, KNOWN_TILE))
    for a in range(0, k, KNOWN_TILE):
        chosen = columns[a : a + KNOWN_TILE]
        b = a + chosen.size
        for c in range(n_classes):
            count, centre, t, s = sums[0, c, a:b], sums[1, c, a:b], sums[2, c, a:b], sums[3, c, a:b]
            members = rows[starts[c] : starts[c + 1]]
            for j in range(b - a):
                for r in members:
                    if not np.isnan(X[r, chosen[j]]):
                        centre[j] = X[r, chosen[j]]
                        break
            for r in members:
                x = X[r]
                for j in range(b - a):
                    values[j] = x[chosen[j]]
                for j in range(b - a):
                    known = not np.isnan(values[j])
                    d = values[j] - centre[j] if known else 0.0
                    t[j] += d
                    s[j] += d * d
                    count[j] += 1.0 if known else 0.0
            for j in range(b - a):
                s[j] -= t[j] * (t[j] / max(count[j], 1.0))


@_compiled
def _add_known_class_columns(
    XT: Numbers, rows: Ints, starts: Ints, columns: Ints, sums: Floats
) -> None:
    """`known_class_sums` of a table stored by columns, given transposed."""
    n_classes, k = sums.shape[1:]
    for j in range(k):
        x = XT[columns[j]]
        for c in range(n_classes):
            centre, t, s, count = 0.0, 0.0, 0.0, 0.0
            for r in rows[starts[c] : starts[c + 1]]:
                known = not np.isnan(x[r])
                centre = x[r] if known and count == 0.0 else centre
                d = x[r] - centre if known else 0.0
                t, s, count = t + d, s + d * d, count + (1.0 if known else 0.0)
            s -= t * (t / max(count, 1.0))
            sums[0, c, j], sums[1, c, j], sums[2, c, j], sums[3, c, j] = count, centre, t, s


# --- a numerical label ----------------------------------------------------------------------------


@_compiled
def _add_cross_rows(X: Numbers, y: Floats, sums: Floats) -> None:
    """`cross_sums` of a table stored by rows."""
    n, p = X.shape
    centre = np.empty(min(p, TILE))
    for a in range(0, p, TILE):
        b = min(p, a + TILE)
        t, s, c = sums[0, a:b], sums[1, a:b], sums[2, a:b]
        centre[: b - a], t[:], s[:], c[:] = X[0, a:b], 0.0, 0.0, 0.0
        i = 0
        while i + 4 <= n:
            x0, x1, x2, x3 = X[i, a:b], X[i + 1, a:b], X[i + 2, a:b], X[i + 3, a:b]
            y0, y1, y2, y3 = y[i], y[i + 1], y[i + 2], y[i + 3]
            for j in range(b - a):
                d0, d1 = x0[j] - centre[j], x1[j] - centre[j]
                d2, d3 = x2[j] - centre[j], x3[j] - centre[j]
                t[j] = t[j] + d0 + d1 + d2 + d3
                s[j] = s[j] + d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3
                c[j] = c[j] + d0 * y0 + d1 * y1 + d2 * y2 + d3 * y3
            i += 4
        while i < n:
            x0, y0 = X[i, a:b], y[i]
            for j in range(b - a):
                d0 = x0[j] - centre[j]
                t[j] += d0
                s[j] += d0 * d0
                c[j] += d0 * y0
            i += 1
        for j in range(b - a):
            shift = t[j] / n
            ss = s[j] - t[j] * shift
            t[j] = centre[j] + shift
            s[j] = 0.0 if ss < 0.0 else ss


@_compiled
def _add_cross_columns(XT: Numbers, y: Floats, sums: Floats) -> None:
    """`cross_sums` of a table stored by columns, given transposed."""
    p, n = XT.shape
    flat = XT.reshape(-1)
    for j in range(0, p - p % 4, 4):
        x0, x1, x2, x3 = XT[j], XT[j + 1], XT[j + 2], XT[j + 3]
        following = (j + 4) * n
        m0, m1, m2, m3 = np.float64(x0[0]), np.float64(x1[0]), np.float64(x2[0]), np.float64(x3[0])
        t0, t1, t2, t3 = 0.0, 0.0, 0.0, 0.0
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        c0, c1, c2, c3 = 0.0, 0.0, 0.0, 0.0
        for i in range(n):
            prefetch(flat, following + 4 * i)
            d0, d1, d2, d3 = x0[i] - m0, x1[i] - m1, x2[i] - m2, x3[i] - m3
            t0, t1, t2, t3 = t0 + d0, t1 + d1, t2 + d2, t3 + d3
            s0, s1, s2, s3 = s0 + d0 * d0, s1 + d1 * d1, s2 + d2 * d2, s3 + d3 * d3
            c0, c1, c2, c3 = c0 + d0 * y[i], c1 + d1 * y[i], c2 + d2 * y[i], c3 + d3 * y[i]
        sums[0, j], sums[0, j + 1] = m0 + t0 / n, m1 + t1 / n
        sums[0, j + 2], sums[0, j + 3] = m2 + t2 / n, m3 + t3 / n
        sums[1, j], sums[1, j + 1] = s0 - t0 * (t0 / n), s1 - t1 * (t1 / n)
        sums[1, j + 2], sums[1, j + 3] = s2 - t2 * (t2 / n), s3 - t3 * (t3 / n)
        sums[2, j], sums[2, j + 1], sums[2, j + 2], sums[2, j + 3] = c0, c1, c2, c3
    for j in range(p - p % 4, p):
        centre, t, s, c = np.float64(XT[j, 0]), 0.0, 0.0, 0.0
        for i in range(n):
            d = XT[j, i] - centre
            t, s, c = t + d, s + d * d, c + d * y[i]
        sums[0, j], sums[1, j], sums[2, j] = centre + t / n, s - t * (t / n), c
    for j in range(p):
        sums[1, j] = 0.0 if sums[1, j] < 0.0 else sums[1, j]


@_compiled
def _add_known_cross_rows(X: Numbers, y: Floats, columns: Ints, sums: Floats) -> None:
    """`known_cross_sums` of a table stored by rows."""
    n, k = len(X), columns.size
    width = min(k, KNOWN_TILE, max(KNOWN_WIDTH, KNOWN_VALUES // n))
    block, centre = np.empty((n, width)), np.empty(width)
    for a in range(0, k, width):
        chosen = columns[a : a + width]
        b = a + chosen.size
        count, middle = sums[4, a:b], sums[5, a:b]
        t, s, c, q = sums[0, a:b], sums[1, a:b], sums[2, a:b], sums[3, a:b]
        for i in range(n):
            x, values, target = X[i], block[i], y[i]
            for j in range(b - a):
                values[j] = x[chosen[j]]
            for j in range(b - a):
                known = not np.isnan(values[j])
                middle[j] += target if known else 0.0
                count[j] += 1.0 if known else 0.0
        for j in range(b - a):
            centre[j] = 0.0
            for i in range(n):
                if not np.isnan(block[i, j]):
                    centre[j] = block[i, j]
                    break
            middle[j] /= max(count[j], 1.0)
        for i in range(n):
            values, target = block[i], y[i]
            for j in range(b - a):
                known = not np.isnan(values[j])
                d = values[j] - centre[j] if known else 0.0
                e = target - middle[j] if known else 0.0
                t[j] += d
                s[j] += d * d
                c[j] += d * e
                q[j] += e * e
        for j in range(b - a):
            shift = t[j] / max(count[j], 1.0)
            s[j] -= t[j] * shift
            t[j] = centre[j] + shift


@_compiled
def _add_known_cross_columns(XT: Numbers, y: Floats, columns: Ints, sums: Floats) -> None:
    """`known_cross_sums` of a table stored by columns, given transposed."""
    n = XT.shape[1]
    for j in range(columns.size):
        x, centre, middle, count = XT[columns[j]], 0.0, 0.0, 0.0
        for i in range(n):
            known = not np.isnan(x[i])
            centre = x[i] if known and count == 0.0 else centre
            middle, count = middle + (y[i] if known else 0.0), count + (1.0 if known else 0.0)
        middle /= max(count, 1.0)
        t, s, c, q = 0.0, 0.0, 0.0, 0.0
        for i in range(n):
            known = not np.isnan(x[i])
            d = x[i] - centre if known else 0.0
            e = y[i] - middle if known else 0.0
            t, s, c, q = t + d, s + d * d, c + d * e, q + e * e
        shift = t / max(count, 1.0)
        sums[0, j], sums[1, j], sums[2, j], sums[3, j] = centre + shift, s - t * shift, c, q
        sums[4, j], sums[5, j] = count, middle
