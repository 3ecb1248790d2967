"""The built-in operators and data sets, registered as those of any plugin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fsops import operators
from fsops.datasets import DATASETS
from fsops.operators.data_access.samples import SAMPLES
from fsops.plugins import Deferred, Sample, hookimpl


@hookimpl
def fsops_operators() -> Sequence[Callable[..., Any] | Deferred]:
    """Return the names of the built-in operators; each operator is loaded when it is needed."""
    return [Deferred(dir(operators), operators.__name__)]


@hookimpl
def fsops_samples() -> Sequence[Sample]:
    """Return the data sets that come with fsops, and public ones that may be in a folder."""
    return [*SAMPLES, *(Sample(known.name, known.title, known.load) for known in DATASETS)]
