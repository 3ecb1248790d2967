import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fsops.algorithms.preparation import discretize as dz
from fsops.algorithms.preparation.discretize import CutPoints
from fsops.algorithms.statistics.information import mutual_information

UNSUPERVISED = [dz.equal_frequency, dz.equal_width, dz.mean_sd]


def cuts_of(points, j=0):
    column = points.cuts[:, j]
    return column[np.isfinite(column)]


def close(actual, expected, rtol=1e-9):
    np.testing.assert_allclose(actual, expected, rtol=rtol)


def reference_mdl(x, y):
    """Fayyad and Irani's recursion, literally."""

    def h(labels):
        p = np.unique(labels, return_counts=True)[1] / len(labels)
        return -(p * np.log2(p)).sum()

    values = np.unique(x)
    best = None
    for t in (values[:-1] + values[1:]) / 2:
        a, b = y[x <= t], y[x > t]
        rest = (len(a) * h(a) + len(b) * h(b)) / len(y)
        if best is None or rest < best[0] - 1e-12:
            best = rest, t, a, b
    if best is None:
        return []
    rest, t, a, b = best
    k, k1, k2 = (len(np.unique(part)) for part in (y, a, b))
    delta = np.log2(3.0**k - 2) - (k * h(y) - k1 * h(a) - k2 * h(b))
    if h(y) - rest <= (np.log2(len(y) - 1) + delta) / len(y):
        return []
    return sorted([*reference_mdl(x[x <= t], a), t, *reference_mdl(x[x > t], b)])


def test_best_split_of_the_golf_data(golf):
    points = dz.best_split(golf.numeric, golf.play)
    gain = mutual_information(points.apply(golf.numeric), golf.play).weights
    np.testing.assert_allclose(gain, [0.1134009, 0.1022436], rtol=1e-6)
    below = [golf.numeric[golf.numeric[:, j] <= cuts_of(points, j)[0], j].max() for j in (0, 1)]
    assert below == [83, 80]
    close(cuts_of(points, 0), [84])
    close(cuts_of(points, 1), [82.5])


def test_equal_frequency_cuts_at_the_quantiles():
    x = np.random.default_rng(0).normal(size=(101, 3))
    points = dz.equal_frequency(x, 4)
    close(points.cuts, np.quantile(x, [0.25, 0.5, 0.75], axis=0))
    assert np.bincount(points.apply(x)[:, 0]).tolist() == [26, 25, 25, 25]


def test_equal_frequency_merges_equal_quantiles():
    x = np.array([[1.0, 1, 1, 1, 1, 1, 2, 3, 4, 5]]).T
    points = dz.equal_frequency(x, 4)
    assert len(np.unique(points.cuts)) == points.n_levels[0] - 1
    assert set(points.apply(x)[:, 0]) == set(range(points.n_levels[0]))


def test_equal_width_divides_the_range():
    x = np.array([[0.0, 1, 2, 10]]).T
    points = dz.equal_width(x, 5)
    close(cuts_of(points), [2, 4, 6, 8])
    assert points.apply(x)[:, 0].tolist() == [0, 0, 0, 4]


def test_mean_sd_makes_three_states():
    x = np.random.default_rng(1).normal(3, 2, size=(200, 1))
    points = dz.mean_sd(x, 0.5)
    close(cuts_of(points), x.mean() + 0.5 * x.std(ddof=1) * np.array([-1, 1]))
    assert set(points.apply(x)[:, 0]) == {0, 1, 2}


@pytest.mark.parametrize("seed", range(6))
def test_mdl_cuts_agree_with_the_recursion_of_the_paper(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(90, 8)).round(seed % 3)
    y = (np.digitize(X[:, 0], [-0.7, 0.5]) + (rng.random(90) < 0.1)) % 3
    y = np.where(X[:, 1] > 1, 2, y)
    points = dz.minimum_description_length(X, y)
    assert points.n_levels[0] > 1
    for j in range(8):
        np.testing.assert_allclose(cuts_of(points, j), reference_mdl(X[:, j], y), rtol=1e-12)


def test_mdl_leaves_noise_uncut():
    rng = np.random.default_rng(0)
    points = dz.minimum_description_length(rng.normal(size=(100, 30)), rng.integers(0, 2, 100))
    assert (points.n_levels == 1).sum() >= 29
    assert set(points.apply(rng.normal(size=(5, 30))).ravel()) <= {0, 1}


def test_missing_values_are_ignored_in_learning_and_coded_minus_one():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), rng.integers(0, 2, 60)
    holes = X.copy()
    holes[::4, 1] = np.nan
    known = ~np.isnan(holes[:, 1])
    for learn in (*UNSUPERVISED, dz.best_split, dz.minimum_description_length):
        args = () if learn in UNSUPERVISED else (y,)
        points = learn(holes, *args)
        part = learn(holes[known, 1:2], *(a[known] for a in args))
        np.testing.assert_allclose(cuts_of(points, 1), cuts_of(part), rtol=1e-12)
        codes = points.apply(holes)
        assert ((codes == -1) == np.isnan(holes)).all()


@pytest.mark.parametrize("learn", [*UNSUPERVISED, dz.best_split, dz.minimum_description_length])
def test_degenerate_features_stay_in_one_piece(learn):
    X = np.column_stack([np.full(6, 3.3), np.full(6, np.nan), [1.0] + [np.nan] * 5])
    args = () if learn in UNSUPERVISED else (np.array([0, 1, 0, 1, 0, 1]),)
    points = learn(X, *args)
    assert points.n_levels.tolist() == [1, 1, 1]
    assert points.apply(X)[:, 0].tolist() == [0] * 6
    empty = learn(np.empty((0, 2)), *(a[:0] for a in args))
    assert empty.n_levels.tolist() == [1, 1]
    assert learn(np.empty((6, 0)), *args).apply(np.empty((2, 0))).shape == (2, 0)


def test_infinite_values_fall_into_the_outer_intervals():
    points = dz.equal_width(np.array([[0.0, 1, 2, 3]]).T, 3)
    assert points.apply(np.array([[-np.inf], [np.inf]]))[:, 0].tolist() == [0, 2]
    assert dz.equal_width(np.array([[-np.inf, 0, np.inf]]).T, 3).n_levels[0] == 1


def test_a_cut_between_neighbouring_doubles_still_separates_them():
    x = np.array([1.0, np.nextafter(1.0, 2)])
    for values in (x, np.nextafter(x, 2), x * 1e300 * 1e8):
        points = dz.best_split(values[:, None], np.array([0, 1]))
        assert points.apply(values[:, None])[:, 0].tolist() == [0, 1]


def test_the_order_of_storage_does_not_matter():
    X = np.random.default_rng(0).normal(size=(50, 7))
    points = dz.equal_frequency(X, 4)
    np.testing.assert_array_equal(points.apply(np.asfortranarray(X)), points.apply(X))
    np.testing.assert_array_equal(dz.equal_frequency(np.asfortranarray(X), 4).cuts, points.cuts)


@settings(max_examples=50, deadline=None)
@given(
    values=st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30),
    bins=st.integers(2, 12),
)
@pytest.mark.parametrize("learn", [dz.equal_frequency, dz.equal_width])
def test_codes_keep_the_order_of_the_values(learn, values, bins):
    x = np.array(values)[:, None]
    points = learn(x, bins)
    codes = points.apply(x)[:, 0]
    assert (np.diff(codes[np.argsort(x[:, 0], kind="stable")]) >= 0).all()
    assert codes.min() == 0
    assert codes.max() < points.n_levels[0] <= bins


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 1000), scale=st.sampled_from([0.5, 4.0, 1024.0]))
@pytest.mark.parametrize("learn", [dz.best_split, dz.minimum_description_length])
def test_supervised_intervals_do_not_depend_on_unit_and_row_order(learn, seed, scale):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 3)).round(1), rng.integers(0, 2, 30)
    X[:, 0] += 2 * y
    rows = rng.permutation(30)
    codes = learn(X, y).apply(X)
    np.testing.assert_array_equal(learn(X[rows] * scale, y[rows]).apply(X * scale), codes)


def test_bad_parameters_are_refused():
    X = np.zeros((4, 2))
    with pytest.raises(ValueError, match="at least 2 bins"):
        dz.equal_width(X, 1)
    with pytest.raises(ValueError, match="c must be above 0"):
        dz.mean_sd(X, 0)
    with pytest.raises(ValueError, match="cut points are of 2 features"):
        dz.equal_width(X).apply(np.zeros((4, 3)))
    assert CutPoints(np.empty((0, 2))).n_levels.tolist() == [1, 1]


def test_parts_of_equal_frequency_are_closed_on_the_left():
    x = np.arange(7.0)[:, None]  # the quantiles are 2 and 4
    assert dz.frequency_codes(x, 3)[:, 0].tolist() == [0, 0, 1, 1, 2, 2, 2]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_parts_of_equal_frequency_count_the_quantiles_up_to_a_value(order, dtype):
    rng = np.random.default_rng(0)
    X = np.array(rng.integers(0, 5, (40, 300)), dtype=dtype, order=order)
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:, 7] = 3
    expected = np.empty(X.shape, dtype=int)
    for j, x in enumerate(X.T):
        edges = np.nanquantile(x.astype(float), [1 / 3, 2 / 3])
        expected[:, j] = [-1 if np.isnan(v) else sum(e <= v for e in edges) for v in x]
    np.testing.assert_array_equal(dz.frequency_codes(X, 3), expected)
