"""Curves over the number of attributes."""

import numpy as np
import pytest

from fsops.data import SizeCurves
from fsops.errors import DataError

SCORES = np.array(
    [
        [[0.4, 0.6], [0.1, 0.3], [0.2, 0.2], [0.1, 0.1]],
        [[0.5, 0.5], [0.3, 0.3], [np.nan, 0.2], [np.nan, np.nan]],
    ]
)


def curves(scores=SCORES, **given):
    sizes = [1, 2, 5, 10][: scores.shape[1]]
    names = ["SAM", "Relief"][: len(scores)]
    settings = {"criterion": "classification_error", "maximize": False, **given}
    return SizeCurves(names, sizes, scores, **settings)


def test_means_are_over_the_repetitions_that_have_a_value():
    found = curves()
    assert found.mean[0] == pytest.approx([0.5, 0.2, 0.2, 0.1])
    assert found.mean[1, :3] == pytest.approx([0.5, 0.3, 0.2])
    assert np.isnan(found.mean[1, 3])


def test_spread_needs_two_repetitions():
    found = curves()
    assert found.deviation[0] == pytest.approx([np.sqrt(0.02), np.sqrt(0.02), 0, 0])
    assert found.standard_error[0] == pytest.approx([0.1, 0.1, 0, 0])
    assert np.isnan(found.standard_error[1, 2:]).all()


@pytest.mark.parametrize("unit", [2.0**-800, 2.0**800])
def test_the_spread_of_huge_and_tiny_scores_has_all_digits(unit):
    np.testing.assert_array_equal(curves(SCORES * unit).deviation, curves().deviation * unit)


def test_the_best_size_is_chosen_and_of_equals_the_smallest():
    assert curves().choose() == (10, 5)
    tied = np.array([[[0.3, 0.1], [0.1, 0.3], [0.2, 0.2]]])
    assert curves(tied).choose() == (1,)


def test_equal_means_do_not_differ_by_the_order_of_their_sums():
    scores = np.array([[[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.3, 0.1, 0.2]]])
    assert curves(scores).choose() == (1,)


def test_one_standard_error_takes_the_smallest_that_is_about_as_good():
    # The best mean is 0.2 at 5 attributes with an error of 0.1: 0.3 is near enough, 0.31 is not.
    scores = np.array([[[0.31, 0.31], [0.3, 0.3], [0.1, 0.3]]])
    assert curves(scores).choose("one_standard_error") == (2,)
    assert curves(scores).choose("best") == (5,)


def test_larger_is_better_for_a_merit():
    scores = np.array([[[0.6, 0.6], [0.9, 0.7], [0.75, 0.75]]])
    merit = curves(scores, criterion="accuracy", maximize=True)
    assert merit.choose() == (2,)
    assert merit.choose("one_standard_error") == (2,)


def test_a_method_without_any_value_cannot_choose():
    with pytest.raises(DataError, match='"SAM" has no classification_error at any number'):
        curves(np.full((1, 2, 2), np.nan)).choose()


def test_the_table_has_a_row_for_each_method_and_size():
    found = curves(
        stability=np.array([[1, 0.5, 0.4, np.nan], [0.1, 0.2, 0.3, np.nan]]),
        chosen=[2, 5],
        seconds=np.array([[1.0, 3.0], [0.5, 0.5]]),
        learning_seconds=np.ones((2, 4)),
    )
    table = found.to_pandas()
    assert table["method"].tolist() == ["SAM"] * 4 + ["Relief"] * 4
    assert table["attributes"].tolist() == [1, 2, 5, 10] * 2
    assert table["kuncheva"].tolist()[:3] == [1, 0.5, 0.4]
    assert table["chosen"].tolist() == [False, True, False, False, False, False, True, False]
    assert table["seconds"].tolist() == [2.0] * 4 + [0.5] * 4
    assert table["learning_seconds"].tolist() == [1.0] * 8
    assert [*curves().to_pandas()] == [
        "method", "attributes", "classification_error", "standard_error",
    ]  # fmt: skip


def test_times_are_no_part_of_equality():
    slow, fast = (curves(seconds=np.full((2, 2), s), learning_seconds=None) for s in (9.0, 1.0))
    assert slow.equals(fast)
    assert slow.fingerprint() == fast.fingerprint()


@pytest.mark.parametrize(
    "other",
    [
        {"chosen": [1, 1]},
        {"criterion": "kappa"},
        {"maximize": True},
        {"stability": np.zeros((2, 4))},
        {"scores": SCORES + 1},
    ],
    ids=str,
)
def test_everything_else_is(other):
    assert not curves().equals(curves(**other))
    assert not curves().equals("curves")


def test_scores_must_fit():
    with pytest.raises(ValueError, match="methods x sizes x repetitions, got shape"):
        SizeCurves(["a"], [1, 2], np.zeros((1, 1, 3)), criterion="x", maximize=True)


def test_it_tells_what_it_is():
    assert repr(curves()) == "<SizeCurves of 2 selections at 4 sizes>"
    assert repr(curves(SCORES[:1])) == "<SizeCurves of 1 selection at 4 sizes>"
