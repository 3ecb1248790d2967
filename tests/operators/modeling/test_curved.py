"""Polynomials, Gaussian processes and generalized linear models, against scikit-learn and numpy."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from fsops import ExampleSet
from fsops.errors import ParameterError
from fsops.operators import (
    gaussian_process,
    generalized_linear_model,
    polynomial_regression,
)


@pytest.fixture
def curve():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(80, 2))
    return ExampleSet.from_numpy(X, 1 + X[:, 0] ** 2 - 2 * X[:, 0] * X[:, 1])


def test_a_polynomial_is_found_exactly(curve, predicted):
    model = polynomial_regression(curve)
    assert predicted(model, curve) == pytest.approx(curve.label_values(), abs=1e-6)
    powers = polynomial_regression(curve, interactions=False, penalty=0.0, scaling=False)
    X = curve.numeric()
    design = np.column_stack([np.ones(80), X, X**2])
    expected = design @ np.linalg.lstsq(design, curve.label_values(), rcond=None)[0]
    assert predicted(powers, curve) == pytest.approx(expected, abs=1e-8)


def test_too_many_terms_are_refused():
    wide = ExampleSet.from_numpy(np.zeros((5, 3000)), np.arange(5.0))
    with pytest.raises(ParameterError, match="terms of degree 3"):
        polynomial_regression(wide, max_degree=3)


def test_a_gaussian_process_is_scikit_learns(curve, predicted):
    model = gaussian_process(curve, optimize=False, noise=0.1, scaling=False)
    peer = GaussianProcessRegressor(
        ConstantKernel() * RBF(1.0), alpha=0.1, optimizer=None, normalize_y=True
    ).fit(curve.numeric(), curve.label_values())
    assert predicted(model, curve) == pytest.approx(peer.predict(curve.numeric()))


def test_a_gaussian_process_predicts_classes(iris, predicted):
    model = gaussian_process(iris, optimize=False)
    assert (predicted(model, iris) == iris.label_values()).mean() > 0.95


def test_poisson_regression_maximises_its_likelihood(predicted):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 2))
    y = rng.poisson(np.exp(0.5 + X @ [0.4, -0.3])).astype(float)
    table = ExampleSet.from_numpy(X, y)

    def loss(b):
        score = b[0] + X @ b[1:]
        return (np.exp(score) - y * score).sum()

    best = minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-8}).x
    model = generalized_linear_model(table, family="poisson", max_iterations=5000)
    assert predicted(model, table) == pytest.approx(np.exp(best[0] + X @ best[1:]), rel=1e-3)
