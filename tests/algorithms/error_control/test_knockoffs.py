"""Gaussian knockoffs against knockpy and dense algebra."""

import warnings

import numpy as np
import pytest
from scipy.linalg import toeplitz
from sklearn.covariance import ledoit_wolf_shrinkage

from fsops.algorithms.error_control import knockoffs as algorithm

RNG = np.random.default_rng


def standardized(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def correlations(kind, p=25):
    if kind == "falling":
        return toeplitz(0.8 ** np.arange(p))
    if kind == "equal":
        return 0.6 + 0.4 * np.eye(p)
    return toeplitz((-0.4) ** np.arange(p))


def loss(matrix, s):
    return np.trace(np.linalg.inv(2 * matrix - np.diag(s))) + (1 / s).sum()


@pytest.mark.parametrize("kind", ["falling", "equal", "alternating"])
def test_s_values_are_those_of_knockpy(kind):
    smatrix = pytest.importorskip("knockpy.smatrix", reason="knockpy is not installed")
    matrix = correlations(kind)
    found = algorithm.correlation_from(matrix)
    assert found.dense() == pytest.approx(matrix, abs=1e-12)
    with warnings.catch_warnings(action="ignore"):
        theirs = {
            m: np.diag(smatrix.compute_smatrix(matrix, method=m))
            for m in ("mvr", "sdp", "equicorrelated")
        }
    ours = {m: algorithm.s_values(found, m) for m in theirs}
    for s in ours.values():
        assert np.linalg.eigvalsh(2 * matrix - np.diag(s))[0] > -1e-9
        assert s.min() > 0
    assert ours["equicorrelated"] == pytest.approx(theirs["equicorrelated"], rel=2e-3)
    assert ours["mvr"] == pytest.approx(theirs["mvr"], abs=3e-3)
    assert loss(matrix, ours["mvr"]) <= loss(matrix, theirs["mvr"]) * (1 + 1e-6)
    # The solver of knockpy stops earlier.
    assert ours["sdp"].max() <= 1
    assert ours["sdp"].sum() >= theirs["sdp"].sum() * (1 - 1e-3)


@pytest.mark.parametrize("shape", [(12, 40), (60, 10)])
def test_the_shrinkage_is_that_of_scikit_learn(shape):
    Z = standardized(RNG(1).normal(size=shape) + RNG(2).normal(size=(shape[0], 1)))
    expected = ledoit_wolf_shrinkage(Z, assume_centered=True)
    assert algorithm.ledoit_wolf(Z) == pytest.approx(expected)
    dense = (1 - expected) / len(Z) * Z.T @ Z + expected * np.eye(shape[1])
    assert algorithm.correlation_of(Z).dense() == pytest.approx(dense)


@pytest.mark.parametrize("method", ["mvr", "sdp", "equicorrelated"])
def test_few_rows_and_a_dense_matrix_give_the_same_s(method):
    Z = standardized(RNG(3).normal(size=(15, 30)) + RNG(4).normal(size=(15, 1)))
    few = algorithm.correlation_of(Z)
    assert few.factors.shape == (30, 15)
    dense = algorithm.correlation_from(few.dense())
    found = algorithm.s_values(few, method)
    assert found == pytest.approx(algorithm.s_values(dense, method), abs=5e-3)


@pytest.mark.parametrize("method", ["mvr", "sdp", "equicorrelated"])
@pytest.mark.parametrize("rows", [10, 80])
def test_noise_has_the_covariance_of_the_paper(method, rows):
    Z = standardized(RNG(5).normal(size=(rows, 20)) + 0.7 * RNG(6).normal(size=(rows, 1)))
    found = algorithm.correlation_of(Z)
    s = algorithm.s_values(found, method)
    inverse = np.linalg.inv(found.dense())
    expected = 2 * np.diag(s) - s[:, None] * inverse * s
    many = algorithm.gaussian_knockoffs(np.zeros((60_000, 20)), found, s, RNG(7))
    assert many.T @ many / len(many) == pytest.approx(expected, abs=0.03)
    mean = Z - Z @ inverse * s
    drawn = algorithm.gaussian_knockoffs(Z, found, s, RNG(8))
    noise = algorithm.gaussian_knockoffs(np.zeros(Z.shape), found, s, RNG(8))
    assert drawn - noise == pytest.approx(mean)


@pytest.mark.parametrize("method", ["mvr", "sdp", "equicorrelated"])
def test_fixed_knockoffs_have_the_products_of_the_columns(method):
    Z = standardized(RNG(9).normal(size=(41, 12)) + RNG(10).normal(size=(41, 1)))
    copies = algorithm.fixed_knockoffs(Z, method, RNG(11))
    gram = Z.T @ Z
    assert copies.T @ copies == pytest.approx(gram, abs=1e-5)
    s = np.diag(gram - Z.T @ copies) / 41
    assert Z.T @ copies == pytest.approx(gram - 41 * np.diag(s), abs=1e-5)
    assert s == pytest.approx(algorithm.s_values(algorithm.correlation_from(gram / 41), method))
    assert copies.mean(axis=0) == pytest.approx(np.zeros(12), abs=1e-9)
    with pytest.raises(ValueError, match="need 25 rows, got 24"):
        algorithm.fixed_knockoffs(Z[:24], method, RNG(12))


def test_singular_correlations_are_refused():
    with pytest.raises(ValueError, match="singular"):
        algorithm.correlation_from(np.ones((3, 3)))


def plain_threshold(W, rate, plus):
    for t in sorted(abs(w) for w in W if w):
        below, above = sum(w <= -t for w in W), sum(w >= t for w in W)
        if (plus + below) / max(1, above) <= rate:
            return t
    return float("inf")


@pytest.mark.parametrize("plus", [True, False])
def test_thresholds_are_those_of_a_plain_search(plus):
    rng = RNG(13)
    for _ in range(60):
        W = np.round(rng.normal(0.6, 1, size=rng.integers(1, 40)), 1)  # ties and zeros
        rate = rng.choice([0.1, 0.2, 0.5])
        assert algorithm.threshold_of(W, rate, plus=plus) == plain_threshold(W, rate, plus)


def test_thresholds_are_those_of_knockpy():
    stats = pytest.importorskip("knockpy.knockoff_stats", reason="knockpy is not installed")
    rng = RNG(14)
    for _ in range(20):
        W = rng.normal(0.5, 1, size=50)
        theirs = stats.data_dependent_threshhold(W, fdr=0.2, offset=1)
        ours = algorithm.threshold_of(W, 0.2)
        assert set(np.flatnonzero(ours <= W)) == set(np.flatnonzero(theirs <= W))


def test_no_statistic_selects_nothing():
    assert algorithm.threshold_of(np.zeros(5), 0.1) == float("inf")
    assert algorithm.e_values(np.zeros(5), 0.1).tolist() == [0] * 5
    assert not algorithm.e_bh(np.zeros(5), 0.1).any()


def test_one_draw_by_e_values_selects_what_knockoffs_select():
    W = np.concatenate([np.linspace(1, 3, 30), -np.linspace(0.1, 1.1, 4), np.zeros(6)])
    threshold = algorithm.threshold_of(W, 0.2)
    assert (algorithm.e_bh(algorithm.e_values(W, 0.2), 0.2) == (threshold <= W)).all()


def test_e_values_are_rejected_as_by_a_plain_loop():
    rng = RNG(15)
    for _ in range(40):
        values, rate = rng.exponential(size=12) ** 3 * 4, 0.3
        k = max((k for k in range(1, 13) if sorted(values)[-k] >= 12 / (rate * k)), default=0)
        expected = np.zeros(12, dtype=bool)
        if k:
            expected[np.argsort(-values)[:k]] = True
        assert (algorithm.e_bh(values, rate) == expected).all()


def test_signed_max_is_the_penalty_at_which_one_of_both_enters():
    rng = RNG(16)
    Z = np.linalg.qr(rng.normal(size=(40, 6)))[0] * np.sqrt(40)  # orthogonal: enters at |x'y| / n
    y = Z @ np.array([2.0, -1.0, 0.5, 0.1, 1.5, 0.3])
    y = y - y.mean()
    entry = np.abs(Z.T @ y) / 40
    found = algorithm.lasso_signed_max(Z[:, :3], Z[:, 3:], y)
    expected = np.maximum(entry[:3], entry[3:]) * np.sign(entry[:3] - entry[3:])
    assert found == pytest.approx(expected, rel=1e-6)
