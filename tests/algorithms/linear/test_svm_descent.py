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


def test_it_ends_from_any_start_where_features_are_few_and_equal():
    rng = np.random.default_rng(4)
    X = np.round(rng.normal(size=(120, 3)))
    signs = np.where(rng.random(120) < 0.5, 1.0, -1.0)
    gram = X @ X.T
    dual = Dual(signs, 1.0, 1e-10).on(gram)
    share = min((signs > 0).mean(), (signs < 0).mean())
    inside = np.where(signs > 0, share / (signs > 0).sum(), -share / (signs < 0).sum())
    for start in (np.zeros(120), inside):
        found = dual.solve(start, dual.descend, 1e-9)
        assert found is not None
        assert found.gap < 1e-9
        assert abs(found.beta.sum()) < 1e-12
