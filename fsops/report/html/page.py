"""The page: what a report holds, and the one function that writes it as HTML."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from fsops.core.graph.process import Process
from fsops.data import FlowObject, PerformanceVector
from fsops.errors import PATH_SEPARATOR, UsageError
from fsops.report.escaping import visible
from fsops.report.findings import Finding
from fsops.report.html.methods import about_table, methods_of, short_value
from fsops.report.html.tables import ReportTable, told_tables
from fsops.report.numbers import count_text, seconds_text
from fsops.report.picture import level_name, level_svgs
from fsops.report.summary import TableSummary
from fsops.report.terminal import content_line

if TYPE_CHECKING:
    import jinja2

MOST_MISSING = 10  # attributes with missing values named one by one


@dataclass(frozen=True)
class Figure:
    """A drawing of a result: its title, what it shows in words, and the image."""

    title: str
    alt: str
    media_type: str
    data: bytes

    @property
    def url(self) -> str:
        """The image as an address that needs no other file."""
        return f"data:{self.media_type};base64,{base64.b64encode(self.data).decode('ascii')}"


@dataclass(frozen=True)
class Step:
    """An operator as it ran.

    ``changed`` has the parameters that the file sets, ``commanded`` those of the command line.
    """

    path: tuple[str, ...]
    operator: str
    enabled: bool
    parameters: Mapping[str, Any]
    changed: frozenset[str]
    commanded: frozenset[str]
    runs: int
    seconds: float

    @property
    def depth(self) -> int:
        """How many operators it is inside of."""
        return len(self.path) // 2

    @property
    def name(self) -> str:
        """What it is called."""
        return self.path[-1]

    @property
    def inside(self) -> str:
        """Where it stands, empty for the outermost level."""
        return PATH_SEPARATOR.join(self.path[:-1])


@dataclass(frozen=True)
class Report:
    """Everything a report tells; the page shows it in this order of importance."""

    process: Process
    file: str
    sha256: str
    command: str
    folder: str
    seed: int
    macros: Mapping[str, str]
    started: str
    seconds: float
    versions: Mapping[str, str]
    platform: str
    plugins: Mapping[str, str]
    results: Sequence[tuple[str, FlowObject]]
    figures: Mapping[str, Sequence[Figure]] = field(default_factory=dict)
    """By the name of the result."""
    runtime: Sequence[Figure] = ()
    steps: Sequence[Step] = ()
    tables: Sequence[TableSummary] = ()
    findings: Sequence[Finding] = ()
    cautions: Sequence[tuple[str, str, Sequence[str]]] = ()
    """What the validator says: where, what, and what would mend it."""
    warnings: Sequence[tuple[str, str, int]] = ()
    """What operators said at the run: where, what, how often."""


def require_jinja() -> None:
    """Say what to install where jinja2 is not there."""
    try:
        import jinja2  # noqa: F401
    except ImportError:
        raise UsageError(
            "Reports need the package jinja2, which is not installed.",
            hint='Install it with: pip install "fsops[report]"',
        ) from None


def page(report: Report) -> str:
    """Return a report as one HTML document; apart from the times it depends on the run only."""
    methods = methods_of(report.process, report.tables, report.versions, report.seed)
    results = [_section(number, *named, report) for number, named in enumerate(report.results, 1)]
    described = report.process.description
    return _template().render(
        report=report,
        description=visible(described.text, keep_lines=True) if described else "",
        warnings=_warnings(report),
        results=results,
        tables=[_facts(table) for table in report.tables],
        pictures=[_picture(level, svg) for level, svg in level_svgs(report.process)],
        methods=methods,
        style=_asset("style.css"),
        script=_asset("script.js"),
    )


@cache
def _template() -> jinja2.Template:
    require_jinja()
    import jinja2

    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "visible": visible,
        "count": count_text,
        "seconds": seconds_text,
        "value": short_value,
    }
    return environment.from_string(_asset("report.html.j2"))


def _asset(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


# --- parts ----------------------------------------------------------------------------------


def _warnings(report: Report) -> list[dict[str, Any]]:
    """Return everything to be careful about, each sentence once."""
    found = [(where, text, list(fixes), 1) for where, text, fixes in report.cautions]
    found += [(where, text, [], times) for where, text, times in report.warnings]
    found += [(finding.where, finding.message, [], 1) for finding in report.findings]
    once: dict[tuple[str, str], dict[str, Any]] = {}
    for where, text, fixes, times in found:
        item = {"where": where, "text": text, "fixes": fixes, "times": times}
        once.setdefault((where, text), item)
    return list(once.values())


@dataclass(frozen=True)
class _Result:
    """A result as the page shows it."""

    id: str
    name: str
    kind: str
    about: str
    headline: Sequence[tuple[str, str]]
    figures: Sequence[Figure]
    tables: Sequence[tuple[str, ReportTable]]


def _section(number: int, name: str, value: FlowObject, report: Report) -> _Result:
    tables = told_tables(value)
    return _Result(
        f"result-{number}",
        name,
        value.title,
        content_line(value),
        _headline(value),
        report.figures.get(name, ()),
        [(f"table-{number}-{part}", table) for part, table in enumerate(tables, start=1)],
    )


def _headline(value: FlowObject) -> list[tuple[str, str]]:
    """Return the figures that a reader looks for first."""
    if not isinstance(value, PerformanceVector):
        return []
    return [(criterion.name.replace("_", " "), str(criterion)) for criterion in value.criteria[:4]]


def _facts(table: TableSummary) -> dict[str, Any]:
    missing = table.missing or {}
    most = sorted(missing.items(), key=lambda pair: -pair[1])
    rest = len(most) - MOST_MISSING
    classes = [
        {"name": name, "rows": rows, "share": rows / max(sum(n for _, n in table.classes), 1)}
        for name, rows in table.classes
    ]
    return {
        "about": about_table(table),
        "summary": table,
        "types": ", ".join(f"{count_text(n)} {kind}" for kind, n in table.types.items()),
        "missing": sum(missing.values()),
        "most_missing": most[:MOST_MISSING],
        "more_missing": max(rest, 0),
        "classes": classes,
    }


def _picture(level: Process, svg: str) -> Figure:
    """Return the drawing of one level; each is as large as it needs, whatever the others need."""
    names = ", ".join(node.name for node in level)
    alt = f"{level_name(level)} as a graph of operators: {names or 'none'}."
    return Figure(level_name(level), alt, "image/svg+xml", svg.encode())
