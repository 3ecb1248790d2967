"""Feature selection that knows some relevant features beforehand.

A prior is a positive number for each feature: 1 where nothing is known, more for features that
are thought to matter. How it enters MRMR and Relief is here, and how the set of relevant features
is widened; the linear machines that take a prior are in `arom` and `svm_rfe`.

References
----------
Ben Brahim & Limam (2014), New prior knowledge based extensions for stable feature selection,
SoCPaR.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from fsops.algorithms.base.scaling import unit_rows
from fsops.algorithms.base.types import Bools, Floats, Ints, Numbers, as_matrix
from fsops.algorithms.linear.arom import COST, ZeroNorm, arom, standard_rows
from fsops.algorithms.linear.svm_rfe import linear_svm
from fsops.algorithms.neighbors.relief import Metric, Scaling, relieff

Ending: TypeAlias = Literal["converged", "cycle", "runaway", "limit"]

PRIOR_WEIGHT = 10.0
"""Of a feature known to be relevant; features of which nothing is known have 1."""
NEIGHBOURS = 3
"""The thesis does not say how many it used; its rates of convergence are those of one."""
GROWTH = 0.1
TOLERANCE = 0.01
MOST_STEPS = 20
ALIKE = 1e-12  # difference of two correlations that counts as none
CHUNK = 4096  # features looked at together
FIRST_BLOCK = 128  # of the others they are compared with; it doubles, since few are left then


def relevance_bonus(prior: Numbers, largest: float) -> Floats:
    """Bonus of a prior on the relevance of features: 0 for the smallest, `largest` for the most.

    Parameters
    ----------
    prior
        One number per feature; all alike add nothing.
    largest
        With the largest possible relevance no feature without prior is more relevant than one
        of the highest prior.
    """
    values = np.asarray(prior, dtype=np.float64)
    above = values - values.min(initial=np.inf)
    span = float(above.max(initial=0.0))
    return above * (largest / span) if span > 0 else np.zeros(values.size)


def relief_with_prior(
    numeric: Numbers | None,
    nominal: Numbers | None,
    codes: Numbers,
    prior: Numbers,
    *,
    k: int = 1,
    metric: Metric = "manhattan",
    m: int | None = None,
    replace: bool = False,
    rng: np.random.Generator | None = None,
    scaling: Scaling = "range",
) -> Floats:
    """PK-Relief: sum of Relief's margins over all rows plus the prior of each feature.

    Parameters
    ----------
    numeric, nominal, codes, k, metric, m, replace, rng, scaling
        As for `relieff`; the mean over a sample is taken for all rows.
    prior
        One number per feature, the numeric before the nominal ones; added to a sum between -n
        and n.

    Returns
    -------
    ndarray
        NaN for features without any known value.

    References
    ----------
    Ben Brahim & Limam (2014), New prior knowledge based extensions for stable feature selection,
    SoCPaR.
    """
    found = relieff(
        numeric,
        nominal,
        codes,
        k=k,
        metric=metric,
        m=m,
        replace=replace,
        rng=rng,
        scaling=scaling,
    )
    weights: Floats = found.statistic * len(codes) + np.asarray(prior, dtype=np.float64)
    return weights


# --- semi-supervised relevance ------------------------------------------------------------------


def widen(
    rows: Floats,
    relevant: Bools,
    neighbours: int,
    *,
    absolute: bool = False,
    values: Floats | None = None,
) -> Bools:
    """Add the features whose nearest features are all relevant ones.

    Parameters
    ----------
    rows
        Features as centered rows of unit length, see `unit_rows`. Near means highly correlated,
        which is a small Euclidean distance of the standardized values.
    relevant
        Mask of the relevant features, (p,). Added features count from the next call on.
    neighbours
        How many nearest features have to be relevant; at most as many as there are. Where the
        last of them is as near as others, these have to be relevant too.
    absolute
        Let opposite features be near as well.
    values
        Features as rows of values, in one unit for all. If given, near means a small Euclidean
        distance of these, not a high correlation.
    """
    varying = rows.any(axis=1)
    (inside,) = (relevant & varying).nonzero()
    (outside,) = (~relevant & varying).nonzero()

    lengths = None if values is None else (values**2).sum(axis=1)

    def nearness(a: Ints, b: Ints) -> Floats:
        near: Floats = (rows[a] @ rows[b].T) if values is None else values[a] @ values[b].T
        near = np.abs(near, out=near) if absolute else near
        if lengths is not None:  # minus the squared distance
            near *= 2.0
            near -= lengths[a][:, None] + lengths[b]
        return near

    wide = relevant.copy()
    k = min(neighbours, inside.size)
    if k:
        for start in range(0, outside.size, CHUNK):
            candidates = outside[start : start + CHUNK]
            reach = _kth_nearness(nearness, candidates, inside, k)
            wide[_surrounded(nearness, candidates, outside, reach)] = True
    return wide


Nearness: TypeAlias = Callable[[Ints, Ints], Floats]


def _kth_nearness(nearness: Nearness, candidates: Ints, inside: Ints, k: int) -> Floats:
    """How near the k-th nearest of the inner features is to each candidate."""
    best = np.empty((candidates.size, 0))
    for start in range(0, inside.size, CHUNK):
        best = np.hstack([best, nearness(candidates, inside[start : start + CHUNK])])
        if best.shape[1] > k:
            best = -np.partition(-best, k - 1, axis=1)[:, :k]
    kth: Floats = best.min(axis=1)
    return kth


def _surrounded(nearness: Nearness, candidates: Ints, outside: Ints, reach: Floats) -> Ints:
    """Candidates that have no outer feature, but themselves, within reach."""
    for others in _growing_blocks(outside):
        if not candidates.size:
            break
        near = nearness(candidates, others)
        near[candidates[:, None] == others] = -np.inf
        left = near.max(axis=1) < reach - ALIKE
        candidates, reach = candidates[left], reach[left]
    return candidates


def _growing_blocks(features: Ints) -> Iterator[Ints]:
    start, size = 0, FIRST_BLOCK
    while start < features.size:
        yield features[start : start + size]
        start, size = start + size, min(2 * size, CHUNK)


@dataclass(frozen=True, slots=True)
class RemovalStep:
    """One step of `ss_l2_arom`.

    Attributes
    ----------
    relevant, widened, selected
        Numbers of features: relevant before, relevant after looking at neighbors, selected.
    agreement
        Jaccard index of the selected features and those relevant before.
    iterations
        How many machines the selection took.
    """

    relevant: int
    widened: int
    selected: int
    agreement: float
    iterations: int


@dataclass(frozen=True, slots=True, eq=False)
class SemiSupervisedProblem:
    """Result of a selection that learns which features are relevant.

    Attributes
    ----------
    found
        The last approximation of the zero norm; its first `size` features are selected.
    size
        Number of selected features.
    relevant
        Mask of the features that it took as relevant beforehand, (p,).
    steps
        One entry per step.
    ending
        Why it stopped: "converged", "cycle" (of two sets, the one of larger margin is taken),
        "runaway" (more than half of the features became relevant), or "limit".
    """

    found: ZeroNorm
    size: int
    relevant: Bools
    steps: tuple[RemovalStep, ...]
    ending: Ending


@dataclass(frozen=True, slots=True, eq=False)
class _Round:
    """The outcome of one step."""

    found: ZeroNorm
    size: int
    relevant: Bools
    kept: Bools

    @property
    def selected(self) -> Bools:
        mask = self.kept.copy()
        others = self.found.order[~self.kept[self.found.order]]
        mask[others[: self.size - np.count_nonzero(mask)]] = True
        return mask


def ss_l2_arom(
    X: Numbers,
    codes: Numbers,
    relevant: Numbers,
    *,
    size: int | None = None,
    growth: float = GROWTH,
    prior_weight: float = PRIOR_WEIGHT,
    neighbours: int = NEIGHBOURS,
    absolute: bool = False,
    scaled: bool = True,
    tolerance: float = TOLERANCE,
    max_steps: int = MOST_STEPS,
    C: float = COST,
    tol: float = 1e-8,
    on_step: Callable[[int], None] | None = None,
    keep: Bools | None = None,
) -> SemiSupervisedProblem:
    """Selection by PS-l2-AROM whose prior knowledge is extended in every step.

    A step adds to the relevant features those whose nearest features are all relevant, selects
    with them as prior, and takes the selected ones as the relevant features of the next step.

    Parameters
    ----------
    X, codes, C, tol
        As for `arom`.
    relevant
        Mask of the features known to be relevant, (p,).
    size
        Number of selected features. None: (1 + growth) times the number of relevant ones, which
        rarely converges, since the sets grow.
    growth
        See `size`.
    prior_weight
        Prior of the relevant features, 1 being that of the others.
    neighbours, absolute
        See `widen`.
    scaled
        Whether features are near by their correlation, or by the distance of their values as they
        are.
    tolerance
        Stop when 1 - agreement of two successive sets is not above it.
    max_steps
        When to stop without agreement.
    on_step
        Called after each step with its number.
    keep
        Mask of features that each step selects; they count among the size, (p,).

    References
    ----------
    Ben Brahim (2015), Stable and efficient feature selection methods for high dimensional data,
    thesis, Université de Tunis, chapter 4.
    """
    known = np.asarray(relevant, dtype=bool)
    kept = np.zeros(known.size, dtype=bool) if keep is None else keep
    rows = unit_rows(X)[0]
    if size is not None and not 1 <= size <= len(rows):
        raise ValueError(f"Cannot select {size} of {len(rows)} features.")
    if size is None and not known.any():
        raise ValueError("Without relevant features the number of selected ones must be given.")
    most = max(len(rows) / 2, size or 0)
    values = None if scaled else _in_one_unit(X)
    steps: list[RemovalStep] = []
    rounds: list[_Round] = []
    ending: Ending = "limit"
    while len(steps) < max_steps and ending == "limit":
        wide = widen(rows, known, neighbours, absolute=absolute, values=values)
        if wide.sum() > most:
            ending, wide = "runaway", known
            if rounds:
                break
        found = arom(X, codes, prior=np.where(wide, prior_weight, 1.0), C=C, tol=tol)
        count = size or min(len(rows), int(np.ceil((1 + growth) * wide.sum() - 1e-9)))
        count = max(count, int(kept.sum()))
        rounds.append(_Round(found, count, wide, kept))
        steps.append(_step(known, rounds[-1]))
        known = rounds[-1].selected
        if on_step is not None:
            on_step(len(steps))
        if ending == "limit":
            ending = _ending(rounds, steps[-1].agreement, tolerance)
    last = rounds[-1]
    if ending == "cycle":
        last = min(rounds[-2:], key=lambda one: _loss(X, codes, one.selected, C, tol))
    return SemiSupervisedProblem(last.found, last.size, last.relevant, tuple(steps), ending)


def _in_one_unit(X: Numbers) -> Floats:
    """Columns as rows, divided by the length of the longest: distances are of the size of 1."""
    rows = np.ascontiguousarray(as_matrix(X).T, dtype=np.float64)
    largest = float(np.abs(rows).max(initial=0.0)) or 1.0
    rows = rows / largest
    return rows / (float(np.sqrt((rows**2).sum(axis=1)).max(initial=0.0)) or 1.0)


def _step(known: Bools, one: _Round) -> RemovalStep:
    chosen = one.selected
    agreement = float((known & chosen).sum() / (known | chosen).sum())
    return RemovalStep(
        int(known.sum()), int(one.relevant.sum()), one.size, agreement, one.found.iterations
    )


def _ending(rounds: list[_Round], agreement: float, tolerance: float) -> Ending:
    if 1.0 - agreement <= tolerance:
        return "converged"
    if len(rounds) > 2 and (rounds[-1].selected == rounds[-3].selected).all():
        return "cycle"
    return "limit"


def _loss(X: Numbers, codes: Numbers, chosen: Bools, C: float, tol: float) -> float:
    """The objective of an SVM on some features: the smaller, the larger is the (soft) margin."""
    scaled = standard_rows(np.asarray(X)[:, chosen]).T / np.sqrt(chosen.sum())
    return float(linear_svm(scaled, codes, C=C, tol=tol).objective.sum())
