"""Columns that single precision would round to equal values keep their order."""

import numpy as np
import pytest

from fsops import ExampleSet
from fsops.algorithms.trees.single import Moved, for_forests
from fsops.operators import (
    apply_model,
    decision_tree,
    gradient_boosting,
    random_forest,
    weight_by_random_forest,
)

RNG = np.random.default_rng(2)
X = RNG.normal(size=(60, 3))
Y = np.where(X[:, 1] > 0, "b", "a")


@pytest.mark.parametrize(("factor", "shift"), [(1.0, 1e8), (1.0, -1e12), (1e-60, 0.0), (1e30, 0.0)])
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
@pytest.mark.parametrize("change", [lambda X: X + 2.0**30, lambda X: X * 2.0**-200])
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
