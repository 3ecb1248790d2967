"""Chi squared of counts, and presence counted from stored values."""

import numpy as np
import pytest
from scipy.sparse import csc_array
from sklearn.feature_selection import chi2

from fsops.algorithms.statistics.counts import chi_squared_of_counts, presence_counts
from fsops.algorithms.statistics.information import Contingency


@pytest.fixture
def table():
    rng = np.random.default_rng(6)
    X = rng.poisson(0.4, (50, 12)).astype(float)
    X[:, 1] *= 1e5
    X[:, 2] *= 1e-5
    X[:, 3] = 4.0
    X[:, 4] = 0.0
    return X, np.repeat([0, 1, 2], [3, 17, 30])


@pytest.mark.parametrize("storage", [np.asarray, csc_array])
def test_chi_squared_of_counts_is_that_of_scikit_learn(table, storage):
    X, codes = table
    found = chi_squared_of_counts(storage(X), codes)
    statistic, p_values = chi2(X, codes)
    np.testing.assert_allclose(found.statistic, statistic, rtol=1e-12, atol=1e-20)
    np.testing.assert_allclose(
        found.later_p_values()[found.df > 0], p_values[found.df > 0], rtol=1e-9
    )
    assert found.undefined.tolist() == (X.sum(axis=0) == 0).tolist()
    assert (found.weights[found.undefined] == 0).all()


@pytest.mark.parametrize("storage", [np.asarray, csc_array])
def test_missing_counts_are_left_out_of_their_attribute(table, storage):
    X, codes = table
    X[20:40, 5] = np.nan
    found = chi_squared_of_counts(storage(X), codes).statistic
    known = ~np.isnan(X[:, 5])
    assert found[5] == pytest.approx(chi2(X[known][:, [5]], codes[known])[0][0], rel=1e-12)
    assert found[0] == pytest.approx(chi2(X[:, [0]], codes)[0][0], rel=1e-12)


@pytest.mark.parametrize("missing", ["category", "pairwise"])
def test_presence_is_counted_from_the_stored_values(table, missing):
    X, codes = table
    X[::9, 7], X[:, 8] = np.nan, -1.0
    present = np.where(np.isnan(X), -1, X > 0).astype(int)
    expected = Contingency.of(present, codes, missing=missing)
    found = presence_counts(csc_array(X), codes, missing)
    np.testing.assert_array_equal(found.counts, expected.counts)
    np.testing.assert_array_equal(found.starts, expected.starts)
