"""Statistics of parts of a table, put together by rows and by features."""

import numpy as np
import pytest

from fsops.algorithms.base.moments import ClassMoments, CrossMoments
from fsops.algorithms.filters import streaming
from fsops.algorithms.filters.streaming import (
    FetchedCorrelation,
    Overall,
    centred,
    class_moments_of,
    cross_moments_of,
    may_exceed,
    merged,
    products_of,
    side_by_side,
)
from fsops.algorithms.filters.univariate import pearson_from
from fsops.algorithms.statistics.information import Contingency


@pytest.fixture
def short(monkeypatch):
    """Take the road of long columns for short ones, in small steps."""
    monkeypatch.setattr(streaming, "FEW_ROWS", 1)
    monkeypatch.setattr(streaming, "ROWS", 7)


def table(n=60, p=7, holes=0.0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + rng.normal(scale=50, size=p)
    X[:, 3] = 0.1
    X[rng.random(X.shape) < holes] = np.nan
    return X, rng.integers(0, 3, n), rng.normal(size=n)


def assert_moments(found, expected):
    for name in expected.__slots__:
        a, b = np.broadcast_arrays(getattr(found, name), getattr(expected, name))
        assert a == pytest.approx(b, rel=1e-10, abs=1e-12), name


@pytest.mark.parametrize("holes", [0.0, 0.2])
@pytest.mark.parametrize("width", [1, 3])
def test_groups_of_features_are_put_side_by_side(holes, width):
    X, codes, y = table(holes=holes)
    parts = [X[:, a : a + width] for a in range(0, X.shape[1], width)]
    classes = side_by_side([ClassMoments.of(part, codes, 3) for part in parts])
    assert_moments(classes, ClassMoments.of(X, codes, 3))
    cross = side_by_side([CrossMoments.of(part, y) for part in parts])
    assert_moments(cross, CrossMoments.of(X, y))


def test_counts_are_put_side_by_side():
    X = np.random.default_rng(1).integers(-1, 4, (50, 5))
    codes = np.arange(50) % 2
    whole = Contingency.of(X, codes)
    parts = side_by_side([Contingency.of(X[:, :2], codes), Contingency.of(X[:, 2:], codes)])
    assert np.array_equal(parts.counts, whole.counts)
    assert np.array_equal(parts.starts, whole.starts)


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("holes", [0.0, 0.2])
def test_moments_of_loose_columns_are_those_of_the_matrix(holes):
    X, codes, y = table(holes=holes)
    columns = [np.array(x) for x in X.T]
    found, expected = class_moments_of(columns, codes, 3), ClassMoments.of(X, codes, 3)
    assert found.mean == pytest.approx(expected.mean, rel=1e-12)
    assert found.within() == pytest.approx(expected.within(), rel=1e-10)
    assert_moments(cross_moments_of(columns, y), CrossMoments.of(X, y))


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("holes", [0.0, 0.2])
def test_row_weights_count_in_loose_columns_as_in_the_matrix(holes):
    X, codes, y = table(holes=holes)
    columns = [np.array(x) for x in X.T]
    weights = np.random.default_rng(5).integers(0, 3, len(X)).astype(float)
    found = class_moments_of(columns, codes, 3, weights)
    expected = ClassMoments.of(X, codes, 3, weights)
    assert np.broadcast_to(found.count, expected.count.shape) == pytest.approx(expected.count)
    assert found.mean == pytest.approx(expected.mean, rel=1e-12)
    assert found.within() == pytest.approx(expected.within(), rel=1e-10)
    assert_moments(cross_moments_of(columns, y, weights), CrossMoments.of(X, y, weights))


@pytest.mark.usefixtures("short")
def test_classes_far_apart_keep_their_spread():
    codes = np.arange(40) % 2
    noise = np.random.default_rng(0).normal(scale=1e-6, size=40)
    columns = [1e3 * codes + noise, 5.0 + codes, np.full(40, 1 / 3)]
    found = class_moments_of(columns, codes, 2)
    exact = [[np.var(columns[0][codes == c]) * 20 for c in (0, 1)], [0, 0], [0, 0]]
    assert pytest.approx(np.array(exact), rel=1e-8, abs=0) == found.within().T


@pytest.mark.usefixtures("short")
def test_a_class_without_rows_has_no_moments():
    found = class_moments_of([np.arange(10.0)], np.zeros(10, dtype=int), 2)
    assert found.count.ravel().tolist() == [10, 0]
    assert found.ss.ravel().tolist() == [82.5, 0]


def test_overall_moments_forget_the_classes():
    X, codes, y = table()
    for moments in (ClassMoments.of(X, codes, 3), CrossMoments.of(X, y)):
        overall = Overall.of(moments)
        assert overall.mean == pytest.approx(X.mean(axis=0))
        assert overall.ss == pytest.approx(X.var(axis=0) * len(X))
        assert overall.ss[3] == 0


@pytest.mark.parametrize(("value", "may"), [(1.0, False), (1e39, True), (-np.inf, True)])
def test_large_values_are_noticed(value, may):
    X, codes, y = table()
    X[5, 5] = value
    assert may_exceed(ClassMoments.of(X, codes, 3), 1e38) is may
    assert may_exceed(CrossMoments.of(X, y), 1e38) is may


def test_a_label_that_is_constant_where_a_feature_is_known_has_no_correlation():
    X = np.full((10, 1), np.nan)
    X[[1, 3, 4, 6, 7, 9], 0] = [1.0, 4.0, 2.0, 8.0, 5.0, 7.0]
    y = np.array([1.0, 0, 1, 0, 0, 1, 0, 0, 0, 0])
    halves = merged([CrossMoments.of(X[:5], y[:5]), CrossMoments.of(X[5:], y[5:])])
    assert np.isnan(pearson_from(halves.without_label_noise(1.0)).statistic).all()


def test_correlations_are_fetched_in_batches_likely_ones_first():
    X, codes, _ = table()
    overall = Overall.of(ClassMoments.of(X, codes, 3))
    asked = []

    def fetch(features):
        asked.append(features.tolist())
        lines = centred(X[:, features].T, overall.mean[features])
        halves = [
            products_of(list(X[rows].T), overall.mean, lines[:, rows])
            for rows in (slice(0, 13), slice(13, None))
        ]
        return merged(halves).sums

    with np.errstate(invalid="ignore"):
        expected = np.nan_to_num(np.abs(np.corrcoef(X.T)), nan=0.0)
    expected[3] = expected[:, 3] = 0.0
    found = FetchedCorrelation(overall, fetch, likely=np.array([6, 5, 4, 3, 2, 1, 0]), at_once=3)
    for feature in (2, 6, 0):
        assert found.column(feature) == pytest.approx(expected[:, feature], abs=1e-12)
    assert asked == [[2, 6, 5], [0, 4, 3]]
    rows, columns = np.array([1, 4]), np.array([0, 2, 6])
    assert found.block(rows, columns) == pytest.approx(expected[np.ix_(rows, columns)], abs=1e-12)
    assert found.block(rows, columns[:0]).shape == (2, 0)
