"""The path of KNIFE's weights."""

import numpy as np
import pytest

from fsops.data.knife import KnifePath

WEIGHTS = np.array([[0.5, 0.9, 0.0], [0.4, 1.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.0]])
PENALTIES = np.array([0.0, 1.0, 2.0, 4.0])


def a_path(weights=WEIGHTS, kernel="gaussian"):
    order = np.array([1, 0, 2])
    return KnifePath("abc", PENALTIES, weights, np.arange(4.0), order=order, kernel=kernel)


def test_weights_at_a_step_and_past_the_end():
    assert a_path().at_step(2).values.tolist() == [0.4, 1.0, 0.0]
    assert a_path().at_step(99).values.tolist() == [0.0, 0.0, 0.0]
    assert a_path().at_step(1).names == ("a", "b", "c")


@pytest.mark.parametrize(("penalty", "step"), [(0.0, 1), (0.9, 1), (1.0, 2), (3.9, 3), (9.0, 4)])
def test_weights_at_a_penalty_are_those_of_the_step_below(penalty, step):
    path = a_path()
    assert path.at_penalty(penalty).values.tolist() == path.at_step(step).values.tolist()


@pytest.mark.parametrize(("attributes", "step"), [(5, 1), (2, 1), (1, 3), (0, 4)])
def test_weights_with_at_most_so_many_attributes(attributes, step):
    path = a_path()
    assert path.counts.tolist() == [2, 2, 1, 0]
    assert path.at_most(attributes).values.tolist() == path.at_step(step).values.tolist()


def test_a_path_that_ends_early_has_no_step_with_fewer_attributes():
    path = a_path(np.ones((4, 3)))
    assert path.at_most(1).values.tolist() == [1.0, 1.0, 1.0]


def test_the_table_has_a_row_for_each_weight_best_first():
    table = a_path().to_pandas()
    assert table["attribute"].tolist() == ["b", "a", "b", "a", "b"]
    assert table["step"].tolist() == [1, 1, 2, 2, 3]
    assert table["penalty"].tolist() == [0.0, 0.0, 1.0, 1.0, 2.0]
    assert table["attributes"].tolist() == [2, 2, 2, 2, 1]
    assert table["weight"].tolist() == [0.9, 0.5, 1.0, 0.4, 0.2]


def test_paths_are_equal_bit_for_bit():
    assert a_path().equals(a_path())
    assert not a_path().equals(a_path(WEIGHTS / 2))
    assert not a_path().equals(a_path(kernel="linear"))
    assert not a_path().equals("a path")


def test_weights_must_fit_penalties_and_attributes():
    with pytest.raises(ValueError, match="penalties x attributes"):
        a_path(WEIGHTS[:2])


def test_gap_iterations_and_settled_are_in_the_table_if_they_are_known():
    order = np.array([1, 0, 2])
    solved = {
        "gaps": np.array([0.0, 1e-6, 1e-5, 0.0]),
        "iterations": np.array([3, 4, 5, 1]),
        "settled": np.array([True, True, False, True]),
    }
    path = KnifePath(
        "abc", PENALTIES, WEIGHTS, np.arange(4.0), order=order, kernel="gaussian", **solved
    )
    table = path.to_pandas()
    assert table["iterations"].tolist() == [3, 3, 4, 4, 5]
    assert table["settled"].tolist() == [True] * 4 + [False]
    assert "gap" not in a_path().to_pandas()
    assert not path.equals(a_path())
