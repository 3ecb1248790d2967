"""The prediction that any model must beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.core import Accepts, When, operator
from fsops.data import ExampleSet, Model, PredictionModel
from fsops.errors import DataError, ParameterError, did_you_mean, enumerate_names
from fsops.operators.modeling.estimators import TRAINING, describe_model

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class SamePrediction:
    """Predicts the same for every row."""

    output: Floats | float

    def __call__(self, examples: ExampleSet) -> Floats:
        """Return the confidences, or the number, for each row."""
        return np.array(np.broadcast_to(self.output, (len(examples), *np.shape(self.output))))


@operator(
    group="Modeling",
    role="learner",
    row_weights="used",
    accepts=Accepts(label="any", missing=True, infinite=True, sparse=True),
    describe=describe_model,
    aliases=TRAINING,
    tags=("baseline", "zero rule", "majority", "dummy", "mean", "learner"),
)
def default_model(
    examples: ExampleSet,
    *,
    method: Annotated[
        Literal["median", "average", "mode", "constant"],
        Field(
            description="The prediction for numbers; for classes it is always the most "
            "frequent one, or the constant."
        ),
    ] = "median",
    constant: Annotated[
        str, When(method="constant"), Field(description="The number or the class to predict.")
    ] = "0",
) -> Model:
    """Default Model

    Predicts the same value for every row and ignores the attributes: the most frequent class, or
    the median, mean or most frequent number of the training rows. A useful model must do better.


    The confidences are the class fractions. If several are equally frequent, the first one is used.
    """
    nominal = examples.label.value_type.is_nominal
    predicted = (
        _of_classes(examples, method, constant)
        if nominal
        else _of_numbers(examples, method, constant)
    )
    return PredictionModel(SamePrediction(predicted), examples.schema, "Default Model")


def _of_classes(examples: ExampleSet, method: str, constant: str) -> Floats:
    classes = examples.classes
    if method != "constant":
        counts = np.bincount(examples.label_values(), examples.row_weights, len(classes))
        shares: Floats = counts / counts.sum()
        return shares
    if constant not in classes:
        hint = did_you_mean(constant, classes) or f"The classes are {enumerate_names(classes)}."
        raise ParameterError(
            f'constant is "{constant}", which is not a class of "{examples.label.name}".', hint=hint
        )
    sure: Floats = (np.arange(len(classes)) == classes.index(constant)).astype(np.float64)
    return sure


def _of_numbers(examples: ExampleSet, method: str, constant: str) -> float:
    if method == "constant":
        return _number(constant)
    values, weights = examples.label_values(), examples.row_weights
    if not np.isfinite(values).all():
        raise DataError(
            "The label has infinite values.", hint="Leave these rows out (Filter Examples)."
        )
    if method == "mode":
        found, place = np.unique(values, return_inverse=True)
        return float(found[np.bincount(place, weights).argmax()])
    if method == "average":
        return float(np.average(values, weights=weights))
    return float(np.median(values)) if weights is None else _weighted_median(values, weights)


def _weighted_median(values: Floats, weights: Floats) -> float:
    """Return the middle of the smallest and the largest value with half of the weight below."""
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order])
    half, ordered = below[-1] / 2, values[order]
    last = len(ordered) - 1
    low, high = np.searchsorted(below, half, "left"), np.searchsorted(below, half, "right")
    return float((ordered[low] + ordered[min(int(high), last)]) / 2)


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not np.isfinite(number):
        raise ParameterError(f'constant is "{text}", but the label needs a number.')
    return number
