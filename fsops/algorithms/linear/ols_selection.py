"""Selections inside of a least-squares fit, as RapidMiner's Linear Regression makes them.

References
----------
- Wang, Witten (1997): Induction of model trees for predicting continuous classes (M5').
- Draper, Smith (1998): Applied Regression Analysis, chapter 15.
"""

from __future__ import annotations

import numpy as np

from fsops.algorithms.base.types import Bools, Floats

RIDGE = 1e-8
"""Added to the diagonal of the correlations, so that dependent features have a solution."""


def independent_features(X: Floats, least_tolerance: float = 0.05) -> Bools:
    """Features that are left when collinear ones are removed, the most dependent one first.

    The tolerance of a feature is 1 - R² of its fit by the other features. Constant features are
    removed, too. If tolerances are equal, the last feature is removed.
    """
    used: Bools = np.ptp(X, axis=0) > 0
    places = np.flatnonzero(used)
    standard = X[:, places] - X[:, places].mean(axis=0)
    standard /= np.sqrt((standard**2).sum(axis=0))
    inverse = np.linalg.inv(standard.T @ standard + RIDGE * np.eye(len(places)))
    while len(places):
        tolerance = 1.0 / np.diagonal(inverse)
        worst = len(tolerance) - 1 - int(tolerance[::-1].argmin())
        if tolerance[worst] >= least_tolerance:
            break
        inverse = inverse - np.outer(inverse[:, worst], inverse[worst]) / inverse[worst, worst]
        inverse = np.delete(np.delete(inverse, worst, axis=0), worst, axis=1)
        used[places[worst]] = False
        places = np.delete(places, worst)
    return used


def m5_prime(X: Floats, y: Floats, used: Bools, considered: int) -> Bools:
    """Remove features with small standardized coefficients while Akaike's criterion falls.

    As in RapidMiner, the coefficients are those of the fit on all used features. They are not
    computed again, and the first of them belong to the features that are left. The criterion
    counts the ``considered`` features, those before collinear ones were removed.
    """
    used = used.copy()
    n, count = len(X), considered + 1
    coefficients, error = _fit(X[:, used], y)
    whole, akaike = error, float(n - count + 2 * count)
    spread = X.std(axis=0)
    left = count
    while used.any() and whole > 0:
        left -= 1
        places = np.flatnonzero(used)
        smallest = np.abs(coefficients[: len(places)] * spread[places]).argmin()
        used[places[smallest]] = False
        _, error = _fit(X[:, used], y)
        found = error / whole * (n - count) + 2 * left
        if not found < akaike:
            used[places[smallest]] = True
            break
        akaike = found
    return used


def t_test(X: Floats, y: Floats, used: Bools, alpha: float = 0.05) -> Bools:
    """Keep the features whose coefficient differs from 0 at a level, all tested in one fit."""
    from scipy.special import betainc

    used = used.copy()
    places = np.flatnonzero(used)
    freedom = len(X) - len(places) - 1
    if freedom <= 0 or not len(places):
        return np.zeros_like(used)
    coefficients, error = _fit(X[:, places], y)
    centred = X[:, places] - X[:, places].mean(axis=0)
    scale = np.sqrt((centred**2).sum(axis=0))
    centred /= scale
    inverse = np.linalg.inv(centred.T @ centred + RIDGE * np.eye(len(places)))
    variance = np.diagonal(inverse) / scale**2 * error / freedom
    with np.errstate(divide="ignore", invalid="ignore"):
        squared_t = coefficients**2 / variance
    p = betainc(freedom / 2, 0.5, freedom / (freedom + np.nan_to_num(squared_t)))
    used[places[p > alpha]] = False
    return used


def _fit(X: Floats, y: Floats) -> tuple[Floats, float]:
    """Coefficients of the features and the squared error of a fit with a constant."""
    centred, target = X - X.mean(axis=0), y - y.mean()
    scale = np.sqrt((centred**2).sum(axis=0))
    scale[scale == 0] = 1.0
    found = np.linalg.lstsq(centred / scale, target, rcond=None)[0]
    return found / scale, float(((target - centred / scale @ found) ** 2).sum())
