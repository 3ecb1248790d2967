import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fsops.algorithms.preparation.components import principal_components


def table(n=30, p=5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + rng.normal(size=p) * 5


def test_they_are_the_eigenvectors_of_the_covariance():
    X = table()
    found = principal_components(X)
    values, vectors = np.linalg.eigh(np.cov(X.T))
    assert found.variances == pytest.approx(values[::-1])
    for direction, vector in zip(found.loadings, vectors.T[::-1], strict=True):
        assert abs(direction @ vector) == pytest.approx(1)


def test_scikit_learn_has_the_same_with_the_same_signs():
    from sklearn.decomposition import PCA

    X, new = table(), table(seed=1)
    oracle, found = PCA(3).fit(X), principal_components(X).first(3)
    assert found.loadings == pytest.approx(oracle.components_)
    assert found.variances == pytest.approx(oracle.explained_variance_)
    assert found.shares == pytest.approx(oracle.explained_variance_ratio_)
    assert found.transform(new) == pytest.approx(oracle.transform(new))


@pytest.mark.parametrize("shape", [(30, 5), (4, 9), (1, 3), (5, 1)])
def test_coordinates_are_uncorrelated_and_lose_nothing(shape):
    X = table(*shape)
    found = principal_components(X)
    assert found.loadings.shape == (min(shape), shape[1])
    Z = found.transform(X)
    assert pytest.approx(np.diag(found.variances) * max(1, len(X) - 1), abs=1e-9) == Z.T @ Z
    assert pytest.approx(X) == Z @ found.loadings + found.mean


@settings(max_examples=25, deadline=None)
@given(st.permutations(range(5)), st.permutations(range(30)))
def test_order_of_rows_and_features_does_not_matter(features, rows):
    X = table()
    turned = principal_components(X[np.ix_(rows, features)])
    assert turned.loadings == pytest.approx(principal_components(X).loadings[:, features])


def test_of_equal_loadings_the_first_is_positive():
    X = np.array([[1.0, -1], [-1, 1], [2, -2], [-2, 2]])
    assert principal_components(X).loadings[0] == pytest.approx([0.5**0.5, -(0.5**0.5)])


def test_as_few_as_have_the_share():
    X = np.diag([3.0, 2, 1, 0]) - 0.0
    X = np.vstack([X, -X])  # variances 9 : 4 : 1 : 0
    found = principal_components(X)
    counts = [found.count_for(share) for share in (0, 9 / 14, 0.65, 13 / 14, 0.93, 1)]
    assert counts == [1, 1, 2, 2, 3, 3]
    assert principal_components(np.ones((4, 3))).count_for(0.9) == 1
