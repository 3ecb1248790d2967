"""Right predictions of k nearest neighbors for many subsets of the features at once.

A squared distance is a sum over features. The sums of one subset serve all subsets that have one
feature more or less, so that a step of a forward or backward selection costs little more than one
fit. Sorted sums end the search for neighbors early.

The predictions are those of scikit-learn's KNeighborsClassifier, which may sum in another order and
chooses among equally distant rows in its own way. So a prediction counts as certain only if neither
can change it. Others are left to scikit-learn's tree, where the classifier uses it: it searches for
each row alone. The caller has to predict the remaining subsets itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fsops.algorithms.base.compiled import subsets as kernels
from fsops.algorithms.base.types import Bools, Floats, Ints
from fsops.algorithms.search.subsets import Subset
from fsops.memory import require_pairs

EPSILON = float(np.finfo(np.float64).eps)
TREE_FEATURES = 15
"""Up to so many features scikit-learn sums squared differences, which keeps small distances exact.

Beyond them, and for at least half of the rows as neighbors, it uses inner products.
"""


FEWEST_SORTED = 64


@dataclass(frozen=True, eq=False)
class Fold:
    """Points and class codes of the rows for training and of those for testing."""

    train: Floats
    test: Floats
    train_labels: Ints
    test_labels: Ints
    k: int


class SubsetChange(NamedTuple):
    """Subsets that differ from one base by a feature each."""

    base: Subset
    features: Ints
    sign: float
    """1 if the features are added, -1 if they are removed, 0 for the base itself."""

    @property
    def size(self) -> int:
        """Number of features of each subset."""
        return len(self.base) + int(self.sign)

    def subset(self, number: int) -> Subset:
        """Return one of the subsets."""
        changed = {int(self.features[number])} if self.sign else set()
        return tuple(sorted(set(self.base) ^ changed))


def common_change(subsets: Sequence[Subset]) -> SubsetChange | None:
    """Return the change from one base to all subsets; None if they have no such base."""
    if len(subsets) == 1:
        return SubsetChange(subsets[0], np.zeros(1, dtype=np.intp), 0.0)
    first, second = set(subsets[0]), set(subsets[1])
    for base, sign in ((first & second, 1.0), (first | second, -1.0)):
        ordered = tuple(sorted(base))
        pairs = ((s, ordered) if sign > 0 else (ordered, s) for s in subsets)
        features = [_only_extra(longer, shorter) for longer, shorter in pairs]
        if -1 not in features:
            return SubsetChange(ordered, np.array(features, dtype=np.intp), sign)
    return None


def _only_extra(longer: Subset, shorter: Subset) -> int:
    """Return the only feature that a subset has more than another; -1 if that is not so."""
    if len(longer) != len(shorter) + 1:
        return -1
    low, high = 0, len(shorter)
    while low < high:  # both are ascending, and equal up to the extra feature
        middle = (low + high) // 2
        low, high = (middle + 1, high) if longer[middle] == shorter[middle] else (low, middle)
    return longer[low] if longer[:low] + longer[low + 1 :] == shorter else -1


class SubsetVotes:
    """Counts the right predictions of k nearest neighbors in every fold.

    Parameters
    ----------
    folds : sequence of Fold
    n_classes : int
    nearness : bool
        Weigh votes by the inverse distance. Equal rows then outvote all others.
    """

    def __init__(self, folds: Sequence[Fold], n_classes: int, *, nearness: bool) -> None:
        self._folds = [_FoldVotes(fold, n_classes, nearness) for fold in folds]

    def right(self, subsets: Sequence[Subset]) -> tuple[Ints, Bools]:
        """Return the right predictions, (subsets, folds), and which subsets are certain."""
        change = common_change(subsets)
        changes = [change] if change else [common_change([subset]) for subset in subsets]
        counted = [[fold.right(c) for fold in self._folds] for c in changes if c is not None]
        right = np.vstack([np.column_stack([r for r, _ in folds]) for folds in counted])
        certain = [np.logical_and.reduce([sure for _, sure in folds]) for folds in counted]
        return right, np.concatenate(certain)


@dataclass(frozen=True, eq=False)
class _Near:
    """The nearest rows of each case, that is of each test row for each subset."""

    squares: Floats
    """Squared distances of k + 1 rows, (cases, k + 1)."""
    rows: Ints
    slack: Floats
    """Largest absolute error of the squares."""
    relative: float
    """Largest relative error of the squares."""

    @cached_property
    def error(self) -> Floats:
        """Largest difference of two squares that may be equal."""
        error: Floats = self.slack + self.relative * self.squares[:, -2]
        return error


@dataclass
class _FoldVotes:
    """The votes in one fold, and the distances in the last base."""

    fold: Fold
    n_classes: int
    nearness: bool
    subset: Subset = ()
    squares: Floats = field(init=False)
    drift: float = 0.0
    """Largest error that removed features have left in the squares."""

    def __post_init__(self) -> None:
        fold = self.fold
        self.train, self.test = self.points = (
            np.ascontiguousarray(fold.train.T),
            np.ascontiguousarray(fold.test.T),
        )
        require_pairs(len(fold.test), len(fold.train), "The matrix of distances")
        self.squares = np.zeros((len(fold.test), len(fold.train)))

    def right(self, change: SubsetChange) -> tuple[Ints, Bools]:
        """Return the right predictions of each subset, and whether they are certain."""
        self._move_to(change.base)
        fold = self.fold
        places = (len(change.features), len(fold.test), fold.k + 1)
        squares, rows = np.full(places, np.inf), np.zeros(places, dtype=np.intp)
        base = (*self._sorted(), change.sign if change.base else 1.0)
        if change.base:
            kernels.nearest_with_one_change(base, self.points, change.features, squares, rows)
        else:
            orders = np.argsort(self.train[change.features], axis=1)
            kernels.nearest_in_one_feature(self.points, change.features, orders, squares, rows)
        slack = self._slack(change, squares[:, :, fold.k - 1])
        near = _Near(
            squares.reshape(-1, fold.k + 1),
            rows.reshape(-1, fold.k + 1),
            slack.ravel(),
            4 * (len(change.base) + 8) * EPSILON,
        )
        winners, certain = self._winners(*self._votes(near, base, change.features))
        guess, certain = winners.reshape(slack.shape), certain.reshape(slack.shape)
        if self._has_tree(change):
            for number in np.flatnonzero(~certain.all(axis=1)).tolist():
                doubtful = np.flatnonzero(~certain[number])
                guess[number, doubtful] = self._by_tree(change.subset(number), doubtful)
            certain[:] = True
        right: Ints = (guess == fold.test_labels).sum(axis=1)
        return right, np.logical_and.reduce(certain, axis=1)

    def _has_tree(self, change: SubsetChange) -> bool:
        """Whether scikit-learn searches for the neighbors in a tree."""
        return change.size <= TREE_FEATURES and self.fold.k < self.train.shape[1] // 2

    def _by_tree(self, subset: Subset, rows: Ints) -> Ints:
        """Return what scikit-learn predicts for some test rows, bit for bit."""
        from sklearn.neighbors import KDTree

        columns = list(subset)
        tree = KDTree(np.ascontiguousarray(self.train[columns].T), metric="euclidean", leaf_size=30)
        points = np.ascontiguousarray(self.test[columns][:, rows].T)
        distances, nearest = tree.query(points, self.fold.k)
        classes, labels = np.unique(self.fold.train_labels, return_inverse=True)
        votes = np.zeros((len(rows), len(classes)))
        weights = _inverse(distances) if self.nearness else np.ones_like(distances)
        for place in range(self.fold.k):
            votes[np.arange(len(rows)), labels[nearest[:, place]]] += weights[:, place]
        total = votes.sum(axis=1, keepdims=True)
        shares = votes / np.where(total == 0.0, 1.0, total)
        winners: Ints = classes[shares.argmax(axis=1)]
        return winners

    def _move_to(self, subset: Subset) -> None:
        """Bring the squares to another subset."""
        added, removed = set(subset) - set(self.subset), set(self.subset) - set(subset)
        # Small subsets are summed exactly, without what removed features have left.
        exact = len(subset) <= TREE_FEATURES + 1
        if len(added) + len(removed) >= len(subset) or (exact and (removed or self.drift)):
            added, removed = set(subset), set()
            self.squares[:], self.drift = 0.0, 0.0
            if not exact:
                self._multiply(list(subset))
                added = set()
        for feature in sorted(added):
            self.squares += (self.test[feature][:, None] - self.train[feature]) ** 2
        for feature in sorted(removed):
            self.drift += 2 * EPSILON * float(self.squares.max())
            self.squares -= (self.test[feature][:, None] - self.train[feature]) ** 2
        self.subset = subset

    def _multiply(self, columns: list[int]) -> None:
        """Compute the squares by a product of matrices, as scikit-learn does."""
        train, test = self.train[columns], self.test[columns]
        centre = train.mean(axis=1, keepdims=True)
        train, test = train - centre, test - centre
        size = (test**2).sum(axis=0)[:, None] + (train**2).sum(axis=0)
        self.squares = size - 2.0 * (test.T @ train)
        self.drift = (len(columns) + 8) * EPSILON * float(size.max())

    def _sorted(self) -> tuple[Floats, Ints, int]:
        """Return the squares, the smallest ones in order, the training row of each, and how many.

        A search for neighbors seldom goes beyond the first of them.
        """
        m = len(self.fold.train)
        if not self.subset:
            return self.squares, np.broadcast_to(np.arange(m), self.squares.shape), 0
        few = min(m, max(FEWEST_SORTED, m // 6, 2 * self.fold.k))
        order = np.argpartition(self.squares, few - 1, axis=1)
        smallest = np.take_along_axis(self.squares, order[:, :few], axis=1)
        order[:, :few] = np.take_along_axis(order[:, :few], np.argsort(smallest, axis=1), axis=1)
        return np.take_along_axis(self.squares, order, axis=1), order, few

    def _slack(self, change: SubsetChange, border: Floats) -> Floats:
        """Return the largest absolute error of the squares, here and in scikit-learn."""
        train, test = self.train, self.test
        slack = np.full(border.shape, 2 * self.drift)
        if change.sign < 0:
            columns = train[change.features]
            low, high = columns.min(axis=1)[:, None], columns.max(axis=1)[:, None]
            x = test[change.features]
            slack += 4 * EPSILON * (border + np.maximum((x - low) ** 2, (x - high) ** 2))
        if not self._has_tree(change):
            used = list({*change.base, *change.features.tolist()} if change.sign else change.base)
            # Not the sum of the subset but of all features of the generation: an upper bound.
            length = (test[used] ** 2).sum(axis=0) + (train[used] ** 2).sum(axis=0).max()
            slack += 4 * (change.size + 8) * EPSILON * length
        return slack

    def _votes(self, near: _Near, base: kernels.Base, features: Ints) -> tuple[Floats, Floats]:
        """Return the fewest and the most votes of each class, (cases, classes) each."""
        k = self.fold.k
        border, error = near.squares[:, k - 1], near.error
        tied = ~(near.squares[:, k] > border + error)
        ends = np.where(tied, border - error, np.inf)
        votes = np.zeros((2, len(ends), self.n_classes))
        nearest = (near.squares[:, :k], self.fold.train_labels[near.rows[:, :k]])
        kernels.count_votes(nearest, ends, near.slack, self.nearness, votes)
        if tied.any():
            self._add_tied(np.flatnonzero(tied), near, base, features, votes)
        return votes[0], votes[1]

    def _add_tied(
        self, tied: Ints, near: _Near, base: kernels.Base, features: Ints, votes: Floats
    ) -> None:
        """Add the votes of rows that share the last places, whichever of them get one."""
        k, squares, error = self.fold.k, near.squares[tied], near.error[tied]
        border = squares[:, k - 1]
        feature, row = np.divmod(tied, len(self.fold.test))
        lines = np.column_stack((features[feature], row))
        ranges = np.column_stack((border - error, border + error))
        ties = np.zeros((len(tied), self.n_classes), dtype=np.intp)
        kernels.count_ties(base, self.points, (lines, ranges), self.fold.train_labels, ties)
        left = k - (squares[:, :k] < ranges[:, :1]).sum(axis=1)[:, None]
        fewest = np.maximum(0, left - (ties.sum(axis=1, keepdims=True) - ties))
        most = np.minimum(ties, left)
        low = high = np.ones((len(tied), 1))
        if self.nearness:
            low, high = _nearness(squares[:, 0], border, near.slack[tied], error)
        votes[0, tied] += fewest * low
        with np.errstate(invalid="ignore"):  # 0 rows have 0 votes, also infinite ones
            votes[1, tied] += np.where(most > 0, most * high, 0.0)

    def _winners(self, fewest: Floats, most: Floats) -> tuple[Ints, Bools]:
        """Return the class that wins each case, and whether it wins for certain."""
        winner = fewest.argmax(axis=1)
        cases = np.arange(len(winner))
        least = fewest[cases, winner]
        others = most.copy()
        others[cases, winner] = -np.inf
        rival = others.argmax(axis=1)
        certain = least > others[cases, rival]
        if not self.nearness:  # counts are exact, and the first of equal classes wins
            certain |= (least == others[cases, rival]) & (winner < rival)
        return winner, certain & np.isfinite(least)


def _inverse(distances: Floats) -> Floats:
    """Return the weights of neighbors; where some are at no distance, only they have one."""
    with np.errstate(divide="ignore"):
        weights: Floats = 1.0 / distances
    equal = np.isinf(weights)
    among_equal = equal.any(axis=1)
    weights[among_equal] = equal[among_equal]
    return weights


def _nearness(
    nearest: Floats, square: Floats, slack: Floats, error: Floats
) -> tuple[Floats, Floats]:
    """Return the smallest and largest vote of rows at a squared distance, as columns."""
    equal_rows = (slack == 0.0) & (nearest == 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        low = np.where(equal_rows, square == 0.0, 1.0 / np.sqrt(square + error))
        high = np.where(equal_rows, square == 0.0, 1.0 / np.sqrt(np.maximum(square - error, 0.0)))
    return low[:, None], high[:, None]
