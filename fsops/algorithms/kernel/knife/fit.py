"""KNIFE: sparse weights of the features inside a kernel, found together with the machine.

For standardized features X, labels y, a weighted kernel K_w (`knife_kernels`) and a loss L
(`knife_losses`) it minimises over weights w in [0, 1], coefficients a and an intercept b

    J = sum_i L(y_i, f_i) + ridge * a'K_w a + penalty * sum_j w_j,    f = b + K_w a

With a linear kernel the problem is convex (`knife_linear`). With others coefficients and weights
take turns: the kernel is replaced by its tangent in w, the weights go to the best place there, and
back towards the old ones until J has not risen. The tangent does not change with a weight that is
0, so such a weight stays 0: the features of a path leave one after the other.

The paper does not say when the turns have settled, nor how a last weight leaves. Here they have
after some small gains in a row, if the forces on every weight cancel; one small gain may only be a
step that went too far. A weight that is small beside those of the start may become 0 in one step,
and is set to 0 at the end if the objective does not rise by it.

Several classes are told apart one against the rest, with weights in common.

References
----------
Allen (2013), Automatic feature selection via weighted kernels and regularization, Journal of
Computational and Graphical Statistics 22(2), 284-299.
"""

from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base.scaling import unit_rows
from fsops.algorithms.base.types import Bools, Floats, Ints, Numbers
from fsops.algorithms.kernel.knife.kernels import WeightedKernel
from fsops.algorithms.kernel.knife.linear import largest_penalty, lengths, linear_path
from fsops.algorithms.kernel.knife.losses import Task
from fsops.algorithms.kernel.knife.weights import WeightProblem

SMALLEST_WEIGHT = 1e-6  # below it is 0
SMALLEST_MOVE = 1e-6
SMALLEST_STEP = 1e-4
MINOR = 1e-2  # of the largest weight or of the start: below it a weight may become 0 in one step
TRUST = 0.5
PATIENCE = 3  # small gains in a row after which the turns may end
BALANCED = 1e-3  # what may be left of the forces on a weight when they cancel
SUFFICIENT = 0.1  # share of the foreseen gain that a step must bring
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
        Relative decrease of the objective that is small. Some small ones in a row end the turns,
        if the weights are balanced too.
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
        Whether the turns ended by themselves at weights that are balanced: what pulls a weight up
        and what pulls it down cancel, or hold it at 0 or at 1.
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
    history, small, ended = [machine.objective], 0, False
    for _ in range(stop.iterations):
        tangent = _Tangent.of(task, penalty, w, machine)
        ended = small >= PATIENCE and tangent.balanced
        found = None
        if not ended:
            found = _turn(task, penalty, w, machine, tangent=tangent, trust=stop.trust)
        if found is None:  # or all weights are 0, or no way down can be seen
            ended = True
            break
        slow = machine.objective - found[1].objective <= stop.tolerance * found[1].objective
        small = small + 1 if slow or np.abs(found[0] - w).max() < SMALLEST_MOVE else 0
        w, machine = found
        history.append(machine.objective)
    less = _without_minor(task, penalty, w, machine) if stop.iterations else None
    if less is not None:
        w, machine = less
        history.append(machine.objective)
    ended = ended or not w.any()
    settled = ended and _Tangent.of(task, penalty, w, machine).balanced
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


@dataclass(frozen=True, eq=False)
class _Tangent:
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
    balanced
        Whether what is left of the forces on each weight is small beside them. A weight may be
        pushed against 1; one that dies is balanced only when it is 0.
    """

    on: Ints
    w: Floats
    B: Floats
    cost: Floats
    gradient: Floats
    balanced: bool

    @classmethod
    def of(cls, task: Knife, penalty: float, weights: Floats, machine: _Machine) -> "_Tangent":
        """The tangent at some weights and their best machine."""
        on = np.flatnonzero(weights)
        X, w, columns = task.X[:, on], weights[on], machine.coefficients.T
        slopes = [task.kernel.slopes(X, w, machine.gram, a) for a in columns]
        B, a = np.vstack(slopes), columns.ravel()
        slope = task.loss.slope(task.Y, machine.predictions).T.ravel()
        cost = task.ridge * (a @ B) + penalty
        gradient = slope @ B + cost
        forces = np.abs(slope + task.ridge * a) @ np.abs(B) + penalty
        left = np.where(w < 1, np.abs(gradient), gradient)
        return cls(on, w, B, cost, gradient, bool((left <= BALANCED * forces).all()))


def _turn(
    task: Knife, penalty: float, w: Floats, machine: _Machine, *, tangent: _Tangent, trust: float
) -> tuple[Floats, _Machine] | None:
    """New weights with a machine that is no worse; None if there are none.

    A step that brings next to nothing of what the slope foresees has gone too far. It is halved
    like one that brings a loss, or the turns would seem to have settled.
    """
    if not len(tangent.on):
        return None
    aim = _weight_step(task, w, machine, tangent, trust)
    foreseen = max(0.0, float(tangent.gradient @ (w - aim)[tangent.on]))
    step = 1.0
    while step > SMALLEST_STEP:
        moved = w + step * (aim - w)
        moved[moved < SMALLEST_WEIGHT] = 0.0
        found = _machine(task, penalty, moved, machine.coefficients, machine.intercepts)
        if found.objective <= machine.objective - SUFFICIENT * step * foreseen:
            return moved, found
        step /= 2
    return None


def _weight_step(
    task: Knife, w: Floats, machine: _Machine, tangent: _Tangent, trust: float
) -> Floats:
    """Best weights for the tangent of the kernel."""
    problem = WeightProblem(
        task.loss,
        task.Y.T.ravel(),
        machine.predictions.T.ravel() - tangent.B @ tangent.w,
        tangent.B,
        tangent.cost,
        np.where(_minor(task, w)[tangent.on], 0.0, trust * tangent.w),
    )
    aim = np.zeros_like(w)
    aim[tangent.on] = problem.solve(tangent.w)
    return aim


def _minor(task: Knife, w: Floats) -> Bools:
    """Which weights are small beside the largest, or beside those of the start.

    The start is in it for the sake of the last weight, which is never small beside itself.
    """
    return np.asarray(w < MINOR * max(float(w.max()), float(task.kernel.start(len(w))[0])))


def _without_minor(
    task: Knife, penalty: float, w: Floats, machine: _Machine
) -> tuple[Floats, _Machine] | None:
    """The minor weights at 0, with a machine that is no worse; None if there is none."""
    without = np.where(_minor(task, w), 0.0, w)
    if np.array_equal(without, w):
        return None
    found = _machine(task, penalty, without, machine.coefficients, machine.intercepts)
    return (without, found) if found.objective <= machine.objective else None


def profile_gradient(task: Knife, penalty: float, fit: KernelFit) -> Floats:
    """Derivative of the objective by each weight, the coefficients following at their best."""
    machine = _machine(task, penalty, fit.weights, fit.coefficients, fit.intercepts)
    gradient = np.full(task.X.shape[1], penalty)
    tangent = _Tangent.of(task, penalty, fit.weights, machine)
    gradient[tangent.on] = tangent.gradient
    return gradient


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
