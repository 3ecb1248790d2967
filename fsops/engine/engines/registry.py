"""Engines by name; registered through the same hooks as those of any plugin."""

from __future__ import annotations

import os
from collections.abc import Sequence

from fsops.core.frame.engine import Engine, EngineSettings, EngineSpec
from fsops.errors import UsageError, did_you_mean, enumerate_names
from fsops.plugins import hookimpl, plugins

SERIAL = "serial"
DEFAULTS = EngineSettings()


def _open_threads(settings: EngineSettings) -> Engine:
    from fsops.engine.engines.threads import ThreadEngine

    return ThreadEngine(number_of_jobs(settings))


def _open_processes(settings: EngineSettings) -> Engine:
    from fsops.engine.engines.processes import ProcessEngine

    return ProcessEngine(number_of_jobs(settings))


def _open_dask(settings: EngineSettings) -> Engine:
    try:
        import distributed  # noqa: F401 - only to see whether it is there
    except ImportError:
        raise UsageError(
            "The engine dask is not installed.", hint='Install it: pip install "fsops[dask]".'
        ) from None
    from fsops.engine.engines.cluster import DaskEngine

    return DaskEngine(settings, number_of_jobs(settings))


@hookimpl
def fsops_engines() -> Sequence[EngineSpec]:
    """Return the engines that come with fsops."""
    return [
        EngineSpec("processes", "All cores of this machine, in processes.", _open_processes),
        EngineSpec(
            "threads", "All cores, for work that is mostly done inside numpy.", _open_threads
        ),
        EngineSpec("dask", "A cluster of machines, or one that is started here.", _open_dask),
    ]


def number_of_jobs(settings: EngineSettings) -> int:
    """Return how many workers there are to be."""
    if settings.jobs is not None and settings.jobs < 1:
        raise UsageError(f"jobs is {settings.jobs}, but must be at least 1.")
    if settings.jobs is not None:
        return settings.jobs
    if hasattr(os, "sched_getaffinity"):  # what this process may use, not what the machine has
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def engine_names() -> list[str]:
    """Return the names of all engines that can be chosen."""
    return [SERIAL, *(spec.name for spec in plugins().engines)]


def open_engine(name: str, settings: EngineSettings = DEFAULTS) -> Engine | None:
    """Return an engine by its name, to be closed by the caller; None for ``serial``."""
    if name == SERIAL:
        return None
    found = next((spec for spec in plugins().engines if spec.name == name), None)
    if found is None:
        known = engine_names()
        hint = did_you_mean(name, known) or f"There are {enumerate_names(known)}."
        raise UsageError(f'There is no engine "{name}".', hint=hint)
    return found.open(settings)
