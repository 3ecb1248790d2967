"""Using models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fsops.core import Aliases, operator
from fsops.data import ExampleSet, ExampleSetMetaData, MetaData, Model, ModelMetaData
from fsops.data.model import (
    GroupedModel,
    PredictionModel,
    predicted_names,
    prediction_attributes,
)
from fsops.errors import DataError


def _describe_applied(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    """Return the table with the prediction, where the kind of prediction is known."""
    model, table = inputs["model"], inputs["examples"]
    if not isinstance(table, ExampleSetMetaData):
        return ExampleSetMetaData()
    known = isinstance(model, ModelMetaData) and issubclass(model.type, PredictionModel)
    training = model.training if isinstance(model, ModelMetaData) and known else None
    if table.schema is None or training is None or training.label is None:
        return ExampleSetMetaData(rows=table.rows if known else None)
    new = prediction_attributes(training.label)
    gone = {*predicted_names(table.schema), *(attribute.name for attribute in new)}
    kept = table.schema.positions(name for name in table.schema.names if name not in gone)
    return ExampleSetMetaData(schema=table.schema.take(kept).appended(new), rows=table.rows)


@operator(
    group="Modeling",
    role="model_application",
    describe=_describe_applied,
    aliases=Aliases(ports={"unlabelled data": "examples", "labelled data": "examples"}),
    tags=("predict", "score", "classify"),
)
def apply_model(model: Model, examples: ExampleSet) -> ExampleSet:
    """Apply Model

    Adds the model's prediction to the table and, for classes, a confidence for each of them. A
    preprocessing model prepares the table as it prepared its training rows. The models of a group
    are applied one after the other.

    The table needs the attributes the model was trained on, in any order; other attributes do not
    matter. Categories the model has not seen count as missing.
    """
    return model.apply(examples)


@operator(
    group="Modeling",
    role="model_application",
    aliases=Aliases(ports={"models in": "models", "model out": "model"}),
    tags=("combine", "pipeline", "preprocessing", "grouped"),
)
def group_models(models: list[Model]) -> Model:
    """Group Models

    Combines several models into one. They are applied in order: first the preprocessing models,
    then the predicting model. So a validation can hand the preparation learned on the training rows
    to the test rows together with the model.

    The order is that of the connections.
    """
    if not models:
        raise DataError("There is no model to group.", hint="Connect at least one model.")
    return GroupedModel(models)
