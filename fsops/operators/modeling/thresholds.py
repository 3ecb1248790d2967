"""Predictions of two classes by a threshold on the confidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.statistics.thresholds import (
    RocBias,
    cheapest_threshold,
    rapidminer_threshold,
)
from fsops.core import Aliases, Named, When, operator
from fsops.data import ExampleSet, MetaData, Model, Schema
from fsops.data.columns import is_missing
from fsops.data.model import confidence_role
from fsops.data.schema import PREDICTION
from fsops.errors import DataError, ParameterError, did_you_mean, enumerate_names
from fsops.operators.compatibility import Compatibility

if TYPE_CHECKING:
    import pandas as pd

GROUP = "Modeling"
PORTS = Aliases(ports={"example set": "examples"})


class ThresholdModel(Model):
    """Predicts the second class of two where its confidence exceeds a threshold.

    Parameters
    ----------
    threshold : float
    classes : tuple of two str
        The class predicted at or below the threshold, and the one above it.
    """

    port_name: ClassVar[str] = "threshold"
    title: ClassVar[str] = "Threshold"

    def __init__(self, threshold: float, classes: tuple[str, str]) -> None:
        super().__init__(Schema.of([]), "Threshold")
        self.threshold = threshold
        self.classes = classes

    def __repr__(self) -> str:
        return f"<ThresholdModel {self.classes[1]} if its confidence > {self.threshold:.6g}>"

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with the threshold and the classes on both sides."""
        import pandas as pd

        below, above = self.classes
        return pd.DataFrame({"threshold": [self.threshold], "below": [below], "above": [above]})

    def apply(self, examples: ExampleSet) -> ExampleSet:
        """Return the table with the predictions of the threshold in place of the old ones."""
        predicted, confidence = prediction_and_confidence(examples, self.classes[1])
        places = [_place(name, predicted.categories, predicted.name) for name in self.classes]
        codes = np.where(confidence > self.threshold, places[1], places[0]).astype(np.int32)
        return examples.with_values([(predicted, codes)])


def _place(name: str, classes: tuple[str, ...], attribute: str) -> int:
    if name not in classes:
        hint = did_you_mean(name, classes) or f"The classes are {enumerate_names(classes)}."
        raise DataError(f'"{name}" is not a class of "{attribute}".', hint=hint)
    return classes.index(name)


def prediction_and_confidence(examples: ExampleSet, category: str) -> tuple[Any, Any]:
    """Return the attribute with the predicted classes, and the confidences in one class."""
    predicted = examples.schema.special(PREDICTION)
    attribute = examples.schema.special(confidence_role(category))
    if predicted is None or not predicted.value_type.is_nominal:
        raise DataError("The data has no predicted classes.", hint="Put Apply Model before.")
    if attribute is None or not attribute.value_type.is_numerical:
        raise DataError(
            f'The data has no confidence for the class "{category}".',
            hint="Put Apply Model before, with a model for the same classes.",
        )
    values = examples.column(attribute.name)
    if is_missing(values).any():
        raise DataError(
            f'"{attribute.name}" has missing values.',
            hint="Leave these rows out (Filter Examples).",
        )
    return predicted, values


def two_classes(examples: ExampleSet) -> tuple[str, str]:
    """Return the two classes of a label, or of its rows if it has more."""
    label = examples.label
    classes = label.categories
    if len(classes) > 2:
        classes = tuple(classes[code] for code in np.unique(examples.label_values()))
    if len(classes) != 2:
        raise DataError(
            f'Two classes are needed, but "{label.name}" has {len(classes) or "none"}.',
            hint="Keep the rows of two classes (Filter Examples).",
        )
    return classes[0], classes[1]


def rows_of_class(examples: ExampleSet, name: str) -> npt.NDArray[np.bool_]:
    """Return which rows have a class."""
    found: npt.NDArray[np.bool_] = examples.label_values() == examples.classes.index(name)
    return found


@operator(
    group=GROUP,
    role="preparation",
    aliases=PORTS,
    tags=("cutoff", "cut-off", "roc", "costs", "imbalanced", "decision"),
)
def find_threshold(
    examples: ExampleSet,
    *,
    misclassification_costs_first: Annotated[
        float,
        Field(ge=0, description="Cost of a row of the first class predicted as the second."),
    ] = 1.0,
    misclassification_costs_second: Annotated[
        float,
        Field(ge=0, description="Cost of a row of the second class predicted as the first."),
    ] = 1.0,
    first_label: Annotated[
        str | None,
        Field(description="The first class; empty: the first class of the label."),
    ] = None,
    compatibility: Compatibility = "fsops",
    roc_bias: Annotated[
        RocBias,
        When(compatibility="rapidminer"),
        Field(description="Order of rows with equal confidence: positive rows first or last."),
    ] = "optimistic",
) -> ThresholdModel:
    r"""Find Threshold

    Finds the confidence above which the second class should be predicted so that errors cost
    least. The table needs a label of two classes and the confidences that Apply Model adds.

    The threshold fits the rows it was found on, so costs measured on the same rows are
    optimistic: find it on training rows and apply it to the test rows, with Apply Threshold.
    The threshold is in the middle between two confidences; if several are equally good, the largest
    is used.

    - fsops minimizes the total cost :math:`c_1 FP + c_2 FN`.
    - rapidminer maximizes :math:`TP - s \cdot FP` with :math:`s = \frac{P}{N} \frac{c_1}{c_2}` and
      returns the confidence of a row of the first class. With unequal class sizes this is
      the optimum of another ratio of costs.

    References
    ----------
    Fawcett (2006): An introduction to ROC analysis. Pattern Recognition Letters 27.
    """
    first, second = two_classes(examples)
    costs = misclassification_costs_first, misclassification_costs_second
    if first_label is not None:
        place = _place(first_label, (first, second), examples.label.name)
        costs = costs if place == 0 else (costs[1], costs[0])
    confidence = prediction_and_confidence(examples, second)[1]
    if not len(examples):
        raise DataError("The data has no rows.")
    positive = rows_of_class(examples, second)
    if compatibility == "rapidminer":
        threshold = rapidminer_threshold(confidence, positive, *costs, roc_bias)
    else:
        threshold = cheapest_threshold(confidence, positive, *costs)
    return ThresholdModel(threshold, (first, second))


@operator(group=GROUP, role="source", tags=("cutoff", "cut-off", "decision"))
def create_threshold(
    *,
    threshold: Annotated[
        float, Field(ge=0, le=1, description="Confidence above which second_class is predicted.")
    ] = 0.5,
    first_class: Annotated[
        str, Field(description="Class predicted up to the threshold.", examples=["negative"])
    ],
    second_class: Annotated[
        str, Field(description="Class predicted above the threshold.", examples=["positive"])
    ],
) -> ThresholdModel:
    """Create Threshold

    Makes a threshold from a number, for Apply Threshold: the second class is predicted where its
    confidence is larger. Choose the number before you look at the test rows, or let Find Threshold
    find it on training rows.
    """
    if first_class == second_class:
        raise ParameterError(
            f'first_class and second_class are both "{first_class}".',
            hint="Name two classes of the label.",
        )
    return ThresholdModel(threshold, (first_class, second_class))


def _same_table(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    return inputs["examples"]


@operator(
    group=GROUP,
    role="model_application",
    describe=_same_table,
    aliases=PORTS,
    tags=("cutoff", "cut-off", "decision", "predict"),
)
def apply_threshold(
    examples: Annotated[ExampleSet, Named(description="With prediction and confidences.")],
    threshold: ThresholdModel,
) -> ExampleSet:
    """Apply Threshold

    Predicts the second class of a threshold where its confidence is larger than the threshold, and
    the first class elsewhere. The confidences stay as they are. Apply Model and Group Models accept
    thresholds as well.
    """
    return threshold.apply(examples)
