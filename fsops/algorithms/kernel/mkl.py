r"""Multiple kernel learning: one weight for the kernel of every feature.

.. math:: \min_{\mu} \max_\alpha \sum_i \alpha_i - \tfrac12 \sum_f \mu_f Q_f(\alpha)

where :math:`Q_f = c^T K_f c`, :math:`c_i = \alpha_i y_i`, and alpha is feasible for a support
vector machine. The weights lie on the simplex (norm 1, most become 0), or their q-norm is at most
that of equal weights. For any weights and any feasible alpha, the primal value P and
:math:`D = \sum \alpha - \frac12 \max_f Q_f` enclose the optimum: a solution is accepted by the gap
(P - D) / P. Kernel matrices are held for a small working set of features only.

References
----------
Lanckriet, Cristianini, Bartlett, El Ghaoui & Jordan (2004), Learning the kernel matrix with
semidefinite programming, JMLR 5.
Kloft, Brefeld, Sonnenburg & Zien (2011), lp-norm multiple kernel learning, JMLR 12.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base.types import Floats, Ints
from fsops.algorithms.kernel.clinical import (
    ClinicalRows,
    QuadraticForms,
    base_kernels,
    clinical_kernel,
)
from fsops.algorithms.kernel.svm import Fit, PairMachines

FIRST = 40  # features of the first working set
MORE = 20  # features that may enter at a time
OUTER, INNER = 60, 60  # rounds
DENSE_ROUNDS = 200
HELD = 30_000_000  # numbers of kernel matrices held at a time
GONE = 1e-7  # a weight below this share of the largest is 0


@dataclass(frozen=True, eq=False)
class MklSolution:
    """Weights of features and the machine they belong to.

    Attributes
    ----------
    weights
        One for each feature, (p,).
    forms
        Quadratic forms, (p,); 0 for features that did not take part.
    fit
        The machines.
    gap
        Relative duality gap.
    fits
        How often the machines were fitted.
    """

    weights: Floats
    forms: Floats
    fit: Fit
    gap: float
    fits: int


class MklProblem:
    """Rows and classes for which weights are sought, for all or for some features.

    Parameters
    ----------
    rows
        Training rows.
    machines
        One for each pair of classes; they share the weights.
    norm
        1 for few features with a weight, or above 1 for all with one.
    tol
        Relative duality gap to be reached.
    """

    def __init__(
        self, rows: ClinicalRows, machines: PairMachines, *, norm: float = 1.0, tol: float = 1e-3
    ) -> None:
        if norm < 1:
            raise ValueError(f"The norm of the weights must be 1 or above, got {norm}.")
        self.rows = rows
        self.machines = machines
        self.norm = norm
        self.tol = tol
        self.forms = QuadraticForms(rows)

    def solve(self, features: Ints | None = None, start: Floats | None = None) -> MklSolution:
        """Return the weights of these features, from those of a similar problem if given."""
        features = np.arange(self.rows.n_features) if features is None else features
        given = None if start is None or not start[features].any() else start[features]
        if features.size == 1:
            given = np.ones(1)
        search = (_Sparse if self.norm == 1 else _Dense)(self, features, given)
        fit, gap = search.run()
        return MklSolution(
            search.spread(search.weights), search.spread(search.forms()), fit, gap, search.fits
        )


class _Search:
    """The common part of both searches: models for given weights, and the gap."""

    def __init__(self, problem: MklProblem, features: Ints, start: Floats | None) -> None:
        self.problem = problem
        self.features = features
        self.start = start
        self.fits = 0
        self.last: Fit | None = None
        self.weights: Floats = np.full(features.size, 1.0 / features.size)

    def spread(self, values: Floats) -> Floats:
        found = np.zeros(self.problem.rows.n_features)
        found[self.features] = values
        return found

    def gram(self) -> Floats:
        return clinical_kernel(self.problem.rows, weights=self.spread(self.weights))

    def fit(self, gram: Floats) -> Fit:
        self.fits += 1
        start = None if self.last is None else self.last.coefficients
        self.last = self.problem.machines.fit(gram, start)
        return self.last

    def forms(self, places: Ints | None = None) -> Floats:
        """Quadratic forms of the features at these places, all by default."""
        assert self.last is not None
        features = self.features if places is None else self.features[places]
        return self.problem.forms(self.last.coefficients, features)

    def run(self) -> tuple[Fit, float]:
        raise NotImplementedError


def _gap(fit: Fit, largest: float) -> float:
    return (fit.primal - (fit.total - largest / 2)) / max(abs(fit.primal), 1e-12)


class _Dense(_Search):
    """Weights of bounded q-norm by their analytic update."""

    def run(self) -> tuple[Fit, float]:
        q, p = self.problem.norm, self.features.size
        radius, dual = p ** (1 / q - 1), q / (q - 1)
        if self.start is not None:
            self.weights = self._on_sphere(self.start, radius)
        for _ in range(DENSE_ROUNDS):
            fit = self.fit(self.gram())
            forms = self.forms()
            gap = _gap(fit, radius * _norm(forms, dual))
            if gap < self.problem.tol or not forms.any():
                break
            self.weights = self._on_sphere((self.weights * np.sqrt(forms)) ** (2 / (q + 1)), radius)
        return fit, gap

    def _on_sphere(self, weights: Floats, radius: float) -> Floats:
        return weights * (radius / _norm(weights, self.problem.norm))


def _norm(values: Floats, q: float) -> float:
    """The q-norm; no power of a fraction of the largest value can overflow."""
    largest = float(values.max())
    return largest * float(((values / largest) ** q).sum() ** (1 / q)) if largest > 0 else 0.0


class _Sparse(_Search):
    """Weights on the simplex: features enter by their forms, weights change in proportion to them.

    The update mu_f <- mu_f Q_f^eta / sum never lets the objective grow with eta = 1/2; larger ones
    are tried, and taken back where it grows.
    """

    def run(self) -> tuple[Fit, float]:
        working = self._first()
        for _ in range(OUTER):
            fit, working, settled = self._settle(working)
            forms = self.forms()
            gap = _gap(fit, float(forms.max()))
            if gap < self.problem.tol:
                break
            entering = self._entering(working, forms)
            if entering.size:
                working = self._enter(working, entering)
            elif settled:
                break
        return fit, gap

    def _first(self) -> Ints:
        if self.start is not None:
            self.weights = self.start / self.start.sum()
        else:
            self.fit(self.gram())
            best = np.argsort(-self.forms(), kind="stable")[:FIRST]
            self.weights = np.zeros(self.features.size)
            self.weights[best] = 1.0 / best.size
        return self.weights.nonzero()[0]

    def _settle(self, working: Ints) -> tuple[Fit, Ints, bool]:
        """Move the weights of the working set until its own gap is small enough."""
        gram_of = self._working_gram(working)
        power, before = 1.0, None
        for iteration in range(INNER):
            fit = self.fit(gram_of())
            forms = self.forms(working)
            settled = _gap(fit, float(forms.max())) < self.problem.tol / 2
            if settled or iteration == INNER - 1 or not forms.any():
                break
            if before is not None and power > 0.5 and fit.objective > before[0] * (1 + 1e-9):
                power = max(0.5, power / 1.5)
                _, self.weights, working, forms = before
            else:
                before = (fit.objective, self.weights, working, forms)
                power = min(2.0, power * 1.1)
            self.weights, working = self._updated(working, forms, power)
        return fit, working, settled

    def _updated(self, working: Ints, forms: Floats, power: float) -> tuple[Floats, Ints]:
        moved = self.weights[working] * (forms / forms.max()) ** power
        moved[moved < GONE * moved.max()] = 0.0
        weights = np.zeros(self.features.size)
        weights[working] = moved / moved.sum()
        return weights, weights.nonzero()[0]

    def _working_gram(self, working: Ints) -> Callable[[], Floats]:
        """Return how to make the kernel matrix: from held matrices if they are few."""
        n = len(self.problem.rows)
        if working.size * n * n > HELD:
            return self.gram
        held = base_kernels(self.problem.rows, self.features[working])
        return lambda: np.asarray(self.weights[working] @ held).reshape(n, n)

    def _entering(self, working: Ints, forms: Floats) -> Ints:
        """The features outside with the largest forms above the mean form."""
        outside = np.ones(forms.size, dtype=bool)
        outside[working] = False
        (candidates,) = (outside & (forms > (self.weights @ forms) * (1 + 1e-9))).nonzero()
        return candidates[np.argsort(-forms[candidates], kind="stable")[:MORE]]

    def _enter(self, working: Ints, entering: Ints) -> Ints:
        share = 0.2 / (working.size + entering.size)
        self.weights = self.weights * (1 - share * entering.size)
        self.weights[entering] = share
        return np.concatenate([working, entering])
