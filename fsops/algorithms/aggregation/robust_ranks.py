"""Robust rank aggregation: whether a feature is ranked better than by chance, in some of the lists.

References
----------
Kolde, Laur, Adler & Vilo (2012), Robust rank aggregation for gene list integration and
meta-analysis, Bioinformatics 28.
"""

from dataclasses import dataclass

import numpy as np

from fsops.algorithms.aggregation.weights import Lists
from fsops.algorithms.base.types import Bools, Floats, Ints

SMALLEST = 1e-290  # scores below are taken for it
BLOCK = 2048  # scores whose p-values are computed together: they stay in the cache


@dataclass(frozen=True, slots=True, eq=False)
class RobustRanks:
    """How surprising the ranks of each feature are.

    Attributes
    ----------
    rho
        Smallest chance of an order statistic of the ranks; a score, no p-value, (p,).
    p_values
        Chance of so small a rho among lists in random order, (p,).
    """

    rho: Floats
    p_values: Floats


def robust_ranks(
    lists: Lists, *, available: Bools | None = None, exact: bool = True
) -> RobustRanks:
    """Chance that lists in random order rank a feature so well.

    The ranks of a feature, divided by the number of features, are uniform if lists are in random
    order. Each order statistic then has a beta distribution, and rho is the smallest of the chances
    that it is so small: a few good ranks are enough, however bad the others are.

    Parameters
    ----------
    lists
        The members; a feature that is not in a list has the worst rank there.
    available
        Which features a member could rank at all, (K, p); the others do not count there.
    exact
        P-values from the distribution of rho; otherwise the bound K times rho.

    Returns
    -------
    RobustRanks
        A feature without any rank has rho 1.
    """
    x, known = _normalised_ranks(lists, available)
    members = known.sum(axis=0)
    rho, p_values = np.ones((2, x.shape[1]))
    for size in np.unique(members[members > 0]).tolist():
        own = members == size
        # Ranks that do not count are sorted behind the others.
        ranks = np.sort(np.where(known[:, own], x[:, own], np.inf), axis=0)[:size]
        rho[own] = order_statistic_score(ranks)
        p_values[own] = rho_p_values(rho[own], size) if exact else np.minimum(1, size * rho[own])
    return RobustRanks(rho, p_values)


def _normalised_ranks(lists: Lists, available: Bools | None) -> tuple[Floats, Bools]:
    """Ranks from 0 to 1, and where they count."""
    if available is None:
        available = np.ones_like(lists.chosen)
    # A feature in a list is before all that the member does not know, so its rank is right.
    rankable = np.maximum(available.sum(axis=1, keepdims=True), 1)
    return np.where(lists.chosen, lists.ranks / rankable, 1.0), available


def order_statistic_score(x: Floats) -> Floats:
    """Smallest P(Beta(k, K - k + 1) <= x[k]) over k, (p,).

    Parameters
    ----------
    x
        Ranks from 0 to 1, ascending along the first axis, (K, p).
    """
    from scipy.special import betainc

    place = _places(len(x))
    smallest: Floats = betainc(place, len(x) + 1 - place, x).min(axis=0, initial=1.0)
    return smallest


def rho_p_values(rho: Floats, members: int) -> Floats:
    """Chance that K independent uniform ranks give a score of at most rho.

    One minus the chance that no order statistic is below its border, the quantile of its beta
    distribution at rho. The chances that each is the last one below are added up, so that small
    p-values keep their digits.

    Parameters
    ----------
    rho
        Scores from 0 to 1, (p,).
    members
        Number K of ranks behind each score.

    Returns
    -------
    ndarray, shape (p,)
    """
    values, place = np.unique(np.asarray(rho, dtype=np.float64), return_inverse=True)
    p_values = np.empty(values.size)
    for start in range(0, values.size, BLOCK):
        part = slice(start, start + BLOCK)
        p_values[part] = _crossing_chance(values[part], members)
    spread: Floats = np.minimum(p_values, 1.0)[place]
    return spread


def _crossing_chance(t: Floats, members: int) -> Floats:
    """Chance that, for some k, the k-th smallest of K uniforms is below its border.

    Summed over the last such k: then k uniforms are below its border, and the others keep to
    theirs.
    """
    from scipy.special import binom

    borders = _borders(np.maximum(t, SMALLEST), members)
    # Chance that the uniforms after the k-th are above the k-th border and keep to their own.
    keep = np.ones((members + 1, t.size))
    crossed = np.zeros(t.size)
    for k in range(members, 0, -1):
        border, left = borders[k - 1], members - k
        keep[k] = (1.0 - border) ** left
        for more in range(1, left + 1):
            gap = borders[k + more - 1] - border
            keep[k] -= binom(left, more) * gap**more * keep[k + more]
        np.maximum(keep[k], 0.0, out=keep[k])  # what rounding leaves of 0
        crossed += binom(members, k) * border**k * keep[k]
    return crossed


def _borders(t: Floats, members: int) -> Floats:
    """Quantiles at t of all order statistics of K uniforms, (K, t)."""
    from scipy.special import betaincinv, binom

    place = _places(members)
    # The search fails for some tiny t, where one term is the whole distribution.
    single = (t / binom(members, place)) ** (1.0 / place)
    found = betaincinv(place, members + 1 - place, t)
    borders: Floats = np.where(np.isnan(found), single, found)
    return borders


def _places(members: int) -> Ints:
    return np.arange(1, members + 1)[:, None]
