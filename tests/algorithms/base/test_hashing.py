"""Hashes of columns."""

import numpy as np
import pytest

from fsops.algorithms.base.hashing import column_hashes


@pytest.fixture
def numbers():
    rng = np.random.default_rng(1)
    return rng.choice([0.0, 1.0, -1.0, 1e300, 5e-324, np.nan], size=(40, 3000))


def test_hashes_do_not_depend_on_the_layout_or_the_neighbours(numbers):
    hashes = column_hashes(numbers)
    assert (column_hashes(np.asfortranarray(numbers)) == hashes).all()
    assert (column_hashes(numbers[:, 7:9]) == hashes[7:9]).all()


def test_different_columns_have_different_hashes(numbers):
    different = len(np.unique(numbers.view(np.uint64), axis=1).T)
    assert len(np.unique(column_hashes(numbers))) == different


@pytest.mark.parametrize("dtype", [np.float64, np.int32])
def test_a_change_of_two_rows_changes_the_hash(dtype):
    column = np.arange(1, 31).astype(dtype)[:, None]
    changed = column.copy()
    changed[[3, 9]] *= -1  # sign bits cancel out in a plain sum
    swapped = column[::-1]
    assert len({int(column_hashes(c)[0]) for c in (column, changed, swapped)}) == 3
