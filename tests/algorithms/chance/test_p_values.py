"""Exact p-values of permutation tests."""

import numpy as np
import pytest

from fsops.algorithms.chance import p_values as p


def test_the_true_order_counts_and_ties_count_against_it():
    assert p.p_value(np.array([3.0, 1, 2, 0])) == 1 / 4
    assert p.p_value(np.array([2.0, 1, 2, 3])) == 3 / 4
    assert p.p_value(np.array([0.0, 0, 0, 0])) == 1
    assert p.p_value(np.array([0.1 + 0.2, 0.3])) == 1  # equal but for rounding


@pytest.mark.filterwarnings("error")
def test_infinite_values_count_as_reached_by_infinite_ones():
    assert p.p_value(np.array([np.inf, 1, 2])) == 1 / 3
    assert p.p_value(np.array([-np.inf, 1, 2])) == 1
    np.testing.assert_allclose(
        p.p_values(np.array([np.inf, 1, np.inf, -np.inf])), [1 / 2, 3 / 4, 1 / 2, 1]
    )


def test_a_value_from_elsewhere_is_one_order_more():
    reference = np.array([1.0, 2, 3, 4])
    np.testing.assert_allclose(
        p.reached_by_chance(np.array([9.0, 3.0, 0.0]), reference), [1 / 5, 3 / 5, 1]
    )


def test_the_smallest_of_several_p_values_is_exact_under_the_null_hypothesis():
    """Each order is as likely to be the true one: the mean over all choices is at most alpha."""
    rng = np.random.default_rng(0)
    statistics = [rng.normal(size=40), rng.integers(0, 5, 40).astype(float)]
    found = []
    for true in range(40):
        order = np.r_[true, np.delete(np.arange(40), true)]
        found.append(p.smallest_p([s[order] for s in statistics]))
    for alpha in (0.05, 0.1, 0.25, 0.5):
        assert np.mean(np.array(found) <= alpha) <= alpha


def test_p_values_of_all_orders_are_counts():
    values = np.array([1.0, 5, 3, 3])
    expected = [np.mean(values >= v) for v in values]
    np.testing.assert_allclose(p.p_values(values), expected)


def test_stability_is_standardized_per_size_and_sizes_without_a_value_do_not_count():
    values = np.array([[0.1, np.nan, 0.5], [0.3, 0.2, 0.5], [0.2, 0.1, 0.5]])
    expected = (values[:, 0] - 0.2) / values[:, 0].std() / 2  # the last column is constant: 0
    np.testing.assert_allclose(p.standardized_mean(values), expected, atol=1e-9)


def test_it_ends_early_only_if_nothing_will_be_found():
    assert p.rounds(199) == [48, 96, 199]
    assert p.rounds(60) == [48, 60]
    assert p.rounds(20) == [20]
    assert p.is_futile(0.31, 48)
    assert not p.is_futile(0.3, 48)
    assert not p.is_futile(0.31, 60)
    assert p.is_futile(0.21, 96)


def test_the_limit_is_an_order_statistic():
    assert p.upper_point(np.arange(1.0, 21)) == pytest.approx(20)  # at most 1 of 20 above 19
    assert p.upper_point(np.empty(0)) == np.inf
