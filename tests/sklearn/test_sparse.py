"""Sparse matrices of scipy and AnnData objects as X."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

import fsops.operators as op
from fsops import Process, memory
from fsops.sklearn import ProcessEstimator, WeightByFTest, WeightByRelief, selector


@pytest.fixture
def data():
    rng = np.random.default_rng(1)
    X = np.where(rng.random((60, 20)) < 0.2, rng.poisson(3, (60, 20)), 0).astype(float)
    y = (X[:, 3] + X[:, 8] > 1).astype(int)
    return X, y


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
@pytest.mark.parametrize("key", ["weight_by_f_test", "weight_by_chi_squared", "select_by_svm_rfe"])
def test_a_selector_takes_a_sparse_matrix_and_gives_one(data, kind, key):
    X, y = data
    dense = selector(key, k=5).fit(X, y)
    found = selector(key, k=5).fit(kind(X), y)
    np.testing.assert_allclose(found.scores_, dense.scores_, rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(found.support_, dense.support_)
    chosen = found.transform(kind(X))
    assert sparse.issparse(chosen)
    np.testing.assert_array_equal(chosen.toarray(), X[:, dense.support_])


def test_an_operator_that_needs_a_dense_table_gets_one(data):
    X, y = data
    found = WeightByRelief(k=5).fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(found.scores_, WeightByRelief(k=5).fit(X, y).scores_)


def test_a_sparse_matrix_is_not_made_dense(monkeypatch):
    rng = np.random.default_rng(0)
    X = sparse.random_array((500, 50_000), density=0.001, rng=rng, format="csr")
    monkeypatch.setattr(memory, "available", lambda: 10**7)
    y = np.arange(500) % 2
    pipeline = make_pipeline(WeightByFTest(k=20), LogisticRegression())
    assert cross_val_score(pipeline, X, y, cv=3).shape == (3,)


def test_missing_and_infinite_values_are_refused(data):
    X, y = data
    X[2, 3] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        selector("select_by_svm_rfe", k=2).fit(sparse.csr_array(X), y)
    X[2, 3] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        WeightByFTest(k=2).fit(sparse.csr_array(X), y)


def test_a_process_predicts_and_transforms_sparse_rows(data):
    X, y = data
    rows = sparse.csr_array(X)
    learn, prepare = Process(), Process()
    learn.result(learn.add(op.naive_bayes, learn.source())["model"])
    prepare.result(prepare.add(op.tf_idf, prepare.source())["model"])
    found = ProcessEstimator(learn, label_type="nominal").fit(rows, y)
    expected = ProcessEstimator(learn, label_type="nominal").fit(X, y)
    np.testing.assert_allclose(
        found.predict_proba(rows), expected.predict_proba(X), rtol=1e-9, atol=1e-12
    )
    weighted = ProcessEstimator(prepare).fit(rows)
    assert sparse.issparse(weighted.transform(rows))
    np.testing.assert_allclose(
        weighted.transform(rows).toarray(),
        ProcessEstimator(prepare).fit(X).transform(X),
        rtol=1e-12,
    )


def test_cells_have_names_and_their_label_is_a_column_of_obs(data):
    anndata = pytest.importorskip("anndata")
    X, y = data
    cells = anndata.AnnData(sparse.csr_matrix(X))
    cells.var_names = [f"gene{j}" for j in range(20)]
    cells.obs["group"] = np.where(y, "sick", "well")
    found = WeightByFTest(k=4).fit(cells, "group")
    np.testing.assert_array_equal(found.support_, WeightByFTest(k=4).fit(X, y).support_)
    assert set(found.get_feature_names_out()) <= set(cells.var_names)
    chosen = found.transform(cells)
    assert sparse.issparse(chosen)
    assert chosen.shape == (60, 4)
    with pytest.raises(ValueError, match="X must have the variables of the training rows"):
        found.transform(cells[:, ::-1])
    with pytest.raises(ValueError, match='y is "grop", but obs has no such column'):
        WeightByFTest().fit(cells, "grop")
