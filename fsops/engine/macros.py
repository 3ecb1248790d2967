"""Macros that every process has."""

from __future__ import annotations

import tempfile
from datetime import datetime

from fsops.core.graph.process import Process


def predefined_macros(process: Process, started: datetime) -> dict[str, str]:
    """Return the macros every process has, named as in RapidMiner."""
    return {
        "process_name": process.name,
        "process_path": str(process.folder or ""),
        "process_start": started.strftime("%Y-%m-%d %H:%M:%S"),
        "tempdir": tempfile.gettempdir(),
    }
