"""Plugins: hook specifications, the records they hand over, and the isolated loader."""

from fsops.plugins.hookspecs import hookimpl
from fsops.plugins.manager import PluginProblem, Plugins, load, plugins
from fsops.plugins.records import Deferred, Renderer, Sample, Writer

__all__ = [
    "Deferred",
    "PluginProblem",
    "Plugins",
    "Renderer",
    "Sample",
    "Writer",
    "hookimpl",
    "load",
    "plugins",
]
