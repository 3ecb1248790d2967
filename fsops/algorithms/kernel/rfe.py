"""Recursive elimination of features by their contribution to the clinical kernel.

RFE-SVM drops the features with the smallest change of a support vector machine's border, RFE-MKL
those with the smallest weight of their kernel.

References
----------
Paul & Dupont (2014), Kernel methods for mixed feature selection, ESANN.
Guyon, Weston, Barnhill & Vapnik (2002), Gene selection for cancer classification using support
vector machines, Machine Learning 46.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fsops.algorithms.base.types import Bools, Floats, Ints, Numbers
from fsops.algorithms.kernel.clinical import ClinicalRows, QuadraticForms, clinical_kernel
from fsops.algorithms.kernel.mkl import MklProblem, MklSolution
from fsops.algorithms.kernel.svm import PairMachines, kernel_importance
from fsops.algorithms.search.elimination import Elimination, OnRound, Round, Weigh, eliminate

KEPT = 1 / 8  # share of the kernel's trace below which it is built again, see `svm_rfe`


def fraction_sizes(p: int, keep: int = 1, fraction: float = 0.2) -> list[int]:
    """Numbers of features after each round, which drops this share, rounded down, or one."""
    sizes = [p]
    while sizes[-1] > keep:
        # The small amount: 0.3 * 10 must drop 3, whatever its last binary digit is.
        drop = int(fraction * sizes[-1] + 1e-9)
        sizes.append(max(keep, sizes[-1] - max(1, drop)))
    return sizes


def rfe_svm(
    rows: ClinicalRows,
    codes: Numbers,
    sizes: Sequence[int],
    *,
    C: float = 1.0,
    balanced: bool = True,
    literal: bool = False,
    on_round: OnRound | None = None,
    keep: Bools | None = None,
) -> Elimination:
    """Ranking of features by elimination with a support vector machine on the clinical kernel.

    Parameters
    ----------
    rows, codes
        Training rows and their classes; more than two: the forms of all pairs are added up.
    sizes
        Numbers of features to pass through, the first of them all.
    C, balanced
        See `PairMachines`.
    literal
        See `kernel_importance`.
    on_round, keep
        See `eliminate`.

    Returns
    -------
    Elimination
        Of equal features the one with the larger number is kept longer.
    """
    machine = _ShrinkingMachine(rows, PairMachines(codes, C=C, balanced=balanced), literal)
    return _eliminate(machine.importance, sizes, on_round, keep)


def rfe_mkl(
    rows: ClinicalRows,
    codes: Numbers,
    sizes: Sequence[int],
    *,
    C: float = 1.0,
    balanced: bool = True,
    norm: float = 1.0,
    tol: float = 5e-3,
    on_round: OnRound | None = None,
    keep: Bools | None = None,
) -> tuple[Elimination, float]:
    """Ranking of features by elimination with the weights of their kernels; and the largest gap.

    A feature without a weight counts by how near it is to getting one: by Q_f / max Q - 1, which
    is not above 0. As long as only such features are dropped, the weights stay as they are.

    Parameters
    ----------
    rows, codes, sizes, C, balanced, on_round, keep
        See `rfe_svm`.
    norm, tol
        See `MklProblem`.
    """
    machines = PairMachines(codes, C=C, balanced=balanced)
    weights = _ShrinkingWeights(MklProblem(rows, machines, norm=norm, tol=tol))
    return _eliminate(weights.importance, sizes, on_round, keep), weights.gap


class _ShrinkingMachine:
    """Importance of ever fewer features, from one sum of kernels and warm starts."""

    def __init__(self, rows: ClinicalRows, machines: PairMachines, literal: bool) -> None:
        self.rows = rows
        self.machines = machines
        self.literal = literal
        self.forms = QuadraticForms(rows)
        self.alive = np.ones(rows.n_features, dtype=bool)
        self.coefficients: Floats | None = None
        self._build()

    def importance(self, active: Ints) -> Floats:
        self._shrink_to(active)
        fit = self.machines.fit(self.gram / active.size, self.coefficients)
        self.coefficients = fit.coefficients
        return kernel_importance(self.forms(fit.coefficients, active), literal=self.literal)

    def _shrink_to(self, active: Ints) -> None:
        gone = self.alive.copy()
        gone[active] = False
        if not gone.any():
            return
        self.alive = np.zeros_like(self.alive)
        self.alive[active] = True
        if gone.sum() < active.size:
            self.gram -= clinical_kernel(self.rows, weights=gone.astype(np.float64))
        if gone.sum() >= active.size or self.gram.trace() <= KEPT * self.built:
            self._build()

    def _build(self) -> None:
        self.gram = clinical_kernel(self.rows, weights=self.alive.astype(np.float64))
        self.built = float(self.gram.trace())


class _ShrinkingWeights:
    """Kernel weights of ever fewer features, trained again only when one of them is gone."""

    def __init__(self, problem: MklProblem) -> None:
        self.problem = problem
        self.last: MklSolution | None = None
        self.gap = 0.0

    def importance(self, active: Ints) -> Floats:
        if self.last is None or not self._still_best(self.last, active):
            start = None if self.last is None else self.last.weights
            self.last = self.problem.solve(np.sort(active), start)
            self.gap = max(self.gap, self.last.gap)
        weights, forms = self.last.weights[active], self.last.forms[active]
        nearness = forms / max(float(forms.max()), 1e-300) - 1.0
        return np.where(weights > 0, weights, np.minimum(nearness, 0.0))

    def _still_best(self, solved: MklSolution, active: Ints) -> bool:
        return self.problem.norm == 1 and np.count_nonzero(solved.weights[active]) == (
            np.count_nonzero(solved.weights)
        )


def _eliminate(
    importance: Weigh, sizes: Sequence[int], on_round: OnRound | None, keep: Bools | None
) -> Elimination:
    """Eliminate with features counted from the end, so that of equals the last one is kept."""
    backwards = np.arange(sizes[0])[::-1]
    found = eliminate(
        lambda active: importance(backwards[active]),
        sizes,
        absolute=False,
        on_round=on_round,
        keep=None if keep is None else keep[backwards],
    )
    return renumbered(found, backwards)


def renumbered(found: Elimination, places: Ints) -> Elimination:
    """Return an elimination in which feature f has the number places[f]."""
    weights, dropped_in = np.empty_like(found.weights), np.empty_like(found.dropped_in)
    weights[places], dropped_in[places] = found.weights, found.dropped_in
    trace = tuple(Round(r.size, places[r.features], r.weights) for r in found.trace)
    order, survivors = places[found.order], np.sort(places[found.survivors])
    return Elimination(order, survivors, weights, dropped_in, trace)
