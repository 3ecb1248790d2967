"""The test of Kruskal and Wallis agrees with scipy."""

import numpy as np
import pytest
from scipy import stats

from fsops import ExampleSet
from fsops.algorithms.filters.kruskal import kruskal_wallis
from fsops.operators import weight_by_kruskal_wallis


def awkward(classes):
    rng = np.random.default_rng(4)
    codes = rng.permutation(np.repeat(np.arange(classes), [3, 9, 14][:classes]))
    X = rng.normal(size=(codes.size, 7)) + codes[:, None] / 2
    X[:, 1] = np.round(X[:, 1])
    X[:, 2] = 4.0
    X[:, 3] *= 1e-200
    X[:, 4] = 1e9 + X[:, 4]
    X[rng.random(codes.size) < 0.3, 5] = np.nan
    X[codes == 0, 6] = np.nan
    return X, codes


@pytest.mark.parametrize("classes", [2, 3])
def test_statistic_and_p_value_are_those_of_scipy(classes):
    X, codes = awkward(classes)
    scores = kruskal_wallis(X, codes)
    for j in range(X.shape[1]):
        parts = [X[(codes == c) & ~np.isnan(X[:, j]), j] for c in range(classes)]
        parts = [part for part in parts if part.size]
        if j == 2 or len(parts) < 2:
            assert scores.undefined[j]
            assert scores.weights[j] == 0
            continue
        expected = stats.kruskal(*parts)
        assert scores.statistic[j] == pytest.approx(expected.statistic, rel=1e-9)
        assert scores.p_values[j] == pytest.approx(expected.pvalue, rel=1e-9)


def test_the_operator_takes_three_classes_and_missing_values():
    X, codes = awkward(3)
    table = ExampleSet.from_numpy(X, np.array(["a", "b", "c"])[codes])
    found = weight_by_kruskal_wallis(table, missing="pairwise")
    scores = kruskal_wallis(X, codes)
    assert found.values == pytest.approx(scores.weights)
    assert found.details["p_value"] == pytest.approx(scores.p_values)
    monotone = ExampleSet.from_numpy(X[:, :2] ** 3, np.array(["a", "b", "c"])[codes])
    assert weight_by_kruskal_wallis(monotone).values == pytest.approx(found.values[:2])
