"""Compiled scores by the rows within the own radius of each row, for MultiSURF.

See `compiled`, whose rules hold here. The numpy twins are in `neighbors.surf`.

The rows of a class follow each other; `starts` says where each class starts, and where the last one
ends. Distances are those of `rounded`. Marks of pairs of rows are in panels like them: 1 if the row
of the column is near the row of the line, 2 if it is the other way round, 3 if both hold. Kernels
take the columns of a panel from its shape: compiled code does not notice that another file changed.
"""

import numpy as np

from fsops.algorithms.base.compiled import _compiled
from fsops.algorithms.base.compiled.rounded import ROWS, Rounded, aligned
from fsops.algorithms.base.types import Bools, Bytes, Floats, Int32s, Ints, Numbers, Places

# Neighbors, a part of a panel, and features whose values stay in the cache while differences are
# added up.
NEIGHBOURS, TILE = 32, 208
# Neighbors that are taken at a time.
FOUR = 4
# Binary places of squared distances that are left out, so that sums of ROWS fit into 64 bits.
LEFT_OUT = 7
# A sum of n terms in double precision is wrong by less than its size times n times this.
LAST_PLACE = 2.0**-52
# No row is that far away.
FAR = 2**31 - 1


# --- the radius -----------------------------------------------------------------------------------


def own_limits(rounded: Rounded) -> tuple[Floats, Floats]:
    """Mean distance of each row minus half of the standard deviation, and its largest error.

    The mean is wrong by at most as much as the distances, and half of the deviation by half as
    much; double precision has an error, too.
    """
    n = rounded.errors.size
    # The distance that the others are compared with: sums of small numbers lose less.
    centre = np.int32(rounded.panels[0, 1 : min(n, ROWS)].mean())
    _fill_places_without_pairs(rounded.panels, n, centre)
    sums, squares = np.zeros(n), np.zeros(n)
    _add_moments(rounded.panels, centre, sums, squares)
    mean, squares = sums / (n - 1), squares / (n - 1)
    deviation = np.sqrt(np.maximum(squares - mean**2, 0.0))
    lost = 2 * n * LAST_PLACE * squares + 2.0**LEFT_OUT
    lost /= np.maximum(deviation, np.sqrt(lost))
    limits: Floats = float(centre) + mean - deviation / 2
    errors: Floats = 1.5 * (rounded.errors + rounded.errors.max()) + lost
    return limits, errors


@_compiled
def _fill_places_without_pairs(panels: Int32s, n: int, value: np.int32) -> None:
    """Set the places of rows with themselves and with earlier rows."""
    size = panels.shape[1]
    for first in range(0, n, size):
        last, top = min(n, first + size), first * (first + size) // (2 * size)
        for i in range(first, last):
            panels[top + i, : i + 1 - first] = value


@_compiled
def _add_moments(panels: Int32s, centre: np.int32, sums: Floats, squares: Floats) -> None:
    """Add the distances of each row from all others, less the center, and their squares.

    Sums of whole numbers are exact, so that many of them can be taken side by side.
    """
    size = panels.shape[1]
    n = sums.size
    for first in range(0, n, size):
        last, top = min(n, first + size), first * (first + size) // (2 * size)
        column, square = sums[first:last], squares[first:last]
        for i in range(last):
            line, total, total_squares = panels[top + i], np.int64(0), np.int64(0)
            for j in range(last - first):
                d = np.float64(line[j] - centre)
                column[j] += d
                square[j] += d * d
            for j in range(last - first):
                whole = np.int64(line[j] - centre)
                total += whole
                total_squares += (whole * whole) >> LEFT_OUT
            sums[i] += total
            squares[i] += total_squares * 2.0**LEFT_OUT


# --- marks ----------------------------------------------------------------------------------------


def marked_pairs(
    rounded: Rounded, starts: Ints, limits: Floats, errors: Floats
) -> tuple[Bytes, Int32s, Bools]:
    """Mark the pairs of rows of which one is within the limit of the other.

    Returns the marks, how many rows of each class are near each row, (classes, rows), and the rows
    for which an error may decide: a distance is within the error of the limit.
    """
    n, panels = limits.size, rounded.panels
    _fill_places_without_pairs(panels, n, np.int32(FAR))
    ends = aligned((2, n), panels.dtype)
    ends[0] = np.clip(np.ceil(limits - errors) - 1, -FAR, FAR - 1)
    ends[1] = np.clip(np.floor(limits + errors), -FAR, FAR - 1)
    marks = aligned(panels.shape, np.dtype(np.uint8))
    counts = np.zeros((starts.size - 1, n), dtype=np.int32)
    doubts = np.zeros(n, dtype=np.int32)
    _mark_pairs(panels, starts, ends[0], ends[1], marks, counts, doubts)
    return marks, counts, doubts > 0


@_compiled
def _mark_pairs(  # noqa: PLR0917 - kernels have no keywords
    panels: Int32s,
    starts: Ints,
    surely: Int32s,
    perhaps: Int32s,
    marks: Bytes,
    counts: Int32s,
    doubts: Int32s,
) -> None:
    """Mark the pairs, count the near rows of each class, and the pairs in doubt of each row.

    Distances up to `surely` are near, those above `perhaps` are not.
    """
    size = panels.shape[1]
    n = starts[-1]
    for first in range(0, n, size):
        top = first * (first + size) // (2 * size)
        for own in range(starts.size - 1):
            for c in range(own, starts.size - 1):
                begin, end = max(starts[c], first), min(starts[c + 1], first + size)
                if begin >= end:
                    continue
                a, b = begin - first, end - first
                near_own, in_doubt = counts[own, begin:end], doubts[begin:end]
                low, high = surely[begin:end], perhaps[begin:end]
                for i in range(starts[own], min(starts[own + 1], end)):
                    line, mark = panels[top + i, a:b], marks[top + i, a:b]
                    low_i, high_i = surely[i], perhaps[i]
                    near, maybe = np.int64(0), np.int64(0)
                    for j in range(end - begin):
                        to_i, to_j = np.int32(line[j] <= low_i), np.int32(line[j] <= low[j])
                        near += to_i
                        maybe += np.int32(line[j] <= high_i)
                        near_own[j] += to_j
                        in_doubt[j] += np.int32(line[j] <= high[j]) - to_j
                        mark[j] = to_i | to_j << 1
                    counts[c, i] += near
                    doubts[i] += maybe - near


@_compiled
def mark_again(rows: Ints, near: Bools, starts: Ints, marks: Bytes, counts: Int32s) -> None:
    """Mark and count the rows near some rows again, (some, all)."""
    size = marks.shape[1]
    for k in range(rows.size):
        i, line = rows[k], near[k]
        for c in range(starts.size - 1):
            counts[c, i] = 0
            for j in range(starts[c], starts[c + 1]):
                counts[c, i] += line[j]
        first = i // size * size
        top = first * (first + size) // (2 * size)
        for j in range(i):
            marks[top + j, i - first] = marks[top + j, i - first] & 1 | line[j] << 1
        for begin in range(first, line.size, size):
            mark = marks[begin * (begin + size) // (2 * size) + i]
            for j in range(max(begin, i + 1), min(begin + size, line.size)):
                mark[j - begin] = mark[j - begin] & 2 | line[j]


# --- scores ---------------------------------------------------------------------------------------


def marked_differences(tiles: Floats, marks: Bytes, counts: Int32s, starts: Ints) -> Floats:
    """Sum over all rows of the scores of every feature by the marked pairs of rows."""
    n_classes, n = counts.shape
    codes = np.repeat(np.arange(n_classes, dtype=np.uintp), np.diff(starts))
    own = (codes, np.arange(n))
    hits = counts[own]
    misses = np.maximum(counts.sum(axis=0) - hits, 1.0)
    factors = (n_classes - 1) * counts / (misses * misses)
    factors[own] = -1.0 / np.maximum(hits, 1.0)
    of_rows = np.ascontiguousarray(factors.T)
    total = np.zeros((tiles.shape[0], tiles.shape[2]))
    parts, most = ROWS // NEIGHBOURS, n * (NEIGHBOURS + FOUR)
    ends = np.zeros((parts, n + 1), dtype=np.uintp)
    rows, weights = np.empty((parts, most), dtype=np.uint32), np.empty((parts, most))
    for first in range(0, n, ROWS):
        last = min(n, first + ROWS)
        _list_pairs(marks, codes, factors, of_rows, first, last, ends, rows, weights)
        for part in range(-(-(last - first) // NEIGHBOURS)):
            end = min(last, first + (part + 1) * NEIGHBOURS)
            _add_differences(tiles, ends[part, : end + 1], rows[part], weights[part], total)
    return total.ravel()


@_compiled
def _list_pairs(  # noqa: PLR0917 - kernels have no keywords
    marks: Bytes,
    codes: Places,
    factors: Floats,
    of_rows: Floats,
    first: int,
    last: int,
    ends: Places,
    rows: Numbers,
    weights: Floats,
) -> None:
    """List the marked pairs with the columns of a panel, with the sum of both weights.

    There is a list for each NEIGHBOURS columns. Its pairs of row i are those from ends[i] to
    ends[i + 1], by fours: pairs without weight fill up the last ones.
    """
    size = marks.shape[1]
    top = first * (first + size) // (2 * size)
    # Unsigned places: the kernel would check signed ones for counting from the end.
    rest = np.uintp(FOUR - 1)
    for i in range(last):
        factor, own = of_rows[i], factors[codes[i]]
        for part in range((last - first + NEIGHBOURS - 1) // NEIGHBOURS):
            begin = first + part * NEIGHBOURS
            end = min(last, begin + NEIGHBOURS)
            line = marks[top + i, begin - first : end - first]
            classes, back = codes[begin:end], own[begin:end]
            row, weight, e = rows[part], weights[part], ends[part, i]
            # Without branches: a row that does not count is overwritten by the next one.
            for j in range(end - begin):
                mark = line[j]
                row[e] = begin + j
                weight[e] = factor[classes[j]] * (mark & 1) + back[j] * (mark >> 1)
                e += np.uintp(mark != 0)
            for k in range(FOUR - 1):
                row[e + np.uintp(k)], weight[e + np.uintp(k)] = i, 0.0
            ends[part, i + 1] = (e + rest) & ~rest


@_compiled
def _add_differences(
    tiles: Floats, ends: Places, rows: Numbers, weights: Floats, total: Floats
) -> None:
    """Add the weighted absolute differences of pairs of rows to the total of every feature."""
    one, two, three = np.uintp(1), np.uintp(2), np.uintp(3)
    for tile in range(len(tiles)):
        X, t, e = tiles[tile], total[tile], np.uintp(0)
        for i in range(ends.size - 1):
            x, end = X[i], ends[i + 1]
            while e < end:
                x0, x1, x2, x3 = X[rows[e]], X[rows[e + one]], X[rows[e + two]], X[rows[e + three]]
                w0, w1, w2, w3 = weights[e], weights[e + one], weights[e + two], weights[e + three]
                for j in range(t.size):
                    v = x[j]
                    near = w0 * abs(v - x0[j]) + w1 * abs(v - x1[j])
                    t[j] += near + (w2 * abs(v - x2[j]) + w3 * abs(v - x3[j]))
                e += np.uintp(FOUR)


def tiled(X: Floats, order: Ints) -> Floats:
    """Rows in some order, (tiles, rows, features); zeros follow behind the last feature.

    A tile has as many features as the others, and each of its rows begins with a line of the cache.
    """
    p = X.shape[1]
    count = -(-p // TILE)
    tiles = aligned((count, order.size, -(-p // (8 * count)) * 8), X.dtype)
    _copy_rows(X, order, tiles)
    return tiles


@_compiled
def _copy_rows(X: Floats, order: Ints, tiles: Floats) -> None:
    """Copy rows into tiles."""
    width = tiles.shape[2]
    for tile in range(len(tiles)):
        for i in range(order.size):
            part, row = X[order[i], tile * width : (tile + 1) * width], tiles[tile, i]
            for j in range(part.size):
                row[j] = part[j]
