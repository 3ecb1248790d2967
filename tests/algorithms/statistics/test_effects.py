"""Effect sizes against second implementations, one attribute at a time."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

from fsops.algorithms.base.moments import ClassMoments, CrossMoments
from fsops.algorithms.statistics import effects


def awkward(rng, classes=2, n=27):
    """Return a table with gaps, ties, constants and extreme scales, and the class of each row."""
    X = rng.normal(size=(n, 9))
    codes = np.arange(n) % classes
    X[:, 1] += 1.5 * codes
    X[:, 2] = np.round(X[:, 2])
    X[:, 3] = 7.25
    X[:, 4] *= 1e12
    X[:, 5] = X[:, 5] * 1e-9 + 1e-3
    X[::5, 6] = np.nan
    X[:, 7] = codes  # constant in each class
    X[2:, 8] = np.nan
    return X, codes


def scipy_hedges(a, b):
    """Return g, its limits and p, from textbook formulas and the quantiles of scipy.stats."""
    df = len(a) + len(b) - 2
    pooled = math.sqrt((a.var(ddof=1) * (len(a) - 1) + b.var(ddof=1) * (len(b) - 1)) / df)
    scale = math.sqrt(1 / len(a) + 1 / len(b))
    t = (b.mean() - a.mean()) / pooled / scale
    correction = math.exp(math.lgamma(df / 2) - math.lgamma((df - 1) / 2)) / math.sqrt(df / 2)

    def limit(p):
        return optimize.brentq(lambda c: stats.nct.cdf(t, df, c) - p, t - 12, t + 12)

    ends = [limit(p) * scale * correction for p in (0.975, 0.025)]
    return t * scale * correction, *ends, stats.ttest_ind(a, b).pvalue


@pytest.mark.parametrize("measure", [effects.hedges_g, effects.omega_squared])
def test_intervals_of_some_features_are_those_of_all(measure):
    moments = ClassMoments.of(*awkward(np.random.default_rng(8)), 2)
    chosen = np.array([7, 1, 3, 4])
    every, some = measure(moments), measure(moments, chosen)
    for name in ("effect", "p_values"):
        np.testing.assert_array_equal(getattr(some, name), getattr(every, name))
    for name in ("lower", "upper"):
        np.testing.assert_array_equal(getattr(some, name)[chosen], getattr(every, name)[chosen])
        assert np.isnan(np.delete(getattr(some, name), chosen)).all()


def test_hedges_g_equals_that_of_scipy():
    X, codes = awkward(np.random.default_rng(3))
    found = effects.hedges_g(ClassMoments.of(X, codes, 2))
    for column in (0, 1, 2, 4, 5, 6):
        groups = [X[(codes == c) & ~np.isnan(X[:, column]), column] for c in (0, 1)]
        expected = scipy_hedges(*groups)
        values = [part[column] for part in (found.effect, found.lower, found.upper, found.p_values)]
        assert values == pytest.approx(expected, rel=1e-5)


def test_the_correction_is_near_its_usual_approximation():
    X = np.random.default_rng(0).normal(size=(20, 1))
    codes = np.arange(20) % 2
    found = effects.hedges_g(ClassMoments.of(X, codes, 2))
    a, b = X[codes == 0, 0], X[codes == 1, 0]
    d = (b.mean() - a.mean()) / math.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2)
    assert found.effect[0] == pytest.approx(d * (1 - 3 / (4 * 18 - 1)), rel=1e-3)


def test_what_has_no_spread_has_no_interval():
    X, codes = awkward(np.random.default_rng(0))
    for found in (
        effects.hedges_g(ClassMoments.of(X, codes, 2)),
        effects.omega_squared(ClassMoments.of(X, codes, 2)),
    ):
        assert math.isnan(found.effect[3])
        assert found.p_values[3] == 1
        assert found.effect[7] == (math.inf if found.effect[7] > 1 else 1)
        assert found.p_values[7] == 0
        assert np.isnan(found.lower[[3, 7, 8]]).all()
        assert np.isnan(found.upper[[3, 7, 8]]).all()


@pytest.mark.parametrize("classes", [2, 3, 4])
def test_omega_squared_is_that_of_the_sums_of_squares(classes):
    X, codes = awkward(np.random.default_rng(5), classes, n=32)
    found = effects.omega_squared(ClassMoments.of(X, codes, classes))
    for column in (0, 1, 2, 4, 5, 6):
        known = ~np.isnan(X[:, column])
        x, c = X[known, column], codes[known]
        parts = [x[c == k] for k in range(classes)]
        between = sum(len(p) * (p.mean() - x.mean()) ** 2 for p in parts)
        within = sum(((p - p.mean()) ** 2).sum() for p in parts)
        mean_square = within / (len(x) - classes)
        omega = (between - (classes - 1) * mean_square) / (between + within + mean_square)
        assert found.effect[column] == pytest.approx(max(omega, 0), abs=1e-9)
        f, p = stats.f_oneway(*parts)
        assert found.p_values[column] == pytest.approx(p, rel=1e-9)
        for end, probability in ((found.lower, 0.975), (found.upper, 0.025)):
            if end[column] > 1e-6:
                centrality = end[column] * len(x) / (1 - end[column])
                df = classes - 1, len(x) - classes
                assert stats.ncf.cdf(f, *df, centrality) == pytest.approx(probability, rel=1e-3)


def test_correlations_have_the_interval_of_fisher():
    rng = np.random.default_rng(1)
    X, _ = awkward(rng)
    y = rng.normal(size=len(X)) + np.nan_to_num(X[:, 0])
    found = effects.correlation_effects(CrossMoments.of(X, y))
    for column in (0, 1, 2, 4, 5, 6):
        known = ~np.isnan(X[:, column])
        expected = stats.pearsonr(X[known, column], y[known])
        limits = expected.confidence_interval(0.95)
        assert found.effect[column] == pytest.approx(expected.statistic, rel=1e-9)
        assert found.p_values[column] == pytest.approx(expected.pvalue, rel=1e-8)
        assert (found.lower[column], found.upper[column]) == pytest.approx(limits, rel=1e-9)
    assert math.isnan(found.effect[3])
    assert math.isnan(found.lower[8])  # two rows


def test_pairwise_correlations_are_those_of_pandas():
    X, _ = awkward(np.random.default_rng(2))
    complete = np.delete(X, [6, 8], axis=1)
    for table in (complete, X):
        expected = pd.DataFrame(table).corr(min_periods=3).to_numpy(copy=True)
        found = effects.correlations(table[:, :4], table)
        constant = 3
        assert np.isnan(found[constant]).all()
        expected[:, constant] = expected[constant] = np.nan
        np.testing.assert_allclose(found, expected[:4], rtol=1e-7, atol=1e-9)


def test_clusters_join_what_goes_together():
    rng = np.random.default_rng(4)
    base = rng.normal(size=(200, 3))
    noise = 0.2 * rng.normal(size=(200, 6))
    X = np.column_stack([base[:, 1], base[:, 0], -base[:, 0], base[:, 1], base[:, 2], base[:, 1]])
    found = effects.correlation_clusters(effects.correlations(X + noise, X + noise), 0.8)
    assert found.tolist() == [1, 2, 2, 1, 0, 1]
    assert effects.correlation_clusters(np.ones((1, 1)), 0.8).tolist() == [0]


def test_ranks_over_resamples_are_counted():
    rng = np.random.default_rng(6)
    scores = np.round(rng.normal(size=(40, 30)), 1)  # with ties
    scores[3, 5] = np.nan
    low, high = effects.rank_interval(scores, np.array([0, 5, 7]))
    frame = pd.DataFrame(np.where(np.isnan(scores), -np.inf, scores)).T
    ranks = frame.rank(ascending=False, method="average").to_numpy().T
    for at, column in enumerate((0, 5, 7)):
        ordered = np.sort(ranks[:, column])
        assert (low[at], high[at]) == (ordered[1], ordered[37])  # the 2nd and the 38th of 40


def test_boxes_are_the_quartiles_of_each_class():
    X, codes = awkward(np.random.default_rng(7), 3)
    found = effects.boxes(X, codes, 3)
    for column in (0, 2, 6):
        for code in range(3):
            expected = pd.Series(X[codes == code, column]).describe()[
                ["min", "25%", "50%", "75%", "max"]
            ]
            np.testing.assert_allclose(found[column, code], expected, rtol=1e-12)
    assert np.isnan(found[8, 2]).all()


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda rng: rng.normal(8, 2, size=(30, 200)), True),
        (lambda rng: rng.normal(0, 1, size=(30, 200)), False),  # standardized
        (lambda rng: 2 ** rng.normal(8, 2, size=(30, 200)), False),
        (lambda rng: rng.poisson(8, size=(30, 200)).astype(float), False),  # counts
        (lambda rng: rng.normal(8, 2, size=(30, 10)), False),  # a clinical table
        (lambda rng: np.full((30, 200), np.nan), False),
    ],
)
def test_logarithms_are_recognised(make, expected):
    with np.errstate(all="ignore"):
        assert effects.look_like_logs(make(np.random.default_rng(0))) is expected
