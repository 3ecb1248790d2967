"""Plugins: hook specifications, the records they hand over, and the isolated loader."""

from fsops.core.frame.engine import Engine, EngineSettings, EngineSpec, Iteration, IterationResult
from fsops.plugins.hookspecs import hookimpl
from fsops.plugins.manager import PluginProblem, Plugins, load, plugins
from fsops.plugins.records import Deferred, Drawing, Renderer, Sample, Writer

__all__ = [
    "Deferred",
    "Drawing",
    "Engine",
    "EngineSettings",
    "EngineSpec",
    "PluginProblem",
    "Plugins",
    "Renderer",
    "Sample",
    "Iteration",
    "IterationResult",
    "Writer",
    "hookimpl",
    "load",
    "plugins",
]
