"""Orders, ranks and the best of weight vectors, one tie rule for all of them.

The rule: larger weight first, equal weights by smaller index, NaN last.

Weights that are equal in exact arithmetic differ in their last digits, depending on the order of
additions. Without a rule this noise would decide which attributes are selected. So weights within
`TOLERANCE` (relative) of the largest of their group count as equal.
"""

from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base.sums import column_tiles
from fsops.algorithms.base.types import Bools, Floats, Ints, Numbers

TOLERANCE = 1e-12
"""Sums of up to a million doubles differ by less, in whatever order they are added."""
MANY = 1 << 17
"""Fewer scores are never sorted by a kernel."""
GROUP = 64
"""At most so many scores are looked at together where few of many are chosen."""


def best_first(scores: Numbers) -> Ints:
    """Return the positions from the largest score to the smallest; unknown scores (NaN) last.

    Equal scores keep the order of the data.
    """
    values = np.asarray(scores, dtype=np.float64)
    zero = values == 0
    if 2 * np.count_nonzero(zero) > len(values):
        return _around_zeros(values, zero)
    order, ordered = _descending(values)
    known = len(values)
    if known and np.isnan(ordered[-1]):
        known -= int(np.isnan(values).sum())
        order[known:] = np.sort(order[known:])
    near = _near_next(ordered[:known])
    if not near.any():
        return order
    tied = np.zeros(len(order), dtype=bool)
    tied[: len(near)] |= near
    tied[1 : len(near) + 1] |= near
    group = tie_groups(ordered[tied])
    # Group and position in one number: numpy sorts numbers much faster than pairs.
    keys = np.sort(group * len(order) + order[tied])
    order[tied] = keys % len(order)
    return order


def _around_zeros(values: Floats, zero: Bools) -> Ints:
    """Return the order of scores that are mostly 0, as those of a selection.

    No other score counts as equal to 0, so only the others are sorted.
    """
    others = np.flatnonzero(~zero)
    order = others[best_first(values[others])]
    positive = np.count_nonzero(values[others] > 0)
    return np.concatenate([order[:positive], np.flatnonzero(zero), order[positive:]])


def _descending(values: Floats) -> tuple[Ints, Floats]:
    """Return positions from the largest value to the smallest, and the values in that order."""
    if values.size >= MANY:
        from fsops.algorithms.base.compiled import order as kernels  # few scores do not need it

        found = kernels.descending(values) if kernels.take_order(values.size) else None
        if found is not None:
            return found
    order = np.argsort(-values)
    return order, values[order]


def _near_next(descending: Floats) -> Bools:
    """Return whether each score but the last counts as equal to the next; none is unknown."""
    if not len(descending) or np.isinf(descending[0]) or np.isinf(descending[-1]):
        return is_near(descending[:-1], descending[1:])
    best = descending[:-1]
    near: Bools = best - descending[1:] <= TOLERANCE * np.abs(best)
    return near


def is_near(best: Numbers, score: Numbers) -> Bools:
    """Return whether a score counts as equal to a better one."""
    with np.errstate(invalid="ignore"):  # infinity minus infinity
        close = np.isfinite(best) & (best - score <= TOLERANCE * np.abs(best))
    found: Bools = close | (best == score) | (np.isnan(best) & np.isnan(score))
    return found


def tie_groups(descending: Floats) -> Ints:
    """Return the number of the group of each score; a group begins with its best score."""
    begins = np.ones(len(descending), dtype=bool)
    begins[1:] = ~is_near(descending[:-1], descending[1:])
    starts = np.flatnonzero(begins)
    first = descending[starts]
    last = descending[np.append(starts[1:], len(descending)) - 1]
    # Rarely the steps of a long chain are all small, but its ends are apart.
    for run in np.flatnonzero(~is_near(first, last)):
        end = starts[run + 1] if run + 1 < len(starts) else len(descending)
        _split_chain(descending, begins, int(starts[run]), int(end))
    return np.cumsum(begins) - 1


def _split_chain(descending: Floats, begins: Bools, start: int, end: int) -> None:
    """Mark where groups begin in a chain of scores that are near their neighbors only."""
    while start < end:
        near = is_near(np.full(end - start, descending[start]), descending[start:end])
        start += int(near.sum())
        if start < end:
            begins[start] = True


@dataclass(frozen=True)
class Chosen:
    """The best of some scores."""

    positions: Ints
    """Best first."""
    tied: int = 0
    """How many scores are equal to the last chosen one, if some of them are not chosen."""


def best(scores: Numbers, k: int) -> Chosen:
    """Return the k best scores, best first, without sorting the others."""
    values = np.asarray(scores, dtype=np.float64)
    if k <= 0:
        return Chosen(np.empty(0, dtype=np.intp))
    if k >= len(values):
        return Chosen(best_first(values))
    with np.errstate(invalid="ignore"):
        likely = _likely(values, k)
        few = values if likely is None else values[likely]
        cut = float(-np.partition(-few, k - 1)[k - 1])
        if np.isnan(cut):  # fewer than k scores are known
            return _chosen(best_first(values), values, k)
        candidates = (few >= _lowered(cut)).nonzero()[0]
    if likely is not None:
        candidates = likely[candidates]
    order = candidates[best_first(values[candidates])]
    return _chosen(order, values, k)


def _lowered(score: float) -> float:
    """Return a bound for all that may be equal to a score, be it better or worse by rounding."""
    return score - 4 * TOLERANCE * abs(score) if np.isfinite(score) else score


def _likely(values: Floats, k: int) -> Ints | None:
    """Return positions that hold the k best of many and their equals; None if that is not known."""
    size = min(GROUP, len(values) // (4 * k))
    if size <= 1:
        return None
    groups = len(values) // size
    # A group is a column, so that the maxima of all groups are found row by row.
    largest = values[: groups * size].reshape(size, groups).max(axis=0)
    # Each of k groups has a value as large as this, so the k best are not smaller.
    bound = float(np.partition(largest, groups - k)[groups - k])
    # NaN is the largest value of its group, and more than any other at the end.
    if np.isnan(largest.sum() + values[groups * size :].sum()):
        return None
    likely: Ints = (values >= _lowered(bound)).nonzero()[0]
    return likely


def _chosen(order: Ints, values: Floats, k: int) -> Chosen:
    """Return the first k of an order, and the size of the tie that the cut goes through."""
    ordered = values[order]
    if len(order) == k or np.isnan(ordered[k]):
        return Chosen(order[:k])
    lower, higher = np.sort(ordered[k - 1 : k + 1])
    if not is_near(higher, lower):
        return Chosen(order[:k])
    # Within a group the scores may go up and down, but the groups themselves come in order.
    group = tie_groups(-np.sort(-ordered))
    tied = int((group == group[k]).sum()) if group[k - 1] == group[k] else 0
    return Chosen(order[:k], tied)


def descending_order(weights: Floats) -> Ints:
    """Indices from the largest to the smallest weight along the last axis.

    Equal weights keep the order of their indices and NaN comes last.

    Parameters
    ----------
    weights : ndarray, shape (..., p)

    Returns
    -------
    ndarray of int, shape (..., p)
    """
    values = np.asarray(weights, dtype=np.float64)
    if values.ndim == 1:
        return best_first(values)
    if not values.size:
        return np.empty(values.shape, dtype=np.intp)
    rows = [best_first(row) for row in values.reshape(-1, values.shape[-1])]
    return np.array(rows, dtype=np.intp).reshape(values.shape)


def ordinal_ranks(weights: Floats) -> Ints:
    """Ranks 1..p along the last axis, 1 for the largest weight, no two alike.

    Parameters
    ----------
    weights : ndarray, shape (..., p)

    Returns
    -------
    ndarray of int, shape (..., p)
    """
    order = descending_order(weights)
    ranks = np.empty_like(order)
    if not order.size:
        return ranks
    p = order.shape[-1]
    places = np.arange(1, p + 1)
    # Row by row: `put_along_axis` would make an index of all rows first.
    for own, best in zip(ranks.reshape(-1, p), order.reshape(-1, p), strict=True):
        own[best] = places
    return ranks


def average_places(weights: Floats) -> Floats:
    """Places 1..p of one weighting, 1 for the largest; tied weights share their mean place."""
    order = best_first(weights)
    if not order.size:
        return np.empty(0)
    groups = np.empty(len(order), dtype=np.intp)
    groups[order] = tie_groups(np.asarray(weights, dtype=np.float64)[order])
    return _mean_places(groups)


def average_ranks(values: Floats) -> Floats:
    """Ranks 1..n of data, 1 for the largest; only values that are equal bit for bit share a rank.

    Parameters
    ----------
    values : ndarray, shape (n,)

    Returns
    -------
    ndarray of float, shape (n,)
    """
    return _mean_places(np.unique(-values, return_inverse=True)[1])


def _mean_places(groups: Ints) -> Floats:
    counts = np.bincount(groups)
    last = np.cumsum(counts)
    places: Floats = (last - (counts - 1) / 2.0)[groups]
    return places


def average_ranks_of_columns(X: Floats) -> Floats:
    """`average_ranks` of every column of a matrix without missing values, many at a time.

    Parameters
    ----------
    X : ndarray, shape (n, p)

    Returns
    -------
    ndarray of float, shape (n, p)
    """
    ranks = np.empty(X.shape, order="F")
    n, p = X.shape
    for tile in column_tiles(p, n) if n else ():
        values = np.negative(X[:, tile].T, order="C")
        order = np.argsort(values, axis=1)
        ordered = np.take_along_axis(values, order, axis=1)
        first = np.ones(values.shape, dtype=np.bool_)
        first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
        starts = np.flatnonzero(first)
        counts = np.diff(np.append(starts, values.size))
        shared = np.repeat(starts % n + (counts + 1) / 2.0, counts).reshape(values.shape)
        np.put_along_axis(ranks[:, tile].T, order, shared, axis=1)
    return ranks


def top_k_mask(weights: Floats, k: int) -> Bools:
    """Mask of the k best weights along the last axis (all of them if k exceeds p).

    Parameters
    ----------
    weights : ndarray, shape (..., p)
    k : int
        At least 0.

    Returns
    -------
    ndarray of bool, shape (..., p)
    """
    if k < 0:
        raise ValueError(f"k is {k}, but a number of features is at least 0.")
    return ordinal_ranks(weights) <= k
