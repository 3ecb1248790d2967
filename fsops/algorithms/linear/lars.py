"""Least angle regression and the LASSO path, with coefficients at any constraint afterwards.

The path is piecewise linear in the coefficients, so its knots are the whole model: a solution
for any bound on the sum of absolute coefficients or for any number of features is read off
them without a second fit.

With many columns only a screened set is walked. The correlations of all columns with the
residual are checked at many knots by one matrix product, which is exact because correlations
and their bound are linear between knots; a column that was missed sends the walk back to the
knot before.

References
----------
Efron, Hastie, Johnstone & Tibshirani (2004), Least angle regression, Annals of Statistics 32.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from fsops.algorithms.base.scaling import unit_rows
from fsops.algorithms.base.types import Bools, Floats, Ints, Numbers, as_target

Method = Literal["lar", "lasso"]
OnStep = Callable[[int, int], None]

STOP = 1e-10  # of the first correlation: the residual is used up
PIVOT = 1e-10  # of a unit column: what is left of it beside the active columns
TIE = 1e-12  # relative size of a difference taken for rounding
SCREEN_ABOVE = 1000  # columns; below, one product with all of them is as cheap as screening
BATCH = 32  # knots verified by one matrix product
TALL = 2  # times as many rows as columns: from here on a QR decomposition shortens the columns


@dataclass(frozen=True, slots=True, eq=False)
class LarsSolution:
    """One point of a path.

    Attributes
    ----------
    coefficients : ndarray, shape (p,)
        For columns centered and scaled to unit length.
    original : ndarray, shape (p,)
        For the columns as given.
    intercept : float
        Belongs to ``original``.
    norm : float
        Sum of the absolute ``coefficients``.
    correlation : float
        Largest absolute correlation with the residual: the penalty of the LASSO
        ``RSS / 2 + penalty * norm``.
    constrained : bool
        False if this is the end of the path, so no constraint was binding.
    """

    coefficients: Floats
    original: Floats
    intercept: float
    norm: float
    correlation: float
    constrained: bool


@dataclass(frozen=True, slots=True, eq=False)
class LarsPath:
    """A fitted path: everything that is needed for the solution at any constraint.

    Attributes
    ----------
    method : {"lar", "lasso"}
    correlations, norms : ndarray, shape (knots,)
        Largest absolute correlation with the residual and sum of absolute coefficients.
    joined, left : ndarray of int, shape (knots,)
        The feature that enters or leaves at this knot, -1 for none.
    supports, values : tuple of ndarray
        Indices and standardized coefficients of the active features at each knot.
    collinear : ndarray of int
        Features that never entered because the active ones already span them.
    centre, scale : ndarray, shape (p,)
        Column means and lengths; the scale of a constant column is 0 and it never enters.
    y_mean : float
    complete : bool
        False if the walk was stopped by a constraint; the path beyond was never computed.
    """

    method: Method
    correlations: Floats
    norms: Floats
    joined: Ints
    left: Ints
    supports: tuple[Ints, ...]
    values: tuple[Floats, ...]
    collinear: Ints
    centre: Floats
    scale: Floats
    y_mean: float
    complete: bool

    @property
    def active_counts(self) -> Ints:
        """Number of active features in the step that starts at each knot."""
        return np.cumsum((self.joined >= 0).astype(np.intp) - (self.left >= 0))

    def coefficients(self, position: float) -> Floats:
        """Return the standardized coefficients at a knot, or between two for a fraction."""
        knot = int(position)
        result = self._dense(knot)
        if position > knot:
            result += (position - knot) * (self._dense(knot + 1) - result)
        return result

    def at(self, *, t: float | None = None, max_features: int | None = None) -> LarsSolution:
        """Return the solution under both constraints, the more restrictive one deciding.

        Parameters
        ----------
        t : float, optional
            Largest sum of absolute standardized coefficients.
        max_features : int, optional
            The solution where one more feature would enter for the first time.

        Returns
        -------
        LarsSolution
            The end of the path if nothing is constrained.
        """
        last = len(self.supports) - 1
        positions = [float(last)]
        if t is not None:
            positions.append(self.position_of_norm(t))
        if max_features is not None:
            positions.append(float(self.position_of_size(max_features)))
        position = min(positions)
        if position >= last and not self.complete:
            raise ValueError(
                f"This path was stopped at norm {self.norms[-1]:.6g} with "
                f"{len(self.supports[-1])} features; fit it again without that constraint."
            )
        return self._solution(position, constrained=position < last)

    def position_of_norm(self, t: float) -> float:
        """Return the first place on the path whose sum of absolute coefficients is t."""
        if t < 0:
            raise ValueError(f"t is {t}, but a sum of absolute values is at least 0.")
        reached = np.flatnonzero(self.norms >= t)
        if not reached.size:
            return float(len(self.norms) - 1)
        knot = int(reached[0])
        return float(knot) if knot == 0 else knot - 1 + self._fraction(knot - 1, t)

    def position_of_size(self, k: int) -> int:
        """Return the knot where the number of active features would first exceed k."""
        if k < 0:
            raise ValueError(f"max_features is {k}, but must be at least 0.")
        beyond = np.flatnonzero(self.active_counts > k)
        return int(beyond[0]) if beyond.size else len(self.norms) - 1

    def _dense(self, knot: int) -> Floats:
        result = np.zeros(self.scale.size)
        result[self.supports[knot]] = self.values[knot]
        return result

    def _fraction(self, knot: int, t: float) -> float:
        """Part of the step after a knot at which the norm is t.

        The norm is convex in the step and linear between sign changes (LAR has some), so the
        crossing is in the first of these pieces that ends at t or above.
        """
        start, end = self._dense(knot), self._dense(knot + 1)
        changes = start * end < 0
        cuts = np.unique(start[changes] / (start[changes] - end[changes]))
        cuts = np.concatenate([[0.0], cuts, [1.0]])
        norms = np.abs(start + cuts[:, None] * (end - start)).sum(axis=1)
        # The last piece by name: rounding may leave its end a hair below t.
        piece = int(np.argmax(norms[1:] >= t)) if np.any(norms[1:] >= t) else cuts.size - 2
        rise = norms[piece + 1] - norms[piece]
        share = (t - norms[piece]) / rise if rise > 0 else 1.0
        return float(min(1.0, cuts[piece] + share * (cuts[piece + 1] - cuts[piece])))

    def _solution(self, position: float, *, constrained: bool) -> LarsSolution:
        coefficients = self.coefficients(position)
        original = np.zeros_like(coefficients)
        np.divide(coefficients, self.scale, out=original, where=self.scale > 0)
        knots = np.arange(self.correlations.size)
        return LarsSolution(
            coefficients=coefficients,
            original=original,
            intercept=float(self.y_mean - original @ self.centre),
            norm=float(np.abs(coefficients).sum()),
            correlation=float(np.interp(position, knots, self.correlations)),
            constrained=constrained,
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Knot:
    """State of the walk; the next step follows from it and the data alone."""

    active: Ints
    signs: Floats
    values: Floats
    residual: Floats
    bound: float  # common absolute correlation of the active columns
    joined: int = -1
    left: int = -1
    collinear: Ints = field(default_factory=lambda: np.empty(0, dtype=np.intp))


@dataclass(frozen=True, slots=True, eq=False)
class _Limits:
    method: Method
    stop_bound: float
    tie: float
    max_active: int
    norm: float = np.inf
    size: float = np.inf

    def finished(self, knot: _Knot) -> bool:
        """Whether the path has ended at this knot."""
        return knot.bound <= self.stop_bound

    def satisfied(self, knot: _Knot) -> bool:
        """Whether the caller wants nothing beyond this knot."""
        if len(knot.active) > self.size:
            return True
        return self.norm < np.inf and bool(np.abs(knot.values).sum() > self.norm)


class _Cholesky:
    """Upper triangle of the active columns' Gram matrix, growing by one column at a time.

    Its columns follow each other without gaps in one buffer (LAPACK's packed storage), so that a
    further one is written at the end and nothing is copied. BLAS is called directly: at these
    sizes the checks of scipy take longer than the solving.
    """

    def __init__(self, columns: Floats, room: int) -> None:
        from scipy.linalg import blas, lapack

        self._solve: Callable[..., Floats] = blas.dtpsv
        self._unpack: Callable[..., tuple[Floats, int]] = lapack.dtpttr
        self._pack: Callable[..., tuple[Floats, int]] = lapack.dtrttp
        self.size = len(columns)
        self._columns = np.empty((room, columns.shape[1]))
        self._columns[: self.size] = columns
        self._packed = np.empty(room * (room + 1) // 2)
        if self.size:
            self._store(np.linalg.cholesky(columns @ columns.T).T.astype(np.float64))

    @property
    def columns(self) -> Floats:
        """The active columns, one after the other."""
        return self._columns[: self.size]

    def _store(self, triangle: Floats) -> None:
        packed = self._pack(np.asfortranarray(triangle))[0]
        self._packed[: packed.size] = packed

    def append(self, column: Floats) -> bool:
        """Add a unit column; False if the others nearly span it."""
        m = self.size
        start = m * (m + 1) // 2
        new = self._packed[start : start + m + 1]
        if m:
            new[:m] = self._solve(m, self._packed, self.columns @ column, trans=1)
        pivot = float(column @ column - new[:m] @ new[:m])
        if pivot < PIVOT:
            return False
        new[m] = np.sqrt(pivot)
        self._columns[m] = column
        self.size += 1
        return True

    def remove(self, position: int) -> None:
        """Take a column out; rotations bring what follows it back to a triangle."""
        from scipy.linalg import qr_delete

        m = self.size
        triangle = self._unpack(m, self._packed[: m * (m + 1) // 2])[0]
        kept = np.delete(triangle, position, axis=1)[: m - 1]
        if position < m - 1:
            corner = np.triu(triangle[position:, position:])
            rotated = qr_delete(np.eye(m - position), corner, 0, which="col")[1]
            kept[position:, position:] = rotated[:-1]
        self._columns[position : m - 1] = self._columns[position + 1 : m]
        self.size = m - 1
        if self.size:
            self._store(kept)

    def solve(self, right: Floats) -> Floats:
        """Solve Gram @ result = right."""
        half = self._solve(self.size, self._packed, right, trans=1)
        return self._solve(self.size, self._packed, half, overwrite_x=1)


def lars_path(
    X: Numbers,
    y: Numbers,
    *,
    method: Method = "lasso",
    t: float | None = None,
    max_features: int | None = None,
    max_steps: int | None = None,
    on_step: OnStep | None = None,
) -> LarsPath:
    """Knots of the LAR or LASSO path of y on the columns of X.

    Columns are centered and scaled to unit length, y is centered. Each step moves the active
    coefficients along ``G^-1 s`` (G the Gram matrix of the active columns, s the signs of
    their correlations with the residual) until another column is as correlated or, for
    LASSO, a coefficient reaches 0 and leaves. Unconstrained, the path ends at least squares.

    Parameters
    ----------
    X : ndarray, shape (n, p)
    y : ndarray, shape (n,)
    method : {"lasso", "lar"}
    t : float, optional
        Stop after the sum of absolute coefficients has exceeded t.
    max_features : int, optional
        Stop where one more feature would enter.
    max_steps : int, optional
        Guard against very long paths, default ``100 + 20 min(n - 1, p)``.
    on_step : callable, optional
        Called with the number of active features and the largest possible number.

    Returns
    -------
    LarsPath

    Notes
    -----
    Unlike scikit-learn 1.9's ``lars_path(method="lar")`` the signs stay those of the
    correlations when a coefficient changes its sign, as in Efron et al. and in R's lars.

    References
    ----------
    Efron, Hastie, Johnstone & Tibshirani (2004), Least angle regression, Annals of Statistics.
    """
    rows, centre, scale = unit_rows(X)
    target = as_target(y, len(X))
    y_mean = float(target.mean())
    residual = target - y_mean
    n, p = X.shape
    first = float(np.abs(rows @ residual).max(initial=0.0))
    largest = min(n - 1, int(np.count_nonzero(scale)))
    limits = _Limits(
        method,
        # The second term: rounding of y itself, for a target the columns cannot see at all.
        max(STOP * first, 8 * np.finfo(float).eps * float(np.abs(target).max(initial=0.0))),
        TIE * first,
        largest,
        np.inf if t is None else t,
        np.inf if max_features is None else max_features,
    )
    start = _Knot(np.empty(0, dtype=np.intp), np.empty(0), np.empty(0), residual, first)
    steps = 100 + 20 * min(n - 1, p) if max_steps is None else max_steps
    if n > TALL * p:
        rows, residual = _shortened(rows, residual)
        start = replace(start, residual=residual)
    knots, complete = _walk_path(rows, scale > 0, start, limits, steps=steps, on_step=on_step)
    return LarsPath(
        method=method,
        correlations=np.array([k.bound for k in knots]),
        norms=np.array([np.abs(k.values).sum() for k in knots]),
        joined=np.array([k.joined for k in knots], dtype=np.intp),
        left=np.array([k.left for k in knots], dtype=np.intp),
        supports=tuple(k.active for k in knots),
        values=tuple(k.values for k in knots),
        collinear=np.sort(knots[-1].collinear),
        centre=centre,
        scale=scale,
        y_mean=y_mean,
        complete=complete,
    )


def _shortened(rows: Floats, residual: Floats) -> tuple[Floats, Floats]:
    """Return columns and residual with the same inner products, but hardly longer than p."""
    triangle = np.asarray(np.linalg.qr(np.vstack([rows, residual]).T, mode="r"))
    return np.ascontiguousarray(triangle[:, :-1].T), triangle[:, -1].copy()


def _walk_path(
    rows: Floats,
    usable: Bools,
    start: _Knot,
    limits: _Limits,
    *,
    steps: int,
    on_step: OnStep | None,
) -> tuple[list[_Knot], bool]:
    if limits.finished(start):
        return [start], True
    screen = _Screen(rows, usable, start)
    correlations = np.abs(rows @ start.residual)
    joined = int(np.argmax(correlations >= (1.0 - TIE) * start.bound))
    knots = [replace(start, joined=joined)]
    walk: _Walk | None = None
    while not limits.finished(knots[-1]):
        if limits.satisfied(knots[-1]) or len(knots) > steps:
            return knots, False
        walk = _Walk(rows, screen.candidates, knots[-1], limits, walk)
        ahead = walk.steps(min(screen.batch, steps + 1 - len(knots)))
        knots.extend(screen.accept(ahead))
        if on_step is not None:
            on_step(len(knots[-1].active), limits.max_active)
    return knots, True


class _Screen:
    """The columns worth walking, and the proof afterwards that no other one mattered."""

    def __init__(self, rows: Floats, usable: Bools, start: _Knot) -> None:
        self.rows = rows
        self.usable = usable
        self.tie = TIE * start.bound
        self.size = len(rows)
        self.batch = 2 * BATCH
        self.candidates = np.flatnonzero(usable)
        if len(rows) > SCREEN_ABOVE:
            self.size = max(SCREEN_ABOVE // 4, len(rows) // 32)
            self.batch = BATCH
            self._choose(np.abs(rows @ start.residual), start)

    def accept(self, knots: list[_Knot]) -> list[_Knot]:
        """Return the knots that are right for all columns, and prepare for the next batch."""
        if self.candidates.size == len(self.rows) or self.size >= len(self.rows):
            return knots
        found = self.rows @ np.stack([k.residual for k in knots], axis=1)
        np.abs(found, out=found)
        missed = found > np.array([k.bound for k in knots]) + self.tie
        missed[self.candidates] = False
        missed[knots[-1].collinear] = False
        wrong = np.flatnonzero(missed.any(axis=0))
        if not wrong.size:
            self._choose(found[:, -1], knots[-1])
            return knots
        good = int(wrong[0])
        self.size = min(2 * self.size, len(self.rows))
        if good:
            self._choose(found[:, good - 1], knots[good - 1])
        self.candidates = np.union1d(self.candidates, np.flatnonzero(missed[:, good]))
        return knots[:good]

    def _choose(self, correlations: Floats, knot: _Knot) -> None:
        if self.size >= len(self.rows):
            self.candidates = np.flatnonzero(self.usable)
            return
        cut = np.partition(correlations, -self.size)[-self.size]
        # Not fewer than all that equal the cut: of equal columns the first one must be there.
        wanted = self.usable & (correlations >= cut - self.tie)
        wanted[knot.active] = True
        if knot.joined >= 0:
            wanted[knot.joined] = True
        self.candidates = np.flatnonzero(wanted)


class _Walk:
    """Consecutive steps on a set of candidate columns, from a knot on.

    A walk that goes on where the last one ended takes over its factorisation.
    """

    def __init__(
        self,
        rows: Floats,
        candidates: Ints,
        knot: _Knot,
        limits: _Limits,
        last: _Walk | None = None,
    ) -> None:
        self.rows = rows
        self.limits = limits
        self.candidates = candidates
        everything = candidates.size == len(rows)
        self.columns = rows if everything else rows[candidates]
        self.c = self.columns @ knot.residual
        self._buffers = np.empty((3, 2, candidates.size))
        self.open = ~np.isin(candidates, np.concatenate([knot.active, knot.collinear]))
        self.knot = knot
        self.active, self.signs, self.values = knot.active, knot.signs, knot.values
        self.cholesky: _Cholesky
        if last is not None and last.knot is knot:
            self.cholesky = last.cholesky
        else:
            self.cholesky = _Cholesky(rows[knot.active], limits.max_active + 1)
            if knot.joined >= 0:
                self.cholesky.append(rows[knot.joined])
        if knot.joined >= 0:
            self._activate(knot.joined)

    def steps(self, count: int) -> list[_Knot]:
        """Up to count further knots, fewer if the path ends or the limits are reached."""
        knots: list[_Knot] = []
        with np.errstate(divide="ignore", invalid="ignore"):
            while len(knots) < count:
                knots.append(self._step())
                if self.limits.finished(knots[-1]) or self.limits.satisfied(knots[-1]):
                    break
        return knots

    def _place(self, feature: int) -> int:
        return int(np.searchsorted(self.candidates, feature))

    def _activate(self, feature: int) -> None:
        at = self._place(feature)
        self.open[at] = False
        self.active = np.concatenate([self.active, [feature]])
        self.signs = np.concatenate([self.signs, np.sign(self.c[at : at + 1])])
        self.values = np.concatenate([self.values, [0.0]])

    def _step(self) -> _Knot:
        knot = self.knot
        g = self.cholesky.solve(self.signs)
        speed = 1.0 / float(np.sqrt(self.signs @ g))
        # Rounding error in place of 0 would select a feature, or let it leave and come back.
        direction, size = speed * g, np.abs(g)
        direction[size <= TIE * size.max()] = 0.0
        move = direction @ self.cholesky.columns
        change = self.columns @ move
        length, leaver = knot.bound / speed, -1
        if self.limits.method == "lasso":
            length, leaver = self._first_exit(direction, length)
        length, joined = self._first_entry(speed, change, length, leaver)
        self.values = self.values + length * direction
        self.c -= length * change
        left = int(self.active[leaver]) if leaver >= 0 and joined < 0 else -1
        if left >= 0:
            self._remove(leaver)
        ended = joined < 0 and left < 0
        self.knot = _Knot(
            active=self.active,
            signs=self.signs,
            values=self.values,
            residual=knot.residual - length * move,
            bound=0.0 if ended else max(0.0, knot.bound - length * speed),
            joined=joined,
            left=left,
            collinear=self.knot.collinear,
        )
        if joined >= 0:
            self._activate(joined)
        return self.knot

    def _remove(self, position: int) -> None:
        self.open[self._place(int(self.active[position]))] = True
        self.active = np.delete(self.active, position)
        self.signs = np.delete(self.signs, position)
        self.values = np.delete(self.values, position)
        self.cholesky.remove(position)
        # What the active columns spanned before need not be spanned now.
        self.open[np.isin(self.candidates, self.knot.collinear)] = True
        self.knot = replace(self.knot, collinear=np.empty(0, dtype=np.intp))

    def _first_exit(self, direction: Floats, length: float) -> tuple[float, int]:
        """Shorten the step to where a coefficient reaches 0; its position, -1 for none."""
        # A feature that has just joined in a tie may have to leave before it has moved.
        (leaving,) = (self.signs * direction < 0).nonzero()
        lengths = -self.values[leaving] / direction[leaving]
        shortest = max(0.0, float(lengths.min(initial=np.inf)))
        if shortest >= length * (1.0 - TIE):
            return length, -1
        first = leaving[lengths <= shortest]
        return shortest, int(first[np.argmin(self.active[first])])

    def _first_entry(
        self, speed: float, change: Floats, length: float, leaver: int
    ) -> tuple[float, int]:
        """Shorten the step to where a column catches up; which feature, -1 for none.

        If a feature is to leave and another to join without any move, the smaller index goes
        first: this rule of Murty's does not return to an earlier set.
        """
        if len(self.active) >= self.limits.max_active:
            return length, -1
        rival = int(self.active[leaver]) if leaver >= 0 and length == 0.0 else -1
        lengths = self._lengths(speed, change)
        while True:
            shortest = float(lengths.min(initial=np.inf))
            at = int(np.argmax(lengths <= shortest + TIE * length))
            feature = int(self.candidates[at])
            if shortest >= length * (1.0 - TIE) and not (shortest == 0.0 and feature < rival):
                return length, -1
            if self.cholesky.append(self.rows[feature]):
                return shortest, feature
            self.knot = replace(self.knot, collinear=np.append(self.knot.collinear, feature))
            lengths[at] = np.inf
            self.open[at] = False

    def _lengths(self, speed: float, change: Floats) -> Floats:
        """Step at which each candidate's correlation meets the common bound, inf for never.

        A feature that has just left is at the bound, but falls behind it: it can come back only
        with the other sign.
        """
        gap, closing, lengths = self._buffers
        np.subtract(self.knot.bound, self.c, out=gap[0])
        np.add(self.knot.bound, self.c, out=gap[1])
        np.copyto(gap, 0.0, where=gap <= self.limits.tie)  # rounding error: met at once
        np.subtract(speed, change, out=closing[0])
        np.add(speed, change, out=closing[1])
        np.divide(gap, closing, out=lengths)
        np.copyto(lengths, np.inf, where=(closing <= TIE * speed) | ~self.open)
        shorter: Floats = np.minimum(*lengths)
        return shorter
