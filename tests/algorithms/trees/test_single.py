"""Columns in single precision keep their order."""

import numpy as np
import pytest

from fsops import ExampleSet
from fsops.algorithms.trees.single import for_forests
from fsops.operators import weight_by_random_forest


@pytest.mark.parametrize(("factor", "shift"), [(1.0, 1e8), (1.0, -1e12), (1e-60, 0.0), (1e30, 0.0)])
def test_the_order_of_columns_far_from_0_and_of_tiny_ones_stays(factor, shift):
    values = np.arange(50.0)[:, np.newaxis] ** 2
    single = for_forests(np.hstack([values, values * factor + shift]))
    np.testing.assert_array_equal(single[:, 0], values[:, 0].astype(np.float32))
    assert (np.diff(single[:, 1]) > 0).all()


def test_a_forest_finds_an_attribute_far_from_0():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 3))
    y = np.where(X[:, 1] > 0, "b", "a")
    weights = weight_by_random_forest(ExampleSet.from_numpy(X + 1e9, y), number_of_trees=20)
    assert weights.values.argmax() == 1
