"""Rows of a longer table in a form that is small enough to be sent."""

import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fsops.data.taken_rows import TakenRows

numbers = st.lists(st.integers(0, 40), max_size=60)


@given(numbers)
def test_numbers_come_back_in_their_order(rows):
    taken = TakenRows.of(np.array(rows, dtype=np.intp), 41)
    assert taken.numbers().tolist() == rows
    assert pickle.loads(pickle.dumps(taken)).numbers().tolist() == rows


@given(numbers, st.integers(0, 41), st.integers(0, 41))
def test_counts_of_neighbouring_rows(rows, one, other):
    first, last = sorted((one, other))
    taken = TakenRows.of(np.array(rows, dtype=np.intp), 41)
    counts = np.bincount(np.array(rows, dtype=np.intp), minlength=41)
    assert taken.counts(first, last).tolist() == counts[first:last].tolist()
    assert taken.counts_at(slice(first, last)).tolist() == counts[first:last].tolist()
    assert taken.counts_at(np.array([40, 0])).tolist() == counts[[40, 0]].tolist()
    inside = sorted(row - first for row in rows if first <= row < last)
    assert taken.within(first, last).tolist() == inside
    assert taken.before(first) == sum(row < first for row in rows)


@pytest.mark.parametrize(
    ("rows", "size"), [(np.arange(0, 80_000, 2), 10_000), (np.repeat(np.arange(80_000), 2), 80_000)]
)
def test_a_row_takes_a_bit_or_a_byte(rows, size):
    taken = TakenRows.of(rows, 80_000)
    assert taken.before(80_000) == len(rows)
    assert size <= len(pickle.dumps(taken)) < size + 1000
