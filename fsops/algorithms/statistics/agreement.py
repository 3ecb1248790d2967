"""Scores of predictions: agreement of classes, errors of numbers."""

from typing import Any

import numpy as np
import numpy.typing as npt

from fsops.algorithms.base.moments import ROUNDING
from fsops.algorithms.base.ranking import average_ranks
from fsops.algorithms.base.types import Floats, Ints

Counts = Ints | Floats
"""Numbers of rows, or sums of their weights."""
EXACT = 2.0**53
"""Whole numbers below this are exact as floats."""
Weights = Floats | None
"""How often each row counts; None if all count once."""


def confusion(true: Ints, predicted: Ints, n_classes: int, weights: Floats | None = None) -> Counts:
    """Counts of true class (rows) against predicted class (columns).

    With weights of the rows their sums; whole numbers if all weights are.
    """
    flat = np.bincount(true * n_classes + predicted, weights, minlength=n_classes * n_classes)
    counts = flat.reshape(n_classes, n_classes)
    whole = weights is None or bool((weights == np.round(weights)).all())
    return counts.astype(np.int64, copy=False) if whole and counts.sum() < EXACT else counts


def scaled(values: Counts) -> Floats:
    """Counts or weights over a power of 2, at most 1: products neither overflow nor get 0.

    It changes no digit.
    """
    numbers = np.asarray(values, dtype=np.float64)
    found: Floats = np.ldexp(numbers, -np.frexp(numbers.max(initial=0.0))[1])
    return found


def accuracy(counts: Counts) -> float:
    """Fraction of rows on the diagonal of a confusion matrix."""
    return float(counts.trace() / counts.sum())


def kappa(counts: Counts) -> float:
    """Agreement beyond chance, 1 for perfect; 0 when chance alone would agree fully.

    kappa = (p_o - p_e) / (1 - p_e) with the observed and the expected agreement.

    References
    ----------
    Cohen (1960), A coefficient of agreement for nominal scales.
    """
    parts = scaled(counts)
    expected = float(parts.sum(axis=0) @ parts.sum(axis=1)) / float(parts.sum()) ** 2
    return (accuracy(counts) - expected) / (1 - expected) if expected < 1 else 0.0


def class_recalls(counts: Counts) -> Floats:
    """Recall of each class; NaN for a class without rows."""
    return _ratios(counts.diagonal(), counts.sum(axis=1))


def class_precisions(counts: Counts) -> Floats:
    """Precision of each class; NaN where no row is predicted as it."""
    return _ratios(counts.diagonal(), counts.sum(axis=0))


def class_f_measures(counts: Counts) -> Floats:
    """Harmonic mean of recall and precision of each class; NaN for a class that never occurs."""
    return _ratios(2 * np.diag(counts), counts.sum(axis=0) + counts.sum(axis=1))


def balanced_classification_rate(counts: Counts) -> float:
    """Mean recall of the classes that have rows; 1 / classes is chance."""
    recalls = class_recalls(counts)
    known = recalls[~np.isnan(recalls)]
    return float(known.sum() / len(known))


def weighted_mean(shares: Floats, counts: Counts, weights: Floats | None = None) -> float:
    """Weighted mean over the classes that occur at all, where undefined shares count 0.

    NaN where these classes have no weight.
    """
    occurs = (counts.sum(axis=0) + counts.sum(axis=1)) > 0
    chosen = np.ones(len(counts)) if weights is None else weights
    known = np.where(np.isnan(shares), 0.0, shares)
    return ratio(float((chosen * known)[occurs].sum()), float(chosen[occurs].sum()))


def matthews_correlation(counts: Counts) -> float:
    """Correlation of true and predicted class, for two classes or more; 0 where one is constant.

    References
    ----------
    Matthews (1975); Gorodkin (2004), Comparing two K-category assignments by a K-category
    correlation coefficient.
    """
    parts = scaled(counts)
    rows, columns = parts.sum(axis=1), parts.sum(axis=0)
    n = rows.sum()
    numerator = float(np.trace(parts)) * n - float(rows @ columns)
    spread = (n**2 - float(rows @ rows)) * (n**2 - float(columns @ columns))
    return float(numerator / np.sqrt(spread)) if spread > 0 else 0.0


def auc(positive: Floats, negative: Floats, ties: float = 0.5) -> float:
    """Chance that a positive row has the larger value; equal ones count ``ties`` (0 to 1).

    NaN where either class has no row.

    References
    ----------
    Hanley & McNeil (1982), The meaning and use of the area under a ROC curve.
    """
    ordered = np.sort(negative)
    below = np.searchsorted(ordered, positive, side="left")
    equal = np.searchsorted(ordered, positive, side="right") - below
    return ratio(float(below.sum() + ties * equal.sum()), float(len(positive) * len(negative)))


def weighted_auc(
    positive: Floats, negative: Floats, own: Floats, others: Floats, ties: float = 0.5
) -> float:
    """Same as `auc`, where a pair of rows counts the product of their weights."""
    own, others = scaled(own), scaled(others)
    order = np.argsort(negative, kind="stable")
    sums = np.concatenate([[0.0], np.cumsum(others[order])])
    ordered = negative[order]
    below = sums[np.searchsorted(ordered, positive, side="left")]
    equal = sums[np.searchsorted(ordered, positive, side="right")] - below
    return ratio(float(own @ (below + ties * equal)), float(own.sum() * others.sum()))


def ratio(numerator: float, denominator: float) -> float:
    """Quotient; NaN where the denominator is 0."""
    return numerator / denominator if denominator else float("nan")


def _ratios(numerators: npt.NDArray[Any], denominators: npt.NDArray[Any]) -> Floats:
    shares: Floats = np.full(len(numerators), np.nan)
    np.divide(numerators, denominators, out=shares, where=denominators > 0)
    return shares


def root_mean_squared_error(true: Floats, predicted: Floats, weights: Weights = None) -> float:
    """Square root of the mean squared difference."""
    return float(np.sqrt(mean_squared_error(true, predicted, weights)))


def mean_squared_error(true: Floats, predicted: Floats, weights: Weights = None) -> float:
    """Mean squared difference."""
    return float(np.average((true - predicted) ** 2, weights=weights))


def mean_absolute_error(true: Floats, predicted: Floats, weights: Weights = None) -> float:
    """Mean absolute difference."""
    return float(np.average(np.abs(true - predicted), weights=weights))


def mean_prediction(true: Floats, predicted: Floats, weights: Weights = None) -> float:
    """Mean of the predictions."""
    return float(np.average(predicted, weights=weights))


def relative_error(
    true: Floats, predicted: Floats, weights: Weights = None, *, by: str = "label"
) -> float:
    """Mean of the absolute differences divided by a size; 0/0 counts 0, NaN for others over 0.

    The size is that of the true value ("label"), of the larger ("lenient") or of the smaller of
    true and predicted value ("strict").
    """
    a, b = np.abs(true), np.abs(predicted)
    size = {"label": a, "lenient": np.maximum(a, b), "strict": np.minimum(a, b)}[by]
    difference = np.abs(true - predicted)
    if ((size == 0) & (difference > 0)).any():
        return float("nan")
    return float(np.average(difference / np.where(difference > 0, size, 1.0), weights=weights))


def normalized_absolute_error(true: Floats, predicted: Floats, weights: Weights = None) -> float:
    """Absolute error divided by that of predicting the mean; NaN for a constant label."""
    spread = np.abs(true - np.average(true, weights=weights))
    return _relative(np.abs(true - predicted), spread, true, weights)


def relative_squared_error(true: Floats, predicted: Floats, weights: Weights = None) -> float:
    """Squared error divided by that of predicting the mean; NaN for a constant label."""
    spread = (true - np.average(true, weights=weights)) ** 2
    return _relative((true - predicted) ** 2, spread, true, weights)


def _relative(errors: Floats, spread: Floats, true: Floats, weights: Weights) -> float:
    if not _direction(true, weights).any():
        return float("nan")
    factors = np.ones(len(true)) if weights is None else weights
    return ratio(float((factors * errors).sum()), float((factors * spread).sum()))


def correlation(true: Floats, predicted: Floats, weights: Weights = None) -> float:
    """Pearson's correlation; 0 where either is constant."""
    product = _direction(true, weights) @ _direction(predicted, weights)
    return float(np.clip(product, -1.0, 1.0))


def rank_correlation(true: Floats, predicted: Floats, weights: Weights = None) -> float:
    """Spearman's correlation of the average ranks; 0 where either is constant."""
    if weights is None:
        return correlation(average_ranks(true), average_ranks(predicted))
    return correlation(_weighted_ranks(true, weights), _weighted_ranks(predicted, weights), weights)


def _weighted_ranks(values: Floats, weights: Floats) -> Floats:
    """Weight below each value and half of that at it: average ranks of repeated rows, less ½."""
    _, place = np.unique(values, return_inverse=True)
    totals = np.bincount(place, weights)
    ranks: Floats = (np.cumsum(totals) - totals / 2)[place]
    return ranks


def kendall_tau(true: Floats, predicted: Floats, weights: Weights = None) -> float:
    """Kendall's tau-b: concordant less discordant pairs; 0 where either is constant.

    With weights a pair counts the product of the weights of its rows.
    """
    from scipy.stats import kendalltau

    if np.ptp(true) == 0 or np.ptp(predicted) == 0:
        return 0.0
    if weights is None:
        return float(kendalltau(true, predicted).statistic)
    agreeing = untied_true = untied_predicted = 0.0
    for row, weight in enumerate(weights.tolist()):
        one, other = np.sign(true - true[row]), np.sign(predicted - predicted[row])
        agreeing += weight * float(weights @ (one * other))
        untied_true += weight * float(weights @ np.abs(one))
        untied_predicted += weight * float(weights @ np.abs(other))
    return agreeing / float(np.sqrt(untied_true * untied_predicted))


def squared_correlation(true: Floats, predicted: Floats, weights: Weights = None) -> float:
    """Square of Pearson's correlation; 0 where either is constant."""
    a, b = _direction(true, weights), _direction(predicted, weights)
    return min(float(a @ b) ** 2, 1.0)


def _direction(values: Floats, weights: Weights = None) -> Floats:
    """Centered values at length 1; zeros where they differ by no more than rounding.

    With weights the values are multiplied by their square roots.
    """
    size = float(np.abs(values).max(initial=0.0)) or 1.0
    scaled = values / size
    centred: Floats = scaled - np.average(scaled, weights=weights)
    total = float(len(values) if weights is None else weights.sum())
    if weights is not None:
        centred = centred * np.sqrt(weights)
    length = float(np.linalg.norm(centred))
    return centred / length if length > ROUNDING * np.sqrt(total) else np.zeros_like(centred)
