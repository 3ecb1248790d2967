"""Compiled inner loops of the filters, for large jobs where numba is installed.

Every kernel has a numpy twin in the module that calls it, and gives the same numbers up to the
last digits. `take_table` and `take_pairs` choose between them, by the size and storage of the data
alone, so that a result depends neither on what ran before nor on the number of threads: kernels
use one thread and sum in a fixed order (no `fastmath`). They release the interpreter lock.

Nothing here imports numba before a large job asks for it: that and the loading of a cached kernel
cost half a second, once per process.
"""

from collections.abc import Callable
from functools import cache, wraps
from typing import ParamSpec, TypeVar

import numpy as np

from fsops.algorithms.base.types import Floats, Ints, Numbers

# From how many steps on a kernel is used: values of a table read once, or differences of the
# values of two rows. Measured by benchmarks/filters.py --thresholds: from here on a loop of some
# forty tables, or of eight runs of ReliefF, repays the start. Smaller jobs never wait for it.
TABLE = 1 << 23
PAIRS = 1 << 27

# Columns whose sums stay in the first- or second-level cache while the rows pass by.
TILE = 2048
# The same for counts, which take more room.
COUNT_TILE = 256
# Rows and features of a block of which the distances from all anchors are summed.
NEAR_ROWS = 256
NEAR_FEATURES = 64
# A byte counts so far.
BYTE = 255
# So many lines of a contingency table are counted by comparing with each value.
FEW_LINES = 33
# Relative error that votes by nearness allow for, far above that of a square root.
CAUTION = 1e-13

P = ParamSpec("P")
R = TypeVar("R")


def take_table(X: Numbers) -> bool:
    """Whether kernels are to read this table: a large one, stored in one piece."""
    stored = X.flags.c_contiguous or X.flags.f_contiguous
    return stored and X.flags.aligned and _worthwhile(X.size, TABLE)


def take_values(values: int) -> bool:
    """Whether kernels are to do some steps with each of so many values."""
    return _worthwhile(values, TABLE)


def take_pairs(differences: int) -> bool:
    """Whether kernels are to compute so many differences between the values of two rows."""
    return _worthwhile(differences, PAIRS)


def is_available() -> bool:
    """Whether kernels that have no numpy twin can be used."""
    return _numba_works()


def _worthwhile(steps: int, least: int) -> bool:
    return steps >= least and _numba_works()


@cache
def _numba_works() -> bool:
    try:
        import numba  # noqa: F401
    except ImportError:
        # Also raised by a numba that does not know this version of numpy.
        return False
    return True


def _compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile on the first call, or load what an earlier process has compiled."""

    @cache
    def kernel() -> Callable[P, R]:
        from numba import njit

        compile_ = njit(nogil=True, error_model="numpy", cache=True)
        try:
            compiled: Callable[P, R] = compile_(function)
        except RuntimeError:
            # No folder to keep the result in, neither beside this file nor in the user's home.
            compiled = njit(nogil=True, error_model="numpy")(function)
        return compiled

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        return kernel()(*args, **kwargs)

    return call


def _frozen(X: Numbers) -> Numbers:
    """A view that cannot be written to: of writeable arrays a second kernel would be compiled."""
    view = X.view()
    view.flags.writeable = False
    return view


def _grouped(codes: Ints, n_classes: int) -> tuple[Ints, Ints]:
    """The rows of all classes one after the other, and where each class starts."""
    starts = np.zeros(n_classes + 1, dtype=np.intp)
    np.cumsum(np.bincount(codes, minlength=n_classes), out=starts[1:])
    return np.argsort(codes, kind="stable"), starts


# --- moments ------------------------------------------------------------------------------------
# Four rows are taken at a time, so that the sums are loaded and stored once for all of them; they
# are added one after the other, as the numpy twin does.


def add_class_sums(X: Numbers, codes: Ints, pivot: Floats, sums: Floats) -> None:
    """Add the deviations of each row from its class's pivot to sums[0], their squares to sums[1].

    pivot is (classes, features), sums (2, classes, features).
    """
    rows, starts = _grouped(codes, len(pivot))
    if X.flags.f_contiguous:
        _add_class_columns(_frozen(X.T), rows, starts, pivot, sums)
    else:
        _add_class_rows(_frozen(X), rows, starts, pivot, sums)


def add_cross_sums(X: Numbers, y: Floats, pivot: Floats, sums: Floats) -> None:
    """Add deviations from the pivot, their squares and products with y to sums, (3, features)."""
    if X.flags.f_contiguous:
        _add_cross_columns(_frozen(X.T), y, pivot, sums)
    else:
        _add_cross_rows(_frozen(X), y, pivot, sums)


@_compiled
def _add_class_rows(X: Numbers, rows: Ints, starts: Ints, pivot: Floats, sums: Floats) -> None:
    """`add_class_sums` of a table stored by rows; those of class c are rows[starts[c]:...]."""
    n_classes, p = pivot.shape
    for a in range(0, p, TILE):
        b = min(p, a + TILE)
        for c in range(n_classes):
            centre, t, s = pivot[c, a:b], sums[0, c, a:b], sums[1, c, a:b]
            i, last = starts[c], starts[c + 1]
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
def _add_class_columns(XT: Numbers, rows: Ints, starts: Ints, pivot: Floats, sums: Floats) -> None:
    """`add_class_sums` of a table stored by columns, given transposed.

    Four separate sums keep the processor from waiting for one addition to end before the next.
    """
    n_classes, p = pivot.shape
    for j in range(p):
        x = XT[j]
        for c in range(n_classes):
            centre = pivot[c, j]
            t0 = t1 = t2 = t3 = s0 = s1 = s2 = s3 = 0.0
            i, last = starts[c], starts[c + 1]
            while i + 4 <= last:
                d0, d1 = x[rows[i]] - centre, x[rows[i + 1]] - centre
                d2, d3 = x[rows[i + 2]] - centre, x[rows[i + 3]] - centre
                t0, t1, t2, t3 = t0 + d0, t1 + d1, t2 + d2, t3 + d3
                s0, s1 = s0 + d0 * d0, s1 + d1 * d1
                s2, s3 = s2 + d2 * d2, s3 + d3 * d3
                i += 4
            while i < last:
                d0 = x[rows[i]] - centre
                t0, s0 = t0 + d0, s0 + d0 * d0
                i += 1
            sums[0, c, j] += (t0 + t1) + (t2 + t3)
            sums[1, c, j] += (s0 + s1) + (s2 + s3)


@_compiled
def _add_cross_rows(X: Numbers, y: Floats, pivot: Floats, sums: Floats) -> None:
    """`add_cross_sums` of a table stored by rows."""
    n, p = X.shape
    for a in range(0, p, TILE):
        b = min(p, a + TILE)
        centre, t, s, c = pivot[a:b], sums[0, a:b], sums[1, a:b], sums[2, a:b]
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


@_compiled
def _add_cross_columns(XT: Numbers, y: Floats, pivot: Floats, sums: Floats) -> None:
    """`add_cross_sums` of a table stored by columns, given transposed."""
    p, n = XT.shape
    for j in range(p):
        x, centre = XT[j], pivot[j]
        t0 = t1 = t2 = t3 = s0 = s1 = s2 = s3 = c0 = c1 = c2 = c3 = 0.0
        i = 0
        while i + 4 <= n:
            d0, d1, d2, d3 = x[i] - centre, x[i + 1] - centre, x[i + 2] - centre, x[i + 3] - centre
            t0, t1, t2, t3 = t0 + d0, t1 + d1, t2 + d2, t3 + d3
            s0, s1, s2, s3 = s0 + d0 * d0, s1 + d1 * d1, s2 + d2 * d2, s3 + d3 * d3
            c0, c1 = c0 + d0 * y[i], c1 + d1 * y[i + 1]
            c2, c3 = c2 + d2 * y[i + 2], c3 + d3 * y[i + 3]
            i += 4
        while i < n:
            d0 = x[i] - centre
            t0, s0, c0 = t0 + d0, s0 + d0 * d0, c0 + d0 * y[i]
            i += 1
        sums[0, j] += (t0 + t1) + (t2 + t3)
        sums[1, j] += (s0 + s1) + (s2 + s3)
        sums[2, j] += (c0 + c1) + (c2 + c3)


@_compiled
def finish_class_sums(
    total: Floats, squares: Floats, size: Floats, origin: Floats, rounding: float
) -> None:
    """Turn sums and sums of squares into means and sums of squared deviations, in place.

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


# --- counts -------------------------------------------------------------------------------------


def add_counts(X: Numbers, codes: Ints, starts: Ints, counts: Ints) -> None:
    """Add how often each value of each feature meets each class to counts, (lines, classes).

    The lines of feature j are starts[j]..starts[j + 1]-1; the last of them takes code -1.
    """
    X = X.view(np.uint8) if X.dtype == np.bool_ else X
    if X.flags.f_contiguous:
        _count_columns(_frozen(X.T), codes, starts, counts)
    elif np.diff(starts).max(initial=0) <= FEW_LINES:
        rows, classes = _grouped(codes, counts.shape[1])
        _count_few_rows(_frozen(X), rows, classes, starts, counts)
    else:
        _count_rows(_frozen(X), codes, starts, counts)


@_compiled
def _count_few_rows(X: Numbers, rows: Ints, classes: Ints, starts: Ints, counts: Ints) -> None:
    """`add_counts` of a table stored by rows; those of class c are rows[classes[c]:...].

    A value is compared with many features in one instruction, and the hits are added up in bytes.
    """
    p = X.shape[1]
    most = np.diff(starts).max() - 1
    hits = np.zeros((most + 1, TILE), dtype=np.uint8)
    for a in range(0, p, TILE):
        b = min(p, a + TILE)
        for c in range(classes.size - 1):
            for first in range(classes[c], classes[c + 1], BYTE):
                hits[:] = 0
                for i in range(first, min(first + BYTE, classes[c + 1])):
                    x = X[rows[i], a:b]
                    for v in range(most + 1):
                        wanted, hit = x.dtype.type(v if v < most else -1), hits[v]
                        for j in range(b - a):
                            hit[j] += np.uint8(x[j] == wanted)
                for j in range(b - a):
                    line, missing = starts[a + j], starts[a + j + 1] - 1
                    for v in range(missing - line):
                        counts[line + v, c] += hits[v, j]
                    counts[missing, c] += hits[most, j]


@_compiled
def _count_rows(X: Numbers, codes: Ints, starts: Ints, counts: Ints) -> None:
    """`add_counts` of a table stored by rows, for any number of values."""
    n, p = X.shape
    for a in range(0, p, COUNT_TILE):
        b = min(p, a + COUNT_TILE)
        for i in range(n):
            c = codes[i]
            for j in range(a, b):
                v = np.intp(X[i, j])
                counts[starts[j] + v if v >= 0 else starts[j + 1] - 1, c] += 1


@_compiled
def _count_columns(XT: Numbers, codes: Ints, starts: Ints, counts: Ints) -> None:
    """`add_counts` of a table stored by columns, given transposed.

    Rows take turns with four tables: adding to a cell that was just written has to wait for it.
    """
    p, n = XT.shape
    n_classes = counts.shape[1]
    table = np.zeros((4, np.diff(starts).max() * n_classes), dtype=np.intp)
    for j in range(p):
        x, lines = XT[j], starts[j + 1] - starts[j]
        table[:, : lines * n_classes] = 0
        for i in range(n):
            v = np.intp(x[i])
            table[i & 3, (v if v >= 0 else lines - 1) * n_classes + codes[i]] += 1
        for cell in range(lines * n_classes):
            count = table[0, cell] + table[1, cell] + table[2, cell] + table[3, cell]
            counts[starts[j] + cell // n_classes, cell % n_classes] += count


# --- nearest neighbours in subsets of the features ------------------------------------------------
# For many subsets that differ in one feature from the same base. Points are those of the training
# and of the test rows, transposed: (features, rows). A base consists of the squared distances
# before the change, (test rows, training rows), of the training row of each, of the number of the
# smallest squares, which come first and ascending, and of the sign of the change: 1 to add a
# feature, -1 to remove it, 0 for no change.

Points = tuple[Floats, Floats]
Base = tuple[Floats, Ints, int, float]


@_compiled
def nearest_in_one_feature(
    points: Points, features: Ints, orders: Ints, squares: Floats, rows: Ints
) -> None:
    """Write the nearest training rows of each test row, for single features.

    orders has the training rows in the order of each feature. squares, infinite at first, and rows
    are (features, test rows, places).
    """
    train, test = points
    m, places = train.shape[1], squares.shape[2]
    for c in range(features.size):
        order = orders[c]
        column = train[features[c]][order]
        for i in range(test.shape[1]):
            x = test[features[c], i]
            right = np.searchsorted(column, x)
            left = right - 1
            for place in range(min(places, m)):
                below = x - column[left] if left >= 0 else np.inf
                above = column[right] - x if right < m else np.inf
                if below <= above:
                    squares[c, i, place], rows[c, i, place] = below * below, order[left]
                    left -= 1
                else:
                    squares[c, i, place], rows[c, i, place] = above * above, order[right]
                    right += 1


@_compiled
def nearest_with_one_change(
    base: Base, points: Points, features: Ints, squares: Floats, rows: Ints
) -> None:
    """Write the nearest training rows of each test row, with one feature added or removed.

    squares, infinite at first, and rows are (features, test rows, places).
    """
    before, order, ascending, sign = base
    train, test = points
    last = squares.shape[2] - 1
    for c in range(features.size):
        column = train[features[c]]
        lowest, highest = column.min(), column.max()
        for i in range(test.shape[1]):
            x, near, found = test[features[c], i], squares[c, i], rows[c, i]
            # The most that the change can take from a distance: the search ends where not even
            # that makes a row near enough.
            reach = max((x - lowest) ** 2, (x - highest) ** 2) if sign < 0 else 0.0
            farthest = np.inf
            for t in range(before.shape[1]):
                if before[i, t] - reach > farthest:
                    # Where the squares are not sorted any more, all are larger than those before.
                    if t < ascending:
                        break
                    continue
                row = order[i, t]
                difference = x - column[row]
                square = before[i, t] + sign * (difference * difference)
                if square < farthest:
                    place = last
                    while place > 0 and near[place - 1] > square:
                        near[place], found[place] = near[place - 1], found[place - 1]
                        place -= 1
                    near[place], found[place] = square, row
                    farthest = near[last]


@_compiled
def count_votes(
    near: tuple[Floats, Ints], ends: Floats, slack: Floats, nearness: bool, votes: Floats
) -> None:
    """Add up the votes of neighbours that are nearer than the end of each case.

    near has the squared distances and the labels, (cases, k). The slack is the possible error of
    the squares of a case; if it is 0, equal rows are told from others for certain, and they alone
    vote by nearness. votes is (2, cases, classes): the fewest and the most that are possible.
    """
    squares, labels = near
    for e in range(squares.shape[0]):
        equal_rows = nearness and slack[e] == 0.0 and squares[e, 0] == 0.0
        for place in range(squares.shape[1]):
            square, label = squares[e, place], labels[e, place]
            if square >= ends[e]:
                break
            fewest = most = 1.0
            if equal_rows:
                fewest = most = 1.0 if square == 0.0 else 0.0
            elif nearness:
                error = slack[e] + CAUTION * square
                fewest = 1.0 / np.sqrt(square + error)
                most = 1.0 / np.sqrt(square - error) if square > error else np.inf
            votes[0, e, label] += fewest
            votes[1, e, label] += most


@_compiled
def count_ties(
    base: Base, points: Points, cases: tuple[Ints, Floats], labels: Ints, ties: Ints
) -> None:
    """Count the training rows of each class whose squared distance is in a range.

    cases has a feature and a test row in each line, and the smallest and largest square in each
    line. ties is (cases, classes).
    """
    before, order, _, sign = base
    train, test = points
    lines, ranges = cases
    for e in range(lines.shape[0]):
        column, i = train[lines[e, 0]], lines[e, 1]
        x = test[lines[e, 0], i]
        for t in range(before.shape[1]):
            row = order[i, t]
            square = before[i, t] + sign * (x - column[row]) ** 2
            if ranges[e, 0] <= square <= ranges[e, 1]:
                ties[e, labels[row]] += 1


# --- Relief -------------------------------------------------------------------------------------


@_compiled
def add_distances(X: Floats, anchors: Ints, distance: Floats) -> None:
    """Add the sums of absolute differences of the anchors from all rows to (anchors, rows).

    If every row is an anchor, only what lies right of the diagonal can be relied on. Two anchors
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
def weighted_differences(X: Floats, anchors: Ints, neighbours: Ints, weights: Floats) -> Floats:
    """Sum of the weighted absolute differences of pairs of rows, for every feature."""
    total = np.zeros(X.shape[1])
    for e in range(weights.size):
        a, b, w = X[anchors[e]], X[neighbours[e]], weights[e]
        for j in range(total.size):
            total[j] += w * abs(a[j] - b[j])
    return total
