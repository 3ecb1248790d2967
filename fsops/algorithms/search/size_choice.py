"""The choice of a number of features from scores at several numbers, one rule for all callers.

References
----------
Breiman, Friedman, Olshen & Stone (1984), Classification and Regression Trees. Wadsworth (the rule
of one standard error).
Satopää, Albrecht, Irwin & Raghavan (2011), Finding a "kneedle" in a haystack: detecting knee points
in system behavior. ICDCS Workshops (the distance from the chord).
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from fsops.algorithms.base.types import Floats, Ints

SizeRule = Literal["best", "one_standard_error", "within_percent", "elbow", "stability_aware"]
ROUNDING = 1e-12
"""Means of the same scores added up in another order differ by less."""


def chosen_size(
    sizes: Ints,
    loss: Floats,
    standard_error: Floats,
    rule: SizeRule = "best",
    *,
    percent: float = 1.0,
    stability: Floats | None = None,
) -> int:
    """Place of the number of features that a rule chooses; of equal ones the smallest.

    Parameters
    ----------
    sizes
        Numbers of features, ascending, (s,).
    loss
        Mean loss at each number, the smaller the better, NaN if unknown, (s,).
    standard_error
        Standard error of the mean loss, NaN if unknown, (s,).
    rule
        ``best``: the smallest loss. ``one_standard_error``: the fewest features whose loss is at
        most one standard error of the best above it. ``within_percent``: the same with a
        percentage of the best loss. ``elbow``: the point farthest below the straight line from the
        first number to the best, with the numbers on a logarithmic axis. ``stability_aware``: the
        most stable of those within one standard error.
    percent
        For ``within_percent``.
    stability
        Agreement of the selections at each number, NaN if unknown, (s,).
    """
    best = int(np.nanargmin(loss))
    if rule == "elbow":
        return _elbow(sizes, loss, best)
    margin = 0.0
    if rule in ("one_standard_error", "stability_aware"):
        margin = float(np.nan_to_num(standard_error[best]))
    elif rule == "within_percent":
        margin = percent / 100 * abs(float(loss[best]))
    with np.errstate(over="ignore"):  # losses near the largest number: an infinite limit is right
        limit = loss[best] + margin
        near = np.flatnonzero(loss <= limit + ROUNDING * abs(limit))
    if rule != "stability_aware":
        return int(near[0])
    if stability is None:
        raise ValueError("stability_aware needs the stability of the selections.")
    agreement = np.where(np.isnan(stability), -np.inf, np.round(stability, 12))
    return int(near[int(agreement[near].argmax())])


def _elbow(sizes: Ints, loss: Floats, best: int) -> int:
    """Place of the largest distance from the chord; the best one if the curve has no elbow."""
    known = np.flatnonzero(~np.isnan(loss))
    known = known[known <= best]
    # The best loss so far: a noisy bump is not an elbow.
    falling = np.minimum.accumulate(loss[known])
    at = np.log(sizes[known].astype(np.float64))
    height, width = falling[0] - falling[-1], at[-1] - at[0]
    if not height > ROUNDING * abs(falling[0]) or not width > 0:
        return int(known[0])
    chord = 1 - (at - at[0]) / width
    distance = np.round(chord - (falling - falling[-1]) / height, 12)
    return int(known[int(distance.argmax())]) if distance.max() > 0 else best
