"""The one rule for equal scores."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fsops.algorithms.base.ranking import (
    TOLERANCE,
    average_places,
    best,
    best_first,
    descending_order,
    tie_groups,
)


def order_by_definition(scores):
    """Return the order group by group: the best one left, all that are near it, by position."""
    left = [place for place, score in enumerate(scores) if not np.isnan(score)]
    order = []
    while left:
        top = max(scores[place] for place in left)
        group = [
            place
            for place in left
            if scores[place] == top
            or (np.isfinite(top) and top - scores[place] <= TOLERANCE * abs(top))
        ]
        order += group
        left = [place for place in left if place not in group]
    return order + [place for place, score in enumerate(scores) if np.isnan(score)]


NEAR = [1.0, 1.0 + 4e-13, 1.0 - 4e-13, 1.0 + 1.2e-12, 1.0 + 2e-12, 1.0 - 3e-12]
scores = st.lists(
    st.sampled_from(
        [*NEAR, *(-value for value in NEAR), 0.0, -0.0, np.nan, np.inf, -np.inf, 5e-324]
    )
    | st.floats(allow_nan=True, allow_infinity=True),
    max_size=40,
)


@given(scores)
def test_the_order_is_that_of_the_definition(values):
    assert best_first(np.array(values)).tolist() == order_by_definition(values)


@given(scores, st.integers(0, 45))
def test_the_best_are_the_first_of_the_order(values, k):
    found = best(np.array(values), k)
    assert found.positions.tolist() == order_by_definition(values)[:k]


@given(scores, st.integers(1, 45))
def test_a_tie_across_the_cut_is_counted(values, k):
    array, order = np.array(values), order_by_definition(values)
    known = len([value for value in values if not np.isnan(value)])
    found = best(array, k).tied
    if k >= known:
        assert found == 0
        return
    groups = tie_groups(np.sort(array[~np.isnan(array)])[::-1])
    inside = groups[k - 1] == groups[k]
    assert found == (int((groups == groups[k]).sum()) if inside else 0)
    assert len(order) == len(values)


def test_a_long_chain_of_near_scores_is_not_one_tie():
    chain = 1.0 - np.arange(10) * 0.6e-12
    assert tie_groups(chain).tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]


def test_rounding_does_not_decide_who_is_selected():
    """Six attributes have the same score, 1/149, in exact arithmetic (numbers.md, N5)."""
    from fsops import ExampleSet, operators

    X = np.zeros((300, 6))
    X[range(6), range(6)] = [3, 7, 11, 13, 17, 19]
    for factor in (1.0, 1 / 3, 1e-9, 7e11):
        examples = ExampleSet.from_numpy(X * factor, np.array(["p"] * 150 + ["n"] * 150))
        weights = operators.weight_by_lal_score(examples)
        assert operators.select_top_k(weights, k=2).values.tolist() == [1, 1, 0, 0, 0, 0]


def test_each_row_of_a_matrix_is_ordered_by_itself():
    matrix = np.array([[1.0, 3.0, 3.0 + 1e-13], [0.0, -1.0, np.nan]])
    assert descending_order(matrix).tolist() == [[1, 2, 0], [0, 1, 2]]


def test_tied_weights_share_their_mean_place():
    assert average_places(np.array([2.0, 1.0, 2.0 + 1e-13, 0.0])).tolist() == [1.5, 3.0, 1.5, 4.0]


@pytest.mark.parametrize("size", [0, 1])
def test_nothing_and_one_score_have_an_order(size):
    assert best_first(np.ones(size)).tolist() == list(range(size))
