"""Results and processes as a notebook shows them: small tables, pictures and figures."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from fsops.core.graph.process import Process
from fsops.data import FlowObject
from fsops.plots import figures_for, named_figure
from fsops.report.escaping import visible
from fsops.report.html.tables import ReportTable, shown_tables
from fsops.report.numbers import count_text
from fsops.report.picture import process_svg
from fsops.report.terminal import one_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class NotebookPresenter:
    """Shows results and processes; results find it in `fsops.data.flow`."""

    def html(self, value: object) -> str:
        """Return a result as tables, or a process as an image."""
        if isinstance(value, Process):
            return process_html(value)
        assert isinstance(value, FlowObject), type(value)
        return result_html(value)

    def svg(self, process: object) -> str:
        """Return the picture of a process."""
        assert isinstance(process, Process), type(process)
        return process_svg(process)

    def figure_names(self, result: object) -> list[str]:
        """Return the names of the figures that suit a result, the most informative first."""
        return [maker.name for maker in figures_for(result)]

    def figure(self, result: object, name: str | None) -> Figure:
        """Return a figure of a result; without a name the most informative one."""
        return named_figure(result, name)


def result_html(value: FlowObject) -> str:
    """Return a result as HTML: its kind, and the first rows of its tables."""
    tables = map(_table, shown_tables(value))
    return f"<div><p>{_text(one_line(value))}</p>{''.join(tables)}</div>"


def process_html(process: Process) -> str:
    """Return a process as an image, so that its style stays its own."""
    data = base64.b64encode(process_svg(process).encode()).decode("ascii")
    image = f'<img alt="{_text(process.name)}" src="data:image/svg+xml;base64,{data}">'
    return f'<div style="overflow-x:auto">{image}</div>'


def _table(table: ReportTable) -> str:
    head = "".join(
        f'<th title="{_text(column.about)}">{_text(column.title)}</th>'
        if column.about
        else f"<th>{_text(column.title)}</th>"
        for column in table.columns
    )
    rows = table.first_rows()
    rest = table.total - len(rows)
    more = f"<p>… {count_text(rest)} more</p>" if rest else ""
    caption = f"<caption>{_text(table.title)}</caption>"
    body = "".join(_rows(rows, [column.is_number for column in table.columns]))
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _rows(rows: list[list[str]], numbers: list[bool]) -> Iterator[str]:
    for row in rows:
        cells = (
            f'<td style="text-align:{"right" if number else "left"}">{_text(cell)}</td>'
            for cell, number in zip(row, numbers, strict=True)
        )
        yield f"<tr>{''.join(cells)}</tr>"


def _text(text: str) -> str:
    return escape(visible(text))
