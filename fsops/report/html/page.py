"""The page: the content of a report, and the one function that writes it as HTML."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from fsops.core.graph.process import Process
from fsops.data import (
    AttributeDescriptions,
    AttributeWeights,
    ExampleSet,
    FlowObject,
    PerformanceVector,
    SizeCurves,
    StudyAnswer,
)
from fsops.errors import PATH_SEPARATOR, UsageError, enumerate_names
from fsops.report.escaping import visible
from fsops.report.findings import Finding
from fsops.report.html.answer import answer_view
from fsops.report.html.attributes import attribute_list
from fsops.report.html.bibliography import bibtex
from fsops.report.html.figures import Chart, charts_of
from fsops.report.html.limits import limits_of
from fsops.report.html.methods import about_table, methods_of, short_value
from fsops.report.html.tables import ReportTable, numbers_table, shown_tables
from fsops.report.html.tokens import token_css
from fsops.report.numbers import count_text, counted, seconds_text
from fsops.report.picture import level_name, level_svgs
from fsops.report.summary import TableSummary
from fsops.report.terminal import content_line, one_line, size_text

if TYPE_CHECKING:
    import jinja2

SCRIPTS = ("download.js", "figures.js", "tables.js")
SUMMARY_ROWS, SUMMARY_LINES, SUMMARY_WARNINGS, SUMMARY_LIMITS = 10, 8, 3, 3
"""How much of each part fits on one sheet."""
MOST_NAMED = 10  # attributes of a selection that are named
MOST_MISSING = 10  # attributes with missing values named one by one


@dataclass(frozen=True)
class Figure:
    """A drawing of a result: its title, its content in words, the image, and an explanation.

    The page shows an inch of every image at one size, so that all have letters of that size.
    """

    title: str
    alt: str
    media_type: str
    data: bytes
    about: str = ""
    inches: float = 3.4

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
        """Its name."""
        return self.path[-1]

    @property
    def inside(self) -> str:
        """Its path, empty for the outermost level."""
        return PATH_SEPARATOR.join(self.path[:-1])


@dataclass(frozen=True)
class Report:
    """The content of a report; the page shows it in this order of importance."""

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
    """Problems of the validator: place, message, and fixes."""
    warnings: Sequence[tuple[str, str, int]] = ()
    """Warnings of operators: place, message, how often."""


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
    values = [value for _, value in report.results]
    answer, described = _first(values, StudyAnswer), _first(values, AttributeDescriptions)
    curves = _first(values, SizeCurves)
    rows = report.tables[0].rows if report.tables else None
    placed = _Placed()
    leading = [
        placed.chart(chart)
        for value in (curves, described)
        if value is not None and (answer is not None or described is not None)
        for chart in charts_of(value, answer)
    ]
    shown = {id(value) for value in (curves, described)} if leading else set()
    results = [
        _section(number, name, value, report, placed, charts=id(value) not in shown)
        for number, (name, value) in enumerate(report.results, 1)
        if value is not described
    ]
    described_by = report.process.description
    return _template("report.html.j2").render(
        report=report,
        description=visible(described_by.text, keep_lines=True) if described_by else "",
        answer=None if answer is None else answer_view(answer, curves),
        leading=leading,
        listed=None if described is None else attribute_list(described, answer, rows),
        numbers=None if described is None else numbers_table(described),
        warnings=_warnings(report),
        results=results,
        limits=limits_of(report.process, values, rows) if values else [],
        tables=[_facts(table) for table in report.tables],
        pictures=[_picture(level, svg) for level, svg in level_svgs(report.process)],
        runtime=[placed.image(item, "The run") for item in report.runtime],
        methods=methods,
        bibtex=bibtex(methods.references, report.versions.get("fsops", "")),
        index=placed.index,
        style=token_css() + _asset("style.css"),
        script="".join(map(_asset, SCRIPTS)),
    )


def summary(report: Report) -> str:
    """Return the summary of a report as an HTML document that fits on one sheet of A4 paper."""
    values = [value for _, value in report.results]
    answer, described = _first(values, StudyAnswer), _first(values, AttributeDescriptions)
    curves = _first(values, SizeCurves)
    rows = report.tables[0].rows if report.tables else None
    charts = [chart for value in values for chart in charts_of(value, answer)]
    listed = None
    if described is not None:
        listed = attribute_list(described, answer, rows, most=SUMMARY_ROWS)
    return _template("summary.html.j2").render(
        report=report,
        answer=None if answer is None else answer_view(answer, curves),
        charts=[_PlacedFigure(f"figure-{n}", chart) for n, chart in enumerate(charts[:2], 1)],
        listed=listed,
        tables=[_facts(table) for table in report.tables],
        lines=[(name, one_line(value)) for name, value in report.results][:SUMMARY_LINES],
        warnings=_warnings(report)[:SUMMARY_WARNINGS],
        limits=limits_of(report.process, values, rows)[:SUMMARY_LIMITS],
        style=token_css() + _asset("style.css") + _asset("summary.css"),
    )


Kind = TypeVar("Kind", bound=FlowObject)


def _first(values: Sequence[FlowObject], kind: type[Kind]) -> Kind | None:
    return next((value for value in values if isinstance(value, kind)), None)


@cache
def _template(name: str) -> jinja2.Template:
    require_jinja()
    import jinja2

    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        loader=jinja2.FunctionLoader(_asset),
    )
    environment.filters |= {
        "visible": visible,
        "count": count_text,
        "seconds": seconds_text,
        "value": short_value,
    }
    return environment.get_template(name)


def _asset(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


# --- parts ----------------------------------------------------------------------------------


def _said_above(report: Report) -> set[str]:
    """Return the parts that the answer at the top already contains."""
    answer = _first([value for _, value in report.results], StudyAnswer)
    return set() if answer is None else {answer.verdict.text, *answer.verdict.doubts}


def _warnings(report: Report) -> list[dict[str, Any]]:
    """Return everything to be careful about, each sentence once."""
    found = [(where, text, list(fixes), 1) for where, text, fixes in report.cautions]
    found += [(where, text, [], times) for where, text, times in report.warnings]
    above = _said_above(report)
    found += [(f.where, f.message, [], 1) for f in report.findings if f.message not in above]
    once: dict[tuple[str, str], dict[str, Any]] = {}
    for where, text, fixes, times in found:
        item = {"where": where, "text": text, "fixes": fixes, "times": times}
        once.setdefault((where, text), item)
    return list(once.values())


@dataclass(frozen=True)
class _PlacedFigure:
    """A figure with its place on the page: drawn as part of it, or an image."""

    id: str
    chart: Chart | None = None
    image: Figure | None = None


class _Placed:
    """Numbers the figures in the order of the page, and keeps the index of them."""

    def __init__(self) -> None:
        self.index: list[tuple[str, str, str]] = []

    def chart(self, chart: Chart, where: str = "") -> _PlacedFigure:
        return _PlacedFigure(self._next(chart.title, where), chart=chart)

    def image(self, image: Figure, where: str) -> _PlacedFigure:
        return _PlacedFigure(self._next(image.title, where), image=image)

    def _next(self, title: str, where: str) -> str:
        number = f"figure-{len(self.index) + 1}"
        self.index.append((number, title, where))
        return number


@dataclass(frozen=True)
class _Result:
    """A result as the page shows it."""

    id: str
    name: str
    kind: str
    about: str
    headline: Sequence[tuple[str, str]]
    figures: Sequence[_PlacedFigure]
    tables: Sequence[tuple[str, ReportTable]]


def _section(  # noqa: PLR0917 - the parts of one result
    number: int, name: str, value: FlowObject, report: Report, placed: _Placed, *, charts: bool
) -> _Result:
    tables = shown_tables(value)
    figures = [placed.chart(chart, name) for chart in charts_of(value)] if charts else []
    figures += [placed.image(image, name) for image in report.figures.get(name, ())]
    return _Result(
        f"result-{number}",
        name,
        value.title,
        _about(value),
        _headline(value),
        figures,
        [(f"table-{number}-{part}", table) for part, table in enumerate(tables, start=1)],
    )


def _about(value: FlowObject) -> str:
    """Return the sentence below the heading of a result."""
    if isinstance(value, ExampleSet):
        return size_text(value)
    if isinstance(value, AttributeWeights):
        chosen = np.flatnonzero(value.values)
        if chosen.size and (value.values[chosen] == 1).all():
            names = enumerate_names(list(value.names.take(chosen).texts()), MOST_NAMED)
            names = names.replace('"', "")
            return f"{count_text(chosen.size)} of {counted(len(value), 'attribute')}: {names}"
    return content_line(value)


def _headline(value: FlowObject) -> list[tuple[str, str]]:
    """Return the numbers that a reader looks for first."""
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
