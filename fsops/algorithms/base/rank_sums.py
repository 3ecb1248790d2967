"""Rank sums of two classes for every feature: the basis of AUC and of Wilcoxon's test.

No order is computed. A column is turned into 32-bit keys, 30 bits of (x - min) / range with the
class in the lowest bit, because numpy sorts those several times faster than it sorts the positions
of doubles. The rank sum of class 1 is then the sum of the places of its keys. Where keys are equal
it is checked that the values are; a column with two different values of one key is sorted by
value. Sums of ranks are whole or half numbers, so every way gives the same bits.

Measured against the former way, argsort of doubles: 6 to 9 times faster for 30 to 10,000 rows, 5
times faster for 100,000 rows.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fsops.algorithms.base import compiled as kernels
from fsops.algorithms.base.compiled import ranks
from fsops.algorithms.base.sums import column_tiles
from fsops.algorithms.base.types import (
    Bools,
    Floats,
    Ints,
    Numbers,
    as_classes,
    as_matrix,
    is_sparse,
)

# Values per tile: keys and values of a tile share a second-level cache.
TILE_VALUES = 1 << 17
# Columns of a tile whose rows are stored in one piece: those of a cache line.
LEAST_COLUMNS = 8
# Up to so many rows numpy sorts keys faster than the compiled radix sort does.
RADIX_ROWS = 700
# Up to so many rows numpy sorts doubles faster than the compiled radix sort does.
SORTED_ROWS = 256
# From so many rows on two values of most columns share a key.
LONG = 1 << 14
KEY_BITS = 30
MISSING_KEY = np.uint32(ranks.MISSING_KEY)

Keys = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class RankSums:
    """Mann-Whitney counts of every feature, over its known values.

    Attributes
    ----------
    u
        Pairs of a row of class 1 and one of class 0 in which the former is larger; equal values
        count one half.
    positive, negative
        Known rows of class 1 and of class 0.
    ties
        Sum of t^3 - t over the groups of t equal values.
    """

    u: Floats
    positive: Floats
    negative: Floats
    ties: Floats

    @classmethod
    def of(
        cls, rank_sum: Numbers, positive: Numbers, negative: Numbers, ties: Numbers
    ) -> "RankSums":
        """Counts from the sums of the ranks of class 1."""
        return cls(rank_sum - positive * (positive + 1) / 2, positive, negative, ties)


def rank_sums(X: Numbers, codes: Numbers) -> RankSums:
    """Count the pairs of rows of class 1 and class 0 in which the former is larger.

    Parameters
    ----------
    X
        Rows by features; missing values (NaN) are left out per feature.
    codes
        Class 0 or 1 of each row.
    """
    if is_sparse(X):
        from fsops.algorithms.base.sparse_ranks import sparse_rank_sums

        positive = as_classes(codes, X.shape[0], 2) == 1
        return RankSums.of(*sparse_rank_sums(X, positive))
    X = as_matrix(X)
    n, p = X.shape
    positive = as_classes(codes, n, 2) == 1
    sums = RankSums(*np.zeros((4, p)))
    if not n:
        return sums
    compiled = kernels.take_ranks(X.size)
    direct = compiled and n > LONG
    for tile in column_tiles(p, width=max(LEAST_COLUMNS, TILE_VALUES // n)):
        # A narrow tile of long rows is read several times: better along memory.
        part = np.asfortranarray(X[:, tile]) if n > RADIX_ROWS else X[:, tile]
        if direct:
            counted = _by_value(part, positive, compiled)
        else:
            counted, doubtful = _by_keys(part, positive, compiled)
            # Columns like these are likely to come again: then their keys are wasted.
            direct = compiled and n > SORTED_ROWS and 2 * doubtful > part.shape[1]
        sums.positive[tile], sums.negative[tile] = counted.positive, counted.negative
        sums.u[tile], sums.ties[tile] = counted.u, counted.ties
    return sums


# --- keys ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Scale:
    """How the values of each column become keys: trunc((x - low) * factor)."""

    low: Floats
    factor: Floats
    complete: bool

    @classmethod
    def of(cls, part: Numbers) -> "_Scale":
        """Map each column to 0..2^30.

        The factor is a power of 2, so that the only rounding is that of x - low: larger values
        never get smaller keys. It is 0 for a range that is not finite or too small.
        """
        with np.errstate(invalid="ignore", over="ignore"):
            low, high = part.min(axis=0), part.max(axis=0)
            complete = not np.isnan(low).any()
            if not complete:
                low, high = np.fmin.reduce(part, axis=0), np.fmax.reduce(part, axis=0)
            span = np.subtract(high, low, dtype=np.float64)
            finite = np.isfinite(span)
            factor = np.ldexp(1.0, KEY_BITS - np.frexp(np.where(finite, span, 1.0))[1])
        usable = finite & np.isfinite(factor)
        return cls(np.where(usable, low, 0.0), np.where(usable, factor, 0.0), complete)

    def take(self, columns: Ints) -> "_Scale":
        """The same for some of the columns."""
        return _Scale(self.low[columns], self.factor[columns], self.complete)

    def scaled(self, part: Numbers) -> Floats:
        """Values from 0 to 2^30, of which the whole part is the key."""
        with np.errstate(invalid="ignore", over="ignore"):
            scaled: Floats = np.subtract(part, self.low, dtype=np.float64)
            scaled *= self.factor
        return scaled

    def keys(self, part: Numbers, positive: Bools) -> Keys:
        """Keys of each column, a line each, with the class as the lowest bit."""
        scaled = self.scaled(part)
        if not (self.complete and self.factor.all()):
            np.copyto(scaled, 0.0, where=~np.isfinite(scaled))
        keys = scaled.astype(np.int32).view(np.uint32)
        keys <<= np.uint32(1)
        keys |= positive[:, None].view(np.uint8)
        if not self.complete:
            np.copyto(keys, MISSING_KEY, where=np.isnan(part))
        return np.ascontiguousarray(keys.T)

    def invertible(self, part: Numbers) -> Bools:
        """Columns whose values follow from their keys, such as whole numbers."""
        back = np.trunc(self.scaled(part))
        back /= np.where(self.factor > 0, self.factor, 1.0)
        back += self.low
        invertible: Bools = ((back == part) | np.isnan(part)).all(axis=0)
        return invertible & (self.factor > 0)


def _by_keys(part: Numbers, positive: Bools, compiled: bool) -> tuple[RankSums, int]:
    """Rank sums of each column, by sorted keys, and how many columns needed their values."""
    scale = _Scale.of(part)
    keys = scale.keys(part, positive)
    if compiled and len(part) > RADIX_ROWS:
        ranks.sort_keys(keys)
    else:
        keys.sort(axis=1)
    sums = RankSums.of(*ranks.read_keys(keys)) if compiled else _read_keys(keys)
    tied = np.flatnonzero(sums.ties)
    if tied.size:
        tied = tied[~scale.take(tied).invertible(part[:, tied])]
    if tied.size and not (compiled and len(part) > SORTED_ROWS):
        tied = tied[~_as_many_ties(part[:, tied], keys[tied])]
    if tied.size:
        exact = _by_value(part[:, tied], positive, compiled)
        sums.u[tied], sums.ties[tied] = exact.u, exact.ties
    return sums, tied.size


def _read_keys(keys: Keys) -> RankSums:
    """Rank sums of sorted lines of keys.

    Among equal keys class 1 comes last, so h of t such rows get h (t - h) / 2 too much.
    """
    lines, n = keys.shape
    ones = (keys & np.uint32(1)).astype(np.float64)
    rank_sum = ones @ np.arange(1.0, n + 1)
    joined = np.zeros((lines, n + 1), dtype=np.bool_)
    joined[:, 1:n] = _equal_keys(keys)
    # The first and the last place of each run of equal keys, in turns.
    edges = np.flatnonzero(joined[:, 1:] != joined[:, :-1])
    ties = np.zeros(lines)
    if edges.size:
        first, last = edges[::2], edges[1::2]
        before = np.concatenate([[0.0], np.cumsum(ones)])
        hits = before[last + 1] - before[first]
        length = (last - first + 1).astype(np.float64)
        line = first // n
        rank_sum -= np.bincount(line, hits * (length - hits) / 2, minlength=lines)
        ties += np.bincount(line, length**3 - length, minlength=lines)
    positive = ones.sum(axis=1)
    known = np.count_nonzero(keys != MISSING_KEY, axis=1)
    return RankSums.of(rank_sum, positive, known - positive, ties)


def _equal_keys(keys: Keys) -> Bools:
    """Whether a key of a sorted line equals the one before, whatever the classes."""
    equal: Bools = (keys[:, 1:] ^ keys[:, :-1]) <= 1
    equal &= keys[:, 1:] != MISSING_KEY
    return equal


def _as_many_ties(part: Numbers, keys: Keys) -> Bools:
    """Columns of which no more keys are equal than values: they have the same ties."""
    values = np.sort(part.T, axis=1)
    equal = np.count_nonzero(values[:, 1:] == values[:, :-1], axis=1)
    same: Bools = equal == np.count_nonzero(_equal_keys(keys), axis=1)
    return same


# --- values -------------------------------------------------------------------------------------


def _by_value(part: Numbers, positive: Bools, compiled: bool) -> RankSums:
    """Rank sums of each column, by sorting its values."""
    # Adding 0 turns -0 into 0, which has other bits.
    values = np.add(part.T, 0.0, dtype=np.float64, order="C")
    if compiled:
        return RankSums.of(*ranks.rank_sums(values, positive))
    lines, n = values.shape
    known = ~np.isnan(values)
    order = np.argsort(values, axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    hits = positive[order] & np.take_along_axis(known, order, axis=1)
    # NaN sort to the end and differ from each other: runs of one that hold no positive.
    first = np.ones((lines, n), dtype=np.bool_)
    first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    starts = np.flatnonzero(first)
    length = np.diff(np.append(starts, values.size)).astype(np.float64)
    line, position = np.divmod(starts, n)
    ones = np.add.reduceat(hits.ravel().astype(np.float64), starts)
    rank_sum = np.bincount(line, ones * (position + (length + 1) / 2), minlength=lines)
    ties = np.bincount(line, length**3 - length, minlength=lines)
    count = np.count_nonzero(hits, axis=1)
    return RankSums.of(rank_sum, count, np.count_nonzero(known, axis=1) - count, ties)
