"""Trees in the manner of C4.5, against a plain recursion, one split at a time."""

import numpy as np
import pytest
from scipy.stats import norm

from fsops.algorithms.trees.multiway import (
    FittedTree,
    Growth,
    TrainingRows,
    grow,
    pessimistic_error,
    prune,
)


def entropy(counts):
    p = np.array([c for c in counts if c]) / sum(counts)
    return -(p * np.log2(p)).sum()


def gini(counts):
    return 1 - ((np.array(counts) / sum(counts)) ** 2).sum()


def plain_benefit(y, answers, criterion, least, classes):
    parts = [np.bincount(y[answers == a], minlength=classes) for a in sorted(set(answers))]
    if len(parts) < 2:
        return -np.inf
    n, whole = len(y), np.bincount(y, minlength=classes)
    if criterion == "accuracy":
        after, before = sum(max(p) for p in parts) / n, max(whole) / n
        return 0.0 if after - before < least * (1 - before) else after
    impurity = gini if criterion == "gini_index" else entropy
    gain = impurity(whole) - sum(sum(p) / n * impurity(p) for p in parts)
    if criterion == "gain_ratio":
        ratio = gain / entropy([sum(p) for p in parts])
        return 0.0 if ratio < least else ratio
    return 0.0 if gain < least * impurity(whole) else gain


def plain_tree(X, N, y, growth, classes, used=(), depth=0):
    """Return (counts, feature, cut, {answer: tree})."""
    counts = np.bincount(y, minlength=classes)
    leaf = (counts, -1, np.nan, {})
    if np.count_nonzero(counts) < 2 or (growth.depth is not None and depth >= growth.depth):
        return leaf
    if growth.limited and len(y) < growth.least_split:
        return leaf
    least = growth.least_gain if growth.limited else 0.0
    options = []
    for j in range(X.shape[1]):
        best = (-np.inf, np.nan)
        known = np.unique(X[~np.isnan(X[:, j]), j])
        for cut in (known[1:] + known[:-1]) / 2:
            answers = np.where(np.isnan(X[:, j]), -1, X[:, j] > cut)
            found = plain_benefit(y, answers, growth.criterion, least, classes)
            if found > best[0] + 1e-12 * abs(best[0]) or np.isnan(best[1]):
                best = (found, cut)
        options.append((best[0], j, best[1]))
    for j in range(N.shape[1]):
        found = -np.inf
        if j not in used:
            found = plain_benefit(y, N[:, j], growth.criterion, least, classes)
        options.append((found, X.shape[1] + j, np.nan))
    options.sort(key=lambda option: -option[0])
    for benefit, feature, cut in options[: 1 + growth.alternatives]:
        if benefit <= (0 if growth.limited else -np.inf):
            return leaf
        if feature < X.shape[1]:
            answers = np.where(np.isnan(X[:, feature]), -1, X[:, feature] > cut)
            taken = used
        else:
            answers, taken = N[:, feature - X.shape[1]], (*used, feature - X.shape[1])
        sizes = [(answers == a).sum() for a in set(answers)]
        if growth.limited and min(sizes) < growth.least_leaf:
            continue
        branches = {
            int(a): plain_tree(X[answers == a], N[answers == a], y[answers == a], growth, classes,
                               taken, depth + 1)
            for a in set(answers)
        }  # fmt: skip
        return counts, feature, cut, branches
    return leaf


def plain_limit(n, errors, confidence):
    rate = errors / n
    if rate < 1e-6:
        return n * (1 - np.exp(np.log(confidence) / n))
    if rate + 0.5 >= n:
        return rate + 0.67 * (n - rate)
    z = norm.ppf(1 - confidence) ** 2
    f = rate + 0.5
    return n * (f + z / 2 + np.sqrt(z * (f * (1 - f / n) + z / 4))) / (n + z)


def plain_prune(tree, confidence, root=True):
    counts, feature, cut, branches = tree
    branches = {a: plain_prune(b, confidence, False) for a, b in branches.items()}
    if not root and branches and not any(b[3] for b in branches.values()):

        def limit(c):
            return plain_limit(c.sum(), c.sum() - c.max(), confidence)

        below = sum(limit(b[0]) * b[0].sum() / counts.sum() for b in branches.values())
        same = len({b[0].argmax() for b in branches.values()}) == 1
        if same or limit(counts) - 0.001 <= below:
            return counts, -1, np.nan, {}
    return counts, feature, cut, branches


def plain_predict(tree, x, codes):
    counts, feature, cut, branches = tree
    if feature >= 0:
        if feature < len(x):
            answer = -1 if np.isnan(x[feature]) else int(x[feature] > cut)
        else:
            answer = codes[feature - len(x)]
        if answer in branches:
            return plain_predict(branches[answer], x, codes)
    return counts / counts.sum()


def rows(seed, n=70, classes=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).round(1) * [1, 1e6, 1e-6, 1]
    X[:, 3] = 7.0
    N = rng.integers(0, 4, size=(n, 3))
    y = (X[:, 0] > 0.3).astype(int) + (N[:, 0] == 2) + (rng.random(n) < 0.15)
    X[rng.random((n, 4)) < 0.05] = np.nan
    N[rng.random((n, 3)) < 0.05] = -1
    return X, N, np.minimum(y, classes - 1)


SETTINGS = [
    Growth(),
    Growth(criterion="information_gain", least_gain=0.1),
    Growth(criterion="gini_index", least_gain=0.0, alternatives=0),
    Growth(criterion="accuracy", least_leaf=5),
    Growth(depth=2, least_split=20),
    Growth(depth=None, limited=False, alternatives=0),
]


@pytest.mark.parametrize("growth", SETTINGS, ids=lambda g: f"{g.criterion} {g.limited} {g.depth}")
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_tree_is_that_of_the_plain_recursion(growth, seed):
    X, N, y = rows(seed)
    expected = plain_tree(X, N, y, growth, 3)
    root = grow(TrainingRows(X, N, y, 3), growth)
    new = rows(seed + 50)[:2]
    new[1][0] = 9  # a category that was not there
    for confidence in (None, 0.25, 0.01):
        tree = expected
        if confidence is not None:
            root = grow(TrainingRows(X, N, y, 3), growth)
            prune(root, confidence)
            tree = plain_prune(expected, confidence)
        found = FittedTree.of(root, X.shape[1]).class_shares(*new)
        plain = [plain_predict(tree, x, codes) for x, codes in zip(*new, strict=True)]
        assert found == pytest.approx(np.array(plain))


def test_the_limit_of_errors_has_three_cases():
    for counts in ([10, 0], [7, 3], [1, 1], [40, 2]):
        expected = plain_limit(sum(counts), sum(counts) - max(counts), 0.1)
        assert pessimistic_error(np.array(counts, float), 0, 0.1) == pytest.approx(expected)


def test_a_single_row_and_a_single_class_are_leaves():
    table = TrainingRows(np.ones((1, 1)), np.empty((1, 0), dtype=int), np.zeros(1, dtype=int), 2)
    assert FittedTree.of(grow(table, Growth(limited=False)), 1).features.tolist() == [-1]
    table = TrainingRows(
        np.arange(9.0)[:, None], np.empty((9, 0), dtype=int), np.ones(9, dtype=int), 2
    )
    shares = FittedTree.of(grow(table, Growth()), 1).class_shares(table.X, table.nominal)
    assert shares.tolist() == [[0, 1]] * 9
