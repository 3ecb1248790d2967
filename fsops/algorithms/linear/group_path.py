"""Group lasso and sparse-group lasso for a path of penalties, cross-validated.

They minimize 1 / (2n) |y - X b|² + alpha (r |b|_1 + (1 - r) Σ_g sqrt(p_g) |b_g|) on standardized
features and a label of deviation 1; p_g is the number of features of group g. With r = 0 all
coefficients of a group are 0, or none. Groups that overlap get a coefficient each for a common
feature, and that of the feature is their sum (latent groups): the selected features are a union of
groups. Row weights w count rows: the loss is 1 / (2 sum w) of the sum of w (y - X b)².

Each penalty starts at the solution of the one before, with the groups that have coefficients and
those that the strong rule lets in. A method of multipliers solves the dual problem of these groups
with Newton's steps. Groups that violate Karush's and Kuhn & Tucker's conditions join, and the
solution is repeated until no group does.

References
----------
Yuan & Lin (2006), Model selection and estimation in regression with grouped variables, JRSS B 68;
Simon, Friedman, Hastie & Tibshirani (2013), A sparse-group lasso, Journal of Computational and
Graphical Statistics 22;
Jacob, Obozinski & Vert (2009), Group lasso with overlap and graph lasso, ICML (latent groups);
Tibshirani, Bien, Friedman, Hastie, Simon, Taylor & Tibshirani (2012), Strong rules for discarding
predictors in lasso-type problems, JRSS B 74;
Zhang, Zhang, Sun & Toh (2020), An efficient Hessian based algorithm for solving large-scale sparse
group lasso problems, Mathematical Programming 179.
"""

from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base.types import (
    Bools,
    Floats,
    Ints,
    Numbers,
    as_matrix,
    as_row_weights,
    as_target,
)
from fsops.algorithms.linear.penalty_path import Standardized, number_of_rows

STEPS = 50
PRECISION = 1e-8
"""Of the penalty: larger violations of the conditions of the optimum are worked on."""
INNER_PRECISION = 3e-9
ROUNDS = 100
NEWTON_STEPS = 50
PARTS = 0.5 ** np.arange(20)
"""Of a step of Newton's method, tried until the value falls by enough."""
ARMIJO = 1e-4
FIRST_SIGMA, SIGMA_FACTOR, LARGEST_SIGMA = 100.0, 10.0, 1e5
"""Of the method of multipliers: larger ones need fewer rounds with more steps."""
LEAST_ADDED = 10
ADDED_PER_ROW = 10
"""Features that may join the working set at once."""
SATURATED = 0.99
"""The path ends where so much of the variance is explained."""


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Features of all groups, one group after the other.

    Attributes
    ----------
    members
        Positions of features; one of several groups is there several times.
    starts
        Where the features of each group begin in ``members``.
    """

    members: Ints
    starts: Ints

    @property
    def sizes(self) -> Ints:
        """Number of features of each group."""
        return np.diff(np.append(self.starts, self.members.size))

    @property
    def owners(self) -> Ints:
        """Group of each entry of ``members``."""
        return np.repeat(np.arange(self.starts.size), self.sizes)

    def some(self, groups: Ints) -> tuple[Ints, "Layout"]:
        """Places of the features of some groups, and the layout of these groups alone."""
        sizes = self.sizes[groups]
        begins = np.cumsum(sizes) - sizes
        places = np.repeat(self.starts[groups] - begins, sizes) + np.arange(sizes.sum())
        return places, Layout(self.members[places], begins)

    def norms(self, parts: Floats) -> Floats:
        """Norm of each group, of one vector or of several columns."""
        squares: Floats = np.add.reduceat(parts * parts, self.starts, axis=0)
        return np.sqrt(squares)

    def of_features(self, parts: Floats, count: int) -> Floats:
        """Coefficients of ``count`` features: the sums over their groups."""
        sums = np.zeros((count, *parts.shape[1:]))
        np.add.at(sums, self.members, parts)
        return sums


@dataclass(frozen=True, slots=True, eq=False)
class GroupPath:
    """Coefficients and errors for each penalty, from the strongest down.

    Attributes
    ----------
    penalties
        alpha for a label of deviation 1, falling, (t,).
    coefficients
        On all rows, of the standardized features, in the unit of the label, (p, t).
    parts
        The same for each feature of each group, (members, t).
    features
        Number of coefficients that are not 0, (t,).
    errors
        Mean squared error on the test rows of each fold, (t, folds).
    """

    penalties: Floats
    coefficients: Floats
    parts: Floats
    features: Ints
    errors: Floats


class _Penalty:
    """alpha times the penalty of each coefficient and of each group."""

    def __init__(self, layout: Layout, weights: Floats, alpha: float, l1_ratio: float) -> None:
        self.layout = layout
        self.single = alpha * l1_ratio
        self.by_group: Floats = alpha * (1 - l1_ratio) * weights

    def excess(self, gradient: Floats) -> Floats:
        """By how much the gradient of each group exceeds the one that lets it stay 0."""
        soft = np.maximum(np.abs(gradient) - self.single, 0.0)
        excess: Floats = self.layout.norms(soft) - self.by_group
        return excess

    def shrunken(self, b: Floats, step: float) -> Floats:
        """Proximal operator."""
        if not b.size:
            return b
        soft = np.sign(b) * np.maximum(np.abs(b) - self.single * step, 0.0)
        norms = self.layout.norms(soft)
        left = 1.0 - self.by_group * step / np.where(norms > 0, norms, 1.0)
        shrunken: Floats = soft * np.maximum(left, 0.0)[self.layout.owners]
        return shrunken


class _Solver:
    """Solution for some of the groups, by a method of multipliers with Newton's steps.

    The equations of a step have as many unknowns as there are rows or coefficients that are not 0,
    whichever are fewer. Products of all pairs of features are not needed.
    """

    def __init__(self, A: Floats, c: Floats, penalty: _Penalty) -> None:
        self.A, self.c, self.penalty = A, c, penalty
        self.largest = max(float(penalty.by_group.max(initial=0.0)), penalty.single)

    def solution(self, b: Floats, dual: Floats) -> tuple[Floats, Floats]:
        """Coefficients at the optimum, and the residuals with the opposite sign."""
        sigma = FIRST_SIGMA
        for _ in range(ROUNDS):
            b, dual = self._nearer(b, dual, sigma)
            dual = self.A @ b - self.c
            moved = self.penalty.shrunken(b - dual @ self.A, 1.0)
            if float(np.abs(moved - b).max(initial=0.0)) <= PRECISION * self.largest:
                break
            sigma = min(sigma * SIGMA_FACTOR, LARGEST_SIGMA)
        return b, dual

    def _nearer(self, b: Floats, dual: Floats, sigma: float) -> tuple[Floats, Floats]:
        """Minimum of the objective plus the squared distance to ``b`` over twice ``sigma``."""
        along = dual @ self.A
        value, moved = self._value(b - sigma * along, dual, sigma)
        for _ in range(NEWTON_STEPS):
            slope = dual + self.c - self.A @ moved
            if float(np.sqrt(slope @ slope)) <= INNER_PRECISION * self.largest:
                break
            step = _newton_step(self._root(b - sigma * along, moved, sigma), slope)
            step_along, fall = step @ self.A, float(slope @ step)
            for part in PARTS:
                tried, tried_along = dual + part * step, along + part * step_along
                new, coefficients = self._value(b - sigma * tried_along, tried, sigma)
                if new <= value + ARMIJO * part * fall:
                    break
            else:  # the value cannot fall: rounding is larger than the step
                break
            value, moved, dual, along = new, coefficients, tried, tried_along
        return moved, dual

    def _value(self, v: Floats, dual: Floats, sigma: float) -> tuple[float, Floats]:
        """Value of the dual function, and the coefficients that belong to it."""
        moved = self.penalty.shrunken(v, sigma)
        return float(dual @ dual / 2 + self.c @ dual + moved @ moved / (2 * sigma)), moved

    def _root(self, v: Floats, moved: Floats, sigma: float) -> Floats:
        """B of the second derivative I + B B' of the dual function."""
        used = np.flatnonzero(moved)
        owners = self.penalty.layout.owners[used]
        soft = v[used] - np.sign(v[used]) * self.penalty.single * sigma
        kinds, own = np.unique(owners, return_inverse=True)
        norms = np.sqrt(np.bincount(own, weights=soft * soft))
        shrink = self.penalty.by_group[kinds] * sigma / norms
        A = self.A[:, used]
        within = A * np.sqrt(sigma * (1.0 - shrink))[own]
        if not used.size or not (shrink > 0).any():
            return within
        starts = np.flatnonzero(np.diff(own, prepend=-1))
        across = np.add.reduceat(A * (soft / norms[own]), starts, axis=1)
        return np.hstack((within, across * np.sqrt(sigma * shrink)))


def _newton_step(root: Floats, slope: Floats) -> Floats:
    """Solution of (I + B B') step = -slope, by the smaller of two systems of equations."""
    from scipy.linalg import cho_factor, cho_solve

    rows, columns = root.shape
    tall = columns < rows
    products = root.T @ root if tall else root @ root.T
    products.flat[:: len(products) + 1] += 1.0
    factor = cho_factor(products, lower=True, overwrite_a=True, check_finite=False)
    solved: Floats = cho_solve(factor, root.T @ slope if tall else slope, check_finite=False)
    return root @ solved - slope if tall else -solved


def _with_few_rows(Z: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Features and label with at most one row more than features, and the same products."""
    if len(y) <= Z.shape[1] + 1:
        return Z, y
    triangle: Floats = np.asarray(np.linalg.qr(np.column_stack((Z, y)), mode="r"))
    return np.asfortranarray(triangle[:, :-1]), triangle[:, -1]


def _solutions(Z: Floats, y: Floats, layout: Layout, penalties: Floats, l1_ratio: float) -> Floats:
    """Coefficients of all members for falling penalties, (members, t); fewer if it ends early."""
    scale = np.sqrt(len(y))
    A, c = _with_few_rows(Z / scale, y / scale)
    weights = np.sqrt(layout.sizes)
    most = max(ADDED_PER_ROW * len(c), LEAST_ADDED)
    total = float(c @ c)
    found: list[Floats] = []
    b, dual, slope = np.zeros(layout.members.size), -c, c @ A
    before = penalties[0]
    for alpha in penalties:
        # Strong rule: the gradient changes by at most the change of the penalty.
        excess = _Penalty(layout, weights, max(2 * alpha - before, 0.0), l1_ratio).excess(slope)
        whole = _Penalty(layout, weights, alpha, l1_ratio)
        inside: Bools = layout.norms(b) > 0
        missed = np.flatnonzero((excess > 0) & ~inside)
        while True:
            # Few features at a time: most of many would leave again.
            largest = missed[np.argsort(-excess[missed], kind="stable")]
            inside[largest[: 1 + np.count_nonzero(np.cumsum(layout.sizes[largest]) < most)]] = True
            columns, part = layout.some(np.flatnonzero(inside))
            own = _Penalty(part, weights[inside], alpha, l1_ratio)
            b[columns], dual = _Solver(A[:, columns], c, own).solution(b[columns], dual)
            slope = -(dual @ A)
            excess = whole.excess(slope)
            missed = np.flatnonzero((excess > PRECISION * whole.by_group) & ~inside)
            if not missed.size:
                break
        before = alpha
        found.append(b.copy())
        if float(dual @ dual) <= (1 - SATURATED) * total:
            break
    return np.column_stack(found)


def largest_penalty(slope: Floats, layout: Layout, l1_ratio: float) -> float:
    """The smallest penalty that sets all coefficients to 0, by bisection."""
    weights = np.sqrt(layout.sizes)
    high = float((layout.norms(slope) / weights).max(initial=0.0)) / (1 - l1_ratio)
    low = 0.0
    for _ in range(200):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if (_Penalty(layout, weights, middle, l1_ratio).excess(slope) > 0).any():
            low = middle
        else:
            high = middle
    return high


def group_path(
    X: Numbers,
    y: Numbers,
    part: Ints,
    layout: Layout,
    *,
    weights: Numbers | None = None,
    l1_ratio: float = 0.0,
    steps: int = STEPS,
) -> GroupPath:
    """Compute the path on all rows, and its errors by cross-validation.

    Features are standardized on the training rows of each fold.

    Parameters
    ----------
    X, y
        Complete features and a label of numbers.
    part
        Fold of each row.
    layout
        The groups; every feature is in at least one.
    weights
        How often each row counts, above 0; also in the errors of the folds.
    l1_ratio
        0 for the group lasso, above 0 for the sparse-group lasso; below 1.
    steps
        Number of penalties, equally spaced in their logarithms down to 0.001 (with more features
        than rows 0.05) of the smallest that sets all coefficients to 0.
    """
    X, y = np.asarray(as_matrix(X), dtype=np.float64), as_target(y, len(X))
    if not 0 <= l1_ratio < 1:
        raise ValueError(f"l1_ratio must be at least 0 and below 1, got {l1_ratio}.")
    n, p = X.shape
    if not layout.members.size:
        nothing = np.zeros((p, 1))
        return GroupPath(np.ones(1), nothing, nothing, np.zeros(1, dtype=np.intp), np.ones((1, 1)))
    times = None if weights is None else as_row_weights(weights, n)
    whole = Standardized.of(X, y, weights=times)
    Z = whole.X[:, layout.members]
    # Rounding must not let a group in at the first penalty.
    largest = (1 + PRECISION) * largest_penalty(Z.T @ whole.y / n, layout, l1_ratio)
    lowest = 1e-3 if number_of_rows(n, times) > p else 5e-2
    penalties = max(largest, 1e-12) * np.logspace(0, np.log10(lowest), steps)
    parts = _solutions(Z, whole.y, layout, penalties, l1_ratio)
    penalties = penalties[: parts.shape[1]]
    errors = np.empty((penalties.size, int(part.max()) + 1))
    for fold in range(errors.shape[1]):
        test = part == fold
        own = None if times is None else times[~test]
        training = Standardized.of(X[~test], y[~test], unit=whole.unit, weights=own)
        found = _solutions(training.X[:, layout.members], training.y, layout, penalties, l1_ratio)
        # A path that ends early has explained its rows: it stays at its end.
        found = found[:, np.minimum(np.arange(penalties.size), found.shape[1] - 1)]
        missed = y[test][:, None] - training.predicted(X[test], layout.of_features(found, p))
        errors[:, fold] = np.average(
            missed**2, axis=0, weights=None if times is None else times[test]
        )
    coefficients = layout.of_features(parts, p)
    features = np.count_nonzero(coefficients, axis=0)
    return GroupPath(penalties, coefficients * whole.unit, parts * whole.unit, features, errors)
