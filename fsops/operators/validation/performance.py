"""How good predictions are."""

from __future__ import annotations

import numpy as np

from fsops.algorithms import agreement
from fsops.core import Aliases, operator
from fsops.data import ConfusionMatrix, Criterion, ExampleSet, PerformanceVector
from fsops.data.examples import MISSING_CODE
from fsops.data.schema import PREDICTION
from fsops.errors import DataError


@operator(
    group="Validation",
    aliases=Aliases(ports={"labelled data": "examples"}),
    tags=("accuracy", "error", "kappa", "rmse", "evaluate", "measure"),
)
def performance(examples: ExampleSet) -> PerformanceVector:
    """Performance

    Compares prediction and label. Classes give accuracy, classification error, Cohen's kappa and
    the confusion matrix; numbers give root mean squared error, absolute error and squared
    correlation.

    The table needs a label and a prediction, as Apply Model makes it. Measured on the rows the
    model was trained on, the figures are too good: use a validation around it.
    """
    label, predicted = examples.label, examples.schema.special(PREDICTION)
    if predicted is None:
        raise DataError("The data has no prediction.", hint="Put Apply Model before.")
    if not len(examples):
        raise DataError("The data has no rows.")
    true, guess = examples.label_values(), examples.column(predicted.name)
    if not label.value_type.is_nominal:
        return PerformanceVector(
            [
                Criterion(
                    "root_mean_squared_error",
                    (agreement.root_mean_squared_error(true, guess),),
                    maximize=False,
                ),
                Criterion(
                    "absolute_error", (agreement.mean_absolute_error(true, guess),), maximize=False
                ),
                Criterion("squared_correlation", (agreement.squared_correlation(true, guess),)),
            ]
        )
    if label.categories != predicted.categories or (guess == MISSING_CODE).any():
        raise DataError(f'"{predicted.name}" does not predict the classes of "{label.name}".')
    counts = agreement.confusion(true.astype(np.intp), guess.astype(np.intp), len(label.categories))
    accuracy = agreement.accuracy(counts)
    return PerformanceVector(
        [
            Criterion("accuracy", (accuracy,), percent=True),
            Criterion("classification_error", (1 - accuracy,), maximize=False, percent=True),
            Criterion("kappa", (agreement.kappa(counts),)),
        ],
        confusion=ConfusionMatrix(label.categories, counts.astype(np.int64)),
    )
