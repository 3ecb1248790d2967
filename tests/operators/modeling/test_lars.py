"""Least angle regression."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, lars_path

from fsops import Process
from fsops.core.checks.validation import validate
from fsops.errors import DataError, ParameterError, PortError
from fsops.operators import lars, lars_change_model_parameters, linear_regression, retrieve
from fsops.plugins import plugins


@pytest.fixture(scope="module")
def diabetes():
    return retrieve(repository_entry="diabetes")


@pytest.fixture(scope="module")
def oracle(diabetes):
    """Return scikit-learn's LASSO path: norms at the knots and coefficients."""
    X = diabetes.numeric() - diabetes.numeric().mean(axis=0)
    X = X / np.linalg.norm(X, axis=0)
    y = diabetes.label_values()
    _, _, coefficients = lars_path(X, y - y.mean(), method="lasso")
    return np.abs(coefficients).sum(axis=0), coefficients


def test_lasso_path_on_diabetes_is_scikit_learns(diabetes, oracle):
    path = lars(diabetes).model.path
    norms, coefficients = oracle
    assert path.norms == pytest.approx(norms)
    for knot in range(len(norms)):
        assert path.coefficients(knot) == pytest.approx(coefficients[:, knot], abs=1e-7)


@pytest.mark.parametrize("t", [1.0, 100.0, 1000.0, 2000.0, 3400.0])
def test_changed_constraint_is_the_constrained_fit(diabetes, oracle, t):
    changed = lars_change_model_parameters(lars(diabetes).model, t=t)
    refitted = lars(diabetes, t=t)
    assert changed.weights.values == pytest.approx(refitted.weights.values, abs=1e-7)
    norms, coefficients = oracle
    at = [np.interp(t, norms, row) for row in coefficients]
    assert changed.weights.details["coefficient"] == pytest.approx(at, abs=1e-6)


@pytest.mark.parametrize("k", [1, 3, 7])
def test_number_of_attributes_is_kept(diabetes, k):
    changed = lars_change_model_parameters(lars(diabetes).model, max_attributes=k)
    assert len(changed.weights.selected()) == k
    assert changed.weights.equals(lars(diabetes, max_attributes=k).weights)


def test_end_of_the_path_is_least_squares(diabetes):
    model = lars(diabetes, method="lars").model
    X, y = diabetes.numeric(), diabetes.label_values()
    plain = LinearRegression().fit(X, y)
    predicted = model.apply(diabetes).column("prediction(label)")
    assert predicted == pytest.approx(plain.predict(X))


def test_constraint_beyond_a_stopped_path_is_told(diabetes):
    stopped = lars(diabetes, max_attributes=2).model
    with pytest.raises(ParameterError, match="fit it again without that constraint"):
        lars_change_model_parameters(stopped, max_attributes=5)


def test_two_classes_are_predicted():
    examples = retrieve(repository_entry="breast cancer")
    labelled = lars(examples, max_attributes=10).model.apply(examples)
    hits = labelled.column("prediction(label)") == examples.label_values()
    assert hits.mean() > 0.9


def test_three_classes_are_refused():
    with pytest.raises(DataError, match='two classes, but "label" has 3'):
        lars(retrieve(repository_entry="iris"))


def test_a_limit_of_0_means_no_limit_with_a_note(diabetes, listening):
    heard = listening()
    free = lars(diabetes)
    found = lars(diabetes, t=0, ctx=heard)
    assert found.weights.equals(free.weights)
    assert heard.warnings == ["t is 0: no limit, as in RapidMiner. Leave t empty to say so."]
    changed = lars_change_model_parameters(lars(diabetes).model, t=0)
    assert changed.weights.equals(free.weights)


def test_another_model_is_refused_by_name(diabetes):
    other = linear_regression(diabetes).model
    with pytest.raises(PortError, match="takes a LARS model, but got a .* of Linear Regression"):
        lars_change_model_parameters(other)
    registry = plugins().registry
    process = Process()
    table = process.add(registry["retrieve"], repository_entry="diabetes")
    model = process.add(registry["linear_regression"], table)
    process.result(process.add(registry["lars_change_model_parameters"], model))
    assert any("LARS model" in problem.message for problem in validate(process, registry))
