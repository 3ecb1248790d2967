"""Curves of true against false positives, and of responses against rows."""

from __future__ import annotations

from typing import Literal

import numpy as np

from fsops.algorithms.base.types import Bools, Floats, Ints
from fsops.algorithms.statistics.thresholds import RocBias

Binning = Literal["simple", "absolute", "frequency"]


def roc_heights(confidence: Floats, positive: Bools, at: Floats, bias: RocBias) -> Floats:
    """Return the true positive rate at false positive rates, by straight lines between points.

    Rows of equal confidence are one point (neutral), or positive rows come first (optimistic) or
    last (pessimistic). At a step upward the upper end counts. NaN without rows of both classes.
    """
    p, n = int(positive.sum()), int((~positive).sum())
    if not p or not n:
        return np.full(len(at), np.nan)
    late = ~positive if bias == "optimistic" else positive
    order = np.lexsort((late, -confidence))
    hits = positive[order]
    true, false = np.cumsum(hits) / p, np.cumsum(~hits) / n
    if bias == "neutral":
        ends = np.append(np.flatnonzero(np.diff(confidence[order])), len(order) - 1)
        true, false = true[ends], false[ends]
    true, false = np.append(0.0, true), np.append(0.0, false)
    heights: Floats = np.interp(at, false, true)  # of points above each other the last counts
    return heights


def bins_by_confidence(confidence: Floats, binning: Binning, number: int, size: int) -> list[Ints]:
    """Return the rows of each bin, from the largest confidences down; empty bins are left out.

    Rows of equal confidence are in one bin: by equal widths (simple), by a number of rows
    (absolute), or by as many bins of about equal size (frequency).
    """
    order = np.lexsort((np.arange(len(confidence)), -confidence))
    values = confidence[order]
    if binning == "simple":
        low, high = values[-1], values[0]
        width = (high - low) / number
        place = (
            np.minimum((high - values) / width, number - 1) if width > 0 else np.zeros(len(values))
        )
        bins = place.astype(np.intp)
    else:
        first = np.searchsorted(-values, -values)  # where the run of equal confidences begins
        bins = first // size if binning == "absolute" else first * number // len(values)
    cuts = np.flatnonzero(np.diff(bins)) + 1
    return np.split(order, cuts)
