"""Recursive feature elimination: weight the features, drop the least important ones, repeat.

References
----------
Guyon, Weston, Barnhill & Vapnik (2002), Gene selection for cancer classification using support
vector machines, Machine Learning 46.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base.ranking import descending_order
from fsops.algorithms.base.types import Bools, Floats, Ints

Weigh = Callable[[Ints], Floats]
OnRound = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """One round of an elimination: features and their absolute weights, best first.

    Attributes
    ----------
    size
        Number of features weighted in this round.
    features, weights
        Only those dropped in this round, or all weighted ones if the history was asked for.
    """

    size: int
    features: Ints
    weights: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Elimination:
    """Result of a recursive elimination.

    Attributes
    ----------
    order
        All features, best first: survivors by their last weight, then the later dropped.
    survivors
        Kept features in ascending order.
    weights
        Absolute weights in the last round, 0 for dropped features, (p,).
    dropped_in
        Number of the round (from 1) that dropped a feature, 0 for survivors, (p,).
    trace
        One entry per round, the last one for the weighting of the survivors.
    """

    order: Ints
    survivors: Ints
    weights: Floats
    dropped_in: Ints
    trace: tuple[Round, ...]

    @property
    def ranking(self) -> Ints:
        """Ranks 1 (best) to p, (p,)."""
        ranks = np.empty_like(self.order)
        ranks[self.order] = np.arange(1, self.order.size + 1)
        return ranks

    @property
    def group_ranking(self) -> Ints:
        """1 for survivors, 2 for those dropped last, and so on, (p,): scikit-learn's ranking_."""
        rounds = len(self.trace) - 1
        return np.where(self.dropped_in > 0, rounds + 2 - self.dropped_in, 1)


def elimination_sizes(
    p: int,
    keep: int = 1,
    *,
    fraction: float | None = None,
    count: int | None = None,
    schedule: Sequence[int] | None = None,
) -> list[int]:
    """Numbers of features after each round, from p down to the features kept.

    Parameters
    ----------
    p
        Number of features at the start.
    keep
        Number of features at the end; with a schedule its last entry decides.
    fraction
        Fraction of the remaining features to drop per round, rounded up.
    count
        Number of features to drop per round; 1 if none of the three is given.
    schedule
        The sizes to pass through, strictly falling, such as ``[50, 10, 1]``; sizes not below p
        are skipped.

    Returns
    -------
    list of int
        Starts with p.
    """
    if sum(rule is not None for rule in (fraction, count, schedule)) > 1:
        raise ValueError("Give only one of fraction, count and schedule.")
    if schedule is not None:
        sizes = list(schedule)
        if not sizes or sizes[-1] < 1 or sorted(set(sizes), reverse=True) != sizes:
            raise ValueError(f"A schedule must be a decreasing list of sizes: {sizes}.")
        return [p, *(size for size in sizes if size < p)]
    if not 1 <= keep <= p:
        raise ValueError(f"Cannot keep {keep} of {p} features. Choose between 1 and {p}.")
    if fraction is not None and not 0 < fraction < 1:
        raise ValueError(f"The fraction dropped per round must be between 0 and 1, got {fraction}.")
    if count is not None and count < 1:
        raise ValueError(f"At least one feature is dropped per round, got {count}.")
    sizes = [p]
    while sizes[-1] > keep:
        size = sizes[-1]
        # The small amount: 0.3 * 10 must drop 3, whatever its last binary digit is.
        drop = int(np.ceil(fraction * size - 1e-9)) if fraction is not None else (count or 1)
        sizes.append(max(keep, size - max(1, drop)))
    return sizes


def eliminate(
    weigh: Weigh,
    sizes: Sequence[int],
    *,
    absolute: bool = True,
    history: bool = False,
    on_round: OnRound | None = None,
    keep: Bools | None = None,
) -> Elimination:
    """Ranking of features by dropping the least important ones and weighting the rest again.

    Parameters
    ----------
    weigh
        From the indices of the remaining features, ascending, to their weights.
    sizes
        As returned by `elimination_sizes`.
    absolute
        Whether the modulus of a weight counts.
    history
        Keep all weights of every round, not only those of the dropped features.
    on_round
        Called after each round with the number of finished and of all weightings.
    keep
        Features that are never dropped, (p,); at most as many as the last of the sizes.

    Returns
    -------
    Elimination
        Of equal weights the larger index is dropped first; NaN counts as the smallest.

    References
    ----------
    Guyon, Weston, Barnhill & Vapnik (2002), Gene selection for cancer classification using
    support vector machines, Machine Learning 46.
    """
    p = sizes[0]
    active = np.arange(p)
    dropped_in = np.zeros(p, dtype=np.intp)
    final = np.zeros(p)
    order = np.empty(p, dtype=np.intp)
    trace = []
    for number, (size, rest) in enumerate(zip(sizes, [*sizes[1:], 0], strict=True), start=1):
        weights = _checked(weigh(active), size)
        importance = np.abs(weights) if absolute else weights
        # The last order is that of the survivors, by their weights.
        spared = importance if keep is None or not rest else _spared(importance, keep[active])
        kept, gone = _split(spared, rest)
        dropped = active[gone]
        order[rest:size] = dropped
        if history:
            shown = descending_order(importance)
            trace.append(Round(size, active[shown], importance[shown]))
        else:
            trace.append(Round(size, dropped, importance[gone]))
        if rest:
            dropped_in[dropped] = number
            active = active[kept]
        else:
            final[active] = importance
        if on_round is not None:
            on_round(number, len(sizes))
    return Elimination(order, active, final, dropped_in, tuple(trace))


def _spared(importance: Floats, keep: Bools) -> Floats:
    """Importance in which the features to keep are the largest."""
    return np.where(
        keep, np.inf, np.where(np.isposinf(importance), np.finfo(float).max, importance)
    )


def eliminate_groups(
    weigh: Weigh,
    sizes: Sequence[int],
    unit_of: Ints,
    *,
    absolute: bool = True,
    history: bool = False,
    keep: Bools | None = None,
) -> Elimination:
    """Elimination of groups of features: a group is as important as the best feature in it.

    Parameters
    ----------
    weigh, absolute, history
        See `eliminate`.
    sizes
        Numbers of groups after each round.
    unit_of
        Number of the group of each feature, 0 … groups - 1, (p,).
    keep
        Groups that are never dropped.

    Returns
    -------
    Elimination
        Of features. Those of one group follow each other, the more important first.
    """
    weights_of: dict[int, Floats] = {}

    def weigh_groups(active: Ints) -> Floats:
        features = np.flatnonzero(np.isin(unit_of, active))
        found = _checked(weigh(features), features.size)
        importance = np.abs(found) if absolute else found
        whole = np.full(unit_of.size, np.nan)
        whole[features] = importance
        weights_of[len(active)] = whole
        best = np.full(sizes[0], -np.inf)
        known = ~np.isnan(importance)
        np.maximum.at(best, unit_of[features[known]], importance[known])
        return np.where(np.isneginf(best), np.nan, best)[active]

    found = eliminate(weigh_groups, sizes, absolute=False, history=history, keep=keep)
    place = np.empty(sizes[0], dtype=np.intp)
    place[found.order] = np.arange(sizes[0])
    last = np.zeros(unit_of.size)
    trace = []
    for entry in found.trace:
        values = weights_of[entry.size]
        features = np.flatnonzero(np.isin(unit_of, entry.features))
        features = features[descending_order(values[features])]
        trace.append(Round(int((~np.isnan(values)).sum()), features, values[features]))
        ranked = np.isin(unit_of, entry.features)
        last[ranked] = values[ranked]
    order = np.lexsort((np.arange(unit_of.size), -np.nan_to_num(last), place[unit_of]))
    survivors = np.flatnonzero(np.isin(unit_of, found.survivors))
    final = np.zeros(unit_of.size)
    final[survivors] = weights_of[sizes[-1]][survivors]
    return Elimination(order, survivors, final, found.dropped_in[unit_of], tuple(trace))


def _checked(weights: Floats, size: int) -> Floats:
    weights = np.asarray(weights, dtype=np.float64)
    if weights.shape != (size,):
        raise ValueError(
            f"The weighting returned shape {weights.shape} for {size} features; "
            "it must give one weight for each of them."
        )
    return weights


def _split(importance: Floats, rest: int) -> tuple[Bools, Ints]:
    """Mask of the best `rest` features, and the others from the better to the worse."""
    gone = _worst(importance, importance.size - rest)
    kept = np.ones(importance.size, dtype=bool)
    kept[gone] = False
    return kept, gone


def _worst(importance: Floats, count: int) -> Ints:
    """The last `count` features of the descending order, without sorting the others."""
    if count == 1:
        return np.array([importance.size - 1 - int(np.argmin(importance[::-1]))])
    if count == importance.size:
        return descending_order(importance)
    # Features that are equal at the cut are all looked at: the larger index is the worse.
    falling = -importance
    cut = np.partition(falling, importance.size - count)[importance.size - count]
    (low,) = (~(falling < cut)).nonzero()
    worst: Ints = low[descending_order(importance[low])[low.size - count :]]
    return worst
