"""How good predicted numbers are, against scikit-learn and scipy."""

from typing import get_args

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

from fsops.operators import performance_regression
from fsops.operators.validation.regression import NUMBER_MEASURES, NumberCriterion

EVERYTHING = list(get_args(NumberCriterion))


def test_every_criterion_that_can_be_named_is_measured():
    assert set(EVERYTHING) == set(NUMBER_MEASURES)


def test_criteria_of_numbers(of_numbers):
    rng = np.random.default_rng(5)
    true = rng.normal(3, 1, 40)
    guess = true + rng.normal(0.2, 0.7, 40)
    found = performance_regression(of_numbers(true, guess), criteria=EVERYTHING)
    spread = np.abs(true - true.mean()).sum()
    sizes = np.abs([true, guess])
    r2 = metrics.r2_score(true, guess)
    assert {criterion.name: criterion.mean for criterion in found} == pytest.approx({
        "root_mean_squared_error": metrics.root_mean_squared_error(true, guess),
        "squared_error": metrics.mean_squared_error(true, guess),
        "absolute_error": metrics.mean_absolute_error(true, guess),
        "relative_error": metrics.mean_absolute_percentage_error(true, guess),
        "relative_error_lenient": np.mean(np.abs(true - guess) / sizes.max(axis=0)),
        "relative_error_strict": np.mean(np.abs(true - guess) / sizes.min(axis=0)),
        "normalized_absolute_error": np.abs(true - guess).sum() / spread,
        "root_relative_squared_error": np.sqrt(1 - r2),
        "correlation": stats.pearsonr(true, guess).statistic,
        "squared_correlation": stats.pearsonr(true, guess).statistic ** 2,
        "coefficient_of_determination": r2,
        "prediction_average": guess.mean(),
        "spearman_rho": stats.spearmanr(true, guess).statistic,
        "kendall_tau": stats.kendalltau(true, guess).statistic,
    })  # fmt: skip
    merits = {c.name for c in found if c.maximize}
    assert merits == {
        "correlation", "squared_correlation", "coefficient_of_determination",
        "prediction_average", "spearman_rho", "kendall_tau",
    }  # fmt: skip


def test_a_constant_label_leaves_some_criteria_without_a_value(of_numbers, listening):
    ctx = listening()
    table = of_numbers([2, 2, 2], [1, 2, 3])
    found = performance_regression(table, criteria=EVERYTHING, ctx=ctx)
    missing = [criterion.name for criterion in found if np.isnan(criterion.mean)]
    assert missing == [
        "normalized_absolute_error", "root_relative_squared_error", "coefficient_of_determination",
    ]  # fmt: skip
    assert [warning.split()[0] for warning in ctx.warnings] == missing
    assert "the same in all rows" in ctx.warnings[0]
    assert found["spearman_rho"].mean == 0


def test_a_label_of_0_has_no_relative_error(of_numbers, listening):
    ctx = listening()
    performance_regression(of_numbers([0, 1], [1, 1]), criteria=["relative_error"], ctx=ctx)
    assert "divides by is 0" in ctx.warnings[0]


def test_classes_are_sent_to_the_classification(of_classes, refused):
    with refused("not a number", "Performance (Classification)"):
        performance_regression(of_classes("ab", "ab"))


def test_infinite_predictions_are_refused(of_numbers, refused):
    with refused('"p"', "infinite in row 2"):
        performance_regression(of_numbers([1, 2], [1, np.inf]))
