import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays

from fsops.algorithms.aggregation.weights import (
    Lists,
    accumulate,
    accuracy_sum,
    common,
    geq_w,
    mean_rank,
    mean_weight,
    normalize_weights,
    reliability,
    top_k,
    weight_over_rank,
)

relaxed = settings(deadline=None, max_examples=60)

# The specification's three members and four features, with the errors of the members.
OP = np.array([[1, 0.8, 0.5, 0], [0.9, 0, 1, 0.4], [1, 0.7, 0, 0.2]])
ERRORS = np.array([0.1, 0.2, 0.15])

matrices = arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 8)),
                  elements=st.integers(-2, 4).map(float))  # fmt: skip


def test_worked_sums():
    np.testing.assert_allclose(accumulate(OP) / 3, [0.9666667, 0.5, 0.5, 0.2], atol=1e-7)
    np.testing.assert_allclose(accumulate(OP, normalization="max"), accumulate(OP))


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


@relaxed
@given(matrices, st.randoms())
def test_the_order_of_members_does_not_matter(weights, random):
    members = list(range(len(weights)))
    random.shuffle(members)
    k = max(1, weights.shape[1] // 2)
    np.testing.assert_array_equal(top_k(weights, k).selected, top_k(weights[members], k).selected)
    np.testing.assert_allclose(accumulate(weights, normalization="max"),
                               accumulate(weights[members], normalization="max"))  # fmt: skip


@relaxed
@given(matrices)
def test_equal_members_agree_with_each_of_them(weights):
    one = weights[:1]
    same = np.repeat(one, 4, axis=0)
    k = max(1, one.shape[1] // 2)
    np.testing.assert_array_equal(top_k(same, k).selected, top_k(one, k).selected)
    np.testing.assert_allclose(accumulate(same), 4 * one[0])


@relaxed
@given(matrices, st.data())
def test_one_more_vote_never_hurts(weights, data):
    member = data.draw(st.integers(0, len(weights) - 1))
    feature = data.draw(st.integers(0, weights.shape[1] - 1))
    more = weights.copy()
    more[member, feature] = 10
    assert top_k(more, 2).counts[feature] >= top_k(weights, 2).counts[feature]


# --- lists ------------------------------------------------------------------------------------

SCORES = {
    "mean weight": mean_weight,
    "weight over rank": weight_over_rank,
    "mean rank": mean_rank,
    "truncated": lambda lists: mean_rank(lists, truncated=True),
    "frequency": lambda lists: lists.counts.astype(float),
    "accuracy": lambda lists: accuracy_sum(lists, np.linspace(0.1, 0.4, len(lists.chosen))),
    "reliability": lambda lists: (
        reliability(lists, np.linspace(0.1, 0.4, len(lists.chosen)), 50).scores
    ),
}
every_score = pytest.mark.parametrize("score", SCORES.values(), ids=SCORES)


@st.composite
def without_ties(draw):
    """Draw the weights of several members, all different within a member."""
    p = draw(st.integers(2, 7))
    members = draw(st.lists(st.permutations(range(1, p + 1)), min_size=1, max_size=5))
    return np.array(members, dtype=float)


def test_worked_lists():
    lists = Lists.of(OP)
    np.testing.assert_array_equal(lists.ranks, [[1, 2, 3, 4], [2, 4, 1, 3], [1, 2, 4, 3]])
    np.testing.assert_array_equal(lists.ranks.sum(axis=0), [4, 8, 8, 10])
    np.testing.assert_array_equal(lists.counts, [3, 2, 2, 2])
    np.testing.assert_allclose(mean_weight(lists), [0.9666667, 0.5, 0.5, 0.2], atol=1e-7)
    np.testing.assert_allclose(weight_over_rank(lists), [0.725, 0.1875, 0.1875, 0.06])
    np.testing.assert_allclose(mean_rank(lists), (5 - np.array([4, 8, 8, 10]) / 3) / 4)
    np.testing.assert_allclose(accuracy_sum(lists, ERRORS), [2.55, 1.75, 1.70, 1.65])


def test_worked_reliability():
    found = reliability(Lists.of(OP), ERRORS, 1000)
    confidence = [
        [1, 0.8, 0.5, 0],
        [0.567837, 0, 0.63093, 0.252372],
        [0.789451, 0.552616, 0, 0.15789],
    ]
    conflict = [
        [0.033932, 0.214339, 0.342268, 0.238461],
        [0.067311, 0.242769, 0.464303, 0.247972],
        [0.039196, 0.24, 0.325901, 0.174763],
    ]
    reliable = np.array(
        [
            [0.966068, 0.628529, 0.328866, 0],
            [0.529615, 0, 0.337987, 0.189791],
            [0.758508, 0.419988, 0, 0.130297],
        ]
    )
    np.testing.assert_allclose(found.confidence, confidence, atol=1e-6)
    np.testing.assert_allclose(found.conflict, conflict, atol=1e-6)
    np.testing.assert_allclose(found.reliability, reliable / 0.966068, atol=2e-6)
    np.testing.assert_allclose(found.scores, [2.278545, 0.824802, 0.520068, 0.105557], atol=1e-6)


def naive_reliability(op, errors, rows, classes):
    """Eqs. 3.12 to 3.15 of Ben Brahim with the confidence of SAMME, one number at a time."""
    members, p = op.shape
    conf = np.zeros_like(op)
    for k in range(members):
        e = min(max(errors[k], 1 / (2 * rows)), 1 - 1 / classes)
        for j in range(p):
            conf[k, j] = op[k, j] * (np.log((1 - e) / e) + np.log(classes - 1))
    conf /= conf.max()
    rel, score = np.zeros_like(op), np.zeros(p)
    for k in range(members):
        others = [t for t in range(members) if t != k]
        for j in range(p):
            alike = 1 - np.mean([abs(op[k, j] - op[t, j]) for t in others])
            sure = 1 - np.mean([abs(conf[k, j] - conf[t, j]) for t in others])
            rel[k, j] = conf[k, j] * (1 - sure * (1 - alike))
    rel /= rel.max()
    for k in range(members):
        score += op[k] * rel[k]
    return score


@pytest.mark.parametrize("classes", [2, 3, 8])
def test_reliability_of_several_classes_is_that_of_the_formula(classes):
    errors = np.array([0.1, 0.45, 0.3]) if classes == 2 else np.array([0.4, 0.55, 0.61])
    found = reliability(Lists.of(OP), errors, 100, classes=classes)
    np.testing.assert_allclose(found.scores, naive_reliability(OP, errors, 100, classes))


def test_errors_above_one_half_count_with_more_than_two_classes():
    errors = [0.6, 0.61, 0.52]
    assert not reliability(Lists.of(OP), errors, 100).scores.any()
    assert reliability(Lists.of(OP), errors, 100, classes=8).scores.all()
    guessing = reliability(Lists.of(OP), [0.875, 0.9, 1.0], 100, classes=8)
    assert not guessing.scores.any()


def test_reliability_of_each_member_can_be_its_own_scale():
    found = reliability(Lists.of(OP), ERRORS, 1000, scale="per selector")
    np.testing.assert_allclose(found.reliability.max(axis=1), 1)


def test_confidence_may_fall_with_the_raw_error():
    found = reliability(Lists.of(OP), ERRORS, 1000, beta="raw")
    share = np.log(1 / ERRORS) / np.log(1 / ERRORS[0])
    np.testing.assert_allclose(found.confidence, OP * share[:, None])


def test_a_single_member_is_relied_on():
    np.testing.assert_allclose(reliability(Lists.of(OP[:1]), ERRORS[:1], 10).scores, OP[0])


def test_perfect_and_useless_members_are_no_extremes():
    found = reliability(Lists.of(OP), np.array([0.0, 1.0, 0.5]), 100)
    assert np.isfinite(found.scores).all()
    np.testing.assert_array_equal(found.confidence[1:], 0)
    useless = reliability(Lists.of(OP), np.array([0.5, 0.7, 0.9]), 100)
    np.testing.assert_array_equal(useless.scores, 0)


def test_common_features_are_in_enough_lists():
    lists = Lists.of(np.array([[3, 2, 1.0], [3, 2, 0], [3, 0, 1]]))
    np.testing.assert_array_equal(common(lists), [1, 0, 0])
    np.testing.assert_array_equal(common(lists, 2 / 3), [1, 1, 1])
    np.testing.assert_array_equal(common(Lists.of(np.eye(3)), 1 / 3), [1, 1, 1])
    assert not common(Lists.of(np.eye(3))).any()


def test_cut_lists_share_the_next_rank():
    lists = Lists.of(OP, 2)
    truncated = [[1, 2, 3, 3], [2, 3, 1, 3], [1, 2, 3, 3]]
    np.testing.assert_array_equal(lists.truncated_ranks, truncated)
    np.testing.assert_allclose(
        mean_rank(lists, truncated=True), [11 / 12, 8 / 12, 8 / 12, 0], atol=1e-12
    )
    np.testing.assert_allclose(lists.weights, [[1, 0.8, 0, 0], [0.9, 0, 1, 0], [1, 0.7, 0, 0]])


def test_features_behind_the_cut_never_gain_by_a_rank_of_zero():
    # Feature 0 is first twice and not in the third list; feature 1 is third in all lists.
    weights = np.array([[9, 5, 7, 1.0], [9, 5, 7, 1], [0, 7, 8, 9]])
    ranks = Lists.of(weights, 3).truncated_ranks
    assert ranks[2, 0] == 4
    assert (ranks > 0).all()


def test_ties_go_to_frequency_then_mean_rank_then_index():
    lists = Lists.of(np.array([[4, 3, 2, 1.0], [0, 3, 4, 1]]))
    order = lists.best_first(np.zeros(4))
    assert order.tolist() == [1, 2, 3, 0]
    assert lists.best_first(np.zeros(4), np.array([1.0, 0, 0, 2])).tolist() == [3, 0, 1, 2]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Lists.of(OP, 0), "at least one feature"),
        (lambda: accuracy_sum(Lists.of(OP), [0.1, 0.2]), "3 errors from 0 to 1"),
        (lambda: reliability(Lists.of(OP), [0.1, 0.2, 1.2], 9), "3 errors from 0 to 1"),
    ],
)
def test_impossible_lists_are_explained(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@every_score
@relaxed
@given(without_ties(), st.integers(1, 4))
def test_identical_lists_give_the_list(score, weights, members):
    lists = Lists.of(np.repeat(weights[:1], members, axis=0))
    order = lists.best_first(score(lists))
    assert order.tolist() == np.argsort(-weights[0]).tolist()


@every_score
@relaxed
@given(without_ties(), st.randoms())
def test_permuting_features_permutes_scores(score, weights, random):
    places = list(range(weights.shape[1]))
    random.shuffle(places)
    np.testing.assert_allclose(
        score(Lists.of(weights[:, places])), score(Lists.of(weights))[places], atol=1e-12
    )


@pytest.mark.parametrize("name", ["mean weight", "weight over rank", "mean rank", "frequency"])
@relaxed
@given(weights=matrices, random=st.randoms())
def test_permuting_members_changes_no_score(name, weights, random):
    members = list(range(len(weights)))
    random.shuffle(members)
    np.testing.assert_allclose(
        SCORES[name](Lists.of(weights[members])), SCORES[name](Lists.of(weights)), atol=1e-12
    )


@relaxed
@given(matrices, st.data())
def test_a_feature_in_one_more_list_counts_more(weights, data):
    member = data.draw(st.integers(0, len(weights) - 1))
    feature = data.draw(st.integers(0, weights.shape[1] - 1))
    without, having = weights.copy(), weights.copy()
    without[member, feature], having[member, feature] = 0, 2
    errors = np.full(len(weights), 0.2)
    before, after = Lists.of(without), Lists.of(having)
    assert after.counts[feature] == before.counts[feature] + 1
    assert accuracy_sum(after, errors)[feature] > accuracy_sum(before, errors)[feature]
