"""Moments of many sets of rows at once."""

import numpy as np
import pytest

from fsops.algorithms.base import resampled_moments
from fsops.algorithms.base.compiled import sets as compiled_sets
from fsops.algorithms.base.moments import ClassMoments, CrossMoments
from fsops.algorithms.base.resampled_moments import class_moments_of_sets, cross_moments_of_sets


def folds(n, number):
    """Return the counts of the rows in each training set of a cross-validation."""
    counts = np.ones((number, n))
    for fold in range(number):
        counts[fold, fold::number] = 0
    return counts


def bootstraps(n, number, rng):
    return np.array([np.bincount(rng.integers(0, n, n), minlength=n) for _ in range(number)], float)


def awkward(rng, n, p):
    """Return columns of many scales, far from zero, tied, constant, and equal to the class."""
    codes = np.arange(n) % 3
    X = rng.normal(size=(n, p)) * 10.0 ** rng.integers(-8, 9, p)
    X[:, 0] += 1e6 * np.abs(X[:, 0]).max()
    X[:, 1] = 7.0
    X[:, 2] = codes
    X[:, 3] = np.round(X[:, 3])
    X[:, 4] = codes * 1e5 + 1e-5 * rng.normal(size=n)
    return X, codes


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("draw", ["folds", "bootstraps"])
def test_each_set_has_the_moments_of_its_rows(order, dtype, draw):
    rng = np.random.default_rng(3)
    X, codes = awkward(rng, 61, 700)
    X = np.asarray(X, order=order).astype(dtype)
    counts = folds(61, 7) if draw == "folds" else bootstraps(61, 5, rng)
    found = class_moments_of_sets(X, codes, counts, 3)
    for number, times in enumerate(counts):
        rows = np.repeat(np.arange(61), times.astype(int))
        direct = ClassMoments.of(X[rows], codes[rows], 3)
        assert np.allclose(found.count[:, number], direct.count)
        means = found.origin + found.offset[:, number]
        assert np.all(np.abs(means - direct.mean) <= 1e-13 * np.abs(X).max(axis=0))
        scale = direct.ss.max(axis=0) + 1e-300
        assert np.all(np.abs(found.ss[:, number] - direct.ss) <= 1e-9 * scale)
        zero = direct.within() == 0
        assert np.array_equal(
            ClassMoments(
                found.count[:, number], found.origin, found.offset[:, number], found.ss[:, number]
            ).within()
            == 0,
            zero,
        )


def test_a_class_that_a_set_lacks_has_no_rows():
    X = np.random.default_rng(0).normal(size=(6, 4))
    counts = np.array([[1.0, 1, 1, 1, 0, 0]])
    found = class_moments_of_sets(X, np.array([0, 1, 0, 1, 2, 2]), counts, 3)
    assert found.count[2, 0, 0] == 0
    assert not found.ss[2].any()
    assert not found.offset[2].any()


def test_moments_with_a_target_are_those_of_the_rows():
    rng = np.random.default_rng(5)
    X, _ = awkward(rng, 40, 300)
    y = rng.normal(size=40) + 100
    counts = np.vstack([folds(40, 4), bootstraps(40, 4, rng)])
    found = cross_moments_of_sets(X, y, counts)
    for number, times in enumerate(counts):
        rows = np.repeat(np.arange(40), times.astype(int))
        direct = CrossMoments.of(X[rows], y[rows])
        assert np.allclose(found.mean_x[number], direct.mean_x, rtol=1e-12)
        assert np.allclose(found.ss_y[number], direct.ss_y, rtol=1e-10)
        spread = np.sqrt(direct.ss_x * direct.ss_y) + 1e-300
        assert np.all(np.abs(found.cross[number] - direct.cross) <= 1e-9 * spread)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("p", [1, 700])
@pytest.mark.parametrize("draw", ["folds", "bootstraps", "one of each class"])
def test_kernels_give_the_bits_of_numpy(monkeypatch, order, dtype, p, draw):
    pytest.importorskip("numba")
    rng = np.random.default_rng(6)
    X, codes = awkward(rng, 61, 700)
    X = np.asarray(X[:, :p], order=order).astype(dtype)
    counts = folds(61, 7) if draw == "folds" else bootstraps(61, 5, rng)
    if draw == "one of each class":
        counts[:, :] = np.arange(61) < 3
    found = []
    for compiled in (True, False):
        monkeypatch.setattr(compiled_sets, "take_sets", lambda X, sets, answer=compiled: answer)
        moments = class_moments_of_sets(X, codes, counts, 3)
        found.append([moments.origin, moments.offset, moments.ss])
    for kernel, numpy in zip(*found, strict=True):
        assert kernel.tobytes() == numpy.tobytes()


@pytest.mark.parametrize("draw", ["folds", "bootstraps"])
def test_sets_that_count_rows_alike_differ_from_single_rows_by_rounding_only(monkeypatch, draw):
    rng = np.random.default_rng(7)
    X, codes = awkward(rng, 61, 300)
    counts = folds(61, 5) if draw == "folds" else bootstraps(61, 5, rng)
    grouped = class_moments_of_sets(X, codes, counts, 3)
    monkeypatch.setattr(resampled_moments, "FEW", 1000)
    single = class_moments_of_sets(X, codes, counts, 3)
    size = np.abs(X).max(axis=0)
    assert np.all(np.abs(grouped.offset - single.offset) <= 1e-13 * size)
    assert np.allclose(grouped.ss, single.ss, rtol=1e-10, atol=0)
