"""Cox's proportional hazards model of one feature at a time.

References
----------
Cox (1972), Regression models and life-tables, J. R. Statist. Soc. B 34.
Efron (1977), The efficiency of Cox's likelihood function for censored data, JASA 72.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from fsops.algorithms.base.moments import negligible
from fsops.algorithms.base.sums import column_tiles
from fsops.algorithms.base.types import Bools, Floats, Ints, Numbers, Scores, as_matrix, as_target
from fsops.algorithms.statistics.significance import Weighting, normal_p_values, tested

Ties: TypeAlias = Literal["efron", "breslow"]
CoxTest: TypeAlias = Literal["score", "wald", "likelihood_ratio"]
ITERATIONS = 60
PRECISION = 1e-10
"""Coefficients of standardized features are found up to this step."""
ENDLESS = 40.0
"""An infinite coefficient is followed up to this difference of the logarithmic hazard of rows."""
LARGEST = 600.0
"""Differences of the logarithmic hazard between two rows beyond this are not computed."""


@dataclass(frozen=True, eq=False)
class RiskSets:
    """The rows at risk at each event, by falling time.

    Attributes
    ----------
    order
        Rows by falling time.
    events
        Places of the events in this order.
    last
        For each event, the place of the last row that is still at risk.
    tie
        For each event, a number for its time.
    starts
        Where the events of each time begin among the events.
    ties
        How events at the same time are treated.
    """

    order: Ints
    events: Ints
    last: Ints
    tie: Ints
    starts: Ints
    ties: Ties

    @classmethod
    def of(cls, time: Numbers, event: Numbers, ties: Ties = "efron") -> "RiskSets":
        """The risk sets of right-censored times."""
        time = as_target(time, len(time))
        happened = np.asarray(event, dtype=bool)
        if happened.shape != time.shape:
            raise ValueError("There must be one event for each time.")
        order = np.argsort(-time, kind="stable")
        falling = -time[order]
        events = np.flatnonzero(happened[order])
        last = np.searchsorted(falling, falling[events], side="right") - 1
        starts, tie = np.unique(last, return_index=True, return_inverse=True)[1:]
        return cls(order, events, last, tie.reshape(-1), starts, ties)

    def fractions(self, known: Bools | None) -> Floats:
        """Part of the tied events that Efron takes out of the risk set, for each event."""
        if self.ties == "breslow" or not self.events.size:
            return np.zeros((self.events.size, 1))
        ones = np.ones((self.events.size, 1)) if known is None else known[self.events].astype(float)
        before = np.cumsum(ones, axis=0) - ones
        sizes = np.add.reduceat(ones, self.starts, axis=0)[self.tie]
        first = before[self.starts][self.tie]
        with np.errstate(invalid="ignore"):
            parts: Floats = np.where(sizes > 0, (before - first) / sizes, 0.0)
        return parts


@dataclass(frozen=True, slots=True, eq=False)
class CoxFits:
    """Coefficients of single features.

    Attributes
    ----------
    coefficient
        Logarithm of the hazard ratio of one unit; infinite if the likelihood has no maximum.
    error
        Standard error of the coefficient.
    gain
        Twice the gain in logarithmic likelihood over the coefficient 0.
    """

    coefficient: Floats
    error: Floats
    gain: Floats


class _Tile:
    """Some features, standardized, by falling time."""

    def __init__(self, X: Numbers, sets: RiskSets) -> None:
        values = X[sets.order].astype(np.float64)
        known: Bools = ~np.isnan(values)
        self.sets = sets
        self.known = None if known.all() else known
        count = known.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            mean = np.where(known, values, 0.0).sum(axis=0) / count
            # From the mean of rounded sums, to the mean of the differences from it.
            values -= mean
            values -= np.where(known, values, 0.0).sum(axis=0) / count
            squares = np.where(known, values * values, 0.0).sum(axis=0)
            scale = np.sqrt(squares / count)
            constant = ~(squares > 0) | negligible(squares, count, mean)
            values /= np.where(constant, np.nan, scale)
        self.scale = np.where(constant, np.nan, scale)
        self.values = np.where(known & ~constant, values, 0.0)
        self.fractions = sets.fractions(self.known)
        events = self.values[sets.events]
        self.happened = np.ones((1, 1)) if self.known is None else known[sets.events].astype(float)
        self.total = events.sum(axis=0)

    def some(self, chosen: Ints) -> "_Tile":
        """The same for some of the features."""
        part = object.__new__(_Tile)
        part.sets, part.values, part.scale = self.sets, self.values[:, chosen], self.scale[chosen]
        part.known = None if self.known is None else self.known[:, chosen]
        part.fractions, part.happened = (
            each if each.shape[1] == 1 else each[:, chosen]
            for each in (self.fractions, self.happened)
        )
        part.total = self.total[chosen]
        return part

    @cached_property
    def span(self) -> Floats:
        """Largest difference of two rows."""
        spread: Floats = self.values.max(axis=0) - self.values.min(axis=0)
        return spread

    def endless(self) -> Floats:
        """1 or -1 where the likelihood rises for ever with a rising or falling coefficient, else 0.

        It does if each event has the largest, or each the smallest, value of the rows at risk.
        """
        signs: Floats = np.zeros(self.values.shape[1])
        for sign in (1.0, -1.0):
            values = sign * self.values
            if self.known is not None:
                values[~self.known] = -np.inf
            best = np.maximum.accumulate(values, axis=0)[self.sets.last]
            first = (self.happened == 0) | (values[self.sets.events] == best)
            signs[first.all(axis=0)] = sign
        return signs

    def likelihood(self, slope: Floats) -> tuple[Floats, Floats, Floats]:
        """Logarithmic likelihood, its slope and its curvature (positive) at some coefficients."""
        z = self.values
        eta = z * slope
        largest = eta.max(axis=0)
        risk = np.exp(eta - largest)
        if self.known is not None:
            risk *= self.known
        zero = self._at_risk(risk)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = self._at_risk(risk * z) / zero
            square = self._at_risk(risk * z * z) / zero
            logs = np.log(zero)
        logs, mean, square = (
            np.where(self.happened > 0, part, 0.0) for part in (logs, mean, square)
        )
        value = slope * self.total - logs.sum(axis=0) - largest * self._count()
        curvature = np.maximum(square - mean * mean, 0.0).sum(axis=0)
        return value, self.total - mean.sum(axis=0), curvature

    def _count(self) -> Floats:
        rows = np.broadcast_to(self.happened, (self.sets.events.size, self.happened.shape[1]))
        count: Floats = rows.sum(axis=0)
        return count

    def _at_risk(self, parts: Floats) -> Floats:
        """Sum of the parts of the rows at risk, for each event."""
        sets = self.sets
        sums: Floats = np.cumsum(parts, axis=0)[sets.last]
        if sets.ties == "efron" and sets.starts.size < sets.events.size:
            own = np.add.reduceat(parts[sets.events], sets.starts, axis=0)
            sums -= self.fractions * own[sets.tie]
        return sums


def univariate_cox(
    X: Numbers,
    time: Numbers,
    event: Numbers,
    *,
    ties: Ties = "efron",
    test: CoxTest = "score",
    weighting: Weighting = "abs_statistic",
    p_values: bool = True,
) -> Scores:
    """Test of each feature alone in Cox's model, as a standard normal statistic with its sign.

    It is positive where larger values of the feature mean earlier events. The square is the chi
    squared statistic with one degree of freedom. Missing values are left out for each feature.

    Parameters
    ----------
    X, time, event
        Rows by features; the time of each row; whether the event happened then.
    ties
        Events at the same time: Efron's approximation, or Breslow's.
    test
        The score test needs no coefficient. The others compute it.
    weighting, p_values
        See `weights_from` and `tested`.
    """
    X = as_matrix(X)
    sets = RiskSets.of(time, event, ties)
    if test == "score":
        statistic = score_statistics(X, sets)
    else:
        fits = cox_fits(X, sets)
        with np.errstate(invalid="ignore", divide="ignore"):
            wald = np.where(np.isinf(fits.coefficient), 0.0, fits.coefficient / fits.error)
            ratio = np.sign(fits.coefficient) * np.sqrt(np.maximum(fits.gain, 0.0))
        statistic = wald if test == "wald" else ratio
    plain = tested(statistic, np.ones_like(statistic), normal_p_values, weighting, p_values)
    later = _LaterFits(X, sets, None if test == "score" else fits)
    return replace(
        plain, df=None, more={"coefficient": later.coefficient, "standard_error": later.error}
    )


class _LaterFits:
    """Coefficients that are computed when they are first read."""

    def __init__(self, X: Numbers, sets: RiskSets, fits: CoxFits | None) -> None:
        self.X, self.sets, self.fits = X, sets, fits

    def _found(self) -> CoxFits:
        if self.fits is None:
            self.fits = cox_fits(self.X, self.sets)
        return self.fits

    def coefficient(self) -> Floats:
        return self._found().coefficient

    def error(self) -> Floats:
        return self._found().error


def score_statistics(X: Numbers, sets: RiskSets) -> Floats:
    """Signed root of the score test of each feature; NaN for constants and without events."""
    statistic = np.full(X.shape[1], np.nan)
    if not sets.events.size:
        return statistic
    for tile in column_tiles(X.shape[1], len(X)):
        part = _Tile(X[:, tile], sets)
        _, slope, curvature = part.likelihood(np.zeros(part.values.shape[1]))
        usable = (curvature > 0) & ~np.isnan(part.scale)
        with np.errstate(invalid="ignore", divide="ignore"):
            statistic[tile] = np.where(usable, slope / np.sqrt(curvature), np.nan)
    return statistic


def cox_fits(X: Numbers, sets: RiskSets) -> CoxFits:
    """Coefficient of each feature alone, by Newton's method with halved steps."""
    fields = np.full((3, X.shape[1]), np.nan)
    if sets.events.size:
        for tile in column_tiles(X.shape[1], len(X)):
            fields[:, tile] = _fitted(_Tile(X[:, tile], sets))
    return CoxFits(*fields)


def _fitted(part: _Tile) -> Floats:
    """Coefficient, standard error and gain of the features of a tile."""
    p = part.values.shape[1]
    slope = np.zeros(p)
    value, gradient, curvature = part.likelihood(slope)
    begin = value.copy()
    usable = (curvature > 0) & ~np.isnan(part.scale)
    endless = part.endless()
    with np.errstate(divide="ignore", invalid="ignore"):
        limit = np.where(endless != 0, ENDLESS, LARGEST) / part.span
    active = np.flatnonzero(usable)
    for _ in range(ITERATIONS):
        if not active.size:
            break
        some = part.some(active)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            goal = slope[active] + gradient[active] / curvature[active]
        step = np.clip(goal, -limit[active], limit[active]) - slope[active]
        step[curvature[active] == 0] = 0.0  # flat in all digits
        old = value[active]
        for _ in range(30):
            found = some.likelihood(slope[active] + step)
            worse = ~(found[0] >= old - 1e-9 * np.abs(old) - 1e-12)
            if not worse.any():
                break
            step = np.where(worse, step / 2, step)
        slope[active] += step
        value[active], gradient[active], curvature[active] = found
        far = np.abs(slope[active]) >= limit[active]
        done = np.abs(step) <= PRECISION * np.maximum(1.0, np.abs(slope[active]))
        active = active[~(done | far)]
    infinite = (endless != 0) | (np.abs(slope) >= limit)
    with np.errstate(divide="ignore", invalid="ignore"):
        sign = np.where(endless != 0, endless, np.sign(slope))
        coefficient = np.where(infinite, sign * np.inf, slope / part.scale)
        error = np.where(infinite, np.inf, 1.0 / np.sqrt(curvature) / part.scale)
    fields = np.stack([coefficient, error, 2.0 * (value - begin)])
    return np.where(usable, fields, np.nan)
