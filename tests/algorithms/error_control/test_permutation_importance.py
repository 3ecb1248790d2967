"""Permutation importance and its p-values, by hand."""

import numpy as np
import pytest

from fsops.algorithms.error_control.permutation_importance import importances, row_orders


def test_losses_and_p_values_by_hand():
    true = np.array([0.9, 0.7])
    permuted = np.empty((2, 3, 2))
    permuted[:, :, 0] = [[0.5, 0.6, 0.7], [0.5, 0.5, 0.5]]
    permuted[:, :, 1] = [[0.9, 0.9, 0.8], [0.7, 0.8, 0.7]]
    found = importances(true, permuted)
    # Mean losses of the splits: 0.9 - 0.6 and 0.7 - 0.5; 0.9 - 2.6 / 3 and 0.7 - 2.2 / 3.
    assert found.mean == pytest.approx([0.25, 0.0])
    assert found.deviation == pytest.approx([0.1 / np.sqrt(2), (0.2 / 3) / np.sqrt(2)])
    # The mean of the true values is 0.8; permuted means are 0.8, 0.85 and 0.75.
    assert found.p_values == pytest.approx([1 / 4, 3 / 4])


def test_rounding_does_not_make_an_equal_merit_smaller():
    true = np.array([0.1 + 0.2])
    found = importances(true, np.full((1, 9, 1), 0.3))
    assert found.p_values == pytest.approx([1.0])


def test_splits_without_a_merit_are_left_out():
    true = np.array([np.nan, 2.0])
    permuted = np.array([[[np.nan]], [[1.5]]])
    found = importances(true, permuted)
    assert found.mean == pytest.approx([0.5])
    assert np.isnan(found.deviation).all()


def test_orders_are_permutations():
    orders = row_orders(6, 50, np.random.default_rng(0))
    assert (np.sort(orders, axis=1) == np.arange(6)).all()
    assert len(np.unique(orders, axis=0)) > 40


def test_groups_exchange_values_as_a_whole():
    groups = np.array([0, 1, 0, 1, 2, 2, 2])
    value = groups * 10.0
    for order in row_orders(7, 30, np.random.default_rng(1), groups):
        taken = value[order]
        assert all(len(set(taken[groups == g])) == 1 for g in range(3))
        assert {float(taken[groups == g][0]) for g in range(3)} == {0.0, 10.0, 20.0}
