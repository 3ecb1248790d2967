"""The machine of the challenge entry, against worked numbers and other solvers."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.svm import SVC

from fsops.algorithms.base.resampling import partition
from fsops.algorithms.kernel import filter_svm
from fsops.algorithms.kernel.filter_svm import (
    choose_cost,
    class_ridge,
    fit,
    gram,
    squared_distances,
    width,
)


def clouds(n=40, p=5, seed=0, noise=0.8, border=0.8):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    return X, X[:, 0] + noise * rng.standard_normal(n) > border


def alphas(machine, n):
    values = np.zeros(n)
    values[machine.support] = np.abs(machine.dual)
    return values


def test_width_of_the_worked_example():
    X = np.array([[0.0, 0], [1, 0], [0, 2], [4, 0]])
    assert width(X, np.array([True, True, False, False])) == pytest.approx(2.3090170, abs=5e-8)


def test_width_is_the_mean_distance_to_the_nearest_of_the_other_class():
    X, positive = clouds(60, 4)
    nearest = [
        min(np.linalg.norm(x - z) for z in X[positive != side])
        for x, side in zip(X, positive, strict=True)
    ]
    assert width(X, positive) == pytest.approx(np.mean(nearest))
    assert width(3 * X + 1, positive) == pytest.approx(3 * np.mean(nearest))


def test_doubles_in_both_classes_fall_back_to_the_median_distance():
    X = np.array([[0.0], [3], [0], [3]])
    assert width(X, np.array([True, True, False, False])) == 3
    with pytest.raises(ValueError, match="All rows are the same"):
        width(np.ones((4, 2)), np.array([True, True, False, False]))
    with pytest.raises(ValueError, match="Both classes need rows"):
        width(X, np.ones(4, dtype=bool))


def test_doubles_are_found_whatever_the_number_of_attributes():
    X = np.random.default_rng(0).normal(size=(30, 7))
    first, second = np.triu_indices(60, 1)
    between = np.linalg.norm(np.r_[X, X][first] - np.r_[X, X][second], axis=1)
    assert width(np.r_[X, X], np.arange(60) < 30) == pytest.approx(np.median(between))


def test_an_offset_does_not_change_the_width():
    X, positive = clouds(30, 3)
    assert width(X + 1e8, positive) == pytest.approx(width(X, positive), rel=1e-6)


def test_distances_are_never_negative():
    X = 1e8 + np.random.default_rng(0).normal(size=(30, 3))
    assert (squared_distances(X, X) >= 0).all()


def test_gaussian_kernel():
    K = gram(np.array([[0.0, 0]]), np.array([[0.0, 0], [3, 4]]), "gaussian", 5.0)
    assert pytest.approx(np.array([[1, np.exp(-0.5)]])) == K


def test_hard_margin_of_the_worked_example():
    X, positive = np.array([[0.0], [1], [3], [4]]), np.array([False, False, True, True])
    machine = fit(X @ X.T, positive, tol=1e-8)
    assert machine.separable
    assert machine.C == 100
    assert machine.support.tolist() == [1, 2]
    assert machine.dual == pytest.approx([-0.5, 0.5])
    assert machine.bias == pytest.approx(-2)
    soft = fit(X @ X.T, positive, C=0.1, tol=1e-8)
    assert not soft.separable
    assert len(soft.support) == 4
    assert X[:, 0] @ (alphas(soft, 4) * [-1, -1, 1, 1]) == pytest.approx(0.5)
    assert soft.bias == pytest.approx(-1)


def test_ridge_of_the_worked_example(monkeypatch):
    K = np.array([[1.0, -1], [-1, 1]])
    monkeypatch.setattr(filter_svm, "class_ridge", lambda positive: np.array([0.25, 0.75]))
    machine = fit(K, np.array([True, False]), ridge=True, tol=1e-10)
    assert dict(zip(machine.support, machine.dual, strict=True)) == pytest.approx({0: 0.4, 1: -0.4})
    assert machine.bias == pytest.approx(0.1)
    decision = machine.decide(K[:, machine.support])
    assert 1 - decision * [1, -1] == pytest.approx([0.1, 0.3])  # the slacks


def test_ridge_is_the_share_of_the_own_class():
    assert class_ridge(np.array([True, False, False, False])) == pytest.approx([0.25] + [0.75] * 3)


def test_ridge_is_the_primal_with_squared_errors():
    X, positive = clouds()
    y, r = np.where(positive, 1.0, -1.0), class_ridge(positive)
    machine = fit(X @ X.T, positive, ridge=True, tol=1e-9)
    w = X[machine.support].T @ machine.dual

    def loss(t):
        short = np.maximum(0, 1 - y * (X @ t[:5] + t[5]))
        slope = -short * y / r
        value = 0.5 * t[:5] @ t[:5] + (short**2 / (2 * r)).sum()
        return value, np.r_[t[:5] + X.T @ slope, slope.sum()]

    options = {"ftol": 1e-15, "gtol": 1e-12}
    primal = minimize(loss, np.zeros(6), jac=True, method="L-BFGS-B", options=options).x
    assert w == pytest.approx(primal[:5], abs=1e-5)
    assert machine.bias == pytest.approx(primal[5], abs=1e-5)
    slack = np.maximum(0, 1 - y * (X @ w + machine.bias))
    assert slack == pytest.approx(r * alphas(machine, 40), abs=1e-4)


def test_cost_grows_until_no_multiplier_reaches_it():
    # Two rows 0.02 apart: the multipliers are 2 / 0.02 ** 2 = 5000.
    X, positive = np.array([[0.0], [0.02]]), np.array([False, True])
    machine = fit(X @ X.T, positive, tol=1e-9)
    assert machine.separable
    assert machine.C == 1e4
    assert np.abs(machine.dual) == pytest.approx([5000, 5000])


def test_separated_rows_are_outside_the_margin():
    X, positive = clouds(60, 40, noise=0.0)
    K = X @ X.T
    machine = fit(K, positive, tol=1e-6)
    assert machine.separable
    margins = np.where(positive, 1, -1) * machine.decide(K[:, machine.support])
    assert (margins >= 1 - 1e-3).all()


def test_the_scale_of_the_data_does_not_change_the_border():
    X, positive = clouds(60, 40, noise=0.0)
    decisions = []
    for scale in (1.0, 0.01):
        Z = scale * X
        machine = fit(Z @ Z.T, positive, tol=1e-8)
        decisions.append(machine.decide(Z @ Z[machine.support].T))
    assert decisions[0] == pytest.approx(decisions[1], abs=1e-4)


def test_what_cannot_be_separated_is_told():
    X, positive = np.array([[0.0], [0], [1], [1]]), np.array([True, False, True, False])
    machine = fit(X @ X.T, positive)
    assert not machine.separable
    with pytest.raises(ValueError, match="Both classes need rows"):
        fit(X @ X.T, np.zeros(4, dtype=bool))


def test_soft_margin_is_that_of_libsvm():
    X, positive = clouds(80)
    oracle = SVC(C=0.7, kernel="linear", tol=1e-8).fit(X, positive)
    machine = fit(X @ X.T, positive, C=0.7, tol=1e-8)
    decision = machine.decide(X @ X[machine.support].T)
    assert decision == pytest.approx(oracle.decision_function(X), abs=1e-5)


def test_the_cost_with_the_smallest_error_is_chosen():
    X, positive = clouds(90, noise=0.8, border=0.5)
    K, costs = X @ X.T, [1e-3, 1e-2, 1.0, 10.0]
    rng = np.random.default_rng(5)
    part = partition(90, 6, np.random.default_rng(5), strata=positive.astype(np.intp))
    errors = []
    for C in costs:
        rates = []
        for fold in range(6):
            train, test = part != fold, part == fold
            guess = SVC(C=C, kernel="linear").fit(X[train], positive[train]).predict(X[test])
            wrong = guess != positive[test]
            rates.append(np.mean([wrong[positive[test] == c].mean() for c in (True, False)]))
        errors.append(np.mean(rates))
    assert choose_cost(K, positive, costs, 6, rng) == costs[int(np.argmin(errors))]
    assert errors[0] > min(errors)


def test_folds_that_take_a_whole_class_are_left_out():
    X, _ = clouds(10, 3)
    positive = np.arange(10) == 9
    K = gram(X, X, "linear", 0.0)
    chosen = choose_cost(K, positive, [0.1, 10.0], 10, np.random.default_rng(0))
    assert chosen in (0.1, 10.0)
    with pytest.raises(ValueError, match="Both classes need rows in the training part"):
        choose_cost(K[8:, 8:], positive[8:], [1.0], 2, np.random.default_rng(0))
