"""KNIFE: sparse weights of the features inside a kernel, found together with the machine.

For standardized features X, labels y, a weighted kernel K_w (`knife_kernels`) and a loss L
(`knife_losses`) it minimizes over weights w in [0, 1], coefficients a and an intercept b

    J = sum_i L(y_i, f_i) + ridge * a'K_w a + penalty * sum_j w_j,    f = b + K_w a

With a linear kernel the problem is convex (`knife_linear`). With others coefficients and weights
alternate: the kernel is replaced by its tangent in w, the weights go to the best place there, and
back towards the old ones until J has not risen. The tangent does not change with a weight that is
0, so such a weight stays 0: the features of a path leave one after the other.

The paper does not say when the alternation has converged, nor how a last weight leaves. Here it
ends after some small gains in a row, if the projected gradient is small too; one small gain may
only be a step that went too far. A weight that is small beside those of the start may become 0 in
one step, and is set to 0 at the end if the objective does not rise by it.

The alternation alone needs thousands of steps with some kernels. Quasi-Newton steps on the
objective as a function of the weights finish it (`profile`). The remaining projected gradient is
returned as the gap.

Several classes are separated one against the rest, with common weights.

References
----------
Allen (2013), Automatic feature selection via weighted kernels and regularization, Journal of
Computational and Graphical Statistics 22(2), 284-299.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from fsops.algorithms.base.scaling import unit_rows
from fsops.algorithms.base.types import Bools, Floats, Ints, Numbers
from fsops.algorithms.kernel.knife.linear import largest_penalty, lengths, linear_path
from fsops.algorithms.kernel.knife.losses import Task
from fsops.algorithms.kernel.knife.profile import (
    BALANCED,
    SMALLEST_WEIGHT,
    Knife,
    ProfiledMachine,
    Tangent,
    full_gradient,
    machine_for,
    refined,
)
from fsops.algorithms.kernel.knife.weights import WeightProblem

SMALLEST_MOVE = 1e-6
SMALLEST_STEP = 1e-4
MINOR = 1e-2  # of the largest weight or of the start: below it a weight may become 0 in one step
TRUST = 0.5
ROUNDS = 10  # of quasi-Newton steps, each followed by a try without minor weights
PATIENCE = 3  # small gains in a row after which the alternation may end
SUFFICIENT = 0.1  # share of the foreseen gain that a step must bring
FIRST_SHARE = 1e-3  # of the squared error without features: first penalty of a path
FIRST_FOR_CLASSES = 1e-2


@dataclass(frozen=True)
class Stop:
    """When the alternation of weights and coefficients ends.

    Attributes
    ----------
    iterations
        Most alternations.
    tolerance
        Relative decrease of the objective that is small. Some in a row end the alternation,
        if the weights are balanced too.
    trust
        A weight keeps at least this fraction in one iteration, unless it is minor. Without it
        (0, as in the paper) one iteration with many more features than rows sets nearly all
        weights to 0.
    refine
        Whether quasi-Newton steps follow. With `iterations` 0 nothing is refined.
    """

    iterations: int = 100
    tolerance: float = 1e-5
    trust: float = TRUST
    refine: bool = True


@dataclass(frozen=True, eq=False)
class KernelFit:
    """Weights with their machine.

    Attributes
    ----------
    coefficients
        (rows, machines).
    history
        The objective at the start and after every step; it never rises.
    alternations
        Number of those steps that belong to the alternation; the others are quasi-Newton steps.
    gap
        Largest projected gradient of a weight, relative to the absolute terms that it sums.
    settled
        Whether the steps ended by themselves at weights with a small gap.
    """

    weights: Floats
    coefficients: Floats
    intercepts: Floats
    objective: float
    history: tuple[float, ...]
    alternations: int
    gap: float
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
    gaps, iterations, settled
        Of each fit, see KernelFit; empty where they are unknown.
    """

    penalties: Floats
    weights: Floats
    objectives: Floats
    order: Ints
    last_penalty: Floats
    gaps: Floats = field(default_factory=lambda: np.empty(0))
    iterations: Ints = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    settled: Bools = field(default_factory=lambda: np.empty(0, dtype=bool))


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
    machine = machine_for(task, penalty, w, A, b)
    w, machine, history, ended = _alternate(task, penalty, w, machine, stop)
    alternations = len(history) - 1
    if stop.iterations and stop.refine:
        w, machine, more = _finish(task, penalty, w, machine)
        history, ended = (*history, *more), True
    gap = Tangent.of(task, penalty, w, machine).gap
    return KernelFit(
        w,
        machine.coefficients,
        machine.intercepts,
        machine.objective,
        history,
        alternations,
        gap,
        settled=(ended or not w.any()) and gap <= BALANCED,
    )


def _alternate(
    task: Knife, penalty: float, w: Floats, machine: ProfiledMachine, stop: Stop
) -> tuple[Floats, ProfiledMachine, tuple[float, ...], bool]:
    """The paper's alternation: weights, machine, objectives, and whether it ended by itself."""
    history, small, ended = [machine.objective], 0, False
    for _ in range(stop.iterations):
        tangent = Tangent.of(task, penalty, w, machine)
        ended = small >= PATIENCE and tangent.balanced
        found = None
        if not ended:
            found = _iteration(task, penalty, w, machine, tangent=tangent, trust=stop.trust)
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
    return w, machine, tuple(history), ended


def _finish(
    task: Knife, penalty: float, w: Floats, machine: ProfiledMachine
) -> tuple[Floats, ProfiledMachine, tuple[float, ...]]:
    """Quasi-Newton steps, again after each time that minor weights could be set to 0."""
    history: tuple[float, ...] = ()
    for _ in range(ROUNDS):
        w, machine, more = refined(task, penalty, w, machine)
        history += more
        less = _without_minor(task, penalty, w, machine)
        if less is None:
            break
        w, machine = less
        history = (*history, machine.objective)
    nothing = _no_worse_without(task, penalty, w, machine, np.zeros_like(w))
    if nothing is not None:  # a local minimum above the constant prediction is no solution
        w, machine = nothing
        history = (*history, machine.objective)
    return w, machine, history


def _iteration(
    task: Knife,
    penalty: float,
    w: Floats,
    machine: ProfiledMachine,
    *,
    tangent: Tangent,
    trust: float,
) -> tuple[Floats, ProfiledMachine] | None:
    """New weights with a machine that is no worse; None if there are none.

    A step that achieves almost nothing of the predicted decrease is too large. It is halved
    like one that brings a loss, or the alternation would seem to have converged.
    """
    if not len(tangent.on):
        return None
    aim = _weight_step(task, w, machine, tangent, trust)
    foreseen = max(0.0, float(tangent.gradient @ (w - aim)[tangent.on]))
    step = 1.0
    while step > SMALLEST_STEP:
        moved = w + step * (aim - w)
        moved[moved < SMALLEST_WEIGHT] = 0.0
        found = machine_for(task, penalty, moved, machine.coefficients, machine.intercepts)
        if found.objective <= machine.objective - SUFFICIENT * step * foreseen:
            return moved, found
        step /= 2
    return None


def _weight_step(
    task: Knife, w: Floats, machine: ProfiledMachine, tangent: Tangent, trust: float
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
    task: Knife, penalty: float, w: Floats, machine: ProfiledMachine
) -> tuple[Floats, ProfiledMachine] | None:
    """The minor weights at 0, with a machine that is no worse; None if there is none."""
    return _no_worse_without(task, penalty, w, machine, np.where(_minor(task, w), 0.0, w))


def _no_worse_without(
    task: Knife, penalty: float, w: Floats, machine: ProfiledMachine, sparser: Floats
) -> tuple[Floats, ProfiledMachine] | None:
    """The sparser weights with their machine, unless they equal w or the objective rises."""
    if np.array_equal(sparser, w):
        return None
    found = machine_for(task, penalty, sparser, machine.coefficients, machine.intercepts)
    return (sparser, found) if found.objective <= machine.objective else None


def profile_gradient(task: Knife, penalty: float, fit: KernelFit) -> Floats:
    """Derivative of the objective by each weight, the coefficients following at their best."""
    machine = machine_for(task, penalty, fit.weights, fit.coefficients, fit.intercepts)
    return full_gradient(task, penalty, fit.weights, machine)


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
    fit = kernel_fit(task, 0.0, task.kernel.start(task.X.shape[1]), stop)
    penalties, fits, penalty = [0.0], [fit], first
    while fit.weights.any() and len(fits) < points:
        fit = kernel_fit(task, penalty, fit, stop)
        penalties.append(penalty)
        fits.append(fit)
        penalty *= growth
    if stop.refine:
        _improve_backward(task, penalties, fits, stop)
    weights = np.array([fit.weights for fit in fits]).reshape(len(fits), -1)
    path = _ranked(np.array(penalties), weights, [fit.objective for fit in fits], weights)
    return replace(
        path,
        gaps=np.array([fit.gap for fit in fits]),
        iterations=np.array([len(fit.history) - 1 for fit in fits]),
        settled=np.array([fit.settled for fit in fits]),
    )


def _improve_backward(
    task: Knife, penalties: list[float], fits: list[KernelFit], stop: Stop
) -> None:
    """Replace, in place, a fit by one from the next weights if these are better at its penalty.

    The smallest objective rises with the penalty. A fit above the next one has stopped in a local
    minimum that the next one has left.
    """
    for i in range(len(fits) - 2, -1, -1):
        after = fits[i + 1]
        cheaper = (penalties[i + 1] - penalties[i]) * float(after.weights.sum())
        if after.objective - cheaper < fits[i].objective:
            found = kernel_fit(task, penalties[i], after, stop)
            if found.objective < fits[i].objective:
                fits[i] = found
    empty = [i for i, fit in enumerate(fits) if not fit.weights.any()]
    if empty:
        del penalties[empty[0] + 1 :], fits[empty[0] + 1 :]


def convex_path(task: Task, *, points: int = 40, smallest: float = 1e-6) -> FeaturePath:
    """Weights over penalties of the linear kernel, from a fraction of the largest up to it."""
    most = largest_penalty(task)
    most *= 1 + 1e-12  # rounding must not let the best feature in
    penalties = most * np.logspace(0, np.log10(smallest), points)
    fits = list(linear_path(task, list(penalties)))[::-1]
    return _ranked(
        penalties[::-1],
        np.array([fit.weights for fit in fits]),
        [fit.objective for fit in fits],
        np.array([lengths(fit.beta) for fit in fits]),
        fits[0].gradient,
    )


def _ranked(
    penalties: Floats,
    weights: Floats,
    objectives: list[float],
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
        penalties, weights, np.array(objectives), order, np.where(ever, penalties[last], np.nan)
    )
