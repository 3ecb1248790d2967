import statistics

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fsops.algorithms.base.grouping import FUNCTIONS, aggregated, first_of_equals, group_rows

BY_HAND = {
    "average": statistics.fmean,
    "median": statistics.median,
    "sum": sum,
    "product": np.prod,
    "minimum": min,
    "maximum": max,
    "variance": lambda x: statistics.variance(x) if len(x) > 1 else np.nan,
    "standard_deviation": lambda x: statistics.stdev(x) if len(x) > 1 else np.nan,
    "count": len,
    "mode": lambda x: min(statistics.multimode(x)),
    "first": lambda x: x[0],
}


@pytest.mark.parametrize("function", FUNCTIONS)
@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from([-2.5, 0.0, 1.0, 1.5, 4.0]))))
def test_functions_are_those_of_the_standard_library(function, rows):
    groups = np.array([group for group, _ in rows], dtype=np.intp)
    values = np.array([value for _, value in rows], dtype=float)
    found = aggregated(function, values, groups, 6)
    for group in range(6):
        mine = values[groups == group].tolist()
        empty = 0 if function == "count" else np.nan
        expected = BY_HAND[function](mine) if mine else empty
        assert found[group] == pytest.approx(expected, nan_ok=True)


def test_groups_are_sorted_and_begin_with_their_first_row():
    keys = np.array([[2, 1], [0, 5], [2, 1], [2, 0], [0, 5]])
    groups, first = group_rows(keys)
    assert groups.tolist() == [2, 0, 2, 1, 0]
    assert first.tolist() == [1, 3, 0]


def test_without_keys_all_rows_are_one_group():
    groups, first = group_rows(np.empty((3, 0), int))
    assert (groups.tolist(), first.tolist()) == ([0, 0, 0], [0])
    assert group_rows(np.empty((0, 0), int))[1].tolist() == []
    assert group_rows(np.empty((0, 2), int))[1].tolist() == []


def test_first_of_equals_are_found_in_each_group():
    values, groups = np.array([3, 1, 3, 3, 1, 2]), np.array([0, 0, 1, 0, 0, 1])
    assert first_of_equals(values, groups).tolist() == [0, 1, 2, 5]
