"""Compiled scores by the rows within the own radius of each row, for MultiSURF.

See `compiled`, whose rules hold here. The numpy twins are in `neighbors.surf`.

Rows are in the order of their labels, see `Groups`. Distances are those of `rounded`, a panel of
columns at a time. Marks of a line of a panel are four words: the bits of the first two say which
columns are near the row of the line, those of the others say which columns this row is near to.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fsops.algorithms.base.compiled import _compiled
from fsops.algorithms.base.compiled.instructions import BITS, DOUBLES
from fsops.algorithms.base.compiled.rounded import LEFT_OUT, ROWS, Panels, aligned
from fsops.algorithms.base.compiled.row_instructions import (
    add_larger_values,
    list_line,
    mark_line,
    weigh_line,
)
from fsops.algorithms.base.compiled.tiles import Tiles
from fsops.algorithms.base.types import Bools, Bytes, Floats, Int32s, Ints, Words

# A sum of n terms in double precision is wrong by less than its size times n times this.
LAST_PLACE = 2.0**-52
# No row is that far away.
FAR = 2**31 - 1
# Lines whose pairs are listed at a time, and stay in the second-level cache.
LISTED = 1024
# Values of exact distances at a time.
EXACT = 1 << 23


# --- the radius -----------------------------------------------------------------------------------


def own_limits(panels: Panels) -> tuple[Floats, Floats]:
    """Mean distance of each row minus half of the standard deviation, and its largest error.

    Let e be the largest error of the distances. Their errors have a mean m and a deviation s with
    m^2 + s^2 <= e^2, which change the limit by at most m + s/2 <= sqrt(5/4) e. Double precision has
    an error, too.
    """
    n, moments = panels.rounded.rows, panels.moments()
    mean, squares = moments.sums / (n - 1), moments.squares / (n - 1)
    deviation = np.sqrt(np.maximum(squares - mean**2, 0.0))
    lost = 2 * n * LAST_PLACE * squares + 2.0**LEFT_OUT
    lost /= np.maximum(deviation, np.sqrt(lost))
    limits: Floats = float(moments.centre) + mean - deviation / 2
    errors: Floats = math.sqrt(1.25) * (panels.errors + panels.errors.max()) + lost
    return limits, errors


# --- marks ----------------------------------------------------------------------------------------


class Groups(NamedTuple):
    """Rows in the order of their labels, and which pairs of them are hits.

    The rows of a class follow each other. If the label is a number, the rows whose labels are like
    that of a row follow each other, too.
    """

    starts: Ints
    """Where each class starts, and where the last one ends. All rows are one class of numbers."""
    lows: Ints
    """The first row whose number is like that of each row; empty for classes."""
    highs: Ints
    """The row behind the last one."""

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.starts[-1])

    @property
    def own(self) -> Ints:
        """The class of each row."""
        return np.repeat(np.arange(self.starts.size - 1), np.diff(self.starts))


class NearRows(NamedTuple):
    """Which rows are near which."""

    words: Words
    """Marks of all lines of all panels, (lines, 4)."""
    counts: Int32s
    """How many rows of each class are near each row, (classes, rows); for numbers, how many rows
    are near, and how many of them are hits."""
    groups: Groups


def marked_pairs(
    panels: Panels, groups: Groups, limits: Floats, errors: Floats
) -> tuple[NearRows, Bools]:
    """Mark the pairs of rows of which one is within the limit of the other.

    Also returns the rows for which an error may decide: a distance is within the error of the
    limit.
    """
    n, count = limits.size, len(panels)
    surely, perhaps = (aligned((count * ROWS,), np.dtype(np.int32)) for _ in range(2))
    surely[:n] = np.clip(np.ceil(limits - errors) - 1, -FAR, FAR - 1)
    perhaps[:n] = np.clip(np.floor(limits + errors), -FAR, FAR - 1)
    words = np.empty((ROWS * count * (count + 1) // 2, 4), dtype=np.uint64)
    kinds = 2 if groups.lows.size else groups.starts.size - 1
    counts = aligned((kinds, count * ROWS), np.dtype(np.int32))
    doubtful = np.zeros(count * ROWS, dtype=np.bool_)
    for b in range(count):
        part = words[_top(b) : _top(b + 1)]
        _mark_panel(panels.panel(b), b * ROWS, *groups, surely, perhaps, part, counts, doubtful)
    return NearRows(words, counts, groups), doubtful[:n]


def _top(b: int) -> int:
    """The first line of panel b."""
    return ROWS * b * (b + 1) // 2


@_compiled
def _mark_panel(  # noqa: PLR0917 - kernels have no keywords
    panel: Int32s,
    first: int,
    starts: Ints,
    lows: Ints,
    highs: Ints,
    surely: Int32s,
    perhaps: Int32s,
    words: Words,
    counts: Int32s,
    doubtful: Bools,
) -> None:
    """Mark the pairs of a panel, count the near rows of each class, and find rows in doubt.

    Distances up to `surely` are near, those above `perhaps` are not.
    """
    size, n = panel.shape[1], starts[-1]
    last = min(n, first + size)
    members, unsure = np.zeros((starts.size - 1, 2), dtype=np.uint64), np.zeros(4, dtype=np.uint64)
    for c in range(starts.size - 1):
        for j in range(max(starts[c], first), min(starts[c + 1], last)):
            members[c, (j - first) // BITS] |= np.uint64(1) << np.uint64((j - first) % BITS)
    for own in range(starts.size - 1):
        for i in range(starts[own], min(starts[own + 1], last)):
            for j in range(i + 1 - first):
                panel[i, j] = FAR
            for j in range(last - first, size):
                panel[i, j] = FAR
            mark_line(panel, i, first, surely, perhaps, counts, own, words, unsure)
            if unsure[0] | unsure[1] | unsure[2] | unsure[3]:
                _doubt(unsure, i, first, doubtful)
            for c in range(starts.size - 1):
                if members[c, 0] | members[c, 1]:
                    near = _ones(words[i, 0] & members[c, 0]) + _ones(words[i, 1] & members[c, 1])
                    counts[c, i] += near
            if lows.size:
                _count_hits(words, i, first, lows[i], highs[i], counts[1])


@_compiled
def _doubt(unsure: Words, i: int, first: int, doubtful: Bools) -> None:
    """Note the row of the line and those of the columns whose limits give two answers."""
    if unsure[0] | unsure[1]:
        doubtful[i] = True
    for j in range(2 * BITS):
        if unsure[2 + j // BITS] >> np.uint64(j % BITS) & np.uint64(1):
            doubtful[first + j] = True


@_compiled
def _count_hits(  # noqa: PLR0917 - kernels have no keywords
    words: Words, i: int, first: int, low: int, high: int, hits: Int32s
) -> None:
    """Count the near rows from `low` to before `high`, for row i and for those of the columns."""
    for j in range(max(low - first, 0), min(high - first, 2 * BITS)):
        word, bit = j // BITS, np.uint64(j % BITS)
        hits[i] += np.int32(words[i, word] >> bit & np.uint64(1))
        hits[first + j] += np.int32(words[i, word + 2] >> bit & np.uint64(1))


@_compiled
def _ones(word: np.uint64) -> int:
    """How many bits are set; the compiler knows these steps as one instruction."""
    word -= word >> np.uint64(1) & np.uint64(0x5555555555555555)
    threes = np.uint64(0x3333333333333333)
    word = (word & threes) + (word >> np.uint64(2) & threes)
    word = word + (word >> np.uint64(4)) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int(word * np.uint64(0x0101010101010101) >> np.uint64(56))


def mark_again(
    distances: Callable[[Ints], Floats], rows: Ints, tie: float, windows: Floats, marks: NearRows
) -> None:
    """Mark and count the rows near some rows again, by their exact distances from all rows.

    A relative difference from the limit below `tie` is none; such rows are not near. Only rows in
    a window around the limit may have a wrong mark.
    """
    size = max(1, EXACT // marks.groups.rows)
    for begin in range(0, rows.size, size):
        some = rows[begin : begin + size]
        exact = np.ascontiguousarray(distances(some))
        _mark_again(exact, some, tie, windows, *marks.groups, marks.words, marks.counts)


@_compiled
def _mark_again(  # noqa: PLR0917 - kernels have no keywords
    distances: Floats,
    rows: Ints,
    tie: float,
    windows: Floats,
    starts: Ints,
    lows: Ints,
    highs: Ints,
    words: Words,
    counts: Int32s,
) -> None:
    """Mark and count the rows within the limit of some rows."""
    n = distances.shape[1]
    for k in range(rows.size):
        i, line = rows[k], distances[k]
        limit = _limit(line, i)
        limit -= tie * abs(limit)
        window = windows[i]
        c = 0
        for j in range(n):
            if abs(line[j] - limit) > window or j == i:
                continue
            while j >= starts[c + 1]:
                c += 1
            # The earlier row is that of the line, the later one that of the column.
            later, earlier, word = max(i, j), min(i, j), 0 if i < j else 2
            first = later // ROWS * ROWS
            top, bit = first * (first + ROWS) // (2 * ROWS), np.uint64((later - first) % BITS)
            word += (later - first) // BITS
            before = words[top + earlier, word] >> bit & np.uint64(1)
            now = np.uint64(line[j] < limit)
            words[top + earlier, word] ^= (before ^ now) << bit
            counts[c, i] += np.int32(now) - np.int32(before)
            if lows.size and lows[i] <= j < highs[i]:
                counts[1, i] += np.int32(now) - np.int32(before)


@_compiled
def _limit(distances: Floats, i: int) -> float:
    """Mean distance of row i minus half of the standard deviation.

    Eight sums side by side do not wait for each other.
    """
    # Less one of the distances: sums of small numbers lose less.
    n, centre = distances.size, distances[0 if i else 1]
    distances[i] = centre
    parts, whole = np.zeros((2, DOUBLES)), n // DOUBLES * DOUBLES
    for j in range(0, whole, DOUBLES):
        for k in range(DOUBLES):
            parts[0, k] += distances[j + k] - centre
    for j in range(whole, n):
        parts[0, 0] += distances[j] - centre
    mean = parts[0].sum() / (n - 1)
    for j in range(0, whole, DOUBLES):
        for k in range(DOUBLES):
            deviation = distances[j + k] - centre - mean
            parts[1, k] += deviation * deviation
    for j in range(whole, n):
        deviation = distances[j] - centre - mean
        parts[1, 0] += deviation * deviation
    # The row itself does not count.
    squares = max(parts[1].sum() - mean * mean, 0.0)
    result: float = centre + mean - math.sqrt(squares / (n - 1)) / 2
    return result


# --- scores ---------------------------------------------------------------------------------------


def marked_differences(tiles: Tiles, marks: NearRows) -> Floats:
    """Sum over all rows of the scores of every feature by the marked pairs of rows.

    If w is the weight of a pair of rows, w |a - b| = 2 w max(a, b) - w a - w b: only the larger
    values are added up for each pair.
    """
    factors, places = _factors(marks), _places_of_bits()
    sums, of_rows = np.zeros(factors.shape[1]), np.ascontiguousarray(factors.T)
    totals = [np.zeros((len(part), part.shape[2])) for part in tiles]
    for b in range(sums.size // ROWS):
        words = marks.words[_top(b) : _top(b + 1)]
        _add_panel(
            words, b * ROWS, *marks.groups, marks.groups.own, factors, of_rows, places,
            tiles.wide, tiles.narrow, totals[0], totals[1], sums,
        )  # fmt: skip
    for part, total in zip(tiles, totals, strict=True):
        _take_off(part, sums, total)
    return np.concatenate([total.ravel() for total in totals])


def _places_of_bits() -> Words:
    """The places of the bits of each byte as eight bytes, those of bits that are set first."""
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    places = np.argsort(1 - bits.astype(np.int8), axis=1, kind="stable").astype(np.uint8)
    return places.view("<u8").astype(np.uint64).ravel()


def _factors(marks: NearRows) -> Floats:
    """Weight of the difference of each row from a near one of each class, (classes, rows).

    For numbers, from other rows and from hits.
    """
    n, own = marks.groups.rows, marks.groups.own
    counts, factors = marks.counts[:, :n], np.zeros(marks.counts.shape)
    if marks.groups.lows.size:
        factors[0, :n] = 1.0 / np.maximum(counts[0] - counts[1], 1.0)
        factors[1, :n] = -1.0 / np.maximum(counts[1], 1.0)
        return factors
    places = own, np.arange(n)
    hits = counts[places]
    misses = np.maximum(counts.sum(axis=0) - hits, 1.0)
    factors[:, :n] = (len(counts) - 1) * counts / (misses * misses)
    factors[places] = -1.0 / np.maximum(hits, 1.0)
    return factors


@_compiled
def _add_panel(  # noqa: PLR0917 - kernels have no keywords
    words: Words,
    first: int,
    starts: Ints,
    lows: Ints,
    highs: Ints,
    own: Ints,
    factors: Floats,
    of_rows: Floats,
    places: Words,
    wide: Floats,
    narrow: Floats,
    of_wide: Floats,
    of_narrow: Floats,
    sums: Floats,
) -> None:
    """Add the weighted larger values of the pairs of a panel to the totals of all features.

    `sums` are those of the weights of the pairs of each row.
    """
    last, weights = min(first + ROWS, own.size), np.empty((LISTED, ROWS))
    ends, columns = np.zeros(own.size + 1, np.int64), np.empty(LISTED * ROWS + 8, dtype=np.uint8)
    for begin in range(0, last, LISTED):
        end = min(last, begin + LISTED)
        _list_pairs(
            words, first, begin, end, starts, lows, highs, own, factors, of_rows, places,
            ends, columns, weights, sums,
        )  # fmt: skip
        _add_larger(wide, first, begin, end, ends, columns, weights, of_wide)
        _add_larger(narrow, first, begin, end, ends, columns, weights, of_narrow)


@_compiled
def _list_pairs(  # noqa: PLR0917 - kernels have no keywords
    words: Words,
    first: int,
    begin: int,
    end: int,
    starts: Ints,
    lows: Ints,
    highs: Ints,
    own: Ints,
    factors: Floats,
    of_rows: Floats,
    places: Words,
    ends: Ints,
    columns: Bytes,
    weights: Floats,
    sums: Floats,
) -> None:
    """List the marked pairs of some lines of a panel, and set the sums of both weights.

    The pairs of row i are those from ends[i] to ends[i + 1].
    """
    last = min(first + ROWS, own.size)
    there, row_sum = np.zeros(ROWS), np.empty(DOUBLES)
    # Of numbers, hits have a weight of their own in both directions.
    back, row, column = factors, 0, first
    if lows.size:
        back, column = np.zeros((1, ROWS)), 0
    ends[begin] = 0
    for i in range(begin, end):
        for c in range(starts.size - 1):
            j, stop = max(starts[c], first), min(starts[c + 1], last)
            if j < stop:
                there[j - first : stop - first] = of_rows[i, c]
        row = own[i]
        if lows.size:
            back[0, : last - first] = factors[0, first:last]
            for j in range(max(lows[i], first), min(highs[i], last)):
                there[j - first], back[0, j - first] = of_rows[i, 1], factors[1, j]
        weigh_line(words, i, there, back, row, column, weights, i - begin, row_sum, sums, first)
        for k in range(DOUBLES):
            sums[i] += row_sum[k]
        list_line(words, i, places, columns, ends)


@_compiled
def _add_larger(  # noqa: PLR0917 - kernels have no keywords
    tiles: Floats,
    first: int,
    begin: int,
    end: int,
    ends: Ints,
    columns: Bytes,
    weights: Floats,
    totals: Floats,
) -> None:
    """Add the weighted larger values of the pairs of some lines to the total of every feature."""
    for tile in range(len(tiles)):
        X, total = tiles[tile], totals[tile]
        for i in range(begin, end):
            row = i - begin
            add_larger_values(X, i, first, columns, ends[i], ends[i + 1], weights, row, total)


@_compiled
def _take_off(tiles: Floats, sums: Floats, totals: Floats) -> None:
    """Double the totals, and take off the values themselves."""
    for tile in range(len(tiles)):
        X, total = tiles[tile], totals[tile]
        total *= 2.0
        for i in range(X.shape[0]):
            for j in range(X.shape[1]):
                total[j] -= sums[i] * X[i, j]
