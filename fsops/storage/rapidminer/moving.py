"""A process that is saved in another folder still finds its data."""

from __future__ import annotations

import os
from pathlib import Path

from fsops.core.declare.parameters import has_macro
from fsops.core.graph.process import Node, Process
from fsops.errors import FsopsError
from fsops.storage.repository import REPOSITORY, find_entry


def move_process(process: Process, folder: Path) -> None:
    """Let relative paths of data that is there begin at another folder."""
    old = process.folder
    if old is None or old == folder:
        return
    for node in process.walk():
        for parameter in node.operator.parameters:
            if parameter.file is not None and not parameter.file.write:
                _move(node, parameter.name, old, folder)
    process.folder = folder


def _move(node: Node, name: str, old: Path, new: Path) -> None:
    value = node.parameters.get(name)
    if not isinstance(value, str) or not value or has_macro(value):
        return
    if value.startswith(REPOSITORY) or Path(value).is_absolute() or not _is_there(old / value):
        return
    node.parameters[name] = Path(os.path.relpath(old / value, new)).as_posix()


def _is_there(path: Path) -> bool:
    try:
        return path.exists() or find_entry(str(path)) is not None
    except (OSError, ValueError, FsopsError):
        return False
