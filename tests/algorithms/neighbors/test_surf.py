"""SURF, SURF* and MultiSURF against skrebate, and against the formulas, pair by pair."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fsops.algorithms.base import compiled
from fsops.algorithms.neighbors import surf as module
from fsops.algorithms.neighbors.surf import surf
from fsops.errors import DataError

RADII = ("surf", "surf*", "multisurf")
WITHOUT = "skrebate is not installed"


@pytest.fixture(params=["numpy", "kernels"])
def how(request, monkeypatch):
    """Both ways to compute, whatever the size."""
    if request.param == "kernels" and not compiled.is_available():
        pytest.skip("numba is not installed")
    monkeypatch.setattr(compiled, "take_pairs", lambda size: request.param == "kernels")
    return request.param


def theirs(radius, X, y, nominal=(), **options):
    """Scores of skrebate, without the distances of rows from themselves in the mean distance."""
    rebate = pytest.importorskip("skrebate", reason=WITHOUT)

    def without_own(base):
        class Radius(base):
            def _find_neighbors(self, inst, mean):
                return super()._find_neighbors(inst, mean * len(y) / (len(y) - 1))

        return Radius

    kinds = {
        "surf": without_own(rebate.SURF),
        "surf*": without_own(rebate.SURFstar),
        "multisurf": rebate.MultiSURF,
    }
    model = kinds[radius](categorical_features=list(nominal), **options)
    return model.fit(np.array(X, dtype=float), np.array(y)).feature_importances_


def close(actual, expected, atol=1e-10):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=atol)


def drawn(seed, n=40, p=6, classes=2):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % classes)
    X = rng.normal(size=(n, p))
    X[:, 0] += y
    X[:, 1] *= 1e-9
    X[:, 2] *= 1e9
    return X, rng.integers(0, 3, (n, p)), y


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_scores_are_those_of_skrebate(radius, classes, how):
    X, names, y = drawn(classes, classes=classes)
    y[:4] = 0  # the classes have different sizes
    close(surf(X, None, y, radius=radius).statistic, theirs(radius, X, y))
    close(surf(None, names, y, radius=radius).statistic, theirs(radius, names, y, range(6)))
    three = surf(X[:, :3], None, y, radius=radius).statistic
    close(three, theirs(radius, X[:, :3], y))


@pytest.mark.parametrize("radius", RADII)
def test_scores_for_a_label_of_numbers_are_those_of_skrebate(radius, how):
    X, _, _ = drawn(7)
    y = X[:, 0] + np.random.default_rng(7).normal(size=40)
    expected = theirs(radius, X, y, label_type="continuous")
    close(surf(X, None, y, radius=radius, classes=False).statistic, expected)


@pytest.mark.parametrize("classes", [2, 4])
def test_missing_values_are_left_out_as_skrebate_does(classes, how):
    X, names, y = drawn(8, classes=classes)
    rng = np.random.default_rng(8)
    X[rng.random(X.shape) < 0.15] = np.nan
    X[:, 5] = drawn(9)[0][:, 5]  # one attribute is complete
    close(surf(X, None, y).statistic, theirs("multisurf", X, y))
    names[rng.random(names.shape) < 0.15] = -1
    both = np.hstack([X, np.where(names < 0, np.nan, names)])
    close(surf(X, names, y).statistic, theirs("multisurf", both, y, range(6, 12)))


def by_definition(numeric, nominal, y, radius):
    """The formulas, pair by pair, with missing values and the ramp of mixed tables."""
    n, p, q = len(y), numeric.shape[1], nominal.shape[1]
    with np.errstate(all="ignore"):
        span = np.array([np.ptp(c[~np.isnan(c)]) if (~np.isnan(c)).any() else 0 for c in numeric.T])
    X = np.hstack([numeric / np.where(span > 0, span, 1), np.where(nominal < 0, np.nan, nominal)])

    def difference(i, k, ramp):
        found = np.abs(X[i] - X[k])
        found[p:] = np.where(np.isnan(found[p:]), np.nan, found[p:] > 0)
        if ramp and p and q:
            found[:p] = np.where(found[:p] > np.nanstd(X[:, :p], axis=0), 1.0, found[:p])
        return found

    distance = np.full((n, n), np.nan)
    for i in range(n):
        for k in range(n):
            known = difference(i, k, ramp=False)
            known = known[~np.isnan(known)]
            if i != k and known.size:
                distance[i, k] = known.mean()
    distance = np.round(distance, 13)
    total = np.zeros(p + q)
    classes = np.unique(y)
    for i in range(n):
        if np.isnan(distance[i]).all():
            continue
        limit = np.nanmean(distance)
        if radius == "multisurf":
            limit = np.nanmean(distance[i]) - np.nanstd(distance[i]) / 2
        near = [k for k in range(n) if distance[i, k] < limit - 1e-12]
        far = [k for k in range(n) if distance[i, k] > limit + 1e-12] if radius == "surf*" else []
        for sign, rows in ((1, near), (-1, far)):
            for j in range(p + q):
                d = {k: difference(i, k, ramp=True)[j] for k in rows}
                d = {k: v for k, v in d.items() if not np.isnan(v)}
                hits = [v for k, v in d.items() if y[k] == y[i]]
                misses = [[v for k, v in d.items() if y[k] == c] for c in classes if c != y[i]]
                m = sum(map(len, misses))
                score = -np.mean(hits) if hits else 0.0
                if m:
                    score += sum(sum(v) * len(v) for v in misses) * len(misses) / m**2
                total[j] += sign * score
    return total / n


@pytest.mark.parametrize("radius", RADII)
def test_the_formulas_hold_on_awkward_tables(radius, how):
    rng = np.random.default_rng(11)
    y = np.array([0] * 5 + [1] * 4 + [2] * 4)
    numeric = rng.integers(0, 4, (13, 3)).astype(float)  # many ties
    numeric[:, 1] = 5.0  # a constant
    numeric[rng.random(numeric.shape) < 0.2] = np.nan
    nominal = rng.integers(-1, 2, (13, 2))
    none, names = np.empty((13, 0)), np.empty((13, 0), int)
    for a, b in ((numeric, nominal), (numeric, names), (none, nominal)):
        with np.errstate(invalid="ignore"):
            close(surf(a, b, y, radius=radius).statistic, by_definition(a, b, y, radius))


@pytest.mark.parametrize("radius", RADII)
def test_parts_of_the_distances_give_the_same_scores(radius, how, monkeypatch):
    X, names, y = drawn(12, classes=3)
    X[3, 3] = np.nan
    whole = [surf(X, None, y, radius=radius), surf(X, names, y, radius=radius)]
    parts = [np.arange(40)[i : i + 7] for i in range(0, 40, 7)]
    monkeypatch.setattr(module, "batches", lambda anchors, n: iter(parts))
    close(surf(X, None, y, radius=radius).statistic, whole[0].statistic, atol=1e-12)
    close(surf(X, names, y, radius=radius).statistic, whole[1].statistic, atol=1e-12)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(RADII))
def test_units_and_the_order_of_rows_do_not_matter(seed, radius):
    X, names, y = drawn(seed, n=15, classes=3)
    order = np.random.default_rng(seed).permutation(15)
    shift = 3.0 * np.array([1, 1e-9, 1e9, 1, 1, 1])
    one = surf(X, names, y, radius=radius).statistic
    other = surf(X[order] * 4.0 - shift, names[order], y[order], radius=radius).statistic
    close(other, one, atol=1e-8)


@pytest.mark.parametrize("n", [4, 200])
def test_rows_at_equal_distances_have_no_neighbours_within_the_radius(n, how):
    assert (surf(np.eye(n), None, np.arange(n) % 2).statistic == 0).all()


def test_attributes_without_values_or_with_one_class_are_undefined():
    X, _, y = drawn(3)
    X[:, 4] = np.nan
    found = surf(X, None, y)
    assert found.undefined.tolist() == [False, False, False, False, True, False]
    assert np.isnan(found.statistic[4])
    assert found.weights[4] == 0
    assert surf(X, None, np.zeros(40, int)).undefined.all()
    assert surf(X, None, np.ones(40), classes=False).undefined.all()


def test_another_radius_is_refused():
    with pytest.raises(ValueError, match='must be "surf"'):
        surf(np.eye(3), None, np.array([0, 1, 0]), radius="wide")  # type: ignore[arg-type]


@pytest.mark.parametrize("error", [0.0, 1e-4, 1.0])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_rows_whose_radius_rounding_may_decide_get_exact_distances(error, missing, monkeypatch):
    pytest.importorskip("numba", reason="the kernels need numba", exc_type=ImportError)
    rng = np.random.default_rng(4)
    X, y = rng.standard_normal((70, 11)), np.arange(70) % 3
    X[rng.random(X.shape) < missing] = np.nan
    exact = surf(X, None, y).statistic
    monkeypatch.setattr(compiled, "take_pairs", lambda differences: True)
    asked = []
    mark_again, rounded = module.by_pairs.mark_again, module.rounded_rows

    def with_error(X, order):
        """An error of one attribute, times the number of them."""
        found = rounded(X, order)
        return found._replace(errors=np.full(70, error * 11 / found.unit))

    def counted(distances, rows, *args):
        asked.extend(rows)
        mark_again(distances, rows, *args)

    monkeypatch.setattr(module.by_pairs, "mark_again", counted)
    monkeypatch.setattr(module, "rounded_rows", with_error)
    np.testing.assert_allclose(surf(X, None, y).statistic, exact, rtol=0, atol=1e-13)
    assert {0.0: 0, 1.0: 70}.get(error, len(asked)) == len(asked)
    assert error != 1e-4 or 0 < len(asked) < 70


def classes_of_sizes(sizes):
    return np.random.default_rng(1).permutation(np.repeat(np.arange(len(sizes)), sizes))


@pytest.mark.parametrize(
    "sizes", [(150, 150), (128, 128, 4), (1, 257), (40, 1, 2, 90, 167), (9,) * 33]
)
@pytest.mark.parametrize("p", [1, 8, 49, 100, 209, 1100])
@pytest.mark.parametrize("missing", [0.0, 0.02, 0.4])
def test_pairs_of_rows_give_the_scores_of_single_rows(sizes, p, missing, monkeypatch):
    """Sizes of classes and numbers of attributes that fill up blocks of the kernels, or do not."""
    pytest.importorskip("numba", reason="the kernels need numba", exc_type=ImportError)
    y = classes_of_sizes(sizes)
    X = np.random.default_rng(p).standard_normal((y.size, p)) + 0.3 * y[:, None]
    X[:, -1] = X[:, -1].round()  # many ties
    # Every third attribute is complete, if any is.
    holes = np.random.default_rng(2).random(X.shape) < missing
    X[holes & (np.arange(p) % 3 > 0)] = np.nan
    monkeypatch.setattr(compiled, "take_pairs", lambda differences: False)
    single = surf(X, None, y).statistic
    monkeypatch.setattr(compiled, "take_pairs", lambda differences: True)
    close(surf(X, None, y).statistic, single, atol=1e-12)


@pytest.mark.parametrize("n", [30, 128, 300])
@pytest.mark.parametrize("decimals", [0, 2, 9])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_pairs_of_rows_give_the_scores_of_single_rows_for_numbers(
    n, decimals, missing, monkeypatch
):
    """Labels with many ties, with few, and with none."""
    pytest.importorskip("numba", reason="the kernels need numba", exc_type=ImportError)
    rng = np.random.default_rng(n)
    X, y = rng.standard_normal((n, 60)), rng.standard_normal(n).round(decimals)
    X[:, 0] += y
    X[(rng.random(X.shape) < missing) & (np.arange(60) % 2 > 0)] = np.nan
    monkeypatch.setattr(compiled, "take_pairs", lambda differences: False)
    single = surf(X, None, y, classes=False).statistic
    monkeypatch.setattr(compiled, "take_pairs", lambda differences: True)
    monkeypatch.setattr(module._Table, "scores", None)  # would fail
    close(surf(X, None, y, classes=False).statistic, single, atol=1e-13)


@pytest.mark.parametrize("p", [1, 8, 48, 49, 100, 200, 350, 1000])
def test_tiles_hold_all_features_and_fill_up_one_vector_at_most(p):
    pytest.importorskip("numba", reason="the kernels need numba", exc_type=ImportError)
    X, order = np.random.default_rng(p).random((5, p)), np.array([3, 0, 4, 1, 2])
    parts = module.tiled(X, order, module.mostly_large(X, order))
    joined = np.concatenate([tile for tiles in parts for tile in tiles], axis=1)
    mostly_large = X.mean(axis=0) > 0.5
    np.testing.assert_array_equal(joined[:, :p], np.where(mostly_large, 1 - X, X)[order])
    assert not joined[:, p:].any()
    assert joined.shape[1] < p + 8


@pytest.mark.parametrize("share", [0.2, 0.5])
def test_the_two_columns_of_a_category_get_the_same_score(share, monkeypatch):
    """The larger values of both are added up: without care, rounding would break the tie."""
    pytest.importorskip("numba", reason="the kernels need numba", exc_type=ImportError)
    monkeypatch.setattr(compiled, "take_pairs", lambda differences: True)
    rng = np.random.default_rng(9)
    for _ in range(20):
        X, y = rng.random((60, 8)), rng.integers(0, 3, 60)
        X[:, 0] = rng.permutation(60) < 60 * share
        X[:, 3] = rng.integers(0, 3, 60) / 2
        X[:, 4], X[:, 5], X[:, 6] = 1 - X[:, 0], X[:, 0], 1 - X[:, 3]
        score = surf(X, None, y).statistic
        assert score[4] == score[0] == score[5]
        assert score[6] == score[3]


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_distances_that_do_not_fit_into_memory_are_computed_again(missing, monkeypatch):
    pytest.importorskip("numba", reason="the kernels need numba", exc_type=ImportError)
    X, _, y = drawn(17, n=300, classes=3)
    X[np.random.default_rng(3).random(X.shape) < missing] = np.nan
    monkeypatch.setattr(compiled, "take_pairs", lambda differences: True)
    with_all = surf(X, None, y).statistic
    monkeypatch.setattr(module, "_fits", lambda size: False)
    np.testing.assert_array_equal(surf(X, None, y).statistic, with_all)


def test_rows_without_a_feature_known_in_both_are_taken_row_by_row(monkeypatch):
    pytest.importorskip("numba", reason="the kernels need numba", exc_type=ImportError)
    X, _, y = drawn(18)
    X[0, :3], X[1, 3:] = np.nan, np.nan
    single = surf(X, None, y).statistic
    monkeypatch.setattr(compiled, "take_pairs", lambda differences: True)
    monkeypatch.setattr(module, "_paired_scores", None)  # would fail
    close(surf(X, None, y).statistic, single, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_equal_rows_outliers_and_scales_do_not_change_pairs(scale, monkeypatch):
    pytest.importorskip("numba", reason="the kernels need numba", exc_type=ImportError)
    rng = np.random.default_rng(6)
    X, y = rng.standard_normal((200, 20)), np.arange(200) % 2
    X[:60] = X[0]  # equal rows
    X[61] = 1e6  # a row far away from all others
    X[:, 3] = 7.0  # a constant
    X *= scale
    monkeypatch.setattr(compiled, "take_pairs", lambda differences: False)
    single = surf(X, None, y).statistic
    monkeypatch.setattr(compiled, "take_pairs", lambda differences: True)
    close(surf(X, None, y).statistic, single, atol=1e-12)


def test_pairs_that_do_not_fit_into_memory_are_taken_row_by_row(monkeypatch):
    pytest.importorskip("numba", reason="the kernels need numba", exc_type=ImportError)
    X, _, y = drawn(13)
    monkeypatch.setattr(compiled, "take_pairs", lambda differences: True)
    by_pairs = surf(X, None, y).statistic
    monkeypatch.setattr(module, "MARKS", 40)
    monkeypatch.setattr(module, "_paired_scores", None)  # would fail
    close(surf(X, None, y).statistic, by_pairs, atol=1e-12)


def test_more_pairs_than_the_memory_holds_are_refused_with_advice(monkeypatch):
    pytest.importorskip("numba", reason="the kernels need numba", exc_type=ImportError)
    X, _, y = drawn(13)
    monkeypatch.setattr(compiled, "take_pairs", lambda differences: True)
    monkeypatch.setattr(module.memory, "SMALL", 1)
    monkeypatch.setattr(module.memory, "available", lambda: 100)
    with pytest.raises(DataError, match="MultiSURF of 40 rows needs 200 bytes of memory"):
        surf(X, None, y)
