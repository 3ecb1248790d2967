"""Searches that begin with given features."""

import numpy as np
import pytest

from fsops.algorithms.mrmr.cfs_search import cfs_best_first
from fsops.algorithms.mrmr.ensemble import CorrelationMembers, mrmr_ensemble
from fsops.algorithms.mrmr.joint import JointInformation, fcbf, select_jointly
from fsops.algorithms.mrmr.measures import CorrelationRedundancy
from fsops.algorithms.mrmr.selection import cfs_forward, mrmr


def plain_mrmr(relevance, redundancy, k, first):
    """Return MRMR by difference with given features at first, step by step."""
    chosen = sorted(first, key=lambda j: (-relevance[j], j))
    while len(chosen) < k:
        left = [j for j in range(len(relevance)) if j not in chosen]
        score = {j: relevance[j] - redundancy[j, chosen].mean() for j in left}
        chosen.append(max(left, key=lambda j: (score[j], -j)))
    return chosen


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("criterion", ["mid", "miq"])
def test_mrmr_starts_with_given_features(lazy, criterion):
    X = np.random.default_rng(0).normal(size=(30, 40))
    relevance = np.abs(X.sum(axis=1) @ X) / 100
    redundancy = CorrelationRedundancy(X)
    found = mrmr(relevance, redundancy, 8, first=[7, 3, 30], lazy=lazy, criterion=criterion)
    plain = mrmr(relevance, redundancy, 8, first=[7, 3, 30], lazy=False, criterion=criterion)
    assert found.order.tolist() == plain.order.tolist()
    np.testing.assert_allclose(found.scores, plain.scores)
    if criterion == "mid":
        whole = redundancy.block(np.arange(40), np.arange(40))
        assert found.order.tolist() == plain_mrmr(relevance, whole, 8, [7, 3, 30])


@pytest.mark.parametrize("criterion", ["mid", "miq"])
@pytest.mark.parametrize("p", [30, 600, 6000])
def test_an_ensemble_with_given_features_agrees_with_separate_runs(criterion, p):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(24, p)), np.arange(24) % 2
    counts = np.ones((3, 24))
    for member in range(3):
        counts[member, member * 8 : member * 8 + 8] = 0
    members = CorrelationMembers(X, y, counts, nominal=True)
    first = [p - 1, 4]
    found = mrmr_ensemble(members, 6, criterion=criterion, first=first)
    for order, relevance, rows in zip(found.order, members.relevance, counts, strict=True):
        redundancy = CorrelationRedundancy(X[rows > 0])
        alone = mrmr(relevance, redundancy, 6, criterion=criterion, first=first)
        assert order.tolist() == alone.order.tolist()


def test_cfs_searches_keep_given_features():
    X = np.random.default_rng(2).normal(size=(30, 9))
    relevance = np.abs(np.corrcoef(X.T, X[:, :3].sum(axis=1))[-1, :-1])
    redundancy = CorrelationRedundancy(X)
    assert set(cfs_forward(relevance, redundancy, 4, first=[8]).order) >= {8}
    for direction in ("forward", "bidirectional"):
        found = cfs_best_first(relevance, redundancy, 4, direction=direction, first=[8, 7])
        assert set(found.order[:2].tolist()) == {8, 7}
        assert len(found.order) <= 4


def test_jmi_and_fcbf_start_with_given_features():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 60)
    X = np.column_stack([(y + (rng.random(60) < q)) % 2 for q in (0.1, 0.2, 0.3, 0.5)])
    for criterion in ("jmi", "cmim", "disr", "icap"):
        found = select_jointly(JointInformation(X, y, criterion), 2, first=[3])
        assert found.order[0] == 3
    equal = CorrelationRedundancy(np.column_stack([X[:, 0], X[:, 0], X[:, 2]]).astype(float))
    assert fcbf([0.5, 0.5, 0.1], equal, first=[1]).order.tolist()[0] == 1
    assert 0 not in fcbf([0.5, 0.5, 0.1], equal, first=[1]).order
    assert 0 in fcbf([0.5, 0.2, 0.1], equal, first=[1]).order  # more relevant than the given one
