"""Models made of models."""

import numpy as np
import pytest

from fsops.operators import (
    apply_model,
    bagging,
    classification_by_regression,
    decision_tree,
    k_nn,
    lasso_regression,
    linear_regression,
    logistic_regression,
    naive_bayes,
    vote,
)


def tree(examples):
    return decision_tree(examples, use_local_random_seed=True).model


def logistic(examples):
    return logistic_regression(examples).model


def test_the_majority_decides(iris, halves, predicted):
    train, test = halves(iris)
    learners = [tree, logistic, naive_bayes]
    votes = np.array([predicted(learn(train), test) for learn in learners])
    expected = [np.bincount(column, minlength=3).argmax() for column in votes.T]
    labelled = vote(train, learners).apply(test)
    assert predicted(vote(train, learners), test).tolist() == expected
    share = (votes == 1).mean(axis=0)
    assert labelled.column("confidence(versicolor)") == pytest.approx(share)


def test_confidences_can_be_averaged(iris, confidences):
    expected = np.mean(
        [confidences(learn(iris), iris) for learn in (logistic, naive_bayes)], axis=0
    )
    model = vote(iris, [logistic, naive_bayes], voting="confidences")
    assert confidences(model, iris) == pytest.approx(expected)


def test_numbers_are_averaged(diabetes, predicted):
    def least(examples):
        return linear_regression(examples).model

    def lasso(examples):
        return lasso_regression(examples).model

    expected = (predicted(least(diabetes), diabetes) + predicted(lasso(diabetes), diabetes)) / 2
    assert predicted(vote(diabetes, [least, lasso]), diabetes) == pytest.approx(expected)


def test_bagging_trains_on_bootstraps_and_averages(iris, confidences):
    seen = []

    def learn(examples):
        seen.append(examples)
        return naive_bayes(examples)

    model = bagging(iris, learn, iterations=4)
    assert [len(rows) for rows in seen] == [135] * 4
    assert len({rows.fingerprint() for rows in seen}) == 4
    assert all(len(np.unique(rows.numeric(), axis=0)) < 120 for rows in seen)
    expected = np.mean([confidences(naive_bayes(rows), iris) for rows in seen], axis=0)
    assert confidences(model, iris) == pytest.approx(expected)


def test_a_committee_may_know_nominal_attributes(golf):
    model = bagging(golf, k_nn, iterations=3)
    assert apply_model(model, golf).column("confidence(yes)").max() > 0.5


def test_an_ensemble_without_members_is_refused(iris, refused):
    with refused("has no members", "inner processes"):
        vote(iris, [])


def test_the_class_with_the_largest_prediction_wins(iris):
    def learner(training_set):
        return linear_regression(training_set).model

    found = classification_by_regression(iris, learner).apply(iris)
    X = np.column_stack([np.ones(len(iris)), iris.numeric()])
    Y = np.where(iris.label_values()[:, None] == np.arange(3), 1.0, -1.0)
    expected = (X @ np.linalg.lstsq(X, Y, rcond=None)[0]).argmax(axis=1)
    assert found.column(f"prediction({iris.label.name})").tolist() == expected.tolist()
    assert found.column(f"confidence({iris.classes[0]})").tolist() == (expected == 0).tolist()
