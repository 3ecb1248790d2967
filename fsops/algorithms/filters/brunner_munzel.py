"""The test of Brunner and Munzel: which of two classes tends to larger values."""

from dataclasses import replace

import numpy as np

from fsops.algorithms.base.sums import column_tiles
from fsops.algorithms.base.types import Bools, Floats, Numbers, Scores, as_classes, as_matrix
from fsops.algorithms.statistics.significance import Weighting, t_p_values, weights_from


def brunner_munzel(X: Numbers, codes: Numbers, *, weighting: Weighting = "one_minus_p") -> Scores:
    """Studentized difference of the mean ranks of two classes, with p-values by Student's t.

    Missing values (NaN) are left out for each feature; both classes need two values. A feature
    that separates the classes has an infinite statistic. Its p-value is that of all permutations
    of the classes, 2 / C(n, n1). A constant feature has no statistic.

    References
    ----------
    Brunner & Munzel (2000), The nonparametric Behrens-Fisher problem: asymptotic theory and a
    small-sample approximation, Biometrical Journal 42.
    """
    X = as_matrix(X)
    second: Bools = as_classes(codes, len(X), 2) == 1
    fields = np.empty((5, X.shape[1]))
    for tile in column_tiles(X.shape[1], len(X)):
        fields[:, tile] = _tile(X[:, tile].astype(np.float64), second)
    statistic, df, probability, n0, n1 = fields
    p = t_p_values(statistic, df)
    apart = np.isinf(statistic)
    if apart.any():
        from scipy.special import betaln

        n = n0[apart] + n1[apart]
        # The logarithm of the binomial coefficient.
        ways = -np.log(n + 1) - betaln(n1[apart] + 1, n0[apart] + 1)
        p[apart] = np.minimum(2 * np.exp(-ways), 1.0)
    undefined = np.isnan(statistic)
    df = np.where(undefined | apart, np.nan, df)
    scores = Scores(weights_from(statistic, p, weighting), statistic, undefined, p, df)
    return replace(scores, more={"probability": probability})


def _tile(values: Floats, second: Bools) -> Floats:
    """Statistic, degrees of freedom, probability of a larger value, and rows of the classes."""
    known = ~np.isnan(values)
    # Missing values get the last ranks, which change none of the others.
    filled = np.where(known, values, np.inf)
    joint = _ranks(filled)
    means, spreads, counts = np.empty((3, 2, values.shape[1]))
    for number, rows in enumerate((~second, second)):
        own = known[rows]
        n = own.sum(axis=0).astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(own, joint[rows], 0.0).sum(axis=0) / n
            # How many values of the other class are smaller, about their mean.
            apart = joint[rows] - _ranks(filled[rows]) - mean + (n + 1) / 2
            spreads[number] = np.where(own, apart * apart, 0.0).sum(axis=0) / (n - 1)
        means[number], counts[number] = mean, n
    enough = (counts >= 2).all(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = counts * spreads
        whole = parts.sum(axis=0)
        total = counts.sum(axis=0)
        difference = means[1] - means[0]
        statistic = counts.prod(axis=0) * difference / (total * np.sqrt(whole))
        df = whole * whole / (parts * parts / (counts - 1)).sum(axis=0)
        probability = difference / total + 0.5
    return np.stack([np.where(enough, statistic, np.nan), df, probability, *counts])


def _ranks(values: Floats) -> Floats:
    from scipy.stats import rankdata

    ranks: Floats = rankdata(values, axis=0)
    return ranks
