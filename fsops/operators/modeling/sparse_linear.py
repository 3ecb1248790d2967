"""Linear models of sparse tables: their attributes are centered implicitly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fsops.algorithms.base.types import as_csc
from fsops.algorithms.kernel.sparse_gram import StandardizedRows
from fsops.algorithms.linear.logistic import LogisticFit, logistic_regression
from fsops.core import Context
from fsops.data import ExampleSet, PredictionModel
from fsops.data.model import require_finite
from fsops.operators.modeling.estimators import Learned, unsettled, weights_of_lines

NAME = "Logistic Regression"


@dataclass(frozen=True, eq=False)
class SparseLogistic:
    """A logistic regression on rows that are centered implicitly."""

    scale: StandardizedRows
    fit: LogisticFit
    classes: npt.NDArray[np.int32]
    n_classes: int

    def __call__(self, examples: ExampleSet) -> npt.NDArray[np.float64]:
        """Return the probability of each class."""
        require_finite(examples)
        confidences = np.zeros((len(examples), self.n_classes))
        if len(examples):
            rows = self.scale.scaled(as_csc(examples.matrix()))
            confidences[:, self.classes] = self.fit.probabilities(rows)
        return confidences


def sparse_logistic(
    examples: ExampleSet,
    ctx: Context,
    *,
    C: float,
    scale: bool,
    class_costs: Mapping[int, float] | None,
    max_iterations: int,
) -> Learned:
    """Return a logistic regression on a sparse table, and the sizes of its coefficients."""
    classes, codes = np.unique(examples.label_values(), return_inverse=True)
    costs = None
    if class_costs is not None:
        costs = np.array([class_costs[int(code)] for code in classes])[codes]
    weights = examples.row_weights
    if weights is not None:
        costs = weights if costs is None else costs * weights
    scaling = StandardizedRows.of(examples.matrix(), standardize=scale, weights=weights)
    fit = logistic_regression(
        scaling.scaled(examples.matrix()),
        codes,
        C=C,
        row_weights=costs,
        max_iterations=max_iterations,
    )
    if not fit.settled:
        ctx.warn(unsettled(NAME))
    predictor = SparseLogistic(scaling, fit, classes, len(examples.classes))
    found = weights_of_lines(fit.coefficients, scaling.divisor, examples)
    return Learned(PredictionModel(predictor, examples.schema, NAME), found)
