"""Counts of runs, and what an operator may ask before it runs."""

import pytest
from hypothesis import given, strategies as st

from fsops.core.declare.iterations import Count, Known, NotKnown
from fsops.data import ExampleSetMetaData

SMALL = st.integers(0, 50)
COUNTS = st.one_of(
    SMALL.map(Count.exactly),
    st.just(Count.unknown("no idea")),
    st.tuples(SMALL, SMALL).map(lambda pair: Count(min(pair), max(pair))),
    SMALL.map(lambda low: Count(low, None)),
)


def within(number, count):
    return count.low <= number and (count.high is None or number <= count.high)


def some_of(count, draw):
    high = count.low + 20 if count.high is None else count.high
    return draw(st.integers(count.low, high))


@given(COUNTS, COUNTS, st.data())
def test_bounds_hold_for_products_and_sums(one, two, data):
    a, b = some_of(one, data.draw), some_of(two, data.draw)
    assert within(a * b, one * two)
    assert within(a + b, one + two)


def test_what_never_runs_runs_nothing_inside():
    assert (Count.exactly(0) * Count.unknown("?")).is_exact


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (Count.exactly(12_000), "12,000"), (Count(5, 20), "5–20"), (Count(5, None), "≥5"),
        (Count.unknown("why"), "?"), (Count.exactly(0), "0"),
    ],
)  # fmt: skip
def test_counts_as_text(count, text):
    assert str(count) == text


def test_what_is_not_known_says_why():
    known = Known({"k": 3}, ExampleSetMetaData(), open={"folds": "a macro sets it"})
    assert known["k"] == 3
    with pytest.raises(NotKnown, match="a macro sets it"):
        known["folds"]
    with pytest.raises(NotKnown, match="number of rows"):
        _ = known.rows
    with pytest.raises(NotKnown, match="on the attributes"):
        _ = known.attributes
