"""Compiled inner loops of the filters, for large jobs where numba is installed.

Every kernel has a numpy twin in the module that calls it. Kernels use one thread, sum in a fixed
order (no `fastmath`) and release the interpreter lock. Two kinds are chosen in two ways, so that a
result depends neither on what ran before nor on the number of threads:

- Kernels whose twin gives the same bits (moments of complete tables, rank sums, counts) take large
  jobs, and those of medium size where numba is loaded already (`take_table`, `take_ranks`).
- The others give the same numbers up to the last digits. The size of the job alone decides
  (`take_values`, `take_holes`, `take_pairs`).

Nothing here imports numba before a large job asks for it: that and the loading of a cached kernel
cost half a second, once per process.
"""

import sys
from collections.abc import Callable
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from fsops.algorithms.base.types import Bools, Floats, Ints, Numbers

# From how many steps on a kernel is used: values of a table read once, or differences of the
# values of two rows. Measured by benchmarks/filters.py --thresholds: from here on a loop of some
# forty tables, or of thirty runs of ReliefF, repays the start. Smaller jobs never wait for it.
TABLE = 1 << 23
PAIRS = 30_000_000
# Sorting in numpy, or leaving out missing values, costs ten times as much as reading a table.
RANKS = HOLES = 1 << 19
# Terms of polynomials: without numba they only cost time in tables of a million attributes.
TERMS = 1 << 27
# From so many values on a kernel repays its own loading, if numba is loaded already.
LOADED = 1 << 17

# Columns whose sums stay in the first- or second-level cache while the rows pass by.
TILE = 2048
# The same for tables with missing values, of which more sums are taken, and for counts.
KNOWN_TILE = 1024
COUNT_TILE = 256
# Rows and features of a block of which the distances from all anchors are summed.
NEAR_ROWS = 256
NEAR_FEATURES = 64
# Features whose differences from all neighbours are added up while they are in the cache.
NEAR_TILE = 512
# Values of a polynomial computed side by side.
LANES = 64
# A byte counts so far.
BYTE = 255
# So many lines of a contingency table are counted by comparing with each value.
FEW_LINES = 33
# Moves per value after which the insertion behind a radix sort gives way to a full sort.
MOVES = 8
# The key of a missing value: sorts behind all others, and is of class 0.
MISSING_KEY = 0xFFFFFFFE
# Relative error that votes by nearness allow for, far above that of a square root.
CAUTION = 1e-13

P = ParamSpec("P")
R = TypeVar("R")


def take_table(X: Numbers) -> bool:
    """Whether kernels with the bits of their twins are to read this table, stored in one piece."""
    return _in_one_piece(X) and _worthwhile(X.size, _least(TABLE))


def take_holes(X: Numbers) -> bool:
    """Whether kernels are to read this table with missing values, stored in one piece."""
    return _in_one_piece(X) and _worthwhile(X.size, HOLES)


def take_ranks(values: int) -> bool:
    """Whether kernels are to sort so many values."""
    return _worthwhile(values, _least(RANKS))


def take_terms(terms: int) -> bool:
    """Whether kernels are to add up so many terms of polynomials."""
    return _worthwhile(terms, _least(TERMS))


def take_values(values: int) -> bool:
    """Whether kernels are to do some steps with each of so many values."""
    return _worthwhile(values, TABLE)


def take_pairs(differences: int) -> bool:
    """Whether kernels are to compute so many differences between the values of two rows."""
    return _worthwhile(differences, PAIRS)


def _in_one_piece(X: Numbers) -> bool:
    return (X.flags.c_contiguous or X.flags.f_contiguous) and X.flags.aligned


def _least(steps: int) -> int:
    """From how many steps on a kernel with the bits of its twin is faster."""
    return LOADED if "numba" in sys.modules else steps


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

        if "prefetch" in function.__code__.co_names:
            function.__globals__["prefetch"] = _prefetch_instruction()
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


def prefetch(values: Numbers, place: int) -> None:
    """Ask for values[place] of a flat array before it is needed; in kernels only.

    The processor does so by itself, but too late for a table whose columns are short. Any place
    may be given, even one behind the end.
    """


@cache
def _prefetch_instruction() -> Any:
    """The instruction that replaces `prefetch` in compiled code."""
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    insert: Any = cgutils.get_or_insert_function

    def instruction(_typing: Any, values: Any, place: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            address = builder.bitcast(builder.gep(array.data, [arguments[1]]), byte)
            kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
            call = insert(builder.module, kind, "llvm.prefetch.p0")
            # To be read, and again soon, and not an instruction.
            builder.call(call, [address, number(0), number(3), number(1)])
            return context.get_dummy_value()

        return types.void(values, place), generate

    return intrinsic(instruction)


def _frozen(X: Numbers) -> Numbers:
    """A view that cannot be written to: of writeable arrays a second kernel would be compiled."""
    view = X.view()
    view.flags.writeable = False
    return view


def _grouped(codes: Ints, n_classes: int) -> tuple[Numbers, Ints]:
    """The rows of all classes one after the other, and where each class starts.

    The rows are unsigned: a kernel would check signed ones for counting from the end.
    """
    starts = np.zeros(n_classes + 1, dtype=np.intp)
    np.cumsum(np.bincount(codes, minlength=n_classes), out=starts[1:])
    # A stable sort of bytes only counts them.
    small = codes.astype(np.uint8) if n_classes <= BYTE else codes
    return np.argsort(small, kind="stable").astype(np.uintp), starts


# --- moments of resamples -----------------------------------------------------------------------
# Those of whole tables are in `compiled_moments`.


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


# --- polynomials --------------------------------------------------------------------------------


def polynomial(coefficients: Floats, v: Floats, u: Floats) -> Floats:
    """Sum of coefficients[j, d] u^j v^d, by Horner's rule."""
    total = np.empty(v.size)
    _add_terms(coefficients, v, u, total)
    return total


@_compiled
def _add_terms(coefficients: Floats, v: Floats, u: Floats, total: Floats) -> None:
    """`polynomial`, for several values side by side."""
    lines, degrees = coefficients.shape
    inner = np.empty(LANES)
    for a in range(0, v.size, LANES):
        b = min(v.size, a + LANES)
        x, y, out = v[a:b], u[a:b], total[a:b]
        out[:] = 0.0
        for j in range(lines - 1, -1, -1):
            inner[:] = coefficients[j, degrees - 1]
            for d in range(degrees - 2, -1, -1):
                c = coefficients[j, d]
                for i in range(b - a):
                    inner[i] = inner[i] * x[i] + c
            for i in range(b - a):
                out[i] = out[i] * y[i] + inner[i]


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
def add_near_distances(X: Numbers, distance: Floats) -> None:
    """Add the sums of absolute differences of all rows in single precision to (rows, rows).

    Only the distances right of the diagonal are added. Sums of `NEAR_FEATURES` differences are
    single, their sum is double; see `near_error`.
    """
    n, p = X.shape
    block = np.zeros((NEAR_FEATURES, n), dtype=np.float32)
    sums = np.zeros((4, NEAR_ROWS), dtype=np.float32)
    for f in range(0, p, NEAR_FEATURES):
        size = min(p - f, NEAR_FEATURES)
        for i in range(n):
            for g in range(size):
                block[g, i] = X[i, f + g]
        # Features that are equal in all rows fill up the last two.
        block[size:] = 0.0
        for first in range(0, n, NEAR_ROWS):
            last = min(n, first + NEAR_ROWS)
            for i in range(0, last, 4):
                # Behind the last row the same one is taken again, and its sums are dropped.
                i1, i2, i3 = min(i + 1, n - 1), min(i + 2, n - 1), min(i + 3, n - 1)
                begin = max(first, i)
                width = last - begin
                s0, s1, s2, s3 = sums[0, :width], sums[1, :width], sums[2, :width], sums[3, :width]
                sums[:, :width] = 0.0
                for g in range(0, size, 2):
                    x, z = block[g, begin:last], block[g + 1, begin:last]
                    a0, a1, a2, a3 = block[g, i], block[g, i1], block[g, i2], block[g, i3]
                    b0, b1 = block[g + 1, i], block[g + 1, i1]
                    b2, b3 = block[g + 1, i2], block[g + 1, i3]
                    for j in range(width):
                        u, v = x[j], z[j]
                        s0[j] += abs(a0 - u) + abs(b0 - v)
                        s1[j] += abs(a1 - u) + abs(b1 - v)
                        s2[j] += abs(a2 - u) + abs(b2 - v)
                        s3[j] += abs(a3 - u) + abs(b3 - v)
                for k in range(min(4, n - i)):
                    for j in range(width):
                        distance[i + k, begin + j] += sums[k, j]


def near_error(features: int) -> tuple[float, float]:
    """Largest error of `add_near_distances`, absolute and relative to the distance.

    Values between 0 and 1 are rounded by 2^-25, differences and sums by 2^-24 of their size.
    """
    return features * 2.0**-24, (NEAR_FEATURES + 2) * 2.0**-24


@_compiled
def mirror(distance: Floats) -> None:
    """Copy what is right of the diagonal of a square matrix to its left."""
    n = len(distance)
    for a in range(0, n, 64):
        for b in range(a, n, 64):
            for i in range(a, min(n, a + 64)):
                for j in range(max(b, i + 1), min(n, b + 64)):
                    distance[j, i] = distance[i, j]


@_compiled
def find_nearest(  # noqa: PLR0912, PLR0917 - kernels have no keywords and call no others
    near: Floats,
    X: Floats,
    codes: Ints,
    sizes: Ints,
    absolute: float,
    relative: float,
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
            error = 2 * (absolute + relative * distance[c, k])
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

    The neighbours of row i are those from starts[i] to starts[i + 1]; four are taken at a time.
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


# --- ranks --------------------------------------------------------------------------------------
# Keys are 30 bits of a value and a class; see `rank_sums`.


@_compiled
def sort_keys(keys: Numbers) -> None:
    """Sort each line of 32-bit numbers in place, byte by byte."""
    lines, n = keys.shape
    byte = np.uint32(BYTE)
    shift1, shift2, shift3 = np.uint32(8), np.uint32(16), np.uint32(24)
    buffer = np.empty(n, dtype=np.uint32)
    counts = np.empty((4, BYTE + 1), dtype=np.int64)
    for c in range(lines):
        k = keys[c]
        counts[:] = 0
        for i in range(n):
            counts[0, k[i] & byte] += 1
            counts[1, (k[i] >> shift1) & byte] += 1
            counts[2, (k[i] >> shift2) & byte] += 1
            counts[3, k[i] >> shift3] += 1
        for q in range(4):
            place = 0
            for b in range(BYTE + 1):
                count = counts[q, b]
                counts[q, b] = place
                place += count
        for i in range(n):
            b = k[i] & byte
            buffer[counts[0, b]] = k[i]
            counts[0, b] += 1
        for i in range(n):
            b = (buffer[i] >> shift1) & byte
            k[counts[1, b]] = buffer[i]
            counts[1, b] += 1
        for i in range(n):
            b = (k[i] >> shift2) & byte
            buffer[counts[2, b]] = k[i]
            counts[2, b] += 1
        for i in range(n):
            b = buffer[i] >> shift3
            k[counts[3, b]] = buffer[i]
            counts[3, b] += 1


def read_keys(keys: Numbers) -> Floats:
    """Rank sum and rows of class 1, rows of class 0 and sum of t^3 - t over equal keys, (4, lines).

    The lines are sorted.
    """
    sums = np.zeros((4, len(keys)))
    _read_keys(keys, sums)
    return sums


@_compiled
def _read_keys(keys: Numbers, sums: Floats) -> None:
    """`read_keys`, without a branch that depends on the keys.

    A key that follows t equal ones adds 3 t (t + 1) to t^3 - t. Class 1 comes last among equal
    keys, so each such row gets half a rank too much for each equal row of class 0.
    """
    lines, n = keys.shape
    one = np.uint32(1)
    for c in range(lines):
        k, known = keys[c], n
        while known and k[known - 1] == MISSING_KEY:
            known -= 1
        total = positive = equal = np.int64(0)
        for i in range(known):
            bit = np.int64(k[i] & one)
            total += bit * (i + 1)
            positive += bit
        for i in range(1, known):
            equal += np.int64((k[i] ^ k[i - 1]) <= one)
        excess = cubes = earlier = zeros = np.int64(0)
        for i in range(known if equal else 0):
            same = np.int64(i > 0 and (k[i] ^ k[i - 1]) <= one)
            bit = np.int64(k[i] & one)
            earlier = same * (earlier + 1)
            zeros = same * zeros + 1 - bit
            excess += bit * zeros
            cubes += earlier * (earlier + 1)
        sums[0, c], sums[1, c] = total - excess / 2, positive
        sums[2, c], sums[3, c] = known - positive, 3.0 * cubes


# Long columns: doubles are turned into whole numbers of the same order. Their leading 32 bits are
# sorted in four passes; the few that differ only behind them are put in order by insertion.


def rank_sums(values: Floats, positive: Bools) -> Floats:
    """`read_keys` of lines of values without -0, which are overwritten."""
    keys = values.view(np.uint64)
    ends, _ = _sorted_by_class(keys, positive)
    sums = np.zeros((4, len(values)))
    _merge_classes(keys, ends, sums)
    return sums


def sort_lines(values: Floats) -> Ints:
    """Sort lines of values without -0 in place, missing ones last; the number of known values."""
    keys = values.view(np.uint64)
    ends, lowest = _sorted_by_class(keys, np.ones(values.shape[1], dtype=np.bool_))
    _restore_values(keys, ends, lowest)
    known: Ints = ends[0]
    if (known < values.shape[1]).any():
        values[np.arange(values.shape[1]) >= known[:, None]] = np.nan
    return known


def _sorted_by_class(keys: Numbers, positive: Bools) -> tuple[Ints, Numbers]:
    """Sort the bits of doubles by class; where the classes end, and the subtracted numbers."""
    ends = np.zeros((2, len(keys)), dtype=np.intp)
    lowest = np.zeros(len(keys), dtype=np.uint64)
    _split_by_class(keys, positive, ends, lowest)
    _sort_leading_bits(keys, ends)
    _finish_sorting(keys, ends)
    return ends, lowest


@_compiled
def _restore_values(keys: Numbers, ends: Ints, lowest: Numbers) -> None:
    """Turn sorted numbers back into the bits of doubles."""
    top = np.uint64(1 << 63)
    for c in range(len(keys)):
        k = keys[c]
        for i in range(ends[0, c]):
            v = k[i] + lowest[c]
            k[i] = v ^ top if v & top else ~v


@_compiled
def _split_by_class(keys: Numbers, positive: Bools, ends: Ints, lowest: Numbers) -> None:
    """Move class 1 to the front of each line and class 0 to its back, as sortable numbers.

    Class 1 fills the places below ends[0], class 0 those from ends[1] on; missing values are left
    out. The lowest number of a line is subtracted, so that the leading bits differ.
    """
    lines, n = keys.shape
    top, infinite = np.uint64(1 << 63), np.uint64(0x7FF << 52)
    others = np.empty(n + 1, dtype=np.uint64)
    for c in range(lines):
        k, ones, zeros = keys[c], 0, 0
        low = ~np.uint64(0)
        for i in range(n):
            v = k[i]
            known = (v & ~top) <= infinite
            v = ~v if v & top else v | top
            # Both are written and at most one is kept: branches would be mispredicted.
            k[ones], others[zeros] = v, v
            ones += known & positive[i]
            zeros += known & (not positive[i])
            low = min(low, v if known else low)
        for i in range(ones):
            k[i] -= low
        for i in range(zeros):
            k[n - zeros + i] = others[i] - low
        ends[0, c], ends[1, c], lowest[c] = ones, n - zeros, low


@_compiled
def _sort_leading_bits(keys: Numbers, ends: Ints) -> None:
    """Sort both classes of each line by the leading 32 bits of its largest key."""
    lines, n = keys.shape
    byte = np.uint64(BYTE)
    counts = np.empty((4, BYTE + 1), dtype=np.intp)
    buffer = np.empty(n, dtype=np.uint64)
    for half in range(2 * lines):
        c = half >> 1
        part = keys[c, ends[1, c] :] if half & 1 else keys[c, : ends[0, c]]
        size, largest = part.size, np.uint64(0)
        for i in range(size):
            largest = max(largest, part[i])
        lowest = np.uint64(0)
        while largest >> lowest >> np.uint64(32):
            lowest += np.uint64(1)
        shift1, shift2 = lowest + np.uint64(8), lowest + np.uint64(16)
        shift3 = lowest + np.uint64(24)
        counts[:] = 0
        for i in range(size):
            v = part[i]
            counts[0, (v >> lowest) & byte] += 1
            counts[1, (v >> shift1) & byte] += 1
            counts[2, (v >> shift2) & byte] += 1
            counts[3, v >> shift3] += 1
        for q in range(4):
            place = 0
            for b in range(BYTE + 1):
                count = counts[q, b]
                counts[q, b] = place
                place += count
        for i in range(size):
            b = (part[i] >> lowest) & byte
            buffer[counts[0, b]] = part[i]
            counts[0, b] += 1
        for i in range(size):
            b = (buffer[i] >> shift1) & byte
            part[counts[1, b]] = buffer[i]
            counts[1, b] += 1
        for i in range(size):
            b = (part[i] >> shift2) & byte
            buffer[counts[2, b]] = part[i]
            counts[2, b] += 1
        for i in range(size):
            b = buffer[i] >> shift3
            part[counts[3, b]] = buffer[i]
            counts[3, b] += 1


@_compiled
def _finish_sorting(keys: Numbers, ends: Ints) -> None:
    """Sort both classes of each line by insertion, where few keys are out of order."""
    for half in range(2 * len(keys)):
        c = half >> 1
        part = keys[c, ends[1, c] :] if half & 1 else keys[c, : ends[0, c]]
        moves = 0
        for i in range(1, part.size):
            v, j = part[i], i
            while j > 0 and part[j - 1] > v:
                part[j] = part[j - 1]
                j -= 1
            part[j] = v
            moves += i - j
            if moves > MOVES * part.size:
                # A few huge values leave the others without different leading bits.
                part[:] = np.sort(part)
                break


@_compiled
def _merge_classes(keys: Numbers, ends: Ints, sums: Floats) -> None:
    """`read_keys` of lines with two sorted classes."""
    for c in range(len(keys)):
        ones, zeros = keys[c, : ends[0, c]], keys[c, ends[1, c] :]
        i = j = twice = 0
        cubes = 0.0
        while i < ones.size or j < zeros.size:
            in_ones = j == zeros.size or (i < ones.size and ones[i] < zeros[j])
            v = ones[i] if in_ones else zeros[j]
            hits, first = i, i + j
            while i < ones.size and ones[i] == v:
                i += 1
            while j < zeros.size and zeros[j] == v:
                j += 1
            hits = i - hits
            twice += hits * (first + i + j + 1)
            if i + j - first > 1:
                t = float(i + j - first)
                cubes += t * t * t - t
        sums[0, c], sums[1, c] = twice / 2, ones.size
        sums[2, c], sums[3, c] = zeros.size, cubes
