"""Searches over subsets, against plain implementations that know the value of every subset."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LinearRegression

from fsops.algorithms.search import subsets as search

P = 6
relaxed = settings(deadline=None, max_examples=60)


def all_subsets(p, low=1, high=None):
    sizes = range(low, (high or p) + 1)
    return [s for size in sizes for s in itertools.combinations(range(p), size)]


class Landscape:
    """A value for every subset of a few columns; rounded ones give ties."""

    def __init__(self, seed, p=P, digits=None):
        values = np.random.default_rng(seed).random(2**p)
        values = values if digits is None else np.round(values, digits)
        self.value = dict(zip(all_subsets(p), values.tolist(), strict=False))
        self.asked = []

    def __call__(self, subsets):
        self.asked.append(list(subsets))
        return [self.value[s] for s in subsets]

    def best(self, subsets):
        """Return the best subset by the rule of ties: value, then size, then columns."""
        top = max(self.value[s] for s in subsets)
        equal = [s for s in subsets if self.value[s] == top]
        fewest = min(map(len, equal))
        return min(s for s in equal if len(s) == fewest)


def plus(subset, p=P):
    return [tuple(sorted({*subset, j})) for j in range(p) if j not in subset]


def minus(subset):
    return [tuple(c for c in subset if c != j) for j in subset]


def gains(last, new):
    return new.value > last.value


@relaxed
@given(st.integers(0, 10_000), st.sampled_from([None, 1]))
def test_exhaustive_search_finds_the_best_there_is(seed, digits):
    land = Landscape(seed, digits=digits)
    assert search.exhaustive(land, P, low=1, high=P).subset == land.best(all_subsets(P))
    assert search.exhaustive(land, P, low=2, high=3).subset == land.best(all_subsets(P, 2, 3))


def test_the_number_of_subsets_is_counted():
    assert search.number_of_subsets(20, 1, 20) == 2**20 - 1
    assert search.number_of_subsets(10, 3, 3) == 120


@relaxed
@given(st.integers(0, 10_000), st.sampled_from([None, 1]))
def test_forward_steps_are_the_best_single_additions(seed, digits):
    land = Landscape(seed, digits=digits)
    current, last = (), None
    for _ in range(4):
        new = land.best(plus(current))
        if last is not None and land.value[new] <= land.value[last]:
            break
        current = last = new
    found = search.sequential(land, P, rounds=4, goes_on=gains)
    assert found.subset == last


@relaxed
@given(st.integers(0, 10_000), st.sampled_from([None, 1]))
def test_backward_steps_are_the_best_single_removals(seed, digits):
    land = Landscape(seed, digits=digits)
    current = tuple(range(P))
    while len(current) > 1:
        new = land.best(minus(current))
        if land.value[new] < land.value[current]:
            break
        current = new
    found = search.sequential(
        land, P, backward=True, rounds=P, goes_on=lambda last, new: new.value >= last.value
    )
    assert found.subset == current


@pytest.mark.parametrize("backward", [False, True])
def test_sequential_search_chooses_as_scikit_learn_does(backward):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 7))
    y = X[:, 1] - 2 * X[:, 4] + X[:, 5] * 0.7 + rng.normal(scale=0.5, size=60)

    def evaluate(subsets):
        from sklearn.model_selection import cross_val_score

        return [cross_val_score(LinearRegression(), X[:, s], y, cv=4).mean() for s in subsets]

    theirs = SequentialFeatureSelector(
        LinearRegression(),
        n_features_to_select=3,
        direction="backward" if backward else "forward",
        cv=4,
    ).fit(X, y)
    ours = search.sequential(
        evaluate, 7, backward=backward, rounds=4 if backward else 3, goes_on=lambda *_: True
    )
    assert ours.subset == tuple(np.flatnonzero(theirs.get_support()))


def test_speculative_rounds_pass_a_valley_and_are_undone_if_there_is_no_hill():
    worth = {(0,): 3, (1,): 1, (2,): 1, (0, 1): 2, (0, 2): 1, (1, 2): 0, (0, 1, 2): 9}

    def evaluate(subsets):
        return [worth[s] for s in subsets]

    def run(speculative):
        return search.sequential(
            evaluate, 3, rounds=3, goes_on=gains, speculative=speculative
        ).subset

    assert run(0) == (0,)
    assert run(1) == (0, 1, 2)
    worth[0, 1, 2] = 2.5  # better than the valley, but not than the hill before it
    assert run(1) == run(2) == (0,)


# --- floating -------------------------------------------------------------------------------


def plain_sffs(land, size, p=P):
    """Return Pudil's search as written down by Somol: a table of the best by size."""
    best = {1: land.best([(j,) for j in range(p)])}
    k = 1
    while k < size:
        tried = land.best(plus(best[k], p))
        k += 1
        if (
            k not in best
            or land.value[tried] > land.value[best[k]]
            or (land.value[tried] == land.value[best[k]] and tried < best[k])
        ):
            best[k] = tried
        while k > 1:
            tried = land.best(minus(best[k]))
            if land.value[tried] <= land.value[best[k - 1]]:
                break
            k -= 1
            best[k] = tried
    return best


@relaxed
@given(st.integers(0, 10_000), st.sampled_from([None, 1]), st.integers(1, P))
def test_floating_search_is_that_of_pudil(seed, digits, size):
    land = Landscape(seed, digits=digits)
    known = search.floating(land, P, size=size)
    assert {k: scored.subset for k, scored in known.items()} == plain_sffs(land, size)


@relaxed
@given(st.integers(0, 10_000), st.booleans())
def test_floating_search_knows_one_set_of_each_size_it_passed(seed, backward):
    land = Landscape(seed)
    known = search.floating(land, P, size=3, backward=backward)
    assert all(len(scored.subset) == size for size, scored in known.items())
    assert 3 in known
    assert all(scored.value == land.value[scored.subset] for scored in known.values())
    start = P if backward else 1
    assert known[start].subset == (tuple(range(P)) if backward else land.best(all_subsets(P, 1, 1)))


def test_floating_drops_an_attribute_that_was_chosen_too_early():
    worth = dict.fromkeys(all_subsets(4), 0.0)
    worth |= {(0,): 5, (0, 1): 6, (0, 2): 4, (1, 2): 9, (0, 1, 2): 8, (1, 2, 3): 11}

    def evaluate(subsets):
        return [worth[s] for s in subsets]

    greedy = search.sequential(evaluate, 4, rounds=3, goes_on=lambda *_: True)
    assert greedy.subset == (0, 1, 2)
    assert search.floating(evaluate, 4, size=3)[3].subset == (1, 2, 3)


def test_floating_ends_where_values_are_undefined():
    known = search.floating(lambda subsets: [math.nan] * len(subsets), 4, size=4)
    assert known[4].subset == (0, 1, 2, 3)


# --- generations and climbing ---------------------------------------------------------------


def test_one_kept_set_makes_it_forward_selection_and_all_kept_sets_make_it_complete():
    land = Landscape(8)
    greedy = search.sequential(land, P, rounds=P, goes_on=gains)
    assert search.generations(land, P).subset == greedy.subset
    wide = search.generations(land, P, keep=100, patience=None)
    assert wide.subset == land.best(all_subsets(P))
    back = search.generations(land, P, keep=100, patience=None, backward=True)
    assert back.subset == land.best(all_subsets(P))


def test_generations_end_by_patience_limit_and_enough():
    land = Landscape(8)
    search.generations(land, P, patience=None, limit=2)
    assert len(land.asked) == 3
    land = Landscape(8)
    search.generations(land, P, patience=None)
    assert [len(batch) for batch in land.asked] == [6, 5, 4, 3, 2, 1]
    land = Landscape(8)
    search.generations(land, P, patience=None, enough=lambda value: value > 0)
    assert len(land.asked) == 1


def test_backward_generations_go_on_while_fewer_do_as_well():
    assert search.generations(lambda s: [1.0] * len(s), 4, backward=True).subset == (0,)


@relaxed
@given(st.integers(0, 1000))
def test_a_climber_ends_on_top_if_it_sees_all_neighbours(seed):
    land = Landscape(seed)
    rng = np.random.default_rng(seed)
    found = search.climb(
        land, [(0, 1), (5,)], P, rng.spawn(2), neighbours=200, patience=1, limit=100
    )
    swapped = [t for s in minus(found.subset) if s for t in plus(s)]
    around = [s for s in (*plus(found.subset), *minus(found.subset), *swapped) if s]
    assert all(land.value[s] <= found.value for s in around)


def test_neighbours_differ_by_one_switch_or_one_exchange():
    rng = np.random.default_rng(1)
    seen = {search.neighbour((1, 3), 5, rng) for _ in range(500)}
    swapped = {tuple(sorted({keep, new})) for keep in (1, 3) for new in (0, 2, 4)}
    assert seen == {(1,), (3,), *plus((1, 3), 5), *swapped}
    assert {search.neighbour((2,), 3, rng) for _ in range(200)} == {
        (2,), (0, 2), (1, 2), (0,), (1,),
    }  # fmt: skip
