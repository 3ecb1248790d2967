"""The objective of KNIFE as a function of the weights alone.

For given weights the best coefficients and intercepts are unique, so they can be eliminated:

    J(w) = min over a, b of  sum_i L(y_i, f_i) + ridge * a'K_w a + penalty * sum_j w_j

`machine_for` evaluates J, `Tangent` its gradient, and `refined` minimizes it in the box [0, 1] with
L-BFGS-B. The gradient of a weight at 0 is the penalty: such a weight stays 0.

References
----------
Byrd, Lu, Nocedal & Zhu (1995), A limited memory algorithm for bound constrained optimization, SIAM
Journal on Scientific Computing 16(5), 1190-1208.
"""

from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base.types import Floats, Ints
from fsops.algorithms.kernel.knife.kernels import WeightedKernel
from fsops.algorithms.kernel.knife.losses import Task

BALANCED = 1e-3  # largest gap of a stationary point
SMALLEST_WEIGHT = 1e-6  # a smaller weight is set to 0
CORRECTIONS = 20  # pairs that approximate the curvature
MOST_STEPS = 1000
EXACT_GAIN = 1e-13  # relative decrease of J at which the quasi-Newton steps stop
EXACT_GRADIENT = 1e-9  # projected gradient, relative to the loss of a constant prediction


@dataclass(frozen=True, eq=False)
class Knife(Task):
    """Labels and features of the machines, and their kernel."""

    kernel: WeightedKernel = WeightedKernel()


@dataclass(frozen=True, eq=False)
class ProfiledMachine:
    """The best machine for given weights."""

    gram: Floats
    coefficients: Floats
    intercepts: Floats
    predictions: Floats
    objective: float


def machine_for(task: Knife, penalty: float, w: Floats, A: Floats, b: Floats) -> ProfiledMachine:
    """The best machine for the weights w; A and b are where its search starts."""
    K = task.kernel.gram(task.X, task.X, w)
    A, b = task.loss.machines(K, task.Y, task.ridge, A, b)
    reached = K @ A
    cost = task.ridge * float((A * reached).sum()) + penalty * float(w.sum())
    return ProfiledMachine(K, A, b, reached + b, task.loss.value(task.Y, reached + b) + cost)


@dataclass(frozen=True, eq=False)
class Tangent:
    """How predictions and objective change with the weights that are not 0.

    Attributes
    ----------
    on, w
        Which weights these are, and their values.
    B
        Slopes of the predictions, machines below each other.
    cost
        Slopes of all in the objective but the loss.
    gradient
        Slopes of the objective, the coefficients following at their best.
    gap
        Largest projected gradient of a weight, relative to the absolute terms that it sums. A
        weight at 1 may be pushed upward. 0 at an exact stationary point.
    """

    on: Ints
    w: Floats
    B: Floats
    cost: Floats
    gradient: Floats
    gap: float

    @classmethod
    def of(
        cls, task: Knife, penalty: float, weights: Floats, machine: ProfiledMachine
    ) -> "Tangent":
        """The tangent at some weights and their best machine."""
        on = np.flatnonzero(weights)
        X, w, columns = task.X[:, on], weights[on], machine.coefficients.T
        slopes = [task.kernel.slopes(X, w, machine.gram, a) for a in columns]
        B, a = np.vstack(slopes), columns.ravel()
        slope = task.loss.slope(task.Y, machine.predictions).T.ravel()
        cost = task.ridge * (a @ B) + penalty
        gradient = slope @ B + cost
        forces = np.abs(slope + task.ridge * a) @ np.abs(B) + penalty
        left = np.where(w < 1, np.abs(gradient), np.maximum(gradient, 0.0))
        share = np.divide(left, forces, out=np.zeros_like(left), where=forces > 0)
        return cls(on, w, B, cost, gradient, float(share.max(initial=0.0)))

    @property
    def balanced(self) -> bool:
        """Whether the weights are stationary up to a small gap."""
        return self.gap <= BALANCED


def refined(
    task: Knife, penalty: float, w: Floats, machine: ProfiledMachine
) -> tuple[Floats, ProfiledMachine, tuple[float, ...]]:
    """Minimize J over the weights that are not 0, in the box, from a start.

    Returns
    -------
    Weights, their machine, and the objective after each step. The objective never rises.
    """
    from scipy.optimize import minimize

    on = np.flatnonzero(w)
    unit = task.loss.without_features(task.Y)
    if not len(on) or not unit > 0:
        return w, machine, ()
    best, history = (w, machine), []

    def evaluate(part: Floats) -> tuple[float, Floats]:
        nonlocal best
        moved = np.zeros_like(w)
        moved[on] = part
        found = machine_for(task, penalty, moved, best[1].coefficients, best[1].intercepts)
        if found.objective < best[1].objective:
            best = moved, found
        gradient = full_gradient(task, penalty, moved, found)
        return found.objective / unit, gradient[on] / unit

    minimize(
        evaluate,
        w[on],
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, 1.0)] * len(on),
        callback=lambda _: history.append(best[1].objective),
        options={
            "maxcor": CORRECTIONS,
            "maxiter": MOST_STEPS,
            "maxfun": 2 * MOST_STEPS,
            "ftol": EXACT_GAIN,
            "gtol": EXACT_GRADIENT,
        },
    )
    return *best, tuple(history)


def full_gradient(task: Knife, penalty: float, w: Floats, machine: ProfiledMachine) -> Floats:
    """Derivative of J by each weight; the penalty for a weight that is 0."""
    gradient = np.full(len(w), penalty)
    tangent = Tangent.of(task, penalty, w, machine)
    gradient[tangent.on] = tangent.gradient
    return gradient
