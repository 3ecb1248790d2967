"""Library size and TF-IDF: the formulas of scanpy and scikit-learn, on dense and sparse tables."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import TfidfTransformer

import fsops.operators as op
from fsops.data import ExampleSet
from fsops.errors import DataError
from fsops.testing.sparse import as_sparse


def stored(X, storage, **more):
    table = ExampleSet.from_numpy(X, **more)
    return as_sparse(table) if storage == "sparse" else table


@pytest.fixture
def counts():
    rng = np.random.default_rng(2)
    X = rng.poisson(0.6, (30, 8)).astype(float)
    X[:, 1] *= 1e6
    X[:, 2] = 0.0
    X[4] = 0.0
    return X


def normalize_total_and_log1p(X, reference):
    """Scanpy's normalize_total (median of the cells with counts) and log1p."""
    sums = reference.sum(axis=1)
    target = np.median(sums[sums > 0])
    own = X.sum(axis=1)
    return np.log1p(X / np.where(own > 0, own / target, 1.0)[:, None])


@pytest.mark.parametrize("storage", ["dense", "sparse"])
def test_library_size_is_scanpys_and_learnt_on_the_training_rows(counts, storage):
    train, test = counts[:20], 3.0 * counts[15:]
    result = op.normalize_library_size(stored(train, storage))
    expected = normalize_total_and_log1p(train, train)
    np.testing.assert_allclose(result.examples.numeric(), expected, rtol=1e-13)
    applied = op.apply_model(result.model, stored(test, storage))
    assert applied.is_sparse == (storage == "sparse")
    expected = normalize_total_and_log1p(test, train)
    np.testing.assert_allclose(applied.numeric(), expected, rtol=1e-13)


@pytest.mark.parametrize("storage", ["dense", "sparse"])
def test_rows_are_brought_to_the_given_sum(counts, storage):
    counts[3, 3:5] = np.nan
    result = op.normalize_library_size(stored(counts, storage), target_sum=1e4, logarithm=False)
    found = result.examples.numeric()
    sums = np.nansum(found, axis=1)
    np.testing.assert_allclose(np.delete(sums, 4), 1e4, rtol=1e-12)
    assert sums[4] == 0
    assert np.isnan(found[3, 3:5]).all()


@pytest.mark.parametrize("storage", ["dense", "sparse"])
@pytest.mark.parametrize("norm", ["l2", "l1", "none"])
@pytest.mark.parametrize("logarithm", [False, True])
@pytest.mark.parametrize("smooth", [False, True])
def test_tf_idf_is_scikit_learns_and_learnt_on_the_training_rows(
    counts, storage, norm, logarithm, smooth
):
    if not smooth:
        counts = np.delete(counts, 2, axis=1)  # scikit-learn divides by 0
    train, test = counts[:20], counts[15:]
    result = op.tf_idf(
        stored(train, storage),
        norm=norm,
        smooth=smooth,
        term_frequency="logarithm" if logarithm else "counts",
    )
    theirs = TfidfTransformer(
        norm=None if norm == "none" else norm, smooth_idf=smooth, sublinear_tf=logarithm
    ).fit(csr_array(train))
    for rows, found in (
        (train, result.examples),
        (test, op.apply_model(result.model, stored(test, storage))),
    ):
        assert found.is_sparse == (storage == "sparse")
        expected = theirs.transform(csr_array(rows)).toarray()
        np.testing.assert_allclose(found.numeric(), expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("storage", ["dense", "sparse"])
@pytest.mark.parametrize("normalize", [op.normalize_library_size, op.tf_idf])
def test_negative_numbers_are_no_counts(counts, storage, normalize):
    model = normalize(stored(counts, storage)).model
    counts[2, 5] = -1.0
    for action in (
        lambda: normalize(stored(counts, storage)),
        lambda: op.apply_model(model, stored(counts, storage)),
    ):
        with pytest.raises(DataError, match='negative numbers in "att6", but counts cannot be'):
            action()


def test_an_attribute_of_no_training_row_has_the_rarity_of_a_single_row():
    model = op.tf_idf(stored(np.eye(4)[:, [0, 0, 3]] * [1, 0, 1], "dense"), smooth=False).model
    new = op.apply_model(model, stored(np.ones((1, 3)), "sparse")).numeric()
    np.testing.assert_allclose(new, np.full((1, 3), 3**-0.5), rtol=1e-12)
