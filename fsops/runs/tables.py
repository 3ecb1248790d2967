"""Tables that a process starts with, summarised for the report and for findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from fsops.core.frame.events import Path
from fsops.core.graph.process import Node, Process
from fsops.data import ExampleSet

if TYPE_CHECKING:
    from fsops.report.summary import TableSummary

LARGE = 2**20
"""Cells from which a table is summarised at once, so that the process can release it."""
PLAIN = ("subprocess",)
"""Operators whose inner process runs once, as if it stood outside."""


class SourceTables:
    """Notes the tables of source operators as they come out of the ports.

    Small tables are held and summarised only when a report or a finding needs them: most runs
    have neither.
    """

    def __init__(self, process: Process, inputs: Mapping[str, Any]) -> None:
        self._names = {node.path: node.name for node in source_operators(process)}
        self._tables: dict[Path, ExampleSet | TableSummary] = {
            (port,): value for port, value in inputs.items() if isinstance(value, ExampleSet)
        }
        self._names |= {path: path[-1] for path in self._tables}

    def __call__(self, path: Path, outputs: Mapping[str, Any]) -> None:
        """Note the first table of a source; called with the outputs of every operator."""
        if path not in self._names or path in self._tables:
            return
        table = next((value for value in outputs.values() if isinstance(value, ExampleSet)), None)
        if table is not None:
            is_large = table.n_rows * len(table.schema) >= LARGE
            self._tables[path] = self._summary(path, table) if is_large else table

    def summaries(self) -> list[TableSummary]:
        """Return the summaries, in the order in which the tables appeared."""
        known = {path: self._summary(path, found) for path, found in self._tables.items()}
        self._tables = {**known}  # which releases the tables
        return [*known.values()]

    def _summary(self, path: Path, found: ExampleSet | TableSummary) -> TableSummary:
        from fsops.report.summary import summarize

        return summarize(self._names[path], found) if isinstance(found, ExampleSet) else found


def source_operators(process: Process) -> Iterator[Node]:
    """Return the operators that read or generate tables once in a run."""
    for node in process:
        if not node.enabled:
            continue
        # Retrieve returns anything, which may be a table.
        kinds = [port.type for port in node.operator.outputs]
        delivers = any(issubclass(k, ExampleSet) or issubclass(ExampleSet, k) for k in kinds)
        recalls = node.operator.group.partition("/")[0] == "Control"
        if delivers and not recalls and not process.incoming(node.name):
            yield node
        if node.operator.key in PLAIN:
            for inner in node.subprocesses:
                yield from source_operators(inner)
