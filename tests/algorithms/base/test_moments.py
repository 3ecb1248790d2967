import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fsops.algorithms.base import moments as m, sums
from fsops.algorithms.base.moments import ClassMoments, CrossMoments


def plain(X, y, n_classes):
    """The definition, in long double."""
    X = np.asarray(X, dtype=np.longdouble)
    count = np.array([[(~np.isnan(c)).sum() for c in X[y == k].T] for k in range(n_classes)])
    mean = np.array(
        [
            [c[~np.isnan(c)].mean() if (~np.isnan(c)).any() else 0 for c in X[y == k].T]
            for k in range(n_classes)
        ]
    )
    ss = np.array(
        [
            [
                ((c[~np.isnan(c)] - mu) ** 2).sum()
                for c, mu in zip(X[y == k].T, mean[k], strict=True)
            ]
            for k in range(n_classes)
        ]
    )
    return count, mean.astype(float), ss.astype(float)


def check(moments, X, y, n_classes, **tolerance):
    count, mean, ss = plain(X, y, n_classes)
    np.testing.assert_array_equal(np.broadcast_to(moments.count, count.shape), count)
    filled = count > 0
    np.testing.assert_allclose(moments.mean[filled], mean[filled], **tolerance)
    np.testing.assert_allclose(moments.ss, ss, **tolerance)


def data(n=60, p=7, classes=3, seed=0, missing=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * rng.uniform(0.1, 10, p) + rng.normal(size=p)
    X[rng.random((n, p)) < missing] = np.nan
    return X, rng.integers(0, classes, n)


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize(("tile", "block"), [(8192, 32768), (3, 8), (2, 2)])
def test_moments_follow_the_definition_for_any_blocking(monkeypatch, missing, tile, block, order):
    monkeypatch.setattr(m, "MASKED_ROWS", 4 * tile)
    monkeypatch.setattr(sums, "TILE_COLUMNS", tile)
    monkeypatch.setattr(sums, "BLOCK_VALUES", block)
    monkeypatch.setattr(sums, "COLUMN_WIDTH", tile)
    X, y = data(missing=missing)
    X = np.asarray(X, order=order)
    check(ClassMoments.of(X, y, 3), X, y, 3, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("p", [1, 2, 7, 65])
def test_moments_have_the_same_bits_for_any_storage_and_blocking(monkeypatch, p):
    X, y = data(p=p)
    whole, crossed = ClassMoments.of(X, y, 3), CrossMoments.of(X, X[:, 0])
    monkeypatch.setattr(sums, "TILE_COLUMNS", 3)
    monkeypatch.setattr(sums, "COLUMN_WIDTH", 4)
    monkeypatch.setattr(sums, "BLOCK_VALUES", 8)
    for other in (X, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2]):
        moments, cross = ClassMoments.of(other, y, 3), CrossMoments.of(other, X[:, 0])
        np.testing.assert_array_equal(moments.offset, whole.offset)
        np.testing.assert_array_equal(moments.ss, whole.ss)
        np.testing.assert_array_equal(cross.cross, crossed.cross)
        np.testing.assert_array_equal(cross.ss_x, crossed.ss_x)


@pytest.mark.parametrize("shift", [0.0, 1e3, 1e6, 1e8])
def test_large_means_do_not_cost_digits(shift):
    X, y = data(classes=2)
    X += shift
    moments = ClassMoments.of(X, y, 2)
    _, _, ss = plain(X, y, 2)
    np.testing.assert_allclose(moments.ss, ss, rtol=1e-12)
    exact = np.longdouble(X) - np.longdouble(X[0])
    difference = (exact[y == 1].mean(axis=0) - exact[y == 0].mean(axis=0)).astype(float)
    np.testing.assert_allclose(moments.offset[1] - moments.offset[0], difference, rtol=1e-11)


def test_an_outlier_in_the_first_row_does_not_spoil_the_other_class():
    X, y = data(n=40, classes=2)
    y[0] = 0
    X[0] = 1e12
    moments = ClassMoments.of(X, y, 2)
    np.testing.assert_allclose(moments.ss[1], plain(X, y, 2)[2][1], rtol=1e-12)


def test_float32_and_integer_data_are_summed_in_double():
    X, y = data(n=500)
    X32 = X.astype(np.float32)
    check(ClassMoments.of(X32, y, 3), X32, y, 3, rtol=1e-12, atol=1e-13)
    small = np.random.default_rng(0).integers(0, 255, (500, 3)).astype(np.uint8)
    check(ClassMoments.of(small, y, 3), small, y, 3, rtol=1e-12)


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_column_major_data_give_the_same(missing):
    X, y = data(n=300, missing=missing)
    for table in (X, X.astype(np.float32)):
        check(ClassMoments.of(np.asfortranarray(table), y, 3), table, y, 3, rtol=1e-11, atol=1e-13)
        a, b = (CrossMoments.of(t, y) for t in (table, np.asfortranarray(table)))
        np.testing.assert_allclose(a.cross, b.cross, rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(a.ss_x, b.ss_x, rtol=1e-11)


@settings(max_examples=60, deadline=None)
@given(
    cut=st.integers(0, 30),
    seed=st.integers(0, 1000),
    shift=st.sampled_from([0.0, 1e6]),
    missing=st.sampled_from([0.0, 0.4, 1.0]),
)
def test_merged_moments_equal_those_of_the_whole(cut, seed, shift, missing):
    X, y = data(n=30, p=4, seed=seed, missing=missing)
    X += shift
    merged = ClassMoments.of(X[:cut], y[:cut], 3).merge(ClassMoments.of(X[cut:], y[cut:], 3))
    check(merged, X, y, 3, rtol=1e-9, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(cut=st.integers(0, 30), seed=st.integers(0, 1000), missing=st.sampled_from([0.0, 0.4, 1.0]))
def test_merged_cross_moments_equal_those_of_the_whole(cut, seed, missing):
    X, _ = data(n=30, p=4, seed=seed, missing=missing)
    y = np.random.default_rng(seed).normal(size=30)
    whole = CrossMoments.of(X, y)
    merged = CrossMoments.of(X[:cut], y[:cut]).merge(CrossMoments.of(X[cut:], y[cut:]))
    for name in ("count", "ss_x", "ss_y", "cross"):
        a, b = np.broadcast_arrays(getattr(merged, name), getattr(whole, name))
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("rows", [1024, 7])
def test_cross_moments_leave_missing_values_out_per_feature(monkeypatch, rows):
    monkeypatch.setattr(m, "MASKED_ROWS", rows)
    X, _ = data(n=50, p=5, missing=0.2)
    y = np.random.default_rng(1).normal(size=50)
    moments = CrossMoments.of(X, y)
    for j in range(5):
        known = ~np.isnan(X[:, j])
        part = CrossMoments.of(X[known, j : j + 1], y[known])
        np.testing.assert_allclose(moments.cross[j], part.cross[0], rtol=1e-12)
        np.testing.assert_allclose(moments.ss_x[j], part.ss_x[0], rtol=1e-12)
        np.testing.assert_allclose(moments.ss_y[j], part.ss_y[0], rtol=1e-12)


def test_target_moments_group_one_vector_by_every_column():
    rng = np.random.default_rng(0)
    groups = rng.integers(-1, 3, (40, 6))
    y = rng.normal(size=40) + 100
    moments = ClassMoments.of_target(y, groups, 3)
    for j in range(6):
        known = groups[:, j] >= 0
        one = ClassMoments.of(y[known, None], groups[known, j], 3)
        np.testing.assert_array_equal(moments.count[:, j], one.count[:, 0])
        np.testing.assert_allclose(moments.mean[:, j], one.mean[:, 0], rtol=1e-13)
        np.testing.assert_allclose(moments.ss[:, j], one.ss[:, 0], rtol=1e-10)


def test_noise_of_a_constant_feature_counts_as_no_variation():
    X = np.full((6, 1), 0.3)
    X[::2] = 0.1 + 0.2
    assert X.std() > 0
    assert not ClassMoments.of(X, np.zeros(6, int), 1).within().any()
    assert ClassMoments.of(X - 0.3, np.zeros(6, int), 1).within().all()


def test_degenerate_tables_have_empty_or_zero_moments():
    none = ClassMoments.of(np.empty((0, 3)), np.empty(0, int), 2)
    assert none.offset.shape == (2, 3)
    assert not none.count.any()
    assert ClassMoments.of(np.empty((4, 0)), np.zeros(4, int), 2).offset.shape == (2, 0)
    missing = ClassMoments.of(np.full((4, 1), np.nan), np.array([0, 0, 1, 1]), 2)
    assert not missing.count.any()
    assert np.isfinite(missing.mean).all()


@pytest.mark.parametrize(
    ("X", "codes", "message"),
    [
        (np.zeros(3), np.zeros(3, int), "two dimensions"),
        (np.zeros((3, 2)), np.zeros(2, int), "one class code per row"),
        (np.zeros((3, 2)), np.array([0, 1, 2]), "below 2"),
        (np.zeros((3, 2)), np.array([0, 1, -1]), "negative"),
        (np.zeros((3, 2)), np.array([0.0, 1.0, 0.0]), "integers"),
        (np.array([["a"]]), np.array([0]), "numeric"),
    ],
)
def test_bad_shapes_are_refused_in_words(X, codes, message):
    with pytest.raises(ValueError, match=message):
        ClassMoments.of(X, codes, 2)


def test_moments_of_different_tables_do_not_merge():
    a = ClassMoments.of(np.zeros((3, 2)), np.zeros(3, int), 1)
    b = ClassMoments.of(np.zeros((3, 3)), np.zeros(3, int), 1)
    with pytest.raises(ValueError, match="same classes and features"):
        a.merge(b)
    with pytest.raises(ValueError, match="same features"):
        CrossMoments.of(np.zeros((3, 2)), np.arange(3)).merge(
            CrossMoments.of(np.zeros((3, 3)), np.arange(3))
        )


# --- row weights ----------------------------------------------------------------------------


def same_fields(found, expected, **tolerance):
    for name in expected.__slots__:
        a, b = np.broadcast_arrays(getattr(found, name), getattr(expected, name))
        np.testing.assert_allclose(a, b, **tolerance, err_msg=name)


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("tile", [3, 8192])
def test_whole_weights_repeat_rows(monkeypatch, missing, tile):
    monkeypatch.setattr(sums, "TILE_COLUMNS", tile)
    X, y = data(missing=missing)
    weights = np.random.default_rng(3).integers(0, 4, len(X))
    rows = np.repeat(np.arange(len(X)), weights)
    found, expected = ClassMoments.of(X, y, 4, weights), ClassMoments.of(X[rows], y[rows], 4)
    same_fields(found, expected, rtol=1e-10, atol=1e-12)
    cross = CrossMoments.of(X, y, weights)
    same_fields(cross, CrossMoments.of(X[rows], y[rows]), rtol=1e-10, atol=1e-12)


def test_weights_need_not_be_whole():
    X, y = data(missing=0.2)
    whole = np.random.default_rng(3).integers(0, 4, len(X))
    found, expected = ClassMoments.of(X, y, 3, whole / 7), ClassMoments.of(X, y, 3, whole)
    np.testing.assert_allclose(found.count, expected.count / 7)
    np.testing.assert_allclose(found.mean, expected.mean)
    np.testing.assert_allclose(found.ss, expected.ss / 7, rtol=1e-10)
    cross, expected = CrossMoments.of(X, y, whole / 7), CrossMoments.of(X, y, whole)
    np.testing.assert_allclose(cross.mean_y, expected.mean_y)
    np.testing.assert_allclose(cross.cross, expected.cross / 7, rtol=1e-10, atol=1e-12)


def test_weighted_moments_merge():
    X, y = data(missing=0.2)
    weights = np.random.default_rng(3).random(len(X))
    weights[:9] = 0
    parts = [slice(0, 9), slice(9, 10), slice(10, 60)]
    merged = [ClassMoments.of(X[rows], y[rows], 3, weights[rows]) for rows in parts]
    whole = ClassMoments.of(X, y, 3, weights)
    total = merged[0].merge(merged[1]).merge(merged[2])
    np.testing.assert_allclose(total.mean, whole.mean, rtol=1e-12)
    np.testing.assert_allclose(total.ss, whole.ss, rtol=1e-10, atol=1e-12)
    merged = [CrossMoments.of(X[rows], y[rows], weights[rows]) for rows in parts]
    total = merged[0].merge(merged[1]).merge(merged[2])
    same_fields(total, CrossMoments.of(X, y, weights), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (np.ones(5), "one weight per row"),
        (np.full(60, -1.0), "not negative"),
        (np.full(60, np.nan), "finite"),
        (np.full(60, "1"), "numeric"),
    ],
)
def test_weights_that_make_no_sense_are_refused(weights, words):
    X, y = data()
    with pytest.raises(ValueError, match=words):
        ClassMoments.of(X, y, 3, weights)
    with pytest.raises(ValueError, match=words):
        CrossMoments.of(X, y, weights)
