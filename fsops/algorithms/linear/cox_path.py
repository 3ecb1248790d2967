"""Cox's proportional hazards model with few coefficients, for a path of penalties.

It minimizes -l(b) / n + alpha (r |b|_1 + (1 - r) / 2 |b|²) on standardized features, where l is the
logarithm of the partial likelihood, as glmnet does. Row weights multiply the part of each event and
the risk of each row, and n is their sum; ties are then treated as by Breslow. For each penalty,
starting from the solution for the one before, Newton's method is applied to the features with a
coefficient and to those that violate the conditions of the optimum. The second derivatives of k
features take one product of a (n, k) matrix, because risk sets are nested. Strong rules leave out
most features, and the conditions are checked for all of them afterwards.

References
----------
Simon, Friedman, Hastie & Tibshirani (2011), Regularization paths for Cox's proportional hazards
model via coordinate descent, Journal of Statistical Software 39;
Tibshirani et al. (2012), Strong rules for discarding predictors in lasso-type problems, J. R.
Statist. Soc. B 74;
Verweij & van Houwelingen (1993), Cross-validation in survival analysis, Statistics in Medicine 12.
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
)
from fsops.algorithms.filters.cox import RiskSets, Ties
from fsops.algorithms.linear.equations import positive_solution
from fsops.algorithms.linear.penalized import Penalty
from fsops.algorithms.linear.penalty_path import number_of_rows

STEPS = 50
PRECISION = 1e-9
"""Of the penalty: larger violations of the conditions of the optimum are worked on."""
LEAST_ADDED = 100
"""Features that may join the working set at once, however few rows there are."""
NEWTON_STEPS = 50
ROUNDS = 500
SATURATED = 0.99
"""The path ends where so much of the deviance is explained."""


@dataclass(frozen=True, slots=True, eq=False)
class CoxPath:
    """Coefficients and deviances for each penalty, from the strongest down.

    Attributes
    ----------
    penalties
        alpha, falling, (t,).
    coefficients
        On all rows, of the standardized features, (p, t).
    features
        Number of coefficients that are not 0, (t,).
    deviances
        Deviance of the rows of each fold, by event, (t, folds).
    """

    penalties: Floats
    coefficients: Floats
    features: Ints
    deviances: Floats


LEAST_RISK = 1e-300
"""Below this a sum of risks, relative to the highest one, has lost its digits."""


class CoxRows:
    """Rows by falling time, with standardized features, and the partial likelihood on them."""

    def __init__(  # noqa: PLR0917 - the parts of a table
        self,
        X: Floats,
        time: Numbers,
        event: Numbers,
        ties: Ties,
        weights: Floats | None = None,
    ) -> None:
        if weights is not None and ties == "efron":
            raise ValueError("Efron's approximation has no row weights; repeat the rows.")
        self.sets = RiskSets.of(time, event, ties)
        self.size = number_of_rows(len(X), weights)
        self.centre, spread = _means_and_deviations(X, weights)
        constant = spread <= 1e-12 * np.abs(X).max(axis=0, initial=0.0)
        self.scale: Floats = np.where(constant, np.inf, spread)
        self.X: Floats = np.asfortranarray((X[self.sets.order] - self.centre) / self.scale)
        self.fractions = self.sets.fractions(None)[:, 0]
        self.tied = ties == "efron" and self.sets.starts.size < self.sets.events.size
        happened = np.zeros(len(X))
        happened[self.sets.events] = 1.0
        self.weights = None if weights is None else weights[self.sets.order]
        if self.weights is not None:
            happened *= self.weights
        self.happened: Floats = happened
        self.counts: Floats = happened[self.sets.events]
        self.events: float = self.sets.events.size if weights is None else float(happened.sum())

    def at_risk(self, parts: Floats) -> Floats:
        """Sums over the rows at risk, for each event."""
        sets = self.sets
        sums: Floats = np.cumsum(parts, axis=0)[sets.last]
        if self.tied:
            own = np.add.reduceat(parts[sets.events], sets.starts, axis=0)[sets.tie]
            factor = self.fractions if parts.ndim == 1 else self.fractions[:, None]
            sums -= factor * own
        return sums

    def log_likelihood(self, eta: Floats) -> float:
        """Logarithm of the partial likelihood of linear predictors, by falling time."""
        highest = float(eta.max(initial=0.0))
        zero = self.at_risk(self._risks(eta, highest))
        own = eta[self.sets.events]
        if zero.min() < LEAST_RISK:
            return self._sum(own) - self._sum(self._log_at_risk(eta))
        return self._sum(own) - self._sum(np.log(zero)) - highest * self.events

    def _risks(self, eta: Floats, highest: float) -> Floats:
        """Risk of each row relative to the highest, times its weight."""
        risk: Floats = np.exp(eta - highest)
        return risk if self.weights is None else risk * self.weights

    def _sum(self, parts: Floats) -> float:
        """Sum over the events."""
        return float(parts.sum() if self.weights is None else self.counts @ parts)

    def _log_at_risk(self, eta: Floats) -> Floats:
        """Logarithms of the sums over the rows at risk, however far apart the predictors are."""
        sets = self.sets
        if self.weights is not None:
            eta = eta + np.log(self.weights)
        sums: Floats = np.logaddexp.accumulate(eta)[sets.last]
        if self.tied:
            own = np.logaddexp.reduceat(eta[sets.events], sets.starts)[sets.tie]
            sums += np.log1p(-self.fractions * np.exp(own - sums))
        return sums

    def derivatives(self, eta: Floats) -> tuple[Floats, Floats, Floats]:
        """Risks relative to the highest, their sums at each event, and each row's expected events.

        The gradient of -l by the linear predictors is expected less happened events.
        """
        risk = self._risks(eta, eta.max(initial=0.0))
        zero = np.maximum(self.at_risk(risk), LEAST_RISK)
        inverse = self.counts / zero
        # A row is at risk at the events whose last place is its own or a later one.
        sums = np.zeros(len(eta) + 1)
        np.add.at(sums, self.sets.last, inverse)
        expected = sums[::-1].cumsum()[::-1][:-1]
        if self.tied:
            parts = np.add.reduceat(self.fractions * inverse, self.sets.starts)[self.sets.tie]
            expected[self.sets.events] -= parts
        return risk, zero, risk * expected

    def hessian(self, columns: Floats, state: tuple[Floats, Floats, Floats]) -> Floats:
        """Second derivatives of -l by the coefficients of some columns."""
        risk, zero, expected = state
        mean = self.at_risk(columns * risk[:, None]) / zero[:, None]
        other = mean if self.weights is None else mean * self.counts[:, None]
        matrix: Floats = (columns * expected[:, None]).T @ columns - mean.T @ other
        return matrix

    def gradient(self, state: tuple[Floats, Floats, Floats], columns: Floats) -> Floats:
        """First derivatives of -l / n by the coefficients of some columns."""
        slope: Floats = columns.T @ (state[2] - self.happened) / self.size
        return slope


def _means_and_deviations(X: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
    if weights is None:
        return X.mean(axis=0), X.std(axis=0)
    fractions = weights / weights.sum()
    centre = fractions @ X
    centred = X - centre
    return centre, np.sqrt(fractions @ (centred - fractions @ centred) ** 2)


class _Solver:
    """Solutions for falling penalties, each from the one before."""

    def __init__(self, rows: CoxRows, l1_ratio: float) -> None:
        self.rows, self.ratio = rows, l1_ratio
        self.b = np.zeros(rows.X.shape[1])
        self.eta = np.zeros(len(rows.X))
        self.state = rows.derivatives(self.eta)
        self.slope = rows.gradient(self.state, rows.X)
        self.before = np.inf

    def solve(self, alpha: float) -> None:
        """Move to the optimum for a penalty."""
        penalty = Penalty(alpha * self.ratio, alpha * (1 - self.ratio))
        bound = penalty.l1 * (1 + PRECISION)
        # Strong rule: the gradient changes by at most the change of the penalty.
        least = (2 * alpha - self.before) * self.ratio if np.isfinite(self.before) else penalty.l1
        screened: Bools = (np.abs(self.slope) >= least) | (self.b != 0)
        for _ in range(ROUNDS):
            self._solve_among(np.flatnonzero(screened), penalty)
            self.slope = self.rows.gradient(self.state, self.rows.X)
            missed = (np.abs(self.slope) > bound) & ~screened
            if not missed.any():
                break
            screened |= missed
        self.before = alpha

    def _solve_among(self, candidates: Ints, penalty: Penalty) -> None:
        columns = self.rows.X[:, candidates]
        used: Bools = self.b[candidates] != 0
        for _ in range(ROUNDS):
            slope = self.rows.gradient(self.state, columns)
            missed = (np.abs(slope) > penalty.l1 * (1 + PRECISION)) & ~used
            if missed.any():
                # The matrix of second derivatives must fit into memory: few features at a time.
                missed = _largest(np.abs(slope), missed, max(len(columns), LEAST_ADDED))
                used |= missed
            elif not used.any() or self._violation(slope, candidates, penalty) <= PRECISION:
                return
            if not self._newton(columns, candidates, used, slope, penalty):
                return
            used &= (self.b[candidates] != 0) | missed

    def _violation(self, slope: Floats, candidates: Ints, penalty: Penalty) -> float:
        """Largest violation of the conditions among coefficients that are not 0."""
        b = self.b[candidates]
        rest = np.abs(slope + penalty.l1 * np.sign(b) + penalty.l2 * b)[b != 0]
        return float(rest.max(initial=0.0)) / penalty.l1

    def _objective(self, eta: Floats, b: Floats, penalty: Penalty) -> float:
        value = -self.rows.log_likelihood(eta) / self.rows.size
        return value + penalty.l1 * float(np.abs(b).sum()) + penalty.l2 * float(b @ b) / 2

    def _newton(
        self,
        columns: Floats,
        candidates: Ints,
        used: Bools,
        slope: Floats,
        penalty: Penalty,
    ) -> bool:
        """One step of Newton's method, halved while it does not help; whether it moved."""
        before = self._objective(self.eta, self.b[candidates], penalty)
        places = np.flatnonzero(used)
        own = np.ascontiguousarray(columns[:, places])
        old = self.b[candidates[places]]
        hessian = self.rows.hessian(own, self.state) / self.rows.size
        goal = _quadratic_optimum(hessian, slope[places], old, penalty)
        step, part = goal - old, 1.0
        rounding = 1e-14 * max(1.0, abs(before))
        for _ in range(NEWTON_STEPS):
            b = self.b[candidates]
            b[places] = goal if part == 1.0 else old + part * step
            eta = own @ b[places]
            if self._objective(eta, b, penalty) <= before + rounding:
                moved = not np.array_equal(b, self.b[candidates])
                self.b[candidates] = b
                self.eta, self.state = eta, self.rows.derivatives(eta)
                return moved
            part /= 2
        return False


def _largest(sizes: Floats, among: Bools, most: int) -> Bools:
    """Mark the features of largest size among some, at most ``most``."""
    places = np.flatnonzero(among)
    if places.size <= most:
        return among
    result: Bools = np.zeros_like(among)
    result[places[np.argpartition(-sizes[places], most - 1)[:most]]] = True
    return result


def _quadratic_optimum(hessian: Floats, slope: Floats, old: Floats, penalty: Penalty) -> Floats:
    """Coefficients that minimize the second-order approximation, if no sign changes.

    A coefficient that would change its sign is set to 0 and left out. The objective falls in each
    step, and the conditions of the optimum bring such coefficients back.
    """
    b = old.copy()
    signs = np.where(old != 0, np.sign(old), -np.sign(slope))
    left = np.arange(b.size)
    matrix = hessian + penalty.l2 * np.eye(b.size)
    target = hessian @ old - slope - penalty.l1 * signs
    while left.size:
        goal = positive_solution(matrix[np.ix_(left, left)], target[left], b[left])
        wrong = goal * signs[left] < 0
        if not wrong.any():
            b[left] = goal
            break
        at = b[left]
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = np.where(wrong, at / (at - goal), np.inf)
        first = float(reach.min())
        b[left] = at + min(first, 1.0) * (goal - at)
        crossed = reach <= first
        b[left[crossed]] = 0.0
        left = left[~crossed]
    return b


def path_of(rows: CoxRows, penalties: Floats, l1_ratio: float) -> Floats:
    """Coefficients of the standardized features for falling penalties, (p, t).

    It has fewer columns if the deviance is explained before the end.
    """
    solver = _Solver(rows, l1_ratio)
    null = -rows.log_likelihood(np.zeros(len(rows.X)))
    full = -_saturated(rows)
    found = []
    for alpha in penalties:
        solver.solve(float(alpha))
        found.append(solver.b.copy())
        if null + rows.log_likelihood(solver.eta) >= SATURATED * (null - full):
            break
    return np.column_stack(found)


def _saturated(rows: CoxRows) -> float:
    """The largest logarithm of a partial likelihood: only ties keep it below 0."""
    from scipy.special import gammaln

    sizes = np.bincount(rows.sets.tie, rows.counts)
    sizes = sizes[sizes > 0]
    parts = gammaln(sizes + 1) if rows.sets.ties == "efron" else sizes * np.log(sizes)
    return -float(parts.sum())


def largest_penalty(rows: CoxRows, l1_ratio: float) -> float:
    """The smallest penalty that sets all coefficients to 0."""
    slope = rows.gradient(rows.derivatives(np.zeros(len(rows.X))), rows.X)
    return float(np.abs(slope).max(initial=0.0)) / l1_ratio


def cox_path(
    X: Numbers,
    time: Numbers,
    event: Numbers,
    part: Ints,
    *,
    weights: Numbers | None = None,
    ties: Ties = "efron",
    l1_ratio: float = 1.0,
    steps: int = STEPS,
) -> CoxPath:
    """Compute the path on all rows, and its deviances by cross-validation.

    The deviance of a fold is twice the loss in the logarithm of the partial likelihood when its
    rows join those that the coefficients were fitted to, divided by its number of events.

    Parameters
    ----------
    X, time, event
        Complete features; the time of each row; whether the event happened then.
    part
        Fold of each row; each must have an event.
    weights
        How often each row counts, above 0; also in the deviances of the folds. Only for Breslow's
        approximation.
    ties
        Events at the same time: Efron's approximation, or Breslow's.
    l1_ratio
        1 for the lasso, below 1 for an elastic net; above 0.
    steps
        Number of penalties, equally spaced in their logarithms down to 0.001 (with more features
        than rows 0.05) of the smallest that sets all coefficients to 0.
    """
    X = np.asarray(as_matrix(X), dtype=np.float64)
    if not 0 < l1_ratio <= 1:
        raise ValueError(f"l1_ratio must be above 0 and at most 1, got {l1_ratio}.")
    time, happened = np.asarray(time), np.asarray(event, dtype=bool)
    times = None if weights is None else as_row_weights(weights, len(X))
    whole = CoxRows(X, time, happened, ties, times)
    lowest = 1e-3 if whole.size > X.shape[1] else 5e-2
    largest = max(largest_penalty(whole, l1_ratio), 1e-12)
    penalties = largest * np.logspace(0, np.log10(lowest), steps)
    coefficients = path_of(whole, penalties, l1_ratio)
    penalties = penalties[: coefficients.shape[1]]
    deviances = np.empty((penalties.size, int(part.max()) + 1))
    for fold in range(deviances.shape[1]):
        train = part != fold
        own_times = None if times is None else times[train]
        rows = CoxRows(X[train], time[train], happened[train], ties, own_times)
        found = path_of(rows, penalties, l1_ratio)
        # A path that ends early has explained its rows: it stays at its end.
        found = found[:, np.minimum(np.arange(penalties.size), found.shape[1] - 1)]
        inside = rows.X @ found
        outside = ((X - rows.centre) / rows.scale)[whole.sets.order] @ found
        loss = [
            rows.log_likelihood(own) - whole.log_likelihood(every)
            for own, every in zip(inside.T, outside.T, strict=True)
        ]
        deviances[:, fold] = 2 * np.array(loss) / _count(happened & ~train, times)
    features = np.count_nonzero(coefficients, axis=0)
    return CoxPath(penalties, coefficients, features, deviances)


def _count(events: Bools, weights: Floats | None) -> float:
    """Number of events, or the sum of their weights; 1 without any."""
    return number_of_rows(int(events.sum()), None if weights is None else weights[events]) or 1


def cox_coefficients(
    X: Numbers,
    time: Numbers,
    event: Numbers,
    penalty: float,
    *,
    ties: Ties = "efron",
    l1_ratio: float = 1.0,
) -> tuple[Floats, CoxRows]:
    """Coefficients of the standardized features for one penalty, and the rows with their scale.

    Larger penalties are solved first, because each solution is a good start for the next. The
    coefficients are those of a larger penalty if it explains nearly all of the deviance.
    """
    rows = CoxRows(np.asarray(as_matrix(X), dtype=np.float64), time, event, ties)
    largest = largest_penalty(rows, l1_ratio)
    if penalty >= largest:
        return np.zeros(rows.X.shape[1]), rows
    count = 2 + int(4 * np.log10(largest / penalty))
    return path_of(rows, np.geomspace(largest, penalty, count), l1_ratio)[:, -1], rows
