"""Partial correlation: of feature and label, each after a regression on covariates.

References
----------
Fisher (1924), The distribution of the partial correlation coefficient, Metron 3.
"""

import numpy as np

from fsops.algorithms.base.sums import column_tiles
from fsops.algorithms.base.types import (
    Bools,
    Floats,
    Numbers,
    Scores,
    as_matrix,
    as_row_weights,
    as_target,
)
from fsops.algorithms.statistics.linear_fits import (
    MATRICES,
    RANK_TOLERANCE,
    design_fits,
    inverses,
    orthonormal_design,
)
from fsops.algorithms.statistics.significance import Weighting, correlation_p_values, tested

EXPLAINED = RANK_TOLERANCE**2
"""A smaller fraction of the variance that covariates leave is rounding error."""


def partial_correlation(
    X: Numbers,
    y: Numbers,
    covariates: Numbers,
    *,
    row_weights: Numbers | None = None,
    weighting: Weighting = "abs_statistic",
    p_values: bool = True,
) -> Scores:
    """Pearson's correlation of the residuals of features and label, with n - 2 - q df.

    q is the number of independent covariates. Missing values (NaN) are left out for each feature.
    A feature that the covariates explain completely has no correlation.

    Raises `NotEstimable` if the covariates explain the label, or no rows are left.
    """
    X = as_matrix(X)
    design = orthonormal_design(covariates, as_target(y, len(X))[:, None], row_weights)
    fits = design_fits(X, design)
    left = fits.effect * fits.effect + fits.residual
    explained = left <= EXPLAINED * _total_squares(X, design.roots**2)
    with np.errstate(invalid="ignore", divide="ignore"):
        r = np.clip(fits.effect / np.sqrt(left), -1.0, 1.0)
    df = np.broadcast_to(fits.residual_df, r.shape)
    r[explained | ~(df > 0)] = np.nan
    return tested(r, df, correlation_p_values, weighting, p_values)


def partial_rank_correlation(
    X: Numbers,
    y: Numbers,
    covariates: Numbers,
    *,
    weighting: Weighting = "abs_statistic",
    p_values: bool = True,
) -> Scores:
    """The same of the ranks of features, label and covariates (Spearman).

    With missing values, ranks are those among the rows that the feature has.
    """
    X = as_matrix(X)
    y, covariates = as_target(y, len(X)), np.asarray(covariates, dtype=np.float64)
    r, df = np.empty((2, X.shape[1]))
    complete: Bools = np.all(~np.isnan(X), axis=0)
    whole = X if complete.all() else X[:, complete]
    plain = partial_correlation(
        _ranks(whole), _ranks(y[:, None])[:, 0], _ranks(covariates), p_values=False
    )
    r[complete], df[complete] = plain.statistic, plain.df
    holes = np.flatnonzero(~complete)
    width = max(1, MATRICES // max(1, len(X) * (2 + covariates.shape[1])))
    for tile in column_tiles(holes.size, len(X), width):
        columns = holes[tile]
        part = X[:, columns].astype(np.float64)
        r[columns], df[columns] = _incomplete(part, np.column_stack([y, covariates]))
    return tested(r, df, correlation_p_values, weighting, p_values)


def _ranks(values: Numbers) -> Floats:
    from scipy.stats import rankdata

    ranks: Floats = np.asarray(rankdata(values, axis=0), dtype=np.float64)
    return ranks if values.size else np.zeros(values.shape)


def _total_squares(X: Numbers, weights: Floats) -> Floats:
    """Weighted sums of squares about the mean of each feature, over its known values."""
    weights = as_row_weights(weights, len(X))
    total = np.empty(X.shape[1])
    for tile in column_tiles(X.shape[1], len(X)):
        part = X[:, tile].astype(np.float64)
        known = ~np.isnan(part)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = weights @ np.where(known, part, 0.0) / (weights @ known)
            total[tile] = weights @ np.where(known, (part - mean) ** 2, 0.0)
    return total


def _incomplete(part: Floats, others: Floats) -> tuple[Floats, Floats]:
    """Correlations and degrees of freedom of features with missing values.

    ``others`` has the label first, then the covariates: they are ranked again for each feature.
    """
    known = ~np.isnan(part)
    n = known.sum(axis=0).astype(np.float64)
    columns = [part, *(np.broadcast_to(other[:, None], part.shape) for other in others.T)]
    ranks = [_ranks(np.where(known, values, np.inf)) for values in columns]
    centred = np.stack([np.where(known, rank - (n + 1) / 2, 0.0) for rank in ranks], axis=-1)
    gram = np.einsum("ijk,ijl->jkl", centred, centred)
    size = np.sqrt(np.einsum("jkk->jk", gram))
    size[size == 0] = 1.0
    gram /= size[:, :, None] * size[:, None, :]
    inverse, rank = inverses(gram[:, 2:, 2:])
    pull = gram[:, :2, 2:] @ inverse
    rest = gram[:, :2, :2] - pull @ gram[:, 2:, :2]
    spread = rest[:, 0, 0] * rest[:, 1, 1]
    usable = (rest[:, 0, 0] > EXPLAINED) & (rest[:, 1, 1] > EXPLAINED)
    df = n - 2 - rank
    with np.errstate(invalid="ignore", divide="ignore"):
        r = np.clip(rest[:, 0, 1] / np.sqrt(spread), -1.0, 1.0)
    return np.where(usable & (df > 0), r, np.nan), df
