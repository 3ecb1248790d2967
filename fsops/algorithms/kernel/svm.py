"""Support vector machines on any kernel matrix, and what each feature of the clinical kernel gives.

References
----------
Paul & Dupont (2014), Kernel methods for mixed feature selection, ESANN.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from fsops.algorithms.base.types import Floats, Ints, Numbers, as_classes
from fsops.algorithms.kernel.clinical import ClinicalRows, QuadraticForms, clinical_kernel
from fsops.algorithms.linear.svm_dual import RIDGE, STIFF_RIDGE, Dual, DualSolution

TOLERANCE = 1e-6
"""Gap of a machine; a ranking by a looser one is not defined."""


@dataclass(frozen=True, eq=False)
class KernelMachine:
    """Two classes: their rows, the sign of each row, and the cost of an error in each row."""

    rows: Ints
    signs: Floats
    costs: Floats

    def solve(self, gram: Floats, start: Floats | None = None) -> DualSolution:
        """Return the solution for the kernel matrix of these rows."""
        dual = Dual(self.signs, self.costs, TOLERANCE).on(gram)
        beta = dual.start(start)
        # Kernels of few features have a low rank: without a start the exact ways would search long.
        near = None
        if beta.any():
            near = dual.solve(beta, dual.exchange, RIDGE)
            near = near or dual.solve(beta, dual.descend, STIFF_RIDGE)
        return near or dual.solve_far(beta)


@dataclass(frozen=True, eq=False)
class Fit:
    """Machines fitted on one kernel.

    Attributes
    ----------
    coefficients
        Dual variables times signs, 0 for rows of other classes, (machines, n).
    total
        Sum of all dual variables.
    objective
        Value of the dual, sum of all machines.
    primal
        Value of the primal, sum of all machines.
    """

    coefficients: Floats
    total: float
    objective: float
    primal: float


class PairMachines:
    """One machine for each pair of classes, with class 1 of a pair as the positive one.

    Parameters
    ----------
    codes
        Class of each row.
    C
        Cost of an error.
    balanced
        Let both classes of a pair cost the same: C n / (2 n_class) for a row.
    """

    def __init__(self, codes: Numbers, *, C: float = 1.0, balanced: bool = True) -> None:
        codes = as_classes(codes, len(codes))
        classes = np.unique(codes)
        if classes.size < 2:
            raise ValueError("A support vector machine needs rows of at least two classes.")
        if not C > 0:
            raise ValueError(f"The cost C must be positive, got {C}.")
        self.n = codes.size
        self.machines = [_machine(codes, a, b, C, balanced) for a, b in combinations(classes, 2)]

    def fit(self, gram: Floats, start: Floats | None = None) -> Fit:
        """Return the machines for a kernel matrix, from the coefficients of a similar one."""
        coefficients = np.zeros((len(self.machines), self.n))
        total = objective = primal = 0.0
        for line, machine in enumerate(self.machines):
            rows = machine.rows
            kernel = gram if rows.size == self.n else gram[np.ix_(rows, rows)]
            solved = machine.solve(kernel, None if start is None else start[line, rows])
            beta, values = solved.beta, kernel @ solved.beta
            norm, sum_ = float(beta @ values), float(machine.signs @ beta)
            slack = np.maximum(0.0, 1.0 - machine.signs * (values + solved.bias))
            coefficients[line, rows] = beta
            total += sum_
            objective += sum_ - norm / 2
            primal += norm / 2 + float(machine.costs @ slack)
        return Fit(coefficients, total, objective, primal)


def _machine(codes: Ints, first: int, second: int, C: float, balanced: bool) -> KernelMachine:
    (rows,) = ((codes == first) | (codes == second)).nonzero()
    signs = np.where(codes[rows] == second, 1.0, -1.0)
    costs = np.full(rows.size, float(C))
    if balanced:
        costs *= rows.size / (2.0 * np.where(signs > 0, (signs > 0).sum(), (signs < 0).sum()))
    return KernelMachine(rows, signs, costs)


def kernel_importance(forms: Floats, *, literal: bool = False) -> Floats:
    r"""Change of the squared norm of the border, J, if a feature is removed.

    With :math:`W^2 = \frac1p \sum_f Q_f`, and the other features keeping the weight 1/p,
    :math:`J_f = Q_f / p`. The literal reading gives them 1/(p-1) instead, so that
    :math:`J_f = |Q_f - \frac1p \sum Q| / (p - 1)`: the distance from the mean, which places a
    useless feature above an average one.
    """
    p = forms.size
    if not literal or p == 1:
        return forms / p
    apart: Floats = np.abs(forms - forms.mean()) / (p - 1)
    return apart


def kernel_svm_forms(
    rows: ClinicalRows, codes: Numbers, *, C: float = 1.0, balanced: bool = True
) -> Floats:
    """Quadratic forms of all features at the machines with the clinical kernel, O(p n log n).

    With more than two classes those of all pairs are added up.
    """
    fit = PairMachines(codes, C=C, balanced=balanced).fit(clinical_kernel(rows))
    return QuadraticForms(rows)(fit.coefficients)
