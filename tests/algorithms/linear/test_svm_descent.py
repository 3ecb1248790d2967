import numpy as np
import pytest

from fsops.algorithms.linear.svm_dual import Dual, solve_dual


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_many_rows_of_few_noisy_features_are_solved_as_well_as_by_libsvm(C):
    from sklearn.svm import SVC

    rng = np.random.default_rng(3)
    X = rng.normal(size=(180, 12))
    signs = np.where(X[:, 0] + 2 * rng.normal(size=180) > 0, 1.0, -1.0)
    found = solve_dual(X @ X.T, signs, C=C, tol=1e-10, rank=12)
    assert found.gap < 1e-9
    peer = SVC(kernel="linear", C=C, tol=1e-10).fit(X, signs)

    def objective(weights, bias):
        slack = np.maximum(0.0, 1.0 - signs * (X @ weights + bias))
        return weights @ weights / 2 + C * slack.sum()

    ours = objective(found.beta @ X, found.bias)
    theirs = objective(peer.coef_[0], peer.intercept_[0])
    # The peer keeps the kernel in single precision.
    assert theirs * (1 - 1e-4) < ours <= theirs * (1 + 1e-12)
    np.testing.assert_allclose(found.beta @ X, peer.coef_[0], atol=1e-3)


def few_equal_features(seed, features, C):
    """Return a problem whose rows are often equal, and two feasible starts.

    Its systems are nearly singular, so their rounding errors depend on the computer.
    """
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(120, features)))
    signs = np.where(rng.random(120) < 0.5, 1.0, -1.0)
    share = C * min((signs > 0).mean(), (signs < 0).mean())
    inside = np.where(signs > 0, share / (signs > 0).sum(), -share / (signs < 0).sum())
    return X @ X.T, signs, (np.zeros(120), inside)


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("features", [1, 2, 3, 5])
def test_it_ends_from_any_start_where_features_are_few_and_equal(features, C):
    gram, signs, starts = few_equal_features([4, features], features, C)
    dual = Dual(signs, C, 1e-10).on(gram)
    for start in starts:
        found = solve_dual(gram, signs, C=C, beta=start, tol=1e-10, rank=features)
        assert found.gap <= dual.tolerance(found.beta)
        assert abs(found.beta.sum()) < 1e-12 * max(1.0, C)


@pytest.mark.parametrize("ridge", [1e-9, 1e-10, 1e-12])
def test_a_ridge_that_is_too_small_for_rounding_is_raised_again(ridge):
    gram, signs, starts = few_equal_features(4, 3, 1.0)
    dual = Dual(signs, 1.0, 1e-10).on(gram)
    for start in starts:
        found = dual.solve(start, dual.descend, ridge)
        assert found is not None
        assert found.gap < 1e-9
