"""Models and the attributes they were trained on."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import LinearSVC

from fsops.data import Attribute, EstimatorPredictor, ExampleSet, PredictionModel, ValueType
from fsops.data.columns import nominal_column
from fsops.data.model import GroupedModel


@pytest.fixture
def training():
    rng = np.random.default_rng(1)
    classes = np.array(["no", "yes"])[np.arange(20) % 2]
    X = rng.normal(size=(20, 2)) + 2 * (classes == "yes")[:, None]
    return ExampleSet.from_numpy(X, classes, names=["height", "width"], label="play")


def classifier(examples, estimator=None):
    codes = examples.label_values()
    fitted = (estimator or LogisticRegression()).fit(examples.numeric(), codes)
    predictor = EstimatorPredictor(fitted, len(examples.classes), tuple(fitted.classes_))
    return PredictionModel(predictor, examples.schema, "Logistic")


def test_a_prediction_and_a_confidence_for_each_class_are_added(training):
    model = classifier(training)
    applied = model.apply(training)
    expected = model.predictor.estimator.predict_proba(training.numeric())
    assert applied.names[3:] == ("prediction(play)", "confidence(no)", "confidence(yes)")
    assert np.array_equal(applied.column("confidence(yes)"), expected[:, 1])
    assert np.array_equal(applied.column("prediction(play)"), expected.argmax(axis=1))
    assert applied.schema.special("prediction").categories == ("no", "yes")
    assert applied.schema.regular_names == ("height", "width")


def test_a_number_is_predicted_for_a_numerical_label():
    X = np.arange(10.0).reshape(5, 2)
    examples = ExampleSet.from_numpy(X, X @ [1.0, 2.0] + 3)
    fitted = LinearRegression().fit(X, examples.label_values())
    applied = PredictionModel(EstimatorPredictor(fitted), examples.schema).apply(examples)
    assert np.allclose(applied.column("prediction(label)"), examples.label_values())
    assert applied.schema.special("prediction").value_type is ValueType.REAL


def test_without_probabilities_confidences_rise_with_the_decision_values(training):
    model = classifier(training, LinearSVC())
    applied = model.apply(training)
    decisions = model.predictor.estimator.decision_function(training.numeric())
    assert applied.column("confidence(yes)") == pytest.approx(1 / (1 + np.exp(-decisions)))
    assert np.array_equal(applied.column("prediction(play)"), decisions > 0)


def test_an_estimator_can_be_taken_as_sure(training):
    fitted = LogisticRegression().fit(training.numeric(), training.label_values())
    predictor = EstimatorPredictor(fitted, 2, (0, 1), sure=True)
    applied = PredictionModel(predictor, training.schema).apply(training)
    sure = applied.column("confidence(yes)")
    assert set(sure.tolist()) == {0.0, 1.0}
    assert np.array_equal(sure, applied.column("prediction(play)"))


def test_values_no_estimator_takes_are_named_before_it_sees_them(training, refused):
    model = classifier(training)
    height = training.column("height")
    for wrong, words in ((np.nan, "missing"), (np.inf, "infinite")):
        values = np.where(np.arange(20) == 3, wrong, height)
        with refused('"height"', words, "Replace"):
            model.apply(training.with_columns([(Attribute("height"), values)]))


def test_a_table_without_rows_gets_an_empty_prediction(training):
    applied = classifier(training).apply(training.take([]))
    assert applied.column("confidence(yes)").shape == (0,)


def test_a_group_is_applied_in_order_and_takes_groups_apart(training):
    first = classifier(training)
    second = classifier(training, LogisticRegression(C=0.01))
    group = GroupedModel([first, GroupedModel([second])])
    assert group.models == (first, second)
    assert group.apply(training).equals(second.apply(training))
    assert group.name == "Group of Logistic, Logistic"


def test_a_class_that_was_not_seen_has_confidence_0(training):
    wider = Attribute.nominal("play", ["maybe", "no", "yes"], "label")
    codes = training.column("play") + 1
    applied = classifier(training.with_columns([(wider, codes)])).apply(training)
    assert applied.column("confidence(maybe)").tolist() == [0.0] * 20
    assert applied.schema.special("prediction").categories == ("maybe", "no", "yes")


def test_the_order_of_columns_and_further_ones_do_not_matter(training):
    model = classifier(training)
    other = training.with_columns([(Attribute("more"), np.ones(20))])
    other = other.select(["more", "width", "height"])
    expected = model.apply(training).column("confidence(yes)")
    applied = model.apply(other)
    assert np.array_equal(applied.column("confidence(yes)"), expected)
    assert applied.names[:3] == ("more", "width", "height")


def test_columns_that_are_not_there_are_named(training, refused):
    model = classifier(training)
    with refused('"height", "width"', "trained on"):
        model.apply(training.rename({"height": "Height", "width": "w"}))


def test_a_column_of_another_type_is_named(training, refused):
    other = training.with_columns([nominal_column("width", ["wide"] * 20)])
    with refused('"width"', "was real", "is binominal now", "convert"):
        classifier(training).apply(other)


def test_categories_that_were_not_seen_are_missing_to_the_model():
    seen = []

    def predictor(examples):
        seen.append(examples)
        return np.ones((len(examples), 2))

    training = ExampleSet.from_pandas(
        pd.DataFrame({"hue": ["red", "blue"], "play": ["no", "yes"]}), roles={"play": "label"}
    )
    test = ExampleSet.from_pandas(pd.DataFrame({"hue": ["pink", "red", "blue"]}))
    applied = PredictionModel(predictor, training.schema).apply(test)
    assert seen[0].nominal_values("hue") == [None, "red", "blue"]
    assert applied.nominal_values("hue") == ["pink", "red", "blue"]


def test_a_new_prediction_takes_the_place_of_an_earlier_one(training):
    once = classifier(training).apply(training)
    other = classifier(training.rename({"play": "win"}))
    twice = other.apply(once)
    assert twice.schema.special("prediction").name == "prediction(win)"
    assert "prediction(play)" not in twice.names
    assert sum(name.startswith("confidence(") for name in twice.names) == 2
    assert classifier(training).apply(once).equals(once)


def test_the_table_that_a_model_is_applied_to_is_left_alone(training):
    before = training.fingerprint()
    classifier(training).apply(training)
    assert training.fingerprint() == before


def test_a_model_needs_a_label(training, refused):
    with refused("label", "role label"):
        PredictionModel(lambda examples: None, training.drop(["play"]).schema)


def test_a_model_knows_what_it_needs(training):
    model = classifier(training)
    assert [a.name for a in model.attributes] == ["height", "width"]
    assert model.label.name == "play"
    assert repr(model) == "<PredictionModel Logistic for play on 2 attributes>"
