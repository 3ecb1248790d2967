"""Boruta: attributes that are more important than shuffled copies of all attributes.

References
----------
Kursa & Rudnicki (2010): Feature selection with the Boruta package. J. Statist. Software 36.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base.types import Bools, Floats, Ints
from fsops.algorithms.statistics.significance import adjust_p_values

CONFIRMED, TENTATIVE, REJECTED = 1, 0, -1
FEWEST_SHADOWS = 5

Importance = Callable[[Floats, np.random.Generator], Floats]
"""From the columns of attributes and shadows to their importances."""


@dataclass(frozen=True, eq=False)
class Boruta:
    """Decisions, and how they came about.

    Attributes
    ----------
    decisions
        1 confirmed, 0 tentative, -1 rejected.
    hits
        In how many iterations an attribute was above the shadows.
    importances
        By iteration and attribute; NaN after the rejection.
    shadows
        By iteration: smallest, mean and largest importance of a shadow, and the limit.
    """

    decisions: Ints
    hits: Ints
    importances: Floats
    shadows: Floats


def select(
    X: Floats,
    importance: Importance,
    iterations: Iterable[int],
    rng: np.random.Generator,
    *,
    percentile: float = 100.0,
    alpha: float = 0.05,
    two_step: bool = True,
) -> Boruta:
    """Compare the importance of each column with those of shuffled columns, until all are decided.

    Parameters
    ----------
    X : ndarray, shape (n, p)
    importance : callable
        Of a table of columns and shadows, and a generator of this iteration.
    iterations : iterable of int
        1, 2, … as far as allowed.
    rng : numpy.random.Generator
    percentile : float
        A hit is an importance above this percentile of the shadows; 100 is their maximum.
    alpha : float
        Level of the binomial tests.
    two_step : bool
        Correct by Benjamini-Hochberg over the attributes and by Bonferroni over the iterations, or
        by Bonferroni over the attributes only, as the original does.
    """
    p = X.shape[1]
    decisions, hits = np.zeros((2, p), dtype=np.intp)
    history, shadows = [], []
    for iteration in iterations:
        active = np.flatnonzero(decisions != REJECTED)
        if not (decisions == TENTATIVE).any():
            break
        both, count = _with_shadows(X, active, rng), len(active)
        found = importance(both, rng)
        limit = float(np.percentile(found[count:], percentile))
        hits[active] += found[:count] > limit
        row = np.full(p, np.nan)
        row[active] = found[:count]
        history.append(row)
        copied = found[count:]
        shadows.append([copied.min(), copied.mean(), copied.max(), limit])
        decisions = decide(decisions, hits, iteration, alpha=alpha, two_step=two_step)
    shape = (len(history), p)
    return Boruta(
        decisions, hits, np.array(history).reshape(shape), np.array(shadows).reshape(-1, 4)
    )


def _with_shadows(X: Floats, active: Ints, rng: np.random.Generator) -> Floats:
    """Return active columns and shuffled ones, at least five of these."""
    times = -(-FEWEST_SHADOWS // len(active))
    both = np.empty((len(X), len(active) * (1 + times)), dtype=X.dtype)
    both[:, : len(active)] = X[:, active]
    for part in range(times):
        place = slice(len(active) * (1 + part), len(active) * (2 + part))
        both[:, place] = both[:, : len(active)]
        rng.permuted(both[:, place], axis=0, out=both[:, place])
    return both


def decide(
    decisions: Ints, hits: Ints, iteration: int, *, alpha: float = 0.05, two_step: bool = True
) -> Ints:
    """Return the decisions after an iteration: binomial tests of the hits against one half."""
    from scipy.special import bdtr, bdtrc

    active = np.flatnonzero(decisions != REJECTED)
    counts = hits[active].astype(np.float64)
    # At least so many hits, and at most so many, of an attribute that is no better than shadows.
    upper = np.where(counts > 0, bdtrc(np.maximum(counts - 1, 0), iteration, 0.5), 1.0)
    lower = bdtr(counts, iteration, 0.5)
    level = (alpha / iteration) if two_step else alpha / len(decisions)
    undecided = decisions[active] == TENTATIVE
    after = decisions.copy()
    for tail, decision in ((upper, CONFIRMED), (lower, REJECTED)):
        passed: Bools = tail <= level
        if two_step:
            passed &= adjust_p_values(np.minimum(tail, 1.0)) <= alpha
        after[active[undecided & passed]] = decision
    return after


def roughly_fixed(found: Boruta) -> Bools:
    """Return which tentative attributes have a median importance above that of the limits."""
    tentative = found.decisions == TENTATIVE
    if not tentative.any() or not len(found.shadows):
        return np.zeros(len(found.decisions), dtype=bool)
    above = np.zeros(len(found.decisions), dtype=bool)
    medians = np.median(found.importances[:, tentative], axis=0)
    above[tentative] = medians > np.median(found.shadows[:, 3])
    return above
