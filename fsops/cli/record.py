"""``run.json``: everything needed to know how results came about, and to make them again."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fsops import __version__
from fsops.cli.loading import LoadedProcess
from fsops.cli.output.progress import Warnings
from fsops.core.checks.propagation import canonical
from fsops.core.declare.macros import expand
from fsops.core.declare.parameters import check_parameters
from fsops.core.frame.engine import EngineSettings
from fsops.core.graph.process import Node
from fsops.engine import RunResult
from fsops.engine.engines.registry import SERIAL, number_of_jobs
from fsops.engine.runner import Timing, predefined_macros
from fsops.errors import ParameterError
from fsops.plugins import plugins
from fsops.storage.files import write_bytes
from fsops.storage.results import WrittenFile, json_text

RECORD_FILE = "run.json"
LIBRARIES = (
    "numpy", "scipy", "scikit-learn", "pandas", "pyarrow", "networkx", "pydantic", "lxml",
)  # fmt: skip
ON_THIS_MACHINE = ("threads", "processes")
"""Engines that need no scheduler, also where one is configured."""


def write_record(folder: Path, record: Mapping[str, Any]) -> None:
    """Write the record of a run."""
    write_bytes(folder / RECORD_FILE, json_text(record).encode())


def run_record(
    loaded: LoadedProcess,
    result: RunResult,
    warnings: Warnings,
    written: list[WrittenFile],
    command: str,
    *,
    engine: tuple[str, EngineSettings] | None = None,
) -> dict[str, Any]:
    """Return the record of a run; of its engine the name and the settings are given."""
    return {
        "fsops": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "libraries": {name: version(name) for name in LIBRARIES},
        "plugins": {info.name: f"{info.distribution} {info.version}" for info in plugins().loaded},
        "command": command,
        "folder": os.getcwd(),
        **({} if engine is None else {"engine": engine_record(*engine)}),
        "process": {
            "name": loaded.process.name,
            "file": str(loaded.file),
            "sha256": loaded.sha256,
        },
        "seed": result.seed,
        "macros": {**loaded.process.macros, **result.macros},
        "started": result.started,
        "seconds": result.seconds,
        "operators": _operators(loaded, result),
        "warnings": warnings.as_json(),
        "results": [asdict(file) for file in written],
    }


def engine_record(name: str, settings: EngineSettings) -> dict[str, Any]:
    """Return the engine as it was used: with the number of its workers where that is known here."""
    if name == SERIAL:
        return {"name": name, "jobs": 1, "scheduler": None}
    scheduler = None if name in ON_THIS_MACHINE else settings.scheduler
    # A cluster that is running already has its own number of workers.
    jobs = number_of_jobs(settings) if scheduler is None else settings.jobs
    return {"name": name, "jobs": jobs, "scheduler": scheduler}


def _operators(loaded: LoadedProcess, result: RunResult) -> list[dict[str, Any]]:
    started = datetime.fromisoformat(result.started)
    predefined = predefined_macros(loaded.process, started)
    macros = {**predefined, **loaded.process.macros, **result.macros}
    overridden = {(o.operator, o.parameter) for o in loaded.overrides}
    return [
        {
            "path": list(node.path),
            "operator": node.operator.key,
            "version": node.operator.version,
            "enabled": node.enabled,
            "parameters": _parameters(node, macros),
            "set_in_file": [n for n in canonical(node) if (node.name, n) not in overridden],
            "set_by_command": [n for n in canonical(node) if (node.name, n) in overridden],
            **asdict(result.timings.get(node.path, Timing())),
        }
        for node in loaded.process.walk()
    ]


def _parameters(node: Node, macros: Mapping[str, str]) -> dict[str, Any]:
    """Return all parameters as the operator got them, defaults too."""
    if not _runs(node):  # nobody has looked whether its values make sense
        return dict(canonical(node))
    given = {name: _expanded(value, macros) for name, value in canonical(node).items()}
    checked = check_parameters(node.operator.parameters, given, partial=True)
    return {**checked, **{name: value for name, value in given.items() if name not in checked}}


def _expanded(value: Any, macros: Mapping[str, str]) -> Any:
    """Return the value with its macros; as it stands in the file where only the run knew them."""
    try:
        return expand(value, macros)
    except ParameterError:
        return value


def _runs(node: Node) -> bool:
    """Return whether neither the operator nor one around it is switched off."""
    owner = node.process.owner
    return node.enabled and (owner is None or _runs(owner))
