"""Moments of sparse matrices agree with those of dense ones, whichever way they are computed."""

import numpy as np
import pytest
from scipy import sparse

from fsops.algorithms.base import sparse_sums
from fsops.algorithms.base.compiled import sparse as compiled_sparse
from fsops.algorithms.base.moments import ClassMoments, CrossMoments
from fsops.algorithms.filters.sparse import sparse_correlation
from fsops.algorithms.mrmr.measures import CorrelationRedundancy

AWKWARD = ("all zero", "constant", "shifted", "missing", "one value", "negative", "counts", "huge")


def awkward(n=60, seed=5):
    """A matrix with a column of each awkward kind."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, len(AWKWARD))) * (rng.random((n, len(AWKWARD))) < 0.3)
    X[:, 0], X[:, 1] = 0.0, 0.1
    X[:, 2] = 1e6 + rng.normal(size=n)
    X[[3, 20, 21], 3] = np.nan
    X[:, 4] = 0.0
    X[7, 4] = 2.5
    X[:, 5] = -np.abs(X[:, 5]) - (rng.random(n) < 0.1)
    X[:, 6] = rng.poisson(0.4, n)
    X[:, 7] *= 1e30
    return X


@pytest.fixture(params=["numpy", "compiled", "small parts"])
def way(request, monkeypatch):
    if request.param == "compiled":
        pytest.importorskip("numba")
    compiled = request.param == "compiled"
    monkeypatch.setattr(compiled_sparse, "take_stored", lambda values: compiled)
    if request.param == "small parts":
        monkeypatch.setattr(sparse_sums, "PART", 7)
    return request.param


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("weighted", [False, True])
def test_class_moments_are_those_of_the_dense_matrix(way, n_classes, weighted):
    X = awkward()
    rng = np.random.default_rng(1)
    codes = rng.integers(0, min(n_classes, 3), len(X))
    codes[codes == 2] = np.where(np.arange((codes == 2).sum()) == 0, 2, 1)  # one row in a class
    weights = rng.integers(0, 3, len(X)).astype(float) if weighted else None
    found = ClassMoments.of(sparse.csc_array(X), codes, n_classes, weights)
    dense = ClassMoments.of(X, codes, n_classes, weights)
    count = np.broadcast_to(dense.count, dense.ss.shape)
    np.testing.assert_array_equal(np.broadcast_to(found.count, found.ss.shape), count)
    filled = count > 0
    np.testing.assert_allclose(found.mean[filled], dense.mean[filled], rtol=1e-14, atol=1e-16)
    # A column that is far from zero loses the digits of its distance, in either way.
    rounding = 1e-30 * (dense.mean**2 * count).max(axis=0)
    gap = np.abs(found.within() - dense.within())
    assert (gap <= 1e-12 * dense.within() + rounding).all()
    assert (found.within()[:, :2] == 0).all()


def test_the_kernel_gives_the_bits_of_its_twin(monkeypatch):
    pytest.importorskip("numba")
    X, codes = sparse.csc_array(awkward()), np.arange(60) % 3
    results = []
    for compiled in (False, True):
        monkeypatch.setattr(compiled_sparse, "take_stored", lambda values, on=compiled: on)
        results.append(sparse_sums.class_sums(X, codes, 3, None))
    for one, two in zip(*results, strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_single_precision_values_are_summed_as_doubles(way, dtype):
    X = np.abs(awkward()[:, [2, 5, 6]]).astype(dtype)
    found = ClassMoments.of(sparse.csc_array(X), np.zeros(60, int), 1)
    dense = ClassMoments.of(X.astype(np.float64), np.zeros(60, int), 1)
    np.testing.assert_allclose(found.ss, dense.ss, rtol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_cross_moments_are_those_of_the_dense_matrix(way, weighted):
    X = awkward()
    rng = np.random.default_rng(2)
    y = rng.normal(size=len(X)) + X[:, 5]
    weights = rng.integers(0, 3, len(X)).astype(float) if weighted else None
    found, dense = CrossMoments.of(sparse.csc_array(X), y, weights), CrossMoments.of(X, y, weights)
    for name in ("count", "mean_x", "mean_y", "ss_x", "ss_y"):
        one, two = (np.broadcast_to(getattr(m, name), 8) for m in (found, dense))
        np.testing.assert_allclose(one, two, rtol=1e-12, atol=1e-18, err_msg=name)
    length = np.sqrt(dense.ss_x * dense.ss_y)
    assert (np.abs(found.cross - dense.cross) <= 1e-12 * length + 1e-12).all()


def test_matrices_without_rows_or_columns():
    none = ClassMoments.of(sparse.csc_array((4, 0)), np.zeros(4, int), 2)
    assert none.n_features == 0
    empty = ClassMoments.of(sparse.csc_array((0, 3)), np.zeros(0, int), 2)
    assert (empty.ss == 0).all()
    assert CrossMoments.of(sparse.csc_array((4, 0)), np.arange(4.0)).cross.shape == (0,)


@pytest.mark.parametrize("by_class", [False, True])
def test_correlations_are_those_of_the_dense_matrix(by_class):
    X = awkward()[:, [0, 1, 2, 4, 5, 6, 7]]
    codes = np.arange(60) % 2
    of = ClassMoments.of(sparse.csc_array(X), codes, 2)
    moments = of if by_class else CrossMoments.of(sparse.csc_array(X), codes.astype(float))
    found = sparse_correlation(sparse.csc_array(X), moments, np.arange(7.0))
    dense = CorrelationRedundancy(X)
    for feature in range(7):
        np.testing.assert_allclose(found.column(feature), dense.column(feature), atol=1e-10)
    few = [3, 4, 5]
    np.testing.assert_allclose(
        found.block(np.array(few), np.array(few)),
        dense.block(np.array(few), np.array(few)),
        atol=1e-14,
    )
