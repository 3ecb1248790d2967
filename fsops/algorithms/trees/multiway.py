"""Decision trees in the manner of C4.5, as RapidMiner grows and prunes them.

A number is cut in two, a category opens one branch per value, and missing values form a branch.
scikit-learn has neither gain ratios nor branches per category; no well-kept library has them.

References
----------
Quinlan (1993): C4.5: Programs for Machine Learning.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fsops.algorithms.base.types import Bools, Floats, Ints
from fsops.algorithms.trees.splits import Criterion, benefit_of, best_cuts

PRUNING_PREFERENCE = 0.001
"""How much better than a leaf the branches have to be."""


@dataclass(frozen=True)
class Growth:
    """When a tree stops growing.

    Attributes
    ----------
    criterion, least_gain
        See `benefit_of`.
    depth
        Most splits one below the other; None for no limit.
    least_split, least_leaf
        Fewest rows of a node that is split, and of each of its branches.
    alternatives
        How many features are tried after the best one, if a branch would be too small.
    limited
        Whether the limits of gain and sizes hold.
    """

    criterion: Criterion = "gain_ratio"
    least_gain: float = 0.01
    depth: int | None = 20
    least_split: int = 4
    least_leaf: int = 2
    alternatives: int = 3
    limited: bool = True


@dataclass
class TreeNode:
    """A node: class counts, and the feature that divides its rows unless it is a leaf."""

    counts: Floats
    feature: int = -1
    """Numbers first, then categories; -1 for a leaf."""
    cut: float = np.nan
    benefit: float = 0.0
    branches: dict[int, TreeNode] = field(default_factory=dict)
    """By code: of a number 0 up to the cut, 1 above it, -1 missing; otherwise the category."""

    @property
    def label(self) -> int:
        """The most frequent class; of equals the first."""
        return int(self.counts.argmax())

    def walk(self) -> list[TreeNode]:
        """Return the node and all nodes below it."""
        return [self, *(node for branch in self.branches.values() for node in branch.walk())]


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Rows: numbers (NaN = missing), categories (-1 = missing), and classes."""

    X: Floats
    nominal: Ints
    codes: Ints
    classes: int

    def counts(self, rows: Ints) -> Floats:
        """Return the class counts of some rows."""
        return np.bincount(self.codes[rows], minlength=self.classes).astype(np.float64)

    def answers(self, feature: int, cut: float, rows: Ints) -> Ints:
        """Return which branch each row takes."""
        if feature >= self.X.shape[1]:
            return np.asarray(self.nominal[rows, feature - self.X.shape[1]])
        return cut_codes(self.X[rows, feature], cut)


def cut_codes(values: Floats, cut: float) -> Ints:
    """0 up to the cut, 1 above it, -1 missing."""
    return np.where(np.isnan(values), -1, (values > cut).astype(np.intp))


def grow(table: TrainingRows, growth: Growth) -> TreeNode:
    """Return a tree on all rows."""
    root = TreeNode(np.empty(0))
    free = np.ones(table.nominal.shape[1], dtype=bool)
    waiting = [(root, np.arange(len(table.codes)), free, 0)]
    while waiting:
        node, rows, free, depth = waiting.pop()
        node.counts = table.counts(rows)
        if not _may_split(node, rows, depth, growth):
            continue
        for code, part in _split(node, table, rows, free, growth).items():
            branch = TreeNode(np.empty(0))
            node.branches[code] = branch
            left = free.copy()
            if node.feature >= table.X.shape[1]:
                left[node.feature - table.X.shape[1]] = False
            waiting.append((branch, part, left, depth + 1))
    return root


def _may_split(node: TreeNode, rows: Ints, depth: int, growth: Growth) -> bool:
    deep = growth.depth is not None and depth >= growth.depth
    small = growth.limited and len(rows) < growth.least_split
    return not deep and not small and int(np.count_nonzero(node.counts)) > 1


def _split(
    node: TreeNode, table: TrainingRows, rows: Ints, free: Bools, growth: Growth
) -> dict[int, Ints]:
    """Choose the feature of a node; return the rows of its branches, none if it stays a leaf."""
    least = growth.least_gain if growth.limited else 0.0
    codes = table.codes[rows]
    numbers, cuts = best_cuts(table.X[rows], codes, table.classes, growth.criterion, least)
    categories = _category_benefits(table, rows, free, growth.criterion, least)
    benefits = np.concatenate([numbers, categories])
    order = np.argsort(-benefits, kind="stable")[: 1 + growth.alternatives]
    for feature in order.tolist():
        if benefits[feature] <= (0 if growth.limited else -np.inf):
            break
        cut = cuts[feature] if feature < len(cuts) else np.nan
        answers = table.answers(feature, cut, rows)
        parts = {int(code): rows[answers == code] for code in np.unique(answers)}
        if not growth.limited or min(map(len, parts.values())) >= growth.least_leaf:
            node.feature, node.cut, node.benefit = feature, float(cut), float(benefits[feature])
            return parts
    return {}


def _category_benefits(
    table: TrainingRows, rows: Ints, free: Bools, criterion: Criterion, least: float
) -> Floats:
    """Benefit of a branch for each category; a category is not divided twice on one way."""
    benefits = np.full(table.nominal.shape[1], -np.inf)
    columns = np.flatnonzero(free)
    if not len(columns):
        return benefits
    values = table.nominal[np.ix_(rows, columns)] + 1  # missing values come first
    levels = int(values.max()) + 1
    parts = np.zeros((len(columns), levels, table.classes))
    np.add.at(parts, (np.arange(len(columns)), values, table.codes[rows][:, None]), 1.0)
    benefits[columns] = benefit_of(parts, criterion, least)
    return benefits


# --- pruning ----------------------------------------------------------------------------------


def prune(root: TreeNode, confidence: float) -> None:
    """Replace nodes by leaves if their branches do not lower the pessimistic error.

    The error is C4.5's upper limit, in which RapidMiner uses the error rate in place of the number
    of errors. The root is always kept.
    """
    for branch in root.branches.values():
        _prune(branch, confidence)


def _prune(node: TreeNode, confidence: float) -> None:
    for branch in node.branches.values():
        _prune(branch, confidence)
    leaves = list(node.branches.values())
    if not leaves or any(leaf.branches for leaf in leaves):
        return
    n = node.counts.sum()
    below = sum(
        pessimistic_error(leaf.counts, leaf.label, confidence) * leaf.counts.sum() / n
        for leaf in leaves
    )
    here = pessimistic_error(node.counts, node.label, confidence)
    same = len({leaf.label for leaf in leaves}) == 1
    if same or here - PRUNING_PREFERENCE <= below:
        node.branches, node.feature = {}, -1


def pessimistic_error(counts: Floats, label: int, confidence: float) -> float:
    """Upper limit of the errors of a leaf that predicts a label."""
    from scipy.special import ndtri

    n = float(counts.sum())
    rate = 1.0 - float(counts[label]) / n
    if rate < 1e-6:
        return float(n * (1.0 - confidence ** (1.0 / n)))
    if rate + 0.5 >= n:
        return rate + 0.67 * (n - rate)
    z = float(ndtri(1.0 - confidence)) ** 2
    errors = rate + 0.5
    spread = np.sqrt(z * (errors * (1.0 - errors / n) + z / 4.0))
    return float(n * (errors + z / 2.0 + spread) / (n + z))


# --- prediction -------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class FittedTree:
    """A tree as arrays: node i has the feature, the cut and the class counts at place i."""

    features: Ints
    cuts: Floats
    counts: Floats
    branches: Ints
    """Rows (node, code, branch), sorted by node and code."""
    numbers: int

    @classmethod
    def of(cls, root: TreeNode, numbers: int) -> FittedTree:
        """Return the arrays of a tree on that many numbers, followed by categories."""
        nodes = root.walk()
        place = {id(node): number for number, node in enumerate(nodes)}
        rows = [
            (place[id(node)], code, place[id(branch)])
            for node in nodes
            for code, branch in sorted(node.branches.items())
        ]
        return cls(
            np.array([node.feature for node in nodes], dtype=np.intp),
            np.array([node.cut for node in nodes]),
            np.array([node.counts for node in nodes]),
            np.array(rows, dtype=np.intp).reshape(-1, 3),
            numbers,
        )

    def class_shares(self, X: Floats, nominal: Ints) -> Floats:
        """Return the class fractions of the node where a row ends for lack of a branch."""
        place = np.zeros(len(X), dtype=np.intp)
        waiting = np.arange(len(X)) if self.features[0] >= 0 else np.empty(0, dtype=np.intp)
        while len(waiting):
            place[waiting], moved = self._step(place[waiting], X[waiting], nominal[waiting])
            waiting = waiting[moved & (self.features[place[waiting]] >= 0)]
        ends = self.counts[place]
        return np.asarray(ends / ends.sum(axis=1, keepdims=True))

    def _step(self, place: Ints, X: Floats, nominal: Ints) -> tuple[Ints, Bools]:
        rows, features = np.arange(len(place)), self.features[place]
        codes = np.empty(len(place), dtype=np.intp)
        is_number = features < self.numbers
        values = X[rows[is_number], features[is_number]]
        codes[is_number] = np.where(np.isnan(values), -1, values > self.cuts[place[is_number]])
        codes[~is_number] = nominal[rows[~is_number], features[~is_number] - self.numbers]
        span = int(max(self.branches[:, 1].max(), codes.max())) + 2
        keys = self.branches[:, 0] * span + self.branches[:, 1] + 1
        wanted = place * span + codes + 1
        found = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        moved = keys[found] == wanted
        return np.where(moved, self.branches[found, 2], place), moved
