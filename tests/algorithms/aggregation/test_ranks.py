import itertools
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import linear_sum_assignment

from fsops.algorithms.aggregation.ranks import (
    consensus,
    footrule_costs,
    footrule_order,
    footrule_table,
    genetic_order,
    kemeny_order,
    kendall_costs,
    locally_best,
    nearest_by_search,
    preferences,
)
from fsops.algorithms.aggregation.weights import Lists

relaxed = settings(deadline=None, max_examples=40)

# The specification's lists ABCD, BACE, ACBD, and its weighted example.
LETTERS = np.array([[1, 2, 3, 4, 5], [2, 1, 3, 5, 4], [1, 3, 2, 4, 5]])
WEIGHTED = np.array([[1, 2, 3, 4, 5], [2, 1, 5, 3, 4], [3, 1, 2, 5, 4]])
IMPORTANCE = np.array([1.0, 1, 2])


def rng(seed=0):
    return np.random.default_rng(seed)


def lists_of_letters():
    weights = np.zeros((3, 5))
    for row, letters in zip(weights, ["ABCD", "BACE", "ACBD"], strict=True):
        for place, letter in enumerate(letters):
            row["ABCDE".index(letter)] = 9 - place
    return Lists.of(weights)


def all_orders(u):
    return np.array(list(permutations(range(u))))


@st.composite
def rankings(draw, largest=6):
    u = draw(st.integers(2, largest))
    members = draw(st.lists(st.permutations(range(1, u + 1)), min_size=1, max_size=5))
    return np.array(members)


def test_worked_footrule():
    found = consensus(lists_of_letters(), "spearman", rng=rng())
    assert (found.order.tolist(), found.cost, found.exact) == ([0, 1, 2, 3, 4], 6, True)
    order = footrule_order(WEIGHTED, IMPORTANCE)
    assert (np.argsort(order) + 1).tolist() == [2, 1, 3, 5, 4]
    assert footrule_costs(WEIGHTED, IMPORTANCE)(order[None]) == [12]


def test_worked_kendall():
    found = consensus(lists_of_letters(), "kendall", rng=rng())
    assert (found.order.tolist(), found.cost, found.exact) == ([0, 1, 2, 3, 4], 3, True)
    cost = kendall_costs(preferences(LETTERS))
    assert (cost(all_orders(5)) == 3).sum() == 1
    prefer = preferences(WEIGHTED, IMPORTANCE)
    assert kendall_costs(prefer)(kemeny_order(prefer)[None]) == [7]
    best = all_orders(5)[kendall_costs(prefer)(all_orders(5)) == 7]
    ranks = {tuple((np.argsort(order) + 1).tolist()) for order in best}
    assert {(2, 1, 3, 4, 5), (2, 1, 3, 5, 4), (3, 1, 2, 4, 5)} <= ranks


def test_absent_items_have_the_rank_after_the_last():
    lists = lists_of_letters()
    np.testing.assert_array_equal(lists.truncated_ranks[0], [1, 2, 3, 4, 5])
    # D and E are both behind the end of a list of A, B, C: their order costs nothing.
    prefer = preferences(Lists.of(np.array([[3.0, 2, 1, 0, 0]])).truncated_ranks)
    assert prefer[3, 4] == prefer[4, 3] == 0


@relaxed
@given(rankings())
def test_footrule_costs_as_much_as_the_assignment_and_no_order_less(ranks):
    table = footrule_table(ranks)
    optimum = table[linear_sum_assignment(table)].sum()
    cost = footrule_costs(ranks)
    assert cost(footrule_order(ranks)[None])[0] == optimum
    assert cost(all_orders(ranks.shape[1])).min() == optimum


@pytest.mark.parametrize("u", [12, 60])
def test_genetic_search_is_never_below_the_assignment_nor_above_a_list(u):
    ranks = np.array([rng(seed).permutation(u) + 1 for seed in range(4)])
    table, cost = footrule_table(ranks), footrule_costs(ranks)
    optimum = table[linear_sum_assignment(table)].sum()
    assert cost(footrule_order(ranks)[None])[0] == optimum
    found = cost(genetic_order(np.argsort(ranks), cost, rng())[None])[0]
    assert optimum <= found <= cost(np.argsort(ranks)).min()


@relaxed
@given(rankings(), st.integers(0, 100))
def test_genetic_search_finds_the_best_order_of_six(ranks, seed):
    prefer = preferences(ranks)
    cost = kendall_costs(prefer)
    found = nearest_by_search(ranks, prefer, rng(seed))
    assert cost(found[None])[0] == cost(all_orders(ranks.shape[1])).min()


@relaxed
@given(rankings(7))
def test_exact_kendall_finds_the_best_order(ranks):
    prefer = preferences(ranks)
    cost = kendall_costs(prefer)
    assert cost(kemeny_order(prefer)[None])[0] == cost(all_orders(ranks.shape[1])).min()


def test_search_among_many_is_between_the_exact_cost_and_that_of_the_lists():
    ranks = np.array([rng(seed).permutation(14) + 1 for seed in range(5)])
    prefer = preferences(ranks)
    cost = kendall_costs(prefer)
    exact = cost(kemeny_order(prefer)[None])[0]
    found = cost(nearest_by_search(ranks, prefer, rng(1))[None])[0]
    assert exact <= found <= cost(np.argsort(ranks)).min()


def test_kendall_cost_counts_pairs_as_scipy_does():
    from scipy.stats import kendalltau

    ranks = np.array([rng(seed).permutation(9) + 1 for seed in range(3)])
    order = rng(7).permutation(9)
    discordant = [(1 - kendalltau(np.argsort(order), own).statistic) * 9 * 8 / 4 for own in ranks]
    assert kendall_costs(preferences(ranks))(order[None])[0] == pytest.approx(sum(discordant))


@relaxed
@given(rankings())
def test_neighbours_are_not_the_wrong_way_round(ranks):
    prefer = preferences(ranks)
    order = locally_best(np.arange(ranks.shape[1]), prefer)
    assert sorted(order.tolist()) == list(range(ranks.shape[1]))
    assert (prefer[order[1:], order[:-1]] <= prefer[order[:-1], order[1:]]).all()


@pytest.mark.parametrize("distance", ["spearman", "kendall"])
@relaxed
@given(ranks=rankings(), members=st.integers(1, 4))
def test_identical_lists_give_the_list(distance, ranks, members):
    lists = Lists.of(np.repeat(-ranks[:1] + 10.0, members, axis=0))
    found = consensus(lists, distance, rng=rng())
    assert found.order.tolist() == np.argsort(ranks[0]).tolist()
    assert found.cost == 0


@pytest.mark.parametrize("distance", ["spearman", "kendall"])
@relaxed
@given(ranks=rankings(), random=st.randoms())
def test_permuting_features_changes_no_cost(distance, ranks, random):
    places = list(range(ranks.shape[1]))
    random.shuffle(places)
    one = consensus(Lists.of(10.0 - ranks), distance, rng=rng())
    two = consensus(Lists.of(10.0 - ranks[:, places]), distance, rng=rng())
    assert one.cost == two.cost


def test_the_same_seed_gives_the_same_order():
    lists = Lists.of(rng(4).random((5, 40)))
    orders = [consensus(lists, "kendall", rng=rng(9)).order.tolist() for _ in range(2)]
    assert orders[0] == orders[1]
    assert sorted(orders[0]) == list(range(40))


def test_of_too_many_features_those_with_the_best_ranks_are_searched():
    lists = Lists.of(np.linspace(2, 1, 600) + 0.05 * rng(1).random((4, 600)))
    found = consensus(lists, "kendall", rng=rng(), size=3)
    assert found.searched == 30
    sums = lists.truncated_ranks.sum(axis=0)
    by_sums = np.argsort(sums, kind="stable")
    assert set(found.order[:30].tolist()) == set(by_sums[:30].tolist())
    assert found.order[30:].tolist() == by_sums[30:].tolist()
    assert consensus(lists, "kendall", rng=rng()).searched == 200


def test_nothing_chosen_is_an_empty_list():
    found = consensus(Lists.of(np.zeros((2, 3))), "kendall", rng=rng())
    assert found.order.size == 0
    assert consensus(Lists.of(np.zeros((2, 3))), "spearman", rng=rng()).cost == 0


def test_too_many_items_for_all_orders_are_refused():
    with pytest.raises(ValueError, match="too many orders"):
        kemeny_order(np.zeros((30, 30)))


@pytest.mark.parametrize("distance", ["spearman", "kendall"])
@pytest.mark.parametrize("seed", range(4))
def test_lists_can_count_by_their_weights(distance, seed):
    rng = np.random.default_rng(seed)
    weights, importance = rng.random((4, 6)), rng.uniform(0.2, 5, 4)
    lists = Lists.of(weights)
    found = consensus(lists, distance, rng=rng, importance=importance)
    ranks = lists.ranks

    def cost(order):
        place = np.empty(6)
        place[list(order)] = np.arange(1, 7)
        if distance == "spearman":
            return importance @ np.abs(place - ranks).sum(axis=1)
        pairs = list(itertools.combinations(range(6), 2))
        wrong = [sum((place[a] < place[b]) != (own[a] < own[b]) for a, b in pairs) for own in ranks]
        return importance @ np.array(wrong)

    best = min(cost(order) for order in itertools.permutations(range(6)))
    assert cost(found.order) == pytest.approx(best)
    assert found.cost == pytest.approx(best)
