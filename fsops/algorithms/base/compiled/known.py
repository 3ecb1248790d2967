"""Compiled scores by near rows of features with missing values, for MultiSURF.

See `compiled`, whose rules hold here. A neighbor whose value is missing is left out of the counts
of this feature, so that the weight of a pair of rows depends on the feature. The neighbors of each
row are taken one class after the other.
"""

import numpy as np

from fsops.algorithms.base.compiled import _compiled
from fsops.algorithms.base.compiled.instructions import BITS
from fsops.algorithms.base.compiled.radius import NearRows
from fsops.algorithms.base.compiled.rounded import ROWS, Unknown
from fsops.algorithms.base.compiled.row_instructions import add_differences
from fsops.algorithms.base.compiled.tiles import Tiles
from fsops.algorithms.base.types import Bytes, Floats, Ints, Numbers, Words


def known_differences(tiles: Tiles, unknown: Unknown, marks: NearRows) -> Floats:
    """Sum over all rows of the scores of every feature by the near rows whose value is known.

    The tiles have the known values, and 0 for the others.
    """
    n, p = unknown.values.shape
    lines, features = np.nonzero(unknown.missing)
    begins = np.searchsorted(lines, np.arange(n + 1))
    total, near = np.zeros(p), np.zeros((ROWS, n), dtype=np.uint8)
    for first in range(0, n, ROWS):
        near[:] = 0
        _set_near(marks.words, first, n, near)
        _add_scores(*tiles, *unknown, begins, features, *marks.groups, first, near, total)
    return total


@_compiled
def _set_near(words: Words, first: int, n: int, near: Bytes) -> None:
    """Set near[k, j] to 1 if row j is near row first + k."""
    last, size = min(n, first + ROWS), near.shape[0]
    top = first * (first + size) // (2 * size)
    # Earlier rows, and those of the same panel, have a line each.
    for j in range(last):
        for k in range(last - first):
            near[k, j] = words[top + j, 2 + k // BITS] >> np.uint64(k % BITS) & np.uint64(1)
    for begin in range(first, n, size):
        top = begin * (begin + size) // (2 * size)
        for k in range(last - first):
            for j in range(max(begin, first + k + 1), min(begin + size, n)):
                word = words[top + first + k, (j - begin) // BITS]
                near[k, j] = word >> np.uint64((j - begin) % BITS) & np.uint64(1)


@_compiled
def _add_scores(  # noqa: PLR0917 - kernels have no keywords
    wide: Floats,
    narrow: Floats,
    values: Floats,
    missing: Floats,
    begins: Ints,
    holes: Ints,
    starts: Ints,
    lows: Ints,
    highs: Ints,
    first: int,
    near: Bytes,
    total: Floats,
) -> None:
    """Add the scores of some rows by the rows near them.

    The missing values of row j are those of the features from holes[begins[j]] on.
    """
    n, p = values.shape
    n_classes, in_wide = 2 if lows.size else starts.size - 1, len(wide) * wide.shape[2]
    rows, ends = np.empty(n + 1, dtype=np.uint32), np.zeros(n_classes + 1, dtype=np.int64)
    counts = np.empty((n_classes, p))
    sums = np.empty((n_classes, in_wide + len(narrow) * narrow.shape[2]))
    misses, score = np.empty(p), np.empty(p)
    own = 0
    for i in range(first, min(n, first + near.shape[0])):
        line = near[i - first]
        if lows.size:  # of numbers, the hits are the first group
            ends[1] = _list_rows(line, lows[i], highs[i], rows, 0)
            ends[2] = _list_rows(line, 0, lows[i], rows, ends[1])
            ends[2] = _list_rows(line, highs[i], n, rows, ends[2])
        else:
            while i >= starts[own + 1]:
                own += 1
            for c in range(n_classes):
                ends[c + 1] = _list_rows(line, starts[c], starts[c + 1], rows, ends[c])
        _count_known(rows, ends, begins, holes, counts)
        sums[:] = 0.0
        _add_sums(wide, i, rows, ends, 0, sums)
        _add_sums(narrow, i, rows, ends, in_wide, sums)
        misses[:] = 0.0
        score[:] = 0.0
        # The sum of a feature has x itself for each missing value, which counts as 0.
        for c in range(n_classes):
            if c != own:
                count, part, size = counts[c], sums[c], ends[c + 1] - ends[c]
                for f in range(p):
                    misses[f] += count[f]
                    score[f] += count[f] * (part[f] - (size - count[f]) * values[i, f])
        hits, part, size = counts[own], sums[own], ends[own + 1] - ends[own]
        for f in range(p):
            m, h = max(misses[f], 1.0), max(hits[f], 1.0)
            mean = (part[f] - (size - hits[f]) * values[i, f]) / h
            total[f] += (1.0 - missing[i, f]) * ((n_classes - 1) * score[f] / (m * m) - mean)


@_compiled
def _add_sums(  # noqa: PLR0917 - kernels have no keywords
    tiles: Floats, i: int, rows: Numbers, ends: Ints, first: int, sums: Floats
) -> None:
    """Add the differences from the rows of each class to the features from the first on."""
    width = tiles.shape[2]
    for tile in range(len(tiles)):
        begin = first + tile * width
        for c in range(len(sums)):
            part = sums[c, begin : begin + width]
            add_differences(tiles[tile], i, rows, ends[c], ends[c + 1], part)


@_compiled
def _list_rows(near: Bytes, begin: int, end: int, rows: Numbers, place: int) -> int:
    """List the near rows from begin to before end, and return the place behind them."""
    # Unsigned: the kernel would check signed places for counting from the end.
    e = np.uintp(place)
    for j in range(begin, end):
        # Without branches: a row that does not count is overwritten by the next one.
        rows[e] = j
        e += np.uintp(near[j])
    return int(e)


@_compiled
def _count_known(rows: Numbers, ends: Ints, begins: Ints, holes: Ints, counts: Floats) -> None:
    """How many near rows of each class have a known value of each feature."""
    for c in range(len(counts)):
        count = counts[c]
        count[:] = ends[c + 1] - ends[c]
        for e in range(ends[c], ends[c + 1]):
            j = rows[e]
            for h in range(begins[j], begins[j + 1]):
                count[holes[h]] -= 1.0
