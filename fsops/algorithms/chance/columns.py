"""The best columns of many rows of scores, and tables made ready for sums over rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fsops.algorithms.base.types import Floats, Ints, Numbers

Singles = npt.NDArray[np.float32]
CONSTANT = 1e-12
"""Columns that vary by less than this fraction of their largest value are constant."""
VARIATION = 1e-5
"""Below this fraction of its variance in all rows, a column is constant in a part of them."""
NEAR = 0.9
"""Fraction of the last limit above which columns are looked at."""


def standardized(X: Numbers) -> Singles:
    """Return the columns with mean 0 and variance 1; constant columns become 0."""
    values = np.asarray(X, dtype=np.float64)
    largest = np.abs(values).max(axis=0, initial=0.0)
    values = values / np.where(largest > 0, largest, 1.0)
    values -= values.mean(axis=0)
    spread = np.sqrt(np.square(values).mean(axis=0))
    constant = spread <= CONSTANT
    values /= np.where(constant, 1.0, spread)
    values[:, constant] = 0.0
    return np.ascontiguousarray(values, dtype=np.float32)


def ratio(explained: Singles, total: Singles, least: float) -> Singles:
    """Return the explained part of each variance in place; 0 where there is no variance."""
    flat = total < least
    np.divide(explained, total, out=explained, where=~flat)
    explained[flat] = 0.0
    return explained


class BestColumns:
    """Finds the k largest of each row of scores; of equal ones the first columns.

    Tables of scores come one after the other and are alike, so the limit of the last one shows
    which columns of the next one need to be sorted. The result does not depend on it.
    """

    def __init__(self, k: int) -> None:
        self.k = k
        self._limit = np.float32(np.inf)

    def of(self, scores: Singles) -> Ints:
        """Return the places of the largest scores of each row, best first."""
        count, p = scores.shape
        near = np.flatnonzero(scores > self._limit)
        found = np.bincount(near // p, minlength=count)
        few = np.flatnonzero(found < self.k)
        if len(few):  # too few columns are above the limit: look at whole rows
            parts = [near[~np.isin(near // p, few)], *(self._all(scores[r]) + r * p for r in few)]
            near = np.concatenate(parts)
            found = np.bincount(near // p, minlength=count)
        values = scores.ravel()[near]
        order = np.lexsort((near, -values, near // p))
        starts = np.cumsum(found) - found
        chosen = order[starts[:, None] + np.arange(self.k)]
        self._limit = np.float32(NEAR) * values[chosen[:, -1]].min()
        return np.asarray(near[chosen] % p, dtype=np.intp)

    def _all(self, row: Singles) -> Ints:
        """Return all columns from the k-th largest score on."""
        last = np.partition(row, len(row) - self.k)[len(row) - self.k]
        return np.flatnonzero(row >= last)


class ReusedProducts:
    """Products with a table that use the same memory again and again: new memory costs time."""

    def __init__(self) -> None:
        self._memory: dict[str, Singles] = {}

    def of(self, name: str, left: Singles, right: Singles) -> Singles:
        """Return a product; it is valid until the next one of that name and shape."""
        shape = len(left), right.shape[1]
        memory = self._memory.get(name)
        if memory is None or memory.shape != shape:
            memory = self._memory[name] = np.empty(shape, dtype=np.float32)
        return np.matmul(left, right, out=memory)


def agreement(rankings: Ints, sizes: Ints, p: int) -> Floats:
    """Return Kuncheva's index of several rankings, averaged over all pairs, at each size.

    Parameters
    ----------
    rankings : ndarray of int, shape (m, k)
        The best k of each, best first.
    sizes : ndarray of int
        At most k.
    p : int
        Number of columns.
    """
    m = len(rankings)
    found = np.full(len(sizes), np.nan)
    for place, k in enumerate(sizes.tolist()):
        if m < 2 or k >= p:
            continue
        times = np.unique(rankings[:, :k], return_counts=True)[1]
        common = (times * (times - 1) / 2).sum() / (m * (m - 1) / 2)
        found[place] = (common * p - k * k) / (k * (p - k))
    return found
