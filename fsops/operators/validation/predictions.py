"""Label and prediction of a table, read and checked once for all comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from fsops.algorithms.base.types import Bools, Floats, Ints
from fsops.algorithms.statistics import agreement
from fsops.data import (
    Attribute,
    ConfusionMatrix,
    ExampleSet,
    ExampleSetMetaData,
    MetaData,
    PerformanceVector,
    Schema,
)
from fsops.data.columns import is_missing
from fsops.data.model import confidence_role
from fsops.data.schema import EVENT, NOMINAL, NUMERICAL, PREDICTION
from fsops.data.survival import event_values
from fsops.errors import DataError, in_rows


@dataclass(frozen=True, eq=False)
class PredictedClasses:
    """True and predicted classes, as codes of the classes that either side knows."""

    classes: tuple[str, ...]
    true: Ints
    guess: Ints
    examples: ExampleSet
    weights: Floats | None = None

    @cached_property
    def counts(self) -> agreement.Counts:
        """True class (rows) against predicted class (columns), by the weights of the rows."""
        return agreement.confusion(self.true, self.guess, len(self.classes), self.weights)

    @property
    def confusion(self) -> ConfusionMatrix:
        """The counts with the names of the classes."""
        return ConfusionMatrix(self.classes, self.counts)

    def part(self, rows: slice) -> PredictedClasses:
        """Return the same for some rows."""
        some = self.examples.take(np.arange(len(self.true))[rows])
        return PredictedClasses(
            self.classes, self.true[rows], self.guess[rows], some, _some(self.weights, rows)
        )

    def confidence(self, category: str) -> Floats | None:
        """Return the confidences in a class; None if the table has none, or not for all rows."""
        attribute = self.examples.schema.special(confidence_role(category))
        if attribute is None or not attribute.value_type.is_numerical:
            return None
        values: Floats = self.examples.column(attribute.name)
        return None if np.isnan(values).any() else values


@dataclass(frozen=True, eq=False)
class PredictedNumbers:
    """True and predicted numbers, or times and predicted risks."""

    true: Floats
    guess: Floats
    weights: Floats | None = None
    event: Bools | None = None
    """For times: whether the event happened then."""

    def part(self, rows: slice) -> PredictedNumbers:
        """Return the same for some rows."""
        event = None if self.event is None else self.event[rows]
        return PredictedNumbers(self.true[rows], self.guess[rows], _some(self.weights, rows), event)


def _some(weights: Floats | None, rows: slice) -> Floats | None:
    return None if weights is None else weights[rows]


def predictions(examples: ExampleSet) -> PredictedClasses | PredictedNumbers:
    """Return label and prediction of a table; a missing or unsuitable one is an error."""
    label, predicted = examples.label, _predicted(examples.schema)
    if not len(examples):
        raise DataError("The data has no rows.")
    true, guess = examples.label_values(), examples.column(predicted.name)
    types = {label.value_type, predicted.value_type}
    if types <= NOMINAL:
        return _classes(examples, label, true, predicted, _complete(predicted, guess))
    if types <= NUMERICAL:
        return PredictedNumbers(
            _finite(label, true),
            _finite(predicted, _complete(predicted, guess)),
            examples.row_weights,
            event_values(examples),
        )
    raise DataError(
        f'The label "{label.name}" is {label.value_type}, but its prediction "{predicted.name}" '
        f"is {predicted.value_type}.",
        hint="Apply a model that was trained for this label.",
    )


def describe_measured(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    """Return that a performance comes; a table that is known to have no prediction is an error."""
    table = inputs["examples"]
    if isinstance(table, ExampleSetMetaData) and table.schema is not None:
        _predicted(table.schema)
    return MetaData(PerformanceVector)


def _predicted(schema: Schema) -> Attribute:
    predicted = schema.special(PREDICTION)
    if predicted is None:
        raise DataError("The data has no prediction.", hint="Put Apply Model before.")
    return predicted


def predicted_classes(examples: ExampleSet) -> PredictedClasses:
    """Return label and prediction of a table with classes."""
    found = predictions(examples)
    if isinstance(found, PredictedNumbers):
        raise DataError(
            f'The label "{examples.label.name}" is {examples.label.value_type} and has no classes.',
            hint="Use Performance (Regression).",
        )
    return found


def predicted_risks(examples: ExampleSet) -> Floats:
    """Return the predicted risks of a table whose label is a time."""
    found = predictions(examples)
    assert isinstance(found, PredictedNumbers)
    return found.guess


def predicted_numbers(examples: ExampleSet) -> PredictedNumbers:
    """Return label and prediction of a table with a numerical label."""
    found = predictions(examples)
    if isinstance(found, PredictedClasses):
        raise DataError(
            f'The label "{examples.label.name}" is {examples.label.value_type}, not a number.',
            hint="Use Performance (Classification).",
        )
    if examples.schema.special(EVENT) is not None:
        raise DataError(
            f'"{examples.label.name}" is a censored time, so its difference from a prediction is '
            "not known in all rows.",
            hint="Use Performance (Survival).",
        )
    return found


def _complete(predicted: Attribute, guess: npt.NDArray[Any]) -> npt.NDArray[Any]:
    missing = is_missing(guess)
    if missing.any():
        raise DataError(
            f'"{predicted.name}" is missing {in_rows(np.flatnonzero(missing).tolist())}.',
            hint="Leave these rows out (Filter Examples).",
        )
    return guess


def _finite(attribute: Attribute, values: Floats) -> Floats:
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        raise DataError(
            f'"{attribute.name}" is infinite {in_rows(wrong.tolist())}.',
            hint="Leave these rows out (Filter Examples).",
        )
    return values


def _classes(
    examples: ExampleSet,
    label: Attribute,
    true: npt.NDArray[np.int32],
    predicted: Attribute,
    guess: npt.NDArray[np.int32],
) -> PredictedClasses:
    """Return the classes of both sides; each may know classes that the other does not."""
    weights = examples.row_weights
    if predicted.categories == label.categories:
        return PredictedClasses(
            label.categories, true.astype(np.intp), guess.astype(np.intp), examples, weights
        )
    classes = tuple(dict.fromkeys((*predicted.categories, *label.categories)))
    place = {category: number for number, category in enumerate(classes)}
    codes = [
        np.array([place[c] for c in attribute.categories], dtype=np.intp)[values]
        for attribute, values in ((label, true), (predicted, guess))
    ]
    return PredictedClasses(classes, codes[0], codes[1], examples, weights)
