"""Heterogeneous feature selection: a ranking of numbers and one of categories, merged.

Numbers are ranked by a t-test, categories by Fisher's exact test. The heads of both rankings
compete: what improves a classifier more, by its balanced rate in an inner cross-validation, comes
next.

References
----------
Paul & Dupont (2014), Kernel methods for mixed feature selection, ESANN.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from fsops.algorithms.base.types import Codes, Floats, Ints, Numbers, as_classes
from fsops.algorithms.filters.univariate import f_test, welch_t
from fsops.algorithms.kernel.clinical import ClinicalRows
from fsops.algorithms.statistics.fisher_exact import exact_p_values

Classifier = Literal["naive_bayes", "k_nn"]

SMOOTHING = 1e-3  # of the variance over all classes
LEAST_VARIANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Hfs:
    """A merged ranking.

    Attributes
    ----------
    order
        All features, best first.
    p_values
        Of each feature alone.
    merged
        How many features were placed by comparison, before one of the rankings was used up.
    by_chi_squared
        Features with too many tables for an exact test of two classes.
    """

    order: Ints
    p_values: Floats
    merged: int
    by_chi_squared: Ints


class Scorer(Protocol):
    """A classifier whose decisions are sums over the features."""

    def nothing(self) -> Floats:
        """Return the decisions without any feature."""

    def share(self, feature: int) -> Floats:
        """Return the contribution of a feature to the decisions."""

    def predict(self, decisions: Floats) -> Ints:
        """Return the predicted class of each row, by the rows of the other folds."""


def hfs(
    rows: ClinicalRows,
    codes: Numbers,
    folds: Numbers,
    *,
    classifier: Classifier = "naive_bayes",
    k: int = 5,
    on_feature: Callable[[int], None] | None = None,
) -> Hfs:
    """Ranking of numbers and categories by tests and a greedy merge.

    Parameters
    ----------
    rows, codes
        Training rows and their classes.
    folds
        Number of the fold of each row in the inner cross-validation.
    classifier, k
        Classifier used to compare two features: naive Bayes, or so many neighbors by HEOM.
    on_feature
        Called with the number of features placed so far, after each comparison.

    Returns
    -------
    Hfs
        Equally good heads: the smaller p-value, then the number first.
    """
    codes = as_classes(codes, len(rows))
    codes = np.unique(codes, return_inverse=True)[1]
    p_values, first, second, approximate = _rankings(rows, codes)
    folds = np.asarray(folds)
    scorer: Scorer = (
        NaiveBayes(rows, codes, folds)
        if classifier == "naive_bayes"
        else NeighborVote(rows, codes, folds, k)
    )
    placed: list[int] = []
    decisions = scorer.nothing()
    shares: dict[int, Floats] = {}
    while first and second:
        heads = (first[0], second[0])
        for head in heads:
            if head not in shares:
                shares[head] = scorer.share(head)
        tried = [decisions + shares[head] for head in heads]
        rates = [balanced_rate(codes, scorer.predict(d)) for d in tried]
        by_p_value = rates[0] == rates[1] and p_values[heads[0]] <= p_values[heads[1]]
        winner = 0 if rates[0] > rates[1] or by_p_value else 1
        decisions = tried[winner]
        placed.append((first, second)[winner].pop(0))
        shares.pop(placed[-1])
        if on_feature is not None:
            on_feature(len(placed))
    order = np.array(placed + first + second, dtype=np.intp)
    return Hfs(order, p_values, len(placed), approximate)


def _rankings(rows: ClinicalRows, codes: Ints) -> tuple[Floats, list[int], list[int], Ints]:
    """The p-values of all features, rankings of numbers and of categories, inexact tests."""
    test = welch_t if codes.max() == 1 else f_test
    tested = test(rows.numbers, codes, p_values=True)
    assert tested.p_values is not None
    size = np.nan_to_num(np.abs(tested.statistic), nan=0.0, posinf=np.inf)
    numbers = np.lexsort((-size, tested.p_values))
    exact = exact_p_values(rows.codes, codes)
    categories = rows.n_numbers + np.argsort(exact.p_values, kind="stable")
    p_values = np.concatenate([tested.p_values, exact.p_values])
    inexact = rows.n_numbers + exact.by_chi_squared
    return p_values, numbers.tolist(), categories.tolist(), inexact


def balanced_rate(codes: Ints, predicted: Ints) -> float:
    """Mean recall over the classes."""
    right = np.bincount(codes, weights=predicted == codes)
    return float((right / np.bincount(codes)).mean())


class NaiveBayes:
    """Log-probabilities of the classes, (n, classes), each fold by the rows of the others.

    Numbers are normal within a class, with their variance raised by a little; counts of categories
    are raised by 1. A missing value is uninformative.
    """

    def __init__(self, rows: ClinicalRows, codes: Ints, folds: Ints) -> None:
        self.rows = rows
        self.folds = folds
        self.shape = int(folds.max()) + 1, int(codes.max()) + 1
        self.cell = folds * self.shape[1] + codes

    def _others(self, weights: Floats) -> Floats:
        """Sums by fold and class over the rows of all other folds."""
        sums = np.bincount(self.cell, weights, minlength=self.shape[0] * self.shape[1])
        sums = sums.reshape(self.shape)
        others: Floats = sums.sum(axis=0) - sums
        return others

    def nothing(self) -> Floats:
        """Return the logarithms of the class fractions."""
        counts = self._others(np.ones(self.cell.size))
        with np.errstate(divide="ignore"):
            logs: Floats = np.log(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0))
        return logs[self.folds]

    def share(self, feature: int) -> Floats:
        """Return the logarithms of the likelihoods of a feature's values."""
        m = self.rows.n_numbers
        if feature < m:
            return self._of_number(self.rows.numbers[:, feature])
        return self._of_category(self.rows.codes[:, feature - m])

    def predict(self, decisions: Floats) -> Ints:
        """Return the likeliest class; of equals the last."""
        return _last_argmax(decisions)

    def _of_number(self, x: Floats) -> Floats:
        known = ~np.isnan(x)
        if not known.any():
            return np.zeros((x.size, self.shape[1]))
        # Deviations from the mean lose no digits when they are squared.
        d = np.where(known, x - x[known].mean(), 0.0)
        count, total, squares = (self._others(w) for w in (known * 1.0, d, d * d))
        mean = total / np.maximum(count, 1.0)
        variance = np.maximum(squares / np.maximum(count, 1.0) - mean**2, 0.0)
        n = np.maximum(count.sum(axis=1), 1.0)
        overall = np.maximum(squares.sum(axis=1) / n - (total.sum(axis=1) / n) ** 2, 0.0)
        variance = variance + (SMOOTHING * overall + LEAST_VARIANCE)[:, None]
        # A class without a known value may have any.
        mean, variance = np.where(count > 0, mean, 0.0), np.where(count > 0, variance, 1.0)
        mean, variance = mean[self.folds], variance[self.folds]
        logs = -0.5 * (np.log(variance) + (d[:, None] - mean) ** 2 / variance)
        return np.where(known[:, None], logs, 0.0)

    def _of_category(self, z: Codes) -> Floats:
        known = z >= 0
        levels = int(z.max(initial=-1)) + 1
        counts = np.array([self._others((z == level) * 1.0) + 1.0 for level in range(levels)])
        if not levels:
            return np.zeros((z.size, self.shape[1]))
        logs = np.log(counts / counts.sum(axis=0))[z, self.folds]
        return np.where(known[:, None], logs, 0.0)


class NeighborVote:
    """Squared HEOM distances of all rows, (n, n); the nearest rows of other folds vote."""

    def __init__(self, rows: ClinicalRows, codes: Ints, folds: Ints, k: int) -> None:
        self.rows = rows
        self.codes = codes
        self.same = folds[:, None] == folds
        self.k = min(k, int((~self.same).sum(axis=1).min()))

    def nothing(self) -> Floats:
        """Return no distance at all."""
        return np.zeros(self.same.shape)

    def share(self, feature: int) -> Floats:
        """Return the squared differences of a feature's values; 1 if one is missing."""
        m = self.rows.n_numbers
        if feature < m:
            u = self.rows.numbers[:, feature]
            squares: Floats = np.nan_to_num((u[:, None] - u) ** 2, nan=1.0)
            return squares
        z = self.rows.codes[:, feature - m]
        unlike: Floats = ((z[:, None] != z) | (z < 0)).astype(np.float64)
        return unlike

    def predict(self, decisions: Floats) -> Ints:
        """Return the most frequent class of the nearest rows; of equal rows the first ones."""
        # Rounded, so that sums in another order are equal distances still.
        distance = np.where(self.same, np.inf, np.round(decisions, 12))
        nearest = np.argsort(distance, axis=1, kind="stable")[:, : self.k]
        classes = np.arange(self.codes.max() + 1)
        votes = (self.codes[nearest][:, :, None] == classes).sum(axis=1)
        return _last_argmax(votes)


def _last_argmax(values: Numbers) -> Ints:
    last: Ints = values.shape[1] - 1 - np.argmax(values[:, ::-1], axis=1)
    return last
