"""Cox's model of single features is that of R's survival; see survival/make_values.R."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fsops.algorithms.filters.cox import RiskSets, cox_fits, score_statistics, univariate_cox
from fsops.algorithms.statistics.survival import log_rank

FOLDER = Path(__file__).parent / "survival"
TABLE = pd.read_csv(FOLDER / "table.csv", skipinitialspace=True)
VALUES = pd.read_csv(FOLDER / "values.csv", skipinitialspace=True)
TIME, EVENT = TABLE["time"].to_numpy(float), TABLE["event"].to_numpy(bool)
FEW = 9  # of the features with missing values: R has a coefficient of two rows


def values(kind):
    return TABLE.filter(regex=rf"^{kind}\d").to_numpy(float)


@pytest.mark.parametrize("ties", ["efron", "breslow"])
@pytest.mark.parametrize("kind", ["x", "missing"])
def test_coefficients_and_tests_are_those_of_survival(kind, ties):
    expected = VALUES[(VALUES["kind"] == kind) & (VALUES["ties"] == ties)]
    X, sets = values(kind), RiskSets.of(TIME, EVENT, ties)
    fits, score = cox_fits(X, sets), score_statistics(X, sets)
    known = (expected["coefficient"].notna() & (expected["feature"] != FEW)).to_numpy()
    assert known.sum() >= 9
    for ours, theirs in (
        (fits.coefficient, expected["coefficient"]),
        (fits.error, expected["error"]),
        (fits.gain, expected["gain"]),
        (score**2, expected["score"]),
    ):
        np.testing.assert_allclose(ours[known], theirs[known], rtol=1e-6, atol=1e-12)
    undefined = expected["coefficient"].isna().to_numpy()
    assert np.isnan(score[undefined]).all()
    assert np.isnan(fits.coefficient[undefined]).all()
    assert (np.sign(score[known]) == np.sign(fits.coefficient[known])).all()


@pytest.mark.parametrize("test", ["wald", "likelihood_ratio"])
def test_the_other_tests_use_the_coefficient(test):
    expected = VALUES[(VALUES["kind"] == "x") & (VALUES["ties"] == "efron")]
    scores = univariate_cox(values("x"), TIME, EVENT, test=test)
    chi2 = expected["gain"]
    if test == "wald":
        chi2 = (expected["coefficient"] / expected["error"]) ** 2
    known = chi2.notna().to_numpy()
    np.testing.assert_allclose(scores.statistic[known] ** 2, chi2[known], rtol=1e-6)


def test_the_score_test_of_two_groups_without_ties_is_the_log_rank_test():
    time = np.argsort(np.argsort(TIME, kind="stable")) + 1.0
    group = (np.arange(len(time)) % 3 == 0).astype(float)
    scores = univariate_cox(group[:, None], time, EVENT)
    statistic, p = log_rank(time, EVENT, group.astype(int))
    assert scores.statistic[0] ** 2 == pytest.approx(statistic, rel=1e-9)
    assert scores.p_values[0] == pytest.approx(p, rel=1e-9)


@pytest.mark.parametrize("factor", [1e-100, 1.0, -1e100])
def test_the_scale_of_a_feature_and_of_the_time_do_not_matter(factor):
    X = values("missing")
    plain = univariate_cox(X, TIME, EVENT).statistic
    scaled = univariate_cox(X * factor, np.log(TIME) * 1e9, EVENT).statistic
    np.testing.assert_allclose(scaled * np.sign(factor), plain, rtol=1e-7, atol=1e-9)
    far = univariate_cox(X[:, :3] + 1e6, TIME, EVENT).statistic
    np.testing.assert_allclose(far, plain[:3], rtol=1e-6)


def test_a_feature_in_the_order_of_the_times_has_an_infinite_coefficient():
    time = np.arange(20.0)
    X = np.column_stack([-time, time])
    fits = cox_fits(X, RiskSets.of(time, np.ones(20)))
    assert fits.coefficient.tolist() == [np.inf, -np.inf]
    scores = univariate_cox(X, time, np.ones(20), test="wald")
    assert scores.statistic.tolist() == [0.0, 0.0]
    assert (np.abs(univariate_cox(X, time, np.ones(20)).statistic) > 3).all()


def test_without_events_nothing_is_known():
    scores = univariate_cox(values("x"), TIME, np.zeros(len(TIME)))
    assert scores.undefined.all()
    assert (scores.weights == 0).all()
    assert (scores.p_values == 1).all()


def test_an_outlier_does_not_make_a_finite_coefficient_infinite():
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    time = rng.exponential(size=400) * np.exp(-2 * x) + 0.001
    event = np.ones(400)
    x[0], time[0], event[0] = 90.0, 0.0005, 0.0  # censored before all events: no information
    with_outlier = cox_fits(x[:, np.newaxis], RiskSets.of(time, event))
    without = cox_fits(x[1:, np.newaxis], RiskSets.of(time[1:], event[1:]))
    np.testing.assert_allclose(with_outlier.coefficient, without.coefficient, rtol=1e-9)
    np.testing.assert_allclose(with_outlier.error, without.error, rtol=1e-9)


@pytest.mark.parametrize("rows", [3, 5, 9])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_coefficient_is_infinite_exactly_if_each_event_is_extreme_at_its_time(rows, sign):
    time = np.arange(rows, dtype=float)
    event = np.ones(rows)
    ordered = -sign * np.array([time, np.minimum(time, 1), time**9]).T
    fits = cox_fits(ordered, RiskSets.of(time, event))
    np.testing.assert_array_equal(fits.coefficient, [sign * np.inf] * 3)
    ordered[[0, 1]] = ordered[[1, 0]]
    assert np.isfinite(cox_fits(ordered[:, [0]], RiskSets.of(time, event)).coefficient).all()
