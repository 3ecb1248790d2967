"""A process file together with what the command line changes in it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from fsops.cli.overrides import Override, apply_settings, read_macros
from fsops.core import Problem, Process, Registry, validate
from fsops.engine.runner import predefined_macros
from fsops.plugins import plugins
from fsops.storage import read_process


@dataclass(frozen=True)
class LoadedProcess:
    """What is to be checked or run."""

    file: Path
    process: Process
    registry: Registry
    macros: dict[str, str]
    overrides: list[Override]
    sha256: str
    """Of the file."""


def load_process(file: Path, settings: Sequence[str], macros: Sequence[str]) -> LoadedProcess:
    """Read a process file and apply ``--set`` and ``--macro``."""
    given = read_macros(macros)
    registry = plugins().registry
    process = read_process(file, registry)
    overrides = apply_settings(process, settings)
    sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
    return LoadedProcess(file, process, registry, given, overrides, sha256)


def problems_of(loaded: LoadedProcess) -> list[Problem]:
    """Return the problems a run would meet before it starts."""
    predefined = predefined_macros(loaded.process, datetime.now(UTC))
    # What the process itself sets goes before what every process has.
    macros = {**predefined, **loaded.process.macros, **loaded.macros}
    return validate(loaded.process, loaded.registry, macros=macros)
