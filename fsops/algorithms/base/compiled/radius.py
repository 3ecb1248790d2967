"""Compiled scores by the rows within the own radius of each row, for MultiSURF.

See `compiled`, whose rules hold here. The numpy twins are in `neighbors.surf`.

The rows of a class follow each other; `starts` says where each class starts, and where the last one
ends. Distances are those of `rounded`. Marks of pairs of rows are in panels like them: 1 if the row
of the column is near the row of the line, 2 if it is the other way round, 3 if both hold. Kernels
take the columns of a panel from its shape: compiled code does not notice that another file changed.
"""

import math

import numpy as np

from fsops.algorithms.base.compiled import _compiled
from fsops.algorithms.base.compiled.instructions import (
    DOUBLES,
    MOST_VECTORS,
    add_differences,
    add_distances,
)
from fsops.algorithms.base.compiled.rounded import ROWS, Rounded, aligned
from fsops.algorithms.base.types import Bools, Bytes, Floats, Int32s, Ints, Numbers

# Binary places of squared distances that are left out, so that sums of ROWS fit into 64 bits.
LEFT_OUT = 7
# A sum of n terms in double precision is wrong by less than its size times n times this.
LAST_PLACE = 2.0**-52
# No row is that far away.
FAR = 2**31 - 1


# --- the radius -----------------------------------------------------------------------------------


def own_limits(rounded: Rounded) -> tuple[Floats, Floats]:
    """Mean distance of each row minus half of the standard deviation, and its largest error.

    Let e be the largest error of the distances. Their errors have a mean m and a deviation s with
    m^2 + s^2 <= e^2, which change the limit by at most m + s/2 <= sqrt(5/4) e. Double precision has
    an error, too.
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
    errors: Floats = math.sqrt(1.25) * (rounded.errors + rounded.errors.max()) + lost
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


def mark_again(  # noqa: PLR0917 - as kernels
    tiles: list[Floats], rows: Ints, tie: float, starts: Ints, marks: Bytes, counts: Int32s
) -> None:
    """Mark and count the rows near some rows again, by exact distances.

    A relative difference from the limit below `tie` is none; such rows are not near.
    """
    distances = np.zeros((rows.size, counts.shape[1]))
    for part in tiles:
        _add_exact_distances(part, rows, distances)
    _mark_again(distances, rows, tie, starts, marks, counts)


@_compiled
def _add_exact_distances(tiles: Floats, rows: Ints, distances: Floats) -> None:
    """Add the distances of some rows from all rows."""
    n = tiles.shape[1]
    for tile in range(len(tiles)):
        X = tiles[tile]
        for first in range(0, n, ROWS):
            for k in range(rows.size):
                add_distances(X, rows[k], first, min(n, first + ROWS), distances[k])


@_compiled
def _mark_again(  # noqa: PLR0917 - kernels have no keywords
    distances: Floats, rows: Ints, tie: float, starts: Ints, marks: Bytes, counts: Int32s
) -> None:
    """Mark and count the rows within the limit of some rows."""
    size, n = marks.shape[1], distances.shape[1]
    near = np.empty(n, dtype=np.uint8)
    for k in range(rows.size):
        i, line = rows[k], distances[k]
        limit = _limit(line, i)
        limit -= tie * abs(limit)
        line[i] = np.inf
        for c in range(starts.size - 1):
            count = np.int32(0)
            for j in range(starts[c], starts[c + 1]):
                near[j] = line[j] < limit
                count += near[j]
            counts[c, i] = count
        first = i // size * size
        top = first * (first + size) // (2 * size)
        for j in range(i):
            marks[top + j, i - first] = marks[top + j, i - first] & 1 | near[j] << 1
        for begin in range(first, n, size):
            mark = marks[begin * (begin + size) // (2 * size) + i]
            for j in range(max(begin, i + 1), min(begin + size, n)):
                mark[j - begin] = mark[j - begin] & 2 | near[j]


@_compiled
def _limit(distances: Floats, i: int) -> float:
    """Mean distance of row i minus half of the standard deviation."""
    # Less one of the distances: sums of small numbers lose less.
    count, centre = distances.size - 1, distances[0 if i else 1]
    total = squares = 0.0
    for j in range(distances.size):
        if j != i:
            total += distances[j] - centre
    mean = total / count
    for j in range(distances.size):
        if j != i:
            deviation = distances[j] - centre - mean
            squares += deviation * deviation
    result: float = centre + mean - math.sqrt(squares / count) / 2
    return result


# --- scores ---------------------------------------------------------------------------------------


def marked_differences(tiles: list[Floats], marks: Bytes, counts: Int32s, starts: Ints) -> Floats:
    """Sum over all rows of the scores of every feature by the marked pairs of rows."""
    n_classes, n = counts.shape
    own = (np.repeat(np.arange(n_classes), np.diff(starts)), np.arange(n))
    hits = counts[own]
    misses = np.maximum(counts.sum(axis=0) - hits, 1.0)
    factors = (n_classes - 1) * counts / (misses * misses)
    factors[own] = -1.0 / np.maximum(hits, 1.0)
    of_rows = np.ascontiguousarray(factors.T)
    totals = [np.zeros((len(part), part.shape[2])) for part in tiles]
    ends = np.zeros(n + 1, dtype=np.intp)
    rows, weights = np.empty(n * ROWS + 1, dtype=np.uint32), np.empty(n * ROWS + 1)
    for first in range(0, n, ROWS):
        last = min(n, first + ROWS)
        _list_pairs(marks, starts, factors, of_rows, first, last, ends, rows, weights)
        for part, total in zip(tiles, totals, strict=True):
            _add_pairs(part, ends[: last + 1], rows, weights, total)
    return np.concatenate([total.ravel() for total in totals])


@_compiled
def _list_pairs(  # noqa: PLR0917 - kernels have no keywords
    marks: Bytes,
    starts: Ints,
    factors: Floats,
    of_rows: Floats,
    first: int,
    last: int,
    ends: Ints,
    rows: Numbers,
    weights: Floats,
) -> None:
    """List the marked pairs with the columns of a panel, with the sum of both weights.

    The pairs of row i are those from ends[i] to ends[i + 1].
    """
    size = marks.shape[1]
    top = first * (first + size) // (2 * size)
    weight = np.empty(size)
    # Unsigned: the kernel would check signed places for counting from the end.
    e = np.uintp(0)
    for own in range(starts.size - 1):
        for i in range(starts[own], min(starts[own + 1], last)):
            line = marks[top + i, : last - first]
            for c in range(starts.size - 1):
                begin, end = max(starts[c], first), min(starts[c + 1], last)
                factor, back = of_rows[i, c], factors[own, begin:end]
                mark, both = line[begin - first : end - first], weight[begin - first : end - first]
                for j in range(end - begin):
                    both[j] = factor * (mark[j] & 1) + back[j] * (mark[j] >> 1)
            # Without branches: a row that does not count is overwritten by the next one.
            for j in range(last - first):
                rows[e], weights[e] = first + j, weight[j]
                e += np.uintp(line[j] != 0)
            ends[i + 1] = e


@_compiled
def _add_pairs(tiles: Floats, ends: Ints, rows: Numbers, weights: Floats, total: Floats) -> None:
    """Add the weighted absolute differences of pairs of rows to the total of every feature."""
    for tile in range(len(tiles)):
        for i in range(ends.size - 1):
            add_differences(tiles[tile], i, rows, weights, ends[i], ends[i + 1], total[tile])


def tiled(X: Floats, order: Ints) -> list[Floats]:
    """Rows in some order, in tiles of some features each; zeros follow behind the last feature.

    First those with one vector more, then the others, (tiles, rows, features). Each row of a tile
    begins with a line of the cache.
    """
    vectors = -(-X.shape[1] // DOUBLES)
    count = -(-vectors // MOST_VECTORS)
    width, wider = divmod(vectors, count)
    made, start = [], 0
    for some, size in (wider, (width + 1) * DOUBLES), (count - wider, width * DOUBLES):
        if some:
            tiles = aligned((some, order.size, size), X.dtype)
            _copy_rows(X, start, order, tiles)
            made.append(tiles)
            start += some * size
    return made


@_compiled
def _copy_rows(X: Floats, start: int, order: Ints, tiles: Floats) -> None:
    """Copy the features of rows from a start on into tiles."""
    width = tiles.shape[2]
    for tile in range(len(tiles)):
        first = start + tile * width
        for i in range(order.size):
            part, row = X[order[i], first : first + width], tiles[tile, i]
            for j in range(part.size):
                row[j] = part[j]
