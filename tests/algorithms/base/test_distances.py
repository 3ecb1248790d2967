"""Distances without rounding noise, and votes."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.spatial.distance import cdist

from fsops.algorithms.base.distances import majority, rounded, squared_distances


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([0.0, 1.0, 1e4, 1e8]), st.sampled_from([1, 3, 200]))
def test_distances_are_those_of_the_differences(seed, offset, p):
    rng = np.random.default_rng(seed)
    X, Z = rng.normal(size=(12, p)) + offset, rng.normal(size=(9, p)) + offset
    Z[:3] = X[:3]
    Z[3] = X[3] + 1e-3
    found = squared_distances(X, Z)
    assert found == pytest.approx(cdist(X, Z, "sqeuclidean"), rel=1e-9 if offset < 1e6 else 1e-5)
    assert (found[range(3), range(3)] == 0).all()


def test_equal_rows_among_many_are_at_distance_0():
    X = np.random.default_rng(0).normal(size=(100, 7))
    assert (squared_distances(X, X).diagonal() == 0).all()
    assert (squared_distances(np.r_[X, X], X)[100:].diagonal() == 0).all()


def test_no_rows_have_no_distances():
    assert squared_distances(np.empty((0, 2)), np.empty((0, 2))).shape == (0, 0)


def test_values_are_rounded_each_to_its_own_digits():
    values = np.array([0.0, 1e-30 * (1 + 1e-14), 1e-30, 1e30, 1e30 * (1 + 1e-14), np.inf])
    found = rounded(values)
    assert found[1] == found[2]
    assert found[3] == found[4]
    assert found == pytest.approx(values, rel=1e-9)


def test_of_equal_votes_those_of_the_nearest_win():
    labels = np.array([[2, 0, 0, 2], [1, 0, 0, 2], [1, 0, 2, 2]])
    known = np.array([[True] * 4, [True] * 4, [False, True, True, False]])
    assert majority(labels, known, 3).tolist() == [2, 0, 0]
