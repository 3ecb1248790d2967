from .core import (
    Accepts as Accepts,
    Aliases as Aliases,
    AttributeName as AttributeName,
    AttributeNames as AttributeNames,
    Context as Context,
    Expert as Expert,
    File as File,
    MacroName as MacroName,
    Named as Named,
    Process as Process,
    Subprocess as Subprocess,
    When as When,
    operator as operator,
    validate as validate,
)
from .core.frame.engine import EngineSettings as EngineSettings
from .data import (
    Attribute as Attribute,
    AttributeWeights as AttributeWeights,
    Collection as Collection,
    Criterion as Criterion,
    ExampleSet as ExampleSet,
    ExampleSetMetaData as ExampleSetMetaData,
    FlowObject as FlowObject,
    KnifePath as KnifePath,
    MetaData as MetaData,
    Model as Model,
    PerformanceVector as PerformanceVector,
    PredictionModel as PredictionModel,
    PreprocessingModel as PreprocessingModel,
    SizeCurves as SizeCurves,
    StabilityResult as StabilityResult,
    ValueType as ValueType,
)
from .engine.cache import ResultStore as ResultStore
from .engine.engines.registry import open_engine as open_engine
from .errors import FsopsError as FsopsError
from .notebook import load_ipython_extension as load_ipython_extension
from .plugins import hookimpl as hookimpl
from .runs.function_calls import running as running
from .runs.loading import dataset as dataset
from .runs.options import RunOptions as RunOptions
from .runs.outcome import RunOutcome as RunOutcome, RunResult as RunResult
from .runs.run import Run as Run, run as run
from .storage import read_process as read_process, write_process as write_process

__version__: str
