import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fsops.algorithms.neighbors import relief as rl, relief_rows
from fsops.algorithms.neighbors.relief import nearest_hit_and_miss, relief, relieff

THREE = np.array([[1, 5], [2, 1], [3, 4], [2, 2], [4, 6], [6, 3], [5, 5], [7, 2], [9, 4]], float)


def close(actual, expected, atol=6e-9):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=atol)


def shared(distances, k, sigma=None):
    """Share of each neighbor: equal distances share the places they take together."""
    order = sorted(range(len(distances)), key=lambda t: distances[t])
    places = [np.exp(-(((r + 1) / sigma) ** 2)) if sigma else 1.0 for r in range(len(order))]
    places = [place if r < k else 0.0 for r, place in enumerate(places)]
    found = np.zeros(len(distances))
    for t in range(len(distances)):
        same = [r for r, s in enumerate(order) if distances[s] == distances[t]]
        found[t] = np.mean([places[r] for r in same])
    return found


def reference(numeric, nominal, y, k, metric="manhattan", sigma=None, copy_of=None):
    """The formulas of the specification, pair by pair, missing values included.

    Rows with the same number in ``copy_of`` are one row that counts several times.
    """
    n = len(y)
    copy_of = np.arange(n) if copy_of is None else copy_of
    times = {int(np.flatnonzero(copy_of == g)[0]): (copy_of == g).sum() for g in copy_of}
    span = [np.nanmax(c) - np.nanmin(c) if (~np.isnan(c)).any() else 0 for c in numeric.T]

    def known_of(column, missing, c):
        here = column[(y == c) & ~missing]
        return here if here.size else column[~missing]

    def numeric_diff(j, a, b):
        x, s = numeric[:, j], span[j]
        missing = np.isnan(x)
        if missing.all() or s == 0:
            return 0.0
        va = known_of(x, missing, y[a]) if missing[a] else x[[a]]
        vb = known_of(x, missing, y[b]) if missing[b] else x[[b]]
        return np.abs(va[:, None] - vb).mean() / s

    def nominal_diff(j, a, b):
        x = nominal[:, j]
        missing = x < 0
        if missing.all():
            return 0.0
        va = known_of(x, missing, y[a]) if missing[a] else x[[a]]
        vb = known_of(x, missing, y[b]) if missing[b] else x[[b]]
        return (va[:, None] != vb).mean()

    diff = np.array(
        [
            [
                [numeric_diff(j, a, b) for j in range(numeric.shape[1])]
                + [nominal_diff(j, a, b) for j in range(nominal.shape[1])]
                for b in range(n)
            ]
            for a in range(n)
        ]
    )
    d = diff.sum(axis=2) if metric == "manhattan" else np.sqrt((diff**2).sum(axis=2))
    d = d.round(12)
    w = np.zeros(diff.shape[2])
    prior = np.bincount(y) / n
    for i in sorted(times):
        for c in np.unique(y):
            near = [t for t in sorted(times) if y[t] == c and t != i]
            if not near:
                continue
            share = np.array([float(times[t]) for t in near]) * shared(d[i, near], k, sigma)
            mean = (share[:, None] * diff[i, near]).sum(axis=0) / share.sum()
            w += times[i] * (-mean if c == y[i] else prior[c] / (1 - prior[y[i]]) * mean)
    return w / n


def mixed(n=18, seed=0, missing=0.0, classes=3):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % classes)
    numeric = rng.normal(size=(n, 4)) + y[:, None] * [1, 0, 0, 0]
    nominal = rng.integers(0, 4, (n, 3))
    numeric[rng.random(numeric.shape) < missing] = np.nan
    nominal[rng.random(nominal.shape) < missing] = -1
    return numeric, nominal, y


# --- ties ---------------------------------------------------------------------------------------


def coarse(n=24, seed=0, missing=0.0, classes=3):
    """Rows of small whole numbers and few categories: many distances are equal."""
    rng = np.random.default_rng(seed)
    numeric = rng.integers(0, 3, (n, 3)).astype(float)
    nominal = rng.integers(0, 2, (n, 2))
    numeric[rng.random(numeric.shape) < missing] = np.nan
    return numeric, nominal, rng.permutation(np.arange(n) % classes)


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize(("k", "sigma"), [(1, None), (3, None), (4, 2.0)])
@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
def test_rows_at_the_same_distance_share_their_places(missing, k, sigma, metric):
    numeric, nominal, y = coarse(missing=missing)
    options = {"weighting": "rank", "sigma": sigma} if sigma else {}
    found = relieff(numeric, nominal, y, k=k, metric=metric, collapse_duplicates=False, **options)
    close(found.statistic, reference(numeric, nominal, y, k, metric=metric, sigma=sigma))


@pytest.mark.parametrize("collapse", [True, False])
@pytest.mark.parametrize("options", [{"k": 1}, {"k": 5}, {"k": 5, "weighting": "rank", "sigma": 2}])
def test_the_order_of_rows_with_equal_distances_does_not_matter(collapse, options):
    numeric, nominal, y = coarse(40, missing=0.05)
    rng = np.random.default_rng(1)
    found = []
    for _ in range(6):
        p = rng.permutation(40)
        scores = relieff(numeric[p], nominal[p], y[p], collapse_duplicates=collapse, **options)
        found.append(scores.statistic)
    assert np.ptp(found, axis=0).max() < 1e-12


# --- values as they are, and rows drawn at random -----------------------------------------------


@pytest.mark.parametrize("factor", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
def test_without_scaling_values_differ_as_they_are(factor, metric):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 4)) * [1, 10, 0.1, 3] * factor
    y = np.arange(30) % 2
    apart = np.abs(X[:, None] - X)
    d = apart.sum(axis=2) if metric == "manhattan" else np.sqrt((apart**2).sum(axis=2))
    expected = np.zeros(4)
    for i in range(30):
        hit = min((t for t in range(30) if y[t] == y[i] and t != i), key=lambda t: d[i, t])
        miss = min((t for t in range(30) if y[t] != y[i]), key=lambda t: d[i, t])
        expected += apart[i, miss] - apart[i, hit]
    found = relief(X, None, y, metric=metric, scaling="none").statistic
    np.testing.assert_allclose(found / factor, expected / factor / 30, atol=1e-9)


def test_categories_differ_by_one_without_scaling():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 4, (30, 2))
    X, y = rng.normal(size=(30, 2)) * 5, np.arange(30) % 2
    apart = np.concatenate([np.abs(X[:, None] - X), codes[:, None] != codes], axis=2)
    d = apart.sum(axis=2)
    expected = np.zeros(4)
    for i in range(30):
        hit = min((t for t in range(30) if y[t] == y[i] and t != i), key=lambda t: d[i, t])
        miss = min((t for t in range(30) if y[t] != y[i]), key=lambda t: d[i, t])
        expected += (apart[i, miss] - apart[i, hit]) / 30
    close(relief(X, codes, y, scaling="none").statistic, expected)


@pytest.mark.parametrize("collapse", [True, False])
@pytest.mark.parametrize("m", [5, 18, 60])
def test_rows_drawn_several_times_count_several_times(collapse, m):
    numeric, nominal, y = mixed()
    drawn = np.random.default_rng(7).choice(18, m, replace=True)
    single = [relieff(numeric, nominal, y, k=2, m=1, rng=_Fixed(i)).statistic for i in range(18)]
    found = relieff(
        numeric,
        nominal,
        y,
        k=2,
        m=m,
        replace=True,
        rng=np.random.default_rng(7),
        collapse_duplicates=collapse,
    )
    close(found.statistic, np.mean([single[i] for i in drawn], axis=0))


class _Fixed:
    """Draws a given row."""

    def __init__(self, row):
        self.row = row

    def choice(self, n, m, replace):
        return np.array([self.row])


# --- worked numbers of the specification ------------------------------------------------------


def test_relief_of_the_toy_data(toy):
    scores = relief(toy.X, None, toy.y)
    close(scores.statistic, [0.33695652, -0.125, 0, 0.14732143])
    close(scores.weights, [0.33695652, 0, 0, 0.14732143])
    assert not scores.undefined.any()


def test_nearest_hits_and_misses_of_the_toy_data(toy):
    hits, misses = nearest_hit_and_miss(toy.X, None, toy.y)
    assert hits.tolist() == [1, 0, 3, 2, 3, 6, 7, 6]
    assert misses.tolist() == [5, 5, 7, 7, 7, 1, 1, 3]


def test_a_row_without_hit_or_miss_is_told_so():
    X = np.array([[0.0], [1.0], [4.0]])
    hits, misses = nearest_hit_and_miss(X, None, np.array([0, 1, 1]))
    assert (hits.tolist(), misses.tolist()) == ([-1, 2, 1], [1, 0, 0])
    assert nearest_hit_and_miss(X, None, np.zeros(3, int))[1].tolist() == [-1, -1, -1]


@pytest.mark.parametrize(
    ("k", "expected"),
    [
        (1, [0.33695652, -0.125, 0, 0.14732143]),
        (2, [0.26358696, -0.015625, 0, 0.21428571]),
        (10, [0.30978261, -0.10416667, 0, 0.31904762]),
    ],
)
def test_relieff_of_the_toy_data(toy, k, expected):
    close(relieff(toy.X, None, toy.y, k=k).statistic, expected)


@pytest.mark.parametrize(
    ("k", "plain", "untied"),
    [
        (1, [-0.01388889, -0.14444444], [-0.01161991, -0.14295379]),
        (2, [0.10763889, -0.22222222], [0.10925468, -0.22095783]),
    ],
)
def test_relieff_of_three_classes_with_and_without_ties(k, plain, untied):
    y = np.repeat([0, 1, 2], 3)
    close(relieff(THREE, None, y, k=k).statistic, plain)
    moved = THREE + np.arange(9)[:, None] * [0.01, 0.003]
    close(relieff(moved, None, y, k=k).statistic, untied)


def test_relieff_weights_classes_by_their_priors():
    y = np.array([0] * 4 + [1] * 3 + [2] * 2)
    close(relieff(THREE, None, y, k=2).statistic, [0.31203704, -0.10095238])


def test_relieff_of_the_golf_data(golf):
    scores = relieff(golf.numeric, golf.nominal, golf.play, k=3)
    close(scores.statistic, [-0.06122449, 0.02534562, 0.16666667, -0.02380952])


# --- the formulas, pair by pair ---------------------------------------------------------------


@pytest.mark.parametrize("missing", [0.0, 0.25])
@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
@pytest.mark.parametrize("k", [1, 3])
def test_relieff_follows_its_formulas_on_mixed_data(missing, metric, k):
    numeric, nominal, y = mixed(missing=missing)
    scores = relieff(numeric, nominal, y, k=k, metric=metric)
    close(scores.statistic, reference(numeric, nominal, y, k, metric), atol=1e-12)


def test_neighbours_can_be_weighted_by_rank():
    numeric, nominal, y = mixed()
    scores = relieff(numeric, nominal, y, k=4, weighting="rank", sigma=2.0)
    close(scores.statistic, reference(numeric, nominal, y, 4, sigma=2.0), atol=1e-12)


def test_values_missing_in_a_whole_class_are_taken_from_all_classes():
    numeric, nominal, y = mixed()
    numeric[y == 1, 0] = np.nan
    nominal[y == 2, 1] = -1
    close(
        relieff(numeric, nominal, y, k=2).statistic,
        reference(numeric, nominal, y, 2),
        atol=1e-12,
    )


@pytest.mark.parametrize(("features", "values", "distances"), [(1, 4, 10), (2, 8, 40), (3, 1, 1)])
def test_results_do_not_depend_on_the_blocking(monkeypatch, features, values, distances):
    numeric, nominal, y = mixed(missing=0.1)
    whole = relieff(numeric, nominal, y, k=2).statistic
    monkeypatch.setattr(relief_rows, "BLOCK_FEATURES", features)
    monkeypatch.setattr(rl, "BLOCK_VALUES", values)
    for module in (rl, relief_rows):
        monkeypatch.setattr(module, "DISTANCES", distances)
    close(relieff(numeric, nominal, y, k=2).statistic, whole, atol=1e-12)


def test_a_sample_of_all_rows_equals_no_sample(toy):
    whole = relief(toy.X, None, toy.y)
    sampled = relief(toy.X, None, toy.y, m=8, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(sampled.statistic, whole.statistic)


def test_a_sample_depends_only_on_the_generator():
    numeric, nominal, y = mixed(n=30)
    a, b, c = (
        relieff(numeric, nominal, y, k=2, m=10, rng=np.random.default_rng(s)).statistic
        for s in (1, 1, 2)
    )
    np.testing.assert_array_equal(a, b)
    assert (a != c).any()


# --- copies of rows ---------------------------------------------------------------------------


def bootstrapped(seed=0, missing=0.0, classes=3):
    numeric, nominal, y = mixed(n=24, seed=seed, missing=missing, classes=classes)
    rows = np.random.default_rng(seed).integers(0, 24, 24)
    assert len(set(rows.tolist())) < 20
    return numeric[rows], nominal[rows], y[rows], rows


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize(("k", "sigma"), [(1, None), (3, None), (4, 2.0)])
def test_copies_of_a_row_are_no_neighbours_but_count(missing, k, sigma):
    numeric, nominal, y, rows = bootstrapped(missing=missing)
    how = {"weighting": "rank", "sigma": sigma} if sigma else {}
    scores = relieff(numeric, nominal, y, k=k, **how)
    expected = reference(numeric, nominal, y, k, sigma=sigma, copy_of=rows)
    close(scores.statistic, expected, atol=1e-12)


def test_copies_are_rows_of_their_own_if_asked_for():
    numeric, nominal, y, _ = bootstrapped()
    scores = relieff(numeric, nominal, y, k=2, collapse_duplicates=False)
    close(scores.statistic, reference(numeric, nominal, y, 2), atol=1e-12)


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_without_copies_the_bits_are_the_same(missing):
    numeric, nominal, y = mixed(missing=missing)
    found = [
        relieff(numeric, nominal, y, k=3, m=m, rng=np.random.default_rng(1), collapse_duplicates=c)
        for m in (None, 10)
        for c in (True, False)
    ]
    np.testing.assert_array_equal(found[0].statistic, found[1].statistic)
    np.testing.assert_array_equal(found[2].statistic, found[3].statistic)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000), times=st.integers(2, 4))
def test_repeating_all_rows_changes_nothing(seed, times):
    numeric, nominal, y = mixed(seed=seed, classes=2)
    again = [np.tile(numeric, (times, 1)), np.tile(nominal, (times, 1)), np.tile(y, times)]
    close(relief(*again).statistic, relief(numeric, nominal, y).statistic, atol=1e-12)


def test_copies_with_another_class_are_other_rows():
    X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0, 1, 0, 1])
    close(relief(X, None, y).statistic, [-1.0])


def test_a_row_with_copies_only_in_its_class_has_no_hit():
    X = np.array([[0.0], [1.0], [1.0], [4.0]])
    close(relief(X[:3], None, np.array([0, 1, 1])).statistic, [1.0])
    assert relief(X, None, np.array([0, 1, 1, 1])).statistic[0] == pytest.approx(
        (0.25 + 2 * (0.25 - 0.75) + (1 - 0.75)) / 4
    )


def test_drawing_all_rows_draws_their_copies():
    numeric, nominal, y, _ = bootstrapped(classes=2)
    drawn = relief(numeric, nominal, y, m=24, rng=np.random.default_rng(0))
    close(drawn.statistic, relief(numeric, nominal, y).statistic, atol=0)


def test_blocking_does_not_matter_with_copies(monkeypatch):
    numeric, nominal, y, _ = bootstrapped(missing=0.1)
    whole = relieff(numeric, nominal, y, k=2).statistic
    monkeypatch.setattr(relief_rows, "BLOCK_FEATURES", 2)
    for module in (rl, relief_rows):
        monkeypatch.setattr(module, "DISTANCES", 40)
    close(relieff(numeric, nominal, y, k=2).statistic, whole, atol=1e-12)


def test_large_tables_with_copies_follow_the_same_rule():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(60, 3000)), np.arange(60) % 2
    rows = rng.integers(0, 60, 60)
    kept, times = np.unique(rows, return_counts=True)
    hits, misses = nearest_hit_and_miss(X[kept], None, y[kept])
    U = X[kept]
    span = np.ptp(U, axis=0)
    margin = (np.abs(U - U[misses]) - np.abs(U - U[hits])) / span
    close(relief(X[rows], None, y[rows]).statistic, times @ margin / 60, atol=1e-12)


# --- properties -------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000), scale=st.floats(0.01, 100), shift=st.floats(-50, 50))
def test_unit_zero_point_and_order_of_rows_do_not_matter(seed, scale, shift):
    numeric, nominal, y = mixed(seed=seed, missing=0.1)
    numeric, nominal = numeric[:, :4], nominal[:, :1]
    rows = np.random.default_rng(seed).permutation(len(y))
    moved = numeric[rows] * scale + shift
    close(
        relieff(moved, nominal[rows], y[rows], k=3).statistic,
        relieff(numeric, nominal, y, k=3).statistic,
        atol=1e-8,
    )


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000))
def test_scores_stay_between_minus_one_and_one(seed):
    numeric, nominal, y = mixed(seed=seed, missing=0.2, classes=2)
    w = relief(numeric, nominal, y).statistic
    assert (np.abs(w) <= 1 + 1e-12).all()


def test_features_that_matter_only_together_are_found():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (80, 5))
    w = relieff(None, X, X[:, 0] ^ X[:, 1], k=5).statistic
    assert w[:2].min() > w[2:].max()


# --- degenerate data --------------------------------------------------------------------------


def test_constant_and_missing_features_weigh_nothing():
    y = np.array([0, 0, 1, 1])
    numeric = np.column_stack([[1.0, 2, 3, 4], np.full(4, 7.0), np.full(4, np.nan)])
    nominal = np.column_stack([np.full(4, 2), np.full(4, -1)])
    scores = relieff(numeric, nominal, y)
    assert scores.weights[1:].tolist() == [0, 0, 0, 0]
    assert scores.undefined.tolist() == [False, False, True, False, True]
    assert scores.weights[0] > 0


def test_one_class_has_no_relief():
    scores = relief(np.arange(4.0)[:, None], None, np.zeros(4, int))
    assert scores.undefined.all()
    assert scores.weights.tolist() == [0]


def test_a_row_alone_in_its_class_has_no_hit():
    X = np.array([[0.0], [1.0], [4.0]])
    close(relief(X, None, np.array([1, 0, 0])).statistic, [(0.25 + 0.25 - 0.75 + 1 - 0.75) / 3])
    close(relief(X[:2], None, np.array([0, 1])).statistic, [1.0])


def test_classes_without_rows_do_not_count(toy):
    gap = np.where(toy.y == 1, 5, 2)
    np.testing.assert_array_equal(
        relief(toy.X, None, gap).statistic, relief(toy.X, None, toy.y).statistic
    )


def test_identical_rows_in_different_classes_are_legal():
    scores = relief(np.ones((4, 2)), None, np.array([0, 1, 0, 1]))
    assert scores.statistic.tolist() == [0, 0]


def test_empty_tables_are_answered():
    assert relieff(None, None, np.array([0, 1])).weights.size == 0
    assert relieff(np.empty((0, 2)), None, np.empty(0, int)).undefined.all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k must be at least 1"),
        ({"metric": "cosine"}, "metric must be"),
        ({"weighting": "distance"}, "weighting must be"),
        ({"weighting": "rank", "sigma": 0}, "sigma must be above 0"),
        ({"m": 9, "rng": np.random.default_rng(0)}, "between 1 and the number of rows"),
        ({"m": 3}, "needs a random generator"),
    ],
)
def test_bad_parameters_are_refused(toy, options, message):
    with pytest.raises(ValueError, match=message):
        relieff(toy.X, None, toy.y, **options)


def test_bad_tables_are_refused(toy):
    with pytest.raises(ValueError, match="two classes"):
        relief(toy.X, None, np.array([0, 1, 2, 0, 1, 2, 0, 1]))
    with pytest.raises(ValueError, match="8 numeric rows, but 7"):
        relief(toy.X, None, toy.y[:7])
    with pytest.raises(ValueError, match="infinite"):
        relief(np.array([[np.inf], [1.0]]), None, np.array([0, 1]))
