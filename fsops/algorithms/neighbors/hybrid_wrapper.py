"""Wrappers on nearest neighbors: subsets of features judged by the errors of k-NN in folds.

Distances are sums over features, so the errors of a subset that differs in a few features from a
known one cost a few differences only. They are kept as whole numbers: adding and taking away is
exact, and the result does not depend on the path that led to a subset.

References
----------
Ben Brahim (2015), Stable and efficient feature selection methods for high dimensional data, thesis,
Université de Tunis, chapter 2 (HIB-SBS, HIB-CSS, Hyb-Seq);
Skalak (1994), Prototype and feature selection by sampling and random mutation hill climbing
algorithms, ICML.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fsops.algorithms.base.distances import majority
from fsops.algorithms.base.types import Bools, Floats, Ints, Numbers, as_classes
from fsops.algorithms.neighbors.instance_based import DECIMALS, CandidateSubsets, Points
from fsops.algorithms.neighbors.relief_rows import Metric
from fsops.algorithms.search.subsets import Subset

Distances: TypeAlias = NDArray[np.int64]
Removal: TypeAlias = Literal["single", "measured", "thesis"]
Move: TypeAlias = Literal["add", "remove", "swap"]

UNIT = 1 << 44
"""Stands for the difference 1; room for half a million features."""
SHIFT = 6
"""So many last bits are rounded away before distances are compared: ties to about 4e-12."""
APART = 1 << 62
"""Distance of two rows of one fold, which do not vote for each other."""
TINY = 1e-12
MOVES: tuple[Move, ...] = ("add", "remove", "swap")


def nothing() -> None:
    """Do nothing between two evaluations."""


class NeighbourErrors:
    """How many rows k-NN gets wrong in a cross-validation, for any subset of features.

    Rows are near by the sum of the differences, or of their squares, in the scale of the points;
    among equals the first row. Of classes with equal votes that of the nearest row is predicted.

    Parameters
    ----------
    points
        The data.
    codes
        Class of each row.
    part
        Fold of each row.
    k
        Neighbors that vote; all there are, if fewer.
    metric
        Distance of two rows.
    tick
        Called before each evaluation; may raise to stop the search.
    """

    def __init__(
        self,
        points: Points,
        codes: Numbers,
        part: Numbers,
        *,
        k: int = 1,
        metric: Metric = "manhattan",
        tick: Callable[[], object] = nothing,
    ) -> None:
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k}.")
        self._codes = as_classes(codes, len(points.values))
        self._values = np.ascontiguousarray(points.values.T)
        self._squared = metric == "euclidean"
        step = 1.0 if points.step is None else points.step
        self._step = round(UNIT * (step**2 if self._squared else step))
        self._nominal = points.nominal
        part = np.asarray(part)
        self._apart: Distances = np.where(part[:, None] == part, APART, 0).astype(np.int64)
        self._k, self._tick = k, tick

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self._codes)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self._values)

    def difference(self, feature: int) -> Distances:
        """Differences of all pairs of rows in one feature, squared for the Euclidean distance."""
        x = self._values[feature]
        if self._nominal[feature]:
            return np.asarray(np.not_equal.outer(x, x) * np.int64(self._step))
        if self._squared:
            return np.asarray(np.rint(np.subtract.outer(x, x) ** 2 * UNIT), dtype=np.int64)
        whole = np.rint(x * UNIT).astype(np.int64)
        found: Distances = np.subtract.outer(whole, whole)
        return np.abs(found, out=found)

    def distances(self, features: Iterable[int]) -> Distances:
        """Distances of all pairs of rows."""
        return self.changed(self._apart, add=features)

    def changed(
        self, distance: Distances, *, add: Iterable[int] = (), remove: Iterable[int] = ()
    ) -> Distances:
        """Distances with some features more and some less."""
        result = distance.copy()
        for feature in add:
            result += self.difference(feature)
        for feature in remove:
            result -= self.difference(feature)
        return result

    def count(self, distance: Distances) -> int:
        """How many rows are predicted wrong."""
        self._tick()
        near = distance + (1 << (SHIFT - 1))
        near >>= SHIFT
        voted = near.argmin(axis=1) if self._k == 1 else None
        predicted = self._majority(near) if voted is None else self._codes[voted]
        return int(np.count_nonzero(predicted != self._codes))

    def count_of(self, features: Iterable[int]) -> int:
        """How many rows are predicted wrong from these features."""
        return self.count(self.distances(features))

    def _majority(self, near: Distances) -> Ints:
        """Class with the most votes among the nearest; writes over the distances."""
        rows = np.arange(self.n_rows)
        nearest = np.empty((self.n_rows, min(self._k, self.n_rows - 1)), dtype=np.intp)
        known = np.empty(nearest.shape, dtype=np.bool_)
        for place in range(nearest.shape[1]):
            nearest[:, place] = found = near.argmin(axis=1)
            known[:, place] = near[rows, found] < APART >> SHIFT
            near[rows, found] = APART
        return majority(self._codes[nearest], known, int(self._codes.max()) + 1)


class WrapperSelection(NamedTuple):
    """A subset of features, and how many rows k-NN gets wrong with it."""

    features: Subset
    errors: int


# --- HIB-SBS --------------------------------------------------------------------------------------


def backward_over_candidates(
    judge: NeighbourErrors, candidates: Iterable[Subset], *, removal: Removal = "single"
) -> WrapperSelection:
    """HIB-SBS: drop candidate subsets from their union while that lowers the error.

    Equal candidates count once. A feature goes when no candidate has it any more.

    Parameters
    ----------
    judge
        The score of a subset.
    candidates
        Proposed subsets; empty ones are left out, and there must be another.
    removal
        The features that a round drops: "single", the candidate whose removal gives the lowest
        error (of equals the one that leaves the smaller, then the first features); "measured", all
        whose removal lowers the error, unless the error then rises; "thesis", the same, but the
        error to beat is the lowest of those of the single removals, which may not be that of the
        result.
    """
    pool = [subset for subset in dict.fromkeys(candidates) if subset]
    if not pool:
        raise ValueError("All candidate subsets are empty.")
    distance = judge.distances(_union(pool))
    errors = bar = judge.count(distance)
    while True:
        after = _errors_without(judge, pool, distance)
        bad = [i for i, e in enumerate(after) if e < bar]
        if not bad:
            return WrapperSelection(_union(pool), errors)
        if removal == "single":
            bad = [min(bad, key=lambda i: (after[i], *_size_first(_union(_but(pool, {i})))))]
        # If all were bad, the one that is missed most stays.
        rest = _but(pool, set(bad)) or [pool[int(np.argmax(after))]]
        left = judge.changed(distance, remove=set(_union(pool)) - set(_union(rest)))
        reached = judge.count(left)
        if removal == "measured" and reached > bar:
            return WrapperSelection(_union(pool), errors)
        bar = min(after[i] for i in bad) if removal == "thesis" else reached
        pool, distance, errors = rest, left, reached


def _union(subsets: Iterable[Subset]) -> Subset:
    return tuple(sorted({feature for subset in subsets for feature in subset}))


def _but(pool: Sequence[Subset], gone: set[int]) -> list[Subset]:
    return [subset for i, subset in enumerate(pool) if i not in gone]


def _size_first(subset: Subset) -> tuple[int, Subset]:
    return len(subset), subset


def _errors_without(
    judge: NeighbourErrors, pool: Sequence[Subset], distance: Distances
) -> list[int]:
    """Errors of the union without each candidate; more than all rows if nothing is left."""
    holders = Counter(feature for subset in pool for feature in subset)
    if len(pool) == 1:
        return [judge.n_rows + 1]
    own = [[feature for feature in subset if holders[feature] == 1] for subset in pool]
    return [judge.count(judge.changed(distance, remove=features)) for features in own]


# --- HIB-CSS --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Cooperation:
    """The result of HIB-CSS for the candidates.

    Attributes
    ----------
    order
        The features of the result, best first.
    weights
        1 to 2 for features of good candidates, 0 to 1 for the others of the result, 0 else; (p,).
    errors
        Error rate of each proposing row's candidate; NaN if it proposes nothing.
    """

    order: Ints
    weights: Floats
    errors: Floats


def cooperate(
    judge: NeighbourErrors,
    candidates: CandidateSubsets,
    *,
    good: float,
    bad: float,
    quantiles: bool = True,
    most: int | None = None,
    ensure_good: bool = True,
    other_includes_good: bool = False,
) -> Cooperation:
    """HIB-CSS: take the features of good candidates, and of middling ones what no bad one has.

    Parameters
    ----------
    judge
        The score of a subset.
    candidates
        What each row proposes.
    good, bad
        Below the first error rate a candidate is good, above the second bad; between, their
        features count by weight / error.
    quantiles
        Whether good and bad are quantiles of the candidates' error rates, not rates themselves.
    most
        Features of middling candidates to keep, before bad ones are taken away; None for all.
    ensure_good
        Without a good candidate, take those with the lowest error as good, if that is below bad.
    other_includes_good
        As printed in the thesis: all candidates better than bad count as middling, too.
    """
    rates = _error_rates(judge, candidates)
    known = rates[~np.isnan(rates)]
    if not known.size:
        raise ValueError("All candidate subsets are empty.")
    low, high = np.quantile(known, [good, bad]) if quantiles else (good, bad)
    is_good, is_bad = rates < low - TINY, rates > high + TINY
    if ensure_good and not is_good.any() and known.min() < high - TINY:
        is_good = rates <= known.min() + TINY
    middling = (rates >= low - TINY) & (rates <= high + TINY) & ~is_good
    if other_includes_good:
        middling = rates < high - TINY
    # A candidate without errors counts as one with half an error.
    worth = candidates.weights / np.maximum(rates, 0.5 / judge.n_rows)[:, None]
    score, from_good = (_of_rows(candidates, rows, worth) for rows in (middling, is_good))
    kept = _best(score, _of_rows(candidates, middling) > 0, most)
    kept &= _of_rows(candidates, is_bad) == 0
    surely = _of_rows(candidates, is_good) > 0
    weights = np.where(kept, _shares(score), 0.0)
    weights = np.where(surely, 1.0 + _shares(from_good), weights)
    chosen = np.flatnonzero(kept | surely)
    return Cooperation(chosen[np.argsort(-weights[chosen], kind="stable")], weights, rates)


def _error_rates(judge: NeighbourErrors, candidates: CandidateSubsets) -> Floats:
    """Error rate of every candidate, each distinct one measured once; NaN for an empty one."""
    subsets = candidates.subsets()
    rate = {s: judge.count_of(s) / judge.n_rows for s in dict.fromkeys(subsets) if s}
    return np.array([rate.get(subset, np.nan) for subset in subsets])


def _of_rows(candidates: CandidateSubsets, rows: Bools, worth: Floats | None = None) -> Floats:
    """Sum of the worth of some rows' proposals by feature; without worth, their number."""
    each = np.ones(candidates.features.shape) if worth is None else worth
    return candidates.sums(np.where(rows[:, None], each, 0.0))


def _best(score: Floats, allowed: Bools, most: int | None) -> Bools:
    """The allowed features with the largest score; among equals the first."""
    order = np.flatnonzero(allowed)
    order = order[np.argsort(-np.round(score[order], DECIMALS), kind="stable")][:most]
    chosen = np.zeros(allowed.size, dtype=np.bool_)
    chosen[order] = True
    return chosen


def _shares(score: Floats) -> Floats:
    """Scores as fractions of the largest, rounded so that ties are ties."""
    shares: Floats = np.round(score / max(score.max(initial=0.0), TINY), DECIMALS)
    return shares


# --- Hyb-Seq --------------------------------------------------------------------------------------


def forward(
    judge: NeighbourErrors,
    features: Sequence[int],
    *,
    most: int,
    only_gains: bool = True,
    first: Sequence[int] = (),
) -> list[WrapperSelection]:
    """Add the feature that lowers the error most, one by one, among equals the first.

    Parameters
    ----------
    judge
        The score of a subset.
    features
        Which to choose from.
    most
        Features to add at most.
    only_gains
        Stop when the error does not fall any more; the first feature is always taken.
    first
        Features to add before all others; they count among the most.

    Returns
    -------
    list of Found
        The feature added in each step (alone), and the errors with all so far.
    """
    left, steps = sorted(set(features) - set(first)), list[WrapperSelection]()
    distance = judge.distances(())
    for feature in first:
        distance = judge.changed(distance, add=[feature])
        steps.append(WrapperSelection((feature,), judge.count(distance)))
    while left and len(steps) < most:
        errors = [judge.count(judge.changed(distance, add=[feature])) for feature in left]
        best = int(np.argmin(errors))
        if only_gains and steps and errors[best] >= steps[-1].errors:
            break
        feature = left.pop(best)
        distance = judge.changed(distance, add=[feature])
        steps.append(WrapperSelection((feature,), errors[best]))
    return steps


# --- randomized wrapper ---------------------------------------------------------------------------


def climb_at_random(
    judge: NeighbourErrors,
    size: int,
    rng: np.random.Generator,
    *,
    proposals: int = 1000,
    patience: int = 100,
    fixed_size: bool = False,
    at_once: int = 1,
    fixed: Ints | None = None,
) -> WrapperSelection:
    """Random hill climbing: change a random subset at random, and keep the better one.

    A proposal adds, removes or exchanges features, each with the same chance. It is accepted if
    fewer rows are wrong, or as many with fewer features. One that cannot be made counts as failed.

    Parameters
    ----------
    judge
        The score of a subset.
    size
        Features to begin with.
    rng
        Source of chance.
    proposals, patience
        Stop after so many proposals, or so many failed ones in a row.
    fixed_size
        Exchange only.
    at_once
        Features that a proposal adds, removes or exchanges; fewer if there are.
    fixed
        Features that are always in the subset; they count among the size.
    """
    inside = np.zeros(judge.n_features, dtype=np.bool_)
    free = np.ones(inside.size, dtype=np.bool_)
    if fixed is not None:
        inside[fixed], free[fixed] = True, False
    drawn = size - np.count_nonzero(inside)
    inside[np.flatnonzero(free)[rng.choice(free.sum(), drawn, replace=False)]] = True
    distance = judge.distances(np.flatnonzero(inside).tolist())
    errors, failed = judge.count(distance), 0
    for _ in range(proposals):
        if failed >= patience:
            break
        failed += 1
        move = MOVES[2 if fixed_size else int(rng.integers(3))]
        add, remove = _proposal(inside, free, move, at_once, rng)
        if not add.size + remove.size:
            continue
        new = judge.changed(distance, add=add.tolist(), remove=remove.tolist())
        wrong = judge.count(new)
        if wrong < errors or (wrong == errors and remove.size > add.size):
            inside[add], inside[remove] = True, False
            distance, errors, failed = new, wrong, 0
    return WrapperSelection(tuple(np.flatnonzero(inside).tolist()), errors)


def _proposal(
    inside: Bools, free: Bools, move: Move, at_once: int, rng: np.random.Generator
) -> tuple[Ints, Ints]:
    """Features to add and to remove, only free ones; at least one always stays inside."""
    mine, others = np.flatnonzero(inside & free), np.flatnonzero(~inside)
    spare = min(mine.size, int(np.count_nonzero(inside)) - 1)
    most = {"add": others.size, "remove": spare, "swap": min(mine.size, others.size)}[move]
    count = min(at_once, most)
    add = rng.choice(others, 0 if move == "remove" else count, replace=False)
    remove = rng.choice(mine, 0 if move == "add" else count, replace=False)
    return add, remove
