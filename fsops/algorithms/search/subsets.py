"""Searches for the best subset of columns, given the value of a subset.

Every search asks for the values of many subsets at once, so that they can be computed side by
side. Larger values are better. Of subsets of one value the smaller is better, then the one whose
columns come first.

Subsets have at least one column, or ``least=0``: there the empty one is a candidate, because other
columns are always there.

References
----------
Kohavi & John (1997), Wrappers for feature subset selection. Artificial Intelligence 97.
Pudil, Novovičová & Kittler (1994), Floating search methods in feature selection.
Pattern Recognition Letters 15.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

Subset = tuple[int, ...]
"""Numbers of columns, ascending."""
Evaluate = Callable[[Sequence[Subset]], Sequence[float]]
"""From subsets to their values."""


class Scored(NamedTuple):
    """A subset and its value."""

    subset: Subset
    value: float


def rank(candidate: Scored) -> tuple[float, int, Subset]:
    """The sort key of candidates, the best first; an undefined value comes last."""
    value = -math.inf if math.isnan(candidate.value) else candidate.value
    return -value, len(candidate.subset), candidate.subset


def score(evaluate: Evaluate, subsets: Iterable[Subset]) -> list[Scored]:
    """Subsets with their values, the best first."""
    asked = list(subsets)
    return sorted(map(Scored, asked, evaluate(asked)), key=rank)


def one_more(subset: Subset, p: int) -> list[Subset]:
    """All subsets with one further of p columns."""
    inside = set(subset)
    return [tuple(sorted((*subset, j))) for j in range(p) if j not in inside]


def one_less(subset: Subset, least: int = 1) -> list[Subset]:
    """All subsets with one column less, but with at least so many."""
    if len(subset) <= least:
        return []
    return [subset[:i] + subset[i + 1 :] for i in range(len(subset))]


def smallest(p: int, least: int) -> list[Subset]:
    """The subsets that a search forward begins with."""
    return [(j,) for j in range(p)] if least else [()]


def never(value: float) -> bool:
    """No value reaches the limit at which to stop."""
    return False


def generations(
    evaluate: Evaluate,
    p: int,
    *,
    backward: bool = False,
    keep: int = 1,
    patience: int | None = 1,
    limit: int | None = None,
    enough: Callable[[float], bool] = never,
    least: int = 1,
) -> Scored:
    """Grow (or shrink) the best subsets by one column per generation.

    Parameters
    ----------
    evaluate : callable
    p : int
        Number of columns.
    backward : bool
        Begin with all columns and take away, instead of with each one alone.
    keep : int
        How many subsets of a generation are the parents of the next.
    patience : int or None
        Stop after so many generations that found nothing better.
    limit : int or None
        Stop after so many generations that follow the first.
    enough : callable
        Returns whether to stop, given the best value.
    least : int
        The smallest number of columns, 0 or 1.

    Returns
    -------
    Scored
        The best of all generations.
    """
    parents = score(evaluate, [tuple(range(p))] if backward else smallest(p, least))[:keep]
    best, idle = parents[0], 0
    for _ in itertools.count() if limit is None else range(limit):
        children = dict.fromkeys(
            child
            for parent in parents
            for child in (
                one_less(parent.subset, least) if backward else one_more(parent.subset, p)
            )
        )
        if not children or enough(best.value) or (patience is not None and idle >= patience):
            break
        parents = score(evaluate, children)[:keep]
        improved = rank(parents[0]) < rank(best)
        best, idle = (parents[0], 0) if improved else (best, idle + 1)
    return best


def sequential(
    evaluate: Evaluate,
    p: int,
    *,
    backward: bool = False,
    rounds: int,
    goes_on: Callable[[Scored, Scored], bool],
    speculative: int = 0,
    least: int = 1,
) -> Scored:
    """Add (or take away) one column per round, the best one, until that does not pay.

    Parameters
    ----------
    evaluate : callable
    p : int
    backward : bool
    rounds : int
        At most so many columns are added or taken away.
    goes_on : callable
        From the last subset and the new one to whether the new one is accepted.
    speculative : int
        So many rounds in a row may fail; if none of them is accepted in the end, their changes
        are undone.
    least : int
        The smallest number of columns, 0 or 1.

    Returns
    -------
    Scored
        The last subset that was accepted.
    """
    current: Subset = tuple(range(p)) if backward else ()
    accepted = score(evaluate, [current])[0] if backward or not least else None
    to_beat, failed = accepted, 0
    for _ in range(rounds):
        candidates = one_less(current, least) if backward else one_more(current, p)
        if not candidates:
            break
        new = score(evaluate, candidates)[0]
        if to_beat is None or goes_on(to_beat, new):
            accepted = to_beat = new
            failed = 0
        elif failed == speculative:
            break
        else:
            failed += 1
            to_beat = new if new.value > to_beat.value else to_beat
        current = new.subset
    assert accepted is not None  # the first round always is good enough
    return accepted


def floating(
    evaluate: Evaluate, p: int, *, size: int, backward: bool = False, least: int = 1
) -> dict[int, Scored]:
    """Sequential floating search: after every step, steps back for as long as they pay.

    Forward from one column up to ``size`` (SFFS), or backward from all down to it (SBFS). A step
    back is taken if its subset is better than the best known of that size; so is a step forth,
    else the search goes on from the best known one.

    Parameters
    ----------
    evaluate : callable
    p : int
    size : int
        Where to end, between ``least`` and p.
    backward : bool
    least : int
        The smallest number of columns, 0 or 1.

    Returns
    -------
    dict of int to Scored
        The best subset found of every size that was seen.
    """

    def forth(subset: Subset) -> list[Subset]:
        return one_less(subset, least) if backward else one_more(subset, p)

    def back(subset: Subset) -> list[Subset]:
        return one_more(subset, p) if backward else one_less(subset, least)

    start: list[Subset] = [tuple(range(p))] if backward else smallest(p, least)
    current = score(evaluate, start)[0]
    first = len(current.subset)
    known = {first: current}
    while len(current.subset) != size:
        step = score(evaluate, forth(current.subset))[0]
        known[len(step.subset)] = current = min(known.get(len(step.subset), step), step, key=rank)
        while len(current.subset) != first:
            previous = score(evaluate, back(current.subset))[0]
            if previous.value <= known[len(previous.subset)].value or math.isnan(previous.value):
                break
            known[len(previous.subset)] = current = previous
    return known


def climb(
    evaluate: Evaluate,
    starts: Sequence[Subset],
    p: int,
    rngs: Sequence[np.random.Generator],
    *,
    neighbours: int,
    patience: int,
    limit: int,
    least: int = 1,
) -> Scored:
    """Randomized hill climbing: go to the best of some random neighbors while it is better.

    A neighbor has one column more, one less, or one exchanged. All climbers make their steps
    together; one that has stopped waits for the others.

    Parameters
    ----------
    evaluate : callable
    starts : sequence of Subset
        Where each climber begins.
    p : int
    rngs : sequence of numpy.random.Generator
        One per climber.
    neighbours : int
        How many random neighbors are looked at per step.
    patience : int
        A climber stops after so many steps that found nothing better.
    limit : int
        Steps at most.
    least : int
        The smallest number of columns, 0 or 1.

    Returns
    -------
    Scored
        The best place of all climbers.
    """
    places = list(map(Scored, starts, evaluate(list(starts))))
    idle = [0] * len(places)
    for _ in range(limit):
        around = {
            i: [neighbour(places[i].subset, p, rngs[i], least) for _ in range(neighbours)]
            for i in range(len(places))
            if idle[i] < patience
        }
        if not around:
            break
        asked = list(dict.fromkeys(s for subsets in around.values() for s in subsets))
        value = dict(zip(asked, evaluate(asked), strict=True))
        for i, subsets in around.items():
            best = min((Scored(s, value[s]) for s in subsets), key=rank)
            improved = rank(best) < rank(places[i])
            places[i], idle[i] = (best, 0) if improved else (places[i], idle[i] + 1)
    return min(places, key=rank)


def neighbour(subset: Subset, p: int, rng: np.random.Generator, least: int = 1) -> Subset:
    """The subset with one random column switched, or exchanged for another."""
    inside = set(subset)
    chosen = int(rng.integers(p))
    exchange = bool(rng.random() < 0.5)
    if chosen not in inside and exchange and subset:
        inside.remove(subset[int(rng.integers(len(subset)))])
    inside ^= {chosen}
    return tuple(sorted(inside)) if len(inside) >= least else subset


def number_of_subsets(p: int, low: int, high: int) -> int:
    """How many subsets of p columns have between low and high of them."""
    return sum(math.comb(p, size) for size in range(low, high + 1))


def exhaustive(evaluate: Evaluate, p: int, *, low: int = 1, high: int) -> Scored:
    """The best of all subsets with ``low`` to ``high`` columns, asked for size by size."""
    best = (
        score(evaluate, itertools.combinations(range(p), size))[0] for size in range(low, high + 1)
    )
    return min(best, key=rank)
