"""Features that repeat the information of others."""

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from fsops.algorithms.base.types import Bools, Floats, Ints

BLOCK = 512  # features compared at once with all that follow
TILE = 8192
ROUNDING = 1e-12
"""A correlation is not known more exactly than this."""

_RELATIONS: Mapping[str, tuple[Callable[[Any, Any], Any], float]] = {
    "greater": (operator.gt, ROUNDING),
    "greater equals": (operator.ge, -ROUNDING),
    "less equals": (operator.le, ROUNDING),
    "less": (operator.lt, -ROUNDING),
}


def uncorrelated(
    rows: Floats,
    threshold: float,
    relation: str = "greater",
    *,
    absolute: bool = True,
    order: Ints | None = None,
    progress: Callable[[range], Iterable[int]] = iter,
) -> Bools:
    """Which features stay if, of two whose correlation fulfils the relation, the later one goes.

    A feature that has gone does not remove others. Only a block of the correlation matrix is
    held at a time.

    Parameters
    ----------
    rows
        Features as centered rows of unit length, as from `scaling.unit_rows`; (p, n).
    threshold, relation
        ``greater``, ``greater equals``, ``equals``, ``less equals`` or ``less`` the threshold.
    absolute
        Whether the sign of the correlation is ignored.
    order
        In which order features are looked at; that of the data if not given.
    progress
        Wraps the loop over blocks.
    """
    order = np.arange(len(rows)) if order is None else order
    stays = np.ones(len(rows), dtype=bool)
    for first in progress(range(0, len(rows), BLOCK)):
        block = order[first : first + BLOCK]
        block = block[stays[block]]
        _sift(block, _fulfilled(rows[block], rows[block], threshold, relation, absolute), stays)
        block = block[stays[block]]
        for start in range(first + BLOCK, len(rows), TILE):
            later = order[start : start + TILE]
            later = later[stays[later]]
            goes = _fulfilled(rows[block], rows[later], threshold, relation, absolute)
            stays[later[goes.any(axis=0)]] = False
    return stays


def _sift(block: Ints, fulfilled: Bools, stays: Bools) -> None:
    """Go through a block one by one; a feature that stays removes its followers."""
    for i, feature in enumerate(block.tolist()):
        if stays[feature]:
            followers = block[i + 1 :]
            stays[followers[fulfilled[i, i + 1 :]]] = False


def _fulfilled(a: Floats, b: Floats, threshold: float, relation: str, absolute: bool) -> Bools:
    correlation = a @ b.T
    if absolute:
        np.abs(correlation, out=correlation)
    if relation == "equals":
        near: Bools = np.abs(correlation - threshold) <= ROUNDING
        return near
    compare, margin = _RELATIONS[relation]
    found: Bools = compare(correlation, threshold + margin)
    return found
