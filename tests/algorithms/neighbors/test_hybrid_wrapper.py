from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.neighbors import KNeighborsClassifier

from fsops.algorithms.neighbors import hybrid_wrapper as hw
from fsops.algorithms.neighbors.hybrid_wrapper import (
    NeighbourErrors,
    backward_over_candidates,
    climb_at_random,
    cooperate,
    forward,
)
from fsops.algorithms.neighbors.instance_based import CandidateSubsets, Points, candidate_subsets


def numbers(X):
    return Points.of(X, np.empty((len(X), 0), int), np.zeros(X.shape[1], bool))


def judge_of(X, y, folds=None, k=1):
    part = np.arange(len(y)) if folds is None else np.arange(len(y)) // (-(-len(y) // folds))
    return NeighbourErrors(numbers(X), y, part, k=k)


@pytest.fixture
def left_one_out(toy):
    """Return what counts errors of 1-NN on the toy data, every row a fold."""
    return judge_of(toy.X, toy.y)


def data(seed=0, n=30, p=12, classes=2):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % classes)
    X = rng.normal(size=(n, p))
    X[:, :3] += y[:, None] * [1.5, 1.0, 0.7]
    return X, y


def scikit_learn_errors(X, y, part, features, k, metric="manhattan", scaled=True):
    Z = (X - X.min(0)) / np.ptp(X, axis=0) if scaled else X
    wrong = 0
    for fold in np.unique(part):
        test = part == fold
        knn = KNeighborsClassifier(min(k, (~test).sum()), metric=metric, algorithm="brute")
        knn.fit(Z[~test][:, features], y[~test])
        near = y[~test][knn.kneighbors(Z[test][:, features], return_distance=False)]
        # Counter keeps the order of the first votes: of equals the class of the nearest is first.
        guess = [Counter(votes).most_common(1)[0][0] for votes in near.tolist()]
        wrong += int((guess != y[test]).sum())
    return wrong


# --- errors -----------------------------------------------------------------------------------


def test_errors_of_the_worked_example(left_one_out):
    expected = {
        (0,): 0.125,
        (1,): 0.75,
        (3,): 0.25,
        (0, 1): 0,
        (0, 3): 0,
        (1, 3): 0.375,
        (0, 1, 3): 0.25,
    }
    assert {s: left_one_out.count_of(s) / 8 for s in expected} == expected


@pytest.mark.parametrize("k", [1, 3, 5, 40])
@pytest.mark.parametrize("classes", [2, 3])
def test_errors_are_those_of_scikit_learn(k, classes):
    X, y = data(classes=classes)
    part = np.random.default_rng(1).permutation(np.arange(30) % 7)
    judge = NeighbourErrors(numbers(X), y, part, k=k)
    for features in ([0], [0, 1, 2], [3, 7, 9], list(range(12))):
        assert judge.count_of(features) == scikit_learn_errors(X, y, part, features, k)


@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("factor", [1e-7, 1.0, 1e7])
def test_errors_of_other_distances_are_those_of_scikit_learn(metric, scaled, factor):
    X, y = data()
    X = X * np.linspace(1, 9, 12) * factor
    part = np.random.default_rng(1).permutation(np.arange(30) % 7)
    points = Points.of(X, np.empty((30, 0), int), np.zeros(12, bool), scaled=scaled)
    judge = NeighbourErrors(points, y, part, k=3, metric=metric)
    for features in ([0], [0, 1, 2], [3, 7, 9], list(range(12))):
        expected = scikit_learn_errors(X, y, part, features, 3, metric, scaled)
        assert judge.count_of(features) == expected


@pytest.mark.parametrize(("metric", "step"), [("manhattan", 0.25), ("euclidean", 0.0625)])
def test_categories_differ_by_one_in_the_unit_of_values_as_they_are(metric, step):
    points = Points.of(np.array([[0.0], [4.0]]), np.array([[3], [8]]), [False, True], scaled=False)
    judge = NeighbourErrors(points, np.array([0, 1]), np.arange(2), metric=metric)
    assert judge.difference(1)[0, 1] == step * hw.UNIT
    assert judge.difference(0)[0, 1] == hw.UNIT


def test_of_classes_with_as_many_votes_the_nearest_wins():
    X, y = np.array([[0.0], [0.1], [0.35], [1.0]]), np.array([1, 1, 0, 0])
    assert judge_of(X, y, k=2).count_of([0]) == 1
    assert judge_of(X, 1 - y, k=2).count_of([0]) == 1


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 11), min_size=1, max_size=40))
def test_distances_do_not_depend_on_the_path(steps):
    X, y = data()
    judge = judge_of(X, y, 10)
    inside, distance = set(), judge.distances(())
    for j in steps:
        change = {"remove": [j]} if j in inside else {"add": [j]}
        distance = judge.changed(distance, **change)
        inside ^= {j}
    np.testing.assert_array_equal(distance, judge.distances(sorted(inside)))


def test_categories_differ_by_one_whatever_their_codes():
    nominal = np.array([[0], [0], [7], [7], [3], [3]])
    points = Points.of(np.empty((6, 0)), nominal, [True])
    judge = NeighbourErrors(points, np.array([0, 0, 1, 1, 0, 0]), np.arange(6))
    assert judge.difference(0).max() == hw.UNIT
    assert judge.count_of([0]) == 0


def test_row_alone_in_its_class_is_an_error():
    X = np.array([[0.0], [0.1], [1.0], [1.1], [2.0]])
    assert judge_of(X, np.array([0, 0, 1, 1, 2])).count_of([0]) == 1


# --- HIB-SBS --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("removal", "kept", "errors"),
    [("single", (0, 1), 0), ("measured", (0,), 1), ("thesis", (0,), 1)],
)
def test_three_ways_of_removal_on_the_worked_example(left_one_out, removal, kept, errors):
    candidates = [(0,), (1,), (3,)]
    found = backward_over_candidates(left_one_out, candidates, removal=removal)
    assert found == (kept, errors)


def naive_backward(error, candidates, removal):
    """Algorithm 1 as reconstructed in the specification, every error from scratch."""
    C = list(dict.fromkeys(c for c in candidates if c))

    def union(sets):
        return tuple(sorted(set().union(*sets))) if sets else ()

    U = union(C)
    b = error(U)
    while True:
        e = {}
        for A in C:
            rest = union([B for B in C if B != A])
            e[A] = error(rest) if rest else np.inf
        bad = [A for A in C if e[A] < b]
        if not bad:
            return U, error(U)
        if removal == "single":
            lefts = {A: union([B for B in C if B != A]) for A in bad}
            bad = [min(bad, key=lambda A: (e[A], len(lefts[A]), lefts[A]))]
        rest = [A for A in C if A not in bad] or [max(C, key=lambda A: e[A])]
        if removal == "measured" and error(union(rest)) > b:
            return U, error(U)
        b = min(e[A] for A in bad) if removal == "thesis" else error(union(rest))
        C, U = rest, union(rest)


@pytest.mark.parametrize("removal", ["single", "measured", "thesis"])
@pytest.mark.parametrize("seed", range(8))
def test_backward_equals_the_algorithm_from_scratch(seed, removal):
    X, y = data(seed, n=24, p=10)
    rng = np.random.default_rng(seed)
    candidates = [tuple(sorted(rng.choice(10, 2, replace=False).tolist())) for _ in range(8)]
    part = np.arange(24) % 6
    judge = NeighbourErrors(numbers(X), y, part)
    error = cache(lambda s: scikit_learn_errors(X, y, part, list(s), 1))
    expected = naive_backward(error, candidates, removal)
    assert backward_over_candidates(judge, candidates, removal=removal) == expected


@pytest.mark.parametrize("removal", ["single", "measured"])
@pytest.mark.parametrize("seed", range(5))
def test_backward_never_ends_with_more_errors_than_the_union(seed, removal):
    X, y = data(seed)
    judge = judge_of(X, y, 10)
    candidates = candidate_subsets(numbers(X), y, size=3).subsets()
    union = sorted(set().union(*candidates))
    found = backward_over_candidates(judge, candidates, removal=removal)
    assert found.errors <= judge.count_of(union)
    assert found.errors == judge.count_of(found.features)


# --- HIB-CSS --------------------------------------------------------------------------------------


def given_candidates(*lines, p):
    width = max(map(len, lines))
    features = np.array([[*line, *[-1] * (width - len(line))] for line in lines])
    weights = np.where(features >= 0, 1.0 / (1 + np.arange(width)), 0.0)
    return CandidateSubsets(np.arange(len(lines)), features, weights, p)


class Told:
    """Errors that are given, not counted."""

    def __init__(self, errors, n_rows):
        self.errors, self.n_rows = errors, n_rows

    def count_of(self, features):
        return self.errors[tuple(features)]


def test_good_wins_over_bad_and_bad_over_middling():
    candidates = given_candidates([0, 1], [2, 3], [3, 4], [1, 4], [5], p=6)
    told = Told({(0, 1): 1, (2, 3): 4, (3, 4): 9, (1, 4): 8, (5,): 5}, 20)
    found = cooperate(told, candidates, good=0.1, bad=0.3, quantiles=False)
    # 0 and 1 are good; 3 and 4 (and 1) are in bad sets; of the middling 2 and 5 are left.
    assert found.order.tolist() == [0, 1, 2, 5]
    np.testing.assert_allclose(found.weights, [2, 1.5, 1, 0, 0, (1 / 0.25) / (1 / 0.2)])
    np.testing.assert_allclose(found.errors, [0.05, 0.2, 0.45, 0.4, 0.25])


def test_without_a_good_candidate_the_best_is_taken_unless_told_not_to():
    candidates = given_candidates([0], [1], [2], p=3)
    told = Told({(0,): 5, (1,): 4, (2,): 9}, 20)
    limits = {"good": 0.1, "bad": 0.3, "quantiles": False}
    assert cooperate(told, candidates, **limits).weights[1] == 2
    without = cooperate(told, candidates, **limits, ensure_good=False)
    np.testing.assert_allclose(without.weights, [0.8, 1, 0])


def test_a_candidate_that_is_promoted_to_good_is_not_middling():
    candidates = given_candidates([0], [1], [2], p=3)
    told = Told({(0,): 5, (1,): 4, (2,): 9}, 20)
    limits = {"good": 0.1, "bad": 0.3, "quantiles": False}
    # Among the middling only 0 is left, so it has the largest score of them.
    np.testing.assert_allclose(cooperate(told, candidates, **limits).weights, [1, 2, 0])
    both = cooperate(told, candidates, **limits, other_includes_good=True)
    np.testing.assert_allclose(both.weights, [0.8, 2, 0])


def test_quartiles_of_the_candidates_are_the_limits():
    candidates = given_candidates([0], [1], [2], [3], [4], p=5)
    told = Told({(j,): j for j in range(5)}, 10)
    found = cooperate(told, candidates, good=0.25, bad=0.75)
    # Below 0.1 and above 0.3: the first is good, the last is bad.
    assert found.order.tolist() == [0, 1, 2, 3]
    assert found.weights[0] == 2
    # A candidate without errors counts as one with half an error.
    both = cooperate(told, candidates, good=0.25, bad=0.75, other_includes_good=True)
    np.testing.assert_allclose(both.weights, [2, 0.5, 0.25, 0, 0])


def test_only_the_best_middling_features_are_looked_at():
    candidates = given_candidates([0], [1], [2], p=3)
    told = Told({(0,): 3, (1,): 4, (2,): 5}, 20)
    limits = {"good": 0.0, "bad": 0.3, "quantiles": False, "ensure_good": False}
    assert cooperate(told, candidates, **limits, most=2).order.tolist() == [0, 1]


def test_equal_errors_make_all_candidates_middling():
    candidates = given_candidates([0, 1], [1, 2], p=4)
    told = Told({(0, 1): 2, (1, 2): 2}, 20)
    assert cooperate(told, candidates, good=0.25, bad=0.75).order.tolist() == [1, 0, 2]


# --- forward and at random ------------------------------------------------------------------------


def test_forward_takes_the_features_of_the_worked_example(left_one_out):
    steps = forward(left_one_out, [0, 1, 3], most=3)
    assert [step.features[0] for step in steps] == [0, 1]
    assert [step.errors for step in steps] == [1, 0]
    assert len(forward(left_one_out, [3, 1, 0], most=9, only_gains=False)) == 3


def test_forward_equals_greedy_search_with_scikit_learn():
    X, y = data(3)
    part = np.arange(30) % 5
    judge = NeighbourErrors(numbers(X), y, part, k=3)
    chosen = []
    for _ in range(5):
        left = [j for j in range(12) if j not in chosen]
        errors = [scikit_learn_errors(X, y, part, [*chosen, j], 3) for j in left]
        chosen.append(left[int(np.argmin(errors))])
    steps = forward(judge, range(12), most=5, only_gains=False)
    assert [step.features[0] for step in steps] == chosen
    assert steps[-1].errors == scikit_learn_errors(X, y, part, chosen, 3)


def test_random_climb_is_never_worse_than_its_start_and_repeats_with_its_seed():
    X, y = data(4)
    judge = judge_of(X, y, 10)
    for seed in range(5):
        start = np.random.default_rng(seed).choice(12, 5, replace=False)
        found, again = (climb_at_random(judge, 5, np.random.default_rng(seed)) for _ in range(2))
        assert found == again
        assert found.errors == judge.count_of(found.features) <= judge.count_of(start.tolist())


def test_fixed_size_is_kept_whatever_is_changed_at_once():
    X, y = data(5)
    judge = judge_of(X, y, 10)
    for at_once in (1, 3, 50):
        rng = np.random.default_rng(0)
        found = climb_at_random(judge, 4, rng, fixed_size=True, at_once=at_once)
        assert len(found.features) == 4
    everything = climb_at_random(judge, 12, np.random.default_rng(0), fixed_size=True)
    assert everything.features == tuple(range(12))


def test_random_climb_keeps_at_least_one_feature():
    X, y = np.zeros((10, 4)), np.arange(10) % 2
    found = climb_at_random(judge_of(X, y), 4, np.random.default_rng(0), at_once=3)
    assert len(found.features) == 1  # all sets are equally bad, so the smallest is kept


def test_search_can_be_stopped_before_any_evaluation():
    def stop():
        raise KeyboardInterrupt

    X, y = data()
    judge = NeighbourErrors(numbers(X), y, np.arange(30), tick=stop)
    with pytest.raises(KeyboardInterrupt):
        forward(judge, range(12), most=3)
