"""Iterative screening."""

import numpy as np
import pytest

from fsops.algorithms.filters import univariate
from fsops.algorithms.linear.screening import iterative_sis


def hidden(n=100, p=300, seed=0):
    """Return Fan & Lv's second example: the fourth feature has no correlation with y alone."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(n, 1))
    X = np.sqrt(0.5) * shared + np.sqrt(0.5) * rng.normal(size=(n, p))
    X[:, 3] = shared[:, 0]  # correlated with all others by the root of 0.5
    y = 5 * X[:, 0] + 5 * X[:, 1] + 5 * X[:, 2] - 15 * np.sqrt(0.5) * X[:, 3]
    return X, y + rng.normal(size=n)


@pytest.mark.parametrize("seed", range(3))
def test_what_matters_only_together_is_found(seed):
    X, y = hidden(seed=seed)
    alone = np.flatnonzero(univariate.sis(X, y).weights)
    assert 3 not in alone
    found = iterative_sis(X, y)
    assert set(range(4)) <= set(found.kept.tolist())
    assert found.rounds[3] > 1


def test_no_more_are_kept_than_asked_for():
    X, y = hidden(n=40, p=80)
    assert len(iterative_sis(X, y, keep=3).kept) <= 3
    assert len(iterative_sis(X, y, keep=5000).kept) <= 38
    assert len(iterative_sis(X, y).kept) <= 40 // np.log(40)


def test_each_feature_is_kept_once():
    X, y = hidden()
    found = iterative_sis(X, y)
    assert len(set(found.kept.tolist())) == len(found.kept) == (found.rounds > 0).sum()
    assert (found.rounds[found.kept] > 0).all()


def test_a_copy_is_not_kept_twice():
    X, y = hidden(p=20)
    X = np.column_stack([X, X[:, 0]])
    kept = iterative_sis(X, y).kept.tolist()
    assert (0 in kept) + (20 in kept) == 1


def test_it_ends_where_nothing_is_left():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 10))
    assert iterative_sis(X, 2 * X[:, 4] + 1).kept.tolist() == [4]
    assert iterative_sis(X, np.ones(30)).kept.tolist() == []
    assert iterative_sis(np.ones((30, 3)), X[:, 0]).kept.tolist() == []


def test_the_order_of_features_does_not_matter():
    X, y = hidden(p=40)
    order = np.random.default_rng(1).permutation(40)
    assert np.array_equal(order[iterative_sis(X[:, order], y).kept], iterative_sis(X, y).kept)


def test_scale_and_shift_do_not_matter():
    X, y = hidden(p=40)
    factors = 10.0 ** np.random.default_rng(1).integers(-3, 4, size=40)
    assert np.array_equal(
        iterative_sis(X * factors + 7, 3 * y - 2).rounds, iterative_sis(X, y).rounds
    )


def test_units_may_be_very_different():
    X, y = hidden(p=40)
    factors = np.array([1, 1e8, 1e-8, 1] * 10)
    assert np.array_equal(iterative_sis(X * factors, y).rounds, iterative_sis(X, y).rounds)
