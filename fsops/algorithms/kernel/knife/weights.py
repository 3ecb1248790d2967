"""The weight step of KNIFE: weights in a box that minimize a loss of linear predictions.

minimize  sum_i L(y_i, c_i + (B w)_i) + g'w   subject to   low <= w <= 1
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base.types import Floats
from fsops.algorithms.kernel.knife.losses import Loss

MOST_EXACT = 200  # features; with more the accelerated gradient method is used
SWEEPS = 2000
SWEPT = 1e-9  # largest move of a sweep that ends them
NEWTON_STEPS = 25
NEWTON_SETTLED = 1e-9
EXACT = 1e-12
SMALLEST_STEP = 1e-6
GRADIENT_STEPS = 300
GRADIENT_SETTLED = 1e-7
FLAT = 1e-14  # of the largest curvature


@dataclass(frozen=True, eq=False)
class WeightProblem:
    """The problem above; rows of several models are stacked.

    Attributes
    ----------
    y, c
        Labels and constant parts of the predictions, (rows,).
    B
        Contributions of the weights, (rows, features).
    g
        Cost of a weight, (features,).
    low
        Lower bounds, (features,).
    """

    loss: Loss
    y: Floats
    c: Floats
    B: Floats
    g: Floats
    low: Floats

    def value(self, w: Floats) -> float:
        """The objective."""
        return self.loss.value(self.y, self.c + self.B @ w) + float(self.g @ w)

    def size(self, w: Floats) -> float:
        """The scale for small gains: the value without its signs, in the unit of the labels."""
        return self.loss.value(self.y, self.c + self.B @ w) + float(np.abs(self.g) @ w)

    def gradient(self, w: Floats) -> Floats:
        """Its derivative by each weight."""
        return np.asarray(self.loss.slope(self.y, self.c + self.B @ w) @ self.B + self.g)

    def solve(self, w: Floats) -> Floats:
        """The best weights, from a start."""
        if self.B.shape[1] > MOST_EXACT:
            return _accelerated(self, w)
        return _newton(self, w)

    def curvature(self, w: Floats) -> Floats:
        """The second derivatives, or a matrix that is nowhere smaller."""
        active = self.B[self.loss.bends(self.y, self.c + self.B @ w)]
        return np.asarray(self.loss.curvature * active.T @ active)


def box_qp(H: Floats, linear: Floats, w: Floats, low: Floats, high: float = 1.0) -> Floats:
    """Minimize w'Hw/2 + linear'w between the bounds.

    Sweeps over the coordinates, each moved to its best place, find out which ones lie between
    the bounds; a Newton step of these saves most further sweeps.
    """
    w = np.clip(w, low, high)
    gradient = H @ w + linear
    for _ in range(SWEEPS):
        if _sweep(H, gradient, w, low, high) < SWEPT:
            break
        _finish(H, gradient, w, low, high)
        gradient = H @ w + linear
    return w


def _sweep(H: Floats, gradient: Floats, w: Floats, low: Floats, high: float) -> float:
    """Move each weight, in place, to its best value; return the largest move."""
    largest, curvatures = 0.0, np.diag(H)
    flat = FLAT * float(curvatures.max(initial=0.0))
    for j, curvature in enumerate(curvatures.tolist()):
        slope, old, lowest = float(gradient[j]), float(w[j]), float(low[j])
        if curvature > flat:
            new = min(high, max(lowest, old - slope / curvature))
        elif slope:
            new = lowest if slope > 0 else high
        else:
            continue
        if new != old:
            w[j] = new
            gradient += H[:, j] * (new - old)
            largest = max(largest, abs(new - old))
    return largest


def _finish(H: Floats, gradient: Floats, w: Floats, low: Floats, high: float) -> None:
    """Go to the lowest point of the weights between their bounds, or as far as the bounds let."""
    free = np.flatnonzero((w > low) & (w < high))
    if not len(free):
        return
    part = H[np.ix_(free, free)]
    try:
        step = -np.linalg.solve(part, gradient[free])
    except np.linalg.LinAlgError:
        return
    if not gradient[free] @ step < 0:  # rounding has made a nearly flat direction a wrong one
        return
    room = np.where(step > 0, high - w[free], low[free] - w[free])
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(step != 0, room / step, np.inf).min()
    w[free] = np.clip(w[free] + min(1.0, float(share)) * step, low[free], high)


def _newton(problem: WeightProblem, w: Floats) -> Floats:
    value, size = problem.value(w), problem.size(w)
    for _ in range(NEWTON_STEPS):
        H, gradient = problem.curvature(w), problem.gradient(w)
        H.flat[:: len(w) + 1] += 1e-10 * np.trace(H) / len(w)
        move = box_qp(H, gradient - H @ w, w, problem.low) - w
        foreseen = -float(gradient @ move + 0.5 * move @ H @ move)
        reached = problem.value(w + move)
        while reached > value and np.abs(move).max() > SMALLEST_STEP:
            move /= 2
            reached = problem.value(w + move)
        if reached > value:
            break
        gained = value - reached
        w, value = w + move, reached
        true = abs(gained - foreseen) <= EXACT * size  # the curvature was the true one
        if true or gained <= NEWTON_SETTLED * size:
            break
    return w


def _accelerated(problem: WeightProblem, w: Floats) -> Floats:
    lipschitz = problem.loss.curvature * largest_eigenvalue(problem.B)
    if not lipschitz > 0:
        return np.asarray(np.where(problem.g > 0, problem.low, np.where(problem.g < 0, 1.0, w)))
    return accelerated(
        w,
        problem.value,
        lambda z: np.clip(z - problem.gradient(z) / lipschitz, problem.low, 1.0),
        steps=GRADIENT_STEPS,
        settled=GRADIENT_SETTLED,
        patience=1,
    )


def largest_eigenvalue(B: Floats) -> float:
    """Of B'B."""
    square = B @ B.T if B.shape[0] < B.shape[1] else B.T @ B
    return float(np.linalg.eigvalsh(square)[-1])


def accelerated(
    w: Floats,
    value: Callable[[Floats], float],
    advance: Callable[[Floats], Floats],
    *,
    steps: int,
    settled: float,
    patience: int,
) -> Floats:
    """Accelerated (proximal) gradient steps that restart when the value rises.

    Ends after so many consecutive steps (patience) with a relative decrease of at most `settled`.

    References
    ----------
    Beck & Teboulle (2009), A fast iterative shrinkage-thresholding algorithm for linear inverse
    problems, SIAM Journal on Imaging Sciences 2.
    O'Donoghue & Candès (2015), Adaptive restart for accelerated gradient schemes, Foundations of
    Computational Mathematics 15.
    """
    reached, ahead, momentum, small = value(w), w, 1.0, 0
    for _ in range(steps):
        new = advance(ahead)
        new_value = value(new)
        if new_value > reached:
            if momentum == 1.0:
                break
            ahead, momentum = w, 1.0
            continue
        growing = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = new + (momentum - 1) / growing * (new - w)
        small = small + 1 if reached - new_value <= settled * abs(new_value) else 0
        w, reached, momentum = new, new_value, growing
        if small >= patience:
            break
    return w
