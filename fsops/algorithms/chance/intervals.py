"""Scores on new rows without optimism, although size and method were chosen on the same rows.

The pooled predictions of a cross-validation are resampled. On each resample the best configuration
(size, method) is chosen, and scored on the rows left out. No model is trained again.

References
----------
Tsamardinos, Greasidou, Borboudakis (2018): Bootstrapping the out-of-sample predictions for
efficient and accurate cross-validation. Machine Learning 107, 1895–1922.
Wilson (1927): Probable inference, the law of succession, and statistical inference. JASA 22.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base.types import Bools, Floats, Ints

DRAWS = 1000
Z = 1.959963984540054


@dataclass(frozen=True)
class Interval:
    """An estimate with a 95 % interval."""

    value: float
    lower: float
    upper: float

    def joined(self, other: Interval) -> Interval:
        """Return the interval that holds both."""
        return Interval(self.value, min(self.lower, other.lower), max(self.upper, other.upper))


def interval_of(values: Floats) -> Interval:
    """Return mean, 2.5 % and 97.5 % points of the values that are known."""
    known = values[np.isfinite(values)]
    if not len(known):
        return Interval(math.nan, math.nan, math.nan)
    low, high = np.quantile(known, [0.025, 0.975])
    return Interval(float(known.mean()), float(low), float(high))


@dataclass(frozen=True, eq=False)
class Draws:
    """Resamples of the rows.

    Attributes
    ----------
    chosen
        The configuration that is best on each resample.
    left_out
        Which rows are not in it, resamples by rows.
    """

    chosen: Ints
    left_out: Bools

    def means(self, values: Floats, rows: Bools | None = None) -> Floats:
        """Return the mean over the rows left out, of the configuration chosen; NaN without rows.

        Parameters
        ----------
        values : ndarray, shape (configurations, n)
        rows : ndarray of bool, shape (n,), optional
            Only these rows.
        """
        out = self.left_out if rows is None else self.left_out & rows
        count = out.sum(axis=1)
        total = np.where(out, values[self.chosen], 0.0).sum(axis=1)
        mean: Floats = np.full(len(count), np.nan)
        np.divide(total, count, out=mean, where=count > 0)
        return mean


def draw(
    losses: Floats,
    classes: Ints | None,
    rng: np.random.Generator,
    *,
    units: Ints | None = None,
    draws: int = DRAWS,
) -> Draws:
    """Choose the configuration with the smallest loss on each resample of the rows.

    Resamples that leave out no row of some class are not used, as long as there are others.

    Parameters
    ----------
    losses : ndarray, shape (configurations, n)
        Of each test row: 0 or 1 for classes, the squared error for numbers.
    classes : ndarray of int, shape (n,), optional
        Rows are resampled within classes, and each class counts the same.
    rng : numpy.random.Generator
    units : ndarray of int, shape (n,), optional
        Rows with the same number, such as those of a patient, are drawn together.
    draws : int
    """
    n = losses.shape[1]
    codes = np.zeros(n, dtype=np.intp) if classes is None else classes
    counts = _resampled(codes, units, rng, draws)
    left_out = counts == 0
    member = codes[:, None] == np.unique(codes)
    complete = (left_out.astype(np.float64) @ member > 0).all(axis=1)
    if complete.any():
        counts, left_out = counts[complete], left_out[complete]
    weight = 1.0 / np.bincount(codes)[codes]
    chosen = ((counts * weight) @ losses.T).argmin(axis=1)
    return Draws(chosen.astype(np.intp), left_out)


def _resampled(codes: Ints, units: Ints | None, rng: np.random.Generator, draws: int) -> Ints:
    """Return how often each row is in each resample; whole units of one kind are drawn."""
    unit = np.arange(len(codes)) if units is None else np.unique(units, return_inverse=True)[1]
    unit = unit.reshape(-1)
    member = np.zeros((int(unit.max()) + 1, int(codes.max()) + 1), dtype=bool)
    member[unit, codes] = True
    kinds = np.unique(member, axis=0, return_inverse=True)[1].reshape(-1)
    counts = np.zeros((draws, len(member)), dtype=np.intp)
    for kind in range(int(kinds.max()) + 1):
        same = np.flatnonzero(kinds == kind)
        counts[:, same] = rng.multinomial(len(same), np.full(len(same), 1 / len(same)), draws)
    drawn: Ints = counts[:, unit]
    return drawn


def wilson(fraction: float, n: float) -> Interval:
    """Return Wilson's interval of a fraction of n rows; n need not be a whole number."""
    if n <= 0 or math.isnan(fraction):
        return Interval(fraction, math.nan, math.nan)
    square = Z * Z
    centre = (fraction * n + square / 2) / (n + square)
    half = Z / (n + square) * math.sqrt(max(n * fraction * (1 - fraction) + square / 4, 0.0))
    return Interval(fraction, max(centre - half, 0.0), min(centre + half, 1.0))


def effective_rows(classes: Ints) -> float:
    """Return how many rows a balanced accuracy is worth: all of them if classes are equal.

    A mean of class accuracies has the variance of a fraction of so many rows.
    """
    counts = np.bincount(classes)
    counts = counts[counts > 0]
    return float(len(counts) ** 2 / (1.0 / counts).sum())


def smallest_within_one_error(losses: Floats, classes: Ints | None) -> tuple[int, int]:
    """Return the first configuration within one standard error of the best, and the best.

    Parameters
    ----------
    losses : ndarray, shape (sizes, n)
        Of each test row; sizes are ascending.
    classes : ndarray of int, shape (n,), optional
        Each class counts the same.
    """
    n = losses.shape[1]
    codes = np.zeros(n, dtype=np.intp) if classes is None else classes
    groups = [losses[:, codes == code] for code in np.unique(codes)]
    mean = np.mean([group.mean(axis=1) for group in groups], axis=0)
    best = int(mean.argmin())
    parts = [
        group[best].var(ddof=1) / group.shape[1] if group.shape[1] > 1 else 0.0 for group in groups
    ]
    error = math.sqrt(sum(parts)) / len(groups)
    near = np.flatnonzero(mean <= mean[best] + error + 1e-12)
    return int(near[0]), best
