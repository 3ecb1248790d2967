import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from fsops.algorithms.statistics import significance as sig

METHODS = ["bonferroni", "holm", "benjamini_hochberg", "benjamini_yekutieli"]
P_LISTS = st.lists(st.floats(0, 1), min_size=1, max_size=30).map(np.array)


def close(actual, expected, rtol=1e-9):
    np.testing.assert_allclose(actual, expected, rtol=rtol)


def test_false_discovery_rates_agree_with_scipy():
    p = np.random.default_rng(0).random(50) ** 3
    for ours, theirs in (("benjamini_hochberg", "bh"), ("benjamini_yekutieli", "by")):
        close(sig.adjust_p_values(p, ours), stats.false_discovery_control(p, method=theirs))


def test_family_wise_adjustments_of_a_worked_example():
    p = np.array([0.01, 0.04, 0.03, 0.005])
    close(sig.adjust_p_values(p, "bonferroni"), [0.04, 0.16, 0.12, 0.02])
    close(sig.adjust_p_values(p, "holm"), [0.03, 0.06, 0.06, 0.02])


@settings(max_examples=40, deadline=None)
@given(p=P_LISTS)
@pytest.mark.parametrize("method", METHODS)
def test_adjusting_keeps_the_order_and_never_lowers_a_p_value(method, p):
    adjusted = sig.adjust_p_values(p, method)
    assert (adjusted >= p * (1 - 1e-12)).all()
    assert (adjusted <= 1).all()
    assert (np.diff(adjusted[np.argsort(p)]) >= 0).all()


@settings(max_examples=40, deadline=None)
@given(p=P_LISTS)
def test_methods_are_ordered_by_caution(p):
    bonferroni, holm, bh, by = (sig.adjust_p_values(p, m) for m in METHODS)
    slack = 1 + 1e-12
    assert (bh <= holm * slack).all()
    assert (holm <= bonferroni * slack).all()
    assert (bh <= by * slack).all()


def test_no_p_values_give_no_adjusted_ones():
    for method in METHODS:
        assert sig.adjust_p_values(np.array([]), method).size == 0


@pytest.mark.parametrize("p", [[-0.1], [1.1], [np.nan], [[0.5]]])
def test_numbers_that_are_no_p_values_are_refused(p):
    with pytest.raises(ValueError, match="from 0 to 1"):
        sig.adjust_p_values(np.array(p))


def test_an_unknown_adjustment_is_refused():
    with pytest.raises(ValueError, match="Unknown adjustment"):
        sig.adjust_p_values(np.array([0.5]), "sidak")


def test_tails_agree_with_scipy():
    t, df = np.array([-40.0, -1, 0, 2.5, np.inf]), np.array([3.0, 7.5, 2, 100, 4])
    close(sig.t_p_values(t, df), 2 * stats.t.sf(np.abs(t), df))
    f, freedom = np.array([0.0, 1, 300, np.inf]), np.array([[2.0] * 4, [7.0] * 4])
    close(sig.f_p_values(f, freedom), stats.f.sf(f, *freedom))
    close(sig.chi2_p_values(f, freedom[0]), stats.chi2.sf(f, 2))


def test_p_values_of_undefined_statistics_are_one():
    nothing = np.array([np.nan])
    assert sig.t_p_values(nothing, np.array([3.0])) == [1]
    assert sig.t_p_values(np.array([2.0]), np.array([0.0])) == [1]
    assert sig.f_p_values(nothing, np.array([[1.0], [3.0]])) == [1]
    assert sig.chi2_p_values(nothing, np.array([3.0])) == [1]


def test_weights_are_made_of_the_statistic_or_its_p_value():
    statistic, p = np.array([-3.0, np.nan, np.inf]), np.array([0.01, 1.0, 0.0])
    close(sig.weights_from(statistic, None), [3, 0, np.inf])
    close(sig.weights_from(statistic, p, "one_minus_p"), [0.99, 0, 1])
    close(sig.weights_from(statistic, p, "neg_log10_p"), [2, 0, 307.6526555685])
    with pytest.raises(ValueError, match="need p-values"):
        sig.weights_from(statistic, None, "one_minus_p")


# qvalue(p, pi0.method = "bootstrap") of the R package qvalue 2.30.
QVALUE_P = [
    0.00001, 0.0003, 0.0003, 0.002, 0.01, 0.012, 0.03, 0.04, 0.06, 0.11, 0.15, 0.2, 0.22, 0.3, 0.35,
    0.41, 0.47, 0.52, 0.55, 0.61, 0.66, 0.7, 0.74, 0.8, 0.83, 0.88, 0.9, 0.93, 0.97, 1,
]  # fmt: skip
QVALUE_Q = [
    0.000231578947368, 0.002315789473684, 0.002315789473684, 0.011578947368421, 0.046315789473684,
    0.046315789473684, 0.099248120300752, 0.115789473684211, 0.154385964912281, 0.254736842105263,
    0.315789473684211, 0.385964912280702, 0.391902834008097, 0.496240601503759, 0.540350877192982,
    0.593421052631579, 0.640247678018576, 0.669005847953216, 0.670360110803324, 0.706315789473684,
    0.727819548872180, 0.736842105263158, 0.745080091533181, 0.768842105263158, 0.768842105263158,
    0.769172932330827, 0.769172932330827, 0.769172932330827, 0.771929824561403, 0.771929824561403,
]  # fmt: skip


def test_q_values_are_those_of_the_package_of_storey():
    p = np.array(QVALUE_P)
    assert sig.true_null_fraction(p) == pytest.approx(0.771929824561403, abs=1e-14)
    close(sig.adjust_p_values(p, "storey"), QVALUE_Q)
    shuffled = np.random.default_rng(0).permutation(len(p))
    close(sig.adjust_p_values(p[shuffled], "storey"), np.array(QVALUE_Q)[shuffled])


def test_small_p_values_only_leave_one_test_without_an_effect():
    assert sig.true_null_fraction(np.full(10, 1e-6)) == 0.1
    assert sig.true_null_fraction(np.ones(10)) == 1.0
    assert sig.true_null_fraction(np.array([])) == 1.0
