"""Rows in groups, and one number for the values of each group."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from fsops.algorithms.base.types import Floats, Ints, Numbers


def group_rows(keys: Numbers) -> tuple[Ints, Ints]:
    """Return the group of each row, and the first row of each group; groups are sorted by key.

    Parameters
    ----------
    keys
        Whole numbers, rows by keys; rows with the same are a group. Without keys there is one.
    """
    if not keys.shape[1]:
        return np.zeros(len(keys), dtype=np.intp), np.zeros(min(1, len(keys)), dtype=np.intp)
    _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return group.reshape(-1).astype(np.intp), first.astype(np.intp)


def first_of_equals(values: Numbers, groups: Ints) -> Ints:
    """Return the rows that are the first with their value in their group, in order."""
    order = np.lexsort((values, groups))  # stable: of equals the first row comes first
    v, g = values[order], groups[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (v[1:] != v[:-1]) | (g[1:] != g[:-1])
    return np.sort(order[new])


def aggregated(function: str, values: Floats, groups: Ints, n: int) -> Floats:
    """Return one number for each of n groups; NaN where it is not defined.

    Parameters
    ----------
    function
        One of `FUNCTIONS`.
    values
        Known numbers; none is NaN.
    groups
        The group of each value.
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        return FUNCTIONS[function](values, groups, n)


def _count(values: Floats, groups: Ints, n: int) -> Floats:
    return np.bincount(groups, minlength=n).astype(np.float64)


def _where_any(result: Floats, groups: Ints, n: int) -> Floats:
    return np.where(_count(result, groups, n) > 0, result, np.nan)


def _sum(values: Floats, groups: Ints, n: int) -> Floats:
    total = np.bincount(groups, weights=values, minlength=n)
    return _where_any(total.astype(np.float64, copy=False), groups, n)


def _average(values: Floats, groups: Ints, n: int) -> Floats:
    return _sum(values, groups, n) / _count(values, groups, n)


def _variance(values: Floats, groups: Ints, n: int) -> Floats:
    centred = values - _average(values, groups, n)[groups]
    freedom = _count(values, groups, n) - 1
    return np.where(freedom > 0, _sum(centred**2, groups, n) / freedom, np.nan)


def _deviation(values: Floats, groups: Ints, n: int) -> Floats:
    return np.sqrt(_variance(values, groups, n))


def _by(ufunc: np.ufunc, start: float) -> Callable[[Floats, Ints, int], Floats]:
    """Return a function that lets a ufunc run through the values of each group."""

    def run(values: Floats, groups: Ints, n: int) -> Floats:
        result = np.full(n, start)
        ufunc.at(result, groups, values)
        return _where_any(result, groups, n)

    return run


def _median(values: Floats, groups: Ints, n: int) -> Floats:
    ordered = np.append(values[np.lexsort((values, groups))], np.nan)
    count = np.bincount(groups, minlength=n)
    start = np.cumsum(count) - count
    lower, upper = start + np.maximum(count - 1, 0) // 2, start + count // 2
    return _where_any((ordered[lower] + ordered[upper]) / 2, groups, n)


def _mode(values: Floats, groups: Ints, n: int) -> Floats:
    """Return the most frequent value; of equally frequent ones the smallest."""
    kinds, code = np.unique(values, return_inverse=True)
    pairs, times = np.unique(groups * max(1, len(kinds)) + code, return_counts=True)
    group, kind = np.divmod(pairs, max(1, len(kinds)))
    best = np.lexsort((kind, -times, group))
    leads = np.unique(group[best], return_index=True)
    result = np.full(n, np.nan)
    result[leads[0]] = kinds[kind[best][leads[1]]]
    return result


def _first(values: Floats, groups: Ints, n: int) -> Floats:
    result = np.full(n, np.nan)
    present, place = np.unique(groups, return_index=True)
    result[present] = values[place]
    return result


FUNCTIONS: Mapping[str, Callable[[Floats, Ints, int], Floats]] = {
    "average": _average,
    "median": _median,
    "sum": _sum,
    "product": _by(np.multiply, 1.0),
    "minimum": _by(np.minimum, np.inf),
    "maximum": _by(np.maximum, -np.inf),
    "variance": _variance,
    "standard_deviation": _deviation,
    "count": _count,
    "mode": _mode,
    "first": _first,
}
"""From values, their groups and the number of groups to a number for each."""
