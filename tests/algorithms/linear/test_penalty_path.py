"""Paths of penalties against scikit-learn and glmnet, and against the conditions of the optimum."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import ElasticNetCV
from sklearn.model_selection import PredefinedSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fsops.algorithms.linear.penalty_path import penalty_path


def drawn(seed=0, n=60, p=12):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = 3 * X[:, 0] - 2 * X[:, 3 % p] + 0.4 * X[:, 5 % p] + rng.normal(size=n)
    return X, (y - y.mean()) / y.std(), np.arange(n) % 5


@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
def test_the_best_model_is_that_of_scikit_learn(l1_ratio):
    X, y, part = drawn()
    X = StandardScaler().fit_transform(X)
    found = penalty_path(X, y, part, l1_ratio=l1_ratio, steps=20)
    theirs = ElasticNetCV(
        l1_ratio=l1_ratio, alphas=found.penalties, cv=PredefinedSplit(part), tol=1e-9
    ).fit(X, y)
    at = int(np.argmin(np.abs(found.penalties - theirs.alpha_)))
    np.testing.assert_allclose(found.coefficients[:, at], theirs.coef_, rtol=0, atol=1e-4)


def test_errors_come_from_pipelines_that_standardize_in_each_fold():
    from sklearn.linear_model import ElasticNet

    X, y, part = drawn(1)
    X = X * np.logspace(-4, 4, 12) + 5
    found = penalty_path(X, y, part, l1_ratio=0.7, steps=5)
    for at, alpha in enumerate(found.penalties):
        for fold in range(5):
            model = make_pipeline(StandardScaler(), ElasticNet(alpha=alpha, l1_ratio=0.7, tol=1e-9))
            model.fit(X[part != fold], y[part != fold])
            missed = y[part == fold] - model.predict(X[part == fold])
            assert found.errors[at, fold] == pytest.approx((missed**2).mean(), rel=1e-4)


def gcv_ridge(X, y):
    """Ridge coefficients by solving the equations for each penalty, and the smallest GCV error."""
    n = len(X)
    size = np.linalg.svd(X, compute_uv=False)
    size = (size[size > 1e-10 * size.max()] ** 2).mean()
    best = np.inf, None
    for penalty in np.logspace(-4, 4, 25) * size:
        inverse = np.linalg.inv(X.T @ X + penalty * np.eye(X.shape[1]))
        hat = X @ inverse @ X.T
        error = ((y - hat @ y) ** 2).sum() / (n - 1 - np.trace(hat)) ** 2
        if error < best[0]:
            best = error, inverse @ X.T @ y
    return best[1]


@pytest.mark.parametrize("shape", [(60, 12), (25, 40)], ids=["rows", "attributes"])
def test_adaptive_coefficients_meet_the_conditions_of_the_optimum(shape):
    """Zou (2006): |x_j' r| / n = alpha w_j where b_j is not 0, else at most that."""
    X, y, _ = drawn(2, *shape)
    Z, t = (X - X.mean(axis=0)) / X.std(axis=0), y - y.mean()
    weights = 1 / np.abs(gcv_ridge(Z, t))
    found = penalty_path(X, y, np.arange(len(y)) % 5, adaptive=1.0, steps=8)
    for alpha, b in zip(found.penalties, found.coefficients.T, strict=True):
        gradient = Z.T @ (t - Z @ b) / len(y)
        scaled = gradient / (alpha * weights)
        assert np.abs(scaled).max() <= 1 + 1e-3
        np.testing.assert_allclose(scaled[b != 0], np.sign(b[b != 0]), atol=1e-3)


def test_adaptive_penalties_keep_fewer_attributes_without_effect():
    X, y, part = drawn(3, n=100, p=30)
    plain, adaptive = (penalty_path(X, y, part, adaptive=power) for power in (0.0, 1.0))
    best = [path.features[path.errors.mean(axis=1).argmin()] for path in (plain, adaptive)]
    assert best[1] < best[0]


@pytest.mark.parametrize("unit", [1e-9, 1e9])
def test_units_of_the_label_and_constants_do_not_matter(unit):
    X, y, part = drawn(4, p=3)
    X[:, 1] = 7.0
    one = penalty_path(X, y, part, steps=6)
    other = penalty_path(X * [1e8, 1, 1e-8], y * unit, part, steps=6)
    np.testing.assert_allclose(other.coefficients, one.coefficients * unit, rtol=1e-6, atol=0)
    np.testing.assert_allclose(other.errors, one.errors * unit**2, rtol=1e-6)
    assert not one.coefficients[1].any()


def test_the_strongest_penalty_leaves_nothing_and_a_constant_label_needs_nothing():
    X, y, part = drawn(5)
    found = penalty_path(X, y, part, steps=6)
    assert found.features[0] == 0
    assert found.features[-1] > 3
    assert not penalty_path(X, np.ones(60), part, steps=4).features.any()


def test_wrong_parameters_are_refused():
    X, y, part = drawn()
    with pytest.raises(ValueError, match="l1_ratio must be above 0"):
        penalty_path(X, y, part, l1_ratio=0.0)
    with pytest.raises(ValueError, match="adaptive must not be negative"):
        penalty_path(X, y, part, adaptive=-1.0)


# --- row weights -------------------------------------------------------------------------------

FOLDER = Path(__file__).parent / "glmnet"
TABLE = pd.read_csv(FOLDER / "table.csv")
THEIRS = pd.read_csv(FOLDER / "path.csv", skipinitialspace=True)
ERRORS = pd.read_csv(FOLDER / "errors.csv", skipinitialspace=True)


def of_glmnet(**given):
    X, w = TABLE.filter(regex=r"^x\d").to_numpy(float), TABLE["w"].to_numpy()
    y = TABLE["y"].to_numpy()
    y = y / np.sqrt(np.cov(y, aweights=w, ddof=0))
    return penalty_path(X, y, TABLE["fold"].to_numpy(), weights=w, steps=10, **given)


@pytest.mark.parametrize("ratio", [1.0, 0.4])
def test_coefficients_with_fractions_as_weights_are_those_of_glmnet(ratio):
    found = of_glmnet(l1_ratio=ratio)
    expected = THEIRS[THEIRS["ratio"] == ratio]
    np.testing.assert_allclose(found.penalties, expected["lambda"].unique(), rtol=1e-10)
    values = expected["coefficient"].to_numpy().reshape(10, 8).T
    assert np.count_nonzero(values) > 30
    np.testing.assert_allclose(found.coefficients, values, rtol=0, atol=2e-6)


def test_errors_of_folds_and_the_choice_are_those_of_glmnet():
    """The folds have equal sums of weights, with which glmnet averages its folds."""
    found = of_glmnet()
    mean = found.errors.mean(axis=1)
    error = found.errors.std(axis=1, ddof=1) / np.sqrt(5)
    np.testing.assert_allclose(mean, ERRORS["cvm"], rtol=1e-5)
    np.testing.assert_allclose(error, ERRORS["cvsd"], rtol=1e-5)
    best = mean.argmin()
    assert found.penalties[best] == pytest.approx(ERRORS["min"][0])
    one = np.flatnonzero(mean <= mean[best] + error[best])[0]
    assert found.penalties[one] == pytest.approx(ERRORS["one"][0])


def test_weighted_models_are_those_of_scikit_learn():
    from sklearn.linear_model import ElasticNet

    X, y, part = drawn(6)
    X = X * np.logspace(-4, 4, 12) + 5
    w = np.random.default_rng(0).lognormal(size=60)
    found = penalty_path(X, y, part, weights=w, l1_ratio=0.7, steps=5)
    deviation = np.sqrt(np.cov(y, aweights=w, ddof=0))
    for at, alpha in enumerate(found.penalties):
        for fold in range(5):
            train = part != fold
            model = make_pipeline(StandardScaler(), ElasticNet(alpha=alpha, l1_ratio=0.7, tol=1e-9))
            own = {"standardscaler__sample_weight": w[train], "elasticnet__sample_weight": w[train]}
            model.fit(X[train], y[train] / deviation, **own)
            missed = y[~train] - deviation * model.predict(X[~train])
            expected = np.average(missed**2, weights=w[~train])
            assert found.errors[at, fold] == pytest.approx(expected, rel=1e-4)


def awkward(name):
    X, y, part = drawn(8, n=40, p=60 if name == "more features" else 6)
    if name == "ties and a constant":
        X, y = np.round(X), np.round(2 * y)
        X[:, 2] = 0.1
    if name == "scales":
        X = X * np.logspace(-5, 9, 6) + [0.1, 3, 3, 3, 3, 1e9]
        y = 1e2 + y * 1e-3
    return X, y, part


@pytest.mark.parametrize("name", ["plain", "ties and a constant", "scales", "more features"])
@pytest.mark.parametrize("adaptive", [0.0, 1.5])
def test_a_weight_is_the_number_of_copies_in_the_same_fold(name, adaptive):
    X, y, part = awkward(name)
    times = np.arange(40) % 4 + 1
    copies = np.repeat(np.arange(40), times)
    given = {"adaptive": adaptive, "steps": 12, "l1_ratio": 0.8}
    found = penalty_path(X, y, part, weights=times, **given)
    expected = penalty_path(X[copies], y[copies], part[copies], **given)
    np.testing.assert_allclose(found.penalties, expected.penalties, rtol=1e-9)
    size = np.abs(expected.coefficients).max()
    np.testing.assert_allclose(found.coefficients, expected.coefficients, atol=1e-9 * size, rtol=0)
    np.testing.assert_allclose(found.errors, expected.errors, rtol=1e-8)
    assert found.features.tolist() == expected.features.tolist()


@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_weighted_adaptive_coefficients_meet_the_conditions_of_the_optimum(ratio):
    """The first estimate is the ridge regression with the smallest GCV error, by its equations."""
    X, y, part = drawn(9)
    w = np.random.default_rng(2).uniform(0.2, 3, 60)
    f = w / w.sum()
    centre, mean = f @ X, f @ y
    Z = (X - centre) / np.sqrt(f @ (X - centre) ** 2)
    t = (y - mean) / np.sqrt(f @ (y - mean) ** 2)
    R, target = Z * np.sqrt(w)[:, None], t * np.sqrt(w)
    size = (np.linalg.svd(R, compute_uv=False) ** 2).mean()
    best = np.inf, None
    for penalty in np.logspace(-4, 4, 25) * size:
        inverse = np.linalg.inv(R.T @ R + penalty * np.eye(12))
        hat = R @ inverse @ R.T
        error = ((target - hat @ target) ** 2).sum() / (w.sum() - 1 - np.trace(hat)) ** 2
        if error < best[0]:
            best = error, inverse @ R.T @ target
    first = np.abs(best[1])
    found = penalty_path(X, y, part, weights=w, adaptive=1.0, l1_ratio=ratio, steps=8)
    deviation = np.sqrt(f @ (y - mean) ** 2)
    for alpha, b in zip(found.penalties, found.coefficients.T / deviation, strict=True):
        gradient = (Z * f[:, None]).T @ (t - Z @ b) - alpha * (1 - ratio) * b / first**2
        scaled = gradient * first / (alpha * ratio)
        assert np.abs(scaled).max() <= 1 + 1e-3
        np.testing.assert_allclose(scaled[b != 0], np.sign(b[b != 0]), atol=1e-3)


@pytest.mark.parametrize("unit", [1e-9, 1e9])
def test_units_do_not_matter_with_weights_and_a_constant_label_needs_nothing(unit):
    X, y, part = drawn(4, p=3)
    X[:, 1] = 0.7
    w = np.random.default_rng(2).uniform(0.2, 3, 60)
    one = penalty_path(X, y, part, weights=w, steps=6)
    other = penalty_path(X * [1e8, 1, 1e-8], y * unit, part, weights=w, steps=6)
    np.testing.assert_allclose(other.coefficients, one.coefficients * unit, rtol=1e-6, atol=0)
    np.testing.assert_allclose(other.errors, one.errors * unit**2, rtol=1e-6)
    assert not one.coefficients[1].any()
    for constant in (0.1 * unit, 0.7 * unit, 0.0):
        y = np.full(60, constant)
        assert not penalty_path(X, y, part, weights=w, steps=4).features.any()


def test_wrong_weights_are_refused():
    X, y, part = drawn()
    with pytest.raises(ValueError, match="Row weights must be finite and not negative"):
        penalty_path(X, y, part, weights=-np.ones(60))
