from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays

from fsops.algorithms import univariate
from fsops.algorithms.ensemble import (
    accumulate,
    borda,
    geq_w,
    normalize_weights,
    rank_sums,
    resampled_class_scores,
    resampled_cross_scores,
    top_k,
)
from fsops.algorithms.resampling import bootstrap, row_counts, subsample

relaxed = settings(deadline=None, max_examples=60)

# The specification's three members and four features.
OP = np.array([[1, 0.8, 0.5, 0], [0.9, 0, 1, 0.4], [1, 0.7, 0, 0.2]])

matrices = arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 8)),
                  elements=st.integers(-2, 4).map(float))  # fmt: skip


def test_worked_means_and_rank_sums():
    np.testing.assert_allclose(accumulate(OP) / 3, [0.9666667, 0.5, 0.5, 0.2], atol=1e-7)
    np.testing.assert_allclose(accumulate(OP, normalization="max"), accumulate(OP))
    np.testing.assert_array_equal(rank_sums(OP), [4, 8, 8, 10])
    np.testing.assert_allclose(accumulate(OP) / rank_sums(OP), [0.725, 0.1875, 0.1875, 0.06])


def test_worked_counts():
    found = top_k(OP, 2)
    np.testing.assert_array_equal(found.counts, [3, 2, 1, 0])
    np.testing.assert_array_equal(found.selected, [True, True, False, False])
    np.testing.assert_allclose(found.frequency, [1, 2 / 3, 1 / 3, 0])
    np.testing.assert_array_equal(top_k(OP, 2, min_iterations=3).selected, [1, 0, 0, 0])
    np.testing.assert_array_equal(geq_w(OP, 0.5).counts, [3, 2, 2, 0])
    np.testing.assert_array_equal(geq_w(OP, 0.5).selected, [1, 1, 1, 0])
    np.testing.assert_array_equal(geq_w(OP, 0.5, min_iterations=3).selected, [1, 0, 0, 0])


def test_ties_at_the_cut_go_to_the_larger_sum_then_to_the_smaller_index():
    weights = np.array([[1, 0.5, 0.4, 0], [1, 0, 0.5, 0.4]])
    # Features 1 and 3 have one vote of two, feature 2 has the second place in the other member.
    np.testing.assert_array_equal(top_k(weights, 2).counts, [2, 1, 1, 0])
    np.testing.assert_array_equal(top_k(weights, 2).selected, [1, 0, 1, 0])
    same = np.array([[1, 0.5, 0, 0], [1, 0, 0.5, 0]])
    np.testing.assert_array_equal(top_k(same, 2).selected, [1, 1, 0, 0])
    assert np.flatnonzero(geq_w(OP, 0.5, k=2).selected).tolist() == [0, 1]


def test_a_feature_without_weight_is_never_selected():
    weights = np.array([[1.0, 0, 0, -1], [2.0, 0, 0, 0]])
    np.testing.assert_array_equal(top_k(weights, 3).selected, [1, 0, 0, 0])
    assert not top_k(np.zeros((3, 2)), 1).selected.any()


def test_absolute_weights_can_count():
    weights = np.array([[-0.9, 0.2], [-0.8, 0.9]])
    np.testing.assert_array_equal(geq_w(weights, 0.5, min_iterations=2).selected, [0, 0])
    absolute = geq_w(weights, 0.5, min_iterations=2, absolute=True)
    np.testing.assert_array_equal(absolute.selected, [1, 0])


def test_half_of_the_members_rounded_up_is_enough():
    votes = np.array([[1, 1, 1.0], [1, 1, 0], [1, 0, 0]])
    np.testing.assert_array_equal(geq_w(votes, 0.5).selected, [1, 1, 0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: top_k(OP, 0), "at least one"),
        (lambda: top_k(OP, 1, min_iterations=4), "between 0 and"),
        (lambda: geq_w(OP, 1, min_iterations=0), "between 1 and"),
        (lambda: accumulate(OP, normalization="other"), "Unknown normalization"),
        (lambda: accumulate(OP[0]), "one row per member"),
    ],
)
def test_impossible_requests_are_explained(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_normalizations():
    weights = np.array([[2.0, 4, -1], [0, 0, 0]])
    np.testing.assert_allclose(normalize_weights(weights), [[0.5, 1, 0], [0, 0, 0]])
    np.testing.assert_allclose(normalize_weights(weights, "sum"), [[1 / 3, 2 / 3, 0], [0, 0, 0]])
    np.testing.assert_allclose(normalize_weights(weights, "minmax"), [[0.6, 1, 0], [0, 0, 0]])
    np.testing.assert_allclose(normalize_weights(weights, "rank"), [[2 / 3, 1, 1 / 3], [0, 0, 0]])
    np.testing.assert_array_equal(normalize_weights(weights, "none"), weights)


def test_infinite_weights_are_the_best():
    weights = np.array([[np.inf, 3.0, np.nan], [1.0, 2.0, 0.0]])
    for method in ("max", "minmax", "sum", "rank"):
        first = normalize_weights(weights, method)[0]
        assert np.isfinite(first).all()
        assert first.argmax() == 0
    assert np.isfinite(accumulate(weights)).all()
    assert top_k(weights, 1).counts.tolist() == [1, 1, 0]


def test_truncated_lists_share_the_next_rank():
    np.testing.assert_array_equal(rank_sums(OP, 2), [1 + 2 + 1, 2 + 3 + 2, 3 + 1 + 3, 3 + 3 + 3])
    np.testing.assert_allclose(borda(OP), (5 - np.array([4, 8, 8, 10]) / 3) / 4)
    assert borda(np.array([[3.0, 2, 1], [5, 1, 0]]))[0] == 1


@relaxed
@given(matrices, st.randoms())
def test_the_order_of_members_does_not_matter(weights, random):
    members = list(range(len(weights)))
    random.shuffle(members)
    k = max(1, weights.shape[1] // 2)
    np.testing.assert_array_equal(top_k(weights, k).selected, top_k(weights[members], k).selected)
    np.testing.assert_allclose(accumulate(weights, normalization="max"),
                               accumulate(weights[members], normalization="max"))  # fmt: skip
    np.testing.assert_array_equal(rank_sums(weights), rank_sums(weights[members]))


@relaxed
@given(matrices)
def test_equal_members_agree_with_each_of_them(weights):
    one = weights[:1]
    same = np.repeat(one, 4, axis=0)
    k = max(1, one.shape[1] // 2)
    np.testing.assert_array_equal(top_k(same, k).selected, top_k(one, k).selected)
    np.testing.assert_allclose(accumulate(same), 4 * one[0])
    np.testing.assert_allclose(borda(same), borda(one))


@relaxed
@given(matrices, st.data())
def test_one_more_vote_never_hurts(weights, data):
    member = data.draw(st.integers(0, len(weights) - 1))
    feature = data.draw(st.integers(0, weights.shape[1] - 1))
    more = weights.copy()
    more[member, feature] = 10
    assert top_k(more, 2).counts[feature] >= top_k(weights, 2).counts[feature]
    assert borda(more)[feature] >= borda(weights)[feature]


# --- all resamples at once ---------------------------------------------------------------------


def problem(classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 700)) * rng.uniform(0.1, 9, 700) + rng.uniform(-50, 50, 700)
    y = rng.permutation(np.arange(40) % classes)
    X[:, :30] += y[:, None]
    return X, y


SCORES = {
    "welch": partial(univariate.welch_t_from, weighting="abs_statistic", p_values=False),
    "welch p": univariate.welch_t_from,
    "student": univariate.student_t_from,
    "sam": univariate.sam_from,
    "sam median": partial(univariate.sam_from, s0="median"),
    "f": partial(univariate.f_test_from, p_values=False),
    "fisher": univariate.fisher_score_from,
}


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("draw", [bootstrap, subsample])
def test_scores_are_those_of_each_resample(name, draw):
    X, y = problem()
    rows = draw(len(y), 12, np.random.default_rng(0))
    score = SCORES[name]
    found = resampled_class_scores(
        X, y, row_counts(rows, len(y)), score, joint=name == "sam median"
    )
    expected = [score(univariate.ClassMoments.of(X[r], y[r], 2)).weights for r in rows]
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9)


def test_several_classes_and_few_members_at_a_time(monkeypatch):
    X, y = problem(classes=4)
    rows = bootstrap(len(y), 7, np.random.default_rng(0))
    expected = [univariate.f_test(X[r], y[r], n_classes=4, p_values=False).weights for r in rows]
    counts = row_counts(rows, len(y))
    monkeypatch.setattr("fsops.algorithms.ensemble.JOINT_VALUES", 2 * 4 * 700)
    for joint in (False, True):
        found = resampled_class_scores(X, y, counts, SCORES["f"], joint=joint)
        np.testing.assert_allclose(found, expected, rtol=1e-8)


def test_correlations_are_those_of_each_resample():
    X, _ = problem()
    y = X[:, 0] + np.random.default_rng(3).normal(size=40)
    rows = bootstrap(40, 9, np.random.default_rng(0))
    found = resampled_cross_scores(X, y, row_counts(rows, 40), univariate.pearson_from)
    expected = [univariate.pearson(X[r], y[r]).weights for r in rows]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_features_that_are_constant_in_a_resample_weigh_nothing():
    X, y = problem()
    X[:, 5] = 0.1
    X[:, 6] = 0.1
    X[7, 6] = 3.0  # constant wherever row 7 is not drawn
    without = [np.setdiff1d(np.arange(40), [7]), np.arange(40)]
    counts = row_counts(without, 40)
    for score in (SCORES["welch"], SCORES["f"], univariate.student_t_from):
        found = resampled_class_scores(X, y, counts, score)
        assert not found[:, 5].any()
        assert found[0, 6] == 0
        assert found[1, 6] > 0
    target = X[:, 0].copy()
    found = resampled_cross_scores(X, target, counts, univariate.pearson_from)
    assert not found[:, 5].any()
    assert found[0, 6] == 0


def test_large_means_do_not_cost_digits():
    X, y = problem()
    rows = bootstrap(40, 5, np.random.default_rng(0))
    counts = row_counts(rows, 40)
    near = resampled_class_scores(X, y, counts, SCORES["welch"])
    far = resampled_class_scores(X + 1e7, y, counts, SCORES["welch"])
    np.testing.assert_allclose(far, near, rtol=1e-5, atol=1e-5)


def test_a_class_that_is_not_drawn_leaves_the_score_undefined():
    X, y = problem()
    counts = row_counts([np.flatnonzero(y == 0), np.arange(40)], 40)
    found = resampled_class_scores(X, y, counts, SCORES["welch"])
    assert not found[0].any()
    assert found[1].all()


def test_unusable_input_is_refused():
    X, y = problem()
    with pytest.raises(ValueError, match="shape"):
        resampled_class_scores(X, y, np.ones((3, 5)), SCORES["f"])
    with pytest.raises(ValueError, match="no rows"):
        resampled_class_scores(X, y, np.zeros((3, 40)), SCORES["f"])
    X[3, 4] = np.nan
    with pytest.raises(ValueError, match="missing"):
        resampled_class_scores(X, y, np.ones((3, 40)), SCORES["f"])
    with pytest.raises(ValueError, match="missing"):
        resampled_cross_scores(X, y, np.ones((3, 40)), univariate.pearson_from)
