"""Figures of merit of predictions: agreement of classes, errors of numbers."""

import numpy as np

from fsops.algorithms.base.moments import ROUNDING
from fsops.algorithms.base.ranking import average_ranks
from fsops.algorithms.base.types import Floats, Ints


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


def class_recalls(counts: Ints) -> Floats:
    """Share of the rows of each class that are found; NaN for a class without rows."""
    return _ratios(np.diag(counts), counts.sum(axis=1))


def class_precisions(counts: Ints) -> Floats:
    """Share of the rows predicted as each class that are of it; NaN where none are predicted."""
    return _ratios(np.diag(counts), counts.sum(axis=0))


def class_f_measures(counts: Ints) -> Floats:
    """Harmonic mean of recall and precision of each class; NaN for a class that never occurs."""
    return _ratios(2 * np.diag(counts), counts.sum(axis=0) + counts.sum(axis=1))


def balanced_classification_rate(counts: Ints) -> float:
    """Mean recall of the classes that have rows; 1 / classes is chance."""
    recalls = class_recalls(counts)
    return float(recalls[~np.isnan(recalls)].mean())


def weighted_mean(shares: Floats, counts: Ints, weights: Floats | None = None) -> float:
    """Weighted mean over the classes that occur at all, where undefined shares count 0.

    NaN where these classes have no weight.
    """
    occurs = (counts.sum(axis=0) + counts.sum(axis=1)) > 0
    chosen = np.ones(len(counts)) if weights is None else weights
    known = np.where(np.isnan(shares), 0.0, shares)
    return ratio(float((chosen * known)[occurs].sum()), float(chosen[occurs].sum()))


def matthews_correlation(counts: Ints) -> float:
    """Correlation of true and predicted class, for two classes or more; 0 where one is constant.

    References
    ----------
    Matthews (1975); Gorodkin (2004), Comparing two K-category assignments by a K-category
    correlation coefficient.
    """
    rows, columns = counts.sum(axis=1).astype(float), counts.sum(axis=0).astype(float)
    n = rows.sum()
    numerator = float(np.trace(counts)) * n - float(rows @ columns)
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


def ratio(numerator: float, denominator: float) -> float:
    """Quotient; NaN where the denominator is 0."""
    return numerator / denominator if denominator else float("nan")


def _ratios(numerators: Ints, denominators: Ints) -> Floats:
    shares: Floats = np.full(len(numerators), np.nan)
    np.divide(numerators, denominators, out=shares, where=denominators > 0)
    return shares


def root_mean_squared_error(true: Floats, predicted: Floats) -> float:
    """Square root of the mean squared difference."""
    return float(np.sqrt(np.mean((true - predicted) ** 2)))


def mean_absolute_error(true: Floats, predicted: Floats) -> float:
    """Mean absolute difference."""
    return float(np.mean(np.abs(true - predicted)))


def relative_error(true: Floats, predicted: Floats, by: str = "label") -> float:
    """Mean of the absolute differences divided by a size; 0/0 counts 0, NaN for others over 0.

    The size is that of the true value ("label"), of the larger ("lenient") or of the smaller of
    true and predicted value ("strict").
    """
    a, b = np.abs(true), np.abs(predicted)
    size = {"label": a, "lenient": np.maximum(a, b), "strict": np.minimum(a, b)}[by]
    difference = np.abs(true - predicted)
    if ((size == 0) & (difference > 0)).any():
        return float("nan")
    return float(np.mean(difference / np.where(difference > 0, size, 1.0)))


def normalized_absolute_error(true: Floats, predicted: Floats) -> float:
    """Absolute error divided by that of predicting the mean; NaN for a constant label."""
    spread = float(np.abs(true - true.mean()).sum()) if _direction(true).any() else 0.0
    return ratio(float(np.abs(true - predicted).sum()), spread)


def relative_squared_error(true: Floats, predicted: Floats) -> float:
    """Squared error divided by that of predicting the mean; NaN for a constant label."""
    spread = float(((true - true.mean()) ** 2).sum()) if _direction(true).any() else 0.0
    return ratio(float(((true - predicted) ** 2).sum()), spread)


def correlation(true: Floats, predicted: Floats) -> float:
    """Pearson's correlation; 0 where either is constant."""
    return float(np.clip(_direction(true) @ _direction(predicted), -1.0, 1.0))


def rank_correlation(true: Floats, predicted: Floats) -> float:
    """Spearman's correlation of the average ranks; 0 where either is constant."""
    return correlation(average_ranks(true), average_ranks(predicted))


def kendall_tau(true: Floats, predicted: Floats) -> float:
    """Kendall's tau-b: concordant less discordant pairs; 0 where either is constant."""
    from scipy.stats import kendalltau

    if np.ptp(true) == 0 or np.ptp(predicted) == 0:
        return 0.0
    return float(kendalltau(true, predicted).statistic)


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
