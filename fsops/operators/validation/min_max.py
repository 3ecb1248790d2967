"""Between the mean and the worst case of a performance."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np
from pydantic import Field

from fsops.core import Aliases, operator
from fsops.data import Criterion, PerformanceVector
from fsops.operators.validation.vectors import GROUP


@operator(
    group=GROUP,
    role="performance",
    aliases=Aliases(ports={"performance vector": "performance"}),
    tags=("worst case", "robust", "pessimistic", "minimum", "maximum"),
)
def performance_min_max(
    performance: PerformanceVector,
    *,
    min_weight: Annotated[
        float,
        Field(
            ge=0,
            le=1,
            description="Weight of the worst repetition; the mean has 1 minus this weight.",
        ),
    ] = 1.0,
) -> PerformanceVector:
    r"""Performance (Min-Max)

    Replaces each criterion by a value between its mean over the repetitions, such as the folds of a
    cross-validation, and its worst repetition. A search that optimizes it prefers attributes that
    perform well in every fold to attributes that perform very well in most folds.

    Put it after a validation: it does not change a performance that was measured once. The
    deviation and the confusion matrix are lost, and so the result cannot enter a significance test.

    .. math:: \lambda \min_i c_i + (1 - \lambda) \frac1n \sum_i c_i

    with max in place of min for errors.
    """
    return PerformanceVector([_between(criterion, min_weight) for criterion in performance])


def _between(criterion: Criterion, share: float) -> Criterion:
    if criterion.count == 1:
        return criterion
    worst = float(np.min(criterion.values) if criterion.maximize else np.max(criterion.values))
    value = share * worst + (1 - share) * criterion.mean
    return replace(criterion, values=(value,))
