"""Mergeable moments: counts, means and sums of squared deviations per class and feature.

Every filter that needs means and variances takes them from here. Statistics of blocks of rows
merge into those of the whole, so the same numbers serve data in memory and streamed data.

All sums are taken of differences from a *pivot*, the first row (of each class). The pivot is one
of the summed values, so the squared differences exceed the sum of squared deviations by at most
the factor n: accurate however far the data lie from zero, and the matrix is read only once.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np

from fsops.algorithms.base import compiled as kernels
from fsops.algorithms.base.sums import (
    add_deviations,
    column_tiles,
    cross_of,
    divisor,
    finite,
    grouped_target,
    known_cross,
    known_sums,
)
from fsops.algorithms.base.types import (
    Bools,
    Floats,
    Ints,
    Numbers,
    Sparse,
    as_classes,
    as_code_matrix,
    as_matrix,
    as_row_weights,
    as_target,
    is_sparse,
)

# Tables with missing values are taken in blocks of so many rows and merged.
MASKED_ROWS = 1024

ROUNDING = 64 * np.finfo(np.float64).eps
TINY = np.finfo(np.float64).tiny


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

    The mean is given in parts to be added. The extremes of all features usually show that none
    is negligible; otherwise each is checked.
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
        Rows per class, or the sum of their weights; (C, 1) when nothing is missing and rows have no
        weights, else (C, p).
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
    def of(
        cls, X: Numbers, codes: Numbers, n_classes: int, weights: Numbers | None = None
    ) -> "ClassMoments":
        """Moments of the columns of X in each class; missing values (NaN) are left out pairwise.

        Parameters
        ----------
        X
            Rows by features.
        codes
            Class of each row, 0..n_classes-1.
        n_classes
            Number of classes; classes without rows are allowed.
        weights
            How often each row counts, such as in a bootstrap; 0 leaves it out.
        """
        codes = as_classes(codes, X.shape[0] if is_sparse(X) else len(X), n_classes)
        if is_sparse(X) or weights is not None:
            special = cls._of_sparse if is_sparse(X) else cls._weighted
            return special(X, codes, n_classes, weights)
        X = as_matrix(X)
        if kernels.take_table(X):
            missing, *sums = _kernels().class_sums(X, codes, n_classes)
            if not missing or kernels.take_holes(X):
                return cls._of_kernel(*sums)
        size = np.bincount(codes, minlength=n_classes)
        pivot, total, ss = _class_sums(X, codes, n_classes)
        return cls._of_known(X, codes, size[:, None].astype(np.float64), pivot, total, ss)

    @classmethod
    def _of_kernel(
        cls, count: Floats, origin: Floats, offset: Floats, ss: Floats
    ) -> "ClassMoments":
        return cls(count, finite(origin), finite(offset), finite(ss))

    @classmethod
    def _of_known(  # noqa: PLR0917 - sums of one kind
        cls, X: Numbers, codes: Ints, count: Floats, pivot: Floats, total: Floats, ss: Floats
    ) -> "ClassMoments":
        """Moments from sums over all values, with columns that have missing values done again."""
        n_classes = len(count)
        holes = np.isnan(total).any()
        if holes and kernels.take_holes(X):
            return cls._of_kernel(*_kernels().class_sums(X, codes, n_classes)[1:])
        if holes and len(X) > MASKED_ROWS:
            parts = (cls.of(X[block], codes[block], n_classes) for block in _row_blocks(len(X)))
            return reduce(cls.merge, parts)
        if holes:
            size, count = count, np.repeat(count, X.shape[1], axis=1)
            rows = [np.flatnonzero(codes == c) for c in range(n_classes)]
            for tile in column_tiles(X.shape[1], len(X)):
                if np.isnan(total[:, tile]).any():
                    for c, members in enumerate(rows):
                        known = known_sums(X[members, tile])
                        count[c, tile], pivot[c, tile], total[c, tile], ss[c, tile] = known
            if (count == size).all():
                count = size  # the sums are unknown because of infinite values
        return cls._relative(count, pivot, total, ss)

    @classmethod
    def _of_sparse(
        cls, X: Sparse, codes: Ints, n_classes: int, weights: Numbers | None
    ) -> "ClassMoments":
        from fsops.algorithms.base import sparse_sums  # dense tables do not need it

        factors = None if weights is None else as_row_weights(weights, len(codes))
        count, *sums = sparse_sums.class_sums(X, codes, n_classes, factors)
        if weights is None and X.shape[1] and (count == count[:, :1]).all():
            count = count[:, :1]
        return cls._relative(count, *sums)

    @classmethod
    def _weighted(
        cls, X: Numbers, codes: Ints, n_classes: int, weights: Numbers | None
    ) -> "ClassMoments":
        X = as_matrix(X)
        weights = as_row_weights(np.asarray(weights), len(X))
        count, pivot, total, ss = sums = np.zeros((4, n_classes, X.shape[1]))
        for c in range(n_classes):
            # A row without weight cannot be the pivot: it may be far from all others.
            members = np.flatnonzero((codes == c) & (weights > 0))
            for tile in column_tiles(X.shape[1], members.size):
                sums[:, c, tile] = known_sums(X[members, tile], weights[members])
        return cls._relative(count, pivot, total, ss)

    @classmethod
    def of_target(cls, y: Numbers, groups: Numbers, n_groups: int) -> "ClassMoments":
        """Moments of one numeric vector y, grouped by every column of codes in groups.

        This is the transposed question to `of`: one variable and p groupings. Code -1 (missing)
        leaves the row out of that column.
        """
        groups = as_code_matrix(groups, "groups")
        if groups.size and groups.max() >= n_groups:
            raise ValueError(f"Group codes must be below {n_groups}, got {groups.max()}.")
        y = as_target(y, groups.shape[0])
        origin = float(y.mean()) if y.size else 0.0
        parts = [
            grouped_target(y - origin, groups[:, tile], n_groups)
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
        origin = pivot[0]
        if not filled[0].all():
            first = np.broadcast_to(filled.argmax(axis=0), pivot.shape[1:])
            origin = np.take_along_axis(pivot, first[None, :], axis=0)[0]
        with np.errstate(invalid="ignore"):
            offset = (pivot - origin) + total / divisor(count)
        if not filled.all():
            offset = np.where(filled, offset, 0.0)
        return cls(count, finite(origin), finite(offset), finite(np.maximum(ss, 0.0)))

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

    @property
    def present(self) -> Floats:
        """Number of classes with rows per feature, (1,) or (p,)."""
        if self.count.min(initial=np.inf) > 0:
            return np.array([float(self.n_classes)])
        present: Floats = (self.count > 0).sum(axis=0).astype(np.float64)
        return present

    @property
    def centre(self) -> Floats:
        """Mean of the rows of all classes minus origin, (p,)."""
        centre: Floats = (self.count * self.offset).sum(axis=0) / np.maximum(self.total, 1.0)
        return centre

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
        Rows used, or the sum of their weights; (1,) when nothing is missing and rows have no
        weights, else (p,).
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
    def of(cls, X: Numbers, y: Numbers, weights: Numbers | None = None) -> "CrossMoments":
        """Moments of the columns of X with y; missing values of X are left out pairwise.

        ``weights`` says how often each row counts; 0 leaves it out.
        """
        if is_sparse(X):
            return cls._of_sparse(X, as_target(y, X.shape[0]), weights)
        X = as_matrix(X)
        n, p = X.shape
        y = as_target(y, n)
        if weights is not None:
            return cls._weighted(X, y, as_row_weights(weights, n))
        mean_y = y.mean() if n else 0.0
        centred = y - mean_y
        if n and kernels.take_table(X):
            missing, sums = _kernels().cross_sums(X, centred)
            if not missing or kernels.take_holes(X):
                return cls._of_kernel(missing, sums, centred, mean_y)
        mean_x, ss_x, cross = cross_of(X, centred)
        if np.isnan(mean_x).any():
            if kernels.take_holes(X):
                missing, sums = _kernels().cross_sums(X, centred)
                return cls._of_kernel(missing, sums, centred, mean_y)
            if n > MASKED_ROWS:
                return reduce(cls.merge, (cls.of(X[block], y[block]) for block in _row_blocks(n)))
        squares = np.array([centred @ centred])
        whole = cls(np.array([float(n)]), mean_x, np.array([mean_y]), ss_x, squares, cross)
        return whole._with_missing(X, y) if np.isnan(mean_x).any() else whole

    @classmethod
    def _of_kernel(
        cls, missing: bool, sums: Floats, target: Floats, mean_y: float
    ) -> "CrossMoments":
        """Moments from the sums of a kernel; the target is given less its mean."""
        unknown, mean_x, shift, ss_x, ss_y, cross = sums
        count, squares = np.array([float(len(target))]), np.array([target @ target])
        centre = np.array([mean_y])
        if missing:
            squares = np.where(unknown > 0, ss_y, squares)
            count, centre = count - unknown, centre + shift
        return cls(count, finite(mean_x), centre, finite(ss_x), squares, finite(cross))

    @classmethod
    def _of_sparse(cls, X: Sparse, y: Floats, weights: Numbers | None) -> "CrossMoments":
        from fsops.algorithms.base import sparse_sums  # dense tables do not need it

        n, p = X.shape
        factors = None if weights is None else as_row_weights(weights, n)
        sums = sparse_sums.class_sums(X, np.zeros(n, np.intp), 1, factors)
        (size,), (pivot,), (total,), (ss_x,) = sums
        holes = sparse_sums.columns_with_missing(X)
        count = np.array([float(n)]) if factors is None else np.full(p, factors.sum())
        mean_y = np.average(y, weights=factors) if n and count[:1].all() else 0.0
        centred = y - mean_y
        squares = centred @ (centred if factors is None else centred * factors)
        mean_x = pivot + total / np.maximum(size, 1.0 if factors is None else TINY)
        whole = cls(
            count,
            mean_x,
            np.full(count.shape, mean_y),
            ss_x,
            np.full(count.shape, squares),
            sparse_sums.cross_sums(X, centred, pivot, factors),
        )
        return whole._with_dense_columns(X, y, factors, holes) if holes.size else whole

    def _with_dense_columns(
        self, X: Sparse, y: Floats, weights: Floats | None, columns: Ints
    ) -> "CrossMoments":
        """The same, with some columns of a sparse matrix done again as dense ones."""
        p = X.shape[1]
        own = (self.count, self.mean_x, self.mean_y, self.ss_x, self.ss_y, self.cross)
        fields = [np.array(np.broadcast_to(whole, p)) for whole in own]
        for tile in column_tiles(columns.size, len(y)):
            part = known_cross(X[:, columns[tile]].toarray().astype(np.float64), y, weights)
            for field, values in zip(fields, part, strict=True):
                field[columns[tile]] = values
        return CrossMoments(*fields)

    @classmethod
    def _weighted(cls, X: Numbers, y: Floats, weights: Floats) -> "CrossMoments":
        used = np.flatnonzero(weights)
        fields = np.zeros((6, X.shape[1]))
        for tile in column_tiles(X.shape[1], used.size) if used.size else ():
            fields[:, tile] = known_cross(X[used, tile], y[used], weights[used])
        return cls(*fields)

    def _with_missing(self, X: Numbers, y: Floats) -> "CrossMoments":
        """The same, with the columns that have missing values done again."""
        n, p = X.shape
        count, mean_y, ss_y = (np.repeat(a, p) for a in (self.count, self.mean_y, self.ss_y))
        mean_x, ss_x, cross = self.mean_x.copy(), self.ss_x.copy(), self.cross.copy()
        for tile in column_tiles(p, n):
            if np.isnan(mean_x[tile]).any():
                part = known_cross(X[:, tile], y)
                count[tile], mean_x[tile], mean_y[tile] = part[:3]
                ss_x[tile], ss_y[tile], cross[tile] = part[3:]
        if (count == n).all():
            return self  # the sums are unknown because of infinite values
        return CrossMoments(count, mean_x, mean_y, ss_x, ss_y, cross)

    def within(self) -> Floats:
        """Sums of squared deviations of the features, rounding noise set to exactly 0."""
        return _without_noise(self.ss_x, self.count, self.mean_x)

    def without_label_noise(self, largest: float) -> "CrossMoments":
        """The same, where a label that is constant over the rows of a feature has no spread.

        With missing values the label's mean is that of few rows. Its rounding error is one of the
        largest label of all, which the few need not show.
        """
        noise = negligible(self.ss_y, self.count, np.array(largest))
        return replace(self, ss_y=np.where(noise, 0.0, self.ss_y))

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


def _kernels() -> Any:
    """The compiled loops, which small tables do not need."""
    from fsops.algorithms.base.compiled import moments

    return moments


def _class_sums(X: Numbers, codes: Ints, n_classes: int) -> tuple[Floats, Floats, Floats]:
    """The first value of each class and feature, the sum of deviations from it and of squares."""
    pivot = np.zeros((n_classes, X.shape[1]))
    total, ss = np.zeros((2, *pivot.shape))
    with np.errstate(invalid="ignore", over="ignore"):
        for c in range(n_classes):
            members = np.flatnonzero(codes == c)
            if members.size:
                pivot[c] = X[members[0]]
                add_deviations(X, members, pivot[c], total[c], ss[c])
                ss[c] -= total[c] * (total[c] / members.size)
    return pivot, total, ss


def _row_blocks(n: int) -> Iterator[slice]:
    for start in range(0, n, MASKED_ROWS):
        yield slice(start, start + MASKED_ROWS)
