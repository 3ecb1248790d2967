"""Correlations between attributes, against numpy."""

import numpy as np
import pytest

from fsops import ExampleSet
from fsops.errors import FsopsError
from fsops.operators import correlation_matrix


@pytest.mark.parametrize("squared", [False, True])
def test_the_matrix_is_numpys_and_constants_have_no_correlation(squared):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 5)) * [1, 1e8, 1e-8, 1, 1] + [0, 1e9, 0, 5, 0]
    X[:, 3] = 2.0
    X[:, 4] = -X[:, 0]
    found = correlation_matrix(ExampleSet.from_numpy(X), squared_correlation=squared)
    kept = [0, 1, 2, 4]
    expected = np.corrcoef(X[:, kept], rowvar=False) ** (2 if squared else 1)
    matrix = found.matrix.numeric()
    assert matrix[np.ix_(kept, kept)] == pytest.approx(expected, abs=1e-9)
    assert np.isnan(matrix[3]).all()
    others = np.abs(expected).sum(axis=0) - 1
    assert found.weights.values[kept] == pytest.approx(1 - others / 3, abs=1e-9)
    assert found.weights.values[3] == 0
    assert found.matrix.nominal_values("Attributes") == ["att1", "att2", "att3", "att4", "att5"]


def test_too_many_attributes_are_refused_before_memory_is_taken():
    wide = ExampleSet.from_numpy(np.zeros((2, 1_000_000)))
    with pytest.raises(FsopsError, match="The correlation matrix of 1,000,000 attributes"):
        correlation_matrix(wide)
