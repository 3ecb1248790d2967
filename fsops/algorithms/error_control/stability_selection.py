"""Stability selection: bounds on the expected number of false selections.

A selection runs on halves of the rows, and the attributes that at least a fraction ``threshold``
of the halves select are kept. "False" are attributes that a half selects no more often than an
attribute drawn at random would be: with probability q / p, if it selects q of p attributes.

References
----------
Meinshausen & Bühlmann (2010): Stability selection. J. R. Statist. Soc. B 72, 417-473.
Shah & Samworth (2013): Variable selection with error control: another look at stability selection.
J. R. Statist. Soc. B 75, 55-80.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np

from fsops.algorithms.base import ranking
from fsops.algorithms.base.types import Bools, Floats, Ints

Assumption: TypeAlias = Literal["r-concave", "unimodal", "none"]

LARGEST_UNIMODAL = 1 / np.sqrt(3)
"""The unimodal bound holds if a half selects at most this fraction of the attributes."""
ROUNDING = 1e-9
HALVINGS = 45
GOLDEN = (np.sqrt(5) - 1) / 2
MOST_SIZES = 200


def false_selection_bound(
    q: float, p: int, threshold: float, pairs: int, assumption: Assumption = "r-concave"
) -> float:
    """Return a bound on the expected number of false selections; p where nothing better holds.

    Parameters
    ----------
    q : float
        How many attributes a half selects, or the mean of it.
    p : int
        Number of attributes.
    threshold : float
        Fraction of the halves that have to select an attribute, above 0.5.
    pairs : int
        Number of complementary pairs of halves.
    assumption : {"r-concave", "unimodal", "none"}
        On the distribution of the fraction of halves, or of pairs, that select a false attribute.
        "none" is the bound of Meinshausen and Bühlmann, which also holds for single halves.
    """
    if not 0 <= q <= p or not 0.5 <= threshold <= 1 or pairs < 1:
        raise ValueError(f"q = {q}, p = {p}, threshold = {threshold}, pairs = {pairs}.")
    if q == 0:
        return 0.0
    worst = q**2 / p / (2 * threshold - 1) if threshold > 0.5 else float(p)
    if assumption == "unimodal":
        worst = _unimodal(q, p, threshold, pairs, worst)
    elif assumption == "r-concave":
        count = halves_needed(threshold, pairs)
        simultaneous = r_concave_tail((q / p) ** 2, count - pairs, pairs, -1 / 2)
        single = r_concave_tail(q / p, count, 2 * pairs, -1 / 4)
        worst = p * min(simultaneous, single)
    return float(min(worst, p))


def halves_needed(threshold: float, pairs: int) -> int:
    """Return how many of the halves have to select an attribute."""
    return int(np.ceil(2 * pairs * threshold - ROUNDING))


def _unimodal(q: float, p: int, threshold: float, pairs: int, worst: float) -> float:
    """Return the bound of theorem 2 of Shah and Samworth; the worst case where it does not hold."""
    theta, half = q / p, 1 / (2 * pairs)
    lowest = 0.5 + min(theta**2, half + 0.75 * theta**2)
    if theta > LARGEST_UNIMODAL or threshold <= lowest:
        return worst
    if threshold <= 0.75:
        return q**2 / p / (2 * (2 * threshold - 1 - half))
    return q**2 / p * 4 * (1 - threshold + half) / (1 + 1 / pairs)


def r_concave_tail(mean: float, t: int, grid: int, r: float) -> float:
    """Return the largest P(X >= t / grid) of r-concave X on 0, 1 / grid, …, 1 with this mean.

    The maximum has masses (a + i) ** (1 / r) on 0..k, and the rest on k + 1 (appendix A.4 of Shah
    and Samworth); a and k are searched.
    """
    total = mean * grid
    first = int(np.ceil(2 * total - ROUNDING)) + 1
    if t < first or first > grid:
        return 1.0
    k = np.arange(max(first, t - 1), grid + 1)  # masses below t only do not count
    i = np.arange(grid + 1)
    inside = i <= k[:, None]
    ends = _uniform_at(total, i, inside, 1 / r)
    if len(k) == 1:  # no interval between two ends
        return 1.0
    k, inside = k[:-1], inside[:-1]

    def tail(log_a: Floats) -> Floats:
        mass = np.where(inside, np.exp((1 / r) * np.log(np.exp(log_a)[:, None] + i)), 0.0)
        scale = (k + 1 - total) / (mass * (k[:, None] + 1 - i)).sum(axis=1)
        found: Floats = 1 - scale * mass[:, :t].sum(axis=1)
        return found

    return float(np.clip(_largest(tail, ends[1:], ends[:-1]).max(), 0.0, 1.0))


def _uniform_at(total: float, i: Ints, inside: Bools, s: float) -> Floats:
    """Return for each k the logarithm of the a at which masses (a + i) ** s have the given mean."""
    low, high = np.full((2, len(inside)), [[np.log(1e-12)], [np.log(1e12)]])
    for _ in range(HALVINGS):  # the mean rises with a
        middle = (low + high) / 2
        mass = np.where(inside, np.exp(s * np.log(np.exp(middle)[:, None] + i)), 0.0)
        above = (mass * i).sum(axis=1) > total * mass.sum(axis=1)
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    middle_of_last: Floats = (low + high) / 2
    return middle_of_last


def _largest(function: Callable[[Floats], Floats], low: Floats, high: Floats) -> Floats:
    """Return the maxima of functions with one peak, by golden sections of all intervals."""
    best: Floats = np.maximum(function(low), function(high))
    for _ in range(HALVINGS):
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        at_left, at_right = function(left), function(right)
        best = np.maximum(best, np.maximum(at_left, at_right))
        falls = at_left > at_right
        low, high = np.where(falls, low, left), np.where(falls, right, high)
    return best


def smallest_threshold(
    q: float, p: int, limit: float, pairs: int, assumption: Assumption = "r-concave"
) -> float | None:
    """Return the smallest threshold, a multiple of a half, with a bound of at most ``limit``."""
    low, high = pairs, 2 * pairs  # above half of the halves, up to all
    if false_selection_bound(q, p, 1.0, pairs, assumption) > limit:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        ok = false_selection_bound(q, p, middle / (2 * pairs), pairs, assumption) <= limit
        low, high = (low, middle) if ok else (middle, high)
    return high / (2 * pairs)


def largest_size(
    p: int, threshold: float, limit: float, pairs: int, assumption: Assumption = "r-concave"
) -> int:
    """Return the largest number of attributes per half with a bound of at most ``limit``, or 0."""
    low, high = 0, p + 1
    while high - low > 1:
        middle = (low + high) // 2
        ok = false_selection_bound(middle, p, threshold, pairs, assumption) <= limit
        low, high = (middle, high) if ok else (low, middle)
    return low


def selected_places(weights: Floats, k: int | None) -> Ints:
    """Return each attribute's place 1, 2, … in its half, 0 if the half does not select it.

    Parameters
    ----------
    weights : ndarray, shape (halves, p)
        Weights of 0 or less do not count as selected.
    k : int or None
        How many each half selects at most; None for all.
    """
    places = np.zeros(weights.shape, dtype=np.intp)
    most = weights.shape[1] if k is None else k
    for row, place in zip(weights, places, strict=True):
        chosen = ranking.best(row, min(most, int((row > 0).sum()))).positions
        place[chosen] = np.arange(1, len(chosen) + 1)
    return places


def path_sizes(largest: int) -> Ints:
    """Return the numbers of attributes per half at which a path is drawn, at most 200 of them."""
    steps = np.linspace(1, largest, min(largest, MOST_SIZES))
    return np.unique(np.round(steps).astype(np.intp)) if largest else np.zeros(0, dtype=np.intp)


def frequencies(places: Ints, sizes: Ints) -> Floats:
    """Return the fraction of the halves with each attribute among their best, by size (rows)."""
    found = np.empty((len(sizes), places.shape[1]))
    for row, size in zip(found, sizes, strict=True):
        row[:] = ((places > 0) & (places <= size)).mean(axis=0)
    return found


def simultaneous(places: Ints) -> Floats:
    """Return the fraction of the pairs of which both halves select each attribute."""
    both: Floats = ((places[0::2] > 0) & (places[1::2] > 0)).mean(axis=0)
    return both
