"""The fast study of permuted numbers against a plain one."""

import numpy as np
import pytest

from fsops.algorithms.base import resampling
from fsops.algorithms.chance.columns import standardized
from fsops.algorithms.chance.numbers import NumberStudy
from fsops.algorithms.chance.orders import label_orders, unit_folds
from fsops.algorithms.chance.outcomes import usable_sizes


@pytest.fixture
def made():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(35, 24))
    X[:, 3] = 7.0
    y = X[:, 0] + rng.exponential(size=35)
    y = (y - y.mean()) / y.std()
    folds = unit_folds(None, 35, 7, rng)
    weights = resampling.row_counts(resampling.bootstrap(35, 9, rng), 35)
    study = NumberStudy(standardized(X), y, folds, usable_sizes(24), weights, 4)
    return X, study, label_orders(y, 6, rng).rows


def correlations(X, y):
    varies = np.ptp(X, axis=0) > 0
    found = np.zeros(X.shape[1])
    found[varies] = [np.corrcoef(column, y)[0, 1] for column in X[:, varies].T]
    return found


def test_q2_error_and_strength_are_those_of_a_plain_study(made):
    X, study, orders = made
    Z = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
    found = study.outcomes(orders, frequencies=False)
    for number, order in enumerate(orders):
        y, folds = study.values[order], study.folds[order]
        press, reference = np.zeros(len(study.sizes)), 0.0
        for fold in range(7):
            train = folds != fold
            r = correlations(Z[train], y[train])
            ranking = np.argsort(-np.abs(r), kind="stable")
            reference += ((y[~train] - y[train].mean()) ** 2).sum()
            for place, k in enumerate(study.sizes):
                added = Z[:, ranking[:k]] @ np.sign(r[ranking[:k]])
                slope, start = np.polyfit(added[train], y[train], 1)
                press[place] += ((y[~train] - start - slope * added[~train]) ** 2).sum()
        np.testing.assert_allclose(found.score[number], 1 - press / reference, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(found.error[number], np.sqrt(press / 35), rtol=1e-4)
        assert found.largest[number] == pytest.approx((correlations(X, y) ** 2).max(), rel=1e-4)


def test_frequencies_are_those_of_a_plain_bootstrap(made):
    X, study, orders = made
    rows = [np.repeat(np.arange(35), w.astype(int)) for w in study.weights]
    for order in orders[:3]:
        y = study.values[order]
        times = np.zeros(24)
        for drawn in rows:
            r = np.abs(correlations(X[drawn], y[drawn]))
            times[np.argsort(-r, kind="stable")[:4]] += 1
        np.testing.assert_allclose(study.frequencies(order), times / 9)
