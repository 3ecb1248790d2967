"""AdaBoost, Stacking and MetaCost."""

import numpy as np
import pytest

import fsops
from fsops import ExampleSet
from fsops.errors import ParameterError
from fsops.operators import (
    adaboost,
    apply_model,
    decision_tree,
    linear_regression,
    logistic_regression,
    metacost,
    naive_bayes,
    stacking,
)
from fsops.operators.modeling.boosting import boosting_vote


def stump(examples, training_set=None):
    return decision_tree(examples, max_depth=1).model


@pytest.fixture
def diagonal():
    X = np.random.default_rng(0).uniform(-1, 1, size=(300, 2))
    return ExampleSet.from_numpy(X, np.where(X.sum(axis=1) > 0, "yes", "no"))


def test_boosted_stumps_predict_what_one_cannot(diagonal, predicted):
    with fsops.running(seed=1):
        one = stump(diagonal)
        many = adaboost(diagonal, stump, iterations=40)
    y = diagonal.label_values()
    assert (predicted(one, diagonal) == y).mean() < 0.85
    assert (predicted(many, diagonal) == y).mean() > 0.93


def test_weights_and_votes_follow_adaboost_m1(diagonal, predicted):
    seen = []

    def learner(training_set):
        seen.append(training_set)
        return stump(training_set)

    with fsops.running(seed=2):
        model = adaboost(diagonal, learner, iterations=3)
    weights = np.full(300, 1 / 300)
    for base, vote in zip(model.predictor.models, model.predictor.weights, strict=True):
        right = predicted(base, diagonal) == diagonal.label_values()
        error = weights[~right].sum()
        assert vote == pytest.approx(np.log((1 - error) / error))
        weights[right] *= error / (1 - error)
        weights /= weights.sum()
    assert [len(table) for table in seen] == [300] * 3
    assert boosting_vote(0.0) == 1e6
    assert boosting_vote(0.5) == 1.0


def test_the_last_learner_sees_the_predictions_of_the_others(iris, predicted):
    tables = []

    def last(stacking_examples):
        tables.append(stacking_examples)
        return naive_bayes(stacking_examples)

    model = stacking(iris, last, [naive_bayes, stump], keep_all_attributes=False)
    (table,) = tables
    assert [*table.schema.regular_names] == ["base_prediction1", "base_prediction2"]
    assert table.column("base_prediction1").tolist() == predicted(naive_bayes(iris), iris).tolist()
    assert (predicted(model, iris) == iris.label_values()).mean() > 0.9


def test_numbers_are_stacked(diabetes, predicted):
    def line(examples):
        return linear_regression(examples).model

    model = stacking(diabetes, line, [line, lambda t: line(t.select_regular(["bmi"]))])
    base = predicted(line(diabetes), diabetes)
    assert predicted(model, diabetes) == pytest.approx(base, rel=1e-3)


def test_the_cheapest_class_is_predicted(diagonal):
    def learner(training_set):
        return logistic_regression(training_set).model

    with fsops.running(seed=1):
        model = metacost(diagonal, learner, cost_matrix="[0 5; 1 0]", iterations=3)
    found = apply_model(model, diagonal)
    no, yes = found.column("confidence(no)"), found.column("confidence(yes)")
    expected = np.where(5 * yes < 1 * no, 0, 1)
    assert found.column("prediction(label)").tolist() == expected.tolist()
    with pytest.raises(ParameterError, match="for 3 classes"):
        metacost(diagonal, learner, cost_matrix="[0 1 1; 1 0 1; 1 1 0]")
