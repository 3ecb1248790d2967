"""What flows along the connections: tables, weights, models, performances, collections."""

from fsops.data.collection import Collection
from fsops.data.curves import SizeCurves
from fsops.data.elimination import EliminationTrace
from fsops.data.examples import ExampleSet
from fsops.data.flow import Averageable, FlowObject, averaged
from fsops.data.knife import KnifePath
from fsops.data.metadata import (
    ExampleSetMetaData,
    MetaData,
    ModelMetaData,
    WeightsMetaData,
    metadata_of,
)
from fsops.data.model import (
    EstimatorPredictor,
    Model,
    PredictionModel,
    Predictor,
    PreprocessingModel,
)
from fsops.data.performance import ConfusionMatrix, Criterion, PerformanceVector
from fsops.data.schema import Attribute, Schema, ValueType
from fsops.data.stability import StabilityResult
from fsops.data.weights import AttributeWeights

__all__ = [
    "Attribute",
    "AttributeWeights",
    "Averageable",
    "Collection",
    "ConfusionMatrix",
    "Criterion",
    "EliminationTrace",
    "EstimatorPredictor",
    "ExampleSet",
    "ExampleSetMetaData",
    "FlowObject",
    "KnifePath",
    "MetaData",
    "Model",
    "ModelMetaData",
    "PerformanceVector",
    "PredictionModel",
    "Predictor",
    "PreprocessingModel",
    "Schema",
    "SizeCurves",
    "StabilityResult",
    "ValueType",
    "WeightsMetaData",
    "averaged",
    "metadata_of",
]
