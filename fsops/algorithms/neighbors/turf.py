"""TuRF: a weighting by neighbors, repeated without the attributes that score lowest.

References
----------
Moore & White (2007), Tuning ReliefF for genome-wide genetic analysis, EvoBIO.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base.ranking import descending_order
from fsops.algorithms.base.types import Floats, Ints

GAP = 0.01
"""Difference of the weights of two iterations, relative to the range of the last weights."""


@dataclass(frozen=True, slots=True, eq=False)
class Tuned:
    """Result of the iterations.

    Attributes
    ----------
    weights
        Last scores of the features that remain; the others lie below, those dropped early lowest.
    dropped_in
        Iteration that dropped a feature, from 1; 0 for those that remain.
    """

    weights: Floats
    dropped_in: Ints


def turf(
    score: Callable[[Ints], Floats],
    p: int,
    *,
    fraction: float = 0.5,
    least: int = 100,
    on_step: Callable[[int, int], object] | None = None,
) -> Tuned:
    """Score features again and again, and drop a fraction of them each time.

    Parameters
    ----------
    score
        From some features to their scores; NaN is lower than all others.
    p
        Number of features.
    fraction
        Fraction of the remaining features that an iteration drops; there are at most 1 / fraction
        iterations.
    least
        Number of features at which the iterations stop.
    on_step
        Called with the number of finished iterations and the largest number of them.
    """
    if not 0 < fraction < 1:
        raise ValueError(f"fraction must lie between 0 and 1, got {fraction}.")
    most = int(1 / fraction)
    features, dropped_in = np.arange(p), np.zeros(p, dtype=np.intp)
    for iteration in range(1, most + 1):
        keep = max(least, int(np.ceil(features.size * (1 - fraction))))
        if keep >= features.size:
            break
        order = descending_order(score(features))
        dropped_in[features[order[keep:]]] = iteration
        features = np.flatnonzero(dropped_in == 0)
        if on_step is not None:
            on_step(iteration, most + 1)
    last = score(features)
    known = last[~np.isnan(last)]
    low, high = (known.min(), known.max()) if known.size else (0.0, 0.0)
    step = GAP * (high - low if high > low else 1.0)
    weights = low - step * (dropped_in.max() + 1.0 - dropped_in)
    weights[features] = last
    return Tuned(weights, dropped_in)
