"""Instructions with vectors give the numbers of numpy, for each number of vectors."""

import numpy as np
import pytest

from fsops.algorithms.base.compiled import row_instructions as instructions
from fsops.algorithms.base.compiled.instructions import DOUBLES
from fsops.algorithms.base.compiled.radius import _places_of_bits

pytest.importorskip("numba", reason="the kernels need numba", exc_type=ImportError)

WIDTHS = [DOUBLES * count for count in range(1, instructions.MOST_VECTORS + 1)]
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
def test_differences_are_added_to_the_total(width, place):
    rng = np.random.default_rng(width)
    add = compiled(instructions.add_differences, 6)
    X = place(rng.standard_normal((9, width)))
    rows = rng.integers(0, 9, 9).astype(np.uint32)
    for begin, end in RANGES:
        total = place(rng.standard_normal(width))
        expected = total + np.abs(X[2] - X[rows[begin:end]]).sum(axis=0)
        add(X, 2, rows, begin, end, total)
        np.testing.assert_allclose(total, expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("place", [np.ascontiguousarray, at_odd_place])
@pytest.mark.parametrize("width", WIDTHS)
def test_weighted_larger_values_are_added_to_the_total(width, place):
    rng = np.random.default_rng(width)
    add = compiled(instructions.add_larger_values, 9)
    X, weights = place(rng.standard_normal((12, width))), rng.standard_normal((3, 9))
    columns = rng.integers(0, 9, 9).astype(np.uint8)
    for begin, end in RANGES:
        total, some = place(rng.standard_normal(width)), columns[begin:end].astype(int)
        expected = total + weights[1, some] @ np.maximum(X[2], X[3 + some])
        add(X, 2, 3, columns, begin, end, weights, 1, total)
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


@pytest.mark.parametrize(("begin", "end"), [(0, 0), (0, 16), (16, 48), (0, 128)])
@pytest.mark.parametrize("size", [0, 1, 7])
@pytest.mark.parametrize("line_of_f", [0, 2])
def test_larger_values_are_summed_for_several_rows(begin, end, size, line_of_f):
    rng = np.random.default_rng(end + size)
    add = compiled(instructions.add_larger_sums, 15)
    some = instructions.ROWS_AT_ONCE
    values = rng.integers(-(2**25), 2**25, (11, 12)).astype(np.int32)
    columns = at_odd_place(rng.integers(-(2**25), 2**25, (9, 128)).astype(np.int32))
    own = rng.integers(-(2**20), 2**20, (2, 140)).astype(np.int32)
    places = rng.integers(0, 11, some)
    sums = rng.integers(-9, 9, (some + 2, 128)).astype(np.int32)
    expected, lines, part = sums.copy(), slice(1, 1 + some), slice(begin, end)
    larger = np.maximum(values[places, 5 : 5 + size, None], columns[line_of_f : line_of_f + size])
    before = sums[lines] if line_of_f else -own[1, places, None] - own[1, 6 : 6 + 128]
    expected[lines, part] = (before + ((3 + larger.sum(axis=1)) >> 2))[:, part]
    add(values, places, 5, size, columns, line_of_f, begin, end, 6, own, 1, np.int32(3), 2, sums, 1)
    np.testing.assert_array_equal(sums, expected)


def test_moments_are_those_of_differences_from_the_center():
    rng = np.random.default_rng(5)
    add = compiled(instructions.add_moments, 6)
    lines = rng.integers(-(2**30), 2**30, (3, 128)).astype(np.int32)
    row, columns = np.empty((2, 8), dtype=np.int64), rng.integers(0, 9, (2, 128))
    differences = lines[1].astype(np.int64) - 17
    both = np.array([differences, differences**2 >> 7])
    expected = columns + both
    add(lines, 1, np.int32(17), 7, row, columns)
    np.testing.assert_array_equal(columns, expected)
    np.testing.assert_array_equal(row.sum(axis=1), both.sum(axis=1))


def bits_of(words):
    """128 bits of each two words."""
    return np.unpackbits(np.atleast_2d(words).view(np.uint8), axis=1, bitorder="little")


def test_marks_compare_a_line_with_limits_of_both_rows():
    rng = np.random.default_rng(6)
    mark = compiled(instructions.mark_line, 9)
    distances = rng.integers(0, 100, (4, 128)).astype(np.int32)
    low = rng.integers(20, 80, 140).astype(np.int32)
    high = low + (rng.random(140) < 0.2).astype(np.int32)
    counts, marks = np.zeros((2, 140), dtype=np.int32), np.zeros((4, 4), dtype=np.uint64)
    unsure, d, others = np.zeros(4, dtype=np.uint64), distances[3], slice(7, 135)
    mark(distances, 3, 7, low, high, counts, 1, marks, unsure)
    near, back = d <= low[3], d <= low[others]
    np.testing.assert_array_equal(bits_of(marks[3, :2])[0], near)
    np.testing.assert_array_equal(bits_of(marks[3, 2:])[0], back)
    np.testing.assert_array_equal(bits_of(unsure[:2])[0], near != (d <= high[3]))
    np.testing.assert_array_equal(bits_of(unsure[2:])[0], back != (d <= high[others]))
    np.testing.assert_array_equal(counts[1, others], back)
    assert counts.sum() == back.sum()
    assert not marks[:3].any()


def test_weights_of_a_line_are_those_of_both_directions():
    rng = np.random.default_rng(7)
    weigh = compiled(instructions.weigh_line, 11)
    marks = rng.integers(0, 2**63, (3, 4)).astype(np.uint64)
    there, back = rng.standard_normal(128), rng.standard_normal((2, 140))
    weights, row_sum, sums = np.zeros((4, 128)), np.empty(8), rng.standard_normal(150)
    before = sums.copy()
    weigh(marks, 2, there, back, 1, 5, weights, 3, row_sum, sums, 9)
    expected = bits_of(marks[2, :2])[0] * there + bits_of(marks[2, 2:])[0] * back[1, 5 : 5 + 128]
    np.testing.assert_array_equal(weights[3], expected)
    np.testing.assert_allclose(row_sum.sum(), expected.sum(), atol=1e-13)
    np.testing.assert_array_equal(sums[9 : 9 + 128], before[9 : 9 + 128] + expected)
    np.testing.assert_array_equal(sums[:9], before[:9])


@pytest.mark.parametrize("words", [[0, 0, 0, 0], [5, 0, 2, 1 << 63], [2**64 - 1] * 4])
def test_bits_of_either_direction_are_listed(words):
    listing = compiled(instructions.list_line, 5)
    marks = np.array([[0] * 4, words], dtype=np.uint64)
    columns, ends = np.zeros(150, dtype=np.uint8), np.array([0, 3, 0])
    listing(marks, 1, _places_of_bits(), columns, ends)
    expected = np.flatnonzero(bits_of(marks[1, :2] | marks[1, 2:])[0])
    np.testing.assert_array_equal(columns[3 : ends[2]], expected)


def test_arrays_with_gaps_are_refused():
    add = compiled(instructions.add_distances, 5)
    with pytest.raises(TypeError, match="one piece"):
        add(np.zeros((4, 16))[:, ::2], 0, 0, 4, np.zeros(4))
