"""Loading a plugin as fsops does, but without mercy."""

from __future__ import annotations

from importlib.metadata import EntryPoint

from fsops.core import Operator
from fsops.plugins import load
from fsops.plugins.manager import GROUP


def check_plugin(module: str, *, name: str) -> list[Operator]:
    """Load a plugin as fsops would, and return its operators.

    A problem that fsops would only list is raised here, with a traceback.

    Parameters
    ----------
    module : str
        The module with the hooks, such as ``"fsops_relief.plugin"``.
    name : str
        The name of the entry point, the prefix of the operators' keys.
    """
    return list(load([EntryPoint(name, module, GROUP)], strict=True).registry)
