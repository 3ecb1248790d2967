"""Fronts, against the definition."""

import math

import numpy as np
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

from fsops.algorithms.search import pareto

clouds = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 25), st.integers(1, 3)),
    elements=st.integers(0, 5).map(float),  # few values, so that there are ties
)
relaxed = settings(deadline=None, max_examples=100)


def dominates(a, b):
    return all(a >= b) and any(a > b)


def plain_front(points):
    return [not any(dominates(other, point) for other in points) for point in points]


@relaxed
@given(clouds)
def test_the_front_is_who_nobody_dominates(points):
    assert pareto.front(points).tolist() == plain_front(points)


@relaxed
@given(clouds)
def test_ranks_peel_off_one_front_after_the_other(points):
    rank = pareto.ranks(points)
    for level in range(rank.max() + 1):
        left = points[rank >= level]
        assert plain_front(left) == (rank[rank >= level] == level).tolist()


@relaxed
@given(clouds, st.data())
def test_the_best_come_from_the_first_fronts(points, data):
    size = data.draw(st.integers(1, len(points)))
    chosen = pareto.best(points, size)
    rank = pareto.ranks(points)
    assert len(set(chosen.tolist())) == size
    assert sorted(rank[chosen].tolist()) == sorted(rank.tolist())[:size]


def test_crowding_by_hand():
    points = np.array([[0.0, 4.0], [1.0, 3.0], [3.0, 1.0], [4.0, 0.0]])
    assert pareto.crowding(points).tolist() == [math.inf, 0.75 + 0.75, 0.75 + 0.75, math.inf]
    assert pareto.crowding(np.array([[1.0, 1.0]])).tolist() == [math.inf]


def test_of_a_front_the_ends_stay_first():
    points = np.array([[2.0, 2.1], [0.0, 4.0], [2.1, 2.0], [4.0, 0.0], [1.0, 3.0]])
    assert set(pareto.best(points, 2).tolist()) == {1, 3}


def test_undefined_is_the_worst():
    points = np.array([[math.nan, 1.0], [0.0, 1.0]])
    assert pareto.front(points).tolist() == [False, True]
