"""Compiled inner loops of the filters, for large jobs where numba is installed.

Every kernel has a numpy twin in the module that calls it, and gives the same numbers up to the
last digits. `worthwhile` is the only place that chooses between them, and it looks at the size of
the job alone, so that a result depends neither on what ran before nor on the number of threads:
kernels use one thread and sum in a fixed order (no `fastmath`). They release the interpreter lock.

Nothing here imports numba before a large job asks for it: the import and the loading of a cached
kernel cost some 0.6 s, as much as reading a table of the size of `TABLE`.
"""

from collections.abc import Callable
from functools import cache, wraps
from typing import ParamSpec, TypeVar

import numpy as np

from fsops.algorithms.types import Floats, Ints, Numbers

# From how many steps on a kernel is used: values of a table read once, or differences of the
# values of two rows. Measured by benchmarks/filters.py --thresholds.
TABLE = 1 << 22
PAIRS = 1 << 26

# Columns whose sums stay in the first- or second-level cache while the rows pass by.
TILE = 2048
# Rows of a block of neighbours, and features taken together, when distances are summed.
NEAR = 256
# A byte counts so far.
BYTE = 255

P = ParamSpec("P")
R = TypeVar("R")


def worthwhile(steps: int, least: int) -> bool:
    """Whether a job of so many steps is to be done by a kernel."""
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


# --- moments ------------------------------------------------------------------------------------
# Four rows are taken at a time, so that the sums are loaded and stored once for all of them; they
# are added one after the other, as the numpy twin does.


@_compiled
def add_class_rows(
    X: Numbers, rows: Ints, starts: Ints, pivot: Floats, total: Floats, squares: Floats
) -> None:
    """Add the deviations from the pivots, and their squares, of a table stored by rows.

    rows[starts[c]:starts[c + 1]] are the rows of class c; pivot and sums are (classes, features).
    """
    n_classes, p = pivot.shape
    for a in range(0, p, TILE):
        b = min(p, a + TILE)
        for c in range(n_classes):
            centre, t, s = pivot[c, a:b], total[c, a:b], squares[c, a:b]
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
def add_class_columns(
    XT: Numbers, rows: Ints, starts: Ints, pivot: Floats, total: Floats, squares: Floats
) -> None:
    """`add_class_rows` for a table stored by columns, given transposed.

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
            total[c, j] += (t0 + t1) + (t2 + t3)
            squares[c, j] += (s0 + s1) + (s2 + s3)


@_compiled
def add_cross_rows(
    X: Numbers, y: Floats, pivot: Floats, total: Floats, squares: Floats, cross: Floats
) -> None:
    """Add deviations from the pivot, their squares and products with y; stored by rows."""
    n, p = X.shape
    for a in range(0, p, TILE):
        b = min(p, a + TILE)
        centre, t, s, c = pivot[a:b], total[a:b], squares[a:b], cross[a:b]
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
def add_cross_columns(
    XT: Numbers, y: Floats, pivot: Floats, total: Floats, squares: Floats, cross: Floats
) -> None:
    """`add_cross_rows` for a table stored by columns, given transposed."""
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
        total[j] += (t0 + t1) + (t2 + t3)
        squares[j] += (s0 + s1) + (s2 + s3)
        cross[j] += (c0 + c1) + (c2 + c3)


# --- counts -------------------------------------------------------------------------------------


@_compiled
def count_few_rows(
    X: Numbers, rows: Ints, starts: Ints, levels: Ints, base: Ints, counts: Ints
) -> None:
    """Add the contingency counts of a table of bytes stored by rows, for a few levels.

    A level is compared with many features in one instruction, and the hits are added up in bytes.
    base[j] is the first line of feature j in counts, (lines, classes); its last takes code -1.
    """
    p = levels.size
    most = levels.max()
    hits = np.zeros((most + 1, TILE), dtype=np.uint8)
    for a in range(0, p, TILE):
        b = min(p, a + TILE)
        for c in range(starts.size - 1):
            for first in range(starts[c], starts[c + 1], BYTE):
                hits[:] = 0
                for i in range(first, min(first + BYTE, starts[c + 1])):
                    x = X[rows[i], a:b]
                    for v in range(most + 1):
                        wanted = x.dtype.type(v if v < most else -1)
                        hit = hits[v]
                        for j in range(b - a):
                            hit[j] += np.uint8(x[j] == wanted)
                for j in range(b - a):
                    for v in range(levels[a + j]):
                        counts[base[a + j] + v, c] += hits[v, j]
                    counts[base[a + j] + levels[a + j], c] += hits[most, j]


@_compiled
def count_rows(X: Numbers, codes: Ints, levels: Ints, base: Ints, counts: Ints) -> None:
    """Add the contingency counts of a table stored by rows, for any number of levels."""
    n, p = X.shape
    for i in range(n):
        c = codes[i]
        for j in range(p):
            v = np.intp(X[i, j])
            counts[base[j] + (v if v >= 0 else levels[j]), c] += 1


@_compiled
def count_columns(XT: Numbers, codes: Ints, levels: Ints, base: Ints, counts: Ints) -> None:
    """Add the contingency counts of a table stored by columns, given transposed.

    Rows take turns with four tables: adding to a cell that was just written has to wait for it.
    """
    p, n = XT.shape
    n_classes = counts.shape[1]
    table = np.zeros((4, (levels.max() + 1) * n_classes), dtype=np.intp)
    for j in range(p):
        x, missing = XT[j], levels[j]
        cells = (missing + 1) * n_classes
        table[:, :cells] = 0
        for i in range(n):
            v = np.intp(x[i])
            table[i & 3, (v if v >= 0 else missing) * n_classes + codes[i]] += 1
        for cell in range(cells):
            count = table[0, cell] + table[1, cell] + table[2, cell] + table[3, cell]
            counts[base[j] + cell // n_classes, cell % n_classes] += count


# --- Relief -------------------------------------------------------------------------------------


@_compiled
def add_distances(XT: Floats, anchors: Ints, half: bool, squared: bool, distance: Floats) -> None:
    """Add the sums of absolute (or squared) differences of the anchors from all rows.

    XT is (features, rows). With half, anchor i meets the rows from the i-th on only. Four features
    are taken at a time, as in the moments.
    """
    p, n = XT.shape
    for first in range(0, n, NEAR):
        last = min(n, first + NEAR)
        for i in range(anchors.size):
            begin = max(first, i) if half else first
            if begin >= last:
                continue
            line = distance[i, begin:last]
            row, f = anchors[i], 0
            while f + 4 <= p:
                a0, a1, a2, a3 = XT[f, row], XT[f + 1, row], XT[f + 2, row], XT[f + 3, row]
                x0, x1 = XT[f, begin:last], XT[f + 1, begin:last]
                x2, x3 = XT[f + 2, begin:last], XT[f + 3, begin:last]
                if squared:
                    for j in range(last - begin):
                        d0, d1, d2, d3 = a0 - x0[j], a1 - x1[j], a2 - x2[j], a3 - x3[j]
                        line[j] = line[j] + d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3
                else:
                    for j in range(last - begin):
                        d0, d1 = abs(a0 - x0[j]), abs(a1 - x1[j])
                        d2, d3 = abs(a2 - x2[j]), abs(a3 - x3[j])
                        line[j] = line[j] + d0 + d1 + d2 + d3
                f += 4
            while f < p:
                a0, x0 = XT[f, row], XT[f, begin:last]
                for j in range(last - begin):
                    d0 = abs(a0 - x0[j])
                    line[j] += d0 * d0 if squared else d0
                f += 1


@_compiled
def add_weighted_differences(
    X: Floats, anchors: Ints, neighbours: Ints, weights: Floats, total: Floats
) -> None:
    """Add the weighted absolute differences of pairs of rows, for every feature; X by rows."""
    e = 0
    while e + 2 <= weights.size:
        a0, b0, a1, b1 = X[anchors[e]], X[neighbours[e]], X[anchors[e + 1]], X[neighbours[e + 1]]
        w0, w1 = weights[e], weights[e + 1]
        for j in range(total.size):
            total[j] = total[j] + w0 * abs(a0[j] - b0[j]) + w1 * abs(a1[j] - b1[j])
        e += 2
    while e < weights.size:
        a0, b0, w0 = X[anchors[e]], X[neighbours[e]], weights[e]
        for j in range(total.size):
            total[j] += w0 * abs(a0[j] - b0[j])
        e += 1
