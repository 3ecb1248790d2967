"""KNIFE: sparse weights of the features inside a kernel, found together with the machine.

For standardized features X, labels y, a weighted kernel K_w (`knife_kernels`) and a loss L
(`knife_losses`) it minimises over weights w in [0, 1], coefficients a and an intercept b

    J = sum_i L(y_i, f_i) + ridge * a'K_w a + penalty * sum_j w_j,    f = b + K_w a

With a linear kernel the problem is convex (`knife_linear`). With others coefficients and weights
take turns: the kernel is replaced by its tangent in w, the weights go to the best place there, and
back towards the old ones until J has not risen. The tangent does not change with a weight that is
0, so such a weight stays 0: the features of a path leave one after the other.

Several classes are told apart one against the rest, with weights in common.

References
----------
Allen (2013), Automatic feature selection via weighted kernels and regularization, Journal of
Computational and Graphical Statistics 22(2), 284-299.
"""

from dataclasses import dataclass

import numpy as np

from fsops.algorithms.knife_kernels import WeightedKernel
from fsops.algorithms.knife_linear import largest_penalty, lengths, linear_path
from fsops.algorithms.knife_losses import Task
from fsops.algorithms.knife_weights import WeightProblem
from fsops.algorithms.scaling import unit_rows
from fsops.algorithms.types import Floats, Ints, Numbers

SMALLEST_WEIGHT = 1e-6  # below it is 0
SMALLEST_MOVE = 1e-6
SMALLEST_STEP = 1e-4
MINOR = 1e-2  # of the largest weight: below it a weight may become 0 in one step
TRUST = 0.5
FIRST_SHARE = 1e-3  # of the squared error without features: first penalty of a path
FIRST_FOR_CLASSES = 1e-2


@dataclass(frozen=True)
class Stop:
    """When the turns of weights and coefficients end.

    Attributes
    ----------
    iterations
        Most turns.
    tolerance
        Relative decrease of the objective that is too small to go on.
    trust
        A weight keeps at least this share in one turn, unless it is minor. Without it (0, as in
        the paper) one turn with many more features than rows sets nearly all weights to 0.
    """

    iterations: int = 100
    tolerance: float = 1e-5
    trust: float = TRUST


@dataclass(frozen=True, eq=False)
class Knife(Task):
    """What machines are to learn, and with which kernel."""

    kernel: WeightedKernel = WeightedKernel()


@dataclass(frozen=True, eq=False)
class KernelFit:
    """Weights with their machine.

    Attributes
    ----------
    coefficients
        (rows, machines).
    history
        The objective after every turn; it never rises.
    settled
        Whether the turns ended by themselves.
    """

    weights: Floats
    coefficients: Floats
    intercepts: Floats
    objective: float
    history: tuple[float, ...]
    settled: bool


@dataclass(frozen=True, eq=False)
class FeaturePath:
    """Weights over rising penalties.

    Attributes
    ----------
    penalties, objectives
        (points,).
    weights
        (points, features).
    order
        Features from best to worst: by the largest penalty at which they have a weight.
    last_penalty
        That penalty; NaN for a feature that never has a weight.
    """

    penalties: Floats
    weights: Floats
    objectives: Floats
    order: Ints
    last_penalty: Floats


@dataclass(frozen=True, eq=False)
class Standard:
    """Features with mean 0 and standard deviation 1 (divisor n), and the way there.

    Attributes
    ----------
    X
        Only the features that vary, (rows, varying).
    varying
        Which ones these are.
    centre, scale
        Of all features; the scale of a constant one is 1.
    """

    X: Floats
    varying: Ints
    centre: Floats
    scale: Floats

    @classmethod
    def of(cls, X: Numbers) -> "Standard":
        """Standardize the columns."""
        rows, means, spreads = unit_rows(X)
        varying = np.flatnonzero(spreads)
        root = np.sqrt(X.shape[0])
        scale = np.where(spreads > 0, spreads / root, 1.0)
        return cls(np.ascontiguousarray(rows[varying].T) * root, varying, means, scale)

    def spread(self, values: Floats) -> Floats:
        """Values of the varying features among 0 for the others; features are the last axis."""
        full = np.zeros((*values.shape[:-1], len(self.centre)))
        full[..., self.varying] = values
        return full


def class_signs(codes: Ints) -> Floats:
    """Labels of the machines: two classes as one column of -1 and +1, more as one column each."""
    present = np.unique(codes)
    chosen = present[1:] if len(present) == 2 else present
    return np.where(codes[:, None] == chosen, 1.0, -1.0)


# --- one penalty --------------------------------------------------------------------------------


def kernel_fit(
    task: Knife,
    penalty: float,
    start: Floats | KernelFit,
    stop: Stop = Stop(),  # noqa: B008 - it cannot change
) -> KernelFit:
    """Weights and machine at one penalty, for kernels that are not linear.

    Parameters
    ----------
    start
        Weights, or a fit at another penalty.
    """
    if isinstance(start, KernelFit):
        w, A, b = start.weights, start.coefficients, start.intercepts
    else:
        w, A, b = start, np.zeros_like(task.Y), np.zeros(task.Y.shape[1])
    machine = _machine(task, penalty, w, A, b)
    history, settled = [machine.objective], False
    for _ in range(stop.iterations):
        found = _turn(task, penalty, w, machine, stop.trust) if w.any() else None
        if found is None:  # all weights are 0, or no way down can be seen
            settled = True
            break
        gained = machine.objective - found[1].objective
        move = np.abs(found[0] - w).max()
        w, machine = found
        history.append(machine.objective)
        if gained <= stop.tolerance * abs(machine.objective) or move < SMALLEST_MOVE:
            settled = True
            break
    return KernelFit(
        w, machine.coefficients, machine.intercepts, history[-1], tuple(history), settled
    )


@dataclass(frozen=True, eq=False)
class _Machine:
    """The best machine for given weights."""

    gram: Floats
    coefficients: Floats
    intercepts: Floats
    predictions: Floats
    objective: float


def _machine(task: Knife, penalty: float, w: Floats, A: Floats, b: Floats) -> _Machine:
    """The best machine for the weights w; A and b are where its search starts."""
    K = task.kernel.gram(task.X, task.X, w)
    A, b = task.loss.machines(K, task.Y, task.ridge, A, b)
    reached = K @ A
    cost = task.ridge * float((A * reached).sum()) + penalty * float(w.sum())
    return _Machine(K, A, b, reached + b, task.loss.value(task.Y, reached + b) + cost)


def _turn(
    task: Knife, penalty: float, w: Floats, machine: _Machine, trust: float
) -> tuple[Floats, _Machine] | None:
    """New weights with a machine that is no worse; None if there are none."""
    aim = _weight_step(task, penalty, w, machine, trust)
    step = 1.0
    while step > SMALLEST_STEP:
        moved = w + step * (aim - w)
        moved[moved < SMALLEST_WEIGHT] = 0.0
        found = _machine(task, penalty, moved, machine.coefficients, machine.intercepts)
        if found.objective <= machine.objective:
            return moved, found
        step /= 2
    return None


def _weight_step(task: Knife, penalty: float, w: Floats, machine: _Machine, trust: float) -> Floats:
    """Best weights for the tangent of the kernel."""
    on = np.flatnonzero(w)
    B, norm = _tangent(task, on, w[on], machine)
    problem = WeightProblem(
        task.loss,
        task.Y.T.ravel(),
        machine.predictions.T.ravel() - B @ w[on],
        B,
        task.ridge * norm + penalty,
        np.where(w[on] < MINOR * w.max(), 0.0, trust * w[on]),
    )
    aim = np.zeros_like(w)
    aim[on] = problem.solve(w[on])
    return aim


def _tangent(task: Knife, on: Ints, w: Floats, machine: _Machine) -> tuple[Floats, Floats]:
    """Slopes by some weights of the predictions, machines below each other, and of a'Ka."""
    X, columns = task.X[:, on], machine.coefficients.T
    slopes = [task.kernel.slopes(X, w, machine.gram, a) for a in columns]
    norm = np.sum([B.T @ a for B, a in zip(slopes, columns, strict=True)], axis=0)
    return np.vstack(slopes), norm


def profile_gradient(task: Knife, penalty: float, fit: KernelFit) -> Floats:
    """Derivative of the objective by each weight, the coefficients following at their best."""
    machine = _machine(task, penalty, fit.weights, fit.coefficients, fit.intercepts)
    B, norm = _tangent(task, np.arange(task.X.shape[1]), fit.weights, machine)
    slope = task.loss.slope(task.Y, machine.predictions)
    return np.asarray(slope.T.ravel() @ B + task.ridge * norm + penalty)


# --- paths --------------------------------------------------------------------------------------


def starting_penalty(task: Task) -> float:
    """The first penalty of a path that is not 0."""
    if task.loss.name == "squared error":
        return FIRST_SHARE * task.loss.without_features(task.Y)
    return FIRST_FOR_CLASSES


def kernel_path(
    task: Knife,
    *,
    first: float,
    growth: float = 1.3,
    points: int = 60,
    stop: Stop = Stop(30),  # noqa: B008 - it cannot change
) -> FeaturePath:
    """Weights over rising penalties, from 0 until all weights are 0, each from the one before."""
    p = task.X.shape[1]
    fit = kernel_fit(task, 0.0, task.kernel.start(p), stop)
    penalties, fits, penalty = [0.0], [fit], first
    while fit.weights.any() and len(fits) < points:
        fit = kernel_fit(task, penalty, fit, stop)
        penalties.append(penalty)
        fits.append(fit)
        penalty *= growth
    weights = np.array([fit.weights for fit in fits]).reshape(len(fits), p)
    return _ranked(np.array(penalties), weights, np.array([fit.objective for fit in fits]), weights)


def convex_path(task: Task, *, points: int = 40, smallest: float = 1e-6) -> FeaturePath:
    """Weights over penalties of the linear kernel, from a share of the largest up to it."""
    most = largest_penalty(task)
    most *= 1 + 1e-12  # rounding must not let the best feature in
    penalties = most * np.logspace(0, np.log10(smallest), points)
    fits = list(linear_path(task, list(penalties)))[::-1]
    return _ranked(
        penalties[::-1],
        np.array([fit.weights for fit in fits]),
        np.array([fit.objective for fit in fits]),
        np.array([lengths(fit.beta) for fit in fits]),
        fits[0].gradient,
    )


def _ranked(
    penalties: Floats,
    weights: Floats,
    objectives: Floats,
    sizes: Floats,
    gradient: Floats | None = None,
) -> FeaturePath:
    """Rank by the last penalty with a weight; ties by size there, then by gradient and place."""
    points, p = weights.shape
    on = weights > 0
    ever = on.any(axis=0)
    last = points - 1 - on[::-1].argmax(axis=0)
    columns = np.arange(p)
    size = np.where(ever, sizes[last, columns], 0.0)
    pull = np.zeros(p) if gradient is None else gradient
    order = np.lexsort((columns, -pull, -size, -np.where(ever, last, -1)))
    return FeaturePath(
        penalties, weights, objectives, order, np.where(ever, penalties[last], np.nan)
    )
