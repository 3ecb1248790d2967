"""RReliefF: Relief for a label of numbers.

There are no hits and misses; instead near rows show how likely a feature differs where the label
does, and where it does not.
"""

from __future__ import annotations

import dataclasses
from typing import Literal

import numpy as np

from fsops.algorithms.base.types import Floats, Numbers, Scores, as_target
from fsops.algorithms.neighbors.relief import (
    Pairs,
    anchor_rows,
    batches,
    counted_rows,
    nearest_rows,
    neighbour_shares,
    pair_distances,
    weighted_differences,
)
from fsops.algorithms.neighbors.relief_rows import Metric, Rows, Scaling

NEVER = 1e-12  # a chance below it comes from rounding


def rrelieff(
    numeric: Numbers | None,
    nominal: Numbers | None,
    y: Numbers,
    *,
    k: int = 10,
    weighting: Literal["uniform", "rank"] = "uniform",
    sigma: float = 20.0,
    metric: Metric = "manhattan",
    m: int | None = None,
    replace: bool = False,
    rng: np.random.Generator | None = None,
    collapse_duplicates: bool = True,
    scaling: Scaling = "range",
) -> Scores:
    """Score features by how they differ between near rows with different and with like labels.

    With diff_y = |y_a - y_b| / range, the mean of diff_y over the pairs of a row and its k nearest
    rows is taken as the chance p that near labels differ, and

    W_j = mean(diff_y diff_j) / p - mean((1 - diff_y) diff_j) / (1 - p), in -1..1.

    It is undefined where p is 0 or 1. Missing values differ by the expected difference over all
    rows.

    Parameters
    ----------
    numeric, nominal, weighting, sigma, metric, m, replace, rng, scaling
        As for `relieff`.
    y
        The label: finite numbers.
    k
        Neighbors of each row (all others, if there are fewer).
    collapse_duplicates
        Rows that are alike in all features and the label are one row that counts several times.

    References
    ----------
    Robnik-Sikonja & Kononenko (1997), An adaptation of Relief for attribute estimation in
    regression, ICML; (2003), Theoretical and empirical analysis of ReliefF and RReliefF, Machine
    Learning 53.
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}.")
    target = as_target(y, len(y))
    rows = Rows.of(numeric, nominal, np.zeros(target.size, dtype=np.intp), scaling=scaling)
    shares = neighbour_shares(k, weighting, sigma)
    drawn = anchor_rows(rows.n, m, rng, replace=replace)
    levels, codes = np.unique(target, return_inverse=True)
    labelled = dataclasses.replace(rows, all_codes=codes.astype(np.intp), n_classes=levels.size)
    different, anchors, counts = counted_rows(labelled, drawn, collapse=collapse_duplicates)
    rows = dataclasses.replace(rows, kept=different.kept)
    target = target if rows.kept is None else target[rows.kept]
    blocks, fast = rows.blocks(), rows.large(anchors.size)
    parts = []
    for batch in batches(anchors, rows.n):
        distance = pair_distances(rows, blocks, batch, metric, fast)
        # All rows are of one class: its hits are the nearest rows, with shares below 0.
        parts.append(
            nearest_rows(distance, batch, rows.codes, shares, prior=np.ones(1), counts=counts)
        )
    pairs = _contrasted(parts, target)
    undefined = rows.without_values() | (pairs is None)
    if pairs is None:
        statistic = np.full(rows.n_features, np.nan)
    else:
        total = weighted_differences(blocks, pairs, rows.n_features, fast)
        statistic = np.where(undefined, np.nan, total * rows.unit)
    return Scores(np.where(undefined, 0.0, np.maximum(statistic, 0.0)), statistic, undefined)


def _contrasted(parts: list[Pairs], target: Floats) -> Pairs | None:
    """Weight pairs so that weighted differences of a feature add up to its score.

    None if near labels never differ, or always as much as possible.
    """
    anchors = np.concatenate([part.anchors for part in parts])
    neighbours = np.concatenate([part.neighbours for part in parts])
    shares = -np.concatenate([part.weights for part in parts])
    span = np.ptp(target)
    if not shares.size or not span > 0:
        return None
    shares /= shares.sum()
    differs = np.abs(target[anchors] - target[neighbours]) / span
    chance = float(shares @ differs)
    if not NEVER < chance < 1 - NEVER:
        return None
    return Pairs(anchors, neighbours, shares * (differs / chance - (1 - differs) / (1 - chance)))
