"""Linear models with few coefficients for a path of penalties, cross-validated.

The elastic net minimizes 1 / (2n) |y - X b|² + alpha (r |b|_1 + (1 - r) / 2 |b|²) on standardized
features and a label of deviation 1, as glmnet does. The adaptive lasso divides the penalty of each
coefficient by the size of a first estimate, so that large coefficients are hardly shrunken and
small ones drop out: it is the same path on features multiplied by that size. Row weights w count
rows: means and deviations are weighted, and the loss is 1 / (2 sum w) of the sum of w (y - X b)².

References
----------
Zou & Hastie (2005), Regularization and variable selection via the elastic net, JRSS B 67;
Friedman, Hastie & Tibshirani (2010), Regularization paths for generalized linear models via
coordinate descent, Journal of Statistical Software 33;
Zou (2006), The adaptive lasso and its oracle properties, JASA 101.
"""

from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base.types import (
    Floats,
    Ints,
    Numbers,
    as_matrix,
    as_row_weights,
    as_target,
)

STEPS = 100
TOLERANCE = 1e-7
CONSTANT = 1e-12
"""Of the largest value: smaller deviations are rounding."""
RIDGES = np.logspace(-4, 4, 25)


@dataclass(frozen=True, slots=True, eq=False)
class PenaltyPath:
    """Coefficients and errors for each penalty, from the strongest down.

    Attributes
    ----------
    penalties
        alpha for a label of deviation 1, falling, (t,).
    coefficients
        On all rows, of the standardized features, in the unit of the label, (p, t).
    features
        Number of coefficients that are not 0, (t,).
    errors
        Mean squared error on the test rows of each fold, (t, folds).
    """

    penalties: Floats
    coefficients: Floats
    features: Ints
    errors: Floats


def penalty_path(
    X: Numbers,
    y: Numbers,
    part: Ints,
    *,
    weights: Numbers | None = None,
    l1_ratio: float = 1.0,
    adaptive: float = 0.0,
    steps: int = STEPS,
) -> PenaltyPath:
    """Compute the path on all rows, and its errors by cross-validation.

    Features are standardized, and the first estimate of the adaptive penalties is made, on the
    training rows of each fold.

    Parameters
    ----------
    X, y
        Complete features and a label of numbers.
    part
        Fold of each row.
    weights
        How often each row counts, above 0; also in the errors of the folds.
    l1_ratio
        1 for the lasso, below 1 for an elastic net; above 0.
    adaptive
        Power of the first estimate in the penalties; 0 for equal penalties.
    steps
        Number of penalties, equally spaced in their logarithms down to 0.001 (with more features
        than rows 0.01) of the smallest that sets all coefficients to 0.
    """
    X, y = np.asarray(as_matrix(X), dtype=np.float64), as_target(y, len(X))
    if not 0 < l1_ratio <= 1:
        raise ValueError(f"l1_ratio must be above 0 and at most 1, got {l1_ratio}.")
    if adaptive < 0:
        raise ValueError(f"adaptive must not be negative, got {adaptive}.")
    times = None if weights is None else as_row_weights(weights, len(X))
    whole = Standardized.of(X, y, adaptive, weights=times)
    n, p = X.shape
    # The label is measured in its deviation, so that penalties and tolerances suit any unit.
    largest = float(np.abs(whole.X.T @ whole.y).max(initial=0.0)) / n / l1_ratio
    lowest = 1e-3 if number_of_rows(n, times) > p else 1e-2
    penalties = max(largest, 1e-12) * np.logspace(0, np.log10(lowest), steps)
    coefficients = whole.coefficients(penalties, l1_ratio)
    errors = np.empty((steps, int(part.max()) + 1))
    for fold in range(errors.shape[1]):
        test = part == fold
        own = None if times is None else times[~test]
        training = Standardized.of(X[~test], y[~test], adaptive, whole.unit, own)
        found = training.coefficients(penalties, l1_ratio)
        missed = y[test][:, None] - training.predicted(X[test], found)
        errors[:, fold] = np.average(
            missed**2, axis=0, weights=None if times is None else times[test]
        )
    features = np.count_nonzero(coefficients, axis=0)
    return PenaltyPath(penalties, coefficients * whole.unit, features, errors)


def number_of_rows(rows: int, weights: Floats | None) -> float:
    """Number of rows, or the sum of their weights."""
    return rows if weights is None else float(weights.sum())


@dataclass(frozen=True, slots=True, eq=False)
class Standardized:
    """Training rows with mean 0 and deviation 1, times the sizes of the first estimate.

    The label is in units of its deviation, or of another one. With row weights, features and label
    of each row are multiplied by the root of its weight relative to the mean weight.
    """

    X: Floats
    y: Floats
    centre: Floats
    scale: Floats
    factors: Floats
    mean: float
    unit: float

    @classmethod
    def of(
        cls,
        X: Floats,
        y: Floats,
        adaptive: float = 0.0,
        unit: float | None = None,
        weights: Floats | None = None,
    ) -> "Standardized":
        """Return the rows as a method of this module needs them."""
        if weights is not None:
            return cls._weighted(X, y, adaptive, unit, weights)
        centre = X.mean(axis=0)
        centred = X - centre
        scale = centred.std(axis=0)
        constant = scale <= CONSTANT * np.abs(X).max(axis=0, initial=0.0)
        scale = np.where(constant, np.inf, scale)
        standard = centred / scale
        unit = (float(y.std()) or 1.0) if unit is None else unit
        label = (y - y.mean()) / unit
        factors = np.ones(X.shape[1])
        if adaptive:
            factors = np.abs(_first_estimate(standard, label, len(X))) ** adaptive
        return cls(
            np.asfortranarray(standard * factors),
            label,
            centre,
            scale,
            factors,
            float(y.mean()),
            unit,
        )

    @classmethod
    def _weighted(
        cls, X: Floats, y: Floats, adaptive: float, unit: float | None, weights: Floats
    ) -> "Standardized":
        fractions = weights / weights.sum()
        centre, mean = fractions @ X, float(fractions @ y)
        centred, label = X - centre, y - mean
        # The mean of rounded products leaves a trace in a constant label.
        if np.abs(label).max(initial=0.0) <= CONSTANT * np.abs(y).max(initial=0.0):
            label = np.zeros_like(label)
        scale = np.sqrt(fractions @ (centred - fractions @ centred) ** 2)
        constant = scale <= CONSTANT * np.abs(X).max(axis=0, initial=0.0)
        scale = np.where(constant, np.inf, scale)
        unit = (float(np.sqrt(fractions @ label**2)) or 1.0) if unit is None else unit
        roots = np.sqrt(fractions * len(X))
        standard, label = centred / scale * roots[:, None], label / unit * roots
        factors = np.ones(X.shape[1])
        if adaptive:
            factors = np.abs(_first_estimate(standard, label, float(weights.sum()))) ** adaptive
        return cls(np.asfortranarray(standard * factors), label, centre, scale, factors, mean, unit)

    def coefficients(self, penalties: Floats, l1_ratio: float) -> Floats:
        """Coefficients of the standardized features, in units of the label's deviation."""
        from sklearn.linear_model import enet_path

        found = enet_path(
            self.X,
            self.y,
            l1_ratio=l1_ratio,
            alphas=penalties,
            tol=TOLERANCE,
            max_iter=100_000,
            check_input=False,
            precompute=False,
            random_state=0,  # not used, but otherwise global random numbers are drawn
        )[1]
        result: Floats = found * self.factors[:, None]
        return result

    def predicted(self, X: Floats, coefficients: Floats) -> Floats:
        """Label of other rows, (rows, penalties)."""
        standard = (X - self.centre) / self.scale
        result: Floats = self.mean + self.unit * (standard @ coefficients)
        return result


def _first_estimate(X: Floats, y: Floats, n: float) -> Floats:
    """Ridge regression whose penalty has the smallest generalized cross-validation error.

    It works with as many values of one decomposition as there are rows, for any number of
    features. ``n`` is the number of rows, or the sum of their weights.
    """
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    keep = s > 1e-10 * s.max(initial=1e-300)
    U, s, Vt = U[:, keep], s[keep], Vt[keep]
    if not s.size:
        return np.zeros(X.shape[1])
    along = U.T @ y
    shrink = s**2 / (s**2 + RIDGES[:, None] * (s**2).mean())  # (penalties, values)
    rest = float(y @ y - along @ along)
    squares = rest + (((1 - shrink) * along) ** 2).sum(axis=1)
    freedom = np.maximum(n - 1 - shrink.sum(axis=1), 1e-3)
    best = int(np.argmin(squares / freedom**2))
    estimate: Floats = Vt.T @ (shrink[best] * along / s)
    return estimate
