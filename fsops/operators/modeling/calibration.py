"""Models with other confidences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from fsops.algorithms.statistics.calibration import platt_parameters, platt_scaled
from fsops.core import Accepts, Aliases, Named, operator
from fsops.data import (
    Attribute,
    ExampleSet,
    ExampleSetMetaData,
    MetaData,
    Model,
    ModelMetaData,
    PredictionModel,
)
from fsops.errors import DataError
from fsops.operators.modeling.ensembles import Predictions
from fsops.operators.modeling.thresholds import rows_of_class


@dataclass(frozen=True)
class ScaledConfidences:
    """A model of two classes whose confidences go through a sigmoid."""

    model: Model
    label: Attribute
    parameters: tuple[float, float]

    def __call__(self, examples: ExampleSet) -> npt.NDArray[np.float64]:
        """Return the scaled confidences of both classes."""
        confidence = Predictions.of(self.model, examples, self.label).confidences()[:, 1]
        scaled = platt_scaled(confidence, self.parameters)
        return np.column_stack([1.0 - scaled, scaled])

    @property
    def details(self) -> Mapping[str, Any]:
        """The parameters of the sigmoid."""
        return {"A": self.parameters[0], "B": self.parameters[1]}


def _describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    meta = inputs.get("examples")
    schema = meta.schema if isinstance(meta, ExampleSetMetaData) else None
    return ModelMetaData(PredictionModel, schema)


@operator(
    group="Modeling",
    role="model_application",
    accepts=Accepts(label="binominal", missing=True, infinite=True, sparse=True),
    describe=_describe,
    aliases=Aliases(ports={"example set": "examples", "prediction model": "model"}),
    tags=("platt", "calibration", "probability", "sigmoid", "confidence"),
)
def rescale_confidences(
    model: Annotated[Model, Named(description="A model for two classes.")],
    examples: Annotated[ExampleSet, Named(description="Rows that the model has not seen.")],
) -> Model:
    r"""Rescale Confidences

    Makes the confidences of a model for two classes closer to probabilities, by a sigmoid that is
    fitted to the rows of the table (Platt scaling). Use it before thresholds, costs or lift charts,
    after learners such as support vector machines and boosting.

    Give it rows that the model was not trained on: on training rows confidences are too high. The
    sigmoid keeps the order of the rows, but rows near the border may change their class.

    .. math:: p = \frac1{1 + e^{A f + B}}, \quad f = \log\frac{1 - c}{c}

    References
    ----------
    Platt (1999): Probabilistic outputs for support vector machines. Advances in Large Margin
    Classifiers, 61–74.
    """
    label = model.label if isinstance(model, PredictionModel) else examples.label
    if len(label.categories) != 2:
        raise DataError(
            f"The model predicts {len(label.categories) or 'no'} classes, but two are needed.",
            hint="Connect a model for a label with two classes.",
        )
    found = Predictions.of(model, examples, label).confidences()[:, 1]
    if label.categories[1] not in examples.classes:
        raise DataError(f'The data has no class "{label.categories[1]}".')
    parameters = platt_parameters(found, rows_of_class(examples, label.categories[1]))
    training = model.attributes.appended([label]) if label.name not in model.attributes else None
    schema = examples.schema if training is None else training
    predictor = ScaledConfidences(model, label, parameters)
    return PredictionModel(predictor, schema, f"{model.name}, rescaled")
