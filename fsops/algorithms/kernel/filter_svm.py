"""A support vector machine whose width and cost follow from the data.

The parts of a challenge entry that combined a filter with a machine: a Gaussian width from the
distances between the classes, a margin without errors, a ridge for each class.

References
----------
Lal, Chapelle & Schölkopf (2006), Combining a filter method with SVMs, in: Feature Extraction,
Foundations and Applications.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fsops.algorithms.base import resampling
from fsops.algorithms.base.distances import squared_distances
from fsops.algorithms.base.types import Bools, Floats, Ints, is_sparse
from fsops.algorithms.statistics import agreement
from fsops.memory import require_pairs

Kernel = Literal["linear", "gaussian"]

FIRST_COST = 100.0
LAST_COST = 1e8
"""Where classes are still mixed at this cost of errors, no border is taken to separate them."""
STEP = 10.0
ITERATIONS = 2_000_000
SETTLED = 1e-9  # a multiplier so near the cost is at its bound
TOLERANCE = 1e-3


@dataclass(frozen=True, eq=False)
class FilterMachine:
    """A two-class machine on a kernel matrix.

    Attributes
    ----------
    support : ndarray of int
        Rows with a multiplier above 0.
    dual : ndarray
        Their multipliers times the class signs.
    bias : float
    C : float
        The cost of errors that was used in the end.
    separable : bool
        Whether no multiplier is at that cost: the solution is the one without errors.
    margin : float
        Distance of the border from the rows nearest to it, 1 / |w|, in the space of the kernel,
        with its ridge. Infinite if the border does not depend on the rows.
    """

    support: Ints
    dual: Floats
    bias: float
    C: float
    separable: bool
    margin: float

    def decide(self, gram: Floats) -> Floats:
        """Signed distances of rows, from their kernel values with the support vectors."""
        decision: Floats = gram @ self.dual + self.bias
        return decision


def width(X: Floats, positive: Bools) -> float:
    """Mean distance of a row to the nearest row of the other class.

    Where every row has a double in the other class it is the median distance of two rows.

    Parameters
    ----------
    X : ndarray, shape (n, p)
    positive : ndarray of bool, shape (n,)

    Raises
    ------
    ValueError
        If a class is missing, or all rows are the same.
    """
    if positive.all() or not positive.any():
        raise ValueError("Both classes need rows.")
    across = np.sqrt(squared_distances(X[positive], X[~positive]))
    sigma = float(np.concatenate([across.min(axis=1), across.min(axis=0)]).mean())
    if sigma > 0:
        return sigma
    first, second = np.triu_indices(len(X), 1)
    sigma = float(np.median(np.sqrt(squared_distances(X, X)[first, second])))
    if sigma > 0:
        return sigma
    raise ValueError("All rows are the same.")


def gram(X: Floats, Z: Floats, kernel: Kernel, sigma: float) -> Floats:
    """Kernel values of the rows of two matrices: inner products, or exp(-d^2 / (2 sigma^2))."""
    require_pairs(X.shape[0], Z.shape[0], "The kernel matrix")
    if kernel == "linear":
        products: Any = X @ Z.T  # of dense or sparse matrices
        found: Floats = products.toarray() if is_sparse(products) else products
        return found
    values: Floats = np.exp(squared_distances(X, Z) / (-2.0 * sigma * sigma))
    return values


def class_ridge(positive: Bools) -> Floats:
    """Fraction of rows of a row's own class, to be added to its kernel diagonal.

    A machine without errors on ``K + diag(r)`` is one whose squared errors cost 1 / (2 r): the
    larger class may err more.
    """
    share = float(positive.mean())
    return np.where(positive, share, 1.0 - share)


def fit(
    K: Floats,
    positive: Bools,
    *,
    C: float | None = None,
    ridge: bool = False,
    tol: float = TOLERANCE,
) -> FilterMachine:
    """Fit a two-class machine to a kernel matrix.

    Without ``C`` errors are not allowed: the cost starts at 100 and grows tenfold until no
    multiplier reaches it, which makes the solution the exact one, or until 1e8.

    Parameters
    ----------
    K : ndarray, shape (n, n)
    positive : ndarray of bool, shape (n,)
    C : float, optional
        How much an error costs.
    ridge : bool, default False
        Add the fraction of the own class to the diagonal.
    tol : float
        Of the solver's optimality conditions.
    """
    if positive.all() or not positive.any():
        raise ValueError("Both classes need rows.")
    if ridge:
        K = K + np.diag(class_ridge(positive))
    if C is not None:
        return _solved(K, positive, C, tol)[0]
    cost = FIRST_COST
    while True:
        machine, settled = _solved(K, positive, cost, tol)
        if machine.separable or cost >= LAST_COST or not settled:
            return machine
        cost *= STEP


def _solved(K: Floats, positive: Bools, C: float, tol: float) -> tuple[FilterMachine, bool]:
    """Return the machine at a cost, and whether the solver came to an end."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import SVC

    solver: Any = SVC(C=C, kernel="precomputed", tol=tol, max_iter=ITERATIONS, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        solver.fit(K, positive)
    dual = np.asarray(solver.dual_coef_[0], dtype=np.float64)
    separable = bool(np.abs(dual).max(initial=0.0) < C * (1.0 - SETTLED))
    support = solver.support_.astype(np.intp)
    squared = float(dual @ K[np.ix_(support, support)] @ dual)
    length = float(np.sqrt(max(0.0, squared)))
    margin = 1 / length if length > 0 else np.inf
    machine = FilterMachine(support, dual, float(solver.intercept_[0]), C, separable, margin)
    return machine, solver.fit_status_ == 0


def choose_cost(
    K: Floats,
    positive: Bools,
    costs: Sequence[float],
    folds: int,
    rng: np.random.Generator,
    *,
    ridge: bool = False,
) -> float:
    """Cost with the smallest balanced error rate in a cross-validation; the smallest of equals.

    The mean is over the folds. The ridge is that of the training rows. A fold without which a
    class has no rows is left out.

    Raises
    ------
    ValueError
        If no fold is left.
    """
    part = resampling.partition(len(K), folds, rng, strata=positive.astype(np.intp))
    errors = np.zeros(len(costs))
    usable = [fold for fold in range(folds) if len(set(positive[part != fold].tolist())) == 2]
    if not usable:
        raise ValueError("Both classes need rows in the training part of a fold.")
    for fold in usable:
        train, test = np.flatnonzero(part != fold), np.flatnonzero(part == fold)
        for place, C in enumerate(costs):
            machine = fit(K[np.ix_(train, train)], positive[train], C=C, ridge=ridge)
            decided = machine.decide(K[np.ix_(test, train[machine.support])]) > 0
            counts = agreement.confusion(positive[test].astype(np.intp), decided.astype(np.intp), 2)
            errors[place] += 1.0 - agreement.balanced_classification_rate(counts)
    best = int(np.flatnonzero(errors <= errors.min() + 1e-12 * folds)[0])
    return float(costs[best])
