"""Losses of a prediction, and the kernel machines that minimize them.

A machine predicts ``f = K a + b`` and minimizes ``sum_i L(y_i, f_i) + ridge * a'Ka`` over the
coefficients a and the free intercept b. Labels are numbers, or -1 and +1. Several machines (one for
each class against the rest) are the columns of Y, F and A.

References
----------
Wang, Zhu & Zou (2008), Hybrid huberized support vector machines for microarray classification and
gene selection, Bioinformatics 24(3), 412-419.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fsops.algorithms.base.types import Bools, Floats
from fsops.algorithms.linear.svm_dual import solve_dual

LossName = Literal["squared error", "squared hinge", "huberized hinge", "binomial deviance"]
Machine = Callable[[Floats, Floats, float, Floats, float], tuple[Floats, float]]

STEPS = 50
SETTLED = 1e-10
SMALLEST_STEP = 1e-6
SMALLEST_CURVATURE = 1e-10
HUBER_WIDTH = 2.0  # margins 1 - HUBER_WIDTH ... 1 have a quadratic loss, smaller ones a linear one
FLAT_SHARE = 1e-6  # of the largest curvature, where the Huberized hinge has none
ROUNDING = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Loss:
    """A convex, smooth loss.

    Attributes
    ----------
    value
        Sum of the losses.
    slope
        Derivative of each loss by its prediction.
    constant
        The prediction of a machine without features: best constant for a column of labels.
    curvature
        Largest second derivative.
    bends
        Where the second derivative is not 0: there it is at most `curvature`.
    machine
        Best a and b for a kernel matrix, from a start.
    """

    name: LossName
    value: Callable[[Floats, Floats], float]
    slope: Callable[[Floats, Floats], Floats]
    constant: Callable[[Floats], float]
    curvature: float
    bends: Callable[[Floats, Floats], Bools]
    machine: Machine

    def machines(
        self, gram: Floats, Y: Floats, ridge: float, A: Floats, b: Floats
    ) -> tuple[Floats, Floats]:
        """Best coefficients (rows, machines) and intercepts, from a start."""
        found = [
            self.machine(gram, y, ridge, a, intercept)
            for y, a, intercept in zip(Y.T, A.T, b.tolist(), strict=True)
        ]
        return np.column_stack([a for a, _ in found]), np.array([b for _, b in found])

    def constants(self, Y: Floats) -> Floats:
        """Best constant for each machine."""
        return np.array([self.constant(y) for y in Y.T])

    def without_features(self, Y: Floats) -> float:
        """The loss of the best constants."""
        return self.value(Y, np.broadcast_to(self.constants(Y), Y.shape))


@dataclass(frozen=True, eq=False)
class Task:
    """The targets of the models.

    Attributes
    ----------
    X
        Standardized features, (rows, features).
    Y
        Labels, (rows, machines).
    ridge
        Penalty of the coefficients, above 0.
    """

    X: Floats
    Y: Floats
    loss: Loss
    ridge: float = 1.0


def ridge_machine(
    gram: Floats, y: Floats, ridge: float | Floats, a: Floats | None = None, b: float = 0.0
) -> tuple[Floats, float]:
    """Solve (K + ridge) a + b = y with sum(a) = 0; the ridge may differ from row to row.

    A ridge that is lost in the rounding of the kernel leaves directions that the kernel does not
    see, as with rows that occur twice. The shortest of the equally good answers is taken then.
    """
    if not np.min(ridge) > ROUNDING * len(y) * np.trace(gram):
        return _shortest_machine(gram, y, ridge)
    system = gram.copy()
    system.flat[:: len(y) + 1] += ridge
    answers = np.linalg.solve(system, np.column_stack([y, np.ones(len(y))]))
    intercept = float(answers[:, 0].sum() / answers[:, 1].sum())
    return answers[:, 0] - intercept * answers[:, 1], intercept


def _shortest_machine(gram: Floats, y: Floats, ridge: float | Floats) -> tuple[Floats, float]:
    """The same for a system that is singular but for rounding.

    Rows are divided by the root of their ridge, so that it is 1 for all, and the intercept is
    projected out. Directions in which the kernel is not above the ridge are left out.
    """
    share = 1 / np.sqrt(np.broadcast_to(ridge, y.shape))
    system = gram * share[:, None] * share + np.eye(len(y))
    unit = share / np.linalg.norm(share)
    left = np.outer(unit, unit @ system)
    inner = system - left - left.T + (unit @ system @ unit) * np.outer(unit, unit)
    target = share * y
    aside = target - (unit @ target) * unit
    values, vectors = np.linalg.eigh((inner + inner.T) / 2)
    seen = values > max(2.0, ROUNDING * len(y) * float(values[-1]))
    a = vectors[:, seen] @ ((aside @ vectors[:, seen]) / values[seen])
    intercept = float(unit @ (target - system @ a) / np.linalg.norm(share))
    return share * a, intercept


def _newton(
    gram: Floats,
    ridge: float,
    start: tuple[Floats, float],
    loss: Callable[[Floats], float],
    propose: Callable[[Floats], tuple[Floats, float] | None],
) -> tuple[Floats, float]:
    """Newton steps, halved while they do not bring the objective down."""

    def objective(a: Floats, b: float) -> float:
        reached = gram @ a
        return loss(reached + b) + ridge * float(a @ reached)

    a, b = start
    value = objective(a, b)
    for _ in range(STEPS):
        proposed = propose(gram @ a + b)
        if proposed is None:
            break
        towards, step = (proposed[0] - a, proposed[1] - b), 1.0
        reached = objective(*proposed)
        while reached > value and step > SMALLEST_STEP:
            step /= 2
            reached = objective(a + step * towards[0], b + step * towards[1])
        if reached > value:
            break
        a, b = a + step * towards[0], b + step * towards[1]
        gained, value = value - reached, reached
        if gained <= SETTLED * (1 + abs(value)):
            break
    return a, b


# --- squared error ------------------------------------------------------------------------------


def _squared(Y: Floats, F: Floats) -> float:
    return float(((Y - F) ** 2).sum())


def _squared_slope(Y: Floats, F: Floats) -> Floats:
    return np.asarray(-2.0 * (Y - F))


def _everywhere(Y: Floats, F: Floats) -> Bools:
    return np.ones(Y.shape, dtype=bool)


# --- squared hinge ------------------------------------------------------------------------------


def _hinge(Y: Floats, F: Floats) -> float:
    return float((np.maximum(0.0, 1.0 - Y * F) ** 2).sum())


def _hinge_slope(Y: Floats, F: Floats) -> Floats:
    return np.asarray(-2.0 * Y * np.maximum(0.0, 1.0 - Y * F))


def _hinge_machine(
    gram: Floats, y: Floats, ridge: float, a: Floats, b: float
) -> tuple[Floats, float]:
    def propose(f: Floats) -> tuple[Floats, float] | None:
        rows = np.flatnonzero(y * f < 1.0)
        if not len(rows):
            return None
        proposed = np.zeros(len(y))
        proposed[rows], intercept = ridge_machine(gram[np.ix_(rows, rows)], y[rows], ridge)
        return proposed, intercept

    return _newton(gram, ridge, (a, b), lambda f: _hinge(y, f), propose)


# --- Huberized hinge ------------------------------------------------------------------------------


def _huberized(Y: Floats, F: Floats) -> float:
    short = np.maximum(0.0, 1.0 - Y * F)
    quadratic = np.minimum(short, HUBER_WIDTH)
    return float((quadratic**2 / (2 * HUBER_WIDTH) + (short - quadratic)).sum())


def _huberized_slope(Y: Floats, F: Floats) -> Floats:
    return np.asarray(-Y * np.clip((1.0 - Y * F) / HUBER_WIDTH, 0.0, 1.0))


def _huberized_bends(Y: Floats, F: Floats) -> Bools:
    return np.asarray((Y * F < 1.0) & (Y * F > 1.0 - HUBER_WIDTH))


def _huberized_machine(
    gram: Floats, y: Floats, ridge: float, a: Floats, b: float
) -> tuple[Floats, float]:
    def propose(f: Floats) -> tuple[Floats, float]:
        bends = _huberized_bends(y, f)
        flat = FLAT_SHARE if bends.any() else 1.0  # else a step that never goes too far
        curvature = np.where(bends, 1.0, flat) / HUBER_WIDTH
        target = f - _huberized_slope(y, f) / curvature
        return ridge_machine(gram, target, 2 * ridge / curvature)

    return _newton(gram, ridge, (a, b), lambda f: _huberized(y, f), propose)


# --- binomial deviance --------------------------------------------------------------------------


def _deviance(Y: Floats, F: Floats) -> float:
    return float(np.logaddexp(0.0, -Y * F).sum())


def _deviance_slope(Y: Floats, F: Floats) -> Floats:
    return np.asarray(-Y * _doubt(Y * F))


def _doubt(margin: Floats) -> Floats:
    """1 / (1 + exp(margin)), without overflow."""
    return np.asarray(np.exp(-np.logaddexp(0.0, margin)))


def _deviance_machine(
    gram: Floats, y: Floats, ridge: float, a: Floats, b: float
) -> tuple[Floats, float]:
    def propose(f: Floats) -> tuple[Floats, float]:
        doubt = _doubt(y * f)
        curvature = np.maximum(doubt * (1 - doubt), SMALLEST_CURVATURE)
        return ridge_machine(gram, f + y * doubt / curvature, 2 * ridge / curvature)

    return _newton(gram, ridge, (a, b), lambda f: _deviance(y, f), propose)


def _log_odds(y: Floats) -> float:
    positive = float((y > 0).mean())
    return float(np.log(positive / (1 - positive)))


LOSSES: dict[str, Loss] = {
    loss.name: loss
    for loss in (
        Loss(
            "squared error",
            _squared,
            _squared_slope,
            lambda y: float(y.mean()),
            curvature=2.0,
            bends=_everywhere,
            machine=ridge_machine,
        ),
        Loss(
            "squared hinge",
            _hinge,
            _hinge_slope,
            lambda y: float(y.mean()),  # 2q - 1, with q the share of +1
            curvature=2.0,
            bends=lambda Y, F: Y * F < 1,
            machine=_hinge_machine,
        ),
        Loss(
            "huberized hinge",
            _huberized,
            _huberized_slope,
            lambda y: float(y.mean()),  # all margins of a constant are in the quadratic part
            curvature=1 / HUBER_WIDTH,
            bends=_huberized_bends,
            machine=_huberized_machine,
        ),
        Loss(
            "binomial deviance",
            _deviance,
            _deviance_slope,
            _log_odds,
            curvature=0.25,
            bends=_everywhere,
            machine=_deviance_machine,
        ),
    )
}


# --- machines by name ---------------------------------------------------------------------------

MachineName = Literal["kernel ridge", "support vector machine", "kernel logistic regression"]
_LOSS_OF: dict[str, LossName] = {
    "kernel ridge": "squared error",
    "kernel logistic regression": "binomial deviance",
}


def trained(name: MachineName, gram: Floats, Y: Floats, ridge: float) -> tuple[Floats, Floats]:
    """Coefficients (rows, machines) and intercepts of a machine for each column of labels.

    The support vector machine minimizes ``sum_i max(0, 1 - y_i f_i) + ridge * a'Ka``, which is the
    usual form with C = 1 / (2 ridge).
    """
    if name != "support vector machine":
        start = np.zeros_like(Y), np.zeros(Y.shape[1])
        return LOSSES[_LOSS_OF[name]].machines(gram, Y, ridge, *start)
    found = [solve_dual(gram, y, C=1 / (2 * ridge)) for y in Y.T]
    return np.column_stack([one.beta for one in found]), np.array([one.bias for one in found])
