"""Columns and labels that trees would take as equal values keep their order."""

import numpy as np
import pytest

from fsops import ExampleSet
from fsops.algorithms.trees.single import Moved, for_forests
from fsops.operators import (
    apply_model,
    decision_tree,
    gradient_boosting,
    random_forest,
    select_by_boruta,
    weight_by_random_forest,
)

RNG = np.random.default_rng(2)
X = RNG.normal(size=(60, 3))
Y = np.where(X[:, 1] > 0, "b", "a")


@pytest.mark.parametrize(
    ("factor", "shift"), [(1.0, 1e8), (1.0, -1e12), (1e-60, 0.0), (1e30, 0.0), (1e-9, 0.0)]
)
def test_the_order_of_columns_far_from_0_and_of_tiny_ones_stays(factor, shift):
    values = np.arange(50.0)[:, np.newaxis] ** 2
    single = for_forests(np.hstack([values, values * factor + shift]))
    np.testing.assert_array_equal(single[:, 0], values[:, 0].astype(np.float32))
    assert (np.diff(single[:, 1]) > 0).all()


def test_other_rows_move_alike_and_stay_finite():
    moved = Moved.of(np.array([[1e9, np.nan, 3.0], [1e9 + 1, np.nan, 3.0], [np.nan] * 3]))
    assert moved.columns.tolist() == [0]
    other = moved.values(np.array([[1e9 + 0.5, 7.0, 8.0], [1e300, 7.0, 8.0]]))
    np.testing.assert_array_equal(other, [[0.5, 7.0, 8.0], [1e30, 7.0, 8.0]])


def test_a_forest_finds_an_attribute_far_from_0():
    weights = weight_by_random_forest(ExampleSet.from_numpy(X + 1e9, Y), number_of_trees=20)
    assert weights.values.argmax() == 1


@pytest.mark.parametrize("learner", [decision_tree, random_forest, gradient_boosting])
@pytest.mark.parametrize(
    "change", [lambda X: X + 2.0**30, lambda X: X * 2.0**-30, lambda X: X * 2.0**-200]
)
def test_trees_predict_alike_wherever_the_values_are(learner, change):
    X_, new = (np.round(part * 2**15) / 2**15 for part in (X, RNG.normal(size=(40, 3))))
    plain, far = (
        apply_model(
            learner(ExampleSet.from_numpy(part(X_), Y)).model, ExampleSet.from_numpy(part(new))
        )
        for part in (lambda X: X, change)
    )
    before, after = (part.to_pandas()["prediction(label)"] for part in (plain, far))
    assert (before == after).mean() > 0.9  # rows near a threshold may change sides


# Seconds since 1970, amounts of substance in mol, and a number that is nearly 0.
UNITS = [(1.0, 1.7e9), (1e-9, 0.0), (1e-150, 0.0), (1e-9, 1.0)]
NUMBERS = np.round((2 * X[:, 1] + RNG.normal(size=60) / 3) * 2**15) / 2**15


def predicted(learner, y, **parameters):
    table = ExampleSet.from_numpy(X, y)
    return apply_model(learner(table, **parameters).model, table).to_pandas()["prediction(label)"]


@pytest.mark.parametrize("learner", [decision_tree, random_forest, gradient_boosting])
@pytest.mark.parametrize(("factor", "shift"), UNITS)
def test_trees_predict_numbers_in_any_unit(learner, factor, shift):
    plain, other = predicted(learner, NUMBERS), predicted(learner, NUMBERS * factor + shift)
    # Splits that are equally good up to rounding may differ.
    assert np.abs((other - shift) / factor - plain).mean() < 0.05 * NUMBERS.std()


@pytest.mark.parametrize(("factor", "shift"), UNITS)
def test_forests_find_the_attribute_behind_a_number_in_any_unit(factor, shift):
    table = ExampleSet.from_numpy(X, NUMBERS * factor + shift)
    weights = weight_by_random_forest(table, number_of_trees=20)
    assert weights.values[1] > 0.8
    kept = select_by_boruta(table, number_of_trees=20, iterations=30).weights
    assert kept.values.tolist() == [0, 1, 0]


@pytest.mark.parametrize("factor", [1e-9, 1e-20])
def test_forests_find_small_attributes(factor):
    table = ExampleSet.from_numpy(X * factor, Y)
    assert weight_by_random_forest(table, number_of_trees=20).values[1] > 0.8
    kept = select_by_boruta(table, number_of_trees=20, iterations=30).weights
    assert kept.values.tolist() == [0, 1, 0]


@pytest.mark.parametrize("factor", [1.0, 1e-9, 1e-150])
@pytest.mark.parametrize(("gain", "leaves"), [(0.05, False), (1.0, True)])
def test_the_least_gain_of_a_tree_is_in_the_unit_of_the_label(factor, gain, leaves):
    least = gain * NUMBERS.var() * factor * factor
    values = predicted(decision_tree, NUMBERS * factor, min_gain=least)
    assert (values.nunique() == 1) == leaves
