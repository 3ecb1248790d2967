"""Permutation importance: the loss of a trained model when the values of a feature are permuted.

References
----------
Breiman (2001), Random forests. Machine Learning 45.
Phipson & Smyth (2010), Permutation p-values should never be zero. SAGMB 9.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fsops.algorithms.base.types import Floats, Ints
from fsops.algorithms.chance.p_values import TIED


class Importances(NamedTuple):
    """Importances of features, (p,) each."""

    mean: Floats
    """Loss of merit by permutation, over splits and permutations."""
    deviation: Floats
    """Sample standard deviation of the mean loss over the splits; NaN for one split."""
    p_values: Floats
    """(b + 1) / (m + 1), where b of m permutations reach the merit of the true values."""


def row_orders(n: int, count: int, rng: np.random.Generator, groups: Ints | None = None) -> Ints:
    """Random orders of rows, (count, n).

    Rows of one group take the values of another group, in their order, so that values which are
    the same within groups stay so. A group that is larger begins again with the first row.
    """
    if groups is None:
        return np.argsort(rng.random((count, n)), axis=1)
    members = [np.flatnonzero(groups == group) for group in np.unique(groups)]
    orders = np.empty((count, n), dtype=np.intp)
    for order in orders:
        sources = rng.permutation(len(members))
        for rows, source in zip(members, sources, strict=True):
            order[rows] = np.resize(members[source], len(rows))
    return orders


def importances(true: Floats, permuted: Floats) -> Importances:
    """Importances and p-values from the merits of trained models, larger being better.

    Parameters
    ----------
    true
        Merit of each split on its test rows, (splits,); NaN where it is not defined.
    permuted
        The same with permuted values, (splits, permutations, p).

    Returns
    -------
    Importances
        Splits without a defined merit are left out. Equal merits count against a feature.
    """
    known = ~np.isnan(true)
    true, permuted = true[known], permuted[known]
    loss = (true[:, None, None] - permuted).mean(axis=1)
    deviation = loss.std(axis=0, ddof=1) if len(true) > 1 else np.full(loss.shape[1], np.nan)
    merit = float(true.mean())
    reached = permuted.mean(axis=0) >= merit - TIED * max(abs(merit), 1e-300)
    p_values = (reached.sum(axis=0) + 1) / (permuted.shape[1] + 1)
    return Importances(loss.mean(axis=0), deviation, p_values)
