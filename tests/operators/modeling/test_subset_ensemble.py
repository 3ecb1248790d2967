"""Classifiers on different attributes decide together."""

import pickle
from functools import partial

import numpy as np
import pytest

from fsops import ExampleSet, Process, run
from fsops.errors import DataError
from fsops.operators import (
    apply_model,
    cross_validation,
    ensemble_of_classifiers,
    k_nn,
    logistic_regression,
    naive_bayes,
    performance_classification,
    weight_by_correlation,
    weight_by_f_test,
    weight_by_information_gain,
    weight_by_relieff,
)

RULES = ("majority", "weighted majority", "average", "sum", "product", "minimum", "maximum")
SELECTIONS = [weight_by_f_test, weight_by_relieff, weight_by_information_gain]


def only(*names):
    """Return a selection of these attributes."""
    return lambda examples: examples.weights(np.ones(len(names)), names=names)


SUBSETS = [("petal length (cm)",), ("sepal length (cm)", "petal width (cm)"), ("sepal width (cm)",)]


@pytest.fixture
def members(iris, confidences):
    """Return the confidences of naive Bayes on each subset."""
    return np.stack([confidences(naive_bayes(iris.select_regular(s)), iris) for s in SUBSETS])


def combined(iris, rule, **more):
    return ensemble_of_classifiers(
        iris, naive_bayes, [only(*s) for s in SUBSETS], rule=rule, **more
    )


@pytest.mark.parametrize(
    ("rule", "by_hand"),
    [
        ("average", lambda d: d.mean(axis=0)),
        ("sum", lambda d: d.sum(axis=0)),
        ("product", lambda d: d.prod(axis=0)),
        ("minimum", lambda d: d.min(axis=0)),
        ("maximum", lambda d: d.max(axis=0)),
        ("majority", lambda d: (d.argmax(axis=2)[:, :, None] == np.arange(3)).mean(axis=0)),
    ],
)
def test_rules_combine_the_classifiers_of_the_subsets(rule, by_hand, iris, members, confidences):
    expected = by_hand(members)
    found = confidences(combined(iris, rule).model, iris)
    assert found == pytest.approx(expected / expected.sum(axis=1, keepdims=True), abs=1e-6)


def test_weights_of_votes_come_from_cross_validated_errors(iris, predicted):
    model = combined(iris, "weighted majority", number_of_folds=5).model
    weights = model.predictor.weights
    assert len(weights) == 3
    # Petal length predicts iris far better than sepal width.
    assert weights[0] > 2 * weights[2] > 0
    assert predicted(model, iris).tolist() == [
        int(np.bincount(votes, weights, minlength=3).argmax())
        for votes in np.stack(
            [predicted(naive_bayes(iris.select_regular(s)), iris) for s in SUBSETS], axis=1
        )
    ]


def test_error_is_that_of_the_learner_on_the_subset(iris):
    def sure(examples):
        return naive_bayes(examples)

    subset = [only("petal length (cm)")]
    model = ensemble_of_classifiers(iris, sure, subset, rule="weighted majority").model
    error = 1 / (1 + np.exp(model.predictor.weights[0]) / 2)  # two other classes
    assert round(error * 150, 6) == pytest.approx(round(error * 150))
    assert 0.02 < error < 0.1


def test_best_attributes_of_each_selection_are_used(iris):
    seen = []

    def learn(examples):
        seen.append(examples.schema.regular_names)
        return naive_bayes(examples)

    ensemble_of_classifiers(iris, learn, SELECTIONS, k=2)
    expected = [set(selection(iris).top(2)) for selection in SELECTIONS]
    assert [set(names) for names in seen] == expected


def test_one_selection_on_resamples_gives_a_classifier_for_each(iris):
    found = ensemble_of_classifiers(iris, naive_bayes, [weight_by_f_test], iterations=6, k=1)
    assert len(found.model.predictor.models) == 6
    assert len(found.members) == 6
    assert found.members[5].origin == "Selection 1, resample 6"


def test_equal_members_predict_like_one(iris, confidences):
    one = confidences(naive_bayes(iris), iris)
    for rule in RULES[2:]:
        model = ensemble_of_classifiers(iris, naive_bayes, [only(*iris.schema.regular_names)] * 3,
                                        rule=rule).model  # fmt: skip
        assert confidences(model, iris).argmax(axis=1).tolist() == one.argmax(axis=1).tolist()


def test_minimum_and_maximum_agree_on_two_classes(iris, predicted):
    two = iris.take(np.flatnonzero(iris.label_values() > 0))
    selections = [only(*s) for s in SUBSETS]
    low, high = (
        predicted(ensemble_of_classifiers(two, naive_bayes, selections, rule=rule).model, two)
        for rule in ("minimum", "maximum")
    )
    assert low.tolist() == high.tolist()


def test_ties_go_to_the_more_sure_and_then_to_the_more_frequent_class():
    examples = ExampleSet.from_numpy(
        np.array([[0, 0.0], [0, 1], [1, 1], [1, 1], [1, 0]]), ["x", "x", "y", "y", "y"],
        names=["a", "b"],
    )  # fmt: skip
    learner = partial(k_nn, number_of_neighbors=3, weighted_vote=False)
    model = ensemble_of_classifiers(examples, learner, [only("a"), only("b")]).model
    # a says x, b says y for the row (0, 1): one vote each, both with two neighbors of three.
    tie = model.apply(examples.take(np.array([1])))
    assert tie.column("confidence(x)") == pytest.approx([0.5])
    assert tie.column("prediction(label)").tolist() == [1]


@pytest.mark.parametrize("rule", RULES)
def test_model_survives_pickling_and_an_empty_table(rule, iris, confidences):
    model = combined(iris, rule, number_of_folds=3).model
    again = pickle.loads(pickle.dumps(model))  # noqa: S301 - our own bytes
    assert confidences(again, iris).tolist() == confidences(model, iris).tolist()
    assert len(model.apply(iris.take(np.array([], dtype=int)))) == 0


def test_model_can_be_kept_in_the_cache(iris, confidences):
    from fsops.engine.cache.codec import decode, encode

    model = combined(iris, "product").model
    again = decode(encode(model))
    assert confidences(again, iris).tolist() == confidences(model, iris).tolist()


def test_it_is_a_learner_in_a_validation(iris):
    def train(examples):
        return ensemble_of_classifiers(examples, naive_bayes, SELECTIONS, k=1, rule="average").model

    def test(model, examples):
        return performance_classification(apply_model(model, examples))

    found = cross_validation(iris, train, test, number_of_folds=3)
    assert found.performance.main.mean > 0.9


def test_it_runs_in_a_process(iris):
    process = Process()
    node = process.add(ensemble_of_classifiers, process.source("input 1"), k=2)
    learner = node.inner("learner")
    learner.result(learner.add(logistic_regression, learner.source()))
    for inner, selection in [
        (node.inner("Selection 1"), weight_by_f_test),
        (node.add_inner(), weight_by_relieff),
    ]:
        inner.result(inner.add(selection, inner.source()))
    process.result(node)
    model = run(process, iris)[0]
    assert len(model.predictor.models) == 2


def test_weights_below_0_are_not_used_unless_told_to(iris):
    def relief(rows):
        return rows.weights([0.2, -0.9, 0.1, -0.3])

    seen = []

    def learn(examples):
        seen.append(examples.schema.regular_names)
        return naive_bayes(examples)

    names = iris.schema.regular_names
    ensemble_of_classifiers(iris, learn, [relief], k=3)
    ensemble_of_classifiers(iris, learn, [relief], k=3, use_absolute_weights=True)
    assert seen == [(names[0], names[2]), (names[0], names[1], names[3])]


def test_impossible_requests_are_told(iris, diabetes, refused):
    with refused("There is no selection", "inner processes"):
        ensemble_of_classifiers(iris, naive_bayes, [])
    with refused("Selection 2 gave no attribute a weight above 0", "keep at least one"):
        ensemble_of_classifiers(
            iris, naive_bayes, [weight_by_f_test, lambda rows: rows.weights(np.zeros(4))]
        )
    with pytest.raises(DataError, match="nominal|classes"):
        ensemble_of_classifiers(diabetes, naive_bayes, [weight_by_correlation])
    with refused("200 folds need at least 200 rows, but there are 150", "at most 150"):
        combined(iris, "weighted majority", number_of_folds=200)
    with refused("does not predict", "learner for this label"):
        wrong = partial(_regress, diabetes)
        ensemble_of_classifiers(iris, wrong, [weight_by_f_test]).model.apply(iris)


def _regress(other, examples):
    """Return a model for another label on the same attributes."""
    from fsops.operators import linear_regression

    names = list(examples.schema.regular_names)
    numbers = ExampleSet.from_numpy(examples.numeric(), examples.numeric()[:, 0], names=names)
    return linear_regression(numbers).model


def eight_classes():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 8, 90)
    X = rng.normal(size=(90, 4)) * 2
    X[:, 0] += 2 * y
    X[:, 1] += y
    return ExampleSet.from_numpy(X, np.array([f"c{v}" for v in y]))


def test_members_that_beat_chance_with_eight_classes_have_a_vote():
    one = [lambda rows, j=j: rows.weights(np.eye(4)[j]) for j in range(2)]
    found = ensemble_of_classifiers(eight_classes(), naive_bayes, one, rule="weighted majority")
    assert min(found.model.predictor.weights) > 0


def test_votes_of_members_that_only_guess_are_warned_of(listening):
    X = np.repeat(np.arange(20.0), 2) + np.tile([0, 0.1], 20)
    noise = ExampleSet.from_numpy(X[:, None], np.array(["a", "b"] * 20))
    heard = listening()
    members = [lambda rows: rows.weights([1.0])] * 2
    ensemble_of_classifiers(
        noise, partial(k_nn, number_of_neighbors=1), members, rule="weighted majority", ctx=heard
    )
    assert heard.warnings == [
        "No classifier predicts better than chance: all votes count the same."
    ]
