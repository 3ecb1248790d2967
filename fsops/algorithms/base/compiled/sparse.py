"""Compiled inner loops over sparse matrices, for large ones where numba is installed.

See `compiled`, whose rules hold here: every kernel has a numpy twin, which gives the same bits.
"""

from typing import Any, TypeAlias

import numpy as np

from fsops.algorithms.base.compiled import (
    TABLE,
    _compiled,
    _frozen,
    _least,
    _worthwhile,
    take_ranks,
)
from fsops.algorithms.base.types import Bools, Floats, Ints, Numbers

SORTED = 1 << 20
"""Stored values that are sorted at once, column by column."""
FEW = 64
"""Fewer keys are sorted by insertion."""

Stored: TypeAlias = tuple[Numbers, Numbers, Numbers]


def take_stored(values: int) -> bool:
    """Whether kernels should read so many stored values."""
    return _worthwhile(values, _least(TABLE))


def add_class_sums(X: Any, codes: Ints, weights: Floats, size: Floats, sums: Floats) -> None:
    """Fill sums, (4, classes, columns): count, mean, rest of the deviations, their squares."""
    _add_class_sums(stored_in(X), codes, weights, size, sums)


def stored_in(X: Any) -> Stored:
    """The arrays of a matrix: values, rows, and where columns start; read-only as in a table."""
    return _frozen(X.data), _frozen(X.indices), _frozen(X.indptr)


@_compiled
def _add_class_sums(
    stored_values: Stored, codes: Ints, weights: Floats, size: Floats, sums: Floats
) -> None:
    data, rows, starts = stored_values
    n_classes, p = sums.shape[1], sums.shape[2]
    total, stored, gone = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes)
    mean, rest, squares = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes)
    for j in range(p):
        total[:], stored[:], gone[:] = 0.0, 0.0, 0.0
        rest[:], squares[:] = 0.0, 0.0
        for e in range(starts[j], starts[j + 1]):
            i, v = rows[e], np.float64(data[e])
            c, w = codes[i], weights[i]
            if not np.isnan(v):
                total[c] += w * v
                stored[c] += w
            else:
                gone[c] += w
        for c in range(n_classes):
            count = size[c] - gone[c]
            mean[c] = total[c] / count if count > 0 else 0.0
        for e in range(starts[j], starts[j + 1]):
            i, v = rows[e], np.float64(data[e])
            c, w = codes[i], weights[i]
            if not np.isnan(v):
                d = v - mean[c]
                rest[c] += w * d
                squares[c] += w * d * d
        for c in range(n_classes):
            count = size[c] - gone[c]
            zeros = count - stored[c]
            sums[0, c, j], sums[1, c, j] = count, mean[c]
            sums[2, c, j] = rest[c] - zeros * mean[c]
            sums[3, c, j] = squares[c] + zeros * mean[c] * mean[c]


# --- ranks --------------------------------------------------------------------------------------
# The bits of numbers of one sign sort as the numbers do. The class becomes the lowest bit of a key.


def take_sorted(values: int) -> bool:
    """Whether kernels should sort so many stored values."""
    return take_ranks(values)


def add_rank_sums(X: Any, positive: Bools, sums: Floats) -> None:
    """Fill sums, (4, columns): rank sum of class 1, its rows, those of class 0, and the ties."""
    single = X.dtype == np.float32
    _, rows, starts = stored_in(X)
    bits = _frozen(X.data.view(np.uint32 if single else np.uint64))
    largest = (0xFF << 23) if single else (0x7FF << 52)
    limits = np.array([31 if single else 63, largest], dtype=np.uint64)
    ones, first = positive.astype(np.uint8), 0
    while first < X.shape[1]:
        last = int(np.searchsorted(starts, starts[first] + SORTED, side="right")) - 1
        last = min(X.shape[1], max(first + 1, last))
        own = starts[first : last + 1].astype(np.intp)
        keys, ends = np.empty(own[-1] - own[0], np.uint64), np.empty((2, last - first), np.intp)
        part = sums[:, first:last]
        _keys_of_stored((bits, rows, own), ones, limits, (keys, ends), part)
        _sort_keys_of_stored(keys, ends, own - own[0], 3 if single else 6)
        _read_keys_of_stored(keys, ends, own - own[0], part)
        first = last


@_compiled
def _keys_of_stored(
    stored_values: Stored,
    ones: Numbers,
    limits: Numbers,
    keys_and_ends: tuple[Numbers, Ints],
    sums: Floats,
) -> None:
    """Put keys of positive values to the front of each column and of negative ones to its back.

    Positive ones end before ends[0], negative ones start at ends[1]. sums gets the zeros of class
    1, the known rows of both classes, and the number of all zeros.
    """
    bits, rows, starts = stored_values
    keys, ends = keys_and_ends
    n, one, sign, infinite = len(ones), np.uint64(1), limits[0], limits[1]
    below_sign = (one << sign) - one
    total = 0
    for i in range(n):
        total += ones[i]
    for j in range(len(starts) - 1):
        a, b = starts[j] - starts[0], starts[j + 1] - starts[0]
        hits = gone = gone_ones = used = np.int64(0)
        for e in range(starts[j], starts[j + 1]):
            v, c = np.uint64(bits[e]), np.uint64(ones[rows[e]])
            size = v & below_sign
            if size > infinite:
                gone += 1
                gone_ones += np.int64(c)
            elif size != 0:  # a stored zero is a zero
                hits += np.int64(c)
                used += 1
                if v >> sign:
                    b -= 1
                    keys[b] = ((below_sign - size) << one) | c
                else:
                    keys[a] = (size << one) | c
                    a += 1
        ends[0, j], ends[1, j] = a, b
        known, n_ones = n - gone, total - gone_ones
        sums[0, j], sums[1, j] = n_ones - hits, n_ones
        sums[2, j], sums[3, j] = known - n_ones, known - used


@_compiled
def _sort_keys_of_stored(keys: Numbers, ends: Ints, starts: Ints, passes: int) -> None:
    """Sort both parts of each column, 11 bits at a time; few keys by insertion."""
    low, longest = np.uint64(2047), 0
    for j in range(len(starts) - 1):
        longest = max(longest, starts[j + 1] - starts[j])
    buffer, counts = np.empty(longest, np.uint64), np.empty((passes, 2048), np.intp)
    for half in range(2 * (len(starts) - 1)):
        j = half >> 1
        part = keys[ends[1, j] : starts[j + 1]] if half & 1 else keys[starts[j] : ends[0, j]]
        n = len(part)
        if n < FEW:
            for i in range(1, n):
                v, k = part[i], i
                while k > 0 and part[k - 1] > v:
                    part[k] = part[k - 1]
                    k -= 1
                part[k] = v
            continue
        counts[:] = 0
        for i in range(n):
            v = part[i]
            for q in range(passes):
                counts[q, v & low] += 1
                v >>= np.uint64(11)
        for q in range(passes):
            shift = np.uint64(11 * q)
            if counts[q, (part[0] >> shift) & low] == n:
                continue  # all keys agree in these bits
            place = 0
            for b in range(2048):
                count = counts[q, b]
                counts[q, b] = place
                place += count
            for i in range(n):
                digit = (part[i] >> shift) & low
                buffer[counts[q, digit]] = part[i]
                counts[q, digit] += 1
            part[:] = buffer[:n]


@_compiled
def _read_keys_of_stored(keys: Numbers, ends: Ints, starts: Ints, sums: Floats) -> None:
    """Add up the ranks of class 1 in sorted keys; see `_keys_of_stored` for what sums holds."""
    one = np.uint64(1)
    for j in range(len(starts) - 1):
        low, high = keys[ends[1, j] : starts[j + 1]], keys[starts[j] : ends[0, j]]
        known, zeros = sums[1, j] + sums[2, j], sums[3, j]
        rank_sum = sums[0, j] * (len(low) + (zeros + 1) / 2)
        ties = zeros * zeros * zeros - zeros
        for part, before in ((low, 0.0), (high, known - len(high))):
            i = 0
            while i < len(part):
                v, k = part[i], i + 1
                hits = np.int64(v & one)
                while k < len(part) and (v ^ part[k]) <= one:
                    hits += np.int64(part[k] & one)
                    k += 1
                t = float(k - i)
                rank_sum += hits * (before + i + (t + 1) / 2)
                ties += t * t * t - t
                i = k
        sums[0, j], sums[3, j] = rank_sum, ties
