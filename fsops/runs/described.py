"""Results that cannot be stored, as descriptions that are enough for files and report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fsops.data import FlowObject
from fsops.errors import StorageError
from fsops.plugins import plugins
from fsops.report.html.tables import ReportColumn, ReportTable, shown_tables, tables_of
from fsops.report.terminal import content_line
from fsops.storage.results import as_json, write_anything, write_description


class DescribedResult(FlowObject):
    """Stands for a result of a saved run that could not be stored."""

    def __init__(self, description: Mapping[str, Any]) -> None:
        self.description = description
        self.title = description["title"]  # type: ignore[misc]

    def __repr__(self) -> str:
        return f"<{self.description['content']}>"


def described(value: FlowObject) -> dict[str, Any]:
    """Return the description of a result: plain values only."""
    tables = [
        {
            "title": t.title,
            "columns": [(c.name, list(c.values)) for c in t.columns],
            "total": t.total,
        }
        for t in shown_tables(value)
    ]
    return {
        "title": value.title,
        "content": content_line(value),
        "tables": tables,
        "document": as_json(value) if _is_written_as_description(value) else None,
    }


def _is_written_as_description(value: FlowObject) -> bool:
    writer = plugins().writer(value)
    if writer is None or writer.write is write_anything:
        return not hasattr(value, "to_pandas")
    return writer.write is write_description


@as_json.register
def _(value: DescribedResult) -> dict[str, Any]:
    document: dict[str, Any] | None = value.description["document"]
    if document is None:
        raise StorageError(
            f"{value.title} of the saved run cannot be written, because it could not be stored.",
            hint="Run the process again.",
        )
    return document


@tables_of.register
def _(value: DescribedResult) -> list[ReportTable]:
    return [
        ReportTable(
            table["title"],
            tuple(ReportColumn(*column) for column in table["columns"]),
            table["total"],
        )
        for table in value.description["tables"]
    ]
