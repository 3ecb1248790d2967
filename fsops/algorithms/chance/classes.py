"""F filter, naive Bayes and frequencies under many orders of a label with classes.

The F statistic needs the label through sums over rows only. All training sets of all orders are
therefore one product of contrasts between the classes with the table.

References
----------
Ojala & Garriga (2010): Permutation tests for studying classifier performance. JMLR 11.
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

SMOOTHING = 1e-9
"""Added to variances, as the learner Naive Bayes does."""
TOGETHER = 4
"""Orders whose sums are one product: their scores stay in the cache."""


@dataclass(frozen=True, eq=False)
class ClassStudy:
    """A table, its classes and folds.

    Attributes
    ----------
    X
        Standardized columns.
    codes
        Class of each row, from 0 without gaps.
    folds
        Fold of each row, from 0 without gaps.
    sizes
        Numbers of columns to learn with.
    weights
        How often each row is in each bootstrap, bootstraps by rows. They stay with the rows.
    listed
        A column is frequent if it is among so many best ones of many bootstraps.
    """

    X: Singles
    codes: Ints
    folds: Ints
    sizes: Ints
    weights: Floats
    listed: int

    @cached_property
    def squares(self) -> Singles:
        """Squares of the values."""
        return np.square(self.X)

    @cached_property
    def classes(self) -> int:
        """Number of classes."""
        return int(self.codes.max()) + 1

    @cached_property
    def training_counts(self) -> Ints:
        """Rows of each class outside of each fold: the same under every order."""
        count = int(self.folds.max()) + 1
        inside = np.zeros((count, self.classes), dtype=np.intp)
        np.add.at(inside, (self.folds, self.codes), 1)
        outside: Ints = inside.sum(axis=0) - inside
        return outside

    def outcomes(self, orders: Ints, *, frequencies: bool = True) -> Outcomes:
        """Return what each order gives."""
        score, error = (np.empty((len(orders), len(self.sizes))) for _ in range(2))
        stability, largest = np.empty_like(score), np.empty(len(orders))
        best, products = BestColumns(int(self.sizes[-1])), ReusedProducts()
        for start in range(0, len(orders), TOGETHER):
            part = orders[start : start + TOGETHER]
            scores, whole = self._strengths(part, products)
            for number, order in enumerate(part, start):
                rankings = best.of(scores[number - start])
                joint = self._log_likelihoods(order, rankings)
                score[number], error[number] = self._scores(joint, order)
                stability[number] = agreement(rankings, self.sizes, self.X.shape[1])
                largest[number] = whole[number - start].max(initial=0.0)
        frequency = self._largest_frequencies(orders) if frequencies else np.empty(0)
        return Outcomes(score, error, stability, largest, frequency)

    def true_order(self) -> TrueOrder:
        """Return more about the order as it is."""
        order = np.arange(len(self.codes))
        scores, whole = self._strengths(order[None], ReusedProducts())
        rankings = BestColumns(int(self.sizes[-1])).of(scores[0])
        joint = self._log_likelihoods(order, rankings)
        binary = self.classes == 2
        margins = (joint[..., 1] - joint[..., 0]).T if binary else np.empty((0, 0))
        answers = joint.argmax(axis=-1).T.astype(np.float64)
        return TrueOrder(answers, margins, rankings, whole[0].astype(np.float64))

    def _strengths(self, orders: Ints, products: ReusedProducts) -> tuple[Singles, Singles]:
        """Return R² of every column, by order and fold on the training rows, and on all rows."""
        count, n, p = len(orders), *self.X.shape
        folds, free = len(self.training_counts), self.classes - 1
        codes, parts = self.codes[orders], self.folds[orders]
        outside = parts[:, None, :] != np.arange(folds)[:, None]  # orders, folds, rows
        in_training = self._contrasts[:, :, codes].transpose(2, 0, 1, 3) * outside[:, :, None]
        in_all = contrasts(np.bincount(self.codes))[:, codes].transpose(1, 0, 2)
        sizes = self.training_counts.sum(axis=1)
        means = outside / np.sqrt(sizes)[:, None]
        rows = [in_training.reshape(-1, n), means.reshape(-1, n), in_all.reshape(-1, n)]
        sums = products.of("sums", np.concatenate(rows).astype(np.float32), self.X)
        np.square(sums, out=sums)
        ends = np.cumsum([len(part) for part in rows])
        between = _added(sums[: ends[0]].reshape(count, folds, free, p))
        members = outside.reshape(-1, n).astype(np.float32)
        total = products.of("squares", members, self.squares).reshape(count, folds, p)
        total -= sums[ends[0] : ends[1]].reshape(count, folds, p)
        whole = _added(sums[ends[1] :].reshape(count, free, p))
        whole /= np.float32(n)  # the variance of each column is 1, or the column is 0
        return ratio(between, total, VARIATION * n), whole

    @cached_property
    def _contrasts(self) -> Floats:
        """Contrasts of each training set, shape (folds, classes - 1, classes)."""
        return contrasts(self.training_counts)

    def _log_likelihoods(self, order: Ints, rankings: Ints) -> Floats:
        """Return the log likelihoods of the test rows, shape (rows, sizes, classes)."""
        codes, folds = self.codes[order], self.folds[order]
        values = self.X.T[rankings].astype(np.float64)  # folds, k, rows
        outside = folds != np.arange(len(rankings))[:, None]
        member = (codes == np.arange(self.classes)[:, None]) & outside[:, None]
        fraction = member / np.maximum(self.training_counts, 1)[:, :, None]
        mean = values @ fraction.transpose(0, 2, 1)  # folds, k, classes
        variance = np.square(values) @ fraction.transpose(0, 2, 1) - np.square(mean)
        # Below rounding there is no variance; a class without rows has a density of almost 0.
        variance = np.maximum(variance, 0.0) + SMOOTHING
        tested = values[folds, :, np.arange(len(order))]  # rows, k
        apart = tested[:, :, None] - mean[folds]
        terms = -0.5 * (np.square(apart) / variance[folds] + np.log(variance[folds]))
        joint: Floats = np.cumsum(terms, axis=1)[:, self.sizes - 1]
        absent = (self.training_counts == 0)[folds]
        joint[np.broadcast_to(absent[:, None], joint.shape)] = -np.inf
        return joint

    def _scores(self, joint: Floats, order: Ints) -> tuple[Floats, Floats]:
        """Return balanced accuracy with equal priors, and error with the priors of the rows."""
        codes, folds = self.codes[order], self.folds[order]
        right = joint.argmax(axis=-1) == codes[:, None]
        balanced = balanced_accuracy(right.T, codes)
        with np.errstate(divide="ignore"):
            priors = np.log(self.training_counts / self.training_counts.sum(axis=1)[:, None])
        guess = (joint + priors[folds][:, None]).argmax(axis=-1)
        return balanced, (guess != codes[:, None]).mean(axis=0)

    # --- frequencies --------------------------------------------------------------------------

    @cached_property
    def _inverse_totals(self) -> Singles:
        """1 / variance of every column in each bootstrap; 0 where there is none."""
        weights = self.weights.astype(np.float32)
        sums = weights @ self.X
        size = self.weights.sum(axis=1).astype(np.float32)[:, None]
        total = weights @ self.squares - np.square(sums) / size
        return ratio(np.ones_like(total), total, VARIATION * len(self.X))

    def frequencies(
        self, order: Ints, best: BestColumns | None = None, products: ReusedProducts | None = None
    ) -> Floats:
        """Return the fraction of the bootstraps in which each column is among the best."""
        codes = self.codes[order]
        counts = self.weights @ (codes[:, None] == np.arange(self.classes))
        rows = contrasts(counts)[:, :, codes] * self.weights[:, None]
        factors = rows.reshape(-1, len(order)).astype(np.float32)
        sums = (products or ReusedProducts()).of("sums", factors, self.X)
        np.square(sums, out=sums)
        scores = _added(sums.reshape(len(counts), self.classes - 1, -1))
        scores *= self._inverse_totals
        chosen = (best or BestColumns(self.listed)).of(scores)
        return np.bincount(chosen.ravel(), minlength=self.X.shape[1]) / len(counts)

    def _largest_frequencies(self, orders: Ints) -> Floats:
        best, products = BestColumns(self.listed), ReusedProducts()
        return np.array([self.frequencies(order, best, products).max() for order in orders])


def contrasts(counts: Ints | Floats) -> Floats:
    """Return contrasts between classes, whose squared sums add up to the variance between them.

    Parameters
    ----------
    counts : ndarray, shape (…, classes)
        Rows of each class; classes without rows take no part.

    Returns
    -------
    ndarray, shape (…, classes - 1, classes)
        By class, the factor of its rows.
    """
    size = np.sqrt(np.asarray(counts, dtype=np.float64))
    direction = size / np.sqrt(np.maximum(np.square(size).sum(axis=-1, keepdims=True), 1e-300))
    # A reflection that takes the first axis to the mean takes the other axes to the contrasts.
    mirror = direction.copy()
    mirror[..., 0] -= 1.0
    length = np.square(mirror).sum(axis=-1)[..., None, None]
    basis = np.eye(size.shape[-1]) - mirror[..., :, None] * mirror[..., None, :] * np.divide(
        2.0, length, out=np.zeros_like(length), where=length > 1e-30
    )
    inverse = np.divide(1.0, size, out=np.zeros_like(size), where=size > 0)
    factors: Floats = basis[..., 1:, :] * inverse[..., None, :]
    return factors


def _added(parts: Singles) -> Singles:
    """Return the sum over the last axis but one."""
    return parts[..., 0, :] if parts.shape[-2] == 1 else parts.sum(axis=-2)


def balanced_accuracy(right: Floats | np.typing.NDArray[np.bool_], codes: Ints) -> Floats:
    """Return the mean over the classes of the fraction of rows predicted correctly.

    Parameters
    ----------
    right : ndarray, shape (…, n)
        Whether each row is predicted correctly.
    codes : ndarray of int, shape (n,)
    """
    counts = np.bincount(codes)
    present = np.flatnonzero(counts)
    weight = 1.0 / (counts[codes] * len(present))
    result: Floats = right @ weight
    return result
