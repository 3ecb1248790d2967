"""Confidences that are closer to probabilities."""

from __future__ import annotations

import numpy as np

from fsops.algorithms.base.types import Bools, Floats

SMALLEST = 1e-30
"""Confidences are kept so far from 0 and 1."""


def log_odds(confidence: Floats) -> Floats:
    """Return log((1 − c) / c): above 0 where the other class is more likely."""
    low = np.clip(confidence, SMALLEST, None)
    high = np.clip(1.0 - confidence, SMALLEST, None)
    found: Floats = np.log(high) - np.log(low)
    return found


def platt_parameters(confidence: Floats, positive: Bools) -> tuple[float, float]:
    """Return A and B of Platt's sigmoid, p = 1 / (1 + exp(A f + B)), with f the log odds.

    They minimize the cross-entropy with the targets (P + 1)/(P + 2) and 1/(N + 2), where P and N
    are the numbers of positive and negative rows. If the fit fails, 1 and 0: no change.

    References
    ----------
    Platt (1999): Probabilistic outputs for support vector machines. Advances in Large Margin
    Classifiers, 61–74.
    """
    from scipy.optimize import minimize

    p, n = int(positive.sum()), int((~positive).sum())
    f = log_odds(confidence)
    target = np.where(positive, (p + 1.0) / (p + 2.0), 1.0 / (n + 2.0))

    def loss(ab: Floats) -> tuple[float, Floats]:
        score = ab[0] * f + ab[1]
        # log(1 + exp(s)) − (1 − t) s, whose derivative is t − 1/(1 + exp(s)).
        value = np.logaddexp(0.0, score) - (1.0 - target) * score
        error = target - np.exp(-np.logaddexp(0.0, score))
        return float(value.sum()), np.array([(error * f).sum(), error.sum()])

    start = np.array([0.0, np.log((n + 1.0) / (p + 1.0))])
    found = minimize(loss, start, jac=True, method="BFGS", options={"gtol": 1e-9, "maxiter": 1000})
    if not np.isfinite(found.x).all():
        return 1.0, 0.0
    return float(found.x[0]), float(found.x[1])


def platt_scaled(confidence: Floats, parameters: tuple[float, float]) -> Floats:
    """Return the probabilities that Platt's sigmoid gives to confidences."""
    score = parameters[0] * log_odds(confidence) + parameters[1]
    scaled: Floats = np.exp(-np.logaddexp(0.0, score))
    return scaled
