"""When a search stops before its end."""

import itertools
import math

import pytest
from hypothesis import given, strategies as st

from fsops.algorithms.search.stopping import Stopped, Stopping


def rounds_before_stop(values, **rules):
    stopping = Stopping(**rules)
    best = -math.inf
    for number, value in enumerate(values):
        try:
            stopping.check()
        except Stopped:
            return number
        best = max(best, value)
        stopping.finish_round(best)
    return len(values)


def by_hand(values, tolerance, patience):
    """Return the same number from the whole history."""
    best = list(itertools.accumulate(values, max))
    counted, idle = best[0], 0
    for number, value in enumerate(best[1:], start=1):
        gained = value - counted > tolerance
        counted, idle = (value, 0) if gained else (counted, idle + 1)
        if idle >= patience:
            return number + 1
    return len(values)


VALUES = [1.0, 2.0, 2.0, 2.0, 5.0, 5.2, 5.4, 5.6]


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ({}, 8),
        ({"patience": 1}, 3),
        ({"patience": 2}, 4),
        ({"patience": 3}, 8),
        ({"tolerance": 0.0}, 3),
        ({"tolerance": 1.5}, 2),
        # Three gains of 0.2 are together one gain of more than 0.5.
        ({"tolerance": 0.5, "patience": 3}, 8),
        ({"tolerance": 0.7, "patience": 3}, 8),
        ({"tolerance": 0.7, "patience": 2}, 4),
        ({"tolerance": 100.0, "patience": 4}, 5),
    ],
)
def test_the_round_after_which_a_search_stops(rules, expected):
    assert rounds_before_stop(VALUES, **rules) == expected


@given(
    st.lists(st.integers(-5, 5), min_size=1, max_size=30),
    st.sampled_from([0.0, 1.0, 2.5]),
    st.integers(1, 4),
)
def test_stopping_while_searching_equals_cutting_the_history(values, tolerance, patience):
    found = rounds_before_stop(values, tolerance=tolerance, patience=patience)
    assert found == by_hand(values, tolerance, patience)


def test_undefined_values_never_improve_but_a_first_round_is_always_made():
    assert rounds_before_stop([-math.inf] * 5, patience=2) == 2


def test_the_time_ends_a_search_after_its_first_round():
    seconds = itertools.count()
    stopping = Stopping(max_seconds=3, clock=lambda: float(next(seconds)))
    stopping.check()  # the first round always begins: the clock is not asked
    stopping.finish_round(1.0)
    stopping.check()
    stopping.finish_round(2.0)
    stopping.check()
    with pytest.raises(Stopped):
        stopping.check()
    assert stopping.by_clock
    assert stopping.reason() == "Stopped by max_seconds=3 after 2 rounds."
