from .answer import (
    Band as Band,
    BeyondChance as BeyondChance,
    ChanceBaseline as ChanceBaseline,
    Estimate as Estimate,
    MethodTest as MethodTest,
    StudyAnswer as StudyAnswer,
    Verdict as Verdict,
)
from .baseline import PermutationBaseline as PermutationBaseline
from .coefficient_path import CoefficientPath as CoefficientPath
from .curves import SizeCurves as SizeCurves
from .descriptions import AttributeDescriptions as AttributeDescriptions
from .elimination import EliminationTrace as EliminationTrace
from .examples import ExampleSet as ExampleSet
from .flow import (
    Averageable as Averageable,
    Collection as Collection,
    FlowObject as FlowObject,
    Traced as Traced,
    averaged as averaged,
)
from .importance_history import ImportanceHistory as ImportanceHistory
from .knife import KnifePath as KnifePath
from .metadata import (
    ExampleSetMetaData as ExampleSetMetaData,
    MetaData as MetaData,
    ModelMetaData as ModelMetaData,
    WeightsMetaData as WeightsMetaData,
    metadata_of as metadata_of,
)
from .model import (
    EstimatorPredictor as EstimatorPredictor,
    Model as Model,
    PredictionModel as PredictionModel,
    Predictor as Predictor,
    PreprocessingModel as PreprocessingModel,
)
from .performance import (
    ConfusionMatrix as ConfusionMatrix,
    Criterion as Criterion,
    PerformanceVector as PerformanceVector,
)
from .schema import Attribute as Attribute, Schema as Schema, ValueType as ValueType
from .shrunken_centroids import ShrunkenCentroids as ShrunkenCentroids
from .stability import StabilityPath as StabilityPath, StabilityResult as StabilityResult
from .weights import AttributeWeights as AttributeWeights
