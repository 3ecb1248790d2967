"""The dual problem of a two-class support vector machine, solved exactly.

Linear systems give the variables between their bounds: whole sets of variables are exchanged
between the bounds and the free set. Where that does not settle, the variables move one at a time,
which cannot go round in circles (`svm_descent`), if need be from a start that sequential minimal
optimization (SMO) has brought nearer. A solution is accepted by the gap of its optimality
conditions, however it was found.

References
----------
Fan, Chen & Lin (2005), Working set selection using second order information for training SVM,
JMLR 6.
Judice & Pires (1994), A block principal pivoting algorithm for large-scale strictly monotone
linear complementarity problems, Computers & Operations Research 21.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from fsops.algorithms.base.types import Bools, Floats, Ints
from fsops.algorithms.linear.svm_descent import Descent
from fsops.memory import require_pairs

Settle = Callable[[Floats, float], Floats | None]

EPS = float(np.finfo(np.float64).eps)
RIDGE = 1e-12  # of the mean diagonal, see Dual.solve
STIFF_RIDGE = 1e-9  # the same where variables move one at a time: their direction must be sure
EXCHANGES = 30  # at most, before another ridge or SMO is tried
PATIENCE = 3  # exchanges without progress before giving up
PROXIMAL_STEPS = 50  # one is enough for nearly all problems
NOWHERE = 2.0  # gap of beta = 0: a start that is no nearer is none
SMO_LIMIT = 200_000  # iterations, if it is left alone with a problem
SMO_START = 80  # iterations that bring a start near enough for the exact methods


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


def solve_dual(
    gram: Floats,
    signs: Floats,
    *,
    C: float = 1.0,
    beta: Floats | None = None,
    tol: float = 1e-8,
    max_iterations: int = SMO_LIMIT,
    rank: int | None = None,
) -> DualSolution:
    """Dual solution of a two-class support vector machine with any kernel.

    Maximizes ``y beta - beta K beta / 2`` under ``sum(beta) = 0`` and ``0 <= y_i beta_i <= C``.

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
        Of SMO; the gap of the result shows if that was too few.
    rank
        Largest rank that K can have, such as the number of features; saves attempts in vain.

    Returns
    -------
    DualSolution
    """
    return Dual(signs, C, tol).on(gram).solved(beta, rank, max_iterations)


class WarmMachines:
    """Machines that share a kernel matrix, each started from its solution for the one before.

    Parameters
    ----------
    signs
        A row of +1 and -1 for each machine.
    cost
        Upper bound of the dual variables.
    tol
        Largest gap.
    """

    def __init__(self, signs: Floats, cost: float, tol: float) -> None:
        require_pairs(signs.shape[1], signs.shape[1], "The kernel matrix")
        self.duals = [Dual(sign, cost, tol) for sign in signs]
        self.beta = np.zeros_like(signs)

    def solve(self, gram: Floats, rank: int) -> Floats:
        """Solutions for this kernel matrix, one row for each machine."""
        for dual, beta in zip(self.duals, self.beta, strict=True):
            beta[:] = dual.on(gram).solved(beta, rank).beta
        return self.beta


class Dual:
    """The dual problem in beta = y * alpha, where the gradient is ``y - K beta``.

    Variables are at their lower bound (state -1), free (0) or at their upper bound (1). The cost
    of errors may differ by row.
    """

    gram: Floats
    typical: float  # value on the diagonal

    def __init__(self, signs: Floats, cost: float | Floats, tol: float) -> None:
        self.signs = signs
        bound = signs * cost
        self.lower, self.upper = np.minimum(0.0, bound), np.maximum(0.0, bound)
        self.off = 1e-12 * float(np.abs(bound).sum())  # what rounding makes of a sum of 0
        self.tol = tol
        self.inside = False  # whether the last solution lay between the bounds

    def on(self, gram: Floats) -> Self:
        """Take this kernel matrix."""
        self.gram = gram
        self.typical = float(gram.trace()) / self.signs.size
        return self

    def solved(
        self, beta: Floats | None, rank: int | None, max_iterations: int = SMO_LIMIT
    ) -> DualSolution:
        """Solution by the way that suits the start and the rank, see `solve_dual`."""
        if rank == 1 and (solved := self.solve_line()) is not None:
            return solved
        start = self.start(beta)
        solved = self._solve_at_once(start, start.size if rank is None else rank)
        if solved is None and start.any():
            if self.solution(start).gap < NOWHERE:
                solved = self.solve(start, self.descend, STIFF_RIDGE)
            else:
                start = np.zeros(start.size)
        return solved or self.solve_far(start, max_iterations)

    def start(self, beta: Floats | None) -> Floats:
        """Beta within the bounds; 0 if there is none or its sum is not 0."""
        if beta is None or abs(beta.sum()) > self.off:
            return np.zeros(self.signs.size)
        return self.within(beta)

    def tolerance(self, beta: Floats) -> float:
        """Gap to be reached: the wanted one, or what rounding leaves of ``K beta``."""
        length = np.sqrt(np.maximum(self.gram.diagonal(), 0.0))
        return max(self.tol, 8 * EPS * float(length.max()) * float(length @ np.abs(beta)))

    def within(self, beta: Floats) -> Floats:
        """The values nearest to beta that the bounds allow."""
        # Not np.clip: it takes four times as long for so few values.
        allowed: Floats = np.minimum(np.maximum(beta, self.lower), self.upper)
        return allowed

    def reached(self, solution: DualSolution) -> bool:
        """Whether the gap is the wanted one, or as small as rounding lets it be."""
        return solution.gap <= self.tol or solution.gap <= self.tolerance(solution.beta)

    def solution(self, beta: Floats) -> DualSolution:
        """Bias and gap of a feasible beta."""
        gradient = self.signs - self.gram @ beta
        growing, shrinking = beta < self.upper, beta > self.lower
        floor, ceiling = _bias_range(gradient, growing, shrinking)
        free = gradient[growing & shrinking]
        bias = float(free.sum()) / free.size if free.size else (floor + ceiling) / 2.0
        return DualSolution(beta, bias, max(0.0, floor - ceiling))

    def _solve_at_once(self, start: Floats, rank: int) -> DualSolution | None:
        """Solution by exchange, or at best by one system, if the rank is large enough for it."""
        if rank < start.size:
            promising = self.count_free(start) <= rank + 1
            return self.solve(start, self.exchange, RIDGE) if promising else None
        if self.inside or not start.any():
            start = self._solve_all(start)
            solved = self._solution_inside(start)
            self.inside = solved is not None
            if solved is not None and self.reached(solved):
                return solved
        return self.solve(self.within(start), self.exchange, RIDGE)

    def _solve_all(self, centre: Floats) -> Floats:
        """Best values without bounds; the center if the kernel matrix does not determine them."""
        ridge = RIDGE * self.typical
        solved = self._solve_system(self.gram, ridge, self.signs + ridge * centre, 0.0)
        return centre if solved is None else solved[0]

    def _solution_inside(self, beta: Floats) -> DualSolution | None:
        """Bias and gap of a beta between the bounds, as usual with many more features than rows."""
        if not ((beta > self.lower) & (beta < self.upper)).all():
            return None
        gradient = self.signs - self.gram @ beta
        bias = float(gradient.sum()) / beta.size
        return DualSolution(beta, bias, float(gradient.max() - gradient.min()))

    def solve_far(self, start: Floats, iterations: int = SMO_LIMIT) -> DualSolution:
        """Solution from a start that only SMO can bring near enough for the exact ways."""
        start = self.smo(start, SMO_START)
        solved = self.solution(start)
        if self.reached(solved):
            return solved
        return (
            self.solve(start, self.exchange, RIDGE)
            or self.solve(start, self.descend, STIFF_RIDGE)
            or self.solution(self.smo(start, iterations))
        )

    def solve(self, beta: Floats, settle: Settle, ridge: float) -> DualSolution | None:
        """Exact solution by one of the two ways of settling the free set, if it succeeds.

        Each system has a small multiple (the ridge, relative to the mean diagonal) of the
        squared distance to the last solution added, a proximal point step: it is then regular
        even with fewer features than rows. Repeating the step removes the effect.
        """
        smallest = np.inf
        for _ in range(PROXIMAL_STEPS):
            settled = settle(beta, ridge)
            if settled is None:
                return None
            solution = self.solution(settled)
            if self.reached(solution):
                return solution
            # A smaller ridge needs fewer steps, but its system has larger rounding errors. They
            # have taken over where the gap no longer falls.
            falls = solution.gap < smallest
            smallest = min(smallest, solution.gap)
            beta, ridge = settled, max(RIDGE, ridge / 4.0) if falls else ridge * 16.0
        return None

    def solve_line(self) -> DualSolution | None:
        """Solution for a kernel of rank one, whose rows lie on a line; None where it is flat."""
        diagonal = self.gram.diagonal()
        furthest = int(diagonal.argmax())
        if not diagonal[furthest] > 0:
            return None
        x = self.gram[furthest] / np.sqrt(diagonal[furthest])
        for direction in (x, -x):
            beta = self._on_line(direction)
            if beta is not None:
                solution = self.solution(beta)
                if self.reached(solution):
                    return solution
        return None

    def _on_line(self, x: Floats) -> Floats | None:
        """Dual variables for rows on a line, the positive class to the right; None if it is not.

        Rows leave 0 in pairs, from the positive and the negative one furthest on the wrong side,
        and go to their bounds. A pair gains as long as ``weight * (x_positive - x_negative) < 2``.
        """
        lowest, highest = (
            rows[np.argsort(sign * x[rows], kind="stable")]
            for sign in (1.0, -1.0)
            for (rows,) in ((self.signs == sign).nonzero(),)
        )
        pairs, cost = min(lowest.size, highest.size), float(self.upper.max())
        apart = x[lowest[:pairs]] - x[highest[:pairs]]
        weight = cost * np.cumsum(apart)
        if not weight[-1] > 0:
            return None
        (enough,) = (np.maximum(weight, 0.0) * apart >= 2.0).nonzero()
        whole = int(enough[0]) if enough.size else pairs
        beta = np.zeros(x.size)
        beta[lowest[:whole]], beta[highest[:whole]] = cost, -cost
        if enough.size:
            before = weight[whole - 1] if whole else 0.0
            last = (2.0 / apart[whole] - before) / apart[whole]
            last = min(max(last, 0.0), cost)
            beta[lowest[whole]], beta[highest[whole]] = last, -last
        return beta

    def exchange(self, beta: Floats, ridge: float) -> Floats | None:
        """Exchange all variables on the wrong side at once, until there are none."""
        state = self._start_state(beta)
        fewest, patience = state.size + 1, PATIENCE
        accuracy = None
        for _ in range(EXCHANGES):
            solved = self._solve_free(beta, state, ridge)
            if solved is None:
                return None
            moved, slope = solved
            target = (moved > self.upper).astype(np.intp) - (moved < self.lower)
            move = target != state
            if slope is not None:
                accuracy = accuracy or self.tolerance(beta) / 4.0
                # A bound holds a variable as long as the slope points to it.
                move &= (state == 0) | (slope * state < -accuracy)
            (wrong,) = move.nonzero()
            if not wrong.size:
                return moved
            patience = PATIENCE if wrong.size < fewest else patience - 1
            fewest = min(fewest, wrong.size)
            if not patience or wrong.size > 2 * fewest + 2:
                return None
            state[wrong] = target[wrong]
        return None

    def descend(self, beta: Floats, ridge: float) -> Floats | None:
        """Move one variable at a time between the bounds and the free set, see `svm_descent`."""
        try:
            return Descent(self, beta, ridge).run()
        except np.linalg.LinAlgError:
            return None

    def smo(self, beta: Floats, iterations: int) -> Floats:
        """Improve beta pair by pair, the pairs chosen by second-order information."""
        beta = beta.copy()
        gradient = self.signs - self.gram @ beta
        curvatures: dict[int, Floats] = {}  # of the pairs with a row: the same ones come again
        # Minus infinity where a variable cannot grow or shrink: it is never chosen.
        full = np.where(beta < self.upper, 0.0, -np.inf)
        empty = np.where(beta > self.lower, 0.0, -np.inf)
        growing, excess, change = np.empty((3, beta.size))
        for step in range(iterations):
            if step % 64 == 0:
                goal = self.tolerance(beta)
            np.add(gradient, full, out=growing)
            i = int(growing.argmax())
            np.subtract(empty, gradient, out=excess)
            excess += growing[i]
            curvature = curvatures.get(i)
            if curvature is None:
                curvature = curvatures[i] = self._curvature(i)
            np.maximum(excess, 0.0, out=growing)
            growing *= growing
            growing /= curvature
            j = int(growing.argmax())
            if excess[j] <= goal and excess.max() <= goal:
                break
            above, below = self.upper[i] - beta[i], beta[j] - self.lower[j]
            move = min(excess[j] / curvature[j], above, below)
            # Exactly to the bound, or a rest of 1e-17 would count as free.
            beta[i] = self.upper[i] if move == above else beta[i] + move
            beta[j] = self.lower[j] if move == below else beta[j] - move
            empty[i] = full[j] = 0.0
            full[i] = -np.inf if move == above else 0.0
            empty[j] = -np.inf if move == below else 0.0
            np.subtract(self.gram[i], self.gram[j], out=change)
            change *= move
            gradient -= change
        return beta

    def _curvature(self, i: int) -> Floats:
        """Curvature of the objective where row i grows and another one shrinks by as much."""
        diagonal = self.gram.diagonal()
        flat = max(1e-12 * self.typical, 1e-100)
        curvature: Floats = np.maximum(diagonal + diagonal[i] - 2.0 * self.gram[i], flat)
        return curvature

    def count_free(self, beta: Floats) -> int:
        """Number of variables that an exchange begins with as free ones."""
        return beta.size - int(np.count_nonzero(self._start_state(beta)))

    def _start_state(self, beta: Floats) -> Ints:
        # Where nothing is known, let every row be a support vector.
        return self.state(beta) if beta.any() else np.zeros(beta.size, dtype=np.intp)

    def state(self, beta: Floats) -> Ints:
        """Where each variable is: -1 at its lower bound, 1 at its upper bound, 0 between them."""
        return (beta >= self.upper).astype(np.intp) - (beta <= self.lower)

    def _solve_free(
        self, centre: Floats, state: Ints, ridge: float
    ) -> tuple[Floats, Floats | None] | None:
        """Best values of the free variables with the others at their bounds, and the slopes.

        The slope is what remains of the gradient after the bias; 0 for free variables, and not
        given if all are free.
        """
        ridge *= self.typical
        (free,) = (state == 0).nonzero()
        if free.size == state.size:
            # All rows are support vectors, as usual with many more features than rows.
            solved = self._solve_system(self.gram, ridge, self.signs + ridge * centre, 0.0)
            return None if solved is None else (solved[0], None)
        beta = np.where(state > 0, self.upper, np.where(state < 0, self.lower, 0.0))
        gradient = self.signs - self.gram @ beta
        if not free.size:
            return beta, gradient - self.bias_at_bounds(beta, gradient)
        right = (gradient + ridge * centre)[free]
        among = self.gram[free[:, None], free]
        solved = self._solve_system(among, ridge, right, -float(beta.sum()))
        if solved is None:
            return None
        beta[free], bias = solved
        return beta, self.signs - self.gram @ beta - bias - ridge * (beta - centre)

    def _solve_system(
        self, gram: Floats, ridge: float, right: Floats, total: float
    ) -> tuple[Floats, float] | None:
        """Variables and bias of ``(K + ridge) beta + bias = right`` with this sum of beta."""
        m, border = right.size, self.typical
        system, values = np.empty((m + 1, m + 1)), np.empty(m + 1)
        system[:m, :m] = gram
        system[m] = system[:, m] = border
        system[m, m] = 0.0
        system.reshape(-1)[: m * (m + 2) : m + 2] += ridge
        values[:m], values[m] = right, border * total
        try:
            solved = np.linalg.solve(system, values).astype(np.float64, copy=False)
        except np.linalg.LinAlgError:
            return None
        return solved[:m], border * float(solved[m])

    def bias_at_bounds(self, beta: Floats, gradient: Floats) -> float:
        """Bias without free variables; if the sum of beta is off, one that frees a variable."""
        floor, ceiling = _bias_range(gradient, beta < self.upper, beta > self.lower)
        excess = float(beta.sum())
        if abs(excess) <= 1e-12 * float(np.abs(beta).sum()):
            return (floor + ceiling) / 2.0
        away = self.tolerance(beta)
        return ceiling + away if excess > 0 else floor - away


def _bias_range(gradient: Floats, growing: Bools, shrinking: Bools) -> tuple[float, float]:
    """Rows that may grow keep the bias above the first, rows that may shrink below the second.

    The excess of the first over the second is the gap.
    """
    floor, ceiling = gradient[growing], gradient[shrinking]
    return (
        float(floor.max()) if floor.size else -np.inf,
        float(ceiling.min()) if ceiling.size else np.inf,
    )
