"""Rank sums are those of comparing all pairs, to the last bit, whatever way they are computed."""

import numpy as np
import pytest

from fsops.algorithms.base import compiled as kernels, rank_sums as rs
from fsops.algorithms.base.compiled import ranks

NAN = np.nan


def pairs(X, y):
    """U, class sizes and ties by comparing every row of class 1 with every row of class 0."""
    found = []
    for x in X.T.astype(np.float64):
        known = ~np.isnan(x)
        ones, zeros = x[known & (y == 1)], x[known & (y == 0)]
        u = (ones[:, None] > zeros).sum() + (ones[:, None] == zeros).sum() / 2
        times = np.unique(x[known], return_counts=True)[1].astype(float)
        found.append((u, ones.size, zeros.size, (times**3 - times).sum()))
    return np.array(found).T


def awkward(rng, n):
    """One column of every kind that has its own way through the code."""
    normal = rng.standard_normal((n, 4))
    holes = np.where(rng.random((n, 4)) < 0.2, NAN, normal)
    columns = [
        normal,
        normal.round(1),
        np.log2(rng.poisson(1.5, (n, 2)) + 1),
        rng.poisson(1.5, (n, 2)),
        normal[:, :2] + 1e9,
        normal[:, :2] * 1e-300,
        normal[:, :1] * 1e-318,
        normal[:, :2] * 1e300,
        holes,
        holes.round(),
        np.full((n, 1), 0.1),
        np.full((n, 1), NAN),
        np.where(np.arange(n) < n - 1, NAN, 1.0)[:, None],
        np.exp(20 * normal[:, :2]),
        np.where(np.arange(n) == 0, 1e200, normal[:, 0])[:, None],
        np.where(np.arange(n) == 0, 1e200, normal[:, 0].round())[:, None],
        np.where(rng.random(n) < 0.5, -0.0, 0.0)[:, None],
        np.where(rng.random(n) < 0.5, 1.0, np.nextafter(1.0, 2))[:, None],
        np.where(rng.random(n) < 0.1, np.inf, normal[:, 0])[:, None],
        np.where(rng.random(n) < 0.3, rng.choice([np.inf, -np.inf], n), NAN)[:, None],
    ]
    return np.concatenate(columns, axis=1)


@pytest.fixture(params=["numpy", "kernels"])
def way(request, monkeypatch):
    if request.param == "kernels":
        pytest.importorskip("numba", reason="the kernels need numba", exc_type=ImportError)
    compiled = request.param == "kernels"
    monkeypatch.setattr(kernels, "_worthwhile", lambda steps, least: compiled and steps > 0)


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("n", [1, 2, 31, 80, 300, 1100])
@pytest.mark.usefixtures("way")
def test_counts_are_those_of_all_pairs(n, order):
    rng = np.random.default_rng(n)
    X = np.asarray(awkward(rng, n), order=order)
    y = rng.permutation(np.arange(n) % 3 > 0).astype(int)
    sums = rs.rank_sums(X, y)
    found = np.stack([sums.u, sums.positive, sums.negative, sums.ties])
    np.testing.assert_array_equal(found, pairs(X, y))


@pytest.mark.usefixtures("way")
def test_long_columns_are_sorted_by_value(monkeypatch):
    monkeypatch.setattr(rs, "LONG", 50)
    rng = np.random.default_rng(1)
    X, y = awkward(rng, 400), rng.integers(0, 2, 400)
    sums = rs.rank_sums(X, y)
    found = np.stack([sums.u, sums.positive, sums.negative, sums.ties])
    np.testing.assert_array_equal(found, pairs(X, y))


@pytest.mark.usefixtures("way")
def test_single_precision_is_read_as_it_is():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((90, 20)).astype(np.float32)
    X[:, ::2] = X[:, ::2].round(1)
    y = rng.integers(0, 2, 90)
    np.testing.assert_array_equal(rs.rank_sums(X, y).u, pairs(X, y)[0])


@pytest.mark.usefixtures("way")
def test_tiles_do_not_change_the_counts(monkeypatch):
    rng = np.random.default_rng(3)
    X, y = awkward(rng, 320), rng.integers(0, 2, 320)
    whole = rs.rank_sums(X, y)
    monkeypatch.setattr(rs, "TILE_VALUES", 1)
    monkeypatch.setattr(rs, "LEAST_COLUMNS", 3)
    parts = rs.rank_sums(X, y)
    np.testing.assert_array_equal(parts.u, whole.u)
    np.testing.assert_array_equal(parts.ties, whole.ties)


@pytest.mark.parametrize("n", [1, 2, 80, 1100])
def test_lines_are_sorted_with_missing_values_last(n):
    pytest.importorskip("numba", reason="the kernels need numba", exc_type=ImportError)
    lines = np.ascontiguousarray(awkward(np.random.default_rng(n), n).T) + 0.0
    expected = np.sort(lines, axis=1)
    known = ranks.sort_lines(lines)
    np.testing.assert_array_equal(lines, expected)
    np.testing.assert_array_equal(known, (~np.isnan(expected)).sum(axis=1))


@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.usefixtures("way")
def test_one_class_has_no_pairs(label):
    sums = rs.rank_sums(np.arange(12.0).reshape(4, 3), np.full(4, label))
    assert sums.u.tolist() == [0, 0, 0]
    assert (sums.positive * sums.negative == 0).all()


def test_no_rows_and_no_columns():
    assert rs.rank_sums(np.empty((0, 3)), np.empty(0, dtype=int)).u.tolist() == [0, 0, 0]
    assert rs.rank_sums(np.empty((3, 0)), np.array([0, 1, 1])).u.size == 0
