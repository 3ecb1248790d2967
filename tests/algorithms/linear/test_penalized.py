"""LASSO and elastic net at their exact optimum, from rows and from products."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csc_array

from fsops.algorithms.linear.penalized import (
    Penalty,
    TooManyColumns,
    estimator_of,
    from_products,
    optimum,
    settle,
)


def problem(n=40, p=12, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * np.exp(rng.normal(size=p)) + rng.normal(scale=5, size=p)
    y = X[:, :3] @ [1.0, -2.0, 0.5] + rng.normal(size=n) + 7.0
    return X, y


def by_minimisation(X, y, penalty, w):
    """Return the optimum from a smooth problem: coefficients are differences of two positives."""
    X, y = X - w @ X, y - w @ y
    p = X.shape[1]

    def loss(parts):
        b = parts[:p] - parts[p:]
        r = y - X @ b
        gradient = -X.T @ (w * r) + penalty.l2 * b
        value = 0.5 * w @ r**2 + penalty.l1 * parts.sum() + 0.5 * penalty.l2 * b @ b
        return value, np.concatenate([gradient + penalty.l1, penalty.l1 - gradient])

    found = minimize(
        loss, np.zeros(2 * p), jac=True, bounds=[(0, None)] * (2 * p), method="L-BFGS-B",
        options={"ftol": 1e-16, "gtol": 1e-12, "maxiter": 50_000, "maxfun": 100_000},
    )  # fmt: skip
    return found.x[:p] - found.x[p:]


@pytest.mark.parametrize("penalty", [Penalty(0.3), Penalty(0.1, 0.4), Penalty(3.0)])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_optimum_is_that_of_a_general_minimiser(penalty, weighted):
    X, y = problem()
    weights = np.random.default_rng(1).integers(1, 4, len(y)).astype(float) if weighted else None
    estimator = estimator_of(penalty, max_iter=10_000).fit(X, y, weights)
    near = estimator.coef_.copy()
    settle(estimator, X, y, penalty, weights)
    w = np.full(len(y), 1 / len(y)) if weights is None else weights / weights.sum()
    expected = by_minimisation(X, y, penalty, w)
    assert estimator.coef_ == pytest.approx(expected, abs=2e-6)
    assert np.array_equal(estimator.coef_ != 0, np.abs(expected) > 1e-5)
    assert estimator.coef_ == pytest.approx(near, abs=0.05)
    # The fit has no bias: the weighted residuals add up to 0.
    assert w @ (y - estimator.predict(X)) == pytest.approx(0, abs=1e-10)


@pytest.mark.parametrize("penalty", [Penalty(0.2), Penalty(0.05, 0.1)])
def test_the_conditions_of_the_optimum_hold_to_the_last_digits(penalty):
    X, y = problem(30, 200, seed=3)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    estimator = estimator_of(penalty, max_iter=10_000).fit(X, y)
    settle(estimator, X, y, penalty, None)
    b = estimator.coef_
    gradient = X.T @ (y - estimator.predict(X)) / len(y) - penalty.l2 * b
    used = b != 0
    assert 3 <= used.sum() < 100
    assert gradient[used] == pytest.approx(penalty.l1 * np.sign(b[used]), rel=1e-12)
    assert np.abs(gradient[~used]).max() <= penalty.l1 * (1 + 1e-8)


def test_sparse_rows_have_the_same_optimum():
    X, y = problem(60, 30, seed=5)
    X = np.where(np.random.default_rng(2).random(X.shape) < 0.3, X, 0.0)
    penalty = Penalty(0.2)
    start = estimator_of(penalty, max_iter=10_000, tol=1e-10).fit(X, y).coef_
    dense, sparse = (optimum(rows, y, start, penalty) for rows in (X, csc_array(X)))
    assert dense is not None
    assert sparse == pytest.approx(dense, rel=1e-12, abs=1e-14)


def test_a_wrong_support_is_noticed():
    X, y = problem()
    penalty = Penalty(0.3)
    right = estimator_of(penalty, tol=1e-10).fit(X, y).coef_
    assert optimum(X, y, right, penalty) is not None
    assert optimum(X, y, -right, penalty) is None
    too_few = right.copy()
    too_few[np.flatnonzero(right)[0]] = 0.0
    assert optimum(X, y, too_few, penalty) is None
    assert optimum(X, y, np.zeros_like(right), penalty) is None
    twice = np.hstack([X, X[:, :1]])
    same = np.append(right, right[0])
    assert optimum(twice, y, same, penalty) is None  # the solution is not unique


def test_a_fit_that_was_stopped_stays_as_it_is():
    X, y = problem()
    with pytest.warns(Warning, match="converge"):
        estimator = estimator_of(Penalty(0.01), max_iter=1).fit(X, y)
    stopped = estimator.coef_.copy()
    settle(estimator, X, y, Penalty(0.01), None)
    assert np.array_equal(estimator.coef_, stopped)


def products_of(X, y):
    """Return the target, and a function that fetches products and counts its calls."""
    centred, calls = X - X.mean(axis=0), []

    def fetch(chosen):
        calls.append(len(chosen))
        return centred.T @ centred[:, chosen] / len(X)

    return centred.T @ (y - y.mean()) / len(X), fetch, calls


@pytest.mark.parametrize("penalty", [Penalty(0.15), Penalty(0.02), Penalty(0.05, 0.1)])
@pytest.mark.parametrize("shape", [(50, 400), (300, 40), (40, 3)])
def test_products_give_the_optimum_of_the_rows(penalty, shape):
    X, y = problem(*shape, seed=7)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    target, fetch, calls = products_of(X, y)
    found = from_products(target, fetch, penalty, most=10_000)
    estimator = estimator_of(penalty, max_iter=100_000).fit(X, y)
    settle(estimator, X, y, penalty, None)
    assert found == pytest.approx(estimator.coef_, rel=1e-10, abs=1e-12)
    assert np.array_equal(found != 0, estimator.coef_ != 0)
    assert sum(calls) <= X.shape[1]


def test_copies_and_constants_do_no_harm():
    X, y = problem(80, 10, seed=9)
    X = np.hstack([X, X[:, :2], np.zeros((80, 1))])
    target, fetch, _ = products_of(X, y)
    found = from_products(target, fetch, Penalty(0.2), most=1000)
    expected = estimator_of(Penalty(0.2), max_iter=100_000, tol=1e-12).fit(X, y)
    fit = (X - X.mean(axis=0)) @ found
    assert fit == pytest.approx(expected.predict(X) - y.mean(), abs=1e-6)


def test_a_small_penalty_does_not_fill_the_memory():
    X, y = problem(100, 300)
    target, fetch, _ = products_of(X, y)
    with pytest.raises(TooManyColumns):
        from_products(target, fetch, Penalty(1e-6), most=50)


def test_a_penalty_that_is_too_large_leaves_nothing():
    X, y = problem()
    target, fetch, calls = products_of(X, y)
    assert not from_products(target, fetch, Penalty(1e6), most=1).any()
    assert calls == []
