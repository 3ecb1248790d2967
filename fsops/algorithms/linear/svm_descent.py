"""Descent to the solution of a machine's dual, one variable at a time (active set method).

The free variables move to their best values. A variable that reaches a bound is fixed there;
once all have arrived, the variable that is most on the wrong side is freed. The objective
always improves, so this ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fsops.algorithms.base.types import Floats, Ints
from fsops.algorithms.linear.free_rows import FreeRows

if TYPE_CHECKING:
    from fsops.algorithms.linear.svm_dual import Dual

REFINEMENTS = 3  # of a solution of the system, where rounding has left something
LONGEST, PER_ROW = 100, 20  # moves before giving up


class Descent:
    """A feasible beta on its way down.

    Parameters
    ----------
    dual
        The problem.
    beta
        Where to begin, and the center of a proximal term.
    ridge
        Weight of this term, relative to the mean diagonal of the kernel matrix.
    """

    def __init__(self, dual: Dual, beta: Floats, ridge: float) -> None:
        self.dual = dual
        self.centre, self.beta = beta, beta.copy()
        self.state = dual.state(beta)
        self.willing = np.ones(beta.size, dtype=bool)  # to be freed
        self.accuracy = dual.tolerance(beta) / 4.0
        self.refinements = 0
        (rows,) = (self.state == 0).nonzero()
        self.free = FreeRows(dual.gram, rows, dual.typical, ridge * dual.typical)
        self.gradient = self._exact_gradient()

    def run(self) -> Floats | None:
        """Solution of the proximal problem, None if it takes too long."""
        for _ in range(LONGEST + PER_ROW * self.beta.size):
            move, bias = self.free.step(self.gradient)
            share, at = self._first_bound(self.free.rows, move)
            self.beta[self.free.rows] += share * move
            self.gradient -= self.free.effect(share * move)
            if at >= 0:
                self._stop(int(self.free.rows[at]), 1 if move[at] > 0 else -1, moved=share > 0)
            elif self._arrived(bias):
                return self.dual.within(self.beta)
        return None

    def _stop(self, row: int, state: int, *, moved: bool) -> None:
        """Leave a variable at the bound it has met."""
        self.state[row] = state
        self.beta[row] = (self.dual.upper if state > 0 else self.dual.lower)[row]
        self.free.leave(row)
        # Back at its bound without a move: its slope was rounding error.
        if moved:
            self.willing[:] = True
        self.willing[row] = moved

    def _arrived(self, bias: float) -> bool:
        """Whether no row is on the wrong side; otherwise prepare the next move."""
        free = self.free
        if not free.rows.size:
            bias = self.dual.bias_at_bounds(self.beta, self.gradient)
        slope = self.gradient - bias
        wrong = np.where(self.willing, -self.state * slope, 0.0)
        worst = int(np.argmax(wrong))
        uneven = np.abs(slope[free.rows]).max(initial=0.0) > self.accuracy
        arrived = bool(wrong[worst] <= self.accuracy)
        if free.updates and (uneven or arrived):
            # What rounding has left of many updates is removed before anything is decided.
            free.refresh()
            self.gradient = self._exact_gradient()
            return False
        if uneven and self.refinements < REFINEMENTS:
            self.refinements += 1
            return False
        if not arrived:
            self.refinements = 0
            self.state[worst] = 0
            free.join(worst)
        return arrived

    def _exact_gradient(self) -> Floats:
        drawn = self.free.ridge * (self.beta - self.centre)
        gradient: Floats = self.dual.signs - self.dual.gram @ self.beta - drawn
        return gradient

    def _first_bound(self, rows: Ints, move: Floats) -> tuple[float, int]:
        """Fraction of a move that stays in the bounds, and the row that stops it, -1 for none."""
        lower, upper = self.dual.lower[rows], self.dual.upper[rows]
        room = np.where(move > 0, upper, lower) - self.beta[rows]
        share = np.full(rows.size, np.inf)
        # A move within rounding error must not stop at a bound: it would never end.
        moving = np.abs(move) > 1e-14 * (upper - lower)
        np.divide(room, move, out=share, where=moving)
        if not share.min(initial=np.inf) < 1.0:
            return 1.0, -1
        at = int(np.argmin(share))
        return float(max(0.0, share[at])), at
