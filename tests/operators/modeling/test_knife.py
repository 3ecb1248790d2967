"""Kernel machines on weighted attributes, against scikit-learn."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from fsops import AttributeWeights, ExampleSet
from fsops.errors import ParameterError
from fsops.operators import (
    generate_data,
    knife_model,
    weight_by_knife,
)

WEIGHTS = AttributeWeights(["att1", "att2", "att3", "att4", "att5", "att6"], [1, 0.5, 0, 0, 0.2, 0])


@pytest.fixture
def numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 6))
    return ExampleSet.from_numpy(X, np.sin(X[:, 0]) + 5)


def standardized(examples, others=None):
    X = examples.numeric()
    rows = X if others is None else others.numeric()
    return (rows - X.mean(axis=0)) / X.std(axis=0)


def test_kernel_ridge_solves_its_equations(numbers):
    train, test = numbers.take(range(20)), numbers.take(range(20, 30))
    found = knife_model(train, WEIGHTS, coefficient_penalty=0.3).apply(test)

    def kernel(A, B):
        apart = (A[:, None, :] - B[None, :, :]) * WEIGHTS.values
        return np.exp(-(apart**2).sum(axis=2))

    Z, T = standardized(train), standardized(train, test)
    system = np.block(
        [[kernel(Z, Z) + 0.3 * np.eye(20), np.ones((20, 1))], [np.ones((1, 20)), np.zeros((1, 1))]]
    )
    *a, b = np.linalg.solve(system, [*train.column("label"), 0.0])
    expected = kernel(T, Z) @ a + b
    assert found.column("prediction(label)") == pytest.approx(expected)


def test_the_support_vector_machine_is_libsvms(two_classes):
    train, test = two_classes.take(range(30)), two_classes.take(range(30, 40))
    model = knife_model(train, WEIGHTS, kernel_type="polynomial", coefficient_penalty=0.5)
    v = WEIGHTS.values**2
    Z, T = standardized(train), standardized(train, test)
    gram, others = (1 + (Z * v) @ Z.T) ** 2, (1 + (T * v) @ Z.T) ** 2
    peer = SVC(C=1.0, kernel="precomputed", tol=1e-9).fit(gram, train.label_values())
    confidence = model.apply(test).column("confidence(yes)")
    margin = np.log(confidence / (1 - confidence))
    assert margin == pytest.approx(peer.decision_function(others), abs=1e-4)
    assert len(model.predictor.rows) == len(peer.support_)


def test_kernel_logistic_regression_gives_probabilities(two_classes):
    ones = AttributeWeights(WEIGHTS.names, np.ones(6))
    model = knife_model(
        two_classes,
        ones,
        learner="kernel logistic regression",
        kernel_type="linear",
        coefficient_penalty=0.5,
    )
    Z = standardized(two_classes)
    peer = LogisticRegression(C=1.0, tol=1e-10).fit(Z, two_classes.label_values())
    confidence = model.apply(two_classes).column("confidence(yes)")
    assert confidence == pytest.approx(peer.predict_proba(Z)[:, 1], abs=1e-4)


@pytest.mark.parametrize("learner", ["automatic", "kernel ridge", "kernel logistic regression"])
def test_three_classes_are_told_apart(learner):
    rng = np.random.default_rng(1)
    codes = np.arange(60) % 3
    X = rng.normal(size=(60, 2))
    X[:, 0] += 5 * codes
    examples = ExampleSet.from_numpy(X, np.array(["c", "b", "a"])[codes])
    weights = AttributeWeights(["att1", "att2"], [1.0, 0.0])
    predicted = knife_model(examples, weights, learner=learner).apply(examples)
    right = predicted.column("prediction(label)") == examples.label_values()
    assert right.mean() > 0.9
    confidences = sum(predicted.column(f"confidence({c})") for c in "abc")
    assert confidences == pytest.approx(np.ones(60))


def test_it_predicts_the_orange_far_better_than_with_all_attributes():
    train, test = (
        generate_data(
            target_function="knife orange",
            number_of_rows=rows,
            number_of_attributes=10,
            use_local_random_seed=True,
            local_random_seed=rows,
        ).examples
        for rows in (100, 400)
    )
    chosen = weight_by_knife(train, kernel_type="polynomial", penalty=0.1, restarts=1)
    everything = AttributeWeights(chosen.names, np.ones(10))
    errors = []
    for weights in (chosen, everything):
        model = knife_model(train, weights, kernel_type="polynomial")
        predicted = model.apply(test)
        errors.append((predicted.column("prediction(label)") != test.label_values()).mean())
    assert errors[0] < 0.15 < errors[1]


def test_weights_above_one_are_divided_by_the_largest(numbers):
    tenfold = WEIGHTS.with_values(10 * WEIGHTS.values)
    found = [knife_model(numbers, w).apply(numbers) for w in (WEIGHTS, tenfold)]
    assert found[0].column("prediction(label)") == pytest.approx(
        found[1].column("prediction(label)")
    )


def test_attributes_without_a_weight_do_not_count(numbers):
    partial = AttributeWeights(["att1", "att2", "att5"], [1.0, 0.5, 0.2])
    found = [knife_model(numbers, w).apply(numbers) for w in (WEIGHTS, partial)]
    assert found[0].equals(found[1])


@pytest.mark.parametrize("kernel", ["linear", "gaussian", "polynomial"])
def test_without_any_weight_the_model_is_a_constant(numbers, two_classes, kernel):
    nothing = WEIGHTS.with_values(np.zeros(6))
    found = knife_model(numbers, nothing, kernel_type=kernel).apply(numbers)
    mean = numbers.column("label").mean()
    assert found.column("prediction(label)") == pytest.approx(np.full(30, mean))
    more = two_classes.take([0, 1, 2, 3, 5, 7])  # "yes" has the majority
    found = knife_model(more, nothing, kernel_type=kernel).apply(more)
    assert set(found.column("prediction(label)")) == {more.classes.index("yes")}


def test_constant_attributes_do_not_disturb(numbers):
    X = numbers.numeric().copy()
    X[:, 1] = 1e6
    examples = ExampleSet.from_numpy(X, numbers.column("label"))
    elsewhere = X.copy()
    elsewhere[:, 1] = -5.0
    model = knife_model(examples, WEIGHTS)
    found = [
        model.apply(ExampleSet.from_numpy(rows)).column("prediction(label)")
        for rows in (X, elsewhere)
    ]
    assert (found[0] == found[1]).all()


def test_unsuitable_weights_are_refused(numbers, refused):
    with refused("must be at least 0", '"att2"', "Select Top k"):
        knife_model(numbers, WEIGHTS.with_values([1, -1, 0, 0, 0, 0]))
    with refused('"att1", "att2" have others'):
        knife_model(numbers, WEIGHTS.with_values([np.inf, -1, 0, 0, 0, 0]))
    with refused("none of the attributes of the weights"):
        knife_model(numbers, AttributeWeights(["x"], [1.0]))


def test_unsuitable_rows_and_learners_are_refused(numbers, two_classes, refused):
    with refused("At least two classes", 'the class "no"'):
        knife_model(two_classes.take(two_classes.label_values() == 0), WEIGHTS)
    with refused("At least 3 rows"):
        knife_model(two_classes.take([0, 1]), WEIGHTS)
    with refused("is a number", "kernel ridge", error=ParameterError):
        knife_model(numbers, WEIGHTS, learner="kernel logistic regression")
    holes = numbers.numeric().copy()
    holes[0, 0] = np.nan
    with refused("missing"):
        knife_model(numbers, WEIGHTS).apply(ExampleSet.from_numpy(holes))
