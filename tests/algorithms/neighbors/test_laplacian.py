"""The Laplacian score against its formulas, with matrices as printed in the paper."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fsops.algorithms.neighbors import laplacian as module
from fsops.algorithms.neighbors.laplacian import laplacian_score


def by_definition(X, k, kind, t=None):
    """He et al. (2005), steps 1 to 4 of section 2.1, with dense matrices and loops."""
    n = len(X)
    d = np.array([[((a - b) ** 2).sum() for b in X] for a in X])
    joined = np.zeros((n, n), bool)
    for i in range(n):
        limit = sorted(np.delete(d[i], i))[k - 1]
        for j in range(n):
            if i != j and d[i, j] <= limit * (1 + 1e-9):
                joined[i, j] = joined[j, i] = True
    t = d[joined].mean() if t is None else t
    S = np.where(joined, np.exp(-d / t) if kind == "heat" else 1.0, 0.0)
    D = np.diag(S.sum(axis=1))
    L, one = D - S, np.ones(n)
    found = []
    for f in X.T:
        g = f - (f @ D @ one) / (one @ D @ one) * one
        found.append((g @ L @ g) / (g @ D @ g) if np.ptp(f) > 0 else np.nan)
    return np.array(found)


def tables():
    rng = np.random.default_rng(1)
    yield rng.normal(size=(25, 6))
    yield rng.integers(0, 3, (25, 3)).astype(float)  # ties, and equal rows
    constant = rng.normal(size=(12, 3))
    constant[:, 1] = 7.0
    yield constant
    yield rng.normal(size=(12, 3)) * 1e9
    yield rng.normal(size=(12, 3)) * 1e-9


@pytest.mark.parametrize("X", list(tables()), ids=["numbers", "ties", "constant", "huge", "tiny"])
@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("kind", ["heat", "equal"])
def test_scores_are_those_of_the_formulas(X, k, kind):
    found = laplacian_score(X, k=k, weights=kind)
    expected = by_definition(X, k, kind)
    np.testing.assert_allclose(found.statistic, expected, rtol=1e-9, atol=1e-10)
    assert found.undefined.tolist() == np.isnan(expected).tolist()
    np.testing.assert_allclose(found.weights, np.nan_to_num(np.maximum(1 - expected, 0)), atol=1e-9)


def test_a_given_bandwidth_is_used():
    X = np.random.default_rng(2).normal(size=(15, 4)) * 100
    found = laplacian_score(X, k=3, bandwidth=2e4).statistic
    np.testing.assert_allclose(found, by_definition(X, 3, "heat", 2e4), rtol=1e-9)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_the_order_of_rows_and_the_unit_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    X, order = rng.integers(0, 5, (14, 4)).astype(float), rng.permutation(14)
    one, other = laplacian_score(X), laplacian_score(X[order] * 8.0 + 16.0)
    np.testing.assert_allclose(other.statistic, one.statistic, rtol=1e-9, atol=1e-12)


def test_parts_of_the_distances_give_the_same_scores(monkeypatch):
    X = np.random.default_rng(3).normal(size=(20, 5))
    whole = laplacian_score(X).statistic
    parts = [np.arange(20)[i : i + 6] for i in range(0, 20, 6)]
    monkeypatch.setattr(module, "batches", lambda rows, n: iter(parts))
    np.testing.assert_allclose(laplacian_score(X).statistic, whole, rtol=1e-12)


def test_features_that_follow_the_clusters_score_best():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 5))
    X[:, 2] += np.repeat([0, 12, 24], 20)
    assert laplacian_score(X).weights.argmax() == 2


def test_two_rows_have_no_structure_and_wrong_parameters_are_refused():
    assert laplacian_score(np.eye(2)).undefined.all()
    with pytest.raises(ValueError, match="k must be at least 1"):
        laplacian_score(np.eye(4), k=0)
    with pytest.raises(ValueError, match="bandwidth must be above 0"):
        laplacian_score(np.eye(4), bandwidth=0.0)


@pytest.mark.parametrize("offset", [1e6, 1e8])
def test_a_large_offset_of_all_attributes_changes_nothing(offset):
    X = np.round(np.random.default_rng(5).normal(size=(30, 4)), 3)
    expected = by_definition(X, 5, "heat")
    np.testing.assert_allclose(laplacian_score(X + offset).statistic, expected, atol=1e-7)


def test_an_outlier_does_not_change_the_weights_of_other_edges():
    X = np.random.default_rng(6).normal(size=(30, 4))
    X[0, 0] = 1e8
    expected = by_definition(X, 5, "heat", 2.0)
    np.testing.assert_allclose(laplacian_score(X, bandwidth=2.0).statistic, expected, atol=1e-9)


@pytest.mark.filterwarnings("error")
def test_a_bandwidth_far_below_all_distances_leaves_the_shortest_edge():
    X = np.array([[0.0, 0.0], [1.0, 2.0], [5.0, 3.0], [9.0, 9.0]])
    found = laplacian_score(X, k=1, bandwidth=1e-6)
    np.testing.assert_allclose(found.statistic, 2.0)  # two rows, which differ
    alone = laplacian_score(np.column_stack([X, [0.0, 0.0, 0.0, 50.0]]), k=1, bandwidth=1e-6)
    assert alone.undefined.tolist() == [False, False, True]  # constant in the rows with an edge
