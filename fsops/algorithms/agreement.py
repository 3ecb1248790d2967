"""Figures of merit of predictions: agreement of classes, errors of numbers."""

import numpy as np

from fsops.algorithms.moments import ROUNDING
from fsops.algorithms.types import Floats, Ints


def confusion(true: Ints, predicted: Ints, n_classes: int) -> Ints:
    """Counts of true class (rows) against predicted class (columns)."""
    flat = np.bincount(true * n_classes + predicted, minlength=n_classes * n_classes)
    return flat.reshape(n_classes, n_classes).astype(np.intp)


def accuracy(counts: Ints) -> float:
    """Share of rows on the diagonal of a confusion matrix."""
    return float(np.trace(counts) / counts.sum())


def kappa(counts: Ints) -> float:
    """Agreement beyond chance, 1 for perfect; 0 when chance alone would agree fully.

    kappa = (p_o - p_e) / (1 - p_e) with the observed and the expected agreement.

    References
    ----------
    Cohen (1960), A coefficient of agreement for nominal scales.
    """
    total = counts.sum()
    expected = float(counts.sum(axis=0) @ counts.sum(axis=1)) / float(total) ** 2
    return (accuracy(counts) - expected) / (1 - expected) if expected < 1 else 0.0


def root_mean_squared_error(true: Floats, predicted: Floats) -> float:
    """Square root of the mean squared difference."""
    return float(np.sqrt(np.mean((true - predicted) ** 2)))


def mean_absolute_error(true: Floats, predicted: Floats) -> float:
    """Mean absolute difference."""
    return float(np.mean(np.abs(true - predicted)))


def squared_correlation(true: Floats, predicted: Floats) -> float:
    """Square of Pearson's correlation; 0 where either is constant."""
    a, b = _direction(true), _direction(predicted)
    return min(float(a @ b) ** 2, 1.0)


def _direction(values: Floats) -> Floats:
    """Centred values at length 1; zeros where they differ by no more than rounding."""
    size = float(np.abs(values).max(initial=0.0)) or 1.0
    scaled = values / size
    centred: Floats = scaled - scaled.mean()
    length = float(np.linalg.norm(centred))
    return centred / length if length > ROUNDING * np.sqrt(len(values)) else np.zeros_like(centred)
