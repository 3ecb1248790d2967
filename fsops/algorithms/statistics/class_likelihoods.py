"""Likelihoods of the classes by independent features: counts, presence, and sparse numbers.

Matrices may be dense or sparse. Missing values (NaN) are left out.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fsops.algorithms.base.moments import ClassMoments
from fsops.algorithms.base.sparse_sums import mapped, stored_parts
from fsops.algorithms.base.types import Bools, Floats, Ints, Numbers, Sparse
from fsops.algorithms.preparation.normalization import largest_size, scaled_columns

FAR = 100.0
"""Squared deviations of zero from a class mean: beyond it nearly all values are stored anyway."""


@dataclass(frozen=True, eq=False)
class Multinomial:
    """How often each feature is counted in each class, relative to the other features.

    References
    ----------
    McCallum & Nigam (1998), A comparison of event models for naive Bayes text classification.
    """

    logs: Floats
    """Log probability of each feature, (C, p)."""

    @classmethod
    def fit(cls, X: Any, codes: Ints, alpha: float) -> "Multinomial":
        """Probabilities from the sums of counts by class, each plus alpha."""
        totals = class_totals(mapped(X, np.nan_to_num), codes) + alpha
        return cls(np.log(totals) - np.log(totals.sum(axis=1, keepdims=True)))

    def log_likelihood(self, X: Any) -> Floats:
        """Log probability of each row in each class, up to a term that all classes share."""
        return _product(mapped(X, np.nan_to_num), self.logs)


@dataclass(frozen=True, eq=False)
class Bernoulli:
    """How likely each feature is present, which means above 0, in each class.

    References
    ----------
    McCallum & Nigam (1998), A comparison of event models for naive Bayes text classification.
    """

    present: Floats
    """Log probability of presence, (C, p)."""
    absent: Floats
    """Log probability of absence, (C, p)."""

    @classmethod
    def fit(cls, X: Any, codes: Ints, alpha: float) -> "Bernoulli":
        """Probabilities from the numbers of known rows by class, plus alpha for each outcome."""
        times = class_totals(mapped(X, is_present), codes)
        rows = np.unique(codes, return_counts=True)[1][:, None]
        known = rows - class_totals(mapped(X, np.isnan), codes) + 2 * alpha
        return cls(np.log(times + alpha) - np.log(known), np.log1p(-(times + alpha) / known))

    def log_likelihood(self, X: Any) -> Floats:
        """Log probability of each row in each class."""
        found: Floats = self.absent.sum(axis=1) + _product(
            mapped(X, is_present), self.present - self.absent
        )
        found -= _product(mapped(X, np.isnan), self.absent)
        return found


def is_present(values: Floats) -> Bools:
    """Whether numbers are above 0; a missing one is not."""
    present: Bools = values > 0
    return present


def class_totals(X: Any, codes: Ints) -> Floats:
    """Sums of each column over the rows of each class that occurs, (C, p)."""
    members = (codes == np.unique(codes)[:, None]).astype(np.float64)
    return _product(X.T, members).T


def _product(X: Any, lines: Floats) -> Floats:
    product: Floats = X @ np.ascontiguousarray(lines.T)
    return product


# --- normal distributions of sparse numbers -----------------------------------------------------


@dataclass(frozen=True, eq=False)
class ClassNormals:
    """Moments of sparse columns, all rows and by class, each divided by its largest size."""

    size: Floats
    centre: Floats
    spread: Floats
    known: Floats
    means: Floats
    variances: Floats

    @classmethod
    def of(cls, X: Sparse, codes: Ints) -> "ClassNormals":
        """Moments of the known values; means and variances are those of standardized columns.

        A class without a known value has the moments of all rows, 0 and 1.
        """
        size = largest_size(X)[1]
        scaled = scaled_columns(X, size)
        classes, codes = np.unique(codes, return_inverse=True)
        whole = ClassMoments.of(scaled, np.zeros_like(codes), 1)
        parts = ClassMoments.of(scaled, codes, len(classes))
        centre = whole.mean[0]
        spread = np.sqrt(whole.ss[0] / np.maximum(whole.count[0], 1.0))
        unit = np.where(spread > 0, spread, 1.0)
        known = np.broadcast_to(parts.count, parts.ss.shape)
        offset = parts.origin - centre + parts.offset
        variances = parts.ss / np.maximum(known, 1.0) / unit**2
        return cls(
            size,
            centre,
            spread,
            known,
            np.where(known > 0, offset / unit, 0.0),
            np.where(known > 0, variances, 1.0),
        )


def sparse_log_density(
    X: Sparse, standardized: Callable[[Numbers, Ints], Floats], means: Floats, variances: Floats
) -> tuple[Floats, Ints]:
    """Log density of each row in each class, and the columns that are left out of it.

    All zeros of a column have the same density, so each class has one sum for a row of zeros, and
    a stored value changes it. Columns in which zero is very unlikely in a class are left out: their
    terms would cancel. Nearly all of their values are stored.

    Parameters
    ----------
    X
        Rows by features.
    standardized
        Numbers of given columns on the scale of the means.
    means, variances
        Of each class, (C, p).
    """
    zeros = standardized(np.zeros(X.shape[1]), np.arange(X.shape[1]))
    distance = (zeros - means) ** 2 / variances
    far = (distance > FAR).any(axis=0)
    near = np.flatnonzero(~far)
    X, means, variances, distance = (
        X[:, near],
        means[:, near],
        variances[:, near],
        distance[:, near],
    )
    constant = np.log(2 * np.pi * variances)
    found = np.tile((constant + distance).sum(axis=1), (X.shape[0], 1))
    for part in stored_parts(X):
        column = part.column + part.columns.start
        values = standardized(part.values, near[column])
        unknown = np.isnan(values)
        for c in range(len(means)):
            with np.errstate(over="ignore"):
                change = (values - means[c, column]) ** 2 / variances[c, column]
            change -= distance[c, column]
            change[unknown] = -(constant + distance)[c, column[unknown]]
            found[:, c] += np.bincount(part.rows, change, minlength=X.shape[0])
    return -0.5 * found, np.flatnonzero(far)
