"""A process file together with what the command line changes in it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from fsops.cli.overrides import Override, apply_settings, read_macros
from fsops.core import Problem, Process, Registry, validate
from fsops.engine.runner import predefined_macros
from fsops.errors import UsageError, did_you_mean
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
    _check_macros_used(process, given)
    sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
    return LoadedProcess(file, process, registry, given, overrides, sha256)


def _check_macros_used(process: Process, given: Mapping[str, str]) -> None:
    """Refuse a macro that nothing uses: it is most likely a slip of the pen."""
    texts = " ".join(str(node.parameters) for node in process.walk())
    used = {*re.findall(r"%\{([^{}]*)\}", texts), *process.macros}
    for name in given:
        if name not in used:
            hint = did_you_mean(name, used)
            raise UsageError(f"--macro: nothing in the process uses %{{{name}}}.", hint=hint)


def problems_of(loaded: LoadedProcess) -> list[Problem]:
    """Return the problems a run would meet before it starts."""
    predefined = predefined_macros(loaded.process, datetime.now(UTC))
    # What the process itself sets goes before what every process has.
    macros = {**predefined, **loaded.process.macros, **loaded.macros}
    return validate(loaded.process, loaded.registry, macros=macros)
