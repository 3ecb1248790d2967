"""Analysis of variance of many columns at once."""

from __future__ import annotations

import numpy as np

from fsops.algorithms.base.types import Floats, Ints
from fsops.algorithms.statistics.significance import f_p_values


def anova_p_values(X: Floats, codes: Ints) -> Floats:
    """P-value of a one-way analysis of variance of each column, grouped by codes.

    Missing values (NaN, and codes below 0) are left out. NaN where there are fewer than two groups
    or as many groups as rows; 1 if all means are equal, 0 if only the means differ.
    """
    rows = codes >= 0
    _, groups = np.unique(codes[rows], return_inverse=True)
    values = X[rows]
    known = ~np.isnan(values)
    size = known.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        grand = np.where(known, values, 0.0).sum(axis=0) / size
        centred = np.where(known, values - grand, 0.0)
        member = np.eye(int(groups.max(initial=-1)) + 1)[groups]
        counts, sums = member.T @ known, member.T @ centred
        means = np.where(counts > 0, sums / counts, 0.0)
        between = (counts * means**2).sum(axis=0)
        within = (np.where(known, centred - means[groups], 0.0) ** 2).sum(axis=0)
        df = np.array([(counts > 0).sum(axis=0) - 1.0, size - (counts > 0).sum(axis=0)])
        f = (between / df[0]) / (within / df[1])
    exact = (
        np.ptp(np.where(known, values, grand), axis=0, keepdims=True)[0] if len(values) else size
    )
    p = np.where(within == 0, 0.0, f_p_values(f, df))
    p = np.where((between == 0) | (exact == 0), 1.0, p)
    return np.where((df > 0).all(axis=0), p, np.nan)
