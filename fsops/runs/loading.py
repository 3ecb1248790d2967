"""Where a process and its data come from: files, data sets by name, imports from RapidMiner."""

from __future__ import annotations

import hashlib
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fsops.core.checks.problems import Kind, Problem, Severity
from fsops.core.graph.process import Process
from fsops.core.registry import Registry
from fsops.errors import UsageError

if TYPE_CHECKING:
    from fsops.datasets import Dataset
    from fsops.plugins import Sample


class OpenedProcess(NamedTuple):
    """A process that belongs to a run, and the file it comes from."""

    process: Process
    file: Path | None = None
    content: bytes | None = None
    """Of the file."""

    def sha256(self) -> str:
        """Return the digest of the file, or of the file that the process would give."""
        from fsops.storage import format_process

        content = format_process(self.process) if self.content is None else self.content
        return hashlib.sha256(content).hexdigest()

    def import_remarks(self, registry: Registry) -> list[Problem]:
        """Return where and how an import from RapidMiner may change the result."""
        if self.content is None:
            return []
        from fsops.storage.foreign import is_rapidminer
        from fsops.storage.safe_xml import parse_xml

        root = parse_xml(self.content)
        if not is_rapidminer(root):
            return []
        from fsops.storage.rapidminer.importer import translate  # most files are ours

        effects = translate(root, registry).effects
        paths = {node.name: node.path for node in self.process.walk()}
        return [
            Problem(Kind.UNKNOWN_PARAMETER, paths.get(name, (name,)), text, Severity.WARNING)
            for name, text in effects
        ]


def open_process(source: Process | str | PathLike[str], registry: Registry) -> OpenedProcess:
    """Return a copy of a process, or the process in a file."""
    if isinstance(source, Process):
        return OpenedProcess(source.clone())
    if not isinstance(source, str | PathLike):
        raise UsageError(f"process is {source!r}, but must be a Process or the path of its file.")
    from fsops.config import use_data_folder, use_file_limit
    from fsops.storage import read_process

    use_data_folder()
    use_file_limit()
    file = Path(source)
    return OpenedProcess(read_process(file, registry), file, file.read_bytes())


def dataset(name: str) -> Dataset | Sample:
    """Return a data set by its name: a sample of fsops or of a plugin, or a public set.

    Its ``load()`` returns the table. A public set is read from the folder in ``FSOPS_DATA`` or in
    the configuration file; its ``how_to_get()`` says how the file gets there.
    """
    from fsops.config import use_data_folder
    from fsops.datasets import find_data

    use_data_folder()
    return find_data(name)
