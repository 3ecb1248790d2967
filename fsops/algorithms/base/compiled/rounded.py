"""Compiled distances of all rows from each other, added up as whole numbers.

See `compiled`, whose rules hold here. Whole numbers are added up four times as fast as doubles, and
the largest error of each row is known. Where it may decide, exact distances do.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from fsops.algorithms.base.compiled import _compiled
from fsops.algorithms.base.compiled.instructions import BITS, DOUBLES, WHOLES
from fsops.algorithms.base.compiled.row_instructions import (
    ROWS_AT_ONCE,
    add_larger_sums,
    add_moments,
)
from fsops.algorithms.base.types import Floats, Int32s, Ints, Numbers

# Features whose larger values are added up before binary places are left out.
FEATURES = 64
# Binary places of values and of sums; more would not fit into 32 bits, with their signs.
OF_VALUES, OF_SUMS = 30, 31
# Sums of differences are at most twice that of the differences from the means; rounding adds less.
TWICE = 2.0 * (1 + 2.0**-20)
# Columns of a panel; as many values of each of them as above fit into the first-level cache.
ROWS = 2 * BITS
# Lines of a panel that are computed before the next ones, while they are in the cache.
LINES = 16 * ROWS_AT_ONCE
# Features whose distances are added up in 32 bits. Sums of more features have fewer binary places,
# so that the error of rounded sums would exceed that of rounded values.
CHUNK = 1024
# Bytes of a line of the cache. Tables that begin with one are read twice as fast.
LINE = 64
# Parts of 1 in which differences from the means are added up.
MILLION = 2.0**20
# Parts of a unit in which errors are added up.
PARTS = 1024.0
# Units of a mean difference.
MEANS = 2.0**30
# Binary places of squared distances that are left out, so that sums of ROWS fit into 64 bits.
LEFT_OUT = 7


class Rounded(NamedTuple):
    """Rows in some order, with whole numbers as values.

    A distance is wrong by at most the sum of the errors of both rows. Errors are in units, too.
    """

    values: Int32s
    own: Int32s
    """Sum of the values of each row in each chunk of features, (chunks, rows)."""
    units: float
    """Whole numbers per difference of 1."""
    places: int
    """Binary places left out of the sums of a chunk."""
    more: int
    """Binary places left out of the sum of all chunks besides."""
    errors: Floats

    @property
    def unit(self) -> float:
        """The unit of distances."""
        return 2.0 ** (self.places + self.more) / self.units

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self.errors.size

    @property
    def panels(self) -> int:
        """How many panels of ROWS columns there are."""
        return -(-self.rows // ROWS)


class Moments(NamedTuple):
    """Sums of the distances of each row from all others, less a center, and of their squares."""

    centre: int
    sums: Floats
    squares: Floats


def rounded_rows(X: Floats, order: Ints) -> Rounded:
    """Rows in some order with values from 0 to 1, as whole numbers.

    They are differences from the mean. So a few large ones leave more places to all others.
    """
    n, p = order.size, X.shape[1]
    chunks, kind = -(-p // CHUNK), np.dtype(np.int32)
    values, own = aligned((n, p), kind), aligned((chunks, -(-n // ROWS) * ROWS), kind)
    errors, means, largest = np.zeros(n), X.mean(axis=0), np.zeros(3)
    _find_largest_sums(X, means, largest)
    of_some, of_chunk, of_all = TWICE * np.maximum(largest, 1 / MILLION)
    units = min(2.0**OF_VALUES, 2.0**OF_SUMS / of_some)
    places, left_out = (
        max(1, math.ceil(math.log2(units * size)) - OF_SUMS) for size in (of_chunk, of_all)
    )
    for c in range(chunks):
        first, last = c * CHUNK, min(p, (c + 1) * CHUNK)
        _round(X, order, means, units, first, last, places, values, own[c], errors)
    errors /= 2.0**left_out
    if chunks > 1:
        # The sum of the chunks is rounded by half a unit, of which each of two rows gets a half.
        errors += 0.25
    return Rounded(values, own, units, places, left_out - places, errors)


class Unknown(NamedTuple):
    """Which values of rows, in the order of `Rounded`, are missing; they count as 0 there."""

    values: Floats
    """The known values, and 0 for the others, of the features with missing values."""
    missing: Floats
    """1 for the others."""


class Panels:
    """Distances of all rows from each other, each pair once, panel by panel.

    Panel b holds the distances of its ROWS rows, the columns, from all rows up to its own last one,
    the lines; only those of earlier lines are valid. Panels are kept if there is room for all of
    them, and else computed again when they are needed.

    Where values are missing, distances are the mean differences in the features that are known in
    both rows.
    """

    def __init__(self, rounded: Rounded, unknown: Unknown | None, keep: bool) -> None:
        self.rounded, self.unknown = rounded, unknown
        self.unit, self.errors = rounded.unit, rounded.errors
        kind, count, features = np.dtype(np.int32), rounded.panels, rounded.values.shape[1]
        if unknown is not None:
            self.unit = 1.0 / MEANS
            # At least as many features are known in a row and any other one.
            self._missing = unknown.missing.sum(axis=1)
            known = features - self._missing - self._missing.max()
            # Products of rounded numbers, and the mean itself, are wrong by less than a unit.
            self.errors = rounded.errors * rounded.unit * MEANS / np.maximum(known, 1.0) + 1.0
        self._starts = [ROWS * b * (b + 1) // 2 for b in range(count + 1)]
        self._kept = aligned((self._starts[-1], ROWS), kind) if keep else None
        self._panel = None if keep else aligned((count * ROWS, ROWS), kind)
        self._columns = aligned((min(features, CHUNK), ROWS), kind)
        self._block = aligned((LINES, ROWS), kind)
        lines = count * ROWS if features > CHUNK else 0
        self._totals = aligned((lines, ROWS), np.dtype(np.int64))
        self._known: list[bool] = [False] * count

    def __len__(self) -> int:
        return len(self._known)

    def panel(self, b: int) -> Int32s:
        """Distances of the rows of panel b, (lines, columns)."""
        if self._kept is None or not self._known[b]:
            self._set(b, self._no_moments())
        return self._place(b)

    def moments(self) -> Moments:
        """Sums over the distances of each row."""
        moments = self._no_moments()._replace(centre=self._typical())
        for b in range(len(self)):
            self._set(b, moments)
        return moments

    def _typical(self) -> int:
        """Median distance of a few rows: sums of what differs from it lose less."""
        values = self.rounded.values[:, :CHUNK]
        some = values[np.linspace(0, len(values) - 1, 9).astype(np.intp)].astype(np.int64)
        means = np.abs(some[1:] - some[:-1]).mean(axis=1) / self.rounded.units
        features = self.rounded.values.shape[1] if self.unknown is None else 1
        return int(np.median(means) * features / self.unit)

    def _no_moments(self) -> Moments:
        return Moments(0, np.zeros(self.rounded.rows), np.zeros(self.rounded.rows))

    def _place(self, b: int) -> Int32s:
        if self._kept is not None:
            return self._kept[self._starts[b] : self._starts[b + 1]]
        assert self._panel is not None
        return self._panel[: (b + 1) * ROWS]

    def _set(self, b: int, moments: Moments) -> None:
        whole, panel = self.rounded, self._place(b)
        _set_panel(
            whole.values, whole.own, whole.places, whole.more, b * ROWS,
            self._columns, self._block, self._totals, panel,
            *(moments if self.unknown is None else self._no_moments()),
        )  # fmt: skip
        if self.unknown is not None:
            self._take_means(b, self.unknown, panel, moments)
        self._known[b] = True

    def _take_means(self, b: int, unknown: Unknown, panel: Int32s, moments: Moments) -> None:
        """Replace sums of differences by means of the known ones."""
        last = min(self.rounded.rows, (b + 1) * ROWS)
        wrong, known = self._corrections(unknown, slice(last), slice(b * ROWS, last))
        _set_means(panel, b * ROWS, wrong, known, self.rounded.unit, *moments)

    def means(self, rows: Ints, sums: Floats) -> Floats:
        """Mean differences of some rows from all rows, from the sums; missing values count as 0."""
        if self.unknown is None:
            return sums
        wrong, known = self._corrections(self.unknown, rows, slice(self.rounded.rows))
        means: Floats = np.maximum(sums - wrong, 0.0) / np.maximum(known, 1.0)
        return means

    def _corrections(
        self, unknown: Unknown, lines: Ints | slice, columns: slice
    ) -> tuple[Floats, Floats]:
        """Sums of differences from missing values, and how many values are known in both rows."""
        values, missing = unknown.values, unknown.missing
        # A missing value counts as 0, so that the difference is the other value.
        wrong = values[lines] @ missing[columns].T + missing[lines] @ values[columns].T
        known = self.rounded.values.shape[1] + missing[lines] @ missing[columns].T
        known -= self._missing[lines, None] + self._missing[columns]
        return wrong, known


def aligned(shape: tuple[int, ...], dtype: "np.dtype[Any]") -> Numbers:
    """Zeros that begin with a line of the cache."""
    size = math.prod(shape) * dtype.itemsize
    raw = np.zeros(size + LINE, dtype=np.uint8)
    start = -raw.ctypes.data % LINE
    return raw[start : start + size].view(dtype).reshape(shape)


@_compiled
def _find_largest_sums(X: Floats, means: Floats, largest: Floats) -> None:
    """Find the largest sum of a row in FEATURES, in a chunk, and in all features."""
    n, p = X.shape
    for i in range(n):
        total = 0.0
        for begin in range(0, p, CHUNK):
            in_chunk = 0.0
            for f in range(begin, min(p, begin + CHUNK), FEATURES):
                end = min(p, begin + CHUNK, f + FEATURES)
                line, mean = X[i, f:end], means[f:end]
                # Whole numbers, rounded up, can be added up side by side.
                some = np.int64(0)
                for g in range(line.size):
                    some += np.int32(abs(line[g] - mean[g]) * MILLION) + 1
                in_some = some / MILLION
                in_chunk += in_some
                largest[0] = max(largest[0], in_some)
            largest[1] = max(largest[1], in_chunk)
            total += in_chunk
        largest[2] = max(largest[2], total)


@_compiled
def _round(  # noqa: PLR0917 - kernels have no keywords
    X: Floats,
    order: Ints,
    means: Floats,
    units: float,
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
    mean = means[first:last]
    for i in range(order.size):
        line, whole = X[order[i], first:last], rounded[i, first:last]
        total, error = np.int64(0), np.int64(0)
        for f in range(size):
            value = (line[f] - mean[f]) * units
            nearest = np.rint(value)
            whole[f] = np.int32(nearest)
            total += whole[f]
            # Sums of whole numbers may be taken side by side. One part more covers what is cut.
            error += np.int32(PARTS * abs(value - nearest)) + 1
        own[i] = (total + half) >> places
        errors[i] += error / PARTS + by_sums


@_compiled
def _set_panel(  # noqa: PLR0917 - kernels have no keywords
    values: Int32s,
    own: Int32s,
    places: int,
    more: int,
    first: int,
    columns: Int32s,
    block: Int32s,
    totals: Ints,
    panel: Int32s,
    centre: int,
    sums: Floats,
    squares: Floats,
) -> None:
    """Set the distances of the rows from `first` on from all earlier ones, and add their moments.

    The other arrays are for values of the columns by features, and for sums of some lines.
    """
    (n, p), several = values.shape, len(own) > 1
    last = min(n, first + ROWS)
    for c in range(len(own)):
        begin, end = c * CHUNK, min(p, (c + 1) * CHUNK)
        for j in range(last - first):
            for f in range(begin, end):
                columns[f - begin, j] = values[first + j, f]
        for i in range(0, last, LINES):
            size = min(last - i, LINES)
            _set_lines(values, own, c, places, first, i, size, columns, block)
            if not several:
                _take_lines(block, size, i, first, centre, panel, sums, squares)
            elif c:
                totals[i : i + size] += block[:size]
            else:
                totals[i : i + size] = block[:size]
    if several:
        half = (1 << more) >> 1
        for i in range(0, last, LINES):
            size = min(last - i, LINES)
            for k in range(size):
                for j in range(ROWS):
                    block[k, j] = (totals[i + k, j] + half) >> more
            _take_lines(block, size, i, first, centre, panel, sums, squares)


@_compiled
def _take_lines(  # noqa: PLR0917 - kernels have no keywords
    block: Int32s,
    size: int,
    i: int,
    first: int,
    centre: int,
    panel: Int32s,
    sums: Floats,
    squares: Floats,
) -> None:
    """Copy the distances of some rows, from i on, into a panel, and add their moments.

    Sums of whole numbers are exact, so that many of them can be taken side by side.
    """
    last, middle = min(sums.size, first + ROWS), np.int32(centre)
    row, others = np.empty((2, DOUBLES), dtype=np.int64), np.zeros((2, ROWS), dtype=np.int64)
    for k in range(size):
        # Rows have no distance from themselves and, here, from earlier rows.
        for j in range(i + k + 1 - first):
            block[k, j] = middle
        for j in range(last - first, ROWS):
            block[k, j] = middle
        add_moments(block, k, middle, LEFT_OUT, row, others)
        total, square = row[0, 0], row[1, 0]
        for j in range(1, DOUBLES):
            total += row[0, j]
            square += row[1, j]
        sums[i + k] += total
        squares[i + k] += square * 2.0**LEFT_OUT
        for j in range(ROWS):
            panel[i + k, j] = block[k, j]
    for j in range(last - first):
        sums[first + j] += others[0, j]
        squares[first + j] += others[1, j] * 2.0**LEFT_OUT


@_compiled
def _set_means(  # noqa: PLR0917 - kernels have no keywords
    panel: Int32s,
    first: int,
    wrong: Floats,
    known: Floats,
    unit: float,
    centre: int,
    sums: Floats,
    squares: Floats,
) -> None:
    """Replace sums of differences by means: less those that are wrong, by the number of others."""
    last = min(sums.size, first + ROWS)
    block = np.empty((LINES, ROWS), dtype=np.int32)
    for i in range(0, last, LINES):
        size = min(last - i, LINES)
        for k in range(size):
            for j in range(last - first):
                mean = (panel[i + k, j] * unit - wrong[i + k, j]) / max(known[i + k, j], 1.0)
                block[k, j] = np.int32(min(max(mean, 0.0), 1.0) * MEANS + 0.5)
        _take_lines(block, size, i, first, centre, panel, sums, squares)


@_compiled
def _set_lines(  # noqa: PLR0917 - kernels have no keywords
    values: Int32s,
    own: Int32s,
    chunk: int,
    places: int,
    first: int,
    i: int,
    size: int,
    columns: Int32s,
    block: Int32s,
) -> None:
    """Set the distances of some rows from those of the columns in a chunk of features.

    |a - b| = 2 max(a, b) - a - b: only the larger values are added up for each pair of rows.
    """
    n, p = values.shape
    end_column = -(-(min(n, first + ROWS) - first) // WHOLES) * WHOLES
    # Sums are doubled and divided by 2^places, with the half of a unit that rounds them.
    least = np.int32((1 << (places - 1)) >> 1)
    some = np.empty(ROWS_AT_ONCE, dtype=np.intp)
    begin, end = chunk * CHUNK, min(p, (chunk + 1) * CHUNK)
    for f in range(begin, end, FEATURES):
        features = min(end - f, FEATURES)
        for k in range(0, size, ROWS_AT_ONCE):
            # Behind the last row the same one is taken again, and its sums are not used.
            for r in range(ROWS_AT_ONCE):
                some[r] = i + min(k + r, size - 1)
            begin_column = max(i + k - first, 0) // WHOLES * WHOLES
            add_larger_sums(
                values, some, f, features, columns, f - begin, begin_column, end_column, first,
                own, chunk, least, places - 1, block, k,
            )  # fmt: skip


@_compiled
def _copy_panel(panel: Int32s, first: int, last: int, matrix: Int32s) -> None:
    for i in range(last):
        for j in range(max(first, i + 1), last):
            matrix[i, j] = panel[i, j - first]
            matrix[j, i] = panel[i, j - first]


def matrix_of(rounded: Rounded) -> Int32s:
    """Distances of all rows from all others, as a square matrix."""
    n = rounded.rows
    matrix = np.zeros((n, n), dtype=np.int32)
    panels = Panels(rounded, None, keep=False)
    for b in range(len(panels)):
        _copy_panel(panels.panel(b), b * ROWS, min(n, (b + 1) * ROWS), matrix)
    return matrix
