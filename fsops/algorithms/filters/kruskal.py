"""The test of Kruskal and Wallis: differences between classes in the ranks of their values."""

import numpy as np

from fsops.algorithms.base.sums import column_tiles
from fsops.algorithms.base.types import (
    Floats,
    Numbers,
    Scores,
    as_classes,
    as_matrix,
    count_classes,
)
from fsops.algorithms.statistics.significance import Weighting, chi2_p_values, tested


def kruskal_wallis(
    X: Numbers,
    codes: Numbers,
    *,
    weighting: Weighting = "abs_statistic",
    p_values: bool = True,
) -> Scores:
    """H of each feature, corrected for ties, with its p-value by the chi squared distribution.

    Missing values (NaN) are left out for each feature; classes without values do not count. A
    constant feature has no H.

    References
    ----------
    Kruskal & Wallis (1952), Use of ranks in one-criterion variance analysis, JASA 47.
    """
    X = as_matrix(X)
    classes = as_classes(codes, len(X))
    member = (classes[:, None] == np.arange(count_classes(classes))).astype(np.float64)
    statistic, freedom = np.empty((2, X.shape[1]))
    for tile in column_tiles(X.shape[1], len(X)):
        statistic[tile], freedom[tile] = _tile(X[:, tile].astype(np.float64), member)
    return tested(statistic, freedom, chi2_p_values, weighting, p_values)


def _tile(values: Floats, member: Floats) -> tuple[Floats, Floats]:
    from scipy.stats import rankdata

    known = ~np.isnan(values)
    n = known.sum(axis=0).astype(np.float64)
    # Missing values get the last ranks, which change none of the others.
    ranks = np.where(known, rankdata(np.where(known, values, np.inf), axis=0), 0.0)
    count = member.T @ known
    with np.errstate(invalid="ignore", divide="ignore"):
        # Deviations from the mean rank: sums of squared ranks would lose digits.
        apart = member.T @ np.where(known, ranks - (n + 1) / 2, 0.0)
        between = np.where(count > 0, apart * apart / count, 0.0).sum(axis=0)
        squares = np.where(known, (ranks - (n + 1) / 2) ** 2, 0.0).sum(axis=0)
        h = (n - 1) * between / squares  # ties make the sum of squares smaller
    freedom = (count > 0).sum(axis=0) - 1.0
    return np.where((freedom > 0) & (squares > 0), h, np.nan), freedom
