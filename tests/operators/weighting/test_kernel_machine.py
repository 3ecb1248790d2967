"""What kernel machines lose without an attribute, against scikit-learn."""

import numpy as np
import pytest
from sklearn.svm import SVC

from fsops import Context, ExampleSet
from fsops.errors import ParameterError
from fsops.operators import (
    generate_data,
    recursive_feature_elimination,
    weight_by_kernel_machine,
)


def test_a_linear_machine_weighs_by_squared_coefficients(two_classes):
    X = two_classes.numeric()
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    peer = SVC(kernel="linear", C=0.5, tol=1e-9).fit(Z, two_classes.label_values())
    found = weight_by_kernel_machine(two_classes, kernel_type="linear")
    assert found.values == pytest.approx(peer.coef_[0] ** 2, abs=1e-6)


def test_elimination_with_a_kernel_keeps_what_matters_together():
    orange = generate_data(
        target_function="knife orange",
        number_of_rows=200,
        number_of_attributes=6,
        ctx=Context(seed=1),
    )
    kept = recursive_feature_elimination(
        orange.examples,
        lambda table: weight_by_kernel_machine(table, kernel_type="polynomial"),
        k=4,
        step="number",
    )
    assert set(kept.weights.selected()) == {"att1", "att2", "att3", "att4"}


def test_a_gaussian_machine_is_as_wide_as_it_is_told(two_classes):
    automatic = weight_by_kernel_machine(two_classes)
    told = weight_by_kernel_machine(two_classes, gamma=1 / 6)
    assert automatic.values == pytest.approx(told.values)
    narrow = weight_by_kernel_machine(two_classes, gamma=2.0)
    assert narrow.values != pytest.approx(told.values)


def test_numbers_are_for_kernel_ridge_only(refused):
    X = np.random.default_rng(0).normal(size=(20, 3))
    numbers = ExampleSet.from_numpy(X, X[:, 1])
    assert weight_by_kernel_machine(numbers).order()[0] == 1
    with refused('learner is "support vector machine"', "kernel ridge", error=ParameterError):
        weight_by_kernel_machine(numbers, learner="support vector machine")


def test_a_row_far_away_leaves_finite_weights():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(800, 1))
    x[0] = 60
    lonely = ExampleSet.from_numpy(x, np.array(["a", "b"])[np.arange(800) % 2])
    assert np.isfinite(weight_by_kernel_machine(lonely).values).all()
    codes = np.arange(60) % 2
    narrow = ExampleSet.from_numpy(rng.normal(size=(60, 4)), np.array(["a", "b"])[codes])
    found = weight_by_kernel_machine(narrow, gamma=100.0).values
    assert np.isfinite(found).all()
    assert (found > 0).all()


@pytest.mark.parametrize("learner", ["kernel ridge", "kernel logistic regression"])
def test_rows_that_occur_twice_in_a_steep_polynomial_can_be_weighed(learner):
    X = np.random.default_rng(0).normal(size=(30, 50))
    once = ExampleSet.from_numpy(X, np.where(X[:, 0] > 0, "yes", "no"))
    twice = once.take(np.tile(np.arange(30), 2))
    weights, again = (
        weight_by_kernel_machine(table, kernel_type="polynomial", degree=10, learner=learner)
        for table in (once, twice)
    )
    assert np.isfinite(again.values).all()
    if learner == "kernel ridge":  # both go through all rows, the penalty being next to nothing
        assert again.values == pytest.approx(weights.values, rel=1e-6)
