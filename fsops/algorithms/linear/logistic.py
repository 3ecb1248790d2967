"""Logistic regression on sparse rows that are centered implicitly.

The steps are those of scikit-learn's solver "lbfgs" on the centered matrix: the same loss, start
and stopping rule. So the coefficients agree with those of the dense matrix far beyond the
tolerance.
"""

from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base.types import Floats, Ints
from fsops.algorithms.kernel.sparse_gram import ScaledRows

GRADIENT = 1e-4
"""Largest gradient of the mean loss at the end, scikit-learn's default."""


@dataclass(frozen=True, eq=False)
class LogisticFit:
    """Coefficients on the scale of the rows: one line for two classes, else one per class."""

    coefficients: Floats
    intercepts: Floats
    settled: bool
    """Whether the search ended before the last allowed step."""

    def probabilities(self, rows: ScaledRows) -> Floats:
        """Probability of each class."""
        return _softmax(self._decisions(rows))

    def _decisions(self, rows: ScaledRows) -> Floats:
        decisions = rows.times(self.coefficients.T) + self.intercepts
        return (
            np.hstack([-0.5 * decisions, 0.5 * decisions])
            if len(self.intercepts) == 1
            else decisions
        )


def logistic_regression(
    rows: ScaledRows,
    codes: Ints,
    *,
    C: float = 1.0,
    row_weights: Floats | None = None,
    max_iterations: int = 1000,
) -> LogisticFit:
    """Coefficients that minimize the loss of all rows times C, plus half their squared length.

    Parameters
    ----------
    rows
        Centered and scaled rows.
    codes
        Class of each row, 0, 1, … without gaps.
    C
        Cost of the loss; infinity for no penalty.
    row_weights
        How much each row counts.
    max_iterations
        Steps after which the search stops.
    """
    from scipy.optimize import minimize

    weights = np.ones(len(rows)) if row_weights is None else row_weights
    loss = _Loss(rows, codes, weights, C)
    found = minimize(
        loss,
        np.zeros(loss.shape[0] * loss.shape[1]),
        method="L-BFGS-B",
        jac=True,
        options={
            "maxiter": max_iterations,
            "maxls": 50,
            "gtol": GRADIENT,
            "ftol": 64 * np.finfo(np.float64).eps,
        },
    )
    parts = found.x.reshape(loss.shape)
    return LogisticFit(parts[:-1].T.copy(), parts[-1].copy(), settled=found.status == 0)


class _Loss:
    """The mean loss with its penalty, and its gradient; parameters are (features + 1, lines)."""

    def __init__(self, rows: ScaledRows, codes: Ints, weights: Floats, C: float) -> None:
        n_classes = int(codes.max()) + 1
        self.rows = rows
        self.shape = (rows.width + 1, 1 if n_classes == 2 else n_classes)
        self.weights = weights / weights.sum()
        self.penalty = 1.0 / (C * weights.sum())
        self.targets = (codes[:, None] == np.arange(n_classes)).astype(np.float64)

    def __call__(self, flat: Floats) -> tuple[float, Floats]:
        parameters = flat.reshape(self.shape)
        coefficients = parameters[:-1]
        raw = self.rows.times(coefficients) + parameters[-1]
        loss, slope = self._binary(raw) if raw.shape[1] == 1 else self._several(raw)
        slope = slope * self.weights[:, None]
        gradient = np.vstack([self.rows.combined(slope.T).T, slope.sum(axis=0)])
        gradient[:-1] += self.penalty * coefficients
        squares = float(np.square(coefficients).sum())
        return float(loss @ self.weights) + 0.5 * self.penalty * squares, gradient.reshape(-1)

    def _binary(self, raw: Floats) -> tuple[Floats, Floats]:
        target = self.targets[:, 1:]
        loss = np.logaddexp(0.0, raw) - target * raw
        return loss[:, 0], _softmax(np.hstack([np.zeros_like(raw), raw]))[:, 1:] - target

    def _several(self, raw: Floats) -> tuple[Floats, Floats]:
        top = raw.max(axis=1, keepdims=True)
        total = top[:, 0] + np.log(np.exp(raw - top).sum(axis=1))
        return total - (self.targets * raw).sum(axis=1), _softmax(raw) - self.targets


def _softmax(raw: Floats) -> Floats:
    powers = np.exp(raw - raw.max(axis=1, keepdims=True))
    shares: Floats = powers / powers.sum(axis=1, keepdims=True)
    return shares
