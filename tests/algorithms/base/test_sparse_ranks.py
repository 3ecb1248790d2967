"""Rank sums of sparse matrices are those of dense ones, to the last bit."""

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import mannwhitneyu

from fsops.algorithms.base import sparse_sums
from fsops.algorithms.base.compiled import sparse as compiled_sparse
from fsops.algorithms.base.rank_sums import rank_sums
from fsops.algorithms.filters.univariate import auc, wilcoxon


@pytest.fixture(params=["numpy", "small parts", "compiled", "compiled, small parts"])
def way(request, monkeypatch):
    compiled = request.param.startswith("compiled")
    if compiled:
        pytest.importorskip("numba")
    monkeypatch.setattr(compiled_sparse, "take_sorted", lambda values: compiled)
    if request.param.endswith("small parts"):
        monkeypatch.setattr(sparse_sums, "PART", 11)
        monkeypatch.setattr(compiled_sparse, "SORTED", 11)
    return request.param


def awkward(n, dtype=np.float64):
    rng = np.random.default_rng(n)
    shape = (n, 14)
    X = np.where(rng.random(shape) < 0.4, rng.normal(size=shape), 0.0)
    X[:, 0] = 0.0  # nothing stored
    X[:, 1] = -2.0  # one tie
    X[:, 2] = rng.poisson(0.7, n)
    X[:, 3] = -rng.poisson(0.7, n)
    X[:, 4] = rng.integers(-2, 3, n)
    X[:, 5] = rng.normal(size=n)  # no zero
    X[:, 6] *= 1e-30
    X[:, 7] = X[:, 7] * 1e-30 + (rng.random(n) < 0.1) * 1e30
    X[:: max(1, n // 4), 8] = np.nan
    X[:, 9] = np.nan
    X[0, 10], X[-1, 10] = np.inf, -np.inf
    X[:, 11] = np.log1p(rng.poisson(1.0, n) / 1.7)
    return X.astype(dtype)


@pytest.mark.parametrize("n", [2, 9, 300])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rank_sums_are_those_of_the_dense_matrix(way, n, dtype):
    X = awkward(n, dtype)
    codes = (np.arange(n) % 3 == 0).astype(int)
    found, dense = rank_sums(sparse.csc_array(X), codes), rank_sums(X, codes)
    for name in ("u", "positive", "negative", "ties"):
        np.testing.assert_array_equal(getattr(found, name), getattr(dense, name), err_msg=name)


def test_a_stored_zero_is_a_zero(way):
    matrix = sparse.csc_array(([0.0, 3.0, 0.0, -1.0], [0, 1, 2, 3], [0, 2, 4]), shape=(5, 2))
    codes = np.array([1, 0, 1, 0, 0])
    found, dense = rank_sums(matrix, codes), rank_sums(matrix.toarray(), codes)
    np.testing.assert_array_equal(found.u, dense.u)
    np.testing.assert_array_equal(found.ties, dense.ties)


def test_one_row_in_a_class(way):
    X, codes = awkward(9)[:, :8], np.array([1, 0, 0, 0, 0, 0, 0, 0, 0])
    np.testing.assert_array_equal(
        auc(sparse.csc_array(X), codes).statistic, auc(X, codes).statistic
    )


def test_the_test_is_that_of_scipy(way):
    X = awkward(120)[:, 2:6]
    codes = np.arange(120) % 2
    found = wilcoxon(sparse.csc_array(X), codes)
    kwargs = {"axis": 0, "method": "asymptotic", "use_continuity": False}
    expected = mannwhitneyu(X[codes == 1], X[codes == 0], **kwargs)
    np.testing.assert_allclose(found.p_values, expected.pvalue, rtol=1e-10)


def test_matrices_without_rows_columns_or_values(way):
    assert rank_sums(sparse.csc_array((0, 3)), np.zeros(0, int)).u.tolist() == [0, 0, 0]
    assert rank_sums(sparse.csc_array((4, 0)), np.array([0, 1, 0, 1])).u.shape == (0,)
    np.testing.assert_array_equal(
        rank_sums(sparse.csc_array((4, 2)), np.array([0, 1, 0, 1])).u, [2, 2]
    )
