"""KNIFE with a linear kernel, as a convex problem in the coefficients of the features.

With beta = W X'a the prediction is f = b + X beta, and the best weights for given coefficients are
known, w_j = min(1, sqrt(ridge / penalty) |beta_j|). The remaining problem is

    minimize  sum_i L(y_i, f_i) + sum_j phi(|beta_j|)
    phi(t) = 2 sqrt(ridge * penalty) t   for t <= sqrt(penalty / ridge), else  ridge * t² + penalty

which is a lasso near 0 and a ridge regression beyond: it has no local minima, and no start matters.
With several machines |beta_j| is the length of the feature's row of coefficients.

References
----------
Allen (2013), Automatic feature selection via weighted kernels and regularization, Journal of
Computational and Graphical Statistics 22(2), 284-299.
Owen (2007), A robust hybrid of lasso and ridge regression, Contemporary Mathematics 443.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fsops.algorithms.base.types import Floats, Ints
from fsops.algorithms.kernel.knife.losses import Task
from fsops.algorithms.kernel.knife.weights import accelerated, largest_eigenvalue

SETTLED = 1e-8
PATIENCE = 10
STEPS = 5000
REPAIRS = 20  # rounds in which features that were left out by mistake are added
SLACK = 1e-4  # of the threshold beyond which a feature was left out by mistake
POINTS_PER_DECADE = 3  # of the way to a single penalty


@dataclass(frozen=True, eq=False)
class LinearFit:
    """Solution at one penalty.

    Attributes
    ----------
    beta
        Coefficients of the standardized features, (features, machines).
    intercepts
        One for each machine.
    weights
        Of the features, 0...1.
    kkt
        Largest violation of the conditions of an optimum, in units of the gradient.
    gradient
        Length of each feature's derivative of the loss.
    """

    penalty: float
    beta: Floats
    intercepts: Floats
    weights: Floats
    objective: float
    kkt: float
    gradient: Floats


def lengths(beta: Floats) -> Floats:
    """Length of each feature's row of coefficients."""
    return np.asarray(np.sqrt((beta**2).sum(axis=1)))


def sparse_penalty(t: Floats, ridge: float, penalty: float) -> Floats:
    """Value of phi for lengths t."""
    knee = np.sqrt(penalty / ridge)
    beyond = ridge * t**2 + penalty
    return np.asarray(np.where(t <= knee, 2 * np.sqrt(ridge * penalty) * t, beyond))


def shrink(t: Floats, step: float, ridge: float, penalty: float) -> Floats:
    """The proximal map: u >= 0 that minimizes (u - t)² / 2 + step * phi(u), for lengths t."""
    knee = np.sqrt(penalty / ridge)
    near = np.maximum(t - 2 * step * ridge * knee, 0.0)
    far = t / (1 + 2 * step * ridge)
    return np.asarray(np.where(far <= knee, near, far))


def linear_weights(beta: Floats, ridge: float, penalty: float) -> Floats:
    """The best weights for given coefficients; without a penalty 1 for all that count."""
    t = lengths(beta)
    if penalty == 0:
        return (t > 0).astype(np.float64)
    return np.asarray(np.minimum(1.0, np.sqrt(ridge / penalty) * t))


def largest_penalty(task: Task) -> float:
    """The smallest penalty that makes all weights 0."""
    slope = task.loss.slope(task.Y, np.broadcast_to(task.loss.constants(task.Y), task.Y.shape))
    return float((lengths(task.X.T @ slope) / 2).max(initial=0.0) ** 2 / task.ridge)


def _solve(
    task: Task, penalty: float, beta: Floats, b: Floats, settled: float
) -> tuple[Floats, Floats]:
    """Best coefficients and intercepts, from a start."""
    Y, loss, ridge = task.Y, task.loss, task.ridge
    A = np.column_stack([np.ones(len(Y)), task.X])  # the first row of theta holds the intercepts
    step = 1 / (loss.curvature * largest_eigenvalue(A))

    def value(theta: Floats) -> float:
        cost = sparse_penalty(lengths(theta[1:]), ridge, penalty).sum()
        return loss.value(Y, A @ theta) + float(cost)

    def advance(theta: Floats) -> Floats:
        moved = theta - step * (A.T @ loss.slope(Y, A @ theta))
        t = lengths(moved[1:])
        share = np.divide(shrink(t, step, ridge, penalty), t, out=np.zeros_like(t), where=t > 0)
        moved[1:] *= share[:, None]
        return moved

    theta = np.vstack([b, beta])
    found = accelerated(theta, value, advance, steps=STEPS, settled=settled, patience=PATIENCE)
    return found[1:], found[0]


def _violation(beta: Floats, slope: Floats, ridge: float, penalty: float) -> float:
    """Distance of the gradient from where an optimum has it."""
    threshold, knee = 2 * np.sqrt(ridge * penalty), np.sqrt(penalty / ridge)
    t = lengths(beta)
    on = t > 0
    off = np.maximum(lengths(slope[~on]) - threshold, 0.0).max(initial=0.0)
    pull = np.where(t[on] <= knee, threshold, 2 * ridge * t[on]) / t[on]
    return float(max(off, lengths(slope[on] + pull[:, None] * beta[on]).max(initial=0.0)))


def linear_path(
    task: Task, penalties: Sequence[float], *, settled: float = SETTLED
) -> Iterator[LinearFit]:
    """Solutions at falling penalties, each starting from the one before.

    Only features that may have a coefficient take part in a solution; features left out by
    mistake show in the gradient and are added.
    """
    X, Y, loss, ridge = task.X, task.Y, task.loss, task.ridge
    beta, b = np.zeros((X.shape[1], Y.shape[1])), loss.constants(Y)
    slope = X.T @ loss.slope(Y, np.broadcast_to(b, Y.shape))
    before = lengths(slope).max(initial=0.0)
    for penalty in penalties:
        threshold = 2 * np.sqrt(ridge * penalty)
        chosen: Ints = np.flatnonzero(beta.any(axis=1) | (lengths(slope) >= 2 * threshold - before))
        for _ in range(REPAIRS):
            if len(chosen):
                part = replace(task, X=X[:, chosen])
                found, b = _solve(part, penalty, beta[chosen], b, settled)
                beta = np.zeros_like(beta)
                beta[chosen] = found
            F = X[:, chosen] @ beta[chosen] + b
            slope = X.T @ loss.slope(Y, F)
            wrong = np.flatnonzero(lengths(slope) > threshold * (1 + SLACK))
            wrong = np.setdiff1d(wrong, chosen)
            if not len(wrong):
                break
            chosen = np.union1d(chosen, wrong)
        before = threshold
        yield LinearFit(
            float(penalty),
            beta,
            b,
            linear_weights(beta, ridge, penalty),
            loss.value(Y, F) + float(sparse_penalty(lengths(beta), ridge, penalty).sum()),
            _violation(beta, slope, ridge, penalty),
            lengths(slope),
        )


def linear_fit(task: Task, penalty: float, *, settled: float = SETTLED) -> LinearFit:
    """The solution at one penalty, reached by way of larger ones."""
    most = largest_penalty(task)
    if penalty >= most or penalty == 0:
        way = [penalty]
    else:
        points = 2 + int(POINTS_PER_DECADE * np.log10(most / penalty))
        way = [*np.geomspace(most, penalty, points)[1:-1], penalty]
    return list(linear_path(task, way, settled=settled))[-1]
