"""The page docs/papers/tables.md: print and ours side by side, from the stored CSV files."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from fsops.papers.catalogue import EXPERIMENTS, PAPERS, Experiment
from fsops.papers.index import stored_reports
from fsops.papers.judging import CLAIM, ComparisonVerdict, JudgedValue, count
from fsops.papers.reports import ExperimentReport
from fsops.papers.values import Key

APPENDIX = "Appendix A"
"""Errors at each number of attributes: too many for a page, so they are counted."""
MOST_METHODS = 11
HEAD = """# Tables of the papers

Generated from the CSV files in [results](results) by `python tools/make_papers_index.py`; do not
edit. [index.md](index.md) has the result of each experiment in a line.

A cell is **ours (print)**, ours with its standard error if there are several repetitions. **Bold**
differs from the paper by more than its rule allows; a star marks a printed value that cannot be
compared, for the reason in the CSV file. A claim holds if the difference exceeds two standard
errors (ranks of Friedman's test: the critical difference).
"""


def tables_page(folder: Path) -> str:
    """Return the page for the reports in a folder."""
    reports = stored_reports(folder)
    parts = [HEAD]
    for paper, citation in PAPERS.items():
        stored = [e for e in EXPERIMENTS if e.paper == paper and e.name in reports]
        if stored:
            parts.append(f"## {citation}\n")
        parts += [_section(experiment, reports[experiment.name]) for experiment in stored]
    return "\n".join(parts)


def _section(experiment: Experiment, report: ExperimentReport) -> str:
    good, judged = count(line.verdict for line in report.lines)
    made = "imported: " if report.mode == "imported" else ""
    lines = [
        f"### {experiment.source}: {experiment.title}\n",
        f"`{experiment.name}`: **{report.status}**, {good} of {judged} agree; {made}"
        f"{report.repetitions}, seed {report.seed}, {report.version}, {report.date}.\n",
    ]
    printed = [line for line in report.lines if line.verdict is not ComparisonVerdict.NOT_PRINTED]
    values = [e for e in printed if e.verdict not in CLAIM and e.place != APPENDIX]
    for table in (_values_table(values), _claims_table(printed), _appendix(printed)):
        if table:
            lines += [*table, ""]
    return "\n".join(lines)


def _values_table(lines: Sequence[JudgedValue]) -> list[str]:
    """Return a table with a column for each method, or for each measure if methods are many."""
    methods = list(dict.fromkeys(line.key.method for line in lines))
    if len(methods) <= MOST_METHODS:
        rows = _pivot(lines, lambda k: (k.data, k.attributes, k.measure), lambda k: k.method)
        return _markdown(("data", "attributes", "measure"), methods, rows)
    measures = list(dict.fromkeys(line.key.measure for line in lines))
    rows = _pivot(lines, lambda k: (k.method, k.data, k.attributes), lambda k: k.measure)
    return _markdown(("method", "data", "attributes"), measures, rows)


def _pivot(
    lines: Iterable[JudgedValue],
    row: Callable[[Key], tuple[str, ...]],
    column: Callable[[Key], str],
) -> dict[tuple[str, ...], dict[str, str]]:
    """Return the cells by row and column."""
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    for line in lines:
        cells.setdefault(row(line.key), {})[column(line.key)] = _cell(line)
    return cells


def _markdown(
    titles: Sequence[str], columns: Sequence[str], rows: Mapping[tuple[str, ...], Mapping[str, str]]
) -> list[str]:
    """Return the lines of a table; titles whose cells are all empty are left out."""
    if not rows:
        return []
    used = [i for i in range(len(titles)) if any(key[i] for key in rows)]
    head = [titles[i] for i in used] + list(columns)
    return [
        f"| {' | '.join(head)} |",
        f"|{'---|' * len(head)}",
        *(
            f"| {' | '.join([key[i] for i in used] + [cells.get(c, '') for c in columns])} |"
            for key, cells in rows.items()
        ),
    ]


def _cell(line: JudgedValue) -> str:
    ours = _number(line.ours)
    if not math.isnan(line.error):
        ours += f" ± {line.error:.2g}"
    ours = f"**{ours}**" if line.verdict is ComparisonVerdict.DIFFERS else ours
    star = "\\*" if line.verdict is ComparisonVerdict.NOT_COMPARED else ""
    return f"{ours} ({_number(line.paper)}){star}"


def _claims_table(lines: Iterable[JudgedValue]) -> list[str]:
    claims = [line for line in lines if line.verdict in CLAIM]
    if not claims:
        return []
    return ["| claim | ours | verdict |", "|---|---|---|", *map(_claim, claims)]


def _claim(line: JudgedValue) -> str:
    error = "" if math.isnan(line.error) else f" ± {line.error:.2g}"
    title = ", ".join(_words(line))
    return f"| {title} > {line.paper:g} | {_number(line.ours)}{error} | {line.verdict} |"


def _words(line: JudgedValue) -> Iterator[str]:
    key = line.key
    sizes = f"{key.attributes} attributes" if key.attributes else ""
    yield from (part for part in (key.data, key.method, sizes, key.measure) if part)


def _appendix(lines: Iterable[JudgedValue]) -> list[str]:
    verdicts = [line.verdict for line in lines if line.place == APPENDIX]
    good, judged = count(verdicts)
    return [f"Appendix A: {good} of {judged} errors agree."] if judged else []


def _number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.3g}"
