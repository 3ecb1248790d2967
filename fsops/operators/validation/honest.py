"""Scores on new rows whose size and method were chosen inside: the headline."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base.types import Floats, Ints
from fsops.algorithms.chance.intervals import (
    Draws,
    draw,
    effective_rows,
    interval_of,
    smallest_within_one_error,
    wilson,
)
from fsops.algorithms.statistics import agreement
from fsops.data import Estimate

BALANCED = "balanced accuracy"


@dataclass(frozen=True, eq=False)
class MethodPredictions:
    """Predictions of the test rows by every method with every number of attributes.

    Attributes
    ----------
    methods, sizes
        The first two axes of ``answers``.
    answers
        Codes of classes, or numbers, shape (methods, sizes, rows).
    truth
        The same of the label.
    """

    methods: tuple[str, ...]
    sizes: Ints
    answers: Floats
    truth: Floats

    def losses(self, classes: bool) -> Floats:
        """Return 1 for a wrong class, or the squared error of a number; shape as ``answers``."""
        if classes:
            wrong: Floats = (self.answers != self.truth).astype(np.float64)
            return wrong
        squared: Floats = np.square(self.answers - self.truth)
        return squared


@dataclass(frozen=True)
class Best:
    """The method with the smallest loss, its smallest size about as good, and its best size."""

    method: int
    size: int
    best_size: int
    loss: float


def best_of(found: MethodPredictions, codes: Ints | None) -> Best:
    """Return which method and which number of attributes did best on the test rows."""
    losses = found.losses(codes is not None)
    weight = np.full(len(found.truth), 1 / len(found.truth))
    if codes is not None:
        counts = np.bincount(codes)
        weight = 1.0 / (counts[codes] * np.count_nonzero(counts))
    mean = losses @ weight
    method = int(mean.min(axis=1).argmin())
    small, best = smallest_within_one_error(losses[method], codes)
    return Best(method, int(found.sizes[small]), int(found.sizes[best]), float(mean[method, best]))


def class_estimates(
    found: MethodPredictions,
    codes: Ints,
    *,
    margins: Floats,
    own: Floats,
    classes: tuple[str, ...],
    rng: np.random.Generator,
    units: Ints | None,
) -> tuple[Estimate, ...]:
    """Return balanced accuracy, accuracy, and for two classes AUC, sensitivity and specificity.

    Parameters
    ----------
    found : MethodPredictions
    codes : ndarray of int, shape (rows,)
    margins : ndarray, shape (sizes, rows)
        How much more probable the second of two classes is, by the filter that is permuted.
    own : ndarray, shape (sizes, rows)
        Predictions of that filter.
    classes : tuple of str
    rng : numpy.random.Generator
    units : ndarray of int, shape (rows,), optional
        Rows with the same number belong together: an interval counts them as one.
    """
    right = 1.0 - found.losses(True).reshape(-1, len(codes))
    draws = draw(1.0 - right, codes, rng, units=units)
    recalls = [draws.means(right, codes == code) for code in range(len(classes))]
    counts = np.bincount(codes, minlength=len(classes))
    # Rows of one patient tell less than as many patients.
    fraction = 1.0 if units is None else len(np.unique(units)) / len(units)

    def stated(name: str, values: Floats, rows: float, chance: float) -> Estimate:
        found = interval_of(values)
        joined = found.joined(wilson(found.value, rows * fraction))
        return Estimate(name, joined.value, joined.lower, joined.upper, chance, percent=True)

    guess = 1 / len(classes)
    scores = [
        stated(BALANCED, np.mean(recalls, axis=0), effective_rows(codes), guess),
        stated("accuracy", draws.means(right), len(codes), counts.max() / len(codes)),
    ]
    if len(classes) == 2:
        own_draws = draw((own != codes).astype(np.float64), codes, rng, units=units)
        scores.append(_auc(margins, codes, own_draws))
        for name, code in (("sensitivity", 1), ("specificity", 0)):
            title = f"{name} ({classes[code]})"
            scores.append(stated(title, recalls[code], float(counts[code]), guess))
    return tuple(scores)


def _auc(margins: Floats, codes: Ints, draws: Draws) -> Estimate:
    """Return the area under the ROC curve of the filter that is permuted, size chosen inside."""
    areas = []
    for choice, out in zip(draws.chosen.tolist(), draws.left_out, strict=True):
        positive, negative = out & (codes == 1), out & (codes == 0)
        areas.append(agreement.auc(margins[choice, positive], margins[choice, negative], 0.5))
    found = interval_of(np.array(areas))
    return Estimate("AUC", found.value, found.lower, found.upper, 0.5)


def number_estimates(
    found: MethodPredictions, values: Floats, rng: np.random.Generator, units: Ints | None
) -> tuple[Estimate, ...]:
    """Return R² and the root mean squared error, in the unit of the label."""
    losses = found.losses(False).reshape(-1, len(values))
    draws = draw(losses, None, rng, units=units)
    apart = np.square(values - values.mean())
    errors = draws.means(losses)
    reference = draws.means(np.broadcast_to(apart, losses.shape))
    r2 = interval_of(1.0 - errors / np.maximum(reference, 1e-300))
    rmse = interval_of(np.sqrt(errors))
    spread = float(np.sqrt(apart.mean()))
    return (
        Estimate("R²", r2.value, r2.lower, r2.upper, 0.0),
        Estimate("RMSE", rmse.value, rmse.lower, rmse.upper, spread),
    )
