"""Feature selection as operators: build processes from Python, XML or a canvas, and trust them.

The public names are loaded when first used, so ``import fsops`` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_PUBLIC = {
    "fsops.core": (
        "Accepts", "Aliases", "AttributeName", "AttributeNames", "Context", "Expert", "File",
        "Named", "Process", "Subprocess", "When", "operator", "validate",
    ),
    "fsops.data": (
        "Attribute", "AttributeWeights", "Collection", "Criterion", "ExampleSet",
        "ExampleSetMetaData", "FlowObject", "MetaData", "Model", "PerformanceVector", "ValueType",
    ),
    "fsops.engine": ("RunResult", "run"),
    "fsops.errors": ("FsopsError",),
    "fsops.plugins": ("hookimpl",),
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
    )
    from fsops.core import (
        Aliases as Aliases,
    )
    from fsops.core import (
        AttributeName as AttributeName,
    )
    from fsops.core import (
        AttributeNames as AttributeNames,
    )
    from fsops.core import (
        Context as Context,
    )
    from fsops.core import (
        Expert as Expert,
    )
    from fsops.core import (
        File as File,
    )
    from fsops.core import (
        Named as Named,
    )
    from fsops.core import (
        Process as Process,
    )
    from fsops.core import (
        Subprocess as Subprocess,
    )
    from fsops.core import (
        When as When,
    )
    from fsops.core import (
        operator as operator,
    )
    from fsops.core import (
        validate as validate,
    )
    from fsops.data import (
        Attribute as Attribute,
    )
    from fsops.data import (
        AttributeWeights as AttributeWeights,
    )
    from fsops.data import (
        Collection as Collection,
    )
    from fsops.data import (
        Criterion as Criterion,
    )
    from fsops.data import (
        ExampleSet as ExampleSet,
    )
    from fsops.data import (
        ExampleSetMetaData as ExampleSetMetaData,
    )
    from fsops.data import (
        FlowObject as FlowObject,
    )
    from fsops.data import (
        MetaData as MetaData,
    )
    from fsops.data import (
        Model as Model,
    )
    from fsops.data import (
        PerformanceVector as PerformanceVector,
    )
    from fsops.data import (
        ValueType as ValueType,
    )
    from fsops.engine import RunResult as RunResult
    from fsops.engine import run as run
    from fsops.errors import FsopsError as FsopsError
    from fsops.plugins import hookimpl as hookimpl
    from fsops.storage import read_process as read_process
    from fsops.storage import write_process as write_process
