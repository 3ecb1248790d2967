"""Nearest shrunken centroids: class means pulled to the overall mean until few features differ.

The difference of a class mean from the overall mean, in units of its standard error, is

    d_kj = (mean_kj - mean_j) / (m_k (s_j + s_0)),    m_k = sqrt(1 / n_k - 1 / n),

with the pooled standard deviation s_j within the classes and its median s_0. All differences move
towards 0 by a threshold; a feature whose differences are all 0 has no influence any more. With row
weights, the means are weighted, and n_k and n are sums of weights.

References
----------
Tibshirani, Hastie, Narasimhan & Chu (2002), Diagnosis of multiple cancer types by shrunken
centroids of gene expression, PNAS 99; (2003), Class prediction by nearest shrunken centroids,
with applications to DNA microarrays, Statistical Science 18.
"""

from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base.types import (
    Floats,
    Ints,
    Numbers,
    as_classes,
    as_matrix,
    as_row_weights,
)


@dataclass(frozen=True, slots=True, eq=False)
class Centroids:
    """Class means as differences from the overall mean, and their scales.

    Attributes
    ----------
    overall
        Mean of all rows, (p,).
    differences
        d_kj, (classes, p).
    errors
        m_k, (classes,).
    scale
        s_j + s_0, (p,).
    priors
        Fractions of the classes, (classes,).
    """

    overall: Floats
    differences: Floats
    errors: Floats
    scale: Floats
    priors: Floats

    @classmethod
    def of(
        cls,
        X: Numbers,
        codes: Numbers,
        *,
        weights: Floats | None = None,
        equal_priors: bool = False,
    ) -> "Centroids":
        """Compute them from complete rows; codes are 0, 1, ... and each of them occurs."""
        X = np.asarray(as_matrix(X), dtype=np.float64)
        classes = as_classes(codes, len(X))
        counts = np.bincount(classes, weights)
        n = len(X) if weights is None else float(counts.sum())
        if counts.size < 2 or not counts.all():
            raise ValueError("Centroids need two classes, all with rows.")
        if n <= counts.size and weights is None:
            raise ValueError("Centroids need more rows than classes.")
        if n <= counts.size:
            raise ValueError(
                f"The row weights add up to {n:.4g}, which must be more than {counts.size} classes."
            )
        member = (classes == np.arange(counts.size)[:, None]) / counts[:, None]
        if weights is not None:
            member *= weights
        centre = X[0]  # differences of large numbers lose digits, those from a row do not
        means = member @ (X - centre)
        overall = counts @ means / n
        squares = (X - centre - means[classes]) ** 2
        spread = squares.sum(axis=0) if weights is None else weights @ squares
        deviation = np.sqrt(spread / (n - counts.size))
        # Rounding leaves a trace of a deviation where all values of a class are equal.
        size = np.abs(X).max(axis=0, initial=0.0)
        deviation = np.where(deviation <= 1e-13 * size, 0.0, deviation)
        scale = deviation + _offset(deviation)
        errors = np.sqrt(1.0 / counts - 1.0 / n)
        gap = means - overall
        gap = np.where(np.abs(gap) <= 1e-13 * size, 0.0, gap)
        differences = gap / (errors[:, None] * scale)
        priors = np.full(counts.size, 1.0 / counts.size) if equal_priors else counts / n
        return cls(overall + centre, differences, errors, scale, priors)

    def shrunken(self, threshold: float) -> Floats:
        """Differences moved towards 0 by a threshold, (classes, p)."""
        size = np.maximum(np.abs(self.differences) - threshold, 0.0)
        found: Floats = np.copysign(size, self.differences) + 0.0  # no negative zeros
        return found

    def predict(self, X: Numbers, thresholds: Floats) -> Ints:
        """Class of each row for each threshold, (thresholds, rows); of equals the first."""
        scaled = (np.asarray(X, dtype=np.float64) - self.overall) / self.scale
        bonus = 2.0 * np.log(self.priors)
        found = np.empty((len(thresholds), len(scaled)), dtype=np.intp)
        for place, threshold in enumerate(thresholds):
            centroids = self.errors[:, None] * self.shrunken(threshold)
            # Squares of the rows are the same for all classes.
            score = 2.0 * scaled @ centroids.T - (centroids**2).sum(axis=1) + bonus
            best = score.max(axis=1, keepdims=True)
            found[place] = np.argmax(score >= best - 1e-12 * np.maximum(1.0, np.abs(best)), axis=1)
        return found


def _offset(deviation: Floats) -> float:
    """Median of the deviations; of those above 0 if most are 0."""
    middle = float(np.median(deviation)) if deviation.size else 0.0
    if middle > 0:
        return middle
    some = deviation[deviation > 0]
    if not some.size:
        raise ValueError("No feature varies within the classes.")
    return float(np.median(some))


@dataclass(frozen=True, slots=True, eq=False)
class ShrinkagePath:
    """Errors of a cross-validation for each threshold.

    Attributes
    ----------
    thresholds
        From 0, where all features count, to the first that leaves none, (t,).
    features
        Features that differ between classes on all rows, (t,).
    errors
        Error rate of each fold, (t, folds).
    centroids
        Of all rows.
    """

    thresholds: Floats
    features: Ints
    errors: Floats
    centroids: Centroids


def shrinkage_path(
    X: Numbers,
    codes: Numbers,
    part: Ints,
    *,
    weights: Numbers | None = None,
    steps: int = 30,
    equal_priors: bool = False,
) -> ShrinkagePath:
    """Cross-validate the thresholds; each fold computes its centroids from its training rows.

    Parameters
    ----------
    X, codes
        Complete rows and their classes.
    part
        Fold of each row.
    weights
        How often each row counts, above 0; also in the error rates of the folds.
    steps
        Number of thresholds, equally spaced up to the largest difference.
    equal_priors
        Whether all classes are equally likely before looking at a row.
    """
    X, codes = np.asarray(X, dtype=np.float64), np.asarray(codes)
    times = None if weights is None else as_row_weights(weights, len(X))
    whole = Centroids.of(X, codes, weights=times, equal_priors=equal_priors)
    largest = np.abs(whole.differences).max(axis=0, initial=0.0)
    thresholds = np.linspace(0.0, largest.max(initial=0.0), steps)
    errors = np.empty((steps, int(part.max()) + 1))
    for fold in range(errors.shape[1]):
        test = part == fold
        present, training = np.unique(codes[~test], return_inverse=True)
        own = None if times is None else times[~test]
        fitted = Centroids.of(X[~test], training, weights=own, equal_priors=equal_priors)
        wrong = present[fitted.predict(X[test], thresholds)] != codes[test]
        errors[:, fold] = np.average(wrong, axis=1, weights=None if times is None else times[test])
    features = (largest > thresholds[:, None] * (1 + 1e-12)).sum(axis=1)
    return ShrinkagePath(thresholds, features, errors, whole)
