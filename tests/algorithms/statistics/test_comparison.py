"""Tests whether methods differ, against scipy and published examples."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from fsops.algorithms.statistics import comparison

SAMPLE = st.lists(st.floats(0, 1).map(lambda x: round(x, 3)), min_size=3, max_size=12)
QUICK = settings(deadline=None, max_examples=50)

# Table 6 of Demsar (2006): AUC of four variants of C4.5 on 14 data sets. On the last but one the
# paper ranks the third before the fourth though both are printed as 0.975.
DEMSAR = np.array([
    [0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967],
    [0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931],
    [0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875],
    [1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669],
    [0.972, 0.981, 0.97501, 0.975], [0.957, 0.978, 0.946, 0.970],
])  # fmt: skip


@given(SAMPLE, SAMPLE)
@QUICK
def test_independent_t_test_is_scipys(first, second):
    a, b = np.array(first), np.array(second)
    found = comparison.t_test(a, b)
    if np.ptp(a) > 0 and np.ptp(b) > 0:
        expected = stats.ttest_ind(a, b)
        assert found.statistic == pytest.approx(expected.statistic, abs=1e-9)
        assert found.p_value == pytest.approx(expected.pvalue, abs=1e-9)
        assert found.df == len(a) + len(b) - 2


def test_paired_t_test_is_scipys_and_the_correction_widens_it():
    rng = np.random.default_rng(1)
    a = rng.normal(size=10)
    b = a + rng.normal(0.3, 0.5, size=10)
    expected = stats.ttest_rel(a, b)
    found = comparison.t_test(a, b, "paired")
    assert (found.statistic, found.p_value) == pytest.approx(tuple(expected))
    corrected = comparison.t_test(a, b, "corrected", 1 / 9)
    assert corrected.statistic == pytest.approx(expected.statistic * np.sqrt(0.1 / (0.1 + 1 / 9)))
    assert corrected.p_value > found.p_value


def test_values_without_spread_are_decided():
    same, other = np.full(3, 0.5), np.full(3, 0.75)
    assert comparison.t_test(same, same).p_value == 1
    assert comparison.t_test(same, other).p_value == 0
    assert np.isnan(comparison.t_test(same[:1], other).p_value)
    with pytest.raises(ValueError, match="as many"):
        comparison.t_test(same, other[:2], "paired")


def test_anova_is_scipys():
    rng = np.random.default_rng(2)
    groups = [rng.normal(mean, 1, size) for mean, size in ((0, 10), (0.5, 8), (1, 12))]
    result, within = comparison.anova(groups)
    assert (result.statistic, result.p_value) == pytest.approx(tuple(stats.f_oneway(*groups)))
    assert (result.df, within) == (2, 27)
    assert np.isnan(comparison.anova([np.ones(1), np.ones(1)])[0].p_value)


def right(b, c):
    """Return who is right where just one is: b rows for the first, c for the second."""
    first = np.array([True] * b + [False] * c + [True, False])
    return first, np.array([False] * b + [True] * c + [True, False])


def test_mcnemar_by_hand_and_by_the_binomial_test():
    found = comparison.mcnemar(*right(40, 20))
    assert found.statistic == pytest.approx(19**2 / 60)
    assert found.p_value == pytest.approx(stats.chi2.sf(19**2 / 60, 1))
    exact = comparison.mcnemar(*right(9, 3))
    assert exact.p_value == pytest.approx(stats.binomtest(3, 12).pvalue)
    assert exact.statistic == 3
    assert comparison.mcnemar(*right(0, 0)).p_value == 1
    forced = comparison.mcnemar(*right(9, 3), "chi squared")
    assert forced.p_value == pytest.approx(stats.chi2.sf(25 / 12, 1))


def test_friedman_and_nemenyi_of_demsar():
    found = comparison.friedman(DEMSAR, correct_ties=False)
    assert found.average_ranks == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    assert found.chi2.statistic == pytest.approx(9.28, abs=0.005)
    assert found.f.statistic == pytest.approx(3.69, abs=0.005)
    assert (found.chi2.df, found.f.df, found.f_within) == (3, 3, 39)
    assert found.f.p_value < 0.05
    assert found.critical_difference == pytest.approx(1.25, abs=0.005)
    assert comparison.friedman(DEMSAR, alpha=0.10).critical_difference == pytest.approx(
        1.12, abs=0.005
    )


def test_friedman_is_scipys_without_ties():
    values = np.random.default_rng(3).normal(size=(12, 5))
    found, expected = comparison.friedman(values), stats.friedmanchisquare(*values.T)
    assert (found.chi2.statistic, found.chi2.p_value) == pytest.approx(tuple(expected))


def test_pairs_at_the_critical_difference_have_the_p_value_alpha():
    found = comparison.friedman(DEMSAR, alpha=0.1)
    difference = np.abs(found.average_ranks[:, None] - found.average_ranks)
    assert ((found.pair_p_values < 0.1) == (difference > found.critical_difference)).all()
    # "C4.5 performs significantly worse than C4.5+m and C4.5+m+cf."
    assert np.argwhere(np.triu(found.pair_p_values < 0.1)).tolist() == [[0, 1], [0, 3]]


@given(st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=20)
def test_errors_are_merits_upside_down(seed):
    values = np.random.default_rng(seed).integers(0, 5, size=(6, 3)).astype(float)
    up, down = comparison.friedman(values), comparison.friedman(-values, maximize=False)
    assert up.average_ranks == pytest.approx(down.average_ranks)
    assert up.average_ranks.sum() == pytest.approx(6)


def test_methods_that_always_rank_alike_differ_surely():
    found = comparison.friedman(np.arange(4)[:, None] + np.array([0.1, 0.2, 0.3]))
    assert found.f.p_value == 0
    assert found.average_ranks.tolist() == [3, 2, 1]


def test_friedman_with_ties_is_scipys():
    values = np.random.default_rng(4).integers(0, 4, size=(12, 5)).astype(float)
    expected = stats.friedmanchisquare(*values.T)
    found = comparison.friedman(values).chi2
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)


def test_friedman_where_all_are_tied_finds_nothing():
    assert comparison.friedman(np.ones((4, 3))).chi2.statistic == 0
