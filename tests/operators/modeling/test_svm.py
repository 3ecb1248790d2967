"""Kernel methods, against scikit-learn."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from fsops import ExampleSet
from fsops.operators import kernel_ridge, performance, support_vector_machine


def standardized(table):
    return StandardScaler().fit_transform(table.numeric())


@pytest.mark.parametrize(("settings", "oracle"), [
    ({}, {"kernel": "linear"}),
    ({"kernel_type": "radial", "gamma": 0.3, "C": 5}, {"kernel": "rbf", "gamma": 0.3, "C": 5}),
    ({"kernel_type": "polynomial", "degree": 3}, {"kernel": "poly", "degree": 3, "coef0": 1.0}),
    ({"kernel_type": "neural", "coef0": 0.0}, {"kernel": "sigmoid"}),
])  # fmt: skip
def test_machines_are_libsvms(iris, halves, predicted, settings, oracle):
    train, test = halves(iris)
    scaler = StandardScaler().fit(train.numeric())
    svc = SVC(**{"gamma": "auto", **oracle}, break_ties=True)
    svc.fit(scaler.transform(train.numeric()), train.label_values())
    found = predicted(support_vector_machine(train, **settings).model, test)
    assert (found == svc.predict(scaler.transform(test.numeric()))).all()


def test_the_linear_kernel_tells_its_coefficients(iris):
    two = iris.take(iris.label_values() > 0)
    oracle = SVC(kernel="linear").fit(standardized(two), two.label_values())
    weights = support_vector_machine(two).weights
    assert weights.values == pytest.approx(np.abs(oracle.coef_[0]))
    assert support_vector_machine(two, kernel_type="rbf").weights is None


def test_confidences_rise_with_the_distance_from_the_border(iris, confidences):
    two = iris.take(iris.label_values() > 0)
    oracle = SVC(kernel="linear").fit(standardized(two), two.label_values())
    found = confidences(support_vector_machine(two).model, two)[:, 2]
    expected = 1 / (1 + np.exp(-oracle.decision_function(standardized(two))))
    assert found == pytest.approx(expected)


def test_numbers_are_fitted_too(diabetes, predicted):
    X = standardized(diabetes)
    oracle = SVR(kernel="linear", C=10, epsilon=0.5).fit(X, diabetes.label_values())
    found = support_vector_machine(diabetes, C=10, epsilon=0.5)
    assert predicted(found.model, diabetes) == pytest.approx(oracle.predict(X))
    assert found.weights.values == pytest.approx(np.abs(oracle.coef_[0]))


def test_a_hard_margin_leaves_no_error_where_there_need_be_none(iris, listening):
    apart = iris.take(iris.label_values() < 2)
    ctx = listening()
    model = support_vector_machine(apart, hard_margin=True, ctx=ctx).model
    assert performance(model.apply(apart)).main.mean == 1
    assert ctx.warnings == []


def test_the_user_is_told_when_a_hard_margin_cannot_be(listening):
    table = ExampleSet.from_numpy([[0.0], [1.0], [2.0], [3.0]], list("abab"))
    ctx = listening()
    support_vector_machine(table, hard_margin=True, ctx=ctx)
    assert any("wrong side" in warning and "hard_margin off" in warning for warning in ctx.warnings)


def test_a_costly_class_is_missed_less_often(iris, predicted):
    two = iris.take(iris.label_values() > 0)
    dear = support_vector_machine(two, class_weights={"virginica": 100.0}).model
    cheap = support_vector_machine(two, class_weights={"virginica": 0.01}).model
    rows = two.label_values() == 2
    assert (predicted(dear, two)[rows] == 2).all()
    assert (predicted(cheap, two)[~rows] == 1).all()


def test_no_cost_means_rapidminers(iris, predicted):
    X = standardized(iris)
    oracle = SVC(kernel="linear", C=1 / (X**2).sum(axis=1).mean(), break_ties=True)
    found = predicted(support_vector_machine(iris, C=0).model, iris)
    assert (found == oracle.fit(X, iris.label_values()).predict(X)).all()


def test_kernel_ridge_centres_the_label(diabetes, predicted):
    X, y = standardized(diabetes), diabetes.label_values()
    oracle = KernelRidge(alpha=2.0, kernel="rbf", gamma=0.1).fit(X, y - y.mean())
    model = kernel_ridge(diabetes, alpha=2.0, kernel_type="rbf", gamma=0.1)
    assert predicted(model, diabetes) == pytest.approx(oracle.predict(X) + y.mean())


def test_one_class_and_classes_for_a_regression_are_refused(iris, refused):
    with refused("two classes", '"setosa"'):
        support_vector_machine(iris.take(np.arange(10)))
    with refused("numerical label", "Support Vector Machine"):
        kernel_ridge(iris)
