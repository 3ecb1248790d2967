"""Tests of matched rows and the test of Brunner and Munzel agree with scipy."""

import warnings
from math import comb

import numpy as np
import pytest
from scipy import stats

from fsops.algorithms.filters.brunner_munzel import brunner_munzel
from fsops.algorithms.filters.paired import paired_t, signed_rank


def awkward(pairs=17, seed=5):
    """Return values, classes and pairs: ties, zeros, constants, scales, and missing values."""
    rng = np.random.default_rng(seed)
    first = rng.normal(size=(pairs, 11))
    second = first + rng.normal(0.4, 0.7, size=first.shape)
    for X in (first, second):
        X[:, 1] = np.round(X[:, 1])
        X[:, 2] = 4.0
        X[:, 3] *= 1e-150
        X[:, 4] += 1e9
        X[:, 5] *= 1e100
    second[:, 6] = first[:, 6] + 0.1  # a constant difference, but for rounding
    second[:, 7] = first[:, 7]
    first[:3, 8] = second[2:9, 8] = np.nan
    first[1:, 9] = np.nan
    second[:6, 10] = first[:6, 10]
    X = np.concatenate([first, second])
    codes, numbers = np.repeat([0, 1], pairs), np.tile(np.arange(pairs), 2)
    order = rng.permutation(2 * pairs)
    return X[order], codes[order], numbers[order], (first, second)


def quiet(test, *args, **more):
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        return test(*args, **more)


CONSTANT, SHIFTED, EQUAL, ALONE = 2, 6, 7, 9


@pytest.mark.parametrize("pairs", [5, 17, 60])
def test_paired_t_is_that_of_scipy(pairs):
    X, codes, numbers, (first, second) = awkward(pairs)
    found = paired_t(X, codes, numbers)
    for j in set(range(11)) - {CONSTANT, SHIFTED, EQUAL, ALONE}:
        expected = quiet(stats.ttest_rel, second[:, j], first[:, j], nan_policy="omit")
        if np.isnan(float(expected.statistic)):
            assert found.undefined[j]
            continue
        assert found.statistic[j] == pytest.approx(float(expected.statistic), rel=1e-9)
        assert found.p_values[j] == pytest.approx(float(expected.pvalue), rel=1e-9)
        assert found.df[j] == expected.df
    assert found.undefined[[CONSTANT, EQUAL, ALONE]].all()
    assert found.weights[[CONSTANT, EQUAL, ALONE]].tolist() == [0, 0, 0]
    assert found.statistic[SHIFTED] == np.inf
    assert found.more["difference"][SHIFTED] == pytest.approx(0.1)


@pytest.mark.parametrize("zeros", ["wilcox", "pratt"])
@pytest.mark.parametrize(("pairs", "exact"), [(5, 50), (17, 50), (17, 0), (60, 50)])
def test_signed_ranks_are_those_of_scipy(pairs, exact, zeros):
    X, codes, numbers, (first, second) = awkward(pairs)
    found = signed_rank(X, codes, numbers, zeros=zeros, exact_up_to=exact)
    for j in set(range(11)) - {CONSTANT, SHIFTED, EQUAL, ALONE}:
        difference = second[:, j] - first[:, j]
        difference = difference[~np.isnan(difference)]
        if not difference.any():
            assert found.undefined[j]
            continue
        size = np.abs(difference)
        plain = len(np.unique(size)) == len(size) <= exact and size.all()
        method = "exact" if plain else "asymptotic"
        expected = quiet(stats.wilcoxon, difference, zero_method=zeros, method=method)
        assert found.p_values[j] == pytest.approx(expected.pvalue, rel=1e-9)
        if not plain:
            assert abs(found.statistic[j]) == pytest.approx(abs(expected.zstatistic), rel=1e-9)
        assert -1 <= found.more["rank_correlation"][j] <= 1
    assert found.undefined[[CONSTANT, EQUAL]].all()
    assert found.p_values[[CONSTANT, EQUAL]].tolist() == [1, 1]
    assert found.p_values[ALONE] == (1 if exact else pytest.approx(2 * stats.norm.sf(1)))


@pytest.mark.parametrize("sizes", [(12, 15), (3, 30), (2, 2)])
def test_brunner_munzel_is_that_of_scipy(sizes):
    rng = np.random.default_rng(8)
    codes = rng.permutation(np.repeat([0, 1], sizes))
    X = rng.normal(size=(codes.size, 6)) * (1 + codes[:, None]) + 0.5 * codes[:, None]
    X[:, 1] = np.round(X[:, 1])
    X[:, 2] *= 1e-200
    X[:, 3] += 1e9
    X[rng.random(codes.size) < 0.2, 4] = np.nan
    X[:, 5] = 3.0
    found = brunner_munzel(X, codes)
    compared = 0
    for j in range(5):
        parts = [X[(codes == c) & ~np.isnan(X[:, j]), j] for c in (0, 1)]
        if min(map(len, parts)) < 2:
            assert found.undefined[j]
            continue
        if np.isinf(found.statistic[j]):
            assert parts[0].max() < parts[1].min() or parts[1].max() < parts[0].min()
            continue
        expected = quiet(stats.brunnermunzel, *parts)
        assert found.statistic[j] == pytest.approx(expected.statistic, rel=1e-9)
        assert found.p_values[j] == pytest.approx(expected.pvalue, rel=1e-9)
        larger = np.mean(np.sign(parts[1][:, None] - parts[0]) + 1) / 2
        assert found.more["probability"][j] == pytest.approx(larger)
        compared += 1
    assert compared >= 1
    assert found.undefined[5]
    assert found.weights[5] == 0


def test_classes_that_are_apart_have_the_p_value_of_all_permutations():
    codes = np.array([0, 1, 0, 1, 0, 1, 1])
    found = brunner_munzel(np.column_stack([codes * 2.0, -codes + 0.0]), codes)
    assert found.statistic.tolist() == [np.inf, -np.inf]
    assert found.p_values == pytest.approx([2 / comb(7, 3)] * 2)
    assert found.more["probability"].tolist() == [1, 0]


def test_replicates_are_averaged_and_rows_without_a_partner_left_out():
    X, codes, numbers, _ = awkward()
    more = np.concatenate([X, X, X[:1] * 0 + 7, X[:2]])
    double = np.concatenate([codes, codes, codes[:1], codes[:2]])
    places = np.concatenate([numbers, numbers, [99], [100, 101]])
    one, two = paired_t(X, codes, numbers), paired_t(more, double, places)
    np.testing.assert_allclose(one.statistic, two.statistic, rtol=1e-9)
    one, two = signed_rank(X, codes, numbers), signed_rank(more, double, places)
    np.testing.assert_allclose(one.p_values, two.p_values, rtol=1e-9)


def test_the_unit_of_decimal_values_does_not_change_their_ties():
    tenths = np.array([[3, 1], [4, 2], [9, 5], [7, 8], [12, 9], [2, 6], [8, 7], [5, 3]])
    codes, pairs = np.tile([1, 0], 8), np.repeat(np.arange(8), 2)
    whole = signed_rank(tenths.reshape(-1, 1), codes, pairs)
    for unit in (0.1, 1e-150, 1e30):
        other = signed_rank(tenths.reshape(-1, 1) * unit, codes, pairs)
        np.testing.assert_array_equal(other.statistic, whole.statistic)
        np.testing.assert_array_equal(other.p_values, whole.p_values)


@pytest.mark.parametrize("unit", [2.0**-1000, 2.0**-560, 2.0**100])
def test_tiny_and_huge_differences_have_the_same_t(unit):
    rng = np.random.default_rng(1)
    X, codes, pairs = rng.normal(size=(16, 3)), np.tile([0, 1], 8), np.repeat(np.arange(8), 2)
    plain, other = paired_t(X, codes, pairs), paired_t(X * unit, codes, pairs)
    np.testing.assert_allclose(other.statistic, plain.statistic, rtol=1e-12)
    np.testing.assert_allclose(other.more["difference"], plain.more["difference"] * unit)
