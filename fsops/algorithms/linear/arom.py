"""Approximation of the zero norm: linear machines that leave most features out (AROM).

Each iteration fits a linear model to scaled features and scales the features by its weights,
until only few are left. Prior knowledge about features enters as a factor of the scaling.

References
----------
Weston, Elisseeff, Schölkopf & Tipping (2003), Use of the zero norm with linear models and kernel
methods, JMLR 3.
Helleputte & Dupont (2009), Partially supervised feature selection with regularized linear models,
ICML.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

import numpy as np

from fsops.algorithms.base.scaling import unit_rows
from fsops.algorithms.base.types import Bools, Floats, Ints, Numbers, as_classes, as_matrix
from fsops.algorithms.linear.svm_dual import WarmMachines
from fsops.algorithms.linear.svm_rfe import class_signs, finite_cost
from fsops.memory import require_pairs

Norm: TypeAlias = Literal["l1", "l2"]
OnIteration: TypeAlias = Callable[[int], None]

COST = 1e3
"""Cost of a slack, features being scaled to rows of mean squared length 1."""
MOST_ITERATIONS = 100
DEAD = 1e-12  # scaling, relative to the largest, below which a feature is given up
STILL = 1e-6  # change of the relative scalings that counts as none
FALLING = 1e-3  # share of a relative scaling; one that loses more is on its way to 0
FIRST_COLUMNS = 500  # of a linear programme; the others join if they would improve it
PRICE = 1e-9  # by how much they have to


@dataclass(frozen=True, slots=True, eq=False)
class ZeroNorm:
    """Result of an approximation of the zero norm.

    Attributes
    ----------
    order
        All features, best first: survivors by their scaling, then the later dropped.
    survivors
        Features with a scaling above 0, ascending.
    scale
        Absolute scalings relative to the largest, 0 for dropped features, (p,).
    coefficients
        Weights of the last machine for standardized features, (p,); for more than two classes
        their length over the classes.
    dropped_in
        Number of the iteration (from 1) that dropped a feature, 0 for survivors, (p,). Constant
        features are dropped in the first one.
    iterations
        How many machines were fitted (per class).
    converged
        Whether the last iteration changed nothing, and no scaling is on its way to 0.
    """

    order: Ints
    survivors: Ints
    scale: Floats
    coefficients: Floats
    dropped_in: Ints
    iterations: int
    converged: bool

    @property
    def ranking(self) -> Ints:
        """Ranks 1 (best) to p, (p,)."""
        ranks = np.empty_like(self.order)
        ranks[self.order] = np.arange(1, self.order.size + 1)
        return ranks


def arom(
    X: Numbers,
    codes: Numbers,
    *,
    norm: Norm = "l2",
    prior: Numbers | None = None,
    start: Literal["prior", "equal"] = "prior",
    C: float = COST,
    tol: float = 1e-8,
    max_iterations: int = MOST_ITERATIONS,
    on_iteration: OnIteration | None = None,
) -> ZeroNorm:
    """Ranking of features by approximating the zero norm of a linear machine.

    Repeats ``z <- |z * w * prior|`` with the weights w of a machine on the features times z, from
    z = prior (PS-l2-AROM) or z = 1 (PK-RFE). Without a prior it is l1- or l2-AROM.

    Parameters
    ----------
    X
        Rows by features, without missing values. They are standardized here.
    codes
        Class of each row, 0..C-1. More than two classes: one machine per class against the rest,
        a feature's weight is the length of its weights over the classes.
    norm
        Of the weights the machine minimizes: "l1" is a linear programme, "l2" a support vector
        machine.
    prior
        How relevant each feature is beforehand, (p,), above 0; the larger the less it is
        penalized. Only their proportions matter.
    start
        Whether features start with the scaling `prior` or 1.
    C
        Cost of a slack; infinity (a hard margin) stands for 1e6. Features are scaled to rows of
        mean squared length 1 before each fit, so that C means the same in all iterations.
    tol
        Largest gap of the optimality conditions of a support vector machine.
    max_iterations
        When to stop without convergence.
    on_iteration
        Called after each iteration with its number.

    References
    ----------
    Weston, Elisseeff, Schölkopf & Tipping (2003), Use of the zero norm with linear models and
    kernel methods, JMLR 3; Helleputte & Dupont (2009), Partially supervised feature selection
    with regularized linear models, ICML.
    """
    rows = standard_rows(X)
    signs = class_signs(as_classes(codes, rows.shape[1]))
    cost = finite_cost(C)
    machine = _Programme(signs, cost) if norm == "l1" else _VectorMachine(signs, cost, tol)
    scaling = _Scaling(rows, log_prior(prior, len(rows)), start)
    converged = not scaling.active.size
    number = 0
    while number < max_iterations and not converged:
        number += 1
        converged = scaling.improve(machine, number)
        if on_iteration is not None:
            on_iteration(number)
    return scaling.result(number, converged)


def standard_rows(X: Numbers) -> Floats:
    """Columns of X as rows of mean 0 and population deviation 1; constant ones are 0."""
    X = as_matrix(X)
    rows = unit_rows(X)[0]
    rows *= np.sqrt(len(X))
    return rows


def log_prior(prior: Numbers | None, p: int) -> Floats:
    """Logarithms of prior relevances, checked; 0 without any."""
    if prior is None:
        return np.zeros(p)
    values = np.asarray(prior, dtype=np.float64)
    if values.shape != (p,):
        raise ValueError(f"There are {p} features, but the prior has shape {values.shape}.")
    if not (np.isfinite(values) & (values > 0)).all():
        raise ValueError("Prior relevances must be above 0 and finite.")
    logs: Floats = np.log(values)
    return logs


class _Machine(Protocol):
    """Returns weights, one row for each row of signs."""

    def fit(self, scaled: Floats) -> tuple[Floats, Floats]:
        """Weights of scaled features (features by rows), and what decides between equal ones."""
        ...


class _Scaling:
    """Scalings of features, kept as logarithms: they fall below any number quickly."""

    def __init__(self, rows: Floats, prior: Floats, start: str) -> None:
        p = len(rows)
        self.rows = rows  # of the active features
        self.active = np.arange(p)
        self.log_prior = prior
        self.logs = prior.copy() if start == "prior" else np.zeros(p)
        self.tie = np.zeros(p)
        self.coefficients = np.zeros(p)
        self.dropped_in = np.zeros(p, dtype=np.intp)
        varying: Bools = (rows != 0).any(axis=1)
        if not varying.all():
            self.logs[~varying] = -np.inf
            self._drop(varying, 1)
        self.before = self._relative()

    def improve(self, machine: _Machine, number: int) -> bool:
        """Scale by the weights of a machine; return whether nothing changed."""
        scale = self.before / np.sqrt((self.before**2).sum())
        weights, tie = machine.fit(self.rows * scale[:, None])
        size = scale * _length(weights)
        if not size.any():
            return True  # the classes have the same center, and no weight tells them apart
        self.coefficients[:] = 0.0
        self.coefficients[self.active] = scale * weights[0] if len(weights) == 1 else size
        with np.errstate(divide="ignore"):
            self.logs[self.active] = np.log(size) + self.log_prior[self.active]
        self.tie[self.active] = scale * _length(tie)
        relative = self._relative()
        alive = relative > DEAD
        if not alive.all():
            self._drop(alive, number)
            self.before = relative[alive]
            return False
        moved = float(np.abs(relative - self.before).max())
        # A small scaling may move by less than STILL and still vanish in the end.
        vanishing = bool((relative < (1.0 - FALLING) * self.before).any())
        self.before = relative
        return moved < STILL and not vanishing

    def _relative(self) -> Floats:
        logs = self.logs[self.active]
        relative: Floats = np.exp(logs - logs.max()) if logs.size else logs
        return relative

    def _drop(self, alive: Bools, number: int) -> None:
        self.dropped_in[self.active[~alive]] = number
        self.active, self.rows = self.active[alive], self.rows[alive]

    def result(self, iterations: int, converged: bool) -> ZeroNorm:
        scale = np.zeros(self.logs.size)
        scale[self.active] = self.before
        last = np.where(self.dropped_in > 0, self.dropped_in, iterations + 1)
        order = np.lexsort((-self.tie, -self.logs, -last))
        return ZeroNorm(
            order, self.active, scale, self.coefficients, self.dropped_in, iterations, converged
        )


def _length(weights: Floats) -> Floats:
    length: Floats = np.sqrt((weights**2).sum(axis=0)) if len(weights) > 1 else np.abs(weights[0])
    return length


class _VectorMachine:
    """Support vector machines, each started from the solution of the iteration before."""

    def __init__(self, signs: Floats, cost: float, tol: float) -> None:
        self.machines = WarmMachines(signs, cost, tol)

    def fit(self, scaled: Floats) -> tuple[Floats, Floats]:
        beta = self.machines.solve(scaled.T @ scaled, rank=len(scaled))
        weights: Floats = beta @ scaled.T
        return weights, weights


class _Programme:
    """Linear programmes of few columns; others join as long as they improve the solution."""

    def __init__(self, signs: Floats, cost: float) -> None:
        self.signs = signs
        self.cost = cost

    def fit(self, scaled: Floats) -> tuple[Floats, Floats]:
        weights, prices = (np.empty((len(self.signs), len(scaled))) for _ in range(2))
        for c, sign in enumerate(self.signs):
            weights[c], prices[c] = self._fit_one(scaled, sign)
        return weights, prices

    def _fit_one(self, scaled: Floats, signs: Floats) -> tuple[Floats, Floats]:
        balance = signs / np.where(signs > 0, (signs > 0).sum(), (signs < 0).sum())
        weights = np.zeros(len(scaled))
        price = np.abs(scaled @ balance)
        inside = np.empty(0, dtype=np.intp)
        joining = _dearest(price, np.ones(len(scaled), dtype=bool))
        while joining.size:
            inside = np.union1d(inside, joining)
            weights[inside], duals = _least_sum(scaled[inside], signs, self.cost)
            price = np.abs(scaled @ duals)
            outside = price > 1.0 + PRICE
            outside[inside] = False
            joining = _dearest(price, outside)
        return weights, price


def _dearest(price: Floats, allowed: Bools) -> Ints:
    """The allowed features of the highest price, at most as many as join at once."""
    (found,) = allowed.nonzero()
    return found[np.argsort(-price[found], kind="stable")[:FIRST_COLUMNS]]


def _least_sum(rows: Floats, signs: Floats, cost: float) -> tuple[Floats, Floats]:
    """Weights of least absolute sum that separate the classes, and the signed duals by row.

    Columns of the programme: positive and negative parts of the weights, bias, slacks.
    """
    from scipy.optimize import linprog

    p, n = rows.shape
    require_pairs(n, n, "The linear program")
    half = -signs[:, None] * rows.T
    left = np.hstack([half, -half, -signs[:, None], -np.eye(n)])
    objective = np.concatenate([np.ones(2 * p), [0.0], np.full(n, cost)])
    bounds = [(0, None)] * (2 * p) + [(None, None)] + [(0, None)] * n
    solved = linprog(objective, A_ub=left, b_ub=-np.ones(n), bounds=bounds, method="highs")
    if solved.x is None:
        raise ArithmeticError(f"The linear programme was not solved: {solved.message}")
    weights: Floats = solved.x[:p] - solved.x[p : 2 * p]
    return weights, -solved.ineqlin.marginals * signs
