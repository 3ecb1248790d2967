"""Exact p-values of permutation tests; the true order is the first of all.

References
----------
Phipson & Smyth (2010): Permutation p-values should never be zero. SAGMB 9.
Westfall & Young (1993): Resampling-based multiple testing. Wiley.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fsops.algorithms.base.types import Floats

LOOKS = ((48, 0.3), (96, 0.2))
"""After so many permutations the test ends if the p-value is above this: nothing will be found."""
TIED = 1e-9
"""Values that differ by less than this fraction count as equal."""


def p_value(values: Floats) -> float:
    """Return (b + 1) / (m + 1), where b of m permuted values reach the true one, the first.

    Equal values count against the true one.
    """
    return float(_reached(values, values[:1])[0]) / len(values)


def p_values(values: Floats) -> Floats:
    """Return the p-value that each order would have if it were the true one."""
    found: Floats = _reached(values, values) / len(values)
    return found


def reached_by_chance(values: Floats, reference: Floats) -> Floats:
    """Return (b + 1) / (m + 1) of values that are not among the ``reference`` of m orders."""
    found: Floats = (_reached(reference, values) + 1) / (len(reference) + 1)
    return found


def _reached(values: Floats, limits: Floats) -> Floats:
    """Return how many values are at least as large as each limit, or differ by rounding only."""
    ordered = np.sort(values)
    finite = np.where(np.isfinite(limits), limits, 0.0)
    slack = TIED * np.maximum(np.abs(finite), 1e-300)
    below = np.searchsorted(ordered, limits - slack, side="left")
    counts: Floats = (len(ordered) - below).astype(np.float64)
    return counts


def smallest_p(statistics: Sequence[Floats]) -> float:
    """Return the exact p-value of the smallest p-value of several statistics.

    Each order chooses its best statistic too, so the choice is paid for.
    """
    smallest = np.min([p_values(statistic) for statistic in statistics], axis=0)
    return p_value(-smallest)


def standardized_mean(stability: Floats) -> Floats:
    """Return the mean over sizes of values standardized per size over all orders.

    Mean and deviation are the same function of all orders, so the test stays exact. Sizes without
    a value are left out.
    """
    known = ~np.isnan(stability).any(axis=0)
    values = stability[:, known]
    if not values.shape[1]:
        return np.zeros(len(stability))
    spread = values.std(axis=0)
    apart = np.where(spread > 1e-12, (values - values.mean(axis=0)) / np.maximum(spread, 1e-12), 0)
    # Rounded, so that orders with the same selections are equal.
    mean: Floats = np.round(apart.mean(axis=1), 10)
    return mean


def upper_point(values: Floats, level: float = 0.95) -> float:
    """Return the point that permuted values exceed with probability 1 - level at most."""
    if not len(values):
        return float("inf")
    return float(np.quantile(values, level, method="higher"))


def rounds(permutations: int, looks: Sequence[tuple[int, float]] = LOOKS) -> list[int]:
    """Return after how many permutations the test may end; the last one is all of them."""
    return [*(count for count, _ in looks if count < permutations), permutations]


def is_futile(p: float, done: int, looks: Sequence[tuple[int, float]] = LOOKS) -> bool:
    """Return whether a test may end after so many permutations because nothing will be found.

    It ends in this direction only, so errors of the first kind can only become rarer.
    """
    return any(done == count and p > limit for count, limit in looks)
