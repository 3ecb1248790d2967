"""Ranges of a given number of rows, against RapidMiner's rule written one row at a time."""

import numpy as np
import pytest

from fsops import ExampleSet
from fsops.algorithms.preparation.discretize import fixed_size
from fsops.errors import ParameterError
from fsops.operators import discretize_by_frequency, discretize_by_size


def limits_of(values, size, decreasing):
    """Return RapidMiner's limits: after each full range, midway to the next different value."""
    ordered = sorted(values, reverse=decreasing)
    found = set()
    for last in range(size - 1, len(ordered) - 1, size):
        further = [v for v in ordered[last + 1 :] if v != ordered[last]]
        if further:
            found.add((ordered[last] + further[0]) / 2)
    return sorted(found)


@pytest.mark.parametrize("direction", ["increasing", "decreasing"])
@pytest.mark.parametrize("size", [1, 3, 7, 100])
@pytest.mark.parametrize("scale", [1.0, 1e9, 1e-9])
def test_limits_follow_the_rule(direction, size, scale):
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.normal(size=40), rng.integers(0, 4, 40), np.ones(40)]) * scale
    X[:3, 0] = np.nan
    found = fixed_size(X, size, from_top=direction == "decreasing").cuts
    for j in range(3):
        known = X[~np.isnan(X[:, j]), j]
        expected = limits_of(known.tolist(), size, direction == "decreasing")
        assert found[np.isfinite(found[:, j]), j] == pytest.approx(expected, rel=1e-12)


def test_ranges_hold_the_rows_and_the_model_repeats_them():
    table = ExampleSet.from_numpy(np.arange(10.0)[:, None])
    found, model = discretize_by_size(table, size_of_bins=4)
    codes = found.column("att1")
    assert np.bincount(codes).tolist() == [4, 4, 2]
    down, _ = discretize_by_size(table, size_of_bins=4, sort_direction="decreasing")
    assert np.bincount(down.column("att1")).tolist() == [2, 4, 4]
    other = ExampleSet.from_numpy(np.array([[3.4], [3.6]]))
    assert model.apply(other).column("att1").tolist() == [0, 1]
    assert found.nominal_values("att1")[0] == "range1 [-∞ - 3.500]"


def test_it_is_not_the_same_as_by_frequency():
    table = ExampleSet.from_numpy(np.arange(10.0)[:, None])
    frequency, _ = discretize_by_frequency(table, number_of_bins=3, compatibility="rapidminer")
    size, _ = discretize_by_size(table, size_of_bins=4)
    assert frequency.column("att1").tolist() != size.column("att1").tolist()


def test_too_many_ranges_are_refused(refused):
    table = ExampleSet.from_numpy(np.zeros((10_002, 1)))
    with refused("size_of_bins=1 makes more than 10000 ranges", "at least 2", error=ParameterError):
        discretize_by_size(table, size_of_bins=1)
