"""Selection by relevance and redundancy: MRMR (difference and quotient) and CFS.

A search needs the relevance of every feature and a `Redundancy`, an object that gives the
redundancy of pairs of features on demand. How the search goes is in `mrmr_search`, the measures
are in `mrmr_measures`, the memory of a loop in `mrmr_cache`; their public names can be had here.

References
----------
Ding & Peng (2003), Minimum redundancy feature selection from microarray gene expression data.
Hall (2000), Correlation-based feature selection for discrete and numeric class machine learning.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from fsops.algorithms.base.types import Floats, Ints, Numbers
from fsops.algorithms.mrmr.cache import CACHE_MB, CacheMismatch, MRMRCache, fingerprint
from fsops.algorithms.mrmr.measures import (
    CorrelationRedundancy,
    MixedRedundancy,
    NominalRedundancy,
    Redundancy,
    defined,
)
from fsops.algorithms.mrmr.search import (
    FLOOR,
    Criterion,
    Merit,
    make_criterion,
    make_search,
    next_feature,
)

__all__ = [
    "CACHE_MB",
    "FLOOR",
    "CacheMismatch",
    "CorrelationRedundancy",
    "Criterion",
    "MRMRCache",
    "MixedRedundancy",
    "NominalRedundancy",
    "OnStep",
    "Redundancy",
    "Selection",
    "SubsetCriteria",
    "cfs_forward",
    "defined",
    "fingerprint",
    "mrmr",
    "subset_criteria",
]

OnStep: TypeAlias = Callable[[int, int], None]

GAIN = 1e-9
"""Smallest increase of the CFS merit worth another feature."""


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """Features in the order of their selection.

    Attributes
    ----------
    order
        Selected features, (k,).
    scores
        Criterion of each when it was picked, (k,); for CFS the merit of the set so far.
    pairs
        Number of redundancies that were computed.
    """

    order: Ints
    scores: Floats
    pairs: int


def _checked(relevance: Numbers, redundancy: Redundancy) -> Floats:
    values = defined(np.asarray(relevance, dtype=np.float64))
    if values.shape != (redundancy.n_features,):
        raise ValueError(
            f"There are {redundancy.n_features} features, but relevance has shape {values.shape}."
        )
    if values.size and values.min() < 0:
        raise ValueError("Relevance must not be negative.")
    return values


def by_relevance(first: Sequence[int] | Ints, relevance: Floats) -> Ints:
    """Features in the order of their relevance, largest first; among equals the smaller index."""
    places = np.sort(np.asarray(first, dtype=np.intp))
    return places[np.argsort(-relevance[places], kind="stable")]


def mrmr(
    relevance: Numbers,
    redundancy: Redundancy,
    k: int,
    *,
    criterion: Criterion = "miq",
    floor: float = FLOOR,
    stop_nonpositive: bool = False,
    lazy: bool | None = None,
    on_step: OnStep | None = None,
    first: Sequence[int] | Ints = (),
) -> Selection:
    """Features of high relevance and low mean redundancy with those selected before.

    "mid" maximizes relevance - A, "miq" relevance / max(A, floor), with the mean redundancy A;
    the first feature is the most relevant one. Ties go to the smaller index.

    Parameters
    ----------
    relevance
        Relevance of each feature for the label, not negative, (p,). NaN counts as 0.
    redundancy
        Redundancy of pairs of features.
    k
        Number of features, at most p.
    criterion
        "mid" suits measures on one scale; else a difference is ruled by the larger one.
    floor
        Smallest divisor of "miq".
    stop_nonpositive
        Stop "mid" when no candidate's score is above 0.
    lazy
        Whether only candidates that may win are brought up to date in a step; same result.
        None decides by the number of features and by the cost of single pairs.
    on_step
        Called after each step with the numbers of selected and of wanted features.
    first
        Features to select before all others, the most relevant one first; they count among the k.

    References
    ----------
    Ding & Peng (2003), Minimum redundancy feature selection from microarray gene expression
    data.
    """
    values = _checked(relevance, redundancy)
    if not 0 <= k <= values.size:
        raise ValueError(f"Cannot select {k} of {values.size} features.")
    search = make_search(values, redundancy, make_criterion(criterion, floor), lazy)
    order = by_relevance(first, values).tolist()
    scores: list[float] = []
    for j in range(k):
        feature, reached = next_feature(search, order)
        if stop_nonpositive and criterion == "mid" and reached <= 0 and j >= len(order):
            break
        search.take(feature)
        scores.append(reached)
        if on_step is not None:
            on_step(j + 1, k)
    return Selection(np.array(search.selected, dtype=np.intp), np.array(scores), search.pairs)


def cfs_forward(
    relevance: Numbers,
    redundancy: Redundancy,
    k: int | None = None,
    *,
    lazy: bool | None = None,
    on_step: OnStep | None = None,
    first: Sequence[int] | Ints = (),
) -> Selection:
    """Features added one by one as long as the CFS merit of the set grows.

    Merit(S) = sum of relevance / sqrt(|S| + 2 * sum of redundancy over the pairs).

    Parameters
    ----------
    relevance, redundancy
        Both from 0 to 1, such as absolute correlations or symmetric uncertainties.
    k
        Largest number of features; None for no limit.
    lazy, on_step, first
        See `mrmr`.

    References
    ----------
    Hall (2000), Correlation-based feature selection for discrete and numeric class machine
    learning, ICML.
    """
    values = _checked(relevance, redundancy)
    if values.size and values.max() > 1 + 1e-9:
        raise ValueError("The CFS merit needs measures between 0 and 1; F is not one of them.")
    limit = values.size if k is None else min(k, values.size)
    merit = Merit()
    search = make_search(values, redundancy, merit, lazy)
    merits = [0.0]
    order = by_relevance(first, values).tolist()
    for j in range(limit):
        feature, reached = next_feature(search, order)
        if reached <= merits[-1] + GAIN and j >= len(order):
            break
        merit.add(float(values[feature]), search.redundancy_of(feature))
        search.take(feature)
        merits.append(reached)
        if on_step is not None:
            on_step(j + 1, limit)
    return Selection(np.array(search.selected, dtype=np.intp), np.array(merits[1:]), search.pairs)


# --- criteria of a subset -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SubsetCriteria:
    """How good a set of features is.

    Attributes
    ----------
    relevance, redundancy
        Mean relevance and mean redundancy of the pairs.
    mid, miq
        Their difference and their quotient.
    cfs
        Hall's merit.
    empty
        Whether the set is empty; then all criteria are 0 and mean nothing.
    """

    relevance: float
    redundancy: float
    mid: float
    miq: float
    cfs: float
    empty: bool


def subset_criteria(
    subset: Ints,
    relevance: Numbers,
    redundancy: Redundancy,
    *,
    include_self: bool = False,
    floor: float = FLOOR,
) -> SubsetCriteria:
    """Mean relevance, mean redundancy and what MRMR and CFS make of them, for one subset.

    Parameters
    ----------
    subset
        Indices of the features.
    relevance, redundancy
        Of all features, as for `mrmr`; the redundancy may be an `MRMRCache`.
    include_self
        Peng's mean redundancy: over all ordered pairs, each feature with itself included.
    floor
        Smallest divisor of "miq".

    References
    ----------
    Peng, Long & Ding (2005), Feature selection based on mutual information, PAMI 27;
    Hall (2000), Correlation-based feature selection.
    """
    features = np.unique(np.asarray(subset, dtype=np.intp))
    k = features.size
    if not k:
        return SubsetCriteria(0.0, 0.0, 0.0, 0.0, 0.0, empty=True)
    relevant = _checked(relevance, redundancy)[features]
    pairs = _pair_sum(redundancy, features)
    d = float(relevant.mean())
    r = 2.0 * pairs / (k * (k - 1)) if k > 1 else 0.0
    if include_self:
        own = sum(float(redundancy.block(f, f)[0, 0]) for f in features[:, None])
        r = (2.0 * pairs + own) / k**2
    merit = float(relevant.sum()) / np.sqrt(k + 2.0 * pairs)
    quotient = d if k == 1 else d / max(r, floor)
    return SubsetCriteria(d, r, d - r, quotient, merit, empty=False)


def _pair_sum(redundancy: Redundancy, features: Ints) -> float:
    if isinstance(redundancy, MRMRCache):
        # Always the smaller index as column: every pair is stored once.
        blocks = (
            redundancy.block(features[i + 1 :], features[i : i + 1])
            for i in range(features.size - 1)
        )
        return sum(float(block.sum()) for block in blocks)
    return float(np.triu(redundancy.block(features, features), 1).sum())
