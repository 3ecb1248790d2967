"""Instructions with vectors give the numbers of numpy, for each number of vectors."""

import numpy as np
import pytest

from fsops.algorithms.base.compiled import instructions

pytest.importorskip("numba", reason="the kernels need numba", exc_type=ImportError)

WIDTHS = [instructions.DOUBLES * count for count in range(1, instructions.MOST_VECTORS + 1)]
# Empty, one row, some, all.
RANGES = [(0, 0), (5, 6), (3, 8), (0, 9)]


def compiled(instruction, count):
    """A function that calls an instruction with so many arguments."""
    from numba import njit

    names = ", ".join(f"a{k}" for k in range(count))
    scope = {"instruction": instruction.compiled()}
    exec(f"def function({names}):\n    instruction({names})", scope)
    return njit(scope["function"])


def at_odd_place(values):
    """The same values, beginning somewhere in a line of the cache."""
    raw = np.zeros(values.size + 1, dtype=values.dtype)
    raw[1:] = values.ravel()
    return raw[1:].reshape(values.shape)


@pytest.mark.parametrize("place", [np.ascontiguousarray, at_odd_place])
@pytest.mark.parametrize("width", WIDTHS)
def test_weighted_differences_are_added_to_the_total(width, place):
    rng = np.random.default_rng(width)
    add = compiled(instructions.add_differences, 7)
    X = place(rng.standard_normal((9, width)))
    rows, weights = rng.integers(0, 9, 9).astype(np.uint32), rng.standard_normal(9)
    for begin, end in RANGES:
        total = place(rng.standard_normal(width))
        some = slice(begin, end)
        expected = total + weights[some] @ np.abs(X[2] - X[rows[some]])
        add(X, 2, rows, weights, begin, end, total)
        np.testing.assert_allclose(total, expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("place", [np.ascontiguousarray, at_odd_place])
@pytest.mark.parametrize("width", WIDTHS)
def test_distances_are_added_to_those_of_the_rows(width, place):
    rng = np.random.default_rng(width)
    add = compiled(instructions.add_distances, 5)
    X = place(rng.standard_normal((9, width)))
    for begin, end in RANGES:
        distances = rng.standard_normal(9)
        expected = distances.copy()
        expected[begin:end] += np.abs(X[begin:end] - X[7]).sum(axis=1)
        add(X, 7, begin, end, distances)
        np.testing.assert_allclose(distances, expected, rtol=1e-14)


def test_equal_distances_come_out_equal():
    """Ties must not depend on the place of a row."""
    add = compiled(instructions.add_distances, 5)
    X = np.tile(np.random.default_rng(1).standard_normal(48), (9, 1))
    X[0] = 0.1
    distances = np.zeros(9)
    add(X, 0, 0, 9, distances)
    assert distances[0] == 0
    assert np.unique(distances[1:]).size == 1


@pytest.mark.parametrize(("begin", "end"), [(0, 0), (0, 16), (16, 48), (0, 64)])
@pytest.mark.parametrize("size", [0, 1, 7])
def test_larger_values_are_summed_for_several_rows(begin, end, size):
    rng = np.random.default_rng(end + size)
    add = compiled(instructions.larger_sums, 9)
    values = rng.integers(-(2**25), 2**25, (11, 12)).astype(np.int32)
    columns = at_odd_place(rng.integers(-(2**25), 2**25, (7, 64)).astype(np.int32))
    places = rng.integers(0, 11, instructions.ROWS_AT_ONCE)
    sums = np.full((instructions.ROWS_AT_ONCE, 64), -1, dtype=np.int32)
    expected = sums.copy()
    larger = np.maximum(values[places, 5 : 5 + size, None], columns[:size]).sum(axis=1)
    expected[:, begin:end] = 3 + larger[:, begin:end]
    add(values, places, 5, columns, size, begin, end, np.int32(3), sums)
    np.testing.assert_array_equal(sums, expected)


def test_arrays_with_gaps_are_refused():
    add = compiled(instructions.add_distances, 5)
    with pytest.raises(TypeError, match="one piece"):
        add(np.zeros((4, 16))[:, ::2], 0, 0, 4, np.zeros(4))
