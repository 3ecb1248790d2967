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
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base import resampling
from fsops.algorithms.base.types import Floats, Ints

DRAWS = 1000
Z = 1.959963984540054
Score = Callable[[int, Ints], float]
"""The score of a configuration on some rows."""


@dataclass(frozen=True)
class Interval:
    """An estimate with a 95 % interval."""

    value: float
    lower: float
    upper: float

    def joined(self, other: Interval) -> Interval:
        """Return the interval that holds both."""
        return Interval(self.value, min(self.lower, other.lower), max(self.upper, other.upper))


@dataclass(frozen=True, eq=False)
class Draws:
    """Resamples of rows: the configuration chosen on each, and the rows left out of it."""

    chosen: Ints
    left_out: tuple[Ints, ...]

    def interval(self, score: Score) -> Interval:
        """Return mean and 2.5 % and 97.5 % points of a score on the rows left out."""
        pairs = zip(self.chosen.tolist(), self.left_out, strict=True)
        values = np.array([score(choice, rows) for choice, rows in pairs])
        values = values[np.isfinite(values)]
        if not len(values):
            return Interval(math.nan, math.nan, math.nan)
        low, high = np.quantile(values, [0.025, 0.975])
        return Interval(float(values.mean()), float(low), float(high))


def draw(
    losses: Floats, classes: Ints | None, rng: np.random.Generator, draws: int = DRAWS
) -> Draws:
    """Choose the configuration with the smallest loss on each resample of the rows.

    Parameters
    ----------
    losses : ndarray, shape (configurations, n)
        Of each test row: 0 or 1 for classes, the squared error for numbers.
    classes : ndarray of int, shape (n,), optional
        Rows are resampled within classes, and each class counts the same.
    rng : numpy.random.Generator
    draws : int
    """
    n = losses.shape[1]
    weight = np.full(n, 1.0 / n)
    if classes is not None:
        weight = 1.0 / np.bincount(classes)[classes]
    chosen, left_out = [], []
    for rows in _resamples(n, classes, rng, draws):
        counts = np.bincount(rows, minlength=n)
        chosen.append(int((losses @ (counts * weight)).argmin()))
        left_out.append(np.flatnonzero(counts == 0))
    return Draws(np.array(chosen, dtype=np.intp), tuple(left_out))


def _resamples(n: int, classes: Ints | None, rng: np.random.Generator, draws: int) -> list[Ints]:
    """Return resamples that leave out a row of every class; of tiny classes as far as they come."""
    drawn = resampling.bootstrap(n, draws, rng, strata=classes)
    codes = np.zeros(n, dtype=np.intp) if classes is None else classes
    present = len(np.unique(codes))
    complete = [
        rows
        for rows in drawn
        if len(np.unique(codes[np.bincount(rows, minlength=n) == 0])) == present
    ]
    return complete or list(drawn)


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
