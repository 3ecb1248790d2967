"""Feature selection as operators: build processes from Python, XML or a canvas, and trust them.

The public names are loaded when first used, so ``import fsops`` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from fsops.version import __version__

_PUBLIC = {
    "fsops.core": (
        "Accepts", "Aliases", "AttributeName", "AttributeNames", "Context", "Expert", "File",
        "MacroName", "Named", "Process", "Subprocess", "When", "operator", "validate",
    ),
    "fsops.data": (
        "Attribute", "AttributeWeights", "Collection", "Criterion", "ExampleSet",
        "ExampleSetMetaData", "FlowObject", "KnifePath", "MetaData", "Model", "PerformanceVector",
        "PredictionModel", "PreprocessingModel",
        "SizeCurves", "StabilityResult", "ValueType",
    ),
    "fsops.core.frame.engine": ("EngineSettings",),
    "fsops.engine.cache": ("ResultStore",),
    "fsops.engine.engines.registry": ("open_engine",),
    "fsops.errors": ("FsopsError",),
    "fsops.notebook": ("load_ipython_extension",),
    "fsops.plugins": ("hookimpl",),
    "fsops.runs.function_calls": ("running",),
    "fsops.runs.loading": ("dataset",),
    "fsops.runs.options": ("RunOptions",),
    "fsops.runs.outcome": ("RunOutcome", "RunResult"),
    "fsops.runs.run": ("Run", "run"),
    "fsops.storage": ("read_process", "write_process"),
}  # fmt: skip
_MODULE_OF = {name: module for module, names in _PUBLIC.items() for name in names}

__all__ = [*_MODULE_OF, "__version__"]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        return getattr(importlib.import_module(_MODULE_OF[name]), name)
    raise AttributeError(f"module 'fsops' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


if TYPE_CHECKING:
    from fsops.core import (
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
    from fsops.core.frame.engine import EngineSettings as EngineSettings
    from fsops.data import (
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
    from fsops.engine.cache import ResultStore as ResultStore
    from fsops.engine.engines.registry import open_engine as open_engine
    from fsops.errors import FsopsError as FsopsError
    from fsops.notebook import load_ipython_extension as load_ipython_extension
    from fsops.plugins import hookimpl as hookimpl
    from fsops.runs.function_calls import running as running
    from fsops.runs.loading import dataset as dataset
    from fsops.runs.options import RunOptions as RunOptions
    from fsops.runs.outcome import RunOutcome as RunOutcome, RunResult as RunResult
    from fsops.runs.run import Run as Run, run as run
    from fsops.storage import read_process as read_process, write_process as write_process
