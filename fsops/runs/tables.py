"""Tables that a process starts with, summarized for the report and for findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from fsops.core.declare.roles import Role
from fsops.core.frame.events import Path
from fsops.core.graph.process import Node, Process
from fsops.data import ExampleSet
from fsops.errors import StorageError

if TYPE_CHECKING:
    from fsops.engine.cache import ResultStore
    from fsops.engine.ports import PortKeeper
    from fsops.report.summary import TableSummary

LARGE = 2**20
"""Cells from which a table is summarized at once, so that the process can release it."""
PLAIN = ("subprocess",)
"""Operators whose inner process runs once, as if it were outside."""


@dataclass
class _Source:
    """A source, and the first table that came out of it."""

    name: str
    port: str = ""
    table: ExampleSet | None = None
    summary: TableSummary | None = None

    def summarized(self) -> TableSummary:
        """Return the summary, and release the table."""
        from fsops.report.summary import summarize

        if self.summary is None:
            assert self.table is not None
            self.summary, self.table = summarize(self.name, self.table), None
        return self.summary


class SourceTables:
    """Notes the tables of source operators as they come out of the ports.

    Small tables are held and summarized only when a report or a finding needs them: most runs
    have neither. A large table that is stored with the ports can be read from there.
    """

    def __init__(
        self, process: Process, inputs: Mapping[str, Any], ports: PortKeeper | None = None
    ) -> None:
        self._names = {node.path: node.name for node in source_operators(process)}
        self._ports = ports
        self._sources: dict[Path, _Source] = {
            (port,): _Source(port, table=value)
            for port, value in inputs.items()
            if isinstance(value, ExampleSet)
        }

    def __call__(self, path: Path, outputs: Mapping[str, Any]) -> None:
        """Note the first table of a source; called with the outputs of every operator."""
        if path not in self._names or path in self._sources:
            return
        for port, table in outputs.items():
            if isinstance(table, ExampleSet):
                self._sources[path] = self._noted(_Source(self._names[path], port, table), path)
                return

    def _noted(self, source: _Source, path: Path) -> _Source:
        assert source.table is not None
        if source.table.n_rows * len(source.table.schema) >= LARGE:
            if self._key(path, source.port) is None:
                source.summarized()
            source.table = None
        return source

    def _key(self, path: Path, port: str) -> str | None:
        return None if self._ports is None else self._ports.key(path, port)

    def summaries(self) -> list[TableSummary]:
        """Return the summaries, in the order in which the tables appeared."""
        for path, source in self._sources.items():
            if source.table is None and source.summary is None:
                source.table = self._stored(path, source.port)
        return [source.summarized() for source in self._sources.values()]

    def _stored(self, path: Path, port: str) -> ExampleSet:
        assert self._ports is not None
        return stored_table(self._ports.store, self._key(path, port))

    def saved(self) -> list[dict[str, Any]]:
        """Return plain values from which `saved_summaries` makes the summaries."""
        entries = []
        for path, source in self._sources.items():
            key = self._key(path, source.port)
            known = asdict(source.summarized()) if key is None else {"key": key}
            entries.append({**known, "name": source.name})
        return entries


def saved_summaries(entries: Iterable[Mapping[str, Any]], store: ResultStore) -> list[TableSummary]:
    """Return the summaries of saved tables."""
    from fsops.report.summary import TableSummary, summarize

    return [
        summarize(entry["name"], stored_table(store, entry["key"]))
        if "key" in entry
        else TableSummary(**entry)
        for entry in entries
    ]


def stored_table(store: ResultStore, key: str | None) -> ExampleSet:
    """Return a table that is stored with the values of ports."""
    found = None if key is None else store.get(key)
    if found is None or not isinstance(found.value, ExampleSet):
        raise StorageError(
            f'A table of the run is no longer in the folder "{store.folder}".',
            hint="Run the process again.",
        )
    return found.value


def source_operators(process: Process) -> Iterator[Node]:
    """Return the operators that read or generate tables once in a run."""
    for node in process:
        if not node.enabled:
            continue
        # Retrieve returns anything, which may be a table.
        kinds = [port.type for port in node.operator.outputs]
        delivers = any(issubclass(k, ExampleSet) or issubclass(ExampleSet, k) for k in kinds)
        is_source = node.operator.role is Role.SOURCE
        if delivers and is_source and not process.incoming(node.name):
            yield node
        if node.operator.key in PLAIN:
            for inner in node.subprocesses:
                yield from source_operators(inner)
