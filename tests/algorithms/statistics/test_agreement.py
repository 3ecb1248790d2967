"""Agreement of classes and errors of numbers, against scikit-learn."""

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from scipy.stats import kendalltau, pearsonr, spearmanr
from sklearn import metrics

from fsops.algorithms.statistics import agreement

QUICK = settings(deadline=None, max_examples=60)
PAIRS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30)
NUMBERS = st.lists(st.tuples(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3)), min_size=2, max_size=20)


def both(pairs, dtype):
    return tuple(np.array(column, dtype=dtype) for column in zip(*pairs, strict=True))


@given(PAIRS)
@QUICK
def test_classes_agree_as_scikit_learn_counts_them(pairs):
    true, predicted = both(pairs, np.intp)
    counts = agreement.confusion(true, predicted, 4)
    assert np.array_equal(counts, metrics.confusion_matrix(true, predicted, labels=range(4)))
    assert agreement.accuracy(counts) == metrics.accuracy_score(true, predicted)
    if len({*true, *predicted}) > 1:
        expected = metrics.cohen_kappa_score(true, predicted)
        assert agreement.kappa(counts) == pytest.approx(expected, abs=1e-12)
    else:
        assert agreement.kappa(counts) == 0.0


def test_kappa_of_a_published_example():
    # Two raters, 50 grant applications: p_o = 0.70, p_e = 0.50.
    assert agreement.kappa(np.array([[20, 5], [10, 15]])) == pytest.approx(0.4)


def test_perfect_agreement_is_1_and_chance_is_0():
    assert agreement.kappa(np.array([[5, 0], [0, 7]])) == 1.0
    assert agreement.kappa(np.array([[1, 1], [1, 1]])) == 0.0
    assert agreement.kappa(np.array([[0, 5], [5, 0]])) == -1.0


@given(NUMBERS)
@QUICK
def test_numbers_differ_as_scikit_learn_measures_it(pairs):
    true, predicted = both(pairs, np.float64)
    assert agreement.root_mean_squared_error(true, predicted) == pytest.approx(
        metrics.root_mean_squared_error(true, predicted), rel=1e-12, abs=1e-12
    )
    assert agreement.mean_absolute_error(true, predicted) == pytest.approx(
        metrics.mean_absolute_error(true, predicted), rel=1e-12, abs=1e-12
    )


@given(NUMBERS)
@QUICK
def test_the_squared_correlation_is_that_of_scipy(pairs):
    true, predicted = both(pairs, np.float64)
    assume(np.ptp(true) > 1e-6 and np.ptp(predicted) > 1e-6)
    expected = pearsonr(true, predicted).statistic ** 2
    assert agreement.squared_correlation(true, predicted) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1.0, 1e150, 1e300])
def test_the_squared_correlation_does_not_depend_on_the_scale(scale):
    true, predicted = np.array([1.0, 2.0, 4.0]), np.array([2.0, 1.0, 5.0])
    expected = pearsonr(true, predicted).statistic ** 2
    assert agreement.squared_correlation(true * scale, predicted) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("true", "predicted"),
    [
        ([1.0, 2.0, 3.0], [0.1, 0.1, 0.1]),
        ([0.1, 0.1, 0.1], [0.1, 0.1, 0.1]),
        ([0.1] * 10, [0.7] * 10),
        ([5.0], [3.0]),
        ([0.0, 0.0], [0.0, 0.0]),
    ],
)
def test_the_squared_correlation_with_a_constant_is_0(true, predicted):
    assert agreement.squared_correlation(np.array(true), np.array(predicted)) == 0.0


def test_the_squared_correlation_is_never_above_1():
    x = np.random.default_rng(1).normal(size=1000)
    assert agreement.squared_correlation(x, -3 * x + 1) <= 1.0
    assert agreement.squared_correlation(x, -3 * x + 1) == pytest.approx(1.0)


@given(PAIRS)
@settings(deadline=None, max_examples=25)
def test_means_over_classes_are_scikit_learns(pairs):
    true, predicted = both(pairs, np.intp)
    counts = agreement.confusion(true, predicted, 4)
    recalls, precisions = agreement.class_recalls(counts), agreement.class_precisions(counts)
    macro = {"average": "macro", "zero_division": 0}
    expected = metrics.recall_score(true, predicted, **macro)
    assert agreement.weighted_mean(recalls, counts) == pytest.approx(expected)
    expected = metrics.precision_score(true, predicted, **macro)
    assert agreement.weighted_mean(precisions, counts) == pytest.approx(expected)
    expected = metrics.f1_score(true, predicted, **macro)
    shares = agreement.class_f_measures(counts)
    assert agreement.weighted_mean(shares, counts) == pytest.approx(expected)
    found = [metrics.recall_score(true == c, predicted == c) for c in np.unique(true)]
    assert agreement.balanced_classification_rate(counts) == pytest.approx(np.mean(found))
    expected = metrics.matthews_corrcoef(true, predicted)
    assert agreement.matthews_correlation(counts) == pytest.approx(expected, abs=1e-9)


def test_classes_can_have_weights():
    counts = np.array([[3, 1], [1, 1]])
    found = agreement.weighted_mean(agreement.class_recalls(counts), counts, np.array([1.0, 3.0]))
    assert found == pytest.approx((0.75 + 3 * 0.5) / 4)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5)), min_size=2, max_size=30))
@QUICK
def test_auc_is_scikit_learns_and_lies_between_its_bounds(pairs):
    true, scores = both(pairs, np.float64)
    positive, negative = scores[true == 1], scores[true == 0]
    low, middle, high = (agreement.auc(positive, negative, ties) for ties in (0.0, 0.5, 1.0))
    if not len(positive) or not len(negative):
        assert np.isnan([low, middle, high]).all()
    else:
        assert middle == pytest.approx(metrics.roc_auc_score(true, scores))
        assert low <= middle <= high


@given(NUMBERS)
@QUICK
def test_relative_errors_are_those_of_their_formulas(pairs):
    true, predicted = both(pairs, np.float64)
    assume(np.std(true) > 1e-3)
    deviation = true - true.mean()
    expected = np.abs(true - predicted).sum() / np.abs(deviation).sum()
    assert agreement.normalized_absolute_error(true, predicted) == pytest.approx(expected)
    found = 1 - agreement.relative_squared_error(true, predicted)
    assert found == pytest.approx(metrics.r2_score(true, predicted))


def test_relative_error_by_hand():
    true, predicted = np.array([2.0, -4.0, 0.0]), np.array([3.0, -2.0, 0.0])
    assert agreement.relative_error(true, predicted) == pytest.approx((0.5 + 0.5) / 3)
    lenient = agreement.relative_error(true, predicted, by="lenient")
    assert lenient == pytest.approx((1 / 3 + 2 / 4) / 3)
    assert agreement.relative_error(true, predicted, by="strict") == pytest.approx((0.5 + 1) / 3)
    assert np.isnan(agreement.relative_error(np.array([0.0]), np.array([1.0])))
    assert agreement.relative_error(np.array([0.0]), np.array([1.0]), by="lenient") == 1


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=3, max_size=20))
@QUICK
def test_correlations_are_scipys_with_ties(pairs):
    true, predicted = both(pairs, np.float64)
    if np.ptp(true) == 0 or np.ptp(predicted) == 0:
        assert agreement.correlation(true, predicted) == 0
        assert agreement.rank_correlation(true, predicted) == 0
        assert agreement.kendall_tau(true, predicted) == 0
        return
    pearson = pearsonr(true, predicted).statistic
    assert agreement.correlation(true, predicted) == pytest.approx(pearson, abs=1e-12)
    spearman = spearmanr(true, predicted).statistic
    assert agreement.rank_correlation(true, predicted) == pytest.approx(spearman, abs=1e-12)
    kendall = kendalltau(true, predicted).statistic
    assert agreement.kendall_tau(true, predicted) == pytest.approx(kendall)


def test_a_constant_label_has_no_relative_error():
    constant, predicted = np.full(4, 0.1), np.arange(4.0)
    assert np.isnan(agreement.normalized_absolute_error(constant, predicted))
    assert np.isnan(agreement.relative_squared_error(constant, predicted))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("unit", [2.0**-700, 2.0**-300, 2.0**30, 2.0**50, 2.0**700])
def test_the_unit_of_the_weights_of_rows_changes_no_score(unit):
    rng = np.random.default_rng(3)
    true, guess = rng.integers(0, 2, (2, 40))
    weights, score = rng.integers(1, 4, 40).astype(float), rng.normal(size=40)
    plain = agreement.confusion(true, guess, 2, weights)
    other = agreement.confusion(true, guess, 2, weights * unit)
    np.testing.assert_array_equal(other, plain * unit)
    for measure in (agreement.accuracy, agreement.kappa, agreement.matthews_correlation):
        assert measure(other) == measure(plain)
    halves = score[true == 1], score[true == 0]
    sizes = weights[true == 1], weights[true == 0]
    assert agreement.weighted_auc(*halves, *(size * unit for size in sizes)) == (
        agreement.weighted_auc(*halves, *sizes)
    )
