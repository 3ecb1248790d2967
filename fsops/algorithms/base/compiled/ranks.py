"""Compiled sorting of columns, rank sums and ties.

See `compiled`, whose rules hold here. Keys are 30 bits of a value and a class; see `rank_sums`.
"""

import numpy as np

from fsops.algorithms.base.compiled import BYTE, MOVES, _compiled
from fsops.algorithms.base.types import Bools, Floats, Ints, Numbers

# The key of a missing value: sorts behind all others, and is of class 0.
MISSING_KEY = 0xFFFFFFFE


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
    """Convert sorted numbers back into the bits of doubles."""
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
