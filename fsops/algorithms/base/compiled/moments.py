"""Compiled inner loops for means, variances and products with a label.

See `compiled`, whose rules hold here. All sums are of deviations from a pivot, the first known row
(of each class), and are added up row by row, as the numpy twins in `sums` do it. Four rows, or four
columns, are taken at a time, so that the sums are loaded and stored less often.

Missing values are left out. It is faster not to look for them, and columns without any have the
same sums. So the sums of all values come first, and where one is unknown it is done again.
"""

import numpy as np

from fsops.algorithms.base.compiled import TILE, _compiled, _frozen, _grouped
from fsops.algorithms.base.compiled.instructions import prefetch
from fsops.algorithms.base.types import Floats, Ints, Numbers

# Columns that are done again together if the sum of one is unknown.
RUN = 16
# If more than one column in so many has missing values, the next tile is expected to have some.
EXPECTED = 8
# The first tile is small, to find out early.
FIRST_TILE = 256


def class_sums(
    X: Numbers, codes: Ints, n_classes: int
) -> tuple[bool, Floats, Floats, Floats, Floats]:
    """Moments of the known values of each class.

    Returns
    -------
    missing, count, origin, offset, ss
        Whether a value is missing. Of each class and feature: the number of values (if none is
        missing, of each class), the first value of the first class that has any, the mean less this
        origin, and the squared deviations from the mean. The last two are 0 if there are no values.
    """
    rows, starts = _grouped(codes, n_classes)
    # The numbers of missing values are not filled if there are none: new memory takes time.
    unknown, pivot, total, squares = sums = np.empty((4, n_classes, X.shape[1]))
    if X.flags.f_contiguous:
        XT = _frozen(X.T)
        _add_class_columns(XT, rows, starts, pivot, total, squares)
        missing = _add_known_columns(XT, rows, starts, sums)
    else:
        missing = _add_class_rows(_frozen(X), rows, starts, sums)
    count, first = np.diff(starts)[:, None].astype(np.float64), 0
    if missing:
        count = np.subtract(count, unknown, out=unknown)
        _finish_known_sums(count, pivot, total, squares)
    else:
        first = _finish_class_sums(starts, pivot, total, squares)
    return missing, count, pivot[first], total, squares


def cross_sums(X: Numbers, y: Floats) -> tuple[bool, Floats]:
    """Moments of the known values of each column, and of y in the same rows; y is centered.

    Returns
    -------
    missing, sums
        Whether a value is missing. Number of missing values, mean, mean of y, sum of squared
        deviations, the same of y, and sum of products of both, (6, features). The numbers and
        those of y are 0 in columns without missing values, and not filled if no column has any.
    """
    sums = np.empty((6, X.shape[1]))
    if X.flags.f_contiguous:
        XT = _frozen(X.T)
        _add_cross_columns(XT, y, sums)
        return _add_known_cross_columns(XT, y, sums), sums
    return _add_cross_rows(_frozen(X), y, sums), sums


# --- missing values -------------------------------------------------------------------------------


@_compiled
def _has_unknown(values: Floats) -> bool:
    found = False
    for value in values:
        found |= np.isnan(value)
    return found


@_compiled
def _unknown_run(sums: Floats, begin: int) -> tuple[int, int]:
    """Where the next columns with unknown sums begin and end."""
    size = sums.size
    while begin < size and not _has_unknown(sums[begin : begin + RUN]):
        begin += RUN
    end = begin
    while end < size and _has_unknown(sums[end : end + RUN]):
        end += RUN
    return min(begin, size), min(end, size)


@_compiled
def _first_known(X: Numbers, rows: Ints, a: int, place: Ints) -> None:
    """Fill which of the rows has the first known value of each column from a on; -1 for none."""
    place[:] = -1
    for i in range(rows.size):
        x, left = X[rows[i], a : a + place.size], False
        for j in range(place.size):
            place[j] = i if place[j] < 0 and not np.isnan(x[j]) else place[j]
            left |= place[j] < 0
        if not left:
            break


# --- classes --------------------------------------------------------------------------------------


@_compiled
def _add_class_rows(X: Numbers, rows: Ints, starts: Ints, sums: Floats) -> bool:
    """Fill pivots and sums of a table stored by rows; those of class c are rows[starts[c]:...].

    The first sums are the numbers of missing values, which are filled only if there are any.
    """
    unknown, pivot, total, squares = sums[0], sums[1], sums[2], sums[3]
    n_classes, p = pivot.shape
    missing = expected = cleared = False
    b = 0
    while b < p:
        a, b = b, min(p, b + (TILE if b else FIRST_TILE))
        found = 0
        for c in range(n_classes):
            members = rows[starts[c] : starts[c + 1]]
            u, m, t, s = unknown[c, a:b], pivot[c, a:b], total[c, a:b], squares[c, a:b]
            if expected:
                found += _add_known_deviations(X, members, a, u, m, t, s)
                continue
            _add_deviations(X, members, a, m, t, s)
            i, last = _unknown_run(t, 0)
            while i < last:
                if not cleared:
                    unknown[:], cleared = 0.0, True
                part = u[i:last], m[i:last], t[i:last], s[i:last]
                found += _add_known_deviations(X, members, a + i, *part)
                i, last = _unknown_run(t, last)
        missing |= found > 0
        expected = found * EXPECTED > (b - a) * n_classes
    return missing


@_compiled
def _add_deviations(  # noqa: PLR0917 - a kernel takes no keywords
    X: Numbers, rows: Ints, a: int, centre: Floats, t: Floats, s: Floats
) -> None:
    """Fill pivots, sums of deviations and of squares of columns from a on."""
    i, last, b = 0, rows.size, a + t.size
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
def _add_known_deviations(  # noqa: PLR0917
    X: Numbers, rows: Ints, a: int, missing: Floats, centre: Floats, t: Floats, s: Floats
) -> int:
    """The same of the known values, and the numbers of others; how many columns have any."""
    last, width = rows.size, t.size
    b = a + width
    unknown, place = np.zeros(width, dtype=np.int64), np.empty(width, dtype=np.int64)
    _first_known(X, rows, a, place)
    for j in range(width):
        centre[j] = X[rows[place[j]], a + j] if place[j] >= 0 else 0.0
    t[:], s[:] = 0.0, 0.0
    # After the last row come rows without values.
    none = np.full(width, np.nan, X.dtype)
    for i in range(0, last, 4):
        x0 = X[rows[i], a:b]
        x1 = X[rows[i + 1], a:b] if i + 1 < last else none
        x2 = X[rows[i + 2], a:b] if i + 2 < last else none
        x3 = X[rows[i + 3], a:b] if i + 3 < last else none
        for j in range(width):
            u0, u1, u2, u3 = np.isnan(x0[j]), np.isnan(x1[j]), np.isnan(x2[j]), np.isnan(x3[j])
            d0 = 0.0 if u0 else x0[j] - centre[j]
            d1 = 0.0 if u1 else x1[j] - centre[j]
            d2 = 0.0 if u2 else x2[j] - centre[j]
            d3 = 0.0 if u3 else x3[j] - centre[j]
            t[j] = t[j] + d0 + d1 + d2 + d3
            s[j] = s[j] + d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3
            unknown[j] += np.int64(u0) + np.int64(u1) + np.int64(u2) + np.int64(u3)
    found, more = 0, -last % 4
    for j in range(width):
        missing[j] = unknown[j] - more
        found += unknown[j] > more
    return found


@_compiled
def _add_class_columns(  # noqa: PLR0917
    XT: Numbers, rows: Ints, starts: Ints, pivot: Floats, total: Floats, squares: Floats
) -> None:
    """Fill pivots and sums of all values of a table stored by columns, given transposed."""
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
            m0, m1 = np.float64(x0[r]), np.float64(x1[r])
            m2, m3 = np.float64(x2[r]), np.float64(x3[r])
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
            squares[c, j], squares[c, j + 1], squares[c, j + 2], squares[c, j + 3] = s0, s1, s2, s3
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
def _add_known_columns(XT: Numbers, rows: Ints, starts: Ints, sums: Floats) -> bool:
    """Do unknown sums of a table stored by columns again; whether a value is missing."""
    unknown, total = sums[0], sums[2]
    n_classes, p = total.shape
    missing = cleared = False
    for j in range(p):
        for c in range(n_classes):
            if np.isnan(total[c, j]):
                if not cleared:
                    unknown[:], cleared = 0.0, True
                members = rows[starts[c] : starts[c + 1]]
                missing |= _add_known_column(XT[j], members, sums[:, c, j])
    return missing


@_compiled
def _add_known_column(x: Numbers, rows: Ints, sums: Floats) -> bool:
    """Fill the sums of one column and class, and the number of missing values; whether any is."""
    centre, t, s, count = 0.0, 0.0, 0.0, 0.0
    for r in rows:
        known = not np.isnan(x[r])
        centre = x[r] if known and count == 0.0 else centre
        d = x[r] - centre if known else 0.0
        t, s, count = t + d, s + d * d, count + (1.0 if known else 0.0)
    sums[0], sums[1], sums[2], sums[3] = rows.size - count, centre, t, s
    return count < rows.size


@_compiled
def _finish_class_sums(starts: Ints, pivot: Floats, total: Floats, squares: Floats) -> int:
    """Replace sums of deviations by offsets, and squares by those of deviations from the mean.

    Returns the class whose pivots are the origins: the first one that has rows.
    """
    n_classes, p = pivot.shape
    first = 0
    while first < n_classes - 1 and starts[first] == starts[first + 1]:
        first += 1
    for c in range(first, n_classes):
        size = float(starts[c + 1] - starts[c])
        origin, centre, t, s = pivot[first], pivot[c], total[c], squares[c]
        for j in range(p if size else 0):
            mean = t[j] / size
            ss = s[j] - t[j] * mean
            s[j] = 0.0 if ss < 0.0 else ss
            t[j] = (centre[j] - origin[j]) + mean
    return first


@_compiled
def _finish_known_sums(count: Floats, pivot: Floats, total: Floats, squares: Floats) -> None:
    """The same with counts of each feature; the origins become the first pivots."""
    n_classes, p = pivot.shape
    origin, filled = pivot[0].copy(), count[0].copy()
    for c in range(1, n_classes):
        for j in range(p):
            origin[j] = origin[j] if filled[j] > 0.0 else pivot[c, j]
            filled[j] += count[c, j]
    for c in range(n_classes):
        centre, t, s, size = pivot[c], total[c], squares[c], count[c]
        for j in range(p):
            mean = t[j] / max(1.0, size[j])
            ss = s[j] - t[j] * mean
            s[j] = 0.0 if ss < 0.0 else ss
            t[j] = (centre[j] - origin[j]) + mean if size[j] > 0.0 else 0.0
    pivot[0] = origin


# --- a numerical label ----------------------------------------------------------------------------


@_compiled
def _add_cross_rows(X: Numbers, y: Floats, sums: Floats) -> bool:
    """`cross_sums` of a table stored by rows."""
    p = X.shape[1]
    unknown, mean, mean_y = sums[0], sums[1], sums[2]
    squares, squares_y, cross = sums[3], sums[4], sums[5]
    missing = expected = cleared = False
    b = 0
    while b < p:
        a, b = b, min(p, b + (TILE if b else FIRST_TILE))
        x_sums = mean[a:b], squares[a:b], cross[a:b]
        y_sums = unknown[a:b], mean_y[a:b], squares_y[a:b]
        if expected:
            found = _add_known_products(X, y, a, x_sums, y_sums)
        else:
            found = 0
            _add_products(X, y, a, *x_sums)
            i, last = _unknown_run(x_sums[0], 0)
            while i < last:
                if not cleared:
                    unknown[:], mean_y[:], squares_y[:], cleared = 0.0, 0.0, 0.0, True
                x_part = x_sums[0][i:last], x_sums[1][i:last], x_sums[2][i:last]
                y_part = y_sums[0][i:last], y_sums[1][i:last], y_sums[2][i:last]
                found += _add_known_products(X, y, a + i, x_part, y_part)
                i, last = _unknown_run(x_sums[0], last)
        missing |= found > 0
        expected = found * EXPECTED > b - a
    return missing


@_compiled
def _add_products(  # noqa: PLR0917
    X: Numbers, y: Floats, a: int, t: Floats, s: Floats, c: Floats
) -> None:
    """Fill means, squared deviations and products of columns from a on."""
    i, n, b = 0, len(X), a + t.size
    centre = np.empty(t.size)
    centre[:], t[:], s[:], c[:] = X[0, a:b], 0.0, 0.0, 0.0
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
def _add_known_products(
    X: Numbers, y: Floats, a: int, x_sums: tuple[Floats, ...], y_sums: tuple[Floats, ...]
) -> int:
    """The same of the known values, the numbers of others, and mean u and squares q of y.

    Deviations of y from its first value make q exactly 0 where y is constant. Returns how many
    columns have missing values; for the others u and q are not changed.
    """
    t, s, c = x_sums
    missing, u, q = y_sums
    n, width = len(X), t.size
    b = a + width
    unknown, place = np.zeros(width, dtype=np.int64), np.empty(width, dtype=np.int64)
    _first_known(X, np.arange(n).astype(np.uintp), a, place)
    centre, first = np.zeros(width), np.zeros(width)
    sum_y, squares_y = np.zeros(width), np.zeros(width)
    for j in range(width):
        if place[j] >= 0:
            centre[j], first[j] = X[place[j], a + j], y[place[j]]
    t[:], s[:], c[:] = 0.0, 0.0, 0.0
    none = np.full(width, np.nan, X.dtype)
    for i in range(0, n, 4):
        x0, y0 = X[i, a:b], y[i]
        x1, y1 = (X[i + 1, a:b], y[i + 1]) if i + 1 < n else (none, 0.0)
        x2, y2 = (X[i + 2, a:b], y[i + 2]) if i + 2 < n else (none, 0.0)
        x3, y3 = (X[i + 3, a:b], y[i + 3]) if i + 3 < n else (none, 0.0)
        for j in range(width):
            u0, u1, u2, u3 = np.isnan(x0[j]), np.isnan(x1[j]), np.isnan(x2[j]), np.isnan(x3[j])
            d0, e0 = 0.0 if u0 else x0[j] - centre[j], 0.0 if u0 else y0 - first[j]
            d1, e1 = 0.0 if u1 else x1[j] - centre[j], 0.0 if u1 else y1 - first[j]
            d2, e2 = 0.0 if u2 else x2[j] - centre[j], 0.0 if u2 else y2 - first[j]
            d3, e3 = 0.0 if u3 else x3[j] - centre[j], 0.0 if u3 else y3 - first[j]
            t[j] = t[j] + d0 + d1 + d2 + d3
            s[j] = s[j] + d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3
            c[j] = c[j] + d0 * y0 + d1 * y1 + d2 * y2 + d3 * y3
            sum_y[j] = sum_y[j] + e0 + e1 + e2 + e3
            squares_y[j] = squares_y[j] + e0 * e0 + e1 * e1 + e2 * e2 + e3 * e3
            unknown[j] += np.int64(u0) + np.int64(u1) + np.int64(u2) + np.int64(u3)
    found, more = 0, -n % 4
    for j in range(width):
        missing[j] = unknown[j] - more
        size = max(n - missing[j], 1.0)
        shift, shift_y = t[j] / size, sum_y[j] / size
        ss, ss_y = s[j] - t[j] * shift, squares_y[j] - sum_y[j] * shift_y
        if missing[j] > 0.0:
            found += 1
            u[j], q[j] = first[j] + shift_y, 0.0 if ss_y < 0.0 else ss_y
            c[j] -= t[j] * u[j]
        t[j], s[j] = centre[j] + shift, 0.0 if ss < 0.0 else ss
    return found


@_compiled
def _add_cross_columns(XT: Numbers, y: Floats, sums: Floats) -> None:
    """`cross_sums` of all values of a table stored by columns, given transposed."""
    p, n = XT.shape
    mean, squares, cross = sums[1], sums[3], sums[5]
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
        mean[j], mean[j + 1] = m0 + t0 / n, m1 + t1 / n
        mean[j + 2], mean[j + 3] = m2 + t2 / n, m3 + t3 / n
        squares[j], squares[j + 1] = s0 - t0 * (t0 / n), s1 - t1 * (t1 / n)
        squares[j + 2], squares[j + 3] = s2 - t2 * (t2 / n), s3 - t3 * (t3 / n)
        cross[j], cross[j + 1], cross[j + 2], cross[j + 3] = c0, c1, c2, c3
    for j in range(p - p % 4, p):
        centre, t, s, c = np.float64(XT[j, 0]), 0.0, 0.0, 0.0
        for i in range(n):
            d = XT[j, i] - centre
            t, s, c = t + d, s + d * d, c + d * y[i]
        mean[j], squares[j], cross[j] = centre + t / n, s - t * (t / n), c
    for j in range(p):
        squares[j] = 0.0 if squares[j] < 0.0 else squares[j]


@_compiled
def _add_known_cross_columns(XT: Numbers, y: Floats, sums: Floats) -> bool:
    """Do unknown sums of a table stored by columns again; whether a value is missing."""
    unknown, mean, mean_y, squares_y = sums[0], sums[1], sums[2], sums[4]
    missing = cleared = False
    for j in range(mean.size):
        if np.isnan(mean[j]):
            if not cleared:
                unknown[:], mean_y[:], squares_y[:], cleared = 0.0, 0.0, 0.0, True
            missing |= _add_known_cross_column(XT[j], y, sums[:, j])
    return missing


@_compiled
def _add_known_cross_column(x: Numbers, y: Floats, sums: Floats) -> bool:
    """Fill the sums of one column as `_add_known_products` does; whether a value is missing."""
    n = y.size
    centre, first, count, t, s, c, u, q = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        known = not np.isnan(x[i])
        if known and count == 0.0:
            centre, first = np.float64(x[i]), y[i]
        d = x[i] - centre if known else 0.0
        e = y[i] - first if known else 0.0
        t, s, c, u, q = t + d, s + d * d, c + d * y[i], u + e, q + e * e
        count += 1.0 if known else 0.0
    shift, shift_y = t / max(count, 1.0), u / max(count, 1.0)
    ss, ss_y = s - t * shift, q - u * shift_y
    sums[1], sums[3], sums[5] = centre + shift, 0.0 if ss < 0.0 else ss, c
    if count < n:
        sums[0], sums[2], sums[4] = n - count, first + shift_y, 0.0 if ss_y < 0.0 else ss_y
        sums[5] = c - t * sums[2]
    return count < n
