"""Contributions of plugins besides operators."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fsops.data import ExampleSet, ExampleSetMetaData, FlowObject, MetaData, metadata_of


@dataclass(frozen=True)
class Deferred:
    """Operators that are imported when they are first needed, so that fsops starts faster.

    Each function is an attribute of the module, which may itself load its names on demand: the
    built-in operators are ``Deferred(dir(fsops.operators), "fsops.operators")``. ``keys`` is one
    name, or several.
    """

    keys: str | Sequence[str]
    module: str

    @property
    def names(self) -> Sequence[str]:
        """The names of the functions."""
        return [self.keys] if isinstance(self.keys, str) else self.keys

    def load(self, key: str) -> Callable[..., Any]:
        """Return the function of that name."""
        function: Callable[..., Any] = getattr(importlib.import_module(self.module), key)
        return function


@dataclass(frozen=True)
class Sample:
    """A data set that comes with fsops or a plugin."""

    name: str
    title: str
    load: Callable[[], ExampleSet]
    describe: Callable[[], ExampleSetMetaData] | None = None
    """The metadata of the table, if known without loading it."""

    def metadata(self) -> MetaData:
        """Return the metadata of the table."""
        return metadata_of(self.load()) if self.describe is None else self.describe()


@dataclass(frozen=True)
class Writer:
    """How results of a type (and its subclasses) are written to a file.

    ``write_safe`` is used for ``--safe-csv``, if given: it writes texts that a spreadsheet would
    execute as texts.
    """

    type: type[FlowObject]
    suffix: str
    write: Callable[[Any, Path], None]
    write_safe: Callable[[Any, Path], None] | None = None


@dataclass(frozen=True)
class Drawing:
    """A figure of results of a type (and its subclasses), for files, reports and notebooks.

    ``draw(result, axes)`` draws it with matplotlib; ``suits(result)`` returns whether the result
    has the data for it. The name becomes part of the names of files, and never changes.
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
    """How results of a type (and its subclasses) are shown: text, or anything rich can print.

    If ``render`` has a second argument ``rows``, it gets the number of rows to show; None for all.
    """

    type: type[FlowObject]
    render: Callable[..., Any]

    def shown(self, value: FlowObject, rows: int | None) -> Any:
        """Return what to print for a value."""
        if "rows" in inspect.signature(self.render).parameters:
            return self.render(value, rows=rows)
        return self.render(value)
