"""Validation of selections: no row that is tested has been seen before."""

import math

import numpy as np
import pytest

from fsops import Attribute, AttributeWeights, ExampleSet
from fsops.operators import (
    apply_model,
    cross_validation,
    naive_bayes,
    performance,
    select_by_weights,
    select_top_k,
    weight_by_sam,
    wrapper_split_validation,
    wrapper_x_validation,
)


def measure(model, rows):
    return performance(apply_model(model, rows))


def best_ten(rows):
    return select_top_k(weight_by_sam(rows), k=10)


def noise(seed):
    """Return 40 rows × 10,000 attributes that have nothing to do with the two classes."""
    X = np.random.default_rng(seed).normal(size=(40, 10_000))
    return ExampleSet.from_numpy(X, np.arange(40) % 2)


def numbered(examples):
    rows = np.arange(float(len(examples)))
    return examples.with_columns([(Attribute("row", role="id"), rows)])


# --- the proof ------------------------------------------------------------------------------


def test_pure_noise_is_predicted_at_chance_inside_and_nearly_always_outside():
    """Selecting inside each fold gives a coin's accuracy; selecting before, a wonderful one.

    Six tables of 40 rows are 240 tested rows. A coin is right in half of them, with a standard
    deviation of √(0.25 / 240) = 3.2 %; three of them are the tolerance. Within one table the
    predictions hang together, because all folds learn from nearly the same rows: that is why single
    tables (28 % to 80 % here) differ by more than the 7.9 % of 40 independent tosses.
    """
    tables = [noise(seed) for seed in range(6)]
    honest = [
        wrapper_x_validation(table, best_ten, naive_bayes, measure).performance.main.mean
        for table in tables
    ]
    assert np.mean(honest) == pytest.approx(0.5, abs=3 * math.sqrt(0.25 / 240))

    chosen = select_by_weights(tables[0], best_ten(tables[0]))
    wrong = cross_validation(chosen, naive_bayes, measure).performance.main.mean
    # A coin is right in 36 or more of 40 rows once in 8 million times.
    assert wrong >= 0.9


def test_selection_and_learner_see_the_same_rows_and_never_a_tested_one(two_classes):
    weighed, learned, tested = [], [], []

    def weighting(rows):
        weighed.append(rows.column("row").tolist())
        return select_top_k(weight_by_sam(rows), k=2)

    def building(rows):
        learned.append(rows.column("row").tolist())
        return naive_bayes(rows)

    def evaluation(model, rows):
        tested.append(rows.column("row").tolist())
        return measure(model, rows)

    for validation in (wrapper_x_validation, wrapper_split_validation):
        for seen in (weighed, learned, tested):
            seen.clear()
        validation(numbered(two_classes), weighting, building, evaluation)
        assert weighed == learned
        for train, test in zip(weighed, tested, strict=True):
            assert set(train).isdisjoint(test)
            assert sorted(train + test) == list(range(40))
        if validation is wrapper_x_validation:
            assert sorted(row for rows in tested for row in rows) == list(range(40))


# --- results --------------------------------------------------------------------------------


def test_it_is_a_cross_validation_with_the_selection_in_its_training(two_classes, listening):
    def select_and_learn(rows):
        return naive_bayes(select_by_weights(rows, select_top_k(weight_by_sam(rows), k=2)))

    plain = cross_validation(
        two_classes, select_and_learn, measure, ctx=listening(wanted={"performance"})
    )
    wrapped = wrapper_x_validation(
        two_classes,
        lambda rows: select_top_k(weight_by_sam(rows), k=2),
        naive_bayes,
        measure,
        ctx=listening(),
    )
    assert wrapped.performance.equals(plain.performance)


def test_mean_weights_tell_how_steadily_an_attribute_was_chosen(two_classes):
    iterations = iter(range(4))

    def weighting(rows):
        second = "att2" if next(iterations) == 0 else "att3"
        return AttributeWeights(["att1", second, "att4"], [2.0, 1.0, np.nan])

    found = wrapper_x_validation(two_classes, weighting, naive_bayes, measure, number_of_folds=4)
    assert found.weights.names == two_classes.schema.regular_names
    assert found.weights.values.tolist() == [2.0, 0.25, 0.75, 0.0, 0.0, 0.0]
    assert found.weights.details["frequency"].tolist() == [1.0, 0.25, 0.75, 0.0, 0.0, 0.0]


def shown_to_the_learner(examples, weights, **parameters):
    seen = []

    def building(rows):
        seen.append(rows)
        return naive_bayes(rows)

    def evaluation(model, rows):
        seen.append(rows)
        return measure(model, rows)

    wrapper_split_validation(
        examples, lambda rows: weights, building, evaluation, sampling="linear sampling",
        **parameters,
    )  # fmt: skip
    return seen


def test_attributes_without_weight_go_and_values_stay_unless_asked_for(two_classes):
    weights = AttributeWeights(["att1", "att2", "att3"], [0.5, 0.0, -3.0])
    train, test = shown_to_the_learner(two_classes, weights)
    assert train.schema.regular_names == test.schema.regular_names == ("att1", "att3")
    expected = two_classes.numeric()[:, [0, 2]]
    assert np.array_equal(np.vstack([train.numeric(), test.numeric()]), expected)
    train, test = shown_to_the_learner(two_classes, weights, scale_by_weights=True)
    assert np.array_equal(np.vstack([train.numeric(), test.numeric()]), expected * [0.5, -3.0])


def test_plain_scores_drop_nothing_which_is_said(two_classes, listening):
    ctx = listening()
    wrapper_x_validation(
        two_classes, lambda rows: weight_by_sam(rows, signed=False), naive_bayes, measure, ctx=ctx
    )
    assert ctx.warnings == [
        "All weights differ from 0, so no attribute is dropped. Put a selection such as Select Top "
        "k after the weighting."
    ]


def test_a_selection_of_nothing_is_refused(two_classes, refused):
    def nothing(rows):
        return AttributeWeights(rows.schema.regular_names, np.zeros(6))

    with refused("no attribute a weight other than 0", "Select Top k"):
        wrapper_x_validation(two_classes, nothing, naive_bayes, measure)


def test_values_cannot_be_multiplied_by_infinity(two_classes, refused):
    def endless(rows):
        return AttributeWeights(["att1", "att2"], [np.inf, 1.0])

    with refused("infinite", '"att1"'):
        wrapper_x_validation(two_classes, endless, naive_bayes, measure, scale_by_weights=True)


def test_more_folds_than_rows_are_refused(two_classes, refused):
    with refused("10 folds need at least 10 rows", "at most 6"):
        wrapper_x_validation(two_classes.take(range(6)), best_ten, naive_bayes, measure)
