"""Screening of very many features, in rounds.

References
----------
Fan & Lv (2008), Sure independence screening for ultrahigh dimensional feature space,
J. R. Statist. Soc. B 70.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import gammaln

from fsops.algorithms.base.types import Floats, Ints, Numbers
from fsops.algorithms.filters import univariate
from fsops.algorithms.linear.lars import lars_path

Criterion = Literal["BIC", "EBIC"]

EXPLAINED = 1e-10
"""Fraction of the label's variation below which nothing is left to explain."""
COPIED = 1e-7
"""A feature of which a smaller share is not explained follows from the others."""
BATCHES = 4
"""In large rounds, features that replace a later one take all places."""


@dataclass(frozen=True, slots=True, eq=False)
class Screening:
    """The result of an iterative screening.

    Attributes
    ----------
    kept : ndarray of int
        Features, that with the largest standardized coefficient first.
    rounds : ndarray of int, shape (p,)
        In which round each came to stay, counted from 1; 0 for those that were not kept.
    places : int
        How many features could be kept at most.
    """

    kept: Ints
    rounds: Ints
    places: int


def iterative_sis(
    X: Numbers,
    y: Numbers,
    *,
    keep: int | Literal["n/log n", "n-1"] = "n/log n",
    criterion: Criterion = "BIC",
) -> Screening:
    """Screen, let the LASSO choose among the best, and screen the rest on the residual.

    Each round takes a quarter as many features as there are places: those of the others that,
    freed of the part that the kept ones explain, are most correlated with the residual, first with
    y. (Without freeing them, features that resemble a missing one crowd it out.) The LASSO of y
    on them and the kept ones together chooses the features to keep: the point of its path whose
    least squares fit has the smallest BIC (or EBIC). That fit leaves the residual of the next
    round. It ends when all places are taken, when the kept ones stay the same or return, or when
    nothing is left to explain.

    A feature that is not correlated with y alone, but together with others, can be found; one
    that copies a kept feature is not taken again.

    Parameters
    ----------
    X : ndarray, shape (n, p)
    y : ndarray, shape (n,)
    keep
        At most so many: floor(n / ln n), n - 1, or a number, but never more than n - 2.
    criterion
        "EBIC" adds 2 ln C(p, k) to the BIC of k features: it allows for the choice among all p,
        and takes few or none where y has nothing to do with them.

    References
    ----------
    Chen & Chen (2008), Extended Bayesian information criteria for model selection with large model
    spaces, Biometrika 95.
    Fan, Samworth & Wu (2009), Ultrahigh dimensional feature selection: beyond the linear model,
    JMLR 10.
    """
    y = np.asarray(y, dtype=np.float64)
    n, p = X.shape
    screened = int(univariate.sis(X, y, keep=keep).weights.sum())
    places = min(screened, max(n - 2, 1))
    kept = np.empty(0, dtype=np.intp)
    rounds = np.zeros(p, dtype=np.intp)
    residual = y - y.mean()
    total = float(residual @ residual)
    seen: set[frozenset[int]] = set()
    batch = max(1, places // BATCHES)
    while len(kept) < places and float(residual @ residual) > EXPLAINED * total:
        rest = np.setdiff1d(np.arange(p), kept)
        beyond = _beyond(X[:, kept], X[:, rest])
        scores = univariate.sis(beyond, residual, keep=min(batch, places - len(kept)))
        together = np.concatenate([kept, rest[scores.weights > 0]])
        kept = together[_by_criterion(X[:, together], y, p if criterion == "EBIC" else None)]
        if frozenset(kept.tolist()) in seen:
            break
        seen.add(frozenset(kept.tolist()))
        rounds[np.setdiff1d(np.flatnonzero(rounds), kept)] = 0
        rounds[kept[rounds[kept] == 0]] = len(seen)
        residual = _residual(X[:, kept], y)
    return Screening(kept, rounds, places)


def _by_criterion(X: Numbers, y: Floats, p: int | None) -> Ints:
    """Return the features where the LASSO path has the smallest BIC (of p: EBIC), largest first."""
    path = lars_path(X, y)
    n = len(y)
    merits: list[float] = []
    for support in path.supports:
        residual = _residual(X[:, support], y)
        rest = max(float(residual @ residual), np.finfo(float).tiny)
        size = len(support)
        choices = 0.0 if p is None else gammaln(p + 1) - gammaln(size + 1) - gammaln(p - size + 1)
        merits.append(n * np.log(rest / n) + size * np.log(n) + 2.0 * float(choices))
    best = int(np.argmin(merits))
    order = np.argsort(-np.abs(path.values[best]), kind="stable")
    chosen: Ints = path.supports[best][order]
    return chosen


def _beyond(X: Numbers, others: Numbers) -> Floats:
    """Return what X does not explain of other features; 0 where only rounding is left."""
    left = _residual(X, others)
    spread = others.std(axis=0)
    left[:, left.std(axis=0) <= COPIED * spread] = 0.0
    return left


def _residual(X: Numbers, y: Numbers) -> Floats:
    """Return the residuals of a least squares fit with a constant, of y or of several columns."""
    centred = X - X.mean(axis=0)
    # In one scale: else least squares takes features in small units for rounding.
    largest = np.abs(centred).max(axis=0, initial=0.0)
    design = np.column_stack([np.ones(len(y)), centred / np.where(largest > 0, largest, 1.0)])
    residual: Floats = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    return residual
