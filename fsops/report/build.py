"""The report of a run: takes the facts about it, draws its figures, returns the page."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fsops.core.declare.parameters import Parameter
from fsops.core.frame.events import Path as OperatorPath
from fsops.core.graph.process import Node, Process
from fsops.data import FlowObject
from fsops.errors import PATH_SEPARATOR, FsopsError, StorageError, UsageError
from fsops.report.html import Figure, Report, Step, page, require_jinja, summary
from fsops.report.html.figures import REPLACED, charts_of
from fsops.report.html.sheet import drawn_summary
from fsops.report.pdf import printed
from fsops.report.terminal import one_line

if TYPE_CHECKING:
    from fsops.plots import FigureMaker
    from fsops.plots.runtime import Timed
    from fsops.report.findings import Finding
    from fsops.report.summary import TableSummary

SUFFIXES = (".html", ".htm")
PDF = ".pdf"
LARGEST_DRAWING = 250_000  # bytes of an SVG; larger ones become pixels
MEDIA_TYPES = {"svg": "image/svg+xml", "png": "image/png"}


class Caution(NamedTuple):
    """A warning of the validator: where, what, and what would fix it."""

    path: OperatorPath
    message: str
    fixes: tuple[str, ...] = ()


@dataclass(frozen=True)
class RunFacts:
    """Everything that a report needs to know about a run."""

    process: Process
    record: Mapping[str, Any]
    """As in ``run.json``."""
    results: Sequence[tuple[str, FlowObject]]
    timings: Mapping[OperatorPath, Timed]
    tables: Sequence[TableSummary]
    findings: Sequence[Finding]
    cautions: Sequence[Caution]
    warnings: Sequence[tuple[OperatorPath, str, int]]
    """Of operators: where, what, how often."""


class BuiltPage(NamedTuple):
    """The page as HTML, and sentences about figures that could not be drawn."""

    text: str
    problems: list[str]


def check_target(file: Path, process: Path | None = None, out: Path | None = None) -> None:
    """Raise if a report cannot be written to a file.

    Parameters
    ----------
    file : Path
    process : Path, optional
        The process file, which must not be replaced.
    out : Path, optional
        A folder that will be created before the report is written.
    """
    require_jinja()
    if file.suffix.lower() not in (*SUFFIXES, PDF):
        raise UsageError(
            f'The report "{file}" ends neither in .html nor in .pdf.',
            hint=f"Name it {file.with_suffix('.html')}, or {file.with_suffix(PDF)} for one page.",
        )
    if file.is_dir():
        raise UsageError(f'The report "{file}" is a folder.', hint="Name a file in it.")
    if process is not None and process.exists() and file.exists() and file.samefile(process):
        raise UsageError("The report would replace the process file.", hint="Name another file.")
    if not file.parent.is_dir() and file.parent != out:
        raise UsageError(f'There is no folder "{file.parent}" for the report.')
    if file.parent.is_dir():
        _check_writable(file)


def _check_writable(file: Path) -> None:
    """Raise if a file cannot be written: better before a long run than after it."""
    reason = "it is write-protected" if file.exists() and not os.access(file, os.W_OK) else ""
    try:
        # The new file is written beside the old one. Permissions do not tell all, such as a disk
        # that is mounted read-only.
        with tempfile.TemporaryFile(dir=file.parent):
            pass
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
    if reason:
        raise StorageError(
            f'The report "{file}" cannot be written: {reason}.', hint="Choose another file."
        )


def build_page(facts: RunFacts) -> BuiltPage:
    """Return the report of a run."""
    problems = list[str]()
    return BuiltPage(page(_report(facts, problems)), problems)


def build_summary(facts: RunFacts) -> bytes:
    """Return the report of a run on one sheet of paper, as PDF.

    An installed Chromium prints it. Without one it is drawn by matplotlib.
    """
    report = _report(facts, None)
    return printed(summary(report)) or drawn_summary(report)


def _report(facts: RunFacts, problems: list[str] | None) -> Report:
    """Return the content of a report; figures of fsops.plots are drawn if problems can be noted."""
    record = facts.record
    steps = zip(facts.process.walk(), record["operators"], strict=True)
    return Report(
        process=facts.process,
        file=record["process"]["file"] or "",
        sha256=record["process"]["sha256"],
        command=record["command"],
        folder=record["folder"],
        seed=record["seed"],
        macros=record["macros"],
        started=record["started"],
        seconds=record["seconds"],
        versions={"fsops": record["fsops"], "Python": record["python"], **record["libraries"]},
        platform=record["platform"],
        plugins=record["plugins"],
        results=facts.results,
        figures={name: _figures(name, value, problems) for name, value in facts.results},
        runtime=_figures("The run", dict(facts.timings), problems),
        steps=[_step(*pair) for pair in steps],
        tables=facts.tables,
        findings=facts.findings,
        cautions=[(_text(c.path), c.message, c.fixes) for c in facts.cautions],
        warnings=[(_text(path), message, count) for path, message, count in facts.warnings],
    )


def _text(path: OperatorPath) -> str:
    return PATH_SEPARATOR.join(path)


# --- operators ------------------------------------------------------------------------------


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


def _figures(name: str, value: object, problems: list[str] | None) -> list[Figure]:
    """Return the figures of a result; one that cannot be drawn does not affect the others."""
    if problems is None:
        return []
    from fsops.plots import figures_for, require_matplotlib

    try:
        require_matplotlib()
    except UsageError as error:
        if str(error) not in problems:
            problems.append(str(error))
        return []
    drawn = []
    own = isinstance(value, FlowObject) and bool(charts_of(value))
    for maker in figures_for(value):
        if own and maker.name in REPLACED:
            continue
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
    return Figure(
        maker.title,
        _in_words(maker, value),
        MEDIA_TYPES[format],
        data,
        maker.about,
        maker.size(value)[0],
    )


def _in_words(maker: FigureMaker, value: object) -> str:
    """Return the content of a figure as text, for people who cannot see it."""
    about = one_line(value) if isinstance(value, FlowObject) else ""
    return f"{maker.title}: {about}" if about else maker.title
