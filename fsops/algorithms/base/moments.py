"""Mergeable moments: counts, means and sums of squared deviations per class and feature.

Every filter that needs means and variances takes them from here. Statistics of blocks of rows
merge into those of the whole, so the same numbers serve data in memory and streamed data.

All sums are taken of differences from a *pivot*, the first row (of each class). The pivot is one
of the summed values, so the squared differences exceed the sum of squared deviations by at most
the factor n: accurate however far the data lie from zero, and the matrix is read only once.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce

import numpy as np

from fsops.algorithms.base import compiled as kernels
from fsops.algorithms.base.types import (
    Bools,
    Floats,
    Ints,
    Numbers,
    as_classes,
    as_code_matrix,
    as_matrix,
    as_target,
    stored_by_column,
)

# Accumulators of one tile stay in the first-level cache; blocks of narrow tables in the second.
TILE_COLUMNS = 8192
BLOCK_VALUES = 32768
# A block this wide is not worth gathering: its rows are added one by one.
WIDE = 4096

# Tables with missing values are taken in blocks of so many rows and merged.
MASKED_ROWS = 1024

ROUNDING = 64 * np.finfo(np.float64).eps


def negligible(ss: Floats, n: Floats, mean: Floats) -> Bools:
    """Whether sums of squared deviations are rounding noise of values of this magnitude.

    The rule is SS <= (64 eps)^2 n max(x^2). Where it holds, max(x^2) and mean^2 are equal up to
    rounding, so the mean is used and no maximum has to be kept.
    """
    scaled = ROUNDING * mean
    tiny: Bools = ss <= n * scaled * scaled
    return tiny


def _without_noise(ss: Floats, n: Floats, *mean: Floats) -> Floats:
    """Sums of squared deviations, negligible ones set to exactly 0; not to be written to.

    The mean is given in parts to be added. The extremes of all features tell at once that none
    is negligible, which is the rule; only else are they looked at one by one.
    """
    if not ss.size:
        return ss
    largest = sum(max(float(part.max()), -float(part.min())) for part in mean)
    if ss.min() > 2.0 * n.max() * (ROUNDING * largest) ** 2:
        return ss
    return np.where(negligible(ss, n, sum(mean[1:], mean[0])), 0.0, ss)


@dataclass(frozen=True, slots=True, eq=False)
class ClassMoments:
    """Count, mean and sum of squared deviations of every feature in every class.

    The moments of many resamples have one more axis, (C, members, p).

    Attributes
    ----------
    count
        Rows per class; (C, 1) when nothing is missing, else (C, p).
    origin
        Reference point of each feature, (p,). Means are kept relative to it, because the
        difference of two large means would lose the digits that matter.
    offset
        Class mean minus origin, (C, p); 0 for a class without rows.
    ss
        Sum of squared deviations from the class mean, (C, p).
    """

    count: Floats
    origin: Floats
    offset: Floats
    ss: Floats

    @classmethod
    def of(cls, X: Numbers, codes: Numbers, n_classes: int) -> "ClassMoments":
        """Moments of the columns of X in each class; missing values (NaN) are left out pairwise.

        Parameters
        ----------
        X
            Rows by features.
        codes
            Class of each row, 0..n_classes-1.
        n_classes
            Number of classes; classes without rows are allowed.
        """
        X = as_matrix(X)
        codes = as_classes(codes, X.shape[0], n_classes)
        rows = [np.flatnonzero(codes == c) for c in range(n_classes)]
        count = np.array([[r.size] for r in rows], dtype=np.float64)
        pivot = np.zeros((n_classes, X.shape[1]))
        total, ss = sums = np.zeros((2, *pivot.shape))
        for c, members in enumerate(rows):
            if members.size:
                pivot[c] = X[members[0]]
        with np.errstate(invalid="ignore", over="ignore"):
            if kernels.take_table(X):
                kernels.add_class_sums(X, codes, pivot, sums)
            else:
                for c, members in enumerate(rows):
                    _add_deviations(X, members, pivot[c], total[c], ss[c])
            ss -= total * (total / np.maximum(count, 1.0))
        if np.isnan(total).any() and len(X) > MASKED_ROWS:
            parts = (cls.of(X[block], codes[block], n_classes) for block in _row_blocks(len(X)))
            return reduce(cls.merge, parts)
        if np.isnan(total).any():
            count = np.repeat(count, X.shape[1], axis=1)
            for tile in column_tiles(X.shape[1], len(X)):
                if np.isnan(total[:, tile]).any():
                    for c, members in enumerate(rows):
                        known = _known_sums(X[members, tile])
                        count[c, tile], pivot[c, tile], total[c, tile], ss[c, tile] = known
        return cls._relative(count, pivot, total, ss)

    @classmethod
    def of_target(cls, y: Numbers, groups: Numbers, n_groups: int) -> "ClassMoments":
        """Moments of one numeric vector y, grouped anew by every column of codes in groups.

        This is the transposed question to `of`: one variable and p groupings. Code -1 (missing)
        leaves the row out of that column.
        """
        groups = as_code_matrix(groups, "groups")
        if groups.size and groups.max() >= n_groups:
            raise ValueError(f"Group codes must be below {n_groups}, got {groups.max()}.")
        y = as_target(y, groups.shape[0])
        origin = float(y.mean()) if y.size else 0.0
        parts = [
            _grouped_target(y - origin, groups[:, tile], n_groups)
            for tile in column_tiles(groups.shape[1], groups.shape[0])
        ]
        count, offset, ss = (
            np.concatenate([np.empty((n_groups, 0)), *(part[i] for part in parts)], axis=1)
            for i in range(3)
        )
        return cls(count, np.full(groups.shape[1], origin), offset, ss)

    @classmethod
    def _relative(cls, count: Floats, pivot: Floats, total: Floats, ss: Floats) -> "ClassMoments":
        """Moments from sums of deviations from one pivot per class and feature."""
        filled = count > 0
        first = np.broadcast_to(filled.argmax(axis=0), pivot.shape[1:])
        origin = np.take_along_axis(pivot, first[None, :], axis=0)[0]
        with np.errstate(invalid="ignore"):
            offset = (pivot - origin) + total / np.maximum(count, 1.0)
        if not filled.all():
            offset = np.where(filled, offset, 0.0)
        return cls(count, _finite(origin), _finite(offset), _finite(np.maximum(ss, 0.0)))

    @property
    def n_classes(self) -> int:
        """Number of classes, those without rows included."""
        return len(self.offset)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.origin.size

    @property
    def mean(self) -> Floats:
        """Class means, (C, p)."""
        return self.origin + self.offset

    @property
    def total(self) -> Floats:
        """Rows used per feature over all classes, (1,) or (p,)."""
        total: Floats = self.count.sum(axis=0)
        return total

    def within(self) -> Floats:
        """Sums of squared deviations per class with rounding noise set to exactly 0, (C, p)."""
        return _without_noise(self.ss, self.count, self.origin, self.offset)

    def merge(self, other: "ClassMoments") -> "ClassMoments":
        """Moments of the rows of both, as if computed together.

        References
        ----------
        Chan, Golub & LeVeque (1979), Updating formulae and a pairwise algorithm for computing
        sample variances.
        """
        if self.offset.shape != other.offset.shape:
            raise ValueError(
                "Only moments of the same classes and features can be merged, got shapes "
                f"{self.offset.shape} and {other.offset.shape}."
            )
        # A feature without any value has no meaningful origin of its own.
        origin = np.where(self.total > 0, self.origin, other.origin)
        mine = np.where(self.count > 0, self.offset + (self.origin - origin), 0.0)
        theirs = np.where(other.count > 0, other.offset + (other.origin - origin), 0.0)
        count = self.count + other.count
        share = np.divide(other.count, count, out=np.zeros_like(count), where=count > 0)
        gap = theirs - mine
        return ClassMoments(
            count,
            origin,
            mine + gap * share,
            self.ss + other.ss + gap * gap * (self.count * share),
        )


@dataclass(frozen=True, slots=True, eq=False)
class CrossMoments:
    """Moments of every feature together with one numeric target.

    Attributes
    ----------
    count
        Rows used; (1,) when nothing is missing, else (p,).
    mean_x, mean_y
        Means over the rows used; mean_y has the shape of count.
    ss_x, ss_y
        Sums of squared deviations; ss_y has the shape of count.
    cross
        Sum of the products of both deviations, (p,).
    """

    count: Floats
    mean_x: Floats
    mean_y: Floats
    ss_x: Floats
    ss_y: Floats
    cross: Floats

    @classmethod
    def of(cls, X: Numbers, y: Numbers) -> "CrossMoments":
        """Moments of the columns of X with y; missing values of X are left out pairwise."""
        X = as_matrix(X)
        n, p = X.shape
        y = as_target(y, n)
        mean_y = y.mean() if n else 0.0
        centred = y - mean_y
        mean_x, ss_x, cross = np.zeros(p), np.zeros(p), np.zeros(p)
        if kernels.take_table(X):
            mean_x, ss_x, cross = _cross_of(X, centred, kernels.add_cross_sums)
        else:
            for tile in column_tiles(p, n if stored_by_column(X) else None):
                part = _cross_of(X[:, tile], centred, _add_cross_blocks)
                mean_x[tile], ss_x[tile], cross[tile] = part
        whole = cls(
            np.array([float(n)]),
            mean_x,
            np.array([mean_y]),
            ss_x,
            np.array([centred @ centred]),
            cross,
        )
        if not np.isnan(mean_x).any():
            return whole
        if n > MASKED_ROWS:
            return reduce(cls.merge, (cls.of(X[block], y[block]) for block in _row_blocks(n)))
        return whole._with_missing(X, y)

    def _with_missing(self, X: Numbers, y: Floats) -> "CrossMoments":
        """The same, with the columns that have missing values done again."""
        n, p = X.shape
        count, mean_y, ss_y = (np.repeat(a, p) for a in (self.count, self.mean_y, self.ss_y))
        mean_x, ss_x, cross = self.mean_x.copy(), self.ss_x.copy(), self.cross.copy()
        for tile in column_tiles(p, n):
            if np.isnan(mean_x[tile]).any():
                part = _known_cross(X[:, tile], y)
                count[tile], mean_x[tile], mean_y[tile] = part.count, part.mean_x, part.mean_y
                ss_x[tile], ss_y[tile], cross[tile] = part.ss_x, part.ss_y, part.cross
        return CrossMoments(count, mean_x, mean_y, ss_x, ss_y, cross)

    def within(self) -> Floats:
        """Sums of squared deviations of the features, rounding noise set to exactly 0."""
        return _without_noise(self.ss_x, self.count, self.mean_x)

    def merge(self, other: "CrossMoments") -> "CrossMoments":
        """Moments of the rows of both, as if computed together (Chan, Golub & LeVeque 1979)."""
        if self.cross.shape != other.cross.shape:
            raise ValueError(
                "Only moments of the same features can be merged, got "
                f"{self.cross.size} and {other.cross.size}."
            )
        count = self.count + other.count
        share = np.divide(other.count, count, out=np.zeros_like(count), where=count > 0)
        pull = self.count * share
        gap_x = other.mean_x - self.mean_x
        gap_y = other.mean_y - self.mean_y
        return CrossMoments(
            count,
            self.mean_x + gap_x * share,
            self.mean_y + gap_y * share,
            self.ss_x + other.ss_x + gap_x * gap_x * pull,
            self.ss_y + other.ss_y + gap_y * gap_y * pull,
            self.cross + other.cross + gap_x * gap_y * pull,
        )


def column_tiles(p: int, rows: int | None = None, width: int | None = None) -> Iterator[slice]:
    """Slices over p columns, of the given width, or less if `rows` rows would overflow a cache."""
    width = TILE_COLUMNS if width is None else width
    if rows is not None:
        width = max(1, min(width, 8 * BLOCK_VALUES // max(1, rows)))
    for start in range(0, p, width):
        yield slice(start, min(p, start + width))


def _row_blocks(n: int) -> Iterator[slice]:
    for start in range(0, n, MASKED_ROWS):
        yield slice(start, start + MASKED_ROWS)


def _finite(values: Floats) -> Floats:
    """NaN for infinite: a mean or variance that does not exist spreads quietly as NaN."""
    return values if np.isfinite(values).all() else np.where(np.isinf(values), np.nan, values)


def _add_deviations(X: Numbers, rows: Ints, pivot: Floats, total: Floats, squares: Floats) -> None:
    """Add the deviations of these rows from the pivot, and their squares, to the two sums."""
    if stored_by_column(X):
        _add_columns(X, rows, pivot, total, squares)
        return
    for tile in column_tiles(pivot.size):
        add = _add_rows if tile.stop - tile.start >= WIDE else _add_blocks
        add(X[:, tile], rows, pivot[tile], total[tile], squares[tile])


def _add_columns(X: Numbers, rows: Ints, pivot: Floats, total: Floats, squares: Floats) -> None:
    """Feature by feature, for tables stored that way."""
    for tile in column_tiles(pivot.size, len(X)):
        d = X.T[tile].take(rows, axis=1).astype(np.float64, copy=False)
        d -= pivot[tile, None]
        total[tile] += d.sum(axis=1)
        squares[tile] += np.einsum("ij,ij->i", d, d)


def _add_rows(X: Numbers, rows: Ints, pivot: Floats, total: Floats, squares: Floats) -> None:
    """Row by row: wide rows are not worth gathering."""
    d = np.empty(pivot.size)
    for i in rows.tolist():
        np.subtract(X[i], pivot, out=d)
        np.add(total, d, out=total)
        np.multiply(d, d, out=d)
        np.add(squares, d, out=squares)


def _add_blocks(X: Numbers, rows: Ints, pivot: Floats, total: Floats, squares: Floats) -> None:
    """By gathered blocks of rows: narrow rows are not worth a call each."""
    size = max(1, BLOCK_VALUES // pivot.size)
    for start in range(0, rows.size, size):
        d = np.subtract(X[rows[start : start + size]], pivot)
        total += d.sum(axis=0)
        squares += np.einsum("ij,ij->j", d, d)


def _known_sums(X: Numbers) -> tuple[Floats, Floats, Floats, Floats]:
    """Count, pivot, sum of deviations from it and sum of squared deviations of known values."""
    p = X.shape[1]
    if not len(X):
        return np.zeros(p), np.zeros(p), np.zeros(p), np.zeros(p)
    d, count, pivot = _known_deviations(X)
    with np.errstate(invalid="ignore", over="ignore"):
        total = d.sum(axis=0)
        ss = np.einsum("ij,ij->j", d, d) - total * (total / np.maximum(count, 1.0))
    return count, pivot, total, ss


def _known_deviations(X: Numbers) -> tuple[Floats, Floats, Floats]:
    """Deviations from the first known value of each column (0 if unknown), count and pivot."""
    unknown = np.isnan(X)
    count = len(X) - np.add.reduce(unknown, axis=0, dtype=np.float64)
    first = (~unknown).argmax(axis=0)
    pivot = np.where(count > 0, X[first, np.arange(X.shape[1])], 0.0)
    with np.errstate(invalid="ignore"):
        d = np.subtract(X, pivot, dtype=np.float64)
    np.copyto(d, 0.0, where=unknown)
    return d, count, pivot


def _cross_of(
    X: Numbers, centred: Floats, add: Callable[[Numbers, Floats, Floats, Floats], None]
) -> tuple[Floats, Floats, Floats]:
    """Mean, sum of squared deviations and cross-product of columns with a centred target."""
    n, p = X.shape
    total, squares, cross = sums = np.zeros((3, p))
    if not n:
        return total, squares, cross
    pivot = X[0].astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        add(X, centred, pivot, sums)
        squares -= total * (total / n)
        mean = pivot + total / n
    return _finite(mean), _finite(np.maximum(squares, 0.0)), _finite(cross)


def _add_cross_blocks(X: Numbers, y: Floats, pivot: Floats, sums: Floats) -> None:
    """Add deviations from the pivot, their squares and products with y to sums, (3, features)."""
    n, p = X.shape
    factors = np.stack([np.ones(n), y])
    # Whole columns where a feature is stored in one piece, else blocks of rows.
    size = n if stored_by_column(X) else min(256, max(16, 4 * BLOCK_VALUES // max(1, p)))
    for start in range(0, n, size):
        block = slice(start, start + size)
        d = np.subtract(X[block], pivot, dtype=np.float64)
        sums[[0, 2]] += factors[:, block] @ d
        sums[1] += np.einsum("ij,ij->j", d, d)


def _known_cross(X: Numbers, y: Floats) -> CrossMoments:
    """Cross moments over the known values of each column."""
    d, count, pivot = _known_deviations(X)
    divisor = np.maximum(count, 1.0)
    known = ~np.isnan(X)
    dy = np.where(known, y[:, None] - y.mean(), 0.0)
    shift = dy.sum(axis=0) / divisor
    dy = np.where(known, dy - shift, 0.0)
    with np.errstate(invalid="ignore", over="ignore"):
        total = d.sum(axis=0)
        ss_x = np.einsum("ij,ij->j", d, d) - total * (total / divisor)
        # The deviations of y sum to 0, so those of x need not be centred.
        cross = np.einsum("ij,ij->j", d, dy)
    return CrossMoments(
        count,
        _finite(pivot + total / divisor),
        y.mean() + shift,
        _finite(np.maximum(ss_x, 0.0)),
        np.einsum("ij,ij->j", dy, dy),
        _finite(cross),
    )


def _grouped_target(y: Floats, groups: Numbers, n_groups: int) -> tuple[Floats, Floats, Floats]:
    """Count, mean and sum of squared deviations of centred y by the codes of every column."""
    n, p = groups.shape
    # Code -1 falls into an extra group that is cut off again.
    code = np.where(groups < 0, n_groups, groups).astype(np.intp)
    cell = (code + np.arange(p) * (n_groups + 1)).ravel()
    cells = p * (n_groups + 1)
    values = np.repeat(y, p)
    count = np.bincount(cell, minlength=cells).astype(np.float64)
    mean = np.bincount(cell, values, minlength=cells) / np.maximum(count, 1.0)
    deviation = values - mean[cell]
    ss = np.bincount(cell, deviation * deviation, minlength=cells)

    def by_group(a: Numbers) -> Floats:
        return np.ascontiguousarray(a.reshape(p, n_groups + 1)[:, :n_groups].T, dtype=np.float64)

    return by_group(count), by_group(mean), by_group(ss)
