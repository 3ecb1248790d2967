"""How much repeated feature selections agree: set, weight and rank similarities.

Selections are the rows of a boolean matrix (runs x features), weightings the rows of a float
matrix of the same shape. Pairwise measures return one value per pair of runs, in the order of
``numpy.triu_indices(m, 1)``; a value that is 0/0 is NaN and left out of averages, but counted.

References
----------
Kuncheva (2007), A stability index for feature selection, AIAP.
Nogueira, Sechidis & Brown (2018), On the stability of feature selection algorithms, JMLR 18.
Somol & Novovicova (2010), Evaluating stability and comparing output of feature selectors, PAMI.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fsops.algorithms.base.ranking import average_places, ordinal_ranks
from fsops.algorithms.base.types import Bools, Floats, Ints

SetMeasure = Literal["jaccard", "dice", "kuncheva", "phi", "lustgarten"]
WeightMeasure = Literal["pearson", "spearman", "kendall"]


@dataclass(frozen=True)
class PairwiseMean:
    """Mean similarity over all pairs of runs.

    Attributes
    ----------
    mean : float
        NaN if every pair is undefined.
    deviation : float
        Standard deviation over the pairs (they are dependent: no interval follows from it).
    n_undefined : int
        Number of pairs left out because their value is undefined.
    """

    mean: float
    deviation: float
    n_undefined: int


@dataclass(frozen=True)
class NogueiraStability:
    """Nogueira's stability with its asymptotic confidence interval.

    Attributes
    ----------
    value, variance : float
        The estimate and the variance of the estimate; NaN if all or no features were selected.
    lower, upper : float
        Ends of the interval, not truncated. They assume independent runs and about 30 of them.
    """

    value: float
    variance: float
    lower: float
    upper: float


def _selection_matrix(selections: Bools) -> Bools:
    matrix = np.asarray(selections, dtype=bool)
    if matrix.ndim != 2 or matrix.shape[0] < 2:
        raise ValueError(f"Stability needs at least two runs (rows), got shape {matrix.shape}.")
    return matrix


def _pairs(selections: Bools) -> tuple[Floats, Floats, Floats, int]:
    """Return common features, both sizes for each pair of runs, and the number of features."""
    matrix = _selection_matrix(selections)
    first, second = np.triu_indices(matrix.shape[0], 1)
    z = matrix.astype(np.float64)
    sizes = z.sum(axis=1)
    return (z @ z.T)[first, second], sizes[first], sizes[second], matrix.shape[1]


def _ratio(numerator: Floats, denominator: Floats, undefined: float = np.nan) -> Floats:
    result = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), undefined)
    np.divide(numerator, denominator, out=result, where=denominator > 0)
    return result


def jaccard(selections: Bools, *, empty: float = 1.0) -> Floats:
    """Shared features divided by features in either set, for each pair of runs.

    ``|A & B| / |A | B|``

    Parameters
    ----------
    selections : ndarray of bool, shape (m, p)
    empty : float, default 1
        The value of two empty sets; NaN leaves such pairs out of averages.

    Returns
    -------
    ndarray, shape (m (m - 1) / 2,)
    """
    common, a, b, _ = _pairs(selections)
    return _ratio(common, a + b - common, empty)


def dice(selections: Bools, *, empty: float = 1.0) -> Floats:
    """Twice the shared features divided by the sum of sizes, for each pair of runs.

    ``2 |A & B| / (|A| + |B|)``

    Parameters
    ----------
    selections : ndarray of bool, shape (m, p)
    empty : float, default 1
        The value of two empty sets.

    Returns
    -------
    ndarray, shape (m (m - 1) / 2,)
    """
    common, a, b, _ = _pairs(selections)
    return _ratio(2.0 * common, a + b, empty)


def _kuncheva(common: Floats, size: Floats, p: int) -> Floats:
    return _ratio(common * p - size**2, size * (p - size))


def kuncheva(selections: Bools) -> Floats:
    """Overlap corrected for chance, for each pair of equally large sets.

    ``(r p - k^2) / (k (p - k))`` with ``r = |A & B|``: 1 for equal sets, 0 on average for
    random ones, negative below chance. NaN for k = 0 and k = p.

    Parameters
    ----------
    selections : ndarray of bool, shape (m, p)
        All rows of the same size; :func:`nogueira` takes unequal ones.

    Returns
    -------
    ndarray, shape (m (m - 1) / 2,)

    References
    ----------
    Kuncheva (2007), A stability index for feature selection, AIAP.
    """
    common, a, b, p = _pairs(selections)
    if np.any(a != b):
        raise ValueError(
            f"Kuncheva's index needs sets of one size, got {int(min(a.min(), b.min()))} to "
            f"{int(max(a.max(), b.max()))} features. Use nogueira or phi instead."
        )
    return _kuncheva(common, a, p)


def phi(selections: Bools) -> Floats:
    """Pearson correlation of the indicator vectors, for each pair of runs of any sizes.

    ``(r - ka kb / p) / sqrt(ka kb (1 - ka/p) (1 - kb/p))``; NaN if a size is 0 or p.

    Parameters
    ----------
    selections : ndarray of bool, shape (m, p)

    Returns
    -------
    ndarray, shape (m (m - 1) / 2,)
    """
    common, a, b, p = _pairs(selections)
    return _ratio(common - a * b / p, np.sqrt(a * b * (1.0 - a / p) * (1.0 - b / p)))


def lustgarten(selections: Bools) -> Floats:
    """Lustgarten's adjusted overlap; for comparison only, equal sets do not reach 1.

    ``(r - ka kb / p) / (min(ka, kb) - max(0, ka + kb - p))``; 0 where that is 0/0.

    Parameters
    ----------
    selections : ndarray of bool, shape (m, p)

    Returns
    -------
    ndarray, shape (m (m - 1) / 2,)

    References
    ----------
    Lustgarten, Gopalakrishnan & Visweswaran (2009), Measuring stability of feature selection
    in biomedical datasets, AMIA.
    """
    common, a, b, p = _pairs(selections)
    return _ratio(common - a * b / p, np.minimum(a, b) - np.maximum(0.0, a + b - p), 0.0)


def _weight_matrix(weights: Floats) -> Floats:
    matrix = np.asarray(weights, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] < 2:
        raise ValueError(
            f"Stability needs at least two weightings (rows), got shape {matrix.shape}."
        )
    return matrix


def pearson(weights: Floats) -> Floats:
    """Pearson correlation of the weights, for each pair of runs; NaN for constant weights.

    Parameters
    ----------
    weights : ndarray, shape (m, p)

    Returns
    -------
    ndarray, shape (m (m - 1) / 2,)
    """
    matrix = _weight_matrix(weights)
    constant = matrix.max(axis=1) == matrix.min(axis=1)
    # Scaled first: the squares of tiny or huge weights would leave the range of a double.
    largest = np.abs(matrix).max(axis=1, keepdims=True)
    scaled = matrix / np.where(largest > 0, largest, 1.0)
    centred = scaled - scaled.mean(axis=1, keepdims=True)
    length = np.sqrt((centred**2).sum(axis=1))
    length[constant] = np.nan
    first, second = np.triu_indices(matrix.shape[0], 1)
    products: Floats = (centred @ centred.T)[first, second]
    correlations: Floats = np.clip(products / (length[first] * length[second]), -1.0, 1.0)
    return correlations


def spearman(weights: Floats) -> Floats:
    """Pearson correlation of average ranks, for each pair of runs; NaN for constant weights.

    Equals ``1 - 6 sum(d^2) / (p (p^2 - 1))`` only without ties.

    Parameters
    ----------
    weights : ndarray, shape (m, p)

    Returns
    -------
    ndarray, shape (m (m - 1) / 2,)
    """
    return pearson(np.stack([average_places(row) for row in _weight_matrix(weights)]))


def kendall(weights: Floats) -> Floats:
    """Kendall's tau-b of the weights, for each pair of runs; NaN for constant weights.

    ``(C - D) / sqrt((n0 - n1) (n0 - n2))``, with the pairs tied in a run in n1 and n2.

    Parameters
    ----------
    weights : ndarray, shape (m, p)

    Returns
    -------
    ndarray, shape (m (m - 1) / 2,)
    """
    from scipy.stats import kendalltau  # O(p log p); not worth a second implementation

    matrix = _weight_matrix(weights)
    first, second = np.triu_indices(matrix.shape[0], 1)
    values = [
        kendalltau(matrix[i], matrix[j]).statistic for i, j in zip(first, second, strict=True)
    ]
    return np.array(values, dtype=np.float64)


def average(pairs: Floats, *, undefined: float | None = None) -> PairwiseMean:
    """Mean and deviation of pairwise similarities, undefined pairs counted and left out.

    ``2 / (m (m - 1)) * sum over i < t of sim(i, t)``

    Parameters
    ----------
    pairs : ndarray
        What one of the pairwise measures returned.
    undefined : float, optional
        Put in the place of NaN (Kuncheva's own convention is 0); None leaves them out.

    Returns
    -------
    PairwiseMean
    """
    missing = np.isnan(pairs)
    kept = pairs[~missing] if undefined is None else np.where(missing, undefined, pairs)
    deviation = float(kept.std(ddof=1)) if kept.size > 1 else np.nan
    mean = float(kept.mean()) if kept.size else np.nan
    return PairwiseMean(mean, deviation, int(missing.sum()))


SET_MEASURES: dict[SetMeasure, Callable[[Bools], Floats]] = {
    "jaccard": jaccard,
    "dice": dice,
    "kuncheva": kuncheva,
    "phi": phi,
    "lustgarten": lustgarten,
}
WEIGHT_MEASURES: dict[WeightMeasure, Callable[[Floats], Floats]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
}


def nogueira(selections: Bools, *, alpha: float = 0.05) -> NogueiraStability:
    """Chance-corrected stability of sets of any sizes, with a confidence interval.

    ``1 - [(1/p) sum_f m/(m-1) q_f (1 - q_f)] / [(k/p) (1 - k/p)]`` with the selection
    frequencies q_f and the mean size k. Equals the mean Kuncheva index for equal sizes.

    Parameters
    ----------
    selections : ndarray of bool, shape (m, p)
    alpha : float, default 0.05
        One minus the confidence level of the interval.

    Returns
    -------
    NogueiraStability

    References
    ----------
    Nogueira, Sechidis & Brown (2018), On the stability of feature selection algorithms, JMLR 18.
    """
    from scipy.special import ndtri

    z = _selection_matrix(selections).astype(np.float64)
    m, p = z.shape
    frequency = z.mean(axis=0)
    share = z.sum(axis=1) / p
    mean_share = float(share.mean())
    denominator = mean_share * (1.0 - mean_share)
    if denominator <= 0.0:
        return NogueiraStability(np.nan, np.nan, np.nan, np.nan)
    spread = float((frequency * (1.0 - frequency)).mean()) * m / (m - 1)
    value = 1.0 - spread / denominator
    influence = (
        z @ frequency / p
        - share * mean_share
        + value / 2.0 * (2.0 * share * mean_share - share - mean_share + 1.0)
    ) / denominator
    variance = 4.0 / m**2 * float(((influence - influence.mean()) ** 2).sum())
    reach = float(ndtri(1.0 - alpha / 2.0)) * np.sqrt(variance)
    return NogueiraStability(value, variance, value - reach, value + reach)


def nogueira_test(first: NogueiraStability, second: NogueiraStability) -> float:
    """Two-sided p-value for equal stability of two procedures.

    ``T = (phi_1 - phi_2) / sqrt(var_1 + var_2)`` against the standard normal distribution.

    Parameters
    ----------
    first, second : NogueiraStability

    Returns
    -------
    float
        1 if both variances and the difference are 0, NaN if a stability is undefined.

    References
    ----------
    Nogueira, Sechidis & Brown (2018), On the stability of feature selection algorithms, JMLR 18.
    """
    from scipy.special import ndtr

    difference = abs(first.value - second.value)
    variance = first.variance + second.variance
    if variance == 0.0:
        return 1.0 if difference == 0.0 else 0.0
    return float(2.0 * ndtr(-difference / np.sqrt(variance)))


def weighted_consistency(selections: Bools) -> float:
    """Relative weighted consistency of all runs, 0 to 1; not corrected for chance.

    ``(CW - CW_min) / (CW_max - CW_min)``, ``CW = sum_f F_f (F_f - 1) / (N (m - 1))`` with the
    number F_f of runs selecting f and N their sum; NaN if nothing can vary.

    Parameters
    ----------
    selections : ndarray of bool, shape (m, p)

    Returns
    -------
    float

    References
    ----------
    Somol & Novovicova (2010), Evaluating stability and comparing output of feature selectors
    that optimize feature subset cardinality, PAMI 32.
    """
    matrix = _selection_matrix(selections)
    m, p = matrix.shape
    counts = matrix.sum(axis=0, dtype=np.int64)
    total = int(counts.sum())
    if total == 0:
        return np.nan
    # Whole numbers until the last division, so that equal bounds are recognized exactly.
    scale = p * total * (m - 1)
    consistency = p * int((counts * (counts - 1)).sum())
    d, h = total % p, total % m
    smallest = total**2 - p * (total - d) - d**2
    largest = p * (h**2 + total * (m - 1) - h * m)
    if largest == smallest or scale == 0:
        return np.nan
    return float((consistency - smallest) / (largest - smallest))


def stability_over_k(
    weights: Floats,
    sizes: Ints | None = None,
    *,
    measure: Literal["jaccard", "dice", "kuncheva"] = "kuncheva",
) -> Floats:
    """Mean pairwise agreement of the top k features, for every k at once.

    The overlap of two top-k sets is the number of features whose larger rank is at most k, so
    one count per pair of runs gives the whole curve. With ``"kuncheva"`` the curve is also
    Nogueira's, because all sets have size k.

    Parameters
    ----------
    weights : ndarray, shape (m, p)
        One weighting per run; ties go to the smaller index.
    sizes : ndarray of int, optional
        The values of k, 1 to p; default all.
    measure : {"jaccard", "dice", "kuncheva"}

    Returns
    -------
    ndarray, shape (len(sizes),)
        NaN where the measure is undefined (Kuncheva at k = p).
    """
    ranks = ordinal_ranks(_weight_matrix(weights))
    m, p = ranks.shape
    k = np.arange(1, p + 1) if sizes is None else np.asarray(sizes)
    if k.size and (k.min() < 1 or k.max() > p):
        raise ValueError(f"Sizes must be between 1 and {p}, got {k.min()} to {k.max()}.")
    total: Floats = np.zeros(k.size)
    for i, j in zip(*np.triu_indices(m, 1), strict=True):
        joint = np.bincount(np.maximum(ranks[i], ranks[j]), minlength=p + 1)
        common = np.cumsum(joint)[k].astype(np.float64)
        if measure == "kuncheva":
            total += _kuncheva(common, k.astype(np.float64), p)
        else:
            total += common / (2 * k - common) if measure == "jaccard" else common / k
    mean: Floats = total / (m * (m - 1) / 2)
    return mean
