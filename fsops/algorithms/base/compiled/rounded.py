"""Compiled distances of all rows from each other, added up as whole numbers.

See `compiled`, whose rules hold here. Whole numbers are added up four times as fast as doubles, and
the largest error of each row is known. Where it may decide, `near.add_distances` is the exact way.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from fsops.algorithms.base.compiled import _compiled
from fsops.algorithms.base.compiled.instructions import ROWS_AT_ONCE, WHOLES, larger_sums
from fsops.algorithms.base.types import Floats, Int32s, Ints, Numbers

# Values from 0 to 1 become whole numbers from -MIDDLE to MIDDLE, so that sums of FEATURES of them
# fit into 32 bits.
UNITS, MIDDLE, FEATURES = 2.0**26 - 2, 2**25 - 1, 64
# Rows of a panel; as many values of each of them as above fit into the first-level cache.
ROWS = 128
# Features whose distances are added up in 32 bits. Sums of more features have fewer binary places,
# so that the error of rounded sums would exceed that of rounded values.
CHUNK = 1024
# Bytes of a line of the cache. Tables that begin with one are read twice as fast.
LINE = 64
# Parts of a unit in which errors are added up.
PARTS = 1024.0


class Rounded(NamedTuple):
    """Distances as whole numbers, each pair of rows once, in panels of ROWS columns.

    Panel b holds the distances of its ROWS rows, the columns, from all rows up to its own last one,
    the lines; only those of earlier lines are valid. A distance is wrong by at most the sum of the
    errors of both rows. Errors are in units, too.
    """

    panels: Int32s
    unit: float
    errors: Floats


def rounded_distances(X: Floats, order: Ints) -> Rounded:
    """Sums of absolute differences of rows in some order; values are from 0 to 1."""
    n, p = order.size, X.shape[1]
    count, kind = -(-n // ROWS), np.dtype(np.int32)
    panels = aligned((ROWS * count * (count + 1) // 2, ROWS), kind)
    shapes = (ROWS * count,), (FEATURES, ROWS), (ROWS_AT_ONCE, ROWS)
    buffers = _Buffers(*(aligned(shape, kind) for shape in shapes))
    errors = np.zeros(n)
    places = _places(min(p, CHUNK))
    if p <= CHUNK:
        _set_chunk(X, order, 0, p, places, buffers, panels, errors)
        return Rounded(panels, 2.0**places / UNITS, errors / 2.0**places)
    total, left_out = np.zeros(panels.shape), _places(p)
    for first in range(0, p, CHUNK):
        _set_chunk(X, order, first, min(p, first + CHUNK), places, buffers, panels, errors)
        total += panels
    total *= 2.0 ** (places - left_out)
    panels[:] = np.rint(total, out=total)
    # The sum of the chunks is rounded by half a unit, of which each of two rows gets a half.
    return Rounded(panels, 2.0**left_out / UNITS, errors / 2.0**left_out + 0.25)


class _Buffers(NamedTuple):
    """Sums of rows, values of the columns of a panel, and sums of some lines."""

    own: Int32s
    columns: Int32s
    sums: Int32s


def aligned(shape: tuple[int, ...], dtype: "np.dtype[Any]") -> Numbers:
    """Zeros that begin with a line of the cache."""
    size = math.prod(shape) * dtype.itemsize
    raw = np.zeros(size + LINE, dtype=np.uint8)
    start = -raw.ctypes.data % LINE
    return raw[start : start + size].view(dtype).reshape(shape)


def _places(features: int) -> int:
    """Binary places to leave out, so that distances in so many features fit into 32 bits."""
    return max(1, math.ceil(math.log2(features * UNITS)) - 31)


def _set_chunk(  # noqa: PLR0917 - as kernels
    X: Floats,
    order: Ints,
    first: int,
    last: int,
    places: int,
    buffers: _Buffers,
    panels: Int32s,
    errors: Floats,
) -> None:
    """Set the distances to those in some features, and add their errors."""
    rounded = np.empty((order.size, last - first), dtype=np.int32)
    _round(X, order, first, last, places, rounded, buffers.own, errors)
    _set_panels(rounded, buffers.own, places, buffers.columns, buffers.sums, panels)


@_compiled
def _round(  # noqa: PLR0917 - kernels have no keywords
    X: Floats,
    order: Ints,
    first: int,
    last: int,
    places: int,
    rounded: Int32s,
    own: Int32s,
    errors: Floats,
) -> None:
    """Round some features of all rows; sum up the values of each row, and its errors."""
    size = last - first
    half = 1 << (places - 1)
    # The sum of each FEATURES is rounded by half a unit, of which each of two rows gets a half. The
    # own sum of the row is rounded by half a unit, too.
    by_sums = ((size + FEATURES - 1) // FEATURES / 4.0 + 0.5) * 2.0**places
    for i in range(order.size):
        line, whole = X[order[i], first:last], rounded[i]
        total, error = np.int64(0), np.int64(0)
        for f in range(size):
            value = line[f] * UNITS
            whole[f] = np.int32(value + 0.5) - MIDDLE
            total += whole[f]
            # Sums of whole numbers may be taken side by side. One part more covers what is cut.
            error += np.int32(PARTS * abs(value - (whole[f] + MIDDLE))) + 1
        own[i] = (total + half) >> places
        errors[i] += error / PARTS + by_sums


@_compiled
def _set_panels(  # noqa: PLR0917 - kernels have no keywords
    rounded: Int32s, own: Int32s, places: int, columns: Int32s, sums: Int32s, panels: Int32s
) -> None:
    """Set the distances of all rows from later ones.

    |a - b| = 2 max(a, b) - a - b: only the larger values are added up for each pair of rows.
    """
    n, p = rounded.shape
    # Sums are doubled and divided by 2^places, with the half of a unit that rounds them.
    half = np.int32((1 << (places - 1)) >> 1)
    some = np.empty(ROWS_AT_ONCE, dtype=np.intp)
    for first in range(0, n, ROWS):
        last, top = min(n, first + ROWS), first * (first + ROWS) // (2 * ROWS)
        end = -(-(last - first) // WHOLES) * WHOLES
        for f in range(0, p, FEATURES):
            size = min(p - f, FEATURES)
            for j in range(last - first):
                for h in range(size):
                    columns[h, j] = rounded[first + j, f + h]
            for i in range(0, last, ROWS_AT_ONCE):
                # Behind the last row the same one is taken again, and its sums are dropped.
                for k in range(ROWS_AT_ONCE):
                    some[k] = min(i + k, last - 1)
                begin = max(i - first, 0) // WHOLES * WHOLES
                larger_sums(rounded, some, f, columns, size, begin, end, half, sums)
                for k in range(min(ROWS_AT_ONCE, last - i)):
                    line, s = panels[top + i + k, begin:end], sums[k, begin:end]
                    if not f:
                        mine, others = own[i + k], own[first + begin : first + end]
                        for j in range(end - begin):
                            line[j] = -(mine + others[j])
                    for j in range(end - begin):
                        line[j] += s[j] >> (places - 1)


@_compiled
def matrix_of(panels: Int32s, distances: Int32s) -> None:
    """Write the distances of all rows from all others into a square matrix."""
    n = len(distances)
    for first in range(0, n, ROWS):
        last, top = min(n, first + ROWS), first * (first + ROWS) // (2 * ROWS)
        for i in range(last):
            line = panels[top + i]
            for j in range(max(first, i + 1), last):
                distances[i, j] = line[j - first]
                distances[j, i] = line[j - first]
