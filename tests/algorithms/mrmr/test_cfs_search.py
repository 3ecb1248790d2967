"""Best-first search by the CFS merit, against all subsets and a plain implementation."""

import itertools

import numpy as np
import pytest

from fsops.algorithms.mrmr.cfs_search import cfs_best_first
from fsops.algorithms.mrmr.selection import CorrelationRedundancy, cfs_forward, subset_criteria


def measured(seed, n=40, p=8):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[:, 1] = X[:, 0] + 0.3 * rng.normal(size=n)
    y = X[:, 0] + X[:, 2] - X[:, 3] + rng.normal(size=n)
    relevance = np.abs([np.corrcoef(x, y)[0, 1] for x in X.T])
    return relevance, CorrelationRedundancy(X)


def merit_of(subset, relevance, redundancy):
    return subset_criteria(np.array(subset, dtype=int), relevance, redundancy).cfs


def plain(relevance, redundancy, direction, patience, k):
    """Best-first search with all neighbors of a set in one list."""
    p = relevance.size
    best, best_merit, waited = (), 0.0, 0
    seen, waiting = {frozenset()}, []

    def expand(path):
        for j in range(p):
            if j not in path and len(path) < k:
                grown = (*path, j)
            elif j in path and direction == "bidirectional" and len(path) > 1:
                grown = tuple(f for f in path if f != j)
            else:
                continue
            waiting.append((round(merit_of(grown, relevance, redundancy), 12), grown))

    expand(())
    while waiting and waited < patience:
        top = max(range(len(waiting)), key=lambda i: (waiting[i][0], -i))
        merit, path = waiting.pop(top)
        if frozenset(path) in seen:
            continue
        seen.add(frozenset(path))
        waited = 0 if merit > best_merit + 1e-9 else waited + 1
        if not waited:
            best, best_merit = path, merit
        expand(path)
    return set(best), best_merit


@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
@pytest.mark.parametrize("seed", range(6))
def test_the_search_is_the_plain_one(direction, seed):
    relevance, redundancy = measured(seed)
    found = cfs_best_first(relevance, redundancy, direction=direction)
    subset, merit = plain(relevance, redundancy, direction, 5, 8)
    assert set(found.order.tolist()) == subset
    assert found.scores[-1] == pytest.approx(merit)
    assert found.scores[-1] == pytest.approx(merit_of(found.order, relevance, redundancy))


@pytest.mark.parametrize("seed", range(6))
def test_it_is_never_worse_than_forward_selection(seed):
    relevance, redundancy = measured(seed)
    forward = cfs_forward(relevance, redundancy).scores[-1]
    for direction in ("forward", "bidirectional"):
        assert (
            cfs_best_first(relevance, redundancy, direction=direction).scores[-1] >= forward - 1e-12
        )


def test_with_enough_patience_the_best_of_all_subsets_is_found():
    relevance, redundancy = measured(3)
    subsets = itertools.chain.from_iterable(
        itertools.combinations(range(8), size) for size in range(1, 9)
    )
    best = max(merit_of(subset, relevance, redundancy) for subset in subsets)
    found = cfs_best_first(relevance, redundancy, direction="bidirectional", patience=300)
    assert found.scores[-1] == pytest.approx(best)


def test_a_limit_of_the_size_is_kept():
    relevance, redundancy = measured(1)
    for direction in ("forward", "bidirectional"):
        assert len(cfs_best_first(relevance, redundancy, 2, direction=direction).order) == 2


def test_nothing_relevant_selects_nothing():
    _, redundancy = measured(0)
    assert not cfs_best_first(np.zeros(8), redundancy).order.size


def test_measures_beyond_one_are_refused():
    _, redundancy = measured(0)
    with pytest.raises(ValueError, match="between 0 and 1"):
        cfs_best_first(np.full(8, 3.0), redundancy)
