"""``--report``: gathers what a report tells about a run, and writes it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fsops.cli.loading import problems_of
from fsops.cli.output.progress import path_text
from fsops.core.checks.problems import Severity
from fsops.core.declare.parameters import Parameter
from fsops.core.declare.roles import Role
from fsops.core.graph.process import Node, Process
from fsops.data import ExampleSet
from fsops.errors import FsopsError, UsageError
from fsops.report.html import Figure, Report, Step, page, require_jinja
from fsops.report.summary import TableSummary, summarize
from fsops.report.terminal import one_line
from fsops.storage.files import write_bytes

if TYPE_CHECKING:
    from fsops.cli.running import Outcome
    from fsops.plots import FigureMaker

SUFFIXES = (".html", ".htm")
LARGEST_DRAWING = 250_000  # bytes of an SVG; larger ones become pixels
MEDIA_TYPES = {"svg": "image/svg+xml", "png": "image/png"}
PLAIN = ("subprocess",)
"""Operators whose inner process runs once, as if it stood outside."""


def check_report(file: Path, process: Path, out: Path | None) -> None:
    """Say before a long run that its report cannot be written."""
    require_jinja()
    if file.suffix.lower() not in SUFFIXES:
        raise UsageError(
            f'The report "{file}" does not end in .html.',
            hint=f"Name it {file.with_suffix('.html')}; a browser prints it as PDF.",
        )
    if file.is_dir():
        raise UsageError(f'The report "{file}" is a folder.', hint="Name a file in it.")
    if process.exists() and file.exists() and file.samefile(process):
        raise UsageError("The report would replace the process file.", hint="Name another file.")
    if not file.parent.is_dir() and file.parent != out:  # which the run will make
        raise UsageError(f'There is no folder "{file.parent}" for the report.')


Tables = dict[tuple[str, ...], TableSummary]


def watched(process: Process) -> tuple[Process, Tables]:
    """Return a copy of the process, and where its sources will note what they delivered.

    Only facts are noted, so that a large table is not held longer than the process needs it.
    """
    tables: Tables = {}
    copied = deepcopy(process)
    for node in _sources(copied):
        function = node.operator.function
        assert function is not None
        node.operator = replace(node.operator, function=_noting(node, function, tables))
    return copied, tables


def _noting(node: Node, function: Callable[..., Any], tables: Tables) -> Callable[..., Any]:
    @functools.wraps(function)
    def noting(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        for value in result if isinstance(result, tuple) else (result,):
            if isinstance(value, ExampleSet):
                tables.setdefault(node.path, summarize(node.name, value))
        return result

    return noting


def _sources(process: Process) -> Iterator[Node]:
    """Return the operators that make or read tables, once in a run."""
    for node in process:
        if not node.enabled or node.operator.function is None:
            continue
        # Retrieve delivers anything, which may be a table.
        kinds = [port.type for port in node.operator.outputs]
        delivers = any(issubclass(k, ExampleSet) or issubclass(ExampleSet, k) for k in kinds)
        is_source = node.operator.role is Role.SOURCE
        if delivers and is_source and not process.incoming(node.name):
            yield node
        if node.operator.key in PLAIN:
            for inner in node.subprocesses:
                yield from _sources(inner)


def write_report(file: Path, outcome: Outcome, record: Mapping[str, Any]) -> list[str]:
    """Write the report of a run, and return what could not be drawn in it."""
    loaded, result = outcome.loaded, outcome.result
    problems: list[str] = []
    named = list(zip(result.names, result.results, strict=True))
    cautions = [
        (path_text(problem.path), problem.message, [fix.label for fix in problem.fixes])
        for problem in problems_of(loaded)
        if problem.severity is Severity.WARNING
    ]
    told = [(path_text(path), text, times) for path, text, times in outcome.warnings.items()]
    report = Report(
        process=loaded.process,
        file=record["process"]["file"],
        sha256=loaded.sha256,
        command=record["command"],
        folder=record["folder"],
        seed=result.seed,
        macros=record["macros"],
        started=result.started,
        seconds=result.seconds,
        versions={"fsops": record["fsops"], "Python": record["python"], **record["libraries"]},
        platform=record["platform"],
        plugins=record["plugins"],
        results=named,
        figures={name: _figures(name, value, problems) for name, value in named},
        runtime=_figures("The run", dict(result.timings), problems),
        steps=[
            _step(*pair) for pair in zip(loaded.process.walk(), record["operators"], strict=True)
        ],
        tables=list(outcome.tables.values()),
        findings=outcome.findings,
        cautions=cautions,
        warnings=told,
    )
    write_bytes(file, page(report).encode("utf-8", "backslashreplace"))
    return problems


def _step(node: Node, entry: Mapping[str, Any]) -> Step:
    in_file, by_command = frozenset(entry["set_in_file"]), frozenset(entry["set_by_command"])
    given: dict[str, Any] = entry["parameters"]
    unused = {
        parameter.name
        for parameter in node.operator.parameters
        if parameter.name not in in_file | by_command
        and (_is_empty(given.get(parameter.name)) or not _applies(parameter, given))
    }
    return Step(
        node.path,
        node.operator.key,
        node.enabled,
        {name: value for name, value in given.items() if name not in unused},
        in_file,
        by_command,
        entry["runs"],
        entry["seconds"],
    )


def _is_empty(value: object) -> bool:
    return value is None or value in ("", [], {}, ())


def _applies(parameter: Parameter, given: Mapping[str, Any]) -> bool:
    return not parameter.when or parameter.when.holds(given)


# --- figures --------------------------------------------------------------------------------


def _figures(name: str, value: object, problems: list[str]) -> list[Figure]:
    """Return the figures of a result; one that cannot be drawn does not hold up the others."""
    from fsops.plots import figures_for, require_matplotlib

    try:
        require_matplotlib()
    except UsageError as error:
        if str(error) not in problems:
            problems.append(str(error))
        return []
    drawn = []
    for maker in figures_for(value):
        try:
            drawn.append(_figure(maker, value))
        except FsopsError as error:
            problems.append(f"{name}: no figure {maker.name}: {error}")
        except Exception as error:  # noqa: BLE001 - the report must be written
            problems.append(f"{name}: no figure {maker.name} ({type(error).__name__}: {error}).")
    return drawn


def _figure(maker: FigureMaker, value: object) -> Figure:
    from fsops.plots import figure_bytes

    format = "svg"
    data = figure_bytes(maker, value, format)
    if len(data) > LARGEST_DRAWING:
        format = "png"
        data = figure_bytes(maker, value, format)
    return Figure(maker.title, _in_words(maker, value), MEDIA_TYPES[format], data)


def _in_words(maker: FigureMaker, value: object) -> str:
    """Return what a figure shows, for who cannot see it."""
    sentence = " ".join((maker.draw.__doc__ or "").split("\n\n")[0].split())
    shown = sentence.removeprefix("Draw ").rstrip(".")
    about = "" if isinstance(value, dict) else f" {one_line(value)}."  # type: ignore[arg-type]
    return f"{maker.title}: {shown}.{about}"
