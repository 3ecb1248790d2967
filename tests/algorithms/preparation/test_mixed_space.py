"""Distances between rows with numbers and categories."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fsops.algorithms.preparation.mixed_space import MixedSpace


def by_hand(space_scale, a, b):
    """Return the distance of two rows ((numbers), (codes)) value by value; -1 differs from all."""
    numbers = sum(((x - z) / s) ** 2 for x, z, s in zip(a[0], b[0], space_scale, strict=True) if s)
    categories = sum(x != z or x < 0 for x, z in zip(a[1], b[1], strict=True))
    return np.sqrt(numbers + categories)


ROW = st.tuples(
    st.tuples(st.floats(-9, 9), st.floats(-9, 9)), st.tuples(st.integers(-1, 2), st.integers(-1, 1))
)
KNOWN = st.tuples(
    st.tuples(st.floats(-9, 9), st.floats(-9, 9)), st.tuples(st.integers(0, 2), st.integers(0, 1))
)


@given(KNOWN, ROW, st.tuples(st.floats(0.5, 3), st.just(0.0)))
@settings(deadline=None, max_examples=60)
def test_points_are_as_far_apart_as_the_rows(known, row, scale):
    space = MixedSpace.of(np.array(scale), np.array([3, 2]))
    points = [space.points(np.array([r[0]]), np.array([r[1]])) for r in (known, row)]
    found = np.linalg.norm(points[0] - points[1])
    assert found == pytest.approx(by_hand(scale, known, row), abs=1e-9)


def test_heom_of_the_worked_example():
    # Continuous (2, 4, 6), one category (a, b, a): d(1, 2) = sqrt(0.25 + 1).
    space = MixedSpace.of(np.array([4.0]), np.array([2]))
    points = space.points(np.array([[2.0], [4.0], [6.0]]), np.array([[0], [1], [0]]))
    assert np.linalg.norm(points[0] - points[1]) == pytest.approx(np.sqrt(1.25))
    assert np.linalg.norm(points[0] - points[2]) == pytest.approx(1.0)


def test_numbers_alone_stay_as_they_are():
    X = np.arange(6.0).reshape(3, 2)
    space = MixedSpace.of(np.ones(2), np.array([], dtype=np.intp))
    assert np.array_equal(space.points(X, np.empty((3, 0), dtype=np.int32)), X)
