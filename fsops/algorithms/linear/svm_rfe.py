"""Linear support vector machines and recursive feature elimination with their weights.

The elimination keeps one Gram matrix, subtracts the part of the removed features, and
starts each model from the solution of the round before. How a machine is solved is in
`svm_dual`, how features are eliminated by any weights in `elimination`.

References
----------
Guyon, Weston, Barnhill & Vapnik (2002), Gene selection for cancer classification using support
vector machines, Machine Learning 46.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fsops.algorithms.base.scaling import unit_rows
from fsops.algorithms.base.types import (
    Bools,
    Floats,
    Ints,
    Numbers,
    as_classes,
    as_matrix,
    is_sparse,
)
from fsops.algorithms.kernel.sparse_gram import SparseFeatures
from fsops.algorithms.linear.svm_dual import DualSolution, WarmMachines, solve_dual
from fsops.algorithms.search.elimination import (
    Elimination,
    OnRound,
    Round,
    Weigh,
    eliminate,
    elimination_sizes,
)
from fsops.memory import require_pairs

__all__ = [
    "DualSolution",
    "Elimination",
    "LinearSVM",
    "OnRound",
    "Round",
    "Weigh",
    "class_signs",
    "eliminate",
    "elimination_sizes",
    "finite_cost",
    "linear_svm",
    "solve_dual",
    "svm_rfe",
]

HARD_MARGIN = 1e6
"""The C that stands for infinity."""
SEPARABLE = 1e-3
"""Largest sum of slacks of data called separable."""

# A subtraction leaves the rounding error of what was there. So the Gram matrix is built again when
# no more than this share of its trace is left: less than one digit is lost.
KEPT = 1 / 8

# Removed features are multiplied along until that has cost as much as a copy without them. To
# copy a feature takes about as long as to multiply so many.
COPY = 8


@dataclass(frozen=True, slots=True, eq=False)
class LinearSVM:
    """A linear support vector machine, one row of weights for two classes, else one per class.

    Attributes
    ----------
    weights
        Shape (1, p) or (C, p).
    bias, objective, slack
        Shape (1,) or (C,): bias, value of ``|w|^2 / 2 + C sum(slack)``, and sum of slacks.
    """

    weights: Floats
    bias: Floats
    objective: Floats
    slack: Floats

    @property
    def importance(self) -> Floats:
        """Length of each feature's weights over the classes, (p,); the modulus for one row."""
        return _importance(self.weights)

    @property
    def separable(self) -> bool:
        """Whether the slacks vanish (up to 1e-3), as a hard margin demands."""
        return bool(np.all(self.slack <= SEPARABLE))


def svm_rfe(
    X: Numbers,
    codes: Numbers,
    *,
    keep: int = 1,
    fraction: float | None = None,
    count: int | None = None,
    schedule: Sequence[int] | None = None,
    C: float = 1.0,
    tol: float = 1e-10,
    standardize: bool = True,
    prior: Numbers | None = None,
    history: bool = False,
    on_round: OnRound | None = None,
    never_drop: Bools | None = None,
) -> Elimination:
    """Ranking of features by elimination with the weights of a linear support vector machine.

    Parameters
    ----------
    X
        Rows by features, dense or sparse, without missing values.
    codes
        Class of each row, 0..C-1. More than two classes: one machine per class against the
        rest, a feature's importance is ``sqrt(sum_c w_cj^2)``.
    keep, fraction, count, schedule
        See `elimination_sizes`.
    C
        Cost of a slack, fixed for all rounds; infinity stands for 1e6.
    tol
        Largest gap of the optimality conditions. A loose one does not define a ranking.
    standardize
        Subtract the mean and divide by the population standard deviation of each column.
    prior
        Factor of each feature's weight, (p,): above 1 it is dropped later than by weight.
    history, on_round
        See `eliminate`.
    never_drop
        Features that stay to the end, (p,).

    Returns
    -------
    Elimination

    References
    ----------
    Guyon, Weston, Barnhill & Vapnik (2002), Gene selection for cancer classification using
    support vector machines, Machine Learning 46.
    """
    X = X if is_sparse(X) else as_matrix(X)
    sizes = elimination_sizes(X.shape[1], keep, fraction=fraction, count=count, schedule=schedule)
    signs = class_signs(as_classes(codes, X.shape[0]))
    rows: Any
    if is_sparse(X):
        rows = SparseFeatures.of(X, standardize=standardize)
    elif standardize:
        rows = unit_rows(X)[0]
        rows *= np.sqrt(len(X))
    else:
        rows = np.ascontiguousarray(X, dtype=np.float64).T
    machine = _ShrinkingMachine(rows, signs, finite_cost(C), tol)
    weigh = (
        machine.importance if prior is None else _Favoured(machine, np.asarray(prior)).importance
    )
    return eliminate(weigh, sizes, history=history, on_round=on_round, keep=never_drop)


class _ShrinkingMachine:
    """Weights on ever fewer features, from one Gram matrix and warm starts."""

    def __init__(self, rows: Any, signs: Floats, cost: float, tol: float) -> None:
        self.rows = rows  # features by rows, an array or sparse; may still hold removed features
        self.place = np.arange(len(rows))  # of each feature in these rows
        self.active = np.arange(len(rows))
        self.wasted = 0  # products with removed features since these rows were copied
        self.machines = WarmMachines(signs, cost, tol)
        self.tol = tol
        self._build()

    def importance(self, active: Ints) -> Floats:
        self._shrink_to(active)
        betas = self.machines.solve(self.gram, rank=active.size)
        # One product with a vector each: a matrix product would round them differently.
        weights: Floats = self._of_active(_importance([self.rows @ beta for beta in betas]))
        # Rounding must not decide between features that the machine does not use.
        return np.where(weights > self.tol * weights.max(initial=0.0), weights, 0.0)

    def _shrink_to(self, active: Ints) -> None:
        if active.size == self.active.size:
            return
        removed = np.zeros(self.place.size, dtype=bool)
        removed[self.active] = True
        removed[active] = False
        gone = self.rows[self.place[removed.nonzero()[0]]]
        self.active = active
        self.wasted += len(self.rows) - active.size
        if self.wasted > COPY * active.size:
            self.rows, self.wasted = self._of_active(self.rows), 0
            self.place[active] = np.arange(active.size)
        if len(gone) < active.size:
            self.gram -= _gram(gone)
        if len(gone) >= active.size or self.gram.trace() <= KEPT * self.built:
            self._build()

    def _of_active(self, values: Any) -> Any:
        """The entries of the remaining features, of values beside the rows."""
        return values if self.active.size == len(values) else values[self.place[self.active]]

    def _build(self) -> None:
        rows = self._of_active(self.rows)
        self.gram = _gram(rows)
        self.built = float(self.gram.trace())


def _gram(features: Any) -> Floats:
    """Products of the rows in some features."""
    products: Floats = (
        features.gram() if isinstance(features, SparseFeatures) else features.T @ features
    )
    return products


class _Favoured:
    """Weights times the prior knowledge about the features."""

    def __init__(self, machine: _ShrinkingMachine, prior: Numbers) -> None:
        self.machine = machine
        self.prior = prior

    def importance(self, active: Ints) -> Floats:
        favoured: Floats = self.machine.importance(active) * self.prior[active]
        return favoured


def linear_svm(X: Numbers, codes: Numbers, *, C: float = 1.0, tol: float = 1e-8) -> LinearSVM:
    """Weights and bias of a linear support vector machine, one against the rest.

    Minimizes ``|w|^2 / 2 + C sum_i slack_i`` under ``y_i (w x_i + b) >= 1 - slack_i``,
    ``slack_i >= 0``, through the dual on the rows' Gram matrix.

    Parameters
    ----------
    X
        Rows by features on a common scale, without missing values.
    codes
        Class of each row, 0..C-1; of two classes the larger code is the positive one.
    C
        Cost of a slack; infinity (a hard margin) stands for 1e6.
    tol
        Largest gap of the optimality conditions.

    Returns
    -------
    LinearSVM

    References
    ----------
    Cortes & Vapnik (1995), Support-vector networks, Machine Learning 20.
    """
    X = np.asarray(as_matrix(X), dtype=np.float64)
    signs = class_signs(as_classes(codes, len(X)))
    cost = finite_cost(C)
    require_pairs(len(X), len(X), "The kernel matrix")
    gram = X @ X.T
    solutions = [solve_dual(gram, sign, C=cost, tol=tol) for sign in signs]
    weights = np.array([s.beta for s in solutions]) @ X
    bias = np.array([s.bias for s in solutions])
    slack = np.maximum(0.0, 1.0 - signs * (weights @ X.T + bias[:, None])).sum(axis=1)
    objective = 0.5 * (weights**2).sum(axis=1) + cost * slack
    return LinearSVM(weights, bias, objective, slack)


def _importance(weights: Sequence[Floats] | Floats) -> Floats:
    lengths: Floats = np.abs(weights[0])
    return lengths if len(weights) == 1 else np.sqrt(np.square(weights).sum(axis=0))


def finite_cost(C: float) -> float:
    """C, with a number in the place of infinity."""
    if not C > 0:
        raise ValueError(f"The cost C must be positive, got {C}.")
    return min(C, HARD_MARGIN)


def class_signs(codes: Ints) -> Floats:
    """One row of +1 and -1 for two classes, else one row per class against the rest."""
    classes = np.unique(codes)
    if classes.size < 2:
        raise ValueError("A support vector machine needs rows of at least two classes.")
    positive = classes[1:] if classes.size == 2 else classes
    return np.where(codes == positive[:, None], 1.0, -1.0)
