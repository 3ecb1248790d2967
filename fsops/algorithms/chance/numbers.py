"""Correlation filter, a straight line and frequencies under many orders of a label with numbers.

The learner adds up the best k columns with their signs and fits a straight line: a score of risk
that needs no matrix to be inverted, so many orders cost little.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fsops.algorithms.base.types import Floats, Ints
from fsops.algorithms.chance.columns import (
    VARIATION,
    BestColumns,
    ReusedProducts,
    Singles,
    agreement,
    ratio,
)
from fsops.algorithms.chance.outcomes import Outcomes, TrueOrder


@dataclass(frozen=True, eq=False)
class NumberStudy:
    """A table, the numbers to predict, and folds; see `ClassStudy` for the attributes."""

    X: Singles
    values: Floats
    """Standardized, so that huge and tiny labels give the same results."""
    folds: Ints
    sizes: Ints
    weights: Floats
    listed: int

    @cached_property
    def squares(self) -> Singles:
        """Squares of the values."""
        return np.square(self.X)

    def outcomes(self, orders: Ints, *, frequencies: bool = True) -> Outcomes:
        """Return what each order gives."""
        score, error = (np.empty((len(orders), len(self.sizes))) for _ in range(2))
        stability, largest = np.empty_like(score), np.empty(len(orders))
        best, products = BestColumns(int(self.sizes[-1])), ReusedProducts()
        for number, order in enumerate(orders):
            scores, signs, whole = self._strengths(order, products)
            rankings = best.of(scores)
            answers = self._answers(order, rankings, signs)
            score[number], error[number] = self._scores(answers, order)
            stability[number] = agreement(rankings, self.sizes, self.X.shape[1])
            largest[number] = whole.max(initial=0.0)
        frequency = self._largest_frequencies(orders) if frequencies else np.empty(0)
        return Outcomes(score, error, stability, largest, frequency)

    def true_order(self) -> TrueOrder:
        """Return more about the order as it is."""
        order = np.arange(len(self.values))
        scores, signs, whole = self._strengths(order, ReusedProducts())
        rankings = BestColumns(int(self.sizes[-1])).of(scores)
        answers = self._answers(order, rankings, signs)
        return TrueOrder(answers.T, np.empty((0, 0)), rankings, whole.astype(np.float64))

    def _strengths(self, order: Ints, products: ReusedProducts) -> tuple[Singles, Singles, Singles]:
        """Return R² of every column on each training set, the covariances, and R² on all rows."""
        n, count = len(order), int(self.folds.max()) + 1
        y, folds = self.values[order], self.folds[order]
        outside = (folds != np.arange(count)[:, None]).astype(np.float64)
        sizes = outside.sum(axis=1)[:, None]
        apart = outside * (y - outside @ y[:, None] / sizes)
        variation = np.square(apart).sum(axis=1)[:, None]
        rows = np.concatenate([apart, outside / np.sqrt(sizes), (y - y.mean())[None]])
        sums = products.of("sums", rows.astype(np.float32), self.X)
        covariance, means = sums[:count], sums[count : 2 * count]
        total = products.of("squares", outside.astype(np.float32), self.squares)
        total -= np.square(means)
        # A training set in which the label is constant has no strengths.
        total *= np.maximum(variation, 1e-12).astype(np.float32)
        strength = ratio(np.square(covariance), total, VARIATION * n)
        whole = np.square(sums[2 * count]) / np.float32(n * max(float(y.var() * n), 1e-12))
        return strength, covariance, whole

    def _answers(self, order: Ints, rankings: Ints, covariance: Singles) -> Floats:
        """Return the predictions of the test rows, shape (rows, sizes)."""
        y, folds = self.values[order], self.folds[order]
        answers = np.empty((len(order), len(self.sizes)))
        for fold, (ranking, signs) in enumerate(zip(rankings, covariance, strict=True)):
            test = folds == fold
            signed = self.X[:, ranking].astype(np.float64) * np.sign(signs[ranking])
            added = np.cumsum(signed, axis=1)[:, self.sizes - 1]
            centre, mean = added[~test].mean(axis=0), y[~test].mean()
            apart = added[~test] - centre
            spread = np.square(apart).sum(axis=0)
            slope = (y[~test] - mean) @ apart / np.where(spread > 0, spread, 1.0)
            answers[test] = mean + slope * (added[test] - centre)
        return answers

    def _scores(self, answers: Floats, order: Ints) -> tuple[Floats, Floats]:
        """Return Q² and the root mean squared error over all test rows."""
        y, folds = self.values[order], self.folds[order]
        means = np.array([y[folds != fold].mean() for fold in range(int(folds.max()) + 1)])
        errors = np.square(answers - y[:, None]).mean(axis=0)
        reference = max(float(np.square(means[folds] - y).mean()), 1e-300)
        return 1.0 - errors / reference, np.sqrt(errors)

    # --- frequencies --------------------------------------------------------------------------

    @cached_property
    def _inverse_totals(self) -> Singles:
        """1 / variance of every column in each bootstrap; 0 where there is none."""
        weights = self.weights.astype(np.float32)
        size = self.weights.sum(axis=1).astype(np.float32)[:, None]
        total = weights @ self.squares - np.square(weights @ self.X) / size
        return ratio(np.ones_like(total), total, VARIATION * len(self.X))

    def frequencies(
        self, order: Ints, best: BestColumns | None = None, products: ReusedProducts | None = None
    ) -> Floats:
        """Return the fraction of the bootstraps in which each column is among the best."""
        y = self.values[order]
        means = self.weights @ y / self.weights.sum(axis=1)
        rows = self.weights * (y - means[:, None])
        scores = (products or ReusedProducts()).of("sums", rows.astype(np.float32), self.X)
        np.square(scores, out=scores)
        scores *= self._inverse_totals
        chosen = (best or BestColumns(self.listed)).of(scores)
        return np.bincount(chosen.ravel(), minlength=self.X.shape[1]) / len(rows)

    def _largest_frequencies(self, orders: Ints) -> Floats:
        best, products = BestColumns(self.listed), ReusedProducts()
        return np.array([self.frequencies(order, best, products).max() for order in orders])
