"""How good predictions are."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from fsops.algorithms import agreement
from fsops.algorithms.types import Floats
from fsops.core import Aliases, operator
from fsops.data import Attribute, ConfusionMatrix, Criterion, ExampleSet, PerformanceVector
from fsops.data.examples import is_missing
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
    if label.value_type.is_nominal and predicted.value_type.is_nominal:
        return _of_classes(label, true, predicted, _complete(predicted, guess))
    if label.value_type.is_numerical and predicted.value_type.is_numerical:
        return _of_numbers(true, _complete(predicted, guess))
    raise DataError(
        f'The label "{label.name}" is {label.value_type}, but its prediction "{predicted.name}" '
        f"is {predicted.value_type}.",
        hint="Apply a model that was trained for this label.",
    )


def _complete(predicted: Attribute, guess: npt.NDArray[Any]) -> npt.NDArray[Any]:
    lacking = np.flatnonzero(is_missing(guess))
    if len(lacking):
        raise DataError(
            f'"{predicted.name}" is missing in {len(lacking)} rows, first in row {lacking[0] + 1}.',
            hint="Remove these rows first.",
        )
    return guess


def _of_classes(
    label: Attribute,
    true: npt.NDArray[np.int32],
    predicted: Attribute,
    guess: npt.NDArray[np.int32],
) -> PerformanceVector:
    """Return how classes agree; each side may know classes that the other does not."""
    classes = tuple(dict.fromkeys((*predicted.categories, *label.categories)))
    place = {category: number for number, category in enumerate(classes)}
    codes = [
        np.array([place[c] for c in attribute.categories], dtype=np.intp)[values]
        for attribute, values in ((label, true), (predicted, guess))
    ]
    counts = agreement.confusion(codes[0], codes[1], len(classes))
    accuracy = agreement.accuracy(counts)
    return PerformanceVector(
        [
            Criterion("accuracy", (accuracy,), percent=True),
            Criterion("classification_error", (1 - accuracy,), maximize=False, percent=True),
            Criterion("kappa", (agreement.kappa(counts),)),
        ],
        confusion=ConfusionMatrix(classes, counts.astype(np.int64)),
    )


def _of_numbers(true: Floats, guess: Floats) -> PerformanceVector:
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
