"""Where features lie and how far they spread."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler

from fsops.algorithms.preparation import normalization as rules

X = np.random.default_rng(3).normal(5, 2, size=(31, 4))
CONSTANT = np.column_stack([np.full(5, 0.1), np.arange(5.0)])


def scaled(rule, values):
    centre, divisor = rule(values)
    return (values - centre) / divisor


def test_z_scores_are_scikit_learns_but_for_the_divisor():
    oracle = StandardScaler().fit_transform(X) * np.sqrt(30 / 31)
    np.testing.assert_allclose(scaled(rules.z_transformation, X), oracle, rtol=1e-12)


def test_range_is_scikit_learns():
    np.testing.assert_allclose(scaled(rules.value_range, X), MinMaxScaler().fit_transform(X))


def test_interquartile_range_is_scikit_learns_times_that_of_the_normal_distribution():
    oracle = RobustScaler().fit_transform(X) * 1.349
    np.testing.assert_allclose(scaled(rules.interquartile_range, X), oracle)


def test_proportions_add_up_to_one_in_size():
    np.testing.assert_allclose(np.abs(scaled(rules.proportion, -X)).sum(axis=0), 1)


def test_average_norm_of_the_worked_example():
    values = np.array([[3.0, 4], [0, 5], [1, 0]])
    centre, divisor = rules.average_norm(values)
    np.testing.assert_allclose(divisor, np.sqrt(17))
    np.testing.assert_allclose((values / divisor)[0], [0.7276069, 0.9701425], rtol=1e-6)
    assert not centre.any()


def test_constant_feature_becomes_zero():
    for rule in (rules.z_transformation, rules.value_range, rules.interquartile_range):
        assert scaled(rule, CONSTANT)[:, 0].tolist() == [0] * 5


def test_zeros_stay_zeros():
    for rule in (rules.proportion, rules.average_norm):
        assert not scaled(rule, np.zeros((3, 2))).any()


@pytest.mark.parametrize(
    "rule",
    [rules.z_transformation, rules.value_range, rules.interquartile_range, rules.proportion],
)
def test_missing_values_are_left_out(rule):
    holed = np.vstack([X, np.full((2, 4), np.nan)])
    np.testing.assert_allclose(np.array(rule(holed)), np.array(rule(X)), rtol=1e-12)


@settings(max_examples=25, deadline=None)
@given(st.floats(-1e3, 1e3), st.floats(1e-2, 1e3))
def test_shift_and_scale_do_not_change_z_scores(shift, scale):
    moved = scaled(rules.z_transformation, X * scale + shift)
    np.testing.assert_allclose(moved, scaled(rules.z_transformation, X), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(600, 500), (3, 70_000), (0, 2), (2, 0)])
def test_a_matrix_in_parts_is_scaled_as_a_whole(shape, order):
    values = np.asarray(np.random.default_rng(1).normal(size=shape), order=order)
    centre, divisor = np.arange(shape[1]) / 7, np.arange(shape[1]) + 3.0
    found = rules.scaled(values, centre, divisor, offset=2.0)
    np.testing.assert_array_equal(found, (values - centre) / divisor + 2.0)
