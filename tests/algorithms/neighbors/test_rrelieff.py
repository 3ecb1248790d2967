import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fsops.algorithms.neighbors import relief as rl, relief_rows
from fsops.algorithms.neighbors.rrelieff import rrelieff


def close(actual, expected, atol=1e-9):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=atol)


def expected_difference(column, a, b, missing, scale, differ):
    """The mean over all values that an unknown one may have."""
    known = column[~missing]
    if not known.size:
        return 0.0
    va = known if missing[a] else column[[a]]
    vb = known if missing[b] else column[[b]]
    return differ(va[:, None], vb).mean() / scale


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


def reference(numeric, nominal, y, k, *, metric="manhattan", sigma=None, times=None):
    """The three sums of the paper's algorithm, pair by pair."""
    n = len(y)
    times = np.ones(n) if times is None else times

    def diffs(a, b):
        found = []
        for x in numeric.T:
            span = np.nanmax(x) - np.nanmin(x) or 1.0
            found.append(
                expected_difference(x, a, b, np.isnan(x), span, lambda u, v: np.abs(u - v))
            )
        for x in nominal.T:
            found.append(expected_difference(x, a, b, x < 0, 1.0, lambda u, v: u != v))
        return np.array(found)

    diff = np.array([[diffs(a, b) for b in range(n)] for a in range(n)])
    d = diff.sum(axis=2) if metric == "manhattan" else np.sqrt((diff**2).sum(axis=2))
    label_differs, differs, both = 0.0, np.zeros(diff.shape[2]), np.zeros(diff.shape[2])
    for i in range(n):
        near = [t for t in range(n) if t != i]
        share = times[near] * shared(d[i, near].round(12), k, sigma)
        share *= times[i] / share.sum()
        for t, s in zip(near, share, strict=True):
            dy = abs(y[i] - y[t]) / np.ptp(y)
            label_differs += dy * s
            differs += diff[i, t] * s
            both += dy * diff[i, t] * s
    return both / label_differs - (differs - both) / (times.sum() - label_differs)


def mixed(n=18, seed=0, missing=0.0):
    rng = np.random.default_rng(seed)
    numeric = rng.normal(size=(n, 4))
    nominal = rng.integers(0, 3, (n, 2))
    y = numeric[:, 0] + nominal[:, 0] + 0.1 * rng.normal(size=n)
    numeric[rng.random(numeric.shape) < missing] = np.nan
    nominal[rng.random(nominal.shape) < missing] = -1
    return numeric, nominal, y


def test_three_rows_by_hand():
    # Neighbors 0-1, 1-0, 2-1 with feature differences .2, .2, .8 and label differences .5, .5, .5.
    X, y = np.array([[0.0], [2.0], [10.0]]), np.array([0.0, 1.0, 2.0])
    p, with_label, without = 0.5, (0.2 + 0.2 + 0.8) / 6, (0.2 + 0.2 + 0.8) / 6
    close(rrelieff(X, None, y, k=1).statistic, [with_label / p - without / (1 - p)])
    # A label that jumps where the feature does.
    y = np.array([0.0, 0.0, 2.0])
    close(rrelieff(X, None, y, k=1).statistic, [(0.8 / 3) / (1 / 3) - (0.4 / 3) / (2 / 3)])


@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("k", [1, 4, 50])
def test_the_algorithm_of_the_paper(metric, missing, k):
    numeric, nominal, y = mixed(missing=missing, seed=k)
    found = rrelieff(numeric, nominal, y, k=k, metric=metric)
    close(found.statistic, reference(numeric, nominal, y, k, metric=metric))
    assert (found.weights == np.maximum(found.statistic, 0)).all()


def test_nearer_neighbours_can_count_more():
    numeric, nominal, y = mixed(seed=3)
    found = rrelieff(numeric, nominal, y, k=6, weighting="rank", sigma=2.5)
    close(found.statistic, reference(numeric, nominal, y, 6, sigma=2.5))


def test_copies_add_to_what_a_row_counts_but_are_no_neighbours():
    numeric, nominal, y = mixed(seed=4)
    times = np.random.default_rng(1).integers(1, 4, len(y))
    rows = np.random.default_rng(2).permutation(np.repeat(np.arange(len(y)), times))
    found = rrelieff(numeric[rows], nominal[rows], y[rows], k=3)
    close(found.statistic, reference(numeric, nominal, y, 3, times=times))
    kept = rrelieff(numeric[rows], nominal[rows], y[rows], k=3, collapse_duplicates=False)
    assert np.abs(kept.statistic - found.statistic).max() > 0.01


def test_rows_with_other_labels_are_no_copies():
    X, y = np.array([[1.0], [1.0], [3.0], [4.0]]), np.array([0.0, 1.0, 2.0, 5.0])
    close(rrelieff(X, None, y, k=2).statistic, reference(X, np.empty((4, 0), int), y, 2))


@pytest.mark.parametrize("collapse", [True, False])
def test_batches_and_blocks_change_nothing(monkeypatch, collapse):
    numeric, nominal, y = mixed(n=40, missing=0.1, seed=5)
    whole = rrelieff(numeric, nominal, y, k=5, collapse_duplicates=collapse).statistic
    monkeypatch.setattr(rl, "DISTANCES", 7 * 40)
    monkeypatch.setattr(relief_rows, "BLOCK_FEATURES", 2)
    close(rrelieff(numeric, nominal, y, k=5, collapse_duplicates=collapse).statistic, whole)


@settings(max_examples=25, deadline=None)
@given(st.floats(0.1, 50), st.floats(-100, 100), st.booleans())
def test_shift_scale_and_sign_of_the_label_do_not_matter(scale, shift, turned):
    numeric, nominal, y = mixed(seed=6)
    changed = y * (-scale if turned else scale) + shift
    close(
        rrelieff(numeric, nominal, changed, k=4).statistic,
        rrelieff(numeric, nominal, y, k=4).statistic,
        atol=1e-7,
    )


def test_what_the_label_depends_on_comes_first_even_if_only_together():
    rng = np.random.default_rng(7)
    X = rng.random((300, 6))
    y = (X[:, 1] > 0.5) ^ (X[:, 4] > 0.5)
    found = rrelieff(X, None, y + rng.random(300) * 0.1, k=10)
    assert set(np.argsort(-found.statistic)[:2]) == {1, 4}


@pytest.mark.parametrize("y", [[1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 5.0, 5.0]])
def test_nothing_is_known_where_near_labels_never_differ(y):
    X = np.array([[0.0], [1.0], [8.0], [9.0]])
    found = rrelieff(X, None, np.array(y), k=1)
    assert found.undefined.all()
    assert np.isnan(found.statistic).all()
    assert (found.weights == 0).all()


def test_nothing_is_known_of_one_row_or_of_labels_that_differ_all_alike():
    assert rrelieff(np.array([[1.0]]), None, np.array([2.0])).undefined.all()
    assert rrelieff(np.array([[1.0], [2.0]]), None, np.array([2.0, 3.0])).undefined.all()


def test_a_feature_without_values_is_undefined_and_harmless():
    numeric, nominal, y = mixed(seed=8)
    with_hole = np.column_stack([numeric, np.full(len(y), np.nan)])
    found = rrelieff(with_hole, nominal, y, k=3)
    assert found.undefined.tolist() == [False] * 4 + [True] + [False] * 2
    close(found.statistic[[0, 1, 2, 3, 5, 6]], rrelieff(numeric, nominal, y, k=3).statistic)


def test_a_sample_of_all_rows_is_all_rows():
    numeric, nominal, y = mixed(seed=9)
    some = rrelieff(numeric, nominal, y, k=3, m=len(y), rng=np.random.default_rng(0))
    close(some.statistic, rrelieff(numeric, nominal, y, k=3).statistic)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"k": 0}, "at least 1"), ({"weighting": "odd"}, "weighting"), ({"m": 99}, "m must lie")],
)
def test_bad_options_are_named(options, message):
    numeric, nominal, y = mixed()
    with pytest.raises(ValueError, match=message):
        rrelieff(numeric, nominal, y, rng=np.random.default_rng(0), **options)


def test_the_order_of_rows_with_equal_distances_does_not_matter():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (40, 4)).astype(float)
    y = X[:, 0] + rng.normal(size=40)
    orders = [rng.permutation(40) for _ in range(5)]
    found = [rrelieff(X[p], None, y[p], k=5).statistic for p in orders]
    assert np.ptp(found, axis=0).max() < 1e-12


def test_without_scaling_scores_have_the_unit_of_the_feature():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 3))
    X /= np.ptp(X, axis=0)  # all ranges are 1
    y = X[:, 0] + 0.1 * rng.normal(size=30)
    scaled = rrelieff(X, None, y, k=3).statistic
    close(rrelieff(5 * X, None, y, k=3, scaling="none").statistic, 5 * scaled)
