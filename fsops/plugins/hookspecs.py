"""The hooks a plugin can implement; the built-in operators use the same ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pluggy

from fsops.core.frame.engine import EngineSpec
from fsops.plugins.records import Deferred, Drawing, Renderer, Sample, Writer

PROJECT = "fsops"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def fsops_operators() -> Sequence[Callable[..., Any] | Deferred]:  # type: ignore[empty-body]
    """Return operator functions, or where to find them once they are needed.

    Example: ``return [weight_by_range]``, or of a large plugin
    ``return [Deferred("weight_by_range", "my_package.ranges")]``
    """


@hookspec
def fsops_samples() -> Sequence[Sample]:  # type: ignore[empty-body]
    """Return sample data that Retrieve offers by name.

    Example: ``return [Sample("mice", "Protein levels of mice", load_mice)]``
    """


@hookspec
def fsops_writers() -> Sequence[Writer]:  # type: ignore[empty-body]
    """Return how kinds of results are written to files by ``fsops run --out``.

    Example: ``return [Writer(Pathway, ".json", write_pathway)]``
    """


@hookspec
def fsops_renderers() -> Sequence[Renderer]:  # type: ignore[empty-body]
    """Return how kinds of results are shown as text on a terminal.

    Example: ``return [Renderer(Pathway, show_pathway)]``
    """


@hookspec
def fsops_figures() -> Sequence[Drawing]:  # type: ignore[empty-body]
    """Return figures of kinds of results, for ``--figures``, ``--report`` and ``result.plot()``.

    Example: ``return [Drawing(Pathway, "network", "The pathway as a graph", draw_network)]``
    """


@hookspec
def fsops_engines() -> Sequence[EngineSpec]:  # type: ignore[empty-body]
    """Return engines that run the iterations of loops, for ``fsops run --engine NAME``.

    Example: ``return [EngineSpec("queue", "Our batch system.", open_queue)]``
    """
