"""Correlations of the columns of a sparse matrix, which never becomes dense."""

from functools import partial

import numpy as np

from fsops.algorithms.base.moments import ClassMoments, CrossMoments
from fsops.algorithms.base.types import Floats, Ints, Sparse
from fsops.algorithms.filters.streaming import FetchedCorrelation, Overall

AT_ONCE = 4
"""Features whose products with all others are computed in one pass over the stored values."""


def sparse_correlation(
    X: Sparse, moments: ClassMoments | CrossMoments, relevance: Floats
) -> FetchedCorrelation:
    """Absolute correlations of all features with one, computed when they are asked for.

    Parameters
    ----------
    X : csc_array
        Without missing values.
    moments
        Of the same features.
    relevance
        The most relevant features are likely to be asked for first.
    """
    overall = Overall.of(moments)
    likely = np.argsort(-relevance, kind="stable")
    return FetchedCorrelation(overall, partial(products, X, overall.mean), likely, AT_ONCE)


def products(X: Sparse, mean: Floats, chosen: Ints) -> Floats:
    """Sums of the products of all features with some chosen ones, less the means, (p, chosen).

    The deviations of a chosen feature add up to 0, so those of the others need not be taken.
    """
    deviations = X[:, chosen].toarray().astype(np.float64) - mean[chosen]
    found: Floats = X.T @ deviations
    # Of the deviations' sum only rounding is left; it is multiplied by large means.
    found -= mean[:, None] * deviations.sum(axis=0)
    return found
