"""Moderated statistics are those of limma; `limma/make_values.R` has made the values."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import polygamma

from fsops.algorithms.base.moments import ClassMoments
from fsops.algorithms.filters import moderated as md
from fsops.algorithms.filters.moderated import (
    moderated,
    natural_spline,
    trigamma_inverse,
    variance_prior,
)
from fsops.algorithms.filters.univariate import student_t
from fsops.algorithms.statistics.linear_fits import (
    NotEstimable,
    design_fits,
    one_way_fits,
    orthonormal_design,
)

LIMMA = Path(__file__).parent / "limma"


def read(name):
    return pd.read_csv(LIMMA / name, skipinitialspace=True)


TABLE = read("table.csv")
VALUES = read("values.csv")
COMPLETE = TABLE.filter(like="x").to_numpy(float)
MISSING = TABLE.filter(like="missing").to_numpy(float)


def dummies(name):
    return pd.get_dummies(TABLE[name]).to_numpy(float)[:, 1:]


NOTHING = np.zeros((len(TABLE), 0))
BATCH_AND_YEAR = np.column_stack([dummies("batch"), TABLE["year"]])
TWO = TABLE[["two"]].to_numpy()
CASES = {
    "two": (COMPLETE, NOTHING, TWO, False),
    "two trend": (COMPLETE, NOTHING, TWO, True),
    "pair": (COMPLETE, dummies("pair"), TWO, False),
    "batch and covariate": (COMPLETE, BATCH_AND_YEAR, TWO, True),
    "number": (COMPLETE, NOTHING, TABLE[["year"]].to_numpy(), False),
    "missing": (MISSING, NOTHING, TWO, False),
    "missing batch": (MISSING, BATCH_AND_YEAR, TWO, False),
    "three": (COMPLETE, NOTHING, dummies("three"), False),
    "three batch": (COMPLETE, BATCH_AND_YEAR, dummies("three"), True),
    "missing three batch": (MISSING, BATCH_AND_YEAR, dummies("three"), False),
}


def require_limma(case, scores, leave_out=()):
    expected = VALUES[VALUES["case"] == case]
    kept = ~expected["feature"].isin(leave_out).to_numpy()
    assert scores.prior.df == pytest.approx(expected["df_prior"].iloc[0], rel=1e-6)
    df = scores.df if scores.df.ndim == 1 else scores.df[1]
    known = kept & expected["statistic"].notna().to_numpy()
    for ours, theirs in (
        (scores.statistic, expected["statistic"]),
        (scores.p_values, expected["p_value"]),
        (df, expected["df"]),
    ):
        np.testing.assert_allclose(ours[known], theirs[known], rtol=1e-6, atol=1e-12)
    assert (scores.undefined[kept] == expected["statistic"].isna()[kept]).all()


@pytest.mark.parametrize("case", CASES)
def test_statistics_on_designs_are_those_of_limma(case):
    X, nuisance, tested, trend = CASES[case]
    scores = moderated(design_fits(X, orthonormal_design(nuisance, tested)), trend=trend)
    # Feature 15 has 3 rows: limma divides 0 by 0, or gives coefficients without an order of columns
    require_limma(case, scores, leave_out=(15,) if "batch" in case and X is MISSING else ())


@pytest.mark.parametrize("case", ["two", "two trend", "missing", "three"])
def test_statistics_from_class_moments_are_those_of_limma(case):
    X, _, _, trend = CASES[case]
    label = TABLE["three" if case == "three" else "two"].to_numpy()
    moments = ClassMoments.of(X, label, 3 if case == "three" else 2)
    require_limma(case, moderated(one_way_fits(moments), trend=trend))


def test_a_weight_of_two_is_a_row_twice_and_of_zero_a_row_less():
    weights = np.arange(len(TABLE)) % 3
    rows = np.repeat(np.arange(len(TABLE)), weights)
    for X in (COMPLETE, MISSING):
        design = orthonormal_design(BATCH_AND_YEAR, TWO, weights)
        again = orthonormal_design(BATCH_AND_YEAR[rows], TWO[rows])
        ours, theirs = moderated(design_fits(X, design)), moderated(design_fits(X[rows], again))
        np.testing.assert_allclose(ours.statistic, theirs.statistic, rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(
            ours.more["coefficient"], theirs.more["coefficient"], rtol=1e-8, atol=1e-9
        )


@pytest.mark.parametrize("factor", [1e-120, 1e-3, 1e120])
def test_the_scale_of_all_features_does_not_matter(factor):
    design = orthonormal_design(BATCH_AND_YEAR, TWO)
    plain, scaled = (moderated(design_fits(X, design)) for X in (MISSING, MISSING * factor))
    np.testing.assert_allclose(scaled.statistic, plain.statistic, rtol=1e-7, atol=1e-9)


def test_a_large_covariate_loses_no_digits():
    far = BATCH_AND_YEAR + [0, 0, 1e9]
    near, moved = (moderated(design_fits(COMPLETE, orthonormal_design(part, TWO)))
                   for part in (BATCH_AND_YEAR, far))  # fmt: skip
    np.testing.assert_allclose(moved.statistic, near.statistic, rtol=1e-6, atol=1e-9)


def test_one_feature_has_the_ordinary_t():
    x = COMPLETE[:, :1]
    scores = moderated(one_way_fits(ClassMoments.of(x, TABLE["two"], 2)))
    assert scores.statistic == pytest.approx(student_t(x, TABLE["two"].to_numpy()).statistic)
    assert scores.prior.df == 0


def test_constant_features_have_no_effect():
    X = np.full((6, 3), 0.1)
    fits = one_way_fits(ClassMoments.of(X, np.arange(6) % 2, 2))
    scores = moderated(fits)
    assert (scores.weights == 0).all()
    assert scores.undefined.all()
    assert scores.prior.unreliable


def test_mostly_constant_features_do_not_change_with_the_scale():
    rng = np.random.default_rng(0)
    X = np.zeros((12, 30))
    X[:, :10] = rng.normal(size=(12, 10))
    codes = np.arange(12) % 2
    plain, tiny = (
        moderated(one_way_fits(ClassMoments.of(X * factor, codes, 2))) for factor in (1.0, 1e-9)
    )
    assert plain.prior.unreliable
    np.testing.assert_allclose(tiny.statistic, plain.statistic, rtol=1e-9)


def test_classes_that_are_batches_cannot_be_compared():
    with pytest.raises(NotEstimable, match="depend on"):
        orthonormal_design(TWO, TWO)
    full = orthonormal_design(np.eye(4)[:, :2], np.array([[0], [0], [0], [1]]))
    with pytest.raises(NotEstimable, match="as many columns"):
        design_fits(COMPLETE[:4], full)


@pytest.mark.parametrize("value", [1e-9, 1e-3, 0.5, 7.0, 1e4, 1e9])
def test_trigamma_inverse(value):
    assert polygamma(1, trigamma_inverse(value)) == pytest.approx(value, rel=1e-3)


def test_splines_are_linear_outside_of_their_knots_and_cubic_between():
    knots = np.array([0.0, 1.0, 2.0, 4.0])
    x = np.linspace(-3, 7, 201)
    columns = natural_spline(x, knots)
    assert np.linalg.matrix_rank(columns) == 4
    bends = np.diff(columns, 2, axis=0)
    outside = (x[1:-1] < -0.1) | (x[1:-1] > 4.1)
    assert np.abs(bends[outside]).max() < 1e-9
    assert np.abs(bends[~outside]).max() > 1e-4


def test_equal_variances_have_an_infinite_prior():
    prior = variance_prior(np.full(50, 2.0), np.array([8.0]))
    assert prior.df == np.inf
    assert prior.variance == pytest.approx(2.0)


@pytest.mark.parametrize("scale", [1.0, 0.7, 1e5])
def test_degrees_of_freedom_that_repeat_give_the_same_prior(monkeypatch, scale):
    """Functions of them are computed once for each number, with the same bits."""
    rng = np.random.default_rng(4)
    df = scale * rng.integers(1, 60, 501)
    variance = rng.gamma(2.0, size=501) * 1e-200
    once = md.variance_prior(variance, df)
    monkeypatch.setattr(md, "MOST_DEGREES", 0)
    each = md.variance_prior(variance, df)
    assert (once.df, once.variance.tolist()) == (each.df, each.variance.tolist())


@pytest.mark.parametrize("size", [1, 2, 3, 10, 501])
def test_the_median_equals_that_of_numpy(size):
    x = np.round(np.random.default_rng(size).gamma(2.0, size=size), 1) * 1e250
    assert md._median(x) == np.median(x)


@pytest.mark.parametrize("smallest", [0.0, 1e-9, 1.0])
@pytest.mark.parametrize("largest", [1.0, 1e9])
@pytest.mark.parametrize("size", [2, 3, 10, 501])
def test_tiny_variances_become_a_part_of_the_median(smallest, largest, size):
    """The median is computed only where it can matter, with the same result."""
    x = np.random.default_rng(size).gamma(2.0, size=size)
    x[0] *= smallest
    x[-1] *= largest
    above, unreliable = md._above_zero(x)
    np.testing.assert_array_equal(above, np.maximum(x, md.SMALLEST_VARIANCE * np.median(x)))
    assert not unreliable


def test_a_test_has_at_most_the_degrees_of_freedom_of_all_features():
    X = np.tile(np.arange(8.0) ** 2, (5, 1)).T  # equal variances: an infinite prior
    label = np.arange(8) % 2
    assert moderated(one_way_fits(ClassMoments.of(X, label, 2))).df.tolist() == [30.0] * 5
    X[3, 1] = np.nan
    X[:, 2] = np.nan
    prior = moderated(one_way_fits(ClassMoments.of(X, label, 2))).prior
    assert prior.pooled == 6 + 5 + 6 + 6


@pytest.mark.parametrize("classes", [2, 3])
def test_only_a_trend_computes_the_means_of_features(classes):
    label = TABLE["three" if classes == 3 else "two"].to_numpy()
    fits = one_way_fits(ClassMoments.of(MISSING, label, classes))
    np.testing.assert_allclose(fits.level(), np.nanmean(MISSING, axis=0))
    without = replace(fits, level=None)
    np.testing.assert_array_equal(moderated(without).statistic, moderated(fits).statistic)
    with pytest.raises(TypeError):
        moderated(without, trend=True)
