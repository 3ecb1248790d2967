"""How fast the clinical kernel and its selections are: ``python benchmarks/kernels.py``.

The kernel matrix, the quadratic forms of all features (J of an SVM), and RFE-SVM and RFE-MKL,
against what one would write by hand with scipy and scikit-learn. See README.md.
"""

from __future__ import annotations

import argparse
import sys
import tracemalloc
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from race import FIELDS, ROUNDS, Duel, expression_data, fight, row, text
from scipy.spatial.distance import pdist, squareform
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from fsops.algorithms.kernel.clinical import ClinicalRows, QuadraticForms, clinical_kernel
from fsops.algorithms.kernel.rfe import fraction_sizes, rfe_mkl, rfe_svm

WIDE = (77, 4355)  # the shape of the van 't Veer data
TOLERANCE = 5e-3  # gap of the kernels' weights inside an elimination
MOST = 60  # rounds of weights by hand
Floats = np.ndarray


@cache
def clinical_data(n: int, p: int) -> tuple[ClinicalRows, np.ndarray]:
    """Numbers only: pdist knows no categories."""
    X, y = expression_data(n, p)
    return ClinicalRows.of(X, np.empty((n, 0), dtype=int)), y


def close(tolerance: float) -> Any:
    def same(theirs: Any, ours: Any) -> str:
        np.testing.assert_allclose(ours, theirs, atol=tolerance, rtol=0)
        return f"{tolerance:g}"

    return same


# --- the kernel and its forms ---------------------------------------------------------------------


def gram_duels(shape: tuple[int, int], goal: float | None) -> Iterator[Duel]:
    rows, _ = clinical_data(*shape)
    U = rows.numbers
    yield Duel(
        "Gram matrix",
        text(shape),
        "scipy pdist cityblock",
        "scipy",
        lambda: 1 - squareform(pdist(U, "cityblock")) / U.shape[1],
        lambda: clinical_kernel(rows),
        close(1e-13),
        goal,
    )


def naive_forms(U: Floats, c: Floats) -> Floats:
    """One kernel matrix after the other."""
    return np.array([c @ (1 - np.abs(u[:, None] - u)) @ c for u in U.T])


def form_duels(shape: tuple[int, int]) -> Iterator[Duel]:
    rows, y = clinical_data(*shape)
    c = coefficients(clinical_kernel(rows), y)
    sorted_rows = QuadraticForms(rows)
    for work, ours, goal in (
        ("J, with sort", lambda: QuadraticForms(rows)(c), 20.0),
        ("J, again", lambda: sorted_rows(c), 100.0),
    ):
        yield Duel(
            work,
            text(shape),
            "a matrix per feature",
            "numpy",
            lambda: naive_forms(rows.numbers, c),
            ours,
            close(1e-10),
            goal,
        )


# --- eliminations ---------------------------------------------------------------------------------


def coefficients(gram: Floats, y: np.ndarray) -> Floats:
    machine = SVC(kernel="precomputed", tol=1e-6).fit(gram, y)
    c = np.zeros(len(y))
    c[machine.support_] = machine.dual_coef_[0]
    return c


def svm_by_hand(U: Floats, y: np.ndarray, active: np.ndarray, _: Floats) -> tuple[Floats, Floats]:
    """Importance of the features left: the change of the border's norm."""
    gram = 1 - squareform(pdist(U[:, active], "cityblock")) / active.size
    forms = naive_forms(U[:, active], coefficients(gram, y))
    return forms, forms


def mkl_by_hand(
    U: Floats, y: np.ndarray, active: np.ndarray, start: Floats
) -> tuple[Floats, Floats]:
    """Weights of the features left: in proportion to their forms, until the gap is small."""
    signs = np.where(y == 1, 1.0, -1.0)
    weights = start[active] / start[active].sum()
    for _ in range(MOST):
        gram = 1 - squareform(pdist(U[:, active] * weights, "cityblock"))
        machine = SVC(kernel="precomputed", tol=1e-6).fit(gram, y)
        c = np.zeros(len(y))
        c[machine.support_] = machine.dual_coef_[0]
        values = gram @ c
        slack = np.maximum(0, 1 - signs * (values + machine.intercept_[0])).sum()
        forms = naive_forms(U[:, active], c)
        primal, dual = c @ values / 2 + slack, np.abs(c).sum() - forms.max() / 2
        if (primal - dual) / primal < TOLERANCE:
            break
        weights = weights * forms / (weights @ forms)
        weights[weights < 1e-7 * weights.max()] = 0
        weights /= weights.sum()
    return weights, forms


def rfe_by_hand(weigh: Any, U: Floats, y: np.ndarray) -> np.ndarray:
    """A fifth of the features less in every round; best first."""
    active, order, weights = np.arange(U.shape[1]), [], np.ones(U.shape[1])
    while active.size:
        importance, forms = weigh(U, y, active, weights)
        worst = np.lexsort((active, forms, importance))[: max(1, active.size // 5)]
        order = [*active[worst][::-1], *order]
        weights[active] = importance
        active = np.delete(active, worst)
        weights[order] = 0
        if active.size and not weights[active].any():
            weights[active] = 1
    return np.array(order)


def same_best(count: int, least: int) -> Any:
    """Both agree on most of the best: beyond their tolerances rankings are not defined."""

    def same(theirs: Any, ours: Any) -> str:
        common = len(set(theirs[:count]) & set(ours[:count]))
        assert common >= least, f"only {common} of the best {count} are the same"
        return f"{common} of best {count}"

    return same


def elimination_duels(shape: tuple[int, int], mkl: bool) -> Iterator[Duel]:
    rows, y = clinical_data(*shape)
    sizes = fraction_sizes(shape[1])
    yield Duel(
        "RFE-SVM",
        text(shape),
        "pdist + SVC + a matrix per feature",
        "sklearn",
        lambda: rfe_by_hand(svm_by_hand, rows.numbers, y),
        lambda: rfe_svm(rows, y, sizes, balanced=False).order,
        same_best(100, 98),
    )
    if mkl:
        yield Duel(
            "RFE-MKL",
            text(shape),
            "pdist + SVC + a matrix per feature",
            "sklearn",
            lambda: rfe_by_hand(mkl_by_hand, rows.numbers, y),
            lambda: rfe_mkl(rows, y, sizes, balanced=False, tol=TOLERANCE)[0].order,
            same_best(100, 95),
            10.0,
        )


def memory(shape: tuple[int, int]) -> bool:
    """Print the peak of RFE-MKL beside what a kernel matrix per feature would take."""
    rows, y = clinical_data(*shape)
    tracemalloc.start()
    rfe_mkl(rows, y, fraction_sizes(shape[1]), balanced=False, tol=TOLERANCE)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    n, p = shape
    reached = peak < 0.2 * 8 * p * n * n
    print(
        f"\nRFE-MKL {text(shape)} takes {peak / 1e6:.0f} MB at most; {p} kernel matrices would "
        f"take {8 * p * n * n / 1e6:.0f} MB" + ("" if reached else "  MISSED")
    )
    return reached


def duels(quick: bool) -> Iterator[Duel]:
    yield from gram_duels(WIDE, None)
    yield from gram_duels((500, 5000), 3.5)
    if not quick:
        yield from gram_duels((500, 20_000), 3.5)
    yield from form_duels((500, 5000))
    yield from elimination_duels(WIDE, mkl=not quick)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--quick", action="store_true", help="leave out what takes a minute")
    options = parser.parse_args()
    with threadpool_limits(1):
        row(*FIELDS)
        reached = [fight(duel, options.rounds) for duel in duels(options.quick)]
        reached.append(memory(WIDE))
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
