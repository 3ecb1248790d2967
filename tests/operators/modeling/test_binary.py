"""Several classes by models of two, against scikit-learn."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from fsops import ExampleSet
from fsops.operators import logistic_regression, polynomial_by_binomial_classification


def learner(training_set):
    return logistic_regression(training_set, C=1.0).model


def test_one_against_all_is_scikit_learns(iris, confidences):
    model = polynomial_by_binomial_classification(iris, learner)
    X = iris.numeric()
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    peer = OneVsRestClassifier(LogisticRegression(max_iter=1000)).fit(Z, iris.label_values())
    assert confidences(model, iris) == pytest.approx(peer.predict_proba(Z), abs=1e-3)


def test_one_against_one_adds_the_confidences_of_all_pairs(iris, confidences):
    model = polynomial_by_binomial_classification(
        iris, learner, classification_strategies="1 against 1"
    )
    y = iris.label_values()
    total = np.zeros((len(iris), 3))
    for a, b in ((0, 1), (0, 2), (1, 2)):
        rows = np.flatnonzero((y == a) | (y == b))
        pair = ExampleSet.from_numpy(iris.numeric()[rows], np.where(y[rows] == a, "a", "b"))
        base = learner(pair).apply(ExampleSet.from_numpy(iris.numeric()))
        total[:, a] += base.column("confidence(a)")
        total[:, b] += base.column("confidence(b)")
    assert confidences(model, iris) == pytest.approx(total / 3, abs=1e-6)
