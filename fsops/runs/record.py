"""``run.json``: everything needed to know how results came about, and to make them again."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from fsops.core.checks.propagation import canonical
from fsops.core.declare.macros import expand
from fsops.core.declare.parameters import check_parameters
from fsops.core.frame.recording import RunWarning, Timing
from fsops.core.graph.process import Node
from fsops.engine.macros import process_macros
from fsops.errors import ParameterError
from fsops.version import __version__

if TYPE_CHECKING:
    from fsops.core.frame.engine import EngineSettings
    from fsops.runs.outcome import RunOutcome
    from fsops.runs.run import Run

LIBRARIES = (
    "numpy", "scipy", "scikit-learn", "pandas", "pyarrow", "networkx", "pydantic", "lxml",
)  # fmt: skip
ON_THIS_MACHINE = ("threads", "processes")
"""Engines that need no scheduler, also where one is configured."""


def run_record(run: Run, outcome: RunOutcome) -> dict[str, Any]:
    """Return the record of a run, without its files."""
    from fsops.plugins import plugins

    return {
        "fsops": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "libraries": {name: version(name) for name in LIBRARIES},
        "plugins": {info.name: f"{info.distribution} {info.version}" for info in plugins().loaded},
        "command": outcome.command,
        "folder": run.folder,
        "engine": engine_record(*run.options.engine_used()),
        "process": {
            "name": run.process.name,
            "file": None if run.file is None else str(run.file),
            "sha256": run.sha256,
        },
        "seed": outcome.seed,
        "macros": {**process_macros(run.process), **outcome.macros},
        "started": outcome.started,
        "seconds": outcome.seconds,
        "operators": _operators(run, outcome),
        "warnings": [warning_record(warning) for warning in outcome.warnings],
    }


def warning_record(warning: RunWarning) -> dict[str, Any]:
    """Return a warning for a JSON document."""
    return {"path": list(warning.path), "message": warning.message, "count": warning.count}


def engine_record(name: str, settings: EngineSettings | None) -> dict[str, Any]:
    """Return the engine that was used, with the number of its workers if that is known here.

    Parameters
    ----------
    name : str
    settings : EngineSettings or None
        None for an engine that the caller has opened.
    """
    from fsops.engine.engines.registry import SERIAL, number_of_jobs

    if settings is None:
        return {"name": name, "jobs": None, "scheduler": None}
    if name == SERIAL:
        return {"name": name, "jobs": 1, "scheduler": None}
    scheduler = None if name in ON_THIS_MACHINE else settings.scheduler
    # A cluster that is running already has its own number of workers.
    jobs = number_of_jobs(settings) if scheduler is None else settings.jobs
    return {"name": name, "jobs": jobs, "scheduler": scheduler}


def _operators(run: Run, outcome: RunOutcome) -> list[dict[str, Any]]:
    macros = run.known_macros(datetime.fromisoformat(outcome.started))
    overridden = {(o.operator, o.parameter) for o in run.overrides}
    return [
        {
            "path": list(node.path),
            "operator": node.operator.key,
            "version": node.operator.version,
            "enabled": node.enabled,
            "parameters": _parameters(node, macros),
            "set_in_file": [n for n in canonical(node) if (node.name, n) not in overridden],
            "set_by_command": [n for n in canonical(node) if (node.name, n) in overridden],
            **asdict(outcome.timings.get(node.path, Timing())),
        }
        for node in run.process.walk()
    ]


def _parameters(node: Node, macros: Mapping[str, str]) -> dict[str, Any]:
    """Return all parameters as the operator got them, defaults too."""
    if not _runs(node):  # its values were never checked
        return dict(canonical(node))
    given = {name: _expanded(value, macros) for name, value in canonical(node).items()}
    checked = check_parameters(node.operator.parameters, given, partial=True)
    return {**checked, **{name: value for name, value in given.items() if name not in checked}}


def _expanded(value: Any, macros: Mapping[str, str]) -> Any:
    """Return the value with its macros; as in the file where only the run knew them."""
    try:
        return expand(value, macros)
    except ParameterError:
        return value


def _runs(node: Node) -> bool:
    """Return whether neither the operator nor one around it is switched off."""
    owner = node.process.owner
    return node.enabled and (owner is None or _runs(owner))
