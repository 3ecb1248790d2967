"""Selections inside of least squares, against plain fits one attribute at a time."""

import numpy as np
import pytest
from scipy import stats

from fsops.algorithms.linear.ols_selection import independent_features, m5_prime, t_test


def fit(X, y):
    design = np.column_stack([X, np.ones(len(X))])
    found = np.linalg.lstsq(design, y, rcond=None)[0]
    return found[:-1], ((y - design @ found) ** 2).sum()


@pytest.fixture(params=[0, 1, 2, 3])
def table(request):
    rng = np.random.default_rng(request.param)
    X = rng.normal(size=(50, 8)) * [1, 1, 1e3, 1e-3, 1, 1, 1, 1]
    X[:, 6] = X[:, 0] + 0.05 * rng.normal(size=50)
    X[:, 7] = 4.0
    y = 2 * X[:, 0] - X[:, 2] / 1e3 + rng.normal(size=50)
    return X, y


def test_collinear_and_constant_features_go(table):
    X, _ = table
    used = [0, 1, 2, 3, 4, 5, 6]
    while True:
        tolerance = []
        for j in used:
            _, error = fit(X[:, [k for k in used if k != j]], X[:, j])
            tolerance.append(error / ((X[:, j] - X[:, j].mean()) ** 2).sum())
        if min(tolerance) >= 0.05:
            break
        used.pop(int(np.argmin(tolerance)))
    assert np.flatnonzero(independent_features(X)).tolist() == used
    assert len(used) == 6


def test_m5_prime_follows_akaike(table):
    X, y = table
    used = [0, 1, 2, 3, 4, 5, 6]
    full, whole = fit(X[:, used], y)
    considered, akaike, left = 8, 50 - 8 + 2 * 8, 8
    while used:
        left -= 1
        worst = min(range(len(used)), key=lambda i: abs(full[i]) * X[:, used[i]].std())
        trial = used[:worst] + used[worst + 1 :]
        _, error = fit(X[:, trial], y)
        found = error / whole * (50 - considered) + 2 * left
        if found >= akaike:
            break
        used, akaike = trial, found
    mask = np.arange(8) < 7
    assert np.flatnonzero(m5_prime(X, y, mask, 7)).tolist() == used
    assert len(used) < 7


def test_the_t_test_is_that_of_ordinary_least_squares(table):
    X, y = table
    mask = np.arange(8) < 6
    design = np.column_stack([X[:, :6], np.ones(50)])
    coefficients, _, _, _ = np.linalg.lstsq(design, y, rcond=None)
    error = ((y - design @ coefficients) ** 2).sum() / (50 - 7)
    scale = np.abs(design).max(axis=0)
    inverse = np.linalg.inv((design / scale).T @ (design / scale))
    t = coefficients / np.sqrt(np.diagonal(inverse) * error) * scale
    p = 2 * stats.t.sf(np.abs(t[:-1]), 43)
    for alpha in (0.01, 0.05, 0.5):
        assert t_test(X, y, mask, alpha)[:6].tolist() == (p <= alpha).tolist()
    assert not t_test(X[:6], y[:6], mask).any()
