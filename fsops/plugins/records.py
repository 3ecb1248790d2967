"""What plugins hand over besides operators."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fsops.data import ExampleSet, ExampleSetMetaData, FlowObject, MetaData, metadata_of


@dataclass(frozen=True)
class Deferred:
    """The name of an operator that is loaded when it is first needed, so that fsops starts faster.

    The function is the attribute ``key`` of the module, which may itself load its names on demand:
    the built-in operators are ``Deferred(name, "fsops.operators")``.
    """

    key: str
    module: str

    def load(self) -> Callable[..., Any]:
        """Return the function."""
        function: Callable[..., Any] = getattr(importlib.import_module(self.module), self.key)
        return function


@dataclass(frozen=True)
class Sample:
    """A data set that comes with fsops or a plugin."""

    name: str
    title: str
    load: Callable[[], ExampleSet]
    describe: Callable[[], ExampleSetMetaData] | None = None
    """What the table is like, where that can be said without loading it."""

    def metadata(self) -> MetaData:
        """Return what is known about the table."""
        return metadata_of(self.load()) if self.describe is None else self.describe()


@dataclass(frozen=True)
class Writer:
    """How results of a type (and its subclasses) are written to a file."""

    type: type[FlowObject]
    suffix: str
    write: Callable[[Any, Path], None]


@dataclass(frozen=True)
class Drawing:
    """A figure of results of a type (and its subclasses), for files, reports and notebooks.

    ``draw(result, axes)`` draws it with matplotlib; ``suits(result)`` tells whether the result has
    what it shows. The name becomes part of the names of files, and never changes.
    """

    type: type[FlowObject]
    name: str
    title: str
    draw: Callable[[Any, Any], None]
    suits: Callable[[Any], bool] = lambda result: True
    size: tuple[float, float] = (3.4, 2.4)
    """Width and height in inches."""


@dataclass(frozen=True)
class Renderer:
    """How results of a type (and its subclasses) are shown: text, or anything rich can print."""

    type: type[FlowObject]
    render: Callable[[Any], Any]
