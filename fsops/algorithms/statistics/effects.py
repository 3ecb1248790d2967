"""How large the relation of each feature with the label is, with 95 % intervals.

Missing values (NaN) are left out per feature. An effect that does not exist (no spread, too few
rows or classes) is NaN, and so is its interval.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base.moments import ClassMoments, CrossMoments
from fsops.algorithms.base.types import Floats, Ints, Numbers
from fsops.algorithms.filters.univariate import f_test_from, pearson_from

OUTSIDE = 0.025
"""Probability on either side of an interval."""
NORMAL = 1.959963984540054
LARGEST_CENTRALITY = 9_999.0
"""scipy finds no noncentrality of F above it."""
LOG_LARGEST, LOG_FEWEST = 25.0, 50
"""Logarithms of intensities are smaller than the first; a table of them has many columns."""


@dataclass(frozen=True, slots=True, eq=False)
class Effects:
    """An effect size per feature with its interval and p-value, each of shape (p,)."""

    effect: Floats
    lower: Floats
    upper: Floats
    p_values: Floats


def hedges_g(moments: ClassMoments, intervals: Ints | None = None) -> Effects:
    """Standardized difference of two class means, second minus first, corrected for few rows.

    g = J d with d = (m1 - m0) / s, s the pooled standard deviation, J = 1 - 3/(4 df - 1) in its
    exact form by gamma functions. The interval inverts the noncentral t distribution, and is
    multiplied by J, too. The p-value is that of Student's t. The features of ``intervals`` get an
    interval, all if not given: an interval takes a hundred times as long as the rest.

    References
    ----------
    Hedges (1981), Distribution theory for Glass's estimator of effect size, J. Educ. Stat. 6.
    Steiger & Fouladi (1997), Noncentrality interval estimation.
    """
    from scipy.special import gammaln, nctdtrinc

    if moments.n_classes != 2:
        raise ValueError(f"Hedges' g compares two classes, got {moments.n_classes}.")
    test = f_test_from(moments)
    df = np.broadcast_to(moments.total - 2, test.statistic.shape)
    sign = np.sign(moments.offset[1] - moments.offset[0])
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        t = sign * np.sqrt(test.statistic)
        scale = np.sqrt((1 / moments.count).sum(axis=0))
        half = np.maximum(df, 2.0) / 2
        correction = np.where(
            df > 1, np.exp(gammaln(half) - gammaln(half - 0.5)) / np.sqrt(half), np.nan
        )
        finite = np.isfinite(t)
        centre = np.where(finite, t, 0.0)
        ends = _limits(nctdtrinc, (df,), centre, intervals)
        lower, upper = (np.where(finite, end * scale * correction, np.nan) for end in ends)
        effect = t * scale * correction
    return Effects(effect, lower, upper, _known(test.p_values))


def omega_squared(moments: ClassMoments, intervals: Ints | None = None) -> Effects:
    """Fraction of the variance that the classes explain, corrected for the number of classes.

    (SSb - dfb MSw) / (SSt + MSw), at least 0. The interval is lambda / (lambda + n) at the limits
    of the noncentrality lambda of F. The p-value is that of the F-test. ``intervals`` are as in
    `hedges_g`.

    References
    ----------
    Hays (1963), Statistics for psychologists.
    Steiger (2004), Beyond the F test, Psychological Methods 9.
    """
    from scipy.special import ncfdtrinc

    test = f_test_from(moments)
    assert test.df is not None
    between, within = test.df
    total = np.broadcast_to(moments.total, test.statistic.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        excess = between * (test.statistic - 1)
        effect = np.where(np.isinf(test.statistic), 1.0, excess / (excess + total))
        finite = np.isfinite(test.statistic)
        f = np.where(finite, test.statistic, 1.0)
        ends = _limits(ncfdtrinc, (between, within), f, intervals)
        lower, upper = (np.where(finite, end / (end + total), np.nan) for end in ends)
        upper = np.where(ends[1] >= LARGEST_CENTRALITY, np.where(finite, 1.0, np.nan), upper)
    return Effects(np.maximum(effect, 0.0), lower, upper, _known(test.p_values))


def _limits(
    noncentrality: Callable[..., Floats],
    freedom: tuple[Floats, ...],
    statistic: Floats,
    features: Ints | None,
) -> Floats:
    """Both limits of the noncentrality of these features, NaN for the others, (2, p)."""
    places = slice(None) if features is None else features
    limits = np.full((2, statistic.size), np.nan)
    for limit, p in zip(limits, (1 - OUTSIDE, OUTSIDE), strict=True):
        limit[places] = noncentrality(*(df[places] for df in freedom), p, statistic[places])
    return limits


def correlation_effects(moments: CrossMoments) -> Effects:
    """Pearson's r with the interval of Fisher's z = artanh r; it needs four rows.

    References
    ----------
    Fisher (1921), On the probable error of a coefficient of correlation, Metron 1.
    """
    test = pearson_from(moments, p_values=True)
    r = test.statistic
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.where(moments.count > 3, 1 / np.sqrt(moments.count - 3), np.nan)
        z = np.arctanh(r)
        lower, upper = np.tanh(z - NORMAL * error), np.tanh(z + NORMAL * error)
    return Effects(r, lower, upper, _known(test.p_values))


def _known(p_values: Floats | None) -> Floats:
    assert p_values is not None
    return p_values


def look_like_logs(X: Numbers) -> bool:
    """Whether a table looks like logarithms to base 2 of intensities or counts.

    Such a table has many columns, no values above 25, hardly any below 0, a median above 1, and
    values that are not whole. Values around 0, as after standardizing, do not look like it.
    """
    if X.shape[1] < LOG_FEWEST or not len(X):
        return False
    seen = np.asarray(X[:: max(1, len(X) // 100)], dtype=np.float64).ravel()
    seen = seen[np.isfinite(seen)]
    if not seen.size or np.nanmax(X) > LOG_LARGEST or (seen == np.round(seen)).mean() > 0.5:
        return False
    low, middle = np.quantile(seen, [0.05, 0.5])
    return bool(low >= 0 and middle > 1)


def correlations(A: Numbers, B: Numbers) -> Floats:
    """Pearson's correlation of every column of A with every one of B, (a, b).

    A missing value leaves its row out for the pairs of its column. NaN where a column does not vary
    over the rows of a pair, or where fewer than three rows are known.
    """
    known_a, known_b = (~np.isnan(part) for part in (A, B))
    # Centered, so that large values cannot cancel.
    a, b = (_filled(part, known) for part, known in ((A, known_a), (B, known_b)))
    if known_a.all() and known_b.all():
        cross = a.T @ b
        ss = np.outer((a * a).sum(axis=0), (b * b).sum(axis=0))
        count = np.full(cross.shape, float(len(A)))
        noise = _noise(A, a)[:, None] | _noise(B, b)[None, :]
    else:
        in_a, in_b = known_a.astype(np.float64), known_b.astype(np.float64)
        count = in_a.T @ in_b
        divisor = np.maximum(count, 1.0)
        sum_a, sum_b = a.T @ in_b, in_a.T @ b
        cross = a.T @ b - sum_a * sum_b / divisor
        ss_a = (a * a).T @ in_b - sum_a * sum_a / divisor
        ss_b = in_a.T @ (b * b) - sum_b * sum_b / divisor
        tiny_a, tiny_b = (1e-12 * (part * part).sum(axis=0) for part in (a, b))
        noise = (ss_a <= tiny_a[:, None]) | (ss_b <= tiny_b[None, :])
        ss = np.maximum(ss_a, 0.0) * np.maximum(ss_b, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        r = cross / np.sqrt(ss)
    return np.where(noise | (count < 3), np.nan, np.clip(r, -1.0, 1.0))


def _filled(X: Numbers, known: Numbers) -> Floats:
    count = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, X, 0.0).sum(axis=0) / count
    return np.where(known, X - mean, 0.0)


def _noise(X: Numbers, centred: Floats) -> Numbers:
    largest = np.abs(X).max(axis=0, initial=0.0)
    return np.asarray(np.abs(centred).max(axis=0, initial=0.0) <= 1e-13 * largest)


def correlation_clusters(correlation: Floats, threshold: float) -> Numbers:
    """Number the groups of features that carry the same information; 0 for one that is alone.

    Average linkage of 1 - |r|, cut where the mean |r| of two groups falls below the threshold.
    Groups are numbered by their first feature.
    """
    k = len(correlation)
    if k < 2:
        return np.zeros(k, dtype=np.intp)
    from scipy.cluster.hierarchy import fcluster, linkage

    distance = 1 - np.abs(np.nan_to_num(correlation))
    tree = linkage(distance[np.triu_indices(k, 1)], "average")
    found = fcluster(tree, 1 - threshold + 1e-12, "distance")
    _, first, group, size = np.unique(
        found, return_index=True, return_inverse=True, return_counts=True
    )
    numbers = np.zeros(len(first), dtype=np.intp)
    several = [g for g in np.argsort(first) if size[g] > 1]
    numbers[several] = np.arange(1, len(several) + 1)
    return np.asarray(numbers[group])


def boxes(X: Numbers, groups: Numbers, n_groups: int) -> Floats:
    """Smallest value, quartiles and largest value of each feature in each group, (p, groups, 5)."""
    found = np.full((X.shape[1], n_groups, 5), np.nan)
    for group in range(n_groups):
        part = X[groups == group]
        seen = ~np.isnan(part).all(axis=0)
        if len(part) and seen.any():
            quantiles = np.nanquantile(part[:, seen], [0, 0.25, 0.5, 0.75, 1], axis=0)
            found[seen, group] = quantiles.T
    return found


def rank_interval(scores: Floats, positions: Numbers) -> tuple[Floats, Floats]:
    """Places between which 90 % of the resamples put some features.

    Parameters
    ----------
    scores
        Resamples by features, the largest is the best; NaN is the worst.
    positions
        The features asked for.
    """
    places = np.empty((len(scores), len(positions)))
    for row, values in enumerate(np.where(np.isnan(scores), -np.inf, scores)):
        ascending = np.sort(values)
        own = values[positions]
        better = len(values) - np.searchsorted(ascending, own, side="right")
        tied = len(values) - np.searchsorted(ascending, own, side="left") - better
        places[row] = better + (tied + 1) / 2
    low, high = np.quantile(places, [0.05, 0.95], axis=0, method="inverted_cdf")
    return low, high
