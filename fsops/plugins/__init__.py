"""Plugins: hook specifications, the records they hand over, and the isolated loader."""

from fsops.plugins.hookspecs import hookimpl
from fsops.plugins.manager import PluginProblem, Plugins, load, plugins
from fsops.plugins.records import Deferred, Drawing, Renderer, Sample, Writer

__all__ = [
    "Deferred",
    "Drawing",
    "PluginProblem",
    "Plugins",
    "Renderer",
    "Sample",
    "Writer",
    "hookimpl",
    "load",
    "plugins",
]
