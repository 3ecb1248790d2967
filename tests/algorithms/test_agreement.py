"""Agreement of classes and errors of numbers, against scikit-learn."""

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from scipy.stats import pearsonr
from sklearn import metrics

from fsops.algorithms import agreement

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
