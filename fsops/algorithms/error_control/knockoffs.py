"""Gaussian knockoffs: copies of the attributes that are independent of the label.

The correlation matrix is ``ridge * I + U @ U.T`` with few columns in U where there are few rows, so
that all steps take time and memory in proportion to the number of attributes.

References
----------
Barber & Candès (2015): Controlling the false discovery rate via knockoffs. Ann. Statist. 43.
Candès, Fan, Janson & Lv (2018): Panning for gold: model-X knockoffs for high dimensional controlled
variable selection. J. R. Statist. Soc. B 80, 551-577.
Spector & Janson (2022): Powerful knockoffs via minimizing reconstructability. Ann. Statist. 50.
Askari, Rebjock, d'Aspremont & El Ghaoui (2021): FANOK: knockoffs in linear time. SIAM J. Math. Data
Sci. 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from fsops.algorithms.base.types import Floats

Method: TypeAlias = Literal["mvr", "sdp", "equicorrelated"]

SMALLEST_EIGENVALUE = 1e-8
SMALLEST_S = 1e-5
APART = 1e-6
"""Diagonals of the factor form stay so far away from 0, at which it is not defined."""
MARGIN = 1e-6
SWEEPS = 60
SETTLED = 1e-4
BARRIERS = tuple(0.5**step for step in range(1, 16))


@dataclass(frozen=True, eq=False)
class Correlation:
    """A correlation matrix ``ridge * I + factors @ factors.T``."""

    ridge: float
    factors: Floats
    smallest: float
    """Smallest eigenvalue."""

    def dense(self) -> Floats:
        """Return the matrix itself."""
        matrix: Floats = self.factors @ self.factors.T
        matrix[np.diag_indices(len(matrix))] += self.ridge
        return matrix

    def times_inverse(self, Z: Floats) -> Floats:
        """Return Z times the inverse of the matrix."""
        inner = self.factors.T @ self.factors + self.ridge * np.eye(self.factors.shape[1])
        rest: Floats = Z - np.linalg.solve(inner, (Z @ self.factors).T).T @ self.factors.T
        return rest / self.ridge


def correlation_of(Z: Floats, *, shrink: bool = True) -> Correlation:
    """Return the correlations of standardized columns, shrunk towards independence.

    The shrinkage is that of Ledoit and Wolf (2004); without it n must exceed p.
    """
    n, p = Z.shape
    shrinkage = ledoit_wolf(Z) if shrink else 0.0
    if n <= p and shrinkage > SMALLEST_EIGENVALUE:
        factors = np.sqrt((1 - shrinkage) / n) * Z.T
        return Correlation(shrinkage, np.ascontiguousarray(factors), shrinkage)
    matrix = (1 - shrinkage) / n * (Z.T @ Z)
    matrix[np.diag_indices(p)] += shrinkage
    return correlation_from(matrix)


def correlation_from(matrix: Floats) -> Correlation:
    """Return a given correlation matrix in the form that the other functions take."""
    values, vectors = np.linalg.eigh(matrix)
    smallest = float(values[0])
    if smallest < SMALLEST_EIGENVALUE:
        raise ValueError("The correlation matrix is singular.")
    return Correlation(smallest / 2, vectors * np.sqrt(values - smallest / 2), smallest)


def ledoit_wolf(Z: Floats) -> float:
    """Return the shrinkage of Ledoit and Wolf towards the identity, from the n x n products."""
    n, p = Z.shape
    squares = (Z**2).sum(axis=1)
    norm = float(((Z @ Z.T) ** 2).sum()) / n**2 if n < p else float(((Z.T @ Z) ** 2).sum()) / n**2
    mean = float(squares.sum()) / (n * p)
    distance = norm - p * mean**2
    error = (float((squares**2).sum()) / n - norm) / n
    return float(np.clip(error / distance, 0.0, 1.0)) if distance > 0 else 1.0


# --- how far each copy is from its attribute ---------------------------------------------------


def s_values(correlation: Correlation, method: Method = "mvr") -> Floats:
    """Return s: attribute j and its copy have the correlation 1 - s_j.

    "equicorrelated" has one s for all. "sdp" makes the mean of s as large as possible; s_j is at
    most 1. "mvr" makes the attributes as hard to reconstruct from each other as possible.
    """
    p = len(correlation.factors)
    start = np.full(p, min(1.0, 2 * correlation.smallest) * (1 - MARGIN))
    if method == "equicorrelated":
        return start
    solver = _Coordinates(correlation, start / 2, squares=method == "mvr")
    steps = [_mvr_step] * SWEEPS if method == "mvr" else [_sdp_step(b) for b in BARRIERS]
    for step in steps:
        before = solver.s
        solver.sweep(step)
        if np.abs(solver.s - before).max() < SETTLED:
            break
    return solver.s * (1 - MARGIN)


def _mvr_step(s: float, g: float, h: float) -> float:
    """Return the s_j that minimizes the trace of the inverse, if all others stay."""
    return (1 + s * g) / (math.sqrt(h) + g)


def _sdp_step(barrier: float) -> Callable[[float, float, float], float]:
    """Return the step that maximizes the sum of s plus barrier · log det A in a coordinate."""
    return lambda s, g, h: min(max(s + 1 / g - barrier, SMALLEST_S), 1.0)


class _Coordinates:
    """Coordinate steps on A = 2 Σ - diag(s), whose inverse is kept by Woodbury's formula.

    A = diag(a) + 2 U U', a = 2 ridge - s. Its inverse needs K = I / 2 + U' diag(1 / a) U only.
    """

    def __init__(self, correlation: Correlation, s: Floats, *, squares: bool) -> None:
        self.ridge, self.U = correlation.ridge, correlation.factors
        self.s, self.squares = s, squares

    def sweep(self, step: Callable[[float, float, float], float]) -> None:
        """Set each s_j to step(s_j, g, h): g = (A⁻¹)_jj, and h = (A⁻²)_jj with squares or 1."""
        from scipy.linalg.blas import dger

        U, m, both = self.U, self.U.shape[1], 2 * self.ridge
        a = both - self.s
        a = np.where(np.abs(a) < APART, APART, a)
        inverse = np.asfortranarray(np.linalg.inv(np.eye(m) / 2 + (U.T / a) @ U))
        squared = np.asfortranarray((U.T / a**2) @ U) if self.squares else inverse
        for j, u in enumerate(U):
            v = inverse @ u
            inner, old, h = float(u @ v), float(a[j]), 1.0
            g = (1 - inner / old) / old
            if self.squares:
                h = (1 - 2 * inner / old + float(v @ (squared @ v))) / old**2
            if g <= 0 or h <= 0:  # rounding; the next sweep begins with a new inverse
                continue
            new = both - step(both - old, g, h)
            new = new if abs(new) >= APART else APART
            change = 1 / new - 1 / old
            inverse = dger(-change / (1 + change * inner), v, v, a=inverse, overwrite_a=1)
            if self.squares:
                squared = dger(1 / new**2 - 1 / old**2, u, u, a=squared, overwrite_a=1)
            a[j] = new
        self.s = both - a


# --- copies ----------------------------------------------------------------------------------


def gaussian_knockoffs(
    Z: Floats, correlation: Correlation, s: Floats, rng: np.random.Generator
) -> Floats:
    """Return model-X knockoffs of standardized columns that are jointly normal."""
    mean = Z - correlation.times_inverse(Z) * s
    return mean + _noise(len(Z), correlation, s, rng)


def _noise(n: int, correlation: Correlation, s: Floats, rng: np.random.Generator) -> Floats:
    """Draw rows with the covariance 2 S - S Σ⁻¹ S, column after column.

    It is diagonal plus W M W' with W = S U, so that the columns before act through as many numbers
    as U has columns (the Cholesky factor of such a matrix has the same form).
    """
    from scipy.linalg.blas import dger

    ridge, U = correlation.ridge, correlation.factors
    m = U.shape[1]
    inner = np.asfortranarray(np.linalg.inv(U.T @ U + ridge * np.eye(m)) / ridge)
    own = 2 * s - s**2 / ridge
    W = U * s[:, None]
    drawn = np.asfortranarray(rng.standard_normal((n, len(s))))
    carried = np.zeros((n, m), order="F")
    found = np.empty((n, len(s)), order="F")
    for j, w in enumerate(W):
        pulled = inner @ w
        variance = float(own[j] + w @ pulled)
        found[:, j] = carried @ w
        if variance > 1e-12:
            found[:, j] += np.sqrt(variance) * drawn[:, j]
            carried = dger(variance**-0.5, drawn[:, j], pulled, a=carried, overwrite_a=1)
            inner = dger(-1 / variance, pulled, pulled, a=inner, overwrite_a=1)
    return found


def fixed_knockoffs(Z: Floats, method: Method, rng: np.random.Generator) -> Floats:
    """Return fixed-X knockoffs of centered columns of length √n; n must exceed 2 p.

    They have the products of the columns exactly, so nothing is assumed about their distribution.
    """
    n, p = Z.shape
    if n <= 2 * p:
        raise ValueError(f"Fixed-X knockoffs of {p} columns need {2 * p + 1} rows, got {n}.")
    correlation = correlation_from(Z.T @ Z / n)
    s = s_values(correlation, method)
    inverse_s = correlation.times_inverse(np.diag(s)).T  # Σ⁻¹ S
    middle = 2 * np.diag(s) - s[:, None] * inverse_s
    values, vectors = np.linalg.eigh((middle + middle.T) / 2)
    root = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
    beside = np.column_stack([np.ones(n), Z, rng.standard_normal((n, p))])
    outside = np.linalg.qr(beside)[0][:, p + 1 :]
    found: Floats = Z - Z @ inverse_s + np.sqrt(n) * outside @ root
    return found


# --- selection -------------------------------------------------------------------------------


def threshold_of(W: Floats, rate: float, *, plus: bool = True) -> float:
    """Return the smallest threshold with an estimated false discovery rate of at most ``rate``.

    Attributes with W of at least it are selected. "knockoff+" adds 1 to the number of false ones.
    Infinite if no threshold has such a rate.
    """
    sizes = np.unique(np.abs(W[W != 0]))
    if not sizes.size:
        return float("inf")
    above = len(W) - np.searchsorted(np.sort(W), sizes, side="left")
    below = np.searchsorted(np.sort(W), -sizes, side="right")
    good = (below + plus) <= rate * np.maximum(above, 1) * (1 + 1e-12)
    return float(sizes[int(good.argmax())]) if good.any() else float("inf")


def e_values(W: Floats, rate: float) -> Floats:
    """Return the e-value of each attribute of a single draw (Ren and Barber, 2024)."""
    threshold = threshold_of(W, rate)
    if np.isinf(threshold):
        return np.zeros(len(W))
    found: Floats = len(W) * (threshold <= W) / (1.0 + (-threshold >= W).sum())
    return found


def e_bh(values: Floats, rate: float) -> np.typing.NDArray[np.bool_]:
    """Return which hypotheses the procedure of Benjamini and Hochberg on e-values rejects.

    Wang & Ramdas (2022): False discovery rate control with e-values. J. R. Statist. Soc. B 84.
    """
    m = len(values)
    ordered = np.sort(values)[::-1]
    good = np.flatnonzero(np.arange(1, m + 1) * ordered >= m / rate * (1 - 1e-12))
    if not good.size:
        return np.zeros(m, dtype=bool)
    rejected: np.typing.NDArray[np.bool_] = values >= ordered[good[-1]]
    return rejected


def lasso_difference(Z: Floats, copies: Floats, y: Floats, folds: object) -> Floats:
    """Return the absolute coefficient of each column minus that of its copy.

    The penalty is chosen by cross-validation on columns and copies together.
    """
    from sklearn.linear_model import LassoCV

    both = np.asfortranarray(np.column_stack([Z, copies]))
    fitted = LassoCV(cv=folds, eps=1e-2, alphas=50, tol=1e-3, max_iter=5000, random_state=0)
    coefficients = np.abs(fitted.fit(both, y - y.mean()).coef_)
    found: Floats = coefficients[: Z.shape[1]] - coefficients[Z.shape[1] :]
    return found


def lasso_signed_max(Z: Floats, copies: Floats, y: Floats) -> Floats:
    """Return the largest penalty at which a column or its copy enters the lasso path.

    The sign is positive if the column enters first, and negative if its copy does.
    """
    from sklearn.linear_model import lars_path

    p = Z.shape[1]
    both = np.column_stack([Z, copies])
    penalties, _, path = lars_path(both, y - y.mean(), method="lasso")
    entered = path != 0
    first = np.where(entered.any(axis=1), entered.argmax(axis=1), len(penalties))
    at = np.append(penalties, 0.0)[np.maximum(first - 1, 0)]
    at = np.where(first == len(penalties), 0.0, at)
    found: Floats = np.maximum(at[:p], at[p:]) * np.sign(at[:p] - at[p:])
    return found
