"""Sizes, splits and criteria of curves over the number of attributes."""

import numpy as np
import pytest

from fsops import ExampleSet
from fsops.errors import DataError, ParameterError
from fsops.operators import compare_feature_selections
from fsops.operators.validation.size_settings import (
    criterion_for,
    drawn_splits,
    grid,
    sizes_within,
)

SIZES = next(p for p in compare_feature_selections.operator.parameters if p.name == "sizes")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("1-4, 10", [1, 2, 3, 4, 10]),
        ("10-50 by 20", [10, 30, 50]),
        ("5 – 7,2, 6", [2, 5, 6, 7]),
        ([3, 1, 3], [1, 3]),
        (["1-2", 5], [1, 2, 5]),
        ("", []),
        ([], []),
    ],
)
def test_sizes_are_numbers_and_ranges(written, meant):
    assert SIZES.check(written) == meant


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("a few", '"a few" is not a number of attributes: write numbers or ranges'),
        ("0-3", '"0-3" is not a range'),
        ("0", '"0" is not a range'),
        ("5-2", '"5-2" is not a range'),
        ("1-9 by 0", '"1-9 by 0" is not a range'),
        ([1.5], '"1.5" is not a number of attributes'),
        ("1-999999", "stands for 999,999 numbers of attributes, more than the 10,000"),
    ],
)
def test_a_wrong_size_is_refused(written, message):
    with pytest.raises(ParameterError, match=message):
        SIZES.check(written)


def test_a_grid_ends_with_all():
    assert grid(7, 100) == [1, 2, 5, 7]
    assert grid(1, 100) == [1]
    assert grid(500, 100) == [1, 2, 5, 10, 20, 50, 100]
    assert grid(2000, 10**9) == [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000]


def test_more_than_all_is_all(listening):
    ctx = listening()
    assert sizes_within([1, 3, 8, 9], five(), 100, ctx) == [1, 3, 5]
    assert ctx.warnings == ["The data has 5 attributes: instead of 8, 9 all of them are judged."]
    with pytest.raises(DataError, match="no attributes to select from"):
        sizes_within([1], five().features([]), 100, ctx)


def test_attributes_to_keep_count_among_the_sizes(listening):
    ctx = listening()
    marked = five().with_mark(["a1", "a3"], "must_keep")
    assert sizes_within([1, 2, 4], marked, 100, ctx) == [2, 4]
    assert ctx.warnings == [
        "The smallest of the sizes is 1, but 2 attributes must be kept: these are kept."
    ]
    assert sizes_within([], marked, 100, ctx) == [2, 5]


def five():
    names = [f"a{j}" for j in range(5)]
    return ExampleSet.from_numpy(np.arange(20.0).reshape(4, 5), names=names)


def how(**given):
    return {
        "validation": "cross-validation",
        "number_of_folds": 5,
        "repetitions": 1,
        "split_on_batch_attribute": False,
        "number_of_splits": 20,
        "training_fraction": 0.9,
        "sampling": "automatic",
        **given,
    }


def test_every_repetition_deals_all_rows_anew(listening):
    table = ExampleSet.from_numpy(np.zeros((20, 1)), [0, 1] * 10)
    splits = drawn_splits(table, how(repetitions=3), listening())
    assert len(splits) == 15
    dealt = [tuple(tuple(s.test.tolist()) for s in splits[i : i + 5]) for i in (0, 5, 10)]
    assert all(sorted(sum(rows, ())) == list(range(20)) for rows in dealt)
    assert len(set(dealt)) == 3
    for split in splits:
        assert table.label_values()[split.test].sum() == 2  # half of the four rows
        assert not set(split.train) & set(split.test)


def test_random_splits_keep_the_shares_of_the_classes(listening):
    table = ExampleSet.from_numpy(np.zeros((40, 1)), [0] * 30 + [1] * 10)
    splits = drawn_splits(
        table, how(validation="random splits", training_fraction=0.8), listening()
    )
    assert len(splits) == 20
    assert {len(s.test) for s in splits} == {8}
    assert {int(table.label_values()[s.test].sum()) for s in splits} == {2}


def test_automatic_criteria_follow_the_label():
    classes = ExampleSet.from_numpy(np.zeros((4, 1)), ["a", "b"] * 2)
    numbers = ExampleSet.from_numpy(np.zeros((4, 1)), [0.5, 1, 2, 3])
    assert criterion_for(classes, "automatic")[0] == "classification_error"
    assert criterion_for(numbers, "automatic")[0] == "root_mean_squared_error"
    with pytest.raises(DataError, match="kappa does not suit .* which has numbers"):
        criterion_for(numbers, "kappa")
    with pytest.raises(DataError, match="correlation does not suit .* which has classes"):
        criterion_for(classes, "correlation")
    three = ExampleSet.from_numpy(np.zeros((3, 1)), ["a", "b", "c"])
    with pytest.raises(DataError, match="AUC needs two classes, but .* has 3"):
        criterion_for(three, "AUC")


def test_balanced_error_counts_classes_alike(of_classes):
    from fsops.operators.validation.predictions import predicted_classes

    table = of_classes("aaab", "aaba")
    _, measure = criterion_for(table, "balanced_error_rate")
    assert measure.compute(predicted_classes(table)) == pytest.approx(1 - (2 / 3 + 0) / 2)
    assert not measure.maximize


def test_auc_is_that_of_the_second_class(of_classes):
    from fsops.operators.validation.predictions import predicted_classes

    table = of_classes("aabb", "aabb", a=[0.9, 0.4, 0.5, 0.2], b=[0.1, 0.6, 0.5, 0.8])
    _, measure = criterion_for(table, "AUC")
    assert measure.compute(predicted_classes(table)) == pytest.approx(0.75)
    assert np.isnan(measure.compute(predicted_classes(of_classes("ab", "ab"))))


def test_auc_counts_rows_by_their_weights(of_classes):
    from fsops import Attribute, ValueType
    from fsops.operators.validation.predictions import predicted_classes

    table = of_classes("aabb", "aabb", a=[0.9, 0.4, 0.5, 0.2], b=[0.1, 0.6, 0.5, 0.8])
    weight = (Attribute("w", ValueType.REAL, "weight"), np.array([2.0, 1.0, 3.0, 0.0]))
    _, measure = criterion_for(table, "AUC")
    # Pairs with the row of 0.5: against 0.1 (2 times 3) it wins, against 0.6 (3 times) it loses.
    weighted = predicted_classes(table.with_columns([weight]))
    assert measure.compute(weighted) == pytest.approx(6 / 9)
