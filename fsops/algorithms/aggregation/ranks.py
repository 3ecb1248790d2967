"""The one list that is nearest to all lists.

The distance of a list from the members' lists is summed. Spearman's footrule adds up how far each
item is from its place: the nearest list solves an assignment problem. Kendall's distance counts the
pairs in the wrong order: the nearest list (Kemeny's) is found exactly for few items, and by a
genetic search for more.

Items are numbered 0 to u - 1, an order has the item at each place, and ranks the place of each item
counted from 1. An item that is not in a list of length n has the rank n + 1 there.

References
----------
Pihur, Datta & Datta (2009), RankAggreg, an R package for weighted rank aggregation, BMC
Bioinformatics 10.
Dwork, Kumar, Naor & Sivakumar (2001), Rank aggregation methods for the web, WWW.
Fagin, Kumar & Sivakumar (2003), Comparing top k lists, SIAM Journal on Discrete Mathematics 17.
Kemeny (1959), Mathematics without numbers, Daedalus 88.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from fsops.algorithms.aggregation.weights import Lists
from fsops.algorithms.base.types import Bools, Floats, Ints

Distance: TypeAlias = Literal["spearman", "kendall"]
Cost: TypeAlias = Callable[[Ints], Floats]
"""From orders, one in a row, to the cost of each."""

LIMITS: dict[Distance, int] = {"spearman": 1500, "kendall": 200}
"""The largest number of items that is searched."""
PER_PLACE = 10
"""How many items are searched for each place that is wanted, where there are too many."""
EXACT = 14
"""The largest number of items whose orders are all compared, for Kendall's distance."""


@dataclass(frozen=True, slots=True, eq=False)
class Consensus:
    """The list nearest to all lists.

    Attributes
    ----------
    order
        Features that are in some list, best first.
    searched
        How many of them were ordered by distance; the others follow by their rank sums.
    cost
        Sum of the distances, over the items that were searched.
    exact
        Whether no other order of them has a smaller cost.
    """

    order: Ints
    searched: int
    cost: float
    exact: bool


def consensus(
    lists: Lists,
    distance: Distance = "spearman",
    *,
    rng: np.random.Generator,
    size: int | None = None,
    importance: Floats | None = None,
) -> Consensus:
    """Order of the features in the lists with the smallest sum of distances to all lists.

    Among equally good orders those with the smaller rank sums first are preferred.

    Parameters
    ----------
    lists
        The members; only features that are in a list take part.
    distance
        "spearman": places that items are away from theirs; "kendall": pairs in the wrong order.
    rng
        For the genetic search.
    size
        How many of the first places are of interest. Where more features are in the lists than can
        be searched (1500, or 200 for Kendall), ten times as many are, those with the smallest rank
        sums.
    importance
        Factor of each list's distance, above 0, (K,); by default 1 for all.
    """
    items = np.flatnonzero(lists.counts)
    sums = lists.truncated_ranks[:, items].sum(axis=0)
    items = items[np.argsort(sums, kind="stable")]
    limit = LIMITS[distance]
    if items.size > limit and size is not None:
        limit = min(limit, PER_PLACE * size)
    found = items[:limit]
    ranks = ranks_among(lists.ranks[:, found], lists.chosen[:, found])
    if distance == "spearman":
        order, cost = footrule_order(ranks, importance), footrule_costs(ranks, importance)
        exact = True
    else:
        prefer = preferences(ranks, importance)
        cost, exact = kendall_costs(prefer), found.size <= EXACT
        order = kemeny_order(prefer) if exact else nearest_by_search(ranks, prefer, rng)
    total = float(cost(order[None])[0]) if found.size else 0.0
    return Consensus(np.concatenate([found[order], items[limit:]]), found.size, total, exact)


def ranks_among(ranks: Ints, chosen: Bools) -> Ints:
    """Ranks counted again among some items, (K, u)."""
    lengths = chosen.sum(axis=1, keepdims=True)
    last = ranks.max(initial=0) + 1
    order = np.argsort(np.where(chosen, ranks, last), axis=1, kind="stable")
    counted = np.empty_like(order)
    np.put_along_axis(counted, order, np.arange(1, order.shape[1] + 1)[None], axis=1)
    among: Ints = np.where(chosen, counted, lengths + 1)
    return among


# --- Spearman's footrule --------------------------------------------------------------------------


def footrule_table(ranks: Ints, importance: Floats | None = None) -> Floats:
    """Cost of each item (row) at each place (column), (u, u)."""
    places = np.arange(1, ranks.shape[1] + 1)
    table = np.zeros((places.size, places.size))
    for weight, own in zip(_importance(importance, len(ranks)), ranks, strict=True):
        table += weight * np.abs(places - own[:, None])
    return table


def footrule_costs(ranks: Ints, importance: Floats | None = None) -> Cost:
    """Return the sum of Spearman's footrules to all lists, as a function of orders."""
    table = footrule_table(ranks, importance)
    places = np.arange(len(table))

    def cost(orders: Ints) -> Floats:
        total: Floats = table[orders, places].sum(axis=-1)
        return total

    return cost


def footrule_order(ranks: Ints, importance: Floats | None = None) -> Ints:
    """Order with the smallest sum of footrules, by an assignment of items to places, (u,)."""
    from scipy.optimize import linear_sum_assignment

    table = footrule_table(ranks, importance)
    places = np.arange(len(table))
    # Items with small numbers are pulled to the front, too weakly to change what is best: costs of
    # lists that count alike are whole numbers.
    pull = np.outer(places, places) / (2.0 * max(1, len(table)) ** 3)
    if importance is not None:
        pull *= 1e-6 * np.min(importance)
    _, place = linear_sum_assignment(table - pull)
    return np.argsort(place)


# --- Kendall's distance ---------------------------------------------------------------------------


def preferences(ranks: Ints, importance: Floats | None = None) -> Floats:
    """How many lists have item a (row) before item b (column), (u, u)."""
    prefer = np.zeros((ranks.shape[1], ranks.shape[1]))
    for weight, own in zip(_importance(importance, len(ranks)), ranks, strict=True):
        prefer += weight * (own[:, None] < own)
    return prefer


def kendall_costs(prefer: Floats) -> Cost:
    """Return the number of pairs in another order than in the lists, as a function of orders.

    Pairs that are both missing from a list cost nothing there. A penalty for them would be the same
    for every order.
    """
    first, second = np.triu_indices(len(prefer), 1)
    flat, width = prefer.ravel(), len(prefer)

    def cost(orders: Ints) -> Floats:
        return np.array([flat[order[second] * width + order[first]].sum() for order in orders])

    return cost


def kemeny_order(prefer: Floats) -> Ints:
    """Order with the smallest Kendall distance to all lists, over all sets of items, (u,).

    The cost of the best order of each set is built up from smaller sets, 2^u in all.
    """
    u = len(prefer)
    if u > EXACT + 4:
        raise ValueError(f"{u} items have too many orders; search instead.")
    sets = np.arange(1 << u)
    members = (sets[:, None] >> np.arange(u)) & 1 == 1
    # Cost of putting item b before all others of the set: who wanted them before it.
    first = members.astype(np.float64) @ prefer
    best = np.zeros(sets.size)
    size = members.sum(axis=1)
    for number in range(1, u + 1):
        layer = sets[size == number]
        best[layer] = _costs_of_first(layer, members[layer], first[layer], best).min(axis=1)
    return _read_order(members, first, best)


def _costs_of_first(sets: Ints, members: Bools, first: Floats, best: Floats) -> Floats:
    """Cost of each set with each of its items at the front, infinite for other items."""
    items = np.arange(members.shape[1])
    costs: Floats = np.where(members, first + best[sets[:, None] & ~(1 << items)], np.inf)
    return costs


def _read_order(members: Bools, first: Floats, best: Floats) -> Ints:
    order, rest = [], len(best) - 1
    while rest:
        at = slice(rest, rest + 1)
        costs = _costs_of_first(np.array([rest]), members[at], first[at], best)[0]
        # The smallest number among equally good ones, whatever rounding says.
        item = int(np.flatnonzero(costs <= best[rest] + 1e-9 * max(1.0, best[rest]))[0])
        order.append(item)
        rest &= ~(1 << item)
    return np.array(order, dtype=np.intp)


def locally_best(order: Ints, prefer: Floats) -> Ints:
    """Order without neighbors that most lists have the other way round, (u,).

    Each item is moved forward past those that most lists have behind it.
    """
    settled: list[int] = []
    for item in order.tolist():
        place = len(settled)
        while place and prefer[item, settled[place - 1]] > prefer[settled[place - 1], item]:
            place -= 1
        settled.insert(place, item)
    return np.array(settled, dtype=np.intp)


def nearest_by_search(ranks: Ints, prefer: Floats, rng: np.random.Generator) -> Ints:
    """Order with a small Kendall distance to all lists, by a genetic search, (u,).

    It starts from the lists themselves, improved, so that none of them is nearer.
    """
    sums = ranks.sum(axis=0)
    start = [np.lexsort((np.arange(sums.size), sums, own)) for own in ranks]
    start = [locally_best(order, prefer) for order in [np.arange(sums.size), *start]]
    found = genetic_order(np.array(start), kendall_costs(prefer), rng)
    return locally_best(found, prefer)


# --- the genetic search ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Genetic:
    """Settings of the genetic search, those of RankAggreg."""

    population: int = 100
    tournament: int = 3
    crossover: float = 0.4
    mutation: float = 0.01
    patience: int = 15
    """Generations without a better order after which it stops."""
    generations: int = 1000


DEFAULT = Genetic()


def genetic_order(
    start: Ints, cost: Cost, rng: np.random.Generator, settings: Genetic = DEFAULT
) -> Ints:
    """Order with a small cost: orders are crossed, changed and selected, (u,).

    Parameters
    ----------
    start
        Orders to begin with, one in a row; random ones are added.
    cost
        Costs of several orders.
    rng
        Random numbers.
    settings
        Size and rates.
    """
    u = start.shape[1]
    more = max(0, settings.population - len(start))
    population = np.vstack([start, *(rng.permutation(u)[None] for _ in range(more))])
    costs = cost(population)
    best, lowest, waited = population[costs.argmin()].copy(), float(costs.min()), 0
    for _ in range(settings.generations):
        rivals = rng.integers(len(population), size=(len(population), settings.tournament))
        winners = rivals[np.arange(len(rivals)), costs[rivals].argmin(axis=1)]
        population = _mutated(_crossed(population[winners], settings, rng), settings, rng)
        population[0] = best
        costs = cost(population)
        waited = 0 if costs.min() < lowest else waited + 1
        if not waited:
            best, lowest = population[costs.argmin()].copy(), float(costs.min())
        if waited >= settings.patience:
            break
    found: Ints = best
    return found


def _crossed(population: Ints, settings: Genetic, rng: np.random.Generator) -> Ints:
    """Order crossover: a child keeps a stretch of one parent, the rest in the other's order."""
    n, u = population.shape
    other = population[rng.permutation(n)]
    cuts = np.sort(rng.integers(u + 1, size=(n, 2)), axis=1)
    cuts[rng.random(n) >= settings.crossover] = (0, u)  # all of one parent
    kept = (np.arange(u) >= cuts[:, :1]) & (np.arange(u) < cuts[:, 1:])
    taken = np.zeros_like(kept)
    np.put_along_axis(taken, population, kept, axis=1)
    # Places to fill come first, then those kept; items not taken come first, in the other's order.
    places = np.argsort(kept, axis=1, kind="stable")
    fill = np.argsort(np.take_along_axis(taken, other, axis=1), axis=1, kind="stable")
    items = np.where(
        np.take_along_axis(kept, places, axis=1),
        np.take_along_axis(population, places, axis=1),
        np.take_along_axis(other, fill, axis=1),
    )
    children = np.empty_like(population)
    np.put_along_axis(children, places, items, axis=1)
    return children


def _mutated(population: Ints, settings: Genetic, rng: np.random.Generator) -> Ints:
    """Some items change places with any other of their order."""
    rows, places = np.nonzero(rng.random(population.shape) < settings.mutation)
    others = rng.integers(population.shape[1], size=places.size)
    for row, one, two in zip(rows.tolist(), places.tolist(), others.tolist(), strict=True):
        population[row, one], population[row, two] = population[row, two], population[row, one]
    return population


def _importance(importance: Floats | None, members: int) -> Floats:
    return np.ones(members) if importance is None else np.asarray(importance, dtype=np.float64)
