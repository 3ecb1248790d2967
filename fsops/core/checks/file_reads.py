"""Files that a process from a stranger reads without permission."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fsops.core.declare.file_access import FileAccess
from fsops.core.declare.macros import expand
from fsops.core.declare.parameters import has_macro
from fsops.core.graph.process import Process
from fsops.errors import FsopsError


def refused_files(process: Process, macros: Mapping[str, Any]) -> dict[Path, str]:
    """Return the files and folders that need the user's consent, each with its operator.

    Names that depend on macros of loops are known only during the run, which refuses them.
    """
    access = FileAccess(process.folder, process.readable)
    refused: dict[Path, str] = {}
    if process.readable is None:
        return refused
    for node in process.walk():
        values = node.canonical_parameters()
        for parameter in node.operator.parameters:
            value = values.get(parameter.name)
            if parameter.file is None or not isinstance(value, str) or not value:
                continue
            try:
                name = expand(value, macros) if has_macro(value) else value
                paths = access.refused(parameter.file, str(name))
            except FsopsError:  # the check of the process reports it
                continue
            refused.update({path: node.name for path in paths if path not in refused})
    return refused
