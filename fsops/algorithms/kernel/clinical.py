r"""The clinical kernel: how alike two rows with numbers and categories are.

A number is brought to 0..1 by its range in the training rows, the place of an ordered category by
the number of its categories; an unordered category is equal or not:

.. math:: k_f(x, z) = 1 - |u_f(x) - u_f(z)| \quad\text{or}\quad [x_f = z_f], \qquad
    k(x, z) = \sum_f \mu_f k_f(x, z)

with equal weights :math:`\mu_f = 1/p`. A missing value is like nothing, not even itself
(:math:`k_f = 0`). Every :math:`k_f` is positive semidefinite: values beyond the range are taken as
its end. Features are numbered with the numbers first, then the categories.

References
----------
Daemen & De Moor (2009), Development of a kernel function for clinical data, EMBC.
Paul & Dupont (2014), Kernel methods for mixed feature selection, ESANN.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fsops.algorithms.base import compiled as kernels
from fsops.algorithms.base.compiled.near import add_distances
from fsops.algorithms.base.types import Codes, Floats, Ints, Numbers, as_code_matrix, as_matrix
from fsops.memory import require_pairs

BLOCK = 1 << 16  # values that are read once for the quadratic forms
NOISE = 1e-12  # a sum of coefficients below this share of their sizes is 0


@dataclass(frozen=True, eq=False)
class ClinicalScale:
    """Smallest value and range of every number in the training rows; 0 for a constant one."""

    low: Floats
    span: Floats

    @classmethod
    def of(cls, X: Numbers, levels: Floats | None = None) -> ClinicalScale:
        """Return the scale of the rows of X; NaN is missing.

        ``levels`` has the number of categories of those columns that are places 0, 1, … of ordered
        categories, and NaN for the others. Their range is that of all categories.
        """
        X = as_matrix(X).astype(np.float64, copy=False)
        low = np.nan_to_num(np.fmin.reduce(X, axis=0, initial=np.nan))
        span = np.nan_to_num(np.fmax.reduce(X, axis=0, initial=np.nan)) - low
        if levels is None:
            return cls(low, span)
        known = ~np.isnan(levels)
        return cls(np.where(known, 0.0, low), np.where(known, levels - 1, span))

    def rows(self, X: Numbers, codes: Numbers) -> ClinicalRows:
        """Return these rows as the kernel sees them."""
        X, codes = as_matrix(X).astype(np.float64, copy=False), as_code_matrix(codes)
        if len(X) != len(codes):
            raise ValueError(f"There are {len(X)} rows of numbers, but {len(codes)} of codes.")
        varying = self.span > 0
        share = np.clip((X - self.low) / np.where(varying, self.span, 1.0), 0.0, 1.0)
        numbers = np.where(varying, share, np.where(np.isnan(X), np.nan, 0.0))
        return ClinicalRows(np.ascontiguousarray(numbers), codes.astype(np.intp))


@dataclass(frozen=True, eq=False)
class ClinicalRows:
    """Rows with numbers in 0..1 (NaN is missing) and with codes of categories (-1 is missing)."""

    numbers: Floats
    codes: Codes

    @classmethod
    def of(cls, X: Numbers, codes: Numbers, levels: Floats | None = None) -> ClinicalRows:
        """Return training rows, scaled by themselves; see `ClinicalScale.of`."""
        return ClinicalScale.of(X, levels).rows(X, codes)

    def __len__(self) -> int:
        return len(self.numbers)

    @cached_property
    def complete(self) -> bool:
        """Whether no number is missing."""
        # NaN is the only value that a sum cannot lose.
        return not np.isnan(self.numbers.sum())

    @property
    def n_numbers(self) -> int:
        """How many features are numbers."""
        return int(self.numbers.shape[1])

    @property
    def n_features(self) -> int:
        """How many features there are."""
        return int(self.numbers.shape[1] + self.codes.shape[1])


# --- kernel matrices ------------------------------------------------------------------------------


def clinical_kernel(
    a: ClinicalRows, b: ClinicalRows | None = None, weights: Floats | None = None
) -> Floats:
    """Kernel of the rows a (lines) with the rows b (columns), or with themselves.

    Parameters
    ----------
    a, b
        Rows on one scale.
    weights
        Not negative, one for each feature; by default each is 1 / the number of features.
    """
    p = a.n_features
    weights = np.full(p, 1.0 / max(p, 1)) if weights is None else np.asarray(weights)
    if weights.shape != (p,) or (weights < 0).any():
        raise ValueError(f"The {p} features need as many weights, none of them negative.")
    other = a if b is None else b
    require_pairs(len(a), len(other), "The kernel matrix")
    (used,) = weights[: a.n_numbers].nonzero()
    if not used.size:
        gram = np.zeros((len(a), len(other)))
    elif a.complete and other.complete:
        gram = _of_numbers(a, other, used, weights[used])
    else:
        gram = _of_numbers_with_gaps(a, other, used, weights[used])
    (used,) = weights[a.n_numbers :].nonzero()
    if used.size:
        _add_codes(gram, a.codes[:, used], other.codes[:, used], weights[a.n_numbers + used])
    return gram


def _of_numbers(a: ClinicalRows, b: ClinicalRows, used: Ints, weights: Floats) -> Floats:
    """Weighted sum of 1 - |difference|."""
    first, second = (_columns(rows.numbers, used) for rows in (a, b))
    equal = bool((weights == weights[0]).all())
    if not equal:
        first, second = first * weights, second * weights
    gram = _distances(first, first if a is b else second)
    gram *= -weights[0] if equal else -1.0
    gram += weights.sum()
    return gram


def _of_numbers_with_gaps(a: ClinicalRows, b: ClinicalRows, used: Ints, weights: Floats) -> Floats:
    """Weighted sum of 1 - |difference| over the features known in both rows.

    A missing value is filled by 0. Its distances, which belong to the other row, are
    subtracted, so that matrix products do the work.
    """
    first, second = (_columns(rows.numbers, used) for rows in (a, b))
    hole, hole_b = np.isnan(first), np.isnan(second)
    filled = np.where(hole, 0.0, first * weights)
    filled_b = filled if a is b else np.where(hole_b, 0.0, second * weights)
    gram: Floats = (weights * ~hole) @ (~hole_b).T.astype(np.float64)
    gram += hole.astype(np.float64) @ filled_b.T
    gram += filled @ hole_b.T.astype(np.float64)
    gram -= _distances(filled, filled_b)
    return gram


def _columns(X: Floats, used: Ints) -> Floats:
    return X if used.size == X.shape[1] else X.take(used, axis=1)


def _distances(a: Floats, b: Floats) -> Floats:
    """Sums of absolute differences of all rows of a and b."""
    from scipy.spatial.distance import cdist, pdist, squareform

    n, p = a.shape
    if a is not b:
        return np.asarray(cdist(a, b, "cityblock"), dtype=np.float64)
    if not kernels.take_pairs(n * n * p):
        return np.asarray(squareform(pdist(a, "cityblock")), dtype=np.float64)
    distance = np.zeros((n, n))
    add_distances(np.ascontiguousarray(a), np.arange(n), distance)
    distance = np.triu(distance, 1)
    distance += distance.T
    return distance


def _add_codes(gram: Floats, a: Codes, b: Codes, weights: Floats) -> None:
    """Add the weights of the features in which the rows have the same category."""
    levels = np.minimum(a.max(axis=0, initial=-1), b.max(axis=0, initial=-1)) + 1
    for level in range(int(levels.max(initial=0))):
        (used,) = (levels > level).nonzero()
        gram += ((a[:, used] == level) * weights[used]) @ (b[:, used] == level).T.astype(np.float64)


def base_kernels(rows: ClinicalRows, features: Ints) -> Floats:
    """Kernel matrices of single features, (features, n * n)."""
    n = len(rows)
    require_pairs(n, n, f"{len(features):,} kernel matrices", copies=len(features))
    found = np.empty((len(features), n, n))
    for kernel, f in zip(found, np.asarray(features).tolist(), strict=True):
        if f < rows.n_numbers:
            u = rows.numbers[:, f]
            kernel[:] = np.nan_to_num(1.0 - np.abs(u[:, None] - u), copy=False, nan=0.0)
        else:
            z = rows.codes[:, f - rows.n_numbers]
            kernel[:] = (z[:, None] == z) & (z >= 0)
    return found.reshape(len(features), n * n)


# --- quadratic forms ------------------------------------------------------------------------------


class QuadraticForms:
    r""":math:`Q_f = c^T K_f c` of every feature, without a kernel matrix.

    The columns are sorted once, in O(p n log n); each call then takes O(p n). With the sums
    :math:`C_k` of the first k coefficients in sorted order, their total S, and the gaps
    :math:`D_k` between neighbors,

    .. math:: Q_f = S^2 - 2 \sum_k D_k C_k (S - C_k)

    for a number; for a category the squares of the sums of its coefficients are added up.
    """

    def __init__(self, rows: ClinicalRows) -> None:
        columns = np.ascontiguousarray(rows.numbers.T)
        self.order = np.argsort(columns, axis=1)
        ordered = np.take_along_axis(columns, self.order, axis=1)
        self.gaps = np.diff(ordered, axis=1)
        if not rows.complete:
            # Missing values are sorted to the end. A row with the coefficient 0 stands for them.
            self.order[np.isnan(ordered)] = len(rows)
            np.nan_to_num(self.gaps, copy=False, nan=0.0)
        self.levels = rows.codes.max(axis=0, initial=-1) + 1
        self.codes = np.ascontiguousarray(rows.codes.T)

    def __call__(self, coefficients: Floats, features: Ints | None = None) -> Floats:
        """Return the forms of these features, all by default, in the order they are given.

        Several lines of coefficients, (machines, n), are taken one by one and added up.
        """
        first = len(self.order)
        if features is None:
            features = np.arange(first + len(self.codes))
        mine = features < first
        numbers, categories = features[mine], features[~mine] - first
        found = np.zeros(features.size)
        for c in np.atleast_2d(coefficients):
            found[mine] += self._of_numbers(c, numbers)
            found[~mine] += self._of_categories(c, categories)
        return found

    def _of_numbers(self, c: Floats, features: Ints) -> Floats:
        padded, size = np.append(c, 0.0), float(np.abs(c).sum())
        found = np.empty(features.size)
        step = max(1, BLOCK // max(1, c.size))
        for start in range(0, features.size, step):
            part = slice(start, start + step)
            chosen = features[part]
            sums = padded.take(self.order.take(chosen, axis=0))
            np.cumsum(sums, axis=1, out=sums)
            total = _cleaned(sums[:, -1], size)
            before, gaps = sums[:, :-1], self.gaps.take(chosen, axis=0)
            gaps *= before
            if total.any():
                before -= total[:, None]
            found[part] = total * total + 2.0 * np.einsum("fk,fk->f", gaps, before)
        return np.maximum(found, 0.0)

    def _of_categories(self, c: Floats, features: Ints) -> Floats:
        if not features.size:
            return np.zeros(0)
        levels = np.append(self.levels[features] + 1, 0)  # one more for missing values
        starts = np.cumsum(levels) - levels
        codes = self.codes[features]
        places = np.where(codes < 0, levels[:-1, None] - 1, codes) + starts[:-1, None]
        weights = np.broadcast_to(c, codes.shape).ravel()
        sums = np.zeros(starts[-1])
        np.add.at(sums, places.ravel(), weights)
        sums = _cleaned(sums, float(np.abs(c).sum()))
        sums[starts[1:] - 1] = 0.0
        squares: Floats = np.add.reduceat(sums * sums, starts[:-1])
        return squares


def _cleaned(sums: Floats, size: float) -> Floats:
    """Sums that are only rounding errors become exactly 0: a constant feature is uninformative."""
    cleaned: Floats = np.where(np.abs(sums) <= NOISE * size, 0.0, sums)
    return cleaned
