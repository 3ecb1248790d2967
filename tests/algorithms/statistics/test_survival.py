"""Survival curves, the log-rank test and the concordance index are those of R's survival."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fsops.algorithms.statistics.survival import concordance_index, kaplan_meier, log_rank

FOLDER = Path(__file__).parents[1] / "filters" / "survival"


def read(name):
    return pd.read_csv(FOLDER / name, skipinitialspace=True)


TABLE, VALUES = read("table.csv"), read("values.csv")
TIME, EVENT = TABLE["time"].to_numpy(float), TABLE["event"].to_numpy(bool)


def pairwise(time, event, risk):
    """Return the concordance index by its definition."""
    good = every = 0.0
    for i in range(len(time)):
        for j in range(len(time)):
            later = time[j] > time[i] or (time[j] == time[i] and not event[j])
            if i != j and event[i] and later:
                every += 1
                good += (risk[i] > risk[j]) + (risk[i] == risk[j]) / 2
    return good / every


def test_concordance_is_that_of_survival_and_of_its_definition():
    expected = VALUES[(VALUES["kind"] == "x") & (VALUES["ties"] == "efron")]
    for j, theirs in zip(expected["feature"], expected["concordance"], strict=True):
        risk = TABLE[f"x{j}"].to_numpy(float)
        ours = concordance_index(TIME, EVENT, risk)
        assert ours == pytest.approx(pairwise(TIME, EVENT, risk), rel=1e-12)
        if not np.isnan(theirs):
            assert ours == pytest.approx(theirs, rel=1e-9)


def test_a_weight_is_a_number_of_rows():
    weights = np.arange(len(TIME)) % 3
    rows = np.repeat(np.arange(len(TIME)), weights)
    risk = TABLE["x2"].to_numpy(float)
    ours = concordance_index(TIME, EVENT, risk, weights)
    assert ours == pytest.approx(concordance_index(TIME[rows], EVENT[rows], risk[rows]))


def test_without_comparable_pairs_there_is_no_concordance():
    assert np.isnan(concordance_index([1.0, 2.0], [False, False], [1.0, 2.0]))


def test_the_curve_is_that_of_survival():
    expected, found = read("curves.csv"), kaplan_meier(TIME, EVENT)
    for name in ("time", "at_risk", "events", "survival", "lower", "upper"):
        np.testing.assert_allclose(getattr(found, name), expected[name], rtol=1e-9, err_msg=name)
    assert found.censored.sum() == (~EVENT).sum()


def test_the_median_is_the_first_time_with_half_left():
    assert kaplan_meier([1.0, 2.0, 3.0, 4.0], [1, 1, 1, 1]).median == 2
    assert kaplan_meier([1.0, 2.0, 3.0, 4.0], [1, 0, 0, 0]).median == np.inf


def test_log_rank_is_that_of_survival():
    for case, chi2 in read("log_rank.csv").itertuples(index=False):
        groups = TABLE[case].to_numpy().astype(int)
        assert log_rank(TIME, EVENT, groups)[0] == pytest.approx(chi2, rel=1e-9)
    assert log_rank(TIME, EVENT, np.zeros(len(TIME), int)) == (
        pytest.approx(np.nan, nan_ok=True),
        1,
    )


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("unit", [2.0**-700, 2.0**700])
def test_the_unit_of_the_weights_of_rows_does_not_change_the_index(unit):
    rng = np.random.default_rng(3)
    time, risk, event = rng.random(30), rng.random(30), rng.random(30) < 0.6
    weights = rng.integers(0, 4, 30).astype(float)
    plain = concordance_index(time, event, risk, weights)
    assert concordance_index(time, event, risk, weights * unit) == plain
