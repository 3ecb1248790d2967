"""Rules for classes, against the formula tried on every condition."""

import numpy as np
import pytest

from fsops.algorithms.trees.rules import (
    Condition,
    LabelledRows,
    RuleGrowth,
    best_condition,
    learn_rules,
)


def gains(rows, hit, criterion):
    """The benefit of every condition, one by one, as in RapidMiner's criteria."""
    found = {}
    p = rows.X.shape[1]
    for j in range(p):
        column = rows.X[:, j]
        values = np.unique(column[~np.isnan(column)])
        for cut in (values[:-1] + values[1:]) / 2:
            found[Condition(j, "<=", cut)] = column <= cut
            found[Condition(j, ">", cut)] = column > cut
    for j in range(rows.nominal.shape[1]):
        present = [code for code in np.unique(rows.nominal[:, j]) if code >= 0]
        for code in present if len(present) > 1 else []:
            found[Condition(p + j, "=", float(code))] = rows.nominal[:, j] == code
    share = hit.mean()

    def gain(covered):
        right, n = (covered & hit).sum(), covered.sum()
        if criterion == "accuracy":
            return right / n
        return right * (np.log2((right + 1) / (n + 1)) - np.log2(share))

    return {condition: gain(covered) for condition, covered in found.items()}


@pytest.mark.parametrize("criterion", ["information_gain", "accuracy"])
@pytest.mark.parametrize("seed", range(6))
def test_no_condition_is_better_than_the_best(seed, criterion):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(25, 3)).astype(float)
    X[rng.random((25, 3)) < 0.1] = np.nan
    nominal = rng.integers(-1, 3, size=(25, 2))
    codes = rng.integers(0, 3, 25)
    rows, hit = LabelledRows(X, nominal, codes, 3), codes == 1
    expected = gains(rows, hit, criterion)
    best = best_condition(rows, hit, criterion)
    assert expected[best] == pytest.approx(max(expected.values()))


def test_rules_separate_what_conditions_can_and_cover_every_row():
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(120, 4))
    codes = ((X[:, 0] > 0.5) & (X[:, 2] <= 0.4)).astype(int)
    rows = LabelledRows(X, np.zeros((120, 0), dtype=int), codes, 2)
    growth = RuleGrowth(pureness=1.0, sample_fraction=1.0)
    rules = learn_rules(rows, growth, np.random.default_rng(0))
    assert rules[-1].conditions == ()
    left = np.ones(120, dtype=bool)
    for rule in rules[:-1]:
        covered = rule.covers(X, rows.nominal) & left
        assert rule.counts.tolist() == np.bincount(codes[covered], minlength=2).tolist()
        assert rule.counts.min() == 0  # pure
        left &= ~covered
    assert not left.any() or len(set(codes[left])) == 1


def test_nothing_to_split_gives_the_class_shares():
    rows = LabelledRows(np.ones((4, 1)), np.zeros((4, 0), dtype=int), np.array([0, 0, 0, 1]), 2)
    (rule,) = learn_rules(rows, RuleGrowth(), np.random.default_rng(0))
    assert rule.counts.tolist() == [3.0, 1.0]
