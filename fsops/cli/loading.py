"""A process file together with what the command line changes in it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from fsops.cli.overrides import Override, apply_settings, read_macros
from fsops.config import use_data_folder
from fsops.core import Problem, Process, Registry, validate
from fsops.core.checks.problems import Kind, Severity
from fsops.engine.runner import predefined_macros
from fsops.errors import UsageError, did_you_mean
from fsops.plugins import plugins
from fsops.storage import read_process
from fsops.storage.foreign import is_rapidminer
from fsops.storage.safe_xml import parse_xml


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

    @cached_property
    def remarks(self) -> list[tuple[tuple[str, ...], str]]:
        """Where and how an import from RapidMiner may change the result."""
        root = parse_xml(self.file.read_bytes())
        if not is_rapidminer(root):
            return []
        from fsops.storage.rapidminer.importer import translate  # most files are ours

        report = translate(root, self.registry)
        paths = {node.name: node.path for node in self.process.walk()}
        return [(paths.get(name, (name,)), text) for name, text in report.effects]


def load_process(file: Path, settings: Sequence[str], macros: Sequence[str]) -> LoadedProcess:
    """Read a process file and apply ``--set`` and ``--macro``."""
    use_data_folder()
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
    imported = [
        Problem(Kind.UNKNOWN_PARAMETER, path, text, Severity.WARNING)
        for path, text in loaded.remarks
    ]
    return validate(loaded.process, loaded.registry, macros=macros) + imported
