"""Certain predictions of many subsets are those of scikit-learn; doubtful ones are named."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from fsops.algorithms.neighbors.subset_votes import (
    TREE_FEATURES,
    Fold,
    SubsetVotes,
    common_change,
)
from fsops.algorithms.search.subsets import one_less, one_more

RNG = np.random.default_rng(11)
NORMAL = RNG.standard_normal((60, 20))
TABLES = {
    "normal": NORMAL,
    "rounded": np.round(NORMAL, 1),
    "whole numbers": np.round(NORMAL),
    "binary": (NORMAL > 0) * 1.0,
    "constant": np.where(np.arange(20) < 5, 3.0, NORMAL),
    "copies": np.repeat(NORMAL[:30], 2, axis=0),
    "far from zero": NORMAL + 1e6,
    "huge": NORMAL * 1e100,
    "tiny": NORMAL * 1e-170,
    "mixed scales": NORMAL * 10.0 ** RNG.integers(-8, 8, 20),
}


def generations(p=20):
    """Return generations of forward, backward and unrelated steps, in an order that goes back."""
    everything = tuple(range(p))
    return [
        one_more((), p),
        one_more((3,), p),
        one_less(everything),
        one_more((1, 4, 7), p),
        one_less((0, 2, 5, 9)),
        one_less(everything[:-2]),
        [(1, 2, 3), (4,), (2, 5, 6, 7)],
    ]


def folds(X, y, k):
    splits = StratifiedKFold(3, shuffle=True, random_state=0).split(X, y)
    return [Fold(X[a], X[b], y[a], y[b], min(k, len(a))) for a, b in splits]


def right_by_fitting(fold, subset, weights):
    model = KNeighborsClassifier(fold.k, weights=weights, metric="euclidean")
    model.fit(fold.train[:, subset], fold.train_labels)
    guess = model.classes_[model.predict_proba(fold.test[:, subset]).argmax(axis=1)]
    return int((guess == fold.test_labels).sum())


@pytest.mark.parametrize("k", [1, 4, 5, 30, 200])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("kind", TABLES)
def test_certain_counts_are_those_of_fitting_every_subset(kind, weights, k):
    X, y = TABLES[kind], np.arange(60) % 3
    parts = folds(X, y, k)
    votes = SubsetVotes(parts, 3, nearness=weights == "distance")
    for subsets in generations():
        right, certain = votes.right(subsets)
        for number in np.flatnonzero(certain):
            fitted = [right_by_fitting(fold, list(subsets[number]), weights) for fold in parts]
            assert right[number].tolist() == fitted


@pytest.mark.parametrize("kind", ["normal", "huge", "mixed scales"])
@pytest.mark.parametrize("nearness", [False, True])
def test_continuous_data_leave_no_doubt(kind, nearness):
    X, y = TABLES[kind], np.arange(60) % 2
    votes = SubsetVotes(folds(X, y, 5), 2, nearness=nearness)
    assert all(votes.right(subsets)[1].all() for subsets in generations())


@pytest.mark.parametrize("kind", ["whole numbers", "binary", "copies", "far from zero", "tiny"])
@pytest.mark.parametrize("nearness", [False, True])
def test_ties_of_few_features_are_broken_as_by_scikit_learn(kind, nearness):
    X, y = TABLES[kind], np.arange(60) % 3
    votes = SubsetVotes(folds(X, y, 5), 3, nearness=nearness)
    few = [subsets for subsets in generations() if max(map(len, subsets)) <= TREE_FEATURES]
    assert all(votes.right(subsets)[1].all() for subsets in few)


def test_a_tie_that_decides_is_doubtful_and_one_that_does_not_is_certain():
    """With so few rows scikit-learn uses no tree, so that the caller has to break the tie."""
    train = np.array([[-1.0], [1.0], [0.1], [0.2]])
    fold = Fold(train, np.array([[0.0]]), np.array([0, 1, 0, 1]), np.array([0]), 3)
    right, certain = SubsetVotes([fold], 2, nearness=False).right([(0,)])
    assert not certain[0]  # one of the first two rows has the third vote
    fold = Fold(train, np.array([[0.0]]), np.array([0, 1, 0, 0]), np.array([0]), 3)
    right, certain = SubsetVotes([fold], 2, nearness=False).right([(0,)])
    assert certain[0]
    assert right[0, 0] == 1


def test_a_common_base_is_found_in_both_directions():
    assert common_change([(1, 2), (2, 5), (2, 7)])[0::2] == ((2,), 1.0)
    base, features, sign = common_change([(1, 2, 5), (1, 5, 7), (2, 5, 7), (1, 2, 7)])
    assert (base, features.tolist(), sign) == ((1, 2, 5, 7), [7, 2, 1, 5], -1.0)
    assert common_change([(1, 2), (3, 4)]) is None
    assert common_change([(1, 2), (2, 5), (5, 7)]) is None
    assert common_change([(4, 6)])[0::2] == ((4, 6), 0.0)
