"""Weight by Laplacian Score."""

import numpy as np
import pytest

from fsops import ExampleSet
from fsops.algorithms.neighbors.laplacian import laplacian_score
from fsops.operators import weight_by_laplacian_score


def clusters(seed=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(45, 4))
    X[:, 1] += np.repeat([0, 9, 18], 15)
    X[:, 3] *= 1e6
    return X


def test_it_needs_no_label_and_finds_the_attribute_of_the_clusters():
    found = weight_by_laplacian_score(ExampleSet.from_numpy(clusters()))
    assert found.top(1) == ("att2",)
    assert found.details["statistic"].argmin() == 1


def test_attributes_are_standardized_for_the_distances_by_default():
    X = clusters()
    data = ExampleSet.from_numpy(X)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    assert weight_by_laplacian_score(data).details["statistic"] == pytest.approx(
        laplacian_score(scaled).statistic
    )
    raw = weight_by_laplacian_score(data, scaling=False, edges="equal", number_of_neighbors=3)
    expected = laplacian_score(X, k=3, weights="equal")
    assert raw.details["statistic"] == pytest.approx(expected.statistic)
    assert raw.top(1) == ("att4",)


def test_missing_values_are_refused(refused):
    X = clusters()
    X[3, 2] = np.nan
    with refused("missing"):
        weight_by_laplacian_score(ExampleSet.from_numpy(X))
