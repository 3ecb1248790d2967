"""Tails are those of scipy, and of its own functions only: not of the values around them."""

import numpy as np
import pytest
from scipy import special, stats

from fsops.algorithms.base import compiled as kernels
from fsops.algorithms.statistics import tails

RANGES = [(1, 2), (2, 3), (3, 5), (5, 9), (9, 16), (16, 30), (30, 60), (60, 150), (150, 500)]
RANGES += [(500, 1e4), (1e4, 1e12), (1, 1e4), (7, 7), (30, 30), (500, 500)]


def values(rng, n, lowest):
    parts = (
        rng.standard_t(max(lowest, 2), n),
        3 * rng.standard_normal(n),
        10 ** rng.uniform(-20, 3, n),
    )
    return np.concatenate(parts)


@pytest.fixture(params=["numpy", "kernels"])
def way(request, monkeypatch):
    if request.param == "kernels":
        pytest.importorskip("numba", reason="the kernels need numba", exc_type=ImportError)
    compiled = request.param == "kernels"
    monkeypatch.setattr(kernels, "_worthwhile", lambda steps, least: compiled)


@pytest.mark.parametrize(("lowest", "highest"), RANGES)
@pytest.mark.usefixtures("way")
def test_t_is_that_of_scipy(lowest, highest):
    rng = np.random.default_rng(0)
    t = values(rng, 2000, lowest)
    df = rng.uniform(lowest, highest, t.size)
    expected = 2 * special.stdtr(df, -np.abs(t))
    np.testing.assert_allclose(tails.t_tail(t, df), expected, rtol=1e-11, atol=1e-300)


@pytest.mark.parametrize("between", [1, 2, 3, 4, 7, 10, 39, 40, 60])
@pytest.mark.parametrize("within", [1, 6, 47, 800])
@pytest.mark.usefixtures("way")
def test_f_is_that_of_scipy(between, within):
    rng = np.random.default_rng(1)
    f = 10 ** rng.uniform(-3, 3, 3000)
    expected = stats.f.sf(f, between, within)
    found = tails.f_tail(f, np.array([float(between)]), np.array([float(within)]))
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-300)


def test_f_with_freedom_of_its_own_for_each_value():
    rng = np.random.default_rng(2)
    f, within = rng.f(3, 40, 3000), rng.integers(5, 60, 3000).astype(float)
    between = np.where(rng.random(3000) < 0.1, 2.0, 3.0)
    np.testing.assert_allclose(
        tails.f_tail(f, between, within), stats.f.sf(f, between, within), rtol=1e-11
    )


def test_a_tiny_t_keeps_its_digits():
    t = np.array([0.0, 1e-12, 1e-9, 1e-6])
    # Near 0 the density is constant.
    expected = 1 - 2 * t * stats.t.pdf(0, 40)
    np.testing.assert_allclose(tails.t_tail(t, np.array([40.0])), expected, rtol=1e-14)
    many = tails.t_tail(np.resize(t, 4 * tails.FEW), np.array([40.0]))[:4]
    np.testing.assert_allclose(many, expected, rtol=1e-12)
    assert many.max() <= 1
    f = tails.f_tail(t * t, np.array([1.0]), np.array([40.0]))
    np.testing.assert_allclose(f, expected, rtol=1e-14)


@pytest.mark.usefixtures("way")
def test_a_tail_does_not_depend_on_the_other_values():
    rng = np.random.default_rng(3)
    t, df = values(rng, 3000, 5), rng.uniform(3, 200, 9000)
    whole = tails.t_tail(t, df)
    order = rng.permutation(t.size)
    np.testing.assert_array_equal(tails.t_tail(t[order], df[order]), whole[order])
    np.testing.assert_array_equal(tails.t_tail(t[17:5000], df[17:5000]), whole[17:5000])


def test_kernel_and_numpy_have_the_same_bits(monkeypatch):
    pytest.importorskip("numba", reason="the kernels need numba", exc_type=ImportError)
    rng = np.random.default_rng(4)
    t, df = values(rng, 3000, 5), rng.uniform(3, 2000, 9000)
    found = []
    for compiled in (False, True):
        monkeypatch.setattr(kernels, "_worthwhile", lambda steps, least, use=compiled: use)
        found.append(tails.t_tail(t, df))
    np.testing.assert_array_equal(*found)


def test_all_values_together_decide_on_the_kernel(monkeypatch):
    """Few values of a range, or behind the last whole block, do not take longer than others."""
    rng = np.random.default_rng(6)
    t = rng.standard_normal(tails.BLOCK + 10)
    df = np.where(np.arange(t.size) < 5, 499.0, 501.0)
    terms = []
    monkeypatch.setattr(kernels, "take_terms", terms.append)
    tails.t_tail(t, df)
    sizes = [tails._student_tail(number).coefficients.size for number in (7, 8)]
    assert terms == [size * tails.BLOCK for size in sizes]


def test_a_polynomial_of_two_variables():
    rng = np.random.default_rng(5)
    v, u = rng.uniform(-1, 1, (2, 100))
    expected = np.polynomial.polynomial.polyval2d(u, v, c := rng.standard_normal((3, 4)))
    np.testing.assert_allclose(tails.polynomial(c, v, u, False), expected, rtol=1e-12)


@pytest.mark.parametrize("size", [3, 3000])
def test_values_without_a_tail_are_nan_and_infinite_ones_have_none(size):
    t = np.resize([np.nan, np.inf, -np.inf, 1.0, 1.0, 1.0], size)
    df = np.resize([5.0, 5.0, 5.0, np.nan, 0.0, -1.0], size)
    p = tails.t_tail(t, df)
    np.testing.assert_array_equal(p[: min(size, 6)], [np.nan, 0, 0, np.nan, np.nan, np.nan][:size])
    f = tails.f_tail(np.abs(t), np.array([2.0]), df)
    np.testing.assert_array_equal(f[: min(size, 4)], [np.nan, 0, 0, np.nan][:size])
