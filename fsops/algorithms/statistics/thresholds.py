"""From which confidence on a class should be predicted."""

from __future__ import annotations

from typing import Literal

import numpy as np

from fsops.algorithms.base.types import Bools, Floats

RocBias = Literal["optimistic", "pessimistic", "neutral"]


def cheapest_threshold(
    confidence: Floats, positive: Bools, cost_negative: float = 1.0, cost_positive: float = 1.0
) -> float:
    """Threshold with the lowest cost: rows with a larger confidence are predicted as positive.

    ``cost_negative`` is the cost of a negative row that is predicted as positive. A threshold is
    the middle between two confidences; infinite if all rows are predicted alike. If several are
    equally good, the largest is returned.
    """
    values = np.unique(confidence)[::-1]
    cuts = np.concatenate(([np.inf], (values[:-1] + values[1:]) / 2, [-np.inf]))
    # The middle of two neighboring doubles may be the upper one.
    cuts[1:-1] = np.where(cuts[1:-1] >= values[:-1], values[1:], cuts[1:-1])
    negatives, positives = np.sort(confidence[~positive]), np.sort(confidence[positive])
    false_positives = len(negatives) - np.searchsorted(negatives, cuts, side="right")
    false_negatives = np.searchsorted(positives, cuts, side="right")
    cost = cost_negative * false_positives + cost_positive * false_negatives
    return float(cuts[cost.argmin()])


def rapidminer_threshold(
    confidence: Floats,
    positive: Bools,
    cost_negative: float = 1.0,
    cost_positive: float = 1.0,
    bias: RocBias = "optimistic",
) -> float:
    """Threshold as RapidMiner finds it on the ROC curve.

    Rows are passed by falling confidence. Before each negative row the number of true positives
    minus s times that of false positives is compared, with s = P/N · cost_negative/cost_positive
    (P, N: positive and negative rows). The best row's confidence is the threshold.
    """
    first = positive if bias == "optimistic" else ~positive
    order = np.lexsort((~first, -confidence))
    hits = positive[order]
    p, n = hits.sum(), (~hits).sum()
    if n == 0:
        return -np.inf
    slope = p / n * cost_negative / cost_positive if cost_positive else np.inf
    before = np.cumsum(hits) - hits, np.cumsum(~hits) - ~hits
    with np.errstate(invalid="ignore"):
        height = np.where(hits, -np.inf, before[0] - before[1] * slope)
        last = p - n * slope
    best = int(np.argmax(height))
    top = max(float(height[best]), 0.0)
    if last > top:
        return -np.inf
    return float(confidence[order][best]) if top > 0 else np.inf
