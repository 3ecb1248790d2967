"""Kernel methods on sparse tables: the kernel matrix is made from the stored values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fsops.algorithms.base.types import as_csc
from fsops.algorithms.kernel.sparse_gram import (
    RowKernel,
    ScaledRows,
    StandardizedRows,
    pair_coefficients,
)
from fsops.core import Context
from fsops.data import AttributeWeights, EstimatorPredictor, ExampleSet, PredictionModel
from fsops.data.model import require_finite
from fsops.memory import require_pairs
from fsops.operators.modeling.estimators import fitted_predictor, weights_of_lines

BLOCK_NUMBERS = 2**22
"""Numbers of the kernel of a block of rows in a prediction."""


@dataclass(frozen=True, eq=False)
class SparseKernelPredictor:
    """An estimator that was fitted on a kernel matrix of sparse rows."""

    scale: StandardizedRows
    kernel: RowKernel
    rows: ScaledRows
    """The training rows that predictions need."""
    places: npt.NDArray[np.intp]
    """Their numbers among all training rows."""
    n_training: int
    predictor: EstimatorPredictor

    def __call__(self, examples: ExampleSet) -> npt.NDArray[np.float64]:
        """Return confidences per class, or predicted numbers."""
        require_finite(examples)
        rows = self.scale.scaled(as_csc(examples.matrix()))
        step = max(1, BLOCK_NUMBERS // max(1, self.n_training))
        blocks = range(0, max(1, len(rows)), step)
        return np.concatenate([self._of(rows[first : first + step]) for first in blocks])

    def _of(self, rows: ScaledRows) -> npt.NDArray[np.float64]:
        # Rows that are no support vectors do not count; the estimator wants a column of each.
        matrix = np.zeros((len(rows), self.n_training))
        matrix[:, self.places] = self.kernel.of(rows, self.rows)
        return self.predictor.of_matrix(matrix)


@dataclass(frozen=True, eq=False)
class SparseKernelRows:
    """The training rows of a sparse table, scaled, and their kernel."""

    examples: ExampleSet
    scale: StandardizedRows
    rows: ScaledRows
    kernel: RowKernel

    @classmethod
    def of(cls, examples: ExampleSet, kernel: RowKernel, *, scale: bool) -> SparseKernelRows:
        """Return the rows of a table with a kernel; means and deviations are theirs."""
        X = examples.matrix()
        standardized = StandardizedRows.of(X, standardize=scale)
        return cls(examples, standardized, standardized.scaled(X), kernel)

    @property
    def mean_likeness(self) -> float:
        """The mean kernel of a row with itself."""
        return float(self.kernel.diagonal(self.rows).mean())

    def fitted(self, estimator: Any, name: str, ctx: Context) -> PredictionModel:
        """Return an estimator for kernel matrices, fitted on that of the rows, as a model."""
        n = len(self.rows)
        require_pairs(n, n, "The kernel matrix")
        matrix = self.kernel.of(self.rows, self.rows)
        predictor = fitted_predictor(estimator, matrix, self.examples, name, ctx=ctx)
        places = np.asarray(getattr(estimator, "support_", np.arange(n)), dtype=np.intp)
        model = SparseKernelPredictor(
            self.scale, self.kernel, self.rows[places], places, n, predictor
        )
        return PredictionModel(model, self.examples.schema, name)

    def weights(self, machine: Any) -> AttributeWeights:
        """Return the sizes of the coefficients of a fitted support vector machine."""
        rows, dual = self.rows[machine.support_], np.asarray(machine.dual_coef_)
        if len(self.examples.label.categories):
            coefficients = pair_coefficients(dual, machine.n_support_, rows)
        else:
            coefficients = rows.combined(dual)
        return weights_of_lines(coefficients, self.scale.divisor, self.examples)
