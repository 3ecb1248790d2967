"""What is known about a result before anything has run."""

from __future__ import annotations

from dataclasses import dataclass

from fsops.data.examples import ExampleSet
from fsops.data.flow import FlowObject
from fsops.data.model import Model, PredictionModel
from fsops.data.schema import Schema
from fsops.data.weights import AttributeWeights


@dataclass(frozen=True)
class MetaData:
    """Only the type is known."""

    type: type[FlowObject] = FlowObject


@dataclass(frozen=True)
class ExampleSetMetaData(MetaData):
    """Attributes and number of rows, as far as they are known (None: not known)."""

    type: type[FlowObject] = ExampleSet
    schema: Schema | None = None
    rows: int | None = None


@dataclass(frozen=True)
class WeightsMetaData(MetaData):
    """Which attributes have a weight, if known."""

    type: type[FlowObject] = AttributeWeights
    names: tuple[str, ...] | None = None


@dataclass(frozen=True)
class ModelMetaData(MetaData):
    """The schema a model was trained on, if known."""

    type: type[FlowObject] = Model
    training: Schema | None = None


def metadata_of(value: FlowObject) -> MetaData:
    """Return what is known about a result that exists."""
    if isinstance(value, ExampleSet):
        return ExampleSetMetaData(type(value), value.schema, value.n_rows)
    if isinstance(value, AttributeWeights):
        return WeightsMetaData(type(value), value.names)
    if isinstance(value, PredictionModel):
        return ModelMetaData(type(value), value.attributes.appended([value.label]))
    if isinstance(value, Model):
        return ModelMetaData(type(value), value.attributes)
    return MetaData(type(value))
