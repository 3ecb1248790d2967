"""Linear support vector machines and recursive feature elimination.

The elimination keeps one Gram matrix, subtracts what the removed features contributed, and
starts each machine from the solution of the round before. The dual is solved exactly, by linear
systems for the variables between their bounds: whole sets of variables are exchanged between
the bounds and the free set. Where that does not settle, sequential minimal optimisation (SMO)
brings the start nearer, and at last the variables move one at a time, which cannot go round in
circles. A solution is accepted by the gap of its optimality conditions, however it was found.

References
----------
Guyon, Weston, Barnhill & Vapnik (2002), Gene selection for cancer classification using support
vector machines, Machine Learning 46.
Fan, Chen & Lin (2005), Working set selection using second order information for training SVM,
JMLR 6.
Judice & Pires (1994), A block principal pivoting algorithm for large-scale strictly monotone
linear complementarity problems, Computers & Operations Research 21.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fsops.algorithms.ranking import descending_order
from fsops.algorithms.scaling import unit_rows
from fsops.algorithms.types import Bools, Floats, Ints, Numbers, as_classes, as_matrix

HARD_MARGIN = 1e6
"""The C that stands for infinity."""
SEPARABLE = 1e-3
"""Largest sum of slacks of data called separable."""

Weigh = Callable[[Ints], Floats]
OnRound = Callable[[int, int], None]
Settle = Callable[[Floats, float], Floats | None]

RIDGE = 1e-12  # of the mean diagonal, see _Dual.solve
STIFF_RIDGE = 1e-9  # the same where variables move one at a time: their direction must be sure
EXCHANGES = 30  # at most, before another ridge or SMO is tried
PATIENCE = 3  # exchanges without progress before giving up
PROXIMAL_STEPS = 50  # one is enough for nearly all problems
SMO_START = 300  # iterations that bring a start near enough for the exact methods


@dataclass(frozen=True, slots=True, eq=False)
class DualSolution:
    """Solution of the dual of a two-class machine.

    Attributes
    ----------
    beta
        Dual variables times the class signs, shape (n,): the weights are ``X.T @ beta``.
    bias
        Added to the weighted sum.
    gap
        Largest violation of the optimality conditions by a pair of rows.
    """

    beta: Floats
    bias: float
    gap: float


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


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """One round of an elimination: features and their absolute weights, best first.

    Attributes
    ----------
    size
        Number of features weighted in this round.
    features, weights
        Only those dropped in this round, or all weighted ones if the history was asked for.
    """

    size: int
    features: Ints
    weights: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Elimination:
    """Result of a recursive elimination.

    Attributes
    ----------
    order
        All features, best first: survivors by their last weight, then the later dropped.
    survivors
        Kept features in ascending order.
    weights
        Absolute weights in the last round, 0 for dropped features, (p,).
    dropped_in
        Number of the round (from 1) that dropped a feature, 0 for survivors, (p,).
    trace
        One entry per round, the last one for the weighting of the survivors.
    """

    order: Ints
    survivors: Ints
    weights: Floats
    dropped_in: Ints
    trace: tuple[Round, ...]

    @property
    def ranking(self) -> Ints:
        """Ranks 1 (best) to p, (p,)."""
        ranks = np.empty_like(self.order)
        ranks[self.order] = np.arange(1, self.order.size + 1)
        return ranks

    @property
    def group_ranking(self) -> Ints:
        """1 for survivors, 2 for those dropped last, and so on, (p,): scikit-learn's ranking_."""
        rounds = len(self.trace) - 1
        return np.where(self.dropped_in > 0, rounds + 2 - self.dropped_in, 1)


def elimination_sizes(
    p: int,
    keep: int = 1,
    *,
    fraction: float | None = None,
    count: int | None = None,
    schedule: Sequence[int] | None = None,
) -> list[int]:
    """Numbers of features after each round, from p down to the features kept.

    Parameters
    ----------
    p
        Number of features at the start.
    keep
        Number of features at the end; with a schedule its last entry decides.
    fraction
        Share of the remaining features to drop per round, rounded up.
    count
        Number of features to drop per round; 1 if none of the three is given.
    schedule
        The sizes to pass through, strictly falling, such as ``[50, 10, 1]``; sizes not below p
        are skipped.

    Returns
    -------
    list of int
        Starts with p.
    """
    if sum(rule is not None for rule in (fraction, count, schedule)) > 1:
        raise ValueError("Give only one of fraction, count and schedule.")
    if schedule is not None:
        sizes = list(schedule)
        if not sizes or sizes[-1] < 1 or sorted(set(sizes), reverse=True) != sizes:
            raise ValueError(f"A schedule is a falling list of sizes from 1 on, got {sizes}.")
        return [p, *(size for size in sizes if size < p)]
    if not 1 <= keep <= p:
        raise ValueError(f"Cannot keep {keep} of {p} features. Choose between 1 and {p}.")
    if fraction is not None and not 0 < fraction < 1:
        raise ValueError(f"The fraction dropped per round lies between 0 and 1, got {fraction}.")
    if count is not None and count < 1:
        raise ValueError(f"At least one feature is dropped per round, got {count}.")
    sizes = [p]
    while sizes[-1] > keep:
        size = sizes[-1]
        # The small amount: 0.3 * 10 must drop 3, whatever its last binary digit is.
        drop = int(np.ceil(fraction * size - 1e-9)) if fraction is not None else (count or 1)
        sizes.append(max(keep, size - max(1, drop)))
    return sizes


def eliminate(
    weigh: Weigh,
    sizes: Sequence[int],
    *,
    absolute: bool = True,
    history: bool = False,
    on_round: OnRound | None = None,
) -> Elimination:
    """Ranking of features by dropping the least important ones and weighting the rest anew.

    Parameters
    ----------
    weigh
        From the indices of the remaining features, ascending, to their weights.
    sizes
        As returned by `elimination_sizes`.
    absolute
        Whether the modulus of a weight counts.
    history
        Keep all weights of every round, not only those of the dropped features.
    on_round
        Called after each round with the number of finished and of all weightings.

    Returns
    -------
    Elimination
        Of equal weights the larger index is dropped first; NaN counts as the smallest.

    References
    ----------
    Guyon, Weston, Barnhill & Vapnik (2002), Gene selection for cancer classification using
    support vector machines, Machine Learning 46.
    """
    p = sizes[0]
    active = np.arange(p)
    dropped_in = np.zeros(p, dtype=np.intp)
    final = np.zeros(p)
    order = np.empty(p, dtype=np.intp)
    trace = []
    for number, (size, rest) in enumerate(zip(sizes, [*sizes[1:], 0], strict=True), start=1):
        weights = _checked(weigh(active), size)
        importance = np.abs(weights) if absolute else weights
        kept, gone = _split(importance, rest)
        order[rest:size] = active[gone]
        shown = descending_order(importance) if history else gone
        trace.append(Round(size, active[shown], importance[shown]))
        if rest:
            dropped_in[active[gone]] = number
            active = active[kept]
        else:
            final[active] = importance
        if on_round is not None:
            on_round(number, len(sizes))
    return Elimination(order, active, final, dropped_in, tuple(trace))


def _checked(weights: Floats, size: int) -> Floats:
    weights = np.asarray(weights, dtype=np.float64)
    if weights.shape != (size,):
        raise ValueError(
            f"The weighting returned shape {weights.shape} for {size} features; "
            "it must give one weight for each of them."
        )
    return weights


def _split(importance: Floats, rest: int) -> tuple[Bools, Ints]:
    """Mask of the best `rest` features, and the others from the better to the worse."""
    size = importance.size
    if size - rest == 1 and not np.isnan(importance).any():
        # One per round is the longest recursion: no need to sort for it.
        gone = np.array([size - 1 - int(np.argmin(importance[::-1]))])
    else:
        gone = descending_order(importance)[rest:]
    kept = np.ones(size, dtype=bool)
    kept[gone] = False
    return kept, gone


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
    history: bool = False,
    on_round: OnRound | None = None,
) -> Elimination:
    """Ranking of features by elimination with the weights of a linear support vector machine.

    Parameters
    ----------
    X
        Rows by features, without missing values.
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
    history, on_round
        See `eliminate`.

    Returns
    -------
    Elimination

    References
    ----------
    Guyon, Weston, Barnhill & Vapnik (2002), Gene selection for cancer classification using
    support vector machines, Machine Learning 46.
    """
    X = as_matrix(X)
    sizes = elimination_sizes(X.shape[1], keep, fraction=fraction, count=count, schedule=schedule)
    signs = _class_signs(as_classes(codes, len(X)))
    if standardize:
        rows = unit_rows(X)[0]
        rows *= np.sqrt(len(X))
    else:
        rows = np.ascontiguousarray(X.T, dtype=np.float64)
    machine = _ShrinkingMachine(rows, signs, _finite_cost(C), tol)
    return eliminate(machine.importance, sizes, history=history, on_round=on_round)


class _ShrinkingMachine:
    """Weights on ever fewer features, from one Gram matrix and warm starts."""

    def __init__(self, rows: Floats, signs: Floats, cost: float, tol: float) -> None:
        self.rows = rows  # feature-major; may still hold removed features
        self.features = np.arange(len(rows))  # of these rows
        self.alive = np.ones(len(rows), dtype=bool)  # by feature
        self.base = len(rows)  # number of features when the Gram matrix was last built
        self.gram = rows.T @ rows
        self.signs = signs
        self.cost = cost
        self.tol = tol
        self.beta = np.zeros_like(signs)

    def importance(self, active: Ints) -> Floats:
        self._shrink_to(active)
        for beta, sign in zip(self.beta, self.signs, strict=True):
            beta[:] = solve_dual(self.gram, sign, C=self.cost, beta=beta, tol=self.tol).beta
        return _importance((self.rows @ self.beta.T).T)[self.alive[self.features]]

    def _shrink_to(self, active: Ints) -> None:
        before = self.alive[self.features]
        if active.size == np.count_nonzero(before):
            return
        self.alive[:] = False
        self.alive[active] = True
        here = self.alive[self.features]
        # Building it anew when half is gone bounds the rounding that subtractions leave.
        rebuild = active.size <= self.base // 2
        if not rebuild:
            gone = self.rows[before & ~here]
            self.gram -= gone.T @ gone
        if rebuild or active.size < 0.75 * self.features.size:
            self.rows, self.features = self.rows[here], self.features[here]
        if rebuild:
            self.gram = self.rows.T @ self.rows
            self.base = active.size


def linear_svm(X: Numbers, codes: Numbers, *, C: float = 1.0, tol: float = 1e-8) -> LinearSVM:
    """Weights and bias of a linear support vector machine, one against the rest.

    Minimises ``|w|^2 / 2 + C sum_i slack_i`` under ``y_i (w x_i + b) >= 1 - slack_i``,
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
    signs = _class_signs(as_classes(codes, len(X)))
    cost = _finite_cost(C)
    gram = X @ X.T
    solutions = [solve_dual(gram, sign, C=cost, tol=tol) for sign in signs]
    weights = np.array([s.beta for s in solutions]) @ X
    bias = np.array([s.bias for s in solutions])
    slack = np.maximum(0.0, 1.0 - signs * (weights @ X.T + bias[:, None])).sum(axis=1)
    objective = 0.5 * (weights**2).sum(axis=1) + cost * slack
    return LinearSVM(weights, bias, objective, slack)


def _importance(weights: Floats) -> Floats:
    lengths: Floats = np.abs(weights[0])
    return lengths if len(weights) == 1 else np.sqrt((weights**2).sum(axis=0))


def _finite_cost(C: float) -> float:
    if not C > 0:
        raise ValueError(f"The cost C must be positive, got {C}.")
    return min(C, HARD_MARGIN)


def _class_signs(codes: Ints) -> Floats:
    """One row of +1 and -1 for two classes, else one row per class against the rest."""
    classes = np.unique(codes)
    if classes.size < 2:
        raise ValueError("A support vector machine needs rows of at least two classes.")
    positive = classes[1:] if classes.size == 2 else classes
    return np.where(codes == positive[:, None], 1.0, -1.0)


def solve_dual(
    gram: Floats,
    signs: Floats,
    *,
    C: float = 1.0,
    beta: Floats | None = None,
    tol: float = 1e-8,
    max_iterations: int = 200_000,
) -> DualSolution:
    """Dual solution of a two-class support vector machine with any kernel.

    Maximises ``y beta - beta K beta / 2`` under ``sum(beta) = 0`` and ``0 <= y_i beta_i <= C``.

    Parameters
    ----------
    gram
        Symmetric positive semidefinite kernel matrix K, (n, n).
    signs
        +1 or -1 for each row, both occurring.
    C
        Upper bound of the dual variables.
    beta
        A feasible start, such as the solution of a similar problem.
    tol
        Largest gap, not below what rounding leaves.
    max_iterations
        Of SMO; the gap of the result tells if that was too few.

    Returns
    -------
    DualSolution
    """
    dual = _Dual(gram, signs, C, tol)
    start = np.zeros(signs.size)
    if beta is not None and abs(beta.sum()) <= 1e-12 * C * beta.size:
        start = np.clip(beta, dual.lower, dual.upper)
    solved = dual.solve(start, dual.exchange, RIDGE)
    if solved is None:
        start = dual.smo(start, SMO_START)
        solved = dual.solution(start)
        if solved.gap > dual.tolerance(start):
            solved = dual.solve(start, dual.exchange, RIDGE)
            solved = solved or dual.solve(start, dual.descend, STIFF_RIDGE)
    return solved or dual.solution(dual.smo(start, max_iterations))


class _Dual:
    """The dual problem in beta = y * alpha, where the gradient is ``y - K beta``.

    Variables are at their lower bound (state -1), free (0) or at their upper bound (1).
    """

    def __init__(self, gram: Floats, signs: Floats, cost: float, tol: float) -> None:
        self.gram = gram
        self.signs = signs
        self.lower = np.minimum(0.0, signs * cost)
        self.upper = np.maximum(0.0, signs * cost)
        self.diagonal = gram.diagonal().copy()
        self.length = np.sqrt(np.maximum(self.diagonal, 0.0))
        self.typical = float(self.diagonal.mean())
        self.tol = tol

    def tolerance(self, beta: Floats) -> float:
        """Gap to be reached: the wanted one, or what rounding leaves of ``K beta``."""
        size = float(self.length.max() * (self.length @ np.abs(beta)))
        return max(self.tol, 8 * float(np.finfo(np.float64).eps) * size)

    def solution(self, beta: Floats) -> DualSolution:
        """Bias and gap of a feasible beta."""
        gradient = self.signs - self.gram @ beta
        floor, ceiling = self._bias_range(beta, gradient)
        free = (beta < self.upper) & (beta > self.lower)
        bias = float(gradient[free].mean()) if free.any() else (floor + ceiling) / 2.0
        return DualSolution(beta, bias, max(0.0, floor - ceiling))

    def solve(self, beta: Floats, settle: Settle, ridge: float) -> DualSolution | None:
        """Exact solution by one of the two ways of settling the free set, if it succeeds.

        Each system has a small multiple (the ridge, relative to the mean diagonal) of the
        squared distance to the last solution added, a proximal point step: it is then regular
        even with fewer features than rows. Repeating the step removes the effect.
        """
        for _ in range(PROXIMAL_STEPS):
            settled = settle(beta, ridge)
            if settled is None:
                return None
            solution = self.solution(settled)
            if solution.gap <= self.tolerance(settled):
                return solution
            beta, ridge = settled, max(RIDGE, ridge / 4.0)
        return None

    def exchange(self, beta: Floats, ridge: float) -> Floats | None:
        """Exchange all variables on the wrong side at once, until there are none."""
        state = self._state(beta)
        if not beta.any():
            state[:] = 0  # nothing known: let every row be a support vector
        fewest, patience = state.size + 1, PATIENCE
        accuracy = self.tolerance(beta) / 4.0
        for _ in range(EXCHANGES):
            solved = self._solve_free(beta, state, ridge)
            if solved is None:
                return None
            moved, slope = solved
            target = np.where(moved > self.upper, 1, np.where(moved < self.lower, -1, 0))
            target[(state < 0) & (slope <= accuracy)] = -1
            target[(state > 0) & (slope >= -accuracy)] = 1
            wrong = np.flatnonzero(target != state)
            if not wrong.size:
                return np.clip(moved, self.lower, self.upper)
            patience = PATIENCE if wrong.size < fewest else patience - 1
            fewest = min(fewest, wrong.size)
            if not patience or wrong.size > 2 * fewest + 2:
                return None
            state[wrong] = target[wrong]
        return None

    def descend(self, beta: Floats, ridge: float) -> Floats | None:
        """Move to the best values of the free variables, stopping at each bound on the way.

        Once there, free the variable that is most on the wrong side. The objective improves all
        the way (active set method), so this ends.
        """
        centre, beta = beta, beta.copy()
        state = self._state(beta)
        willing = np.ones(beta.size, dtype=bool)  # to be freed
        accuracy = self.tolerance(beta) / 4.0
        for _ in range(100 + 20 * beta.size):
            solved = self._solve_free(centre, state, ridge)
            if solved is None:
                return None
            target, slope = solved
            step, blocking = self._first_bound(beta, target)
            if step < 1.0:
                beta += step * (target - beta)
                state[blocking] = 1 if target[blocking] > beta[blocking] else -1
                beta[blocking] = (self.upper if state[blocking] > 0 else self.lower)[blocking]
                # Back at its bound without a move: its slope was rounding error.
                willing = willing | (step > 0)
                willing[blocking] = step > 0
                continue
            beta = target
            violation = np.where(willing, -state * slope, 0.0)
            worst = int(np.argmax(violation))
            if violation[worst] <= accuracy:
                return np.clip(beta, self.lower, self.upper)
            state[worst] = 0
        return None

    def smo(self, beta: Floats, iterations: int) -> Floats:
        """Improve beta pair by pair, the pairs chosen by second-order information."""
        beta = beta.copy()
        gradient = self.signs - self.gram @ beta
        flat = max(1e-12 * self.typical, 1e-100)
        for step in range(iterations):
            if step % 64 == 0:
                goal = self.tolerance(beta)
            growing = np.where(beta < self.upper, gradient, -np.inf)
            i = int(np.argmax(growing))
            excess = np.where(beta > self.lower, growing[i] - gradient, 0.0)
            if excess.max() <= goal:
                break
            curvature = np.maximum(self.diagonal[i] + self.diagonal - 2.0 * self.gram[i], flat)
            j = int(np.argmax(np.where(excess > 0.0, excess * excess / curvature, 0.0)))
            above, below = self.upper[i] - beta[i], beta[j] - self.lower[j]
            move = min(excess[j] / curvature[j], above, below)
            # Exactly to the bound, or a rest of 1e-17 would count as free.
            beta[i] = self.upper[i] if move == above else beta[i] + move
            beta[j] = self.lower[j] if move == below else beta[j] - move
            gradient -= move * (self.gram[i] - self.gram[j])
        return beta

    def _state(self, beta: Floats) -> Ints:
        return (beta >= self.upper).astype(np.intp) - (beta <= self.lower)

    def _solve_free(
        self, centre: Floats, state: Ints, ridge: float
    ) -> tuple[Floats, Floats] | None:
        """Best values of the free variables with the others at their bounds, and the slopes.

        The slope is what remains of the gradient after the bias; 0 for free variables.
        """
        ridge *= self.typical
        beta = np.where(state > 0, self.upper, np.where(state < 0, self.lower, 0.0))
        gradient = self.signs - self.gram @ beta
        free = np.flatnonzero(state == 0)
        m = free.size
        if not m:
            return beta, gradient - self._bias_at_bounds(beta, gradient)
        border = self.typical
        system = np.full((m + 1, m + 1), border)
        system[:m, :m] = self.gram[np.ix_(free, free)]
        system[np.arange(m), np.arange(m)] += ridge
        system[m, m] = 0.0
        right = np.append((gradient + ridge * centre)[free], -border * beta.sum())
        try:
            solved = np.linalg.solve(system, right)
        except np.linalg.LinAlgError:
            return None
        beta[free] = solved[:m]
        slope = self.signs - self.gram @ beta - border * solved[m] - ridge * (beta - centre)
        return beta, slope

    def _bias_range(self, beta: Floats, gradient: Floats) -> tuple[float, float]:
        """Rows that may grow keep the bias above the first, rows that may shrink below the second.

        The excess of the first over the second is the gap.
        """
        floor = np.max(gradient[beta < self.upper], initial=-np.inf)
        ceiling = np.min(gradient[beta > self.lower], initial=np.inf)
        return float(floor), float(ceiling)

    def _bias_at_bounds(self, beta: Floats, gradient: Floats) -> float:
        """Bias without free variables; if the sum of beta is off, one that frees a variable."""
        floor, ceiling = self._bias_range(beta, gradient)
        excess = float(beta.sum())
        if abs(excess) <= 1e-12 * float(np.abs(beta).sum()):
            return (floor + ceiling) / 2.0
        away = self.tolerance(beta)
        return ceiling + away if excess > 0 else floor - away

    def _first_bound(self, beta: Floats, target: Floats) -> tuple[float, int]:
        """Share of the way from beta to target that stays in the bounds, and what stops it."""
        direction = target - beta
        room = np.where(direction > 0, self.upper, self.lower) - beta
        share = np.full(beta.size, np.inf)
        # A move within rounding error must not stop at a bound: it would never end.
        moving = np.abs(direction) > 1e-14 * (self.upper - self.lower)
        np.divide(room, direction, out=share, where=moving)
        blocking = int(np.argmin(share))
        return float(max(0.0, share[blocking])), blocking
