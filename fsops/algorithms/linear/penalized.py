"""LASSO and elastic net: the exact optimum from a support, and from products of the columns.

The problem is ``min ½ Σ w (y - Xb)² + l1 |b|₁ + ½ l2 |b|²`` with centered columns and weights w
that sum to 1. Iterative solvers stop near its optimum. If they have found the columns with
coefficients and the signs, the optimum solves linear equations, and Karush's and Kuhn & Tucker's
conditions show whether it is one. So results do not depend on where a solver stops, or on how the
rows are stored.

References
----------
Tibshirani et al. (2012), Strong rules for discarding predictors in lasso-type problems, J. R.
Statist. Soc. B 74 (screening with a check of the conditions afterwards).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fsops.algorithms.base.types import Floats, Ints

SLACK = 1e-8
"""Of the penalty: a gradient that exceeds it by less is rounding."""
SINGULAR = 1e-11
"""Smallest squared pivot of a column, as a fraction of its square, for a unique solution."""
AT_ONCE = 64
"""Columns whose products are fetched in one pass."""
TOLERANCES = (1e-6, 1e-10)
"""Of the solver, where the first one does not lead to the optimum."""


class TooManyColumns(Exception):  # noqa: N818 - a fact about the penalty, reported by the caller
    """More columns have coefficients than their products fit into memory."""


@dataclass(frozen=True)
class Penalty:
    """Weights of the sum of absolute values and of half the sum of squares."""

    l1: float
    l2: float = 0.0


def on_support(gram: Floats, target: Floats, signs: Floats, penalty: Penalty) -> Floats | None:
    """Coefficients of columns whose signs are known; None if others have the same fit.

    Parameters
    ----------
    gram : ndarray, shape (k, k)
        Weighted products of the columns.
    target : ndarray, shape (k,)
        Weighted products of the columns with y.
    signs : ndarray, shape (k,)
    """
    from scipy.linalg import cho_factor, cho_solve

    matrix = gram + penalty.l2 * np.eye(len(gram))
    try:
        factor = cho_factor(matrix, lower=True)
    except np.linalg.LinAlgError:
        return None
    if (np.diag(factor[0]) ** 2 <= SINGULAR * np.diag(matrix)).any():
        return None
    right = target - penalty.l1 * signs
    found = cho_solve(factor, right)
    found += cho_solve(factor, right - matrix @ found)  # one step of refinement
    result: Floats = found
    return result if (np.sign(found) == signs).all() else None


def optimum(
    X: Any, y: Floats, start: Floats, penalty: Penalty, weights: Floats | None = None
) -> Floats | None:
    """The optimum whose support is that of approximate coefficients; None if it is not theirs.

    Parameters
    ----------
    X : ndarray or sparse matrix, shape (n, p)
        Columns need not be centered.
    y : ndarray, shape (n,)
    start : ndarray, shape (p,)
    """
    w = np.full(len(y), 1.0 / len(y)) if weights is None else weights / weights.sum()
    support = np.flatnonzero(start)
    residual = y - w @ y
    found = np.zeros(len(start))
    if support.size:
        columns = X[:, support]
        columns = columns.toarray() if hasattr(columns, "toarray") else columns.astype(np.float64)
        columns -= w @ columns
        weighted = columns.T * w
        solved = on_support(
            weighted @ columns, weighted @ residual, np.sign(start[support]), penalty
        )
        if solved is None:
            return None
        found[support] = solved
        residual = residual - columns @ solved
    # The weighted residuals add up to 0, so the means of the columns do not matter.
    gradient = np.abs(X.T @ (w * (residual - w @ residual)))
    gradient[support] = 0.0
    return found if gradient.max(initial=0.0) <= penalty.l1 * (1.0 + SLACK) else None


def from_products(
    target: Floats, fetch: Callable[[Ints], Floats], penalty: Penalty, most: int
) -> Floats:
    """Coefficients of all columns, of which only those that may matter are looked at.

    Starts with the columns most correlated with y. The products of these with all columns give
    the gradient of every column, so that the conditions of the optimum are checked for all of
    them; those that violate them join.

    Parameters
    ----------
    target : ndarray, shape (p,)
        Weighted products of the columns with y.
    fetch : callable
        From columns to their weighted products with all columns, (p, columns).
    most : int
        Number of columns whose products fit into memory.
    """
    support: Ints = np.empty(0, dtype=np.intp)
    products, values = np.empty((len(target), 0)), np.empty(0)
    while True:
        gradient = np.abs(target - products @ values)
        gradient[support] = 0.0
        missed = np.flatnonzero(gradient > penalty.l1 * (1.0 + SLACK))
        if not missed.size:
            break
        joining = missed[np.argsort(-gradient[missed], kind="stable")[:AT_ONCE]]
        if len(support) + len(joining) > most:
            raise TooManyColumns
        products = np.hstack([products, fetch(joining)])
        support = np.concatenate([support, joining])
        values = _small(products[support], target[support], penalty)
    coefficients = np.zeros(len(target))
    coefficients[support] = values
    return coefficients


def _small(gram: Floats, target: Floats, penalty: Penalty) -> Floats:
    """Coefficients from the products of few columns with each other and with y."""
    gram = (gram + gram.T) / 2
    X, y = _rows_with(gram, target)
    estimator = estimator_of(penalty, fit_intercept=False, max_iter=100_000)
    found = np.zeros(len(target))
    for tolerance in TOLERANCES:
        found = np.asarray(estimator.set_params(tol=tolerance).fit(X, y).coef_)
        support = np.flatnonzero(found)
        solved = on_support(
            gram[np.ix_(support, support)], target[support], np.sign(found[support]), penalty
        )
        if solved is None:
            continue
        exact = np.zeros(len(target))
        exact[support] = solved
        gradient = np.abs(target - gram @ exact)
        gradient[support] = 0.0
        if gradient.max(initial=0.0) <= penalty.l1 * (1.0 + SLACK):
            return exact
    return found


def _rows_with(gram: Floats, target: Floats) -> tuple[Floats, Floats]:
    """Few rows whose mean products are the given ones."""
    sizes, vectors = np.linalg.eigh(gram)
    kept = sizes > len(sizes) * np.finfo(float).eps * max(float(sizes[-1]), 0.0)
    roots = np.sqrt(sizes[kept] * max(1, int(kept.sum())))
    if not roots.size:
        return np.zeros((1, len(target))), np.zeros(1)
    rows = roots[:, None] * vectors[:, kept].T
    return np.asfortranarray(rows), len(roots) * (vectors[:, kept].T @ target) / roots


def estimator_of(penalty: Penalty, **settings: Any) -> Any:
    """The solver of scikit-learn for a penalty."""
    from sklearn.linear_model import ElasticNet, Lasso

    if not penalty.l2:
        return Lasso(alpha=penalty.l1, random_state=0, **settings)
    alpha = penalty.l1 + penalty.l2
    return ElasticNet(alpha=alpha, l1_ratio=penalty.l1 / alpha, random_state=0, **settings)


def settle(estimator: Any, X: Any, y: Floats, penalty: Penalty, weights: Floats | None) -> None:
    """Give a fitted Lasso or ElasticNet the coefficients of the exact optimum, if it is near.

    A fit that was stopped by its number of iterations stays as it is.
    """
    import warnings

    if estimator.n_iter_ >= estimator.max_iter:
        return
    usual = estimator.tol
    for tolerance in (usual, *(t for t in TOLERANCES if t < usual)):
        if tolerance < usual:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                estimator.set_params(tol=tolerance, warm_start=True).fit(X, y, weights)
                estimator.set_params(tol=usual, warm_start=False)
        found = optimum(X, y, np.asarray(estimator.coef_, dtype=np.float64), penalty, weights)
        if found is not None:
            estimator.coef_ = found
            means = np.asarray(np.average(y, weights=weights)), _means(X, weights)
            estimator.intercept_ = float(means[0] - means[1] @ found)
            return


def _means(X: Any, weights: Floats | None) -> Floats:
    w = np.full(X.shape[0], 1.0 / X.shape[0]) if weights is None else weights / weights.sum()
    result: Floats = np.asarray(X.T @ w)
    return result
