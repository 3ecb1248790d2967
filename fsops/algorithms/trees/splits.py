"""How good it is to divide rows into parts, from the class counts of the parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np

from fsops.algorithms.base.sums import column_tiles
from fsops.algorithms.base.types import Floats, Ints
from fsops.algorithms.statistics.information import entropy

Criterion = Literal["gain_ratio", "information_gain", "gini_index", "accuracy"]
NO_SPLIT = -np.inf
"""Benefit where all rows are in one part."""


def _gain(parts: Floats, impurity: Callable[[Floats], Floats]) -> tuple[Floats, Floats]:
    """Decrease of the impurity of the classes, and the impurity before."""
    sizes = parts.sum(axis=-1)
    before = impurity(parts.sum(axis=-2))
    after = (sizes * impurity(parts)).sum(axis=-1) / np.maximum(sizes.sum(axis=-1), 1.0)
    return before - after, before


def _gini(counts: Floats) -> Floats:
    total = np.maximum(counts.sum(axis=-1, keepdims=True), 1.0)
    return np.asarray(1.0 - ((counts / total) ** 2).sum(axis=-1))


def _gain_ratio(parts: Floats, least: float) -> Floats:
    gain, _ = _gain(parts, entropy)
    information = entropy(parts.sum(axis=-1))
    ratio = np.divide(gain, information, out=np.zeros_like(gain), where=information > 0)
    return np.where(ratio < least, 0.0, ratio)


def _information_gain(parts: Floats, least: float) -> Floats:
    gain, before = _gain(parts, entropy)
    return np.where(gain < least * before, 0.0, gain)


def _gini_gain(parts: Floats, least: float) -> Floats:
    gain, before = _gain(parts, _gini)
    return np.where(gain < least * before, 0.0, gain)


def _accuracy(parts: Floats, least: float) -> Floats:
    n = np.maximum(parts.sum(axis=(-1, -2)), 1.0)
    after = parts.max(axis=-1).sum(axis=-1) / n
    before = parts.sum(axis=-2).max(axis=-1) / n
    return np.where(after - before < least * (1 - before), 0.0, after)


_BENEFITS: Mapping[str, Callable[[Floats, float], Floats]] = {
    "gain_ratio": _gain_ratio,
    "information_gain": _information_gain,
    "gini_index": _gini_gain,
    "accuracy": _accuracy,
}


def benefit_of(parts: Floats, criterion: Criterion, least: float = 0.0) -> Floats:
    """Benefit of dividing rows into parts; 0 where the gain is below the least gain.

    Parameters
    ----------
    parts
        Class counts, shape (…, parts, classes).
    criterion
        Gain ratio; decrease of the entropy or of the Gini impurity; or the accuracy of the
        majority classes.
    least
        Least gain: a gain ratio, or the part of the impurity before that must go away.
    """
    used = (parts.sum(axis=-1) > 0).sum(axis=-1)
    return np.where(used > 1, _BENEFITS[criterion](parts, least), NO_SPLIT)


def best_cuts(
    X: Floats, codes: Ints, classes: int, criterion: Criterion, least: float
) -> tuple[Floats, Floats]:
    """Best cut of every column and its benefit; missing values form a separate part.

    A cut is midway between two values. If benefits are equal, the lowest cut counts.
    """
    benefits, cuts = np.full(X.shape[1], NO_SPLIT), np.full(X.shape[1], np.nan)
    for tile in column_tiles(X.shape[1], 4 * len(X) * classes):
        benefits[tile], cuts[tile] = _best_cuts(X[:, tile], codes, classes, criterion, least)
    return benefits, cuts


def _best_cuts(
    X: Floats, codes: Ints, classes: int, criterion: Criterion, least: float
) -> tuple[Floats, Floats]:
    order = np.argsort(X, axis=0, kind="stable")
    ordered = np.take_along_axis(X, order, axis=0)
    member = (codes[order][:, :, None] == np.arange(classes)).astype(np.float64)
    known = ~np.isnan(ordered)[:, :, None]
    below = np.cumsum(member * known, axis=0)
    missing = (member * ~known).sum(axis=0)
    parts = np.stack(
        [below[:-1], below[-1] - below[:-1], np.broadcast_to(missing, below[:-1].shape)], axis=-2
    )
    benefit = benefit_of(parts, criterion, least)
    benefit[~(ordered[1:] > ordered[:-1])] = NO_SPLIT  # also where a value is missing
    if not len(benefit):
        return np.full(X.shape[1], NO_SPLIT), np.full(X.shape[1], np.nan)
    best = benefit.max(axis=0)
    with np.errstate(invalid="ignore"):  # where there is no cut
        place = (benefit >= best - 1e-12 * np.abs(best)).argmax(axis=0)
    columns = np.arange(X.shape[1])
    low, high = ordered[place, columns], ordered[np.minimum(place + 1, len(X) - 1), columns]
    middle = low / 2 + high / 2
    return best, np.where((middle >= low) & (middle < high), middle, low)
