"""The page docs/papers/index.md: the result of every experiment, from the stored CSV files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from fsops.errors import UsageError
from fsops.papers.catalogue import EXPERIMENTS, PAPERS, Experiment
from fsops.papers.judging import BAD, ComparisonVerdict, JudgedValue, Status, count
from fsops.papers.reports import ExperimentReport, file_stem, read_report

NAMED = 2
"""Values that a line names at most."""

HEAD = """# Experiments of the papers

Generated from the CSV files in [results](results) by `python tools/make_papers_index.py`; do not
edit. `fsops papers run NAME --out docs/papers/results` repeats an experiment.

An experiment is *reproduced* if at least 90 % of its compared values agree with the paper, and
*partly* reproduced from 50 %. A value agrees within the tolerance of its rule. A claim holds if the
difference exceeds two standard errors over splits or data sets; claims that remain undecided count
as not reproduced. The rules are in `fsops/papers/judging.py`.

*Imported* results were not made by `fsops papers run` but by scripts that it has replaced: one
split of some of the data sets. Their version is "older" if they were made before one rule for all
ties.

All values are in [tables.md](tables.md). Pages about single papers: [RapidMiner](schowe.md),
[KNIFE](knife.md), [filter and SVM](filter_svm.md), [mixed kernels](mixed_kernels.md),
[stability](stability.md).
"""


def stored_reports(folder: Path) -> dict[str, ExperimentReport]:
    """Return the stored reports by experiment; quick runs are refused."""
    reports = {}
    for experiment in EXPERIMENTS:
        file = folder / f"{file_stem(experiment.name)}.csv"
        if not file.exists():
            continue
        report = read_report(file)
        if report.mode == "quick":
            raise UsageError(f'"{file}" is from a quick run, which gives no result.')
        reports[experiment.name] = report
    return reports


def index_page(folder: Path) -> str:
    """Return the page for the reports in a folder."""
    reports = stored_reports(folder)
    states = {e.name: _status(e, reports) for e in EXPERIMENTS}
    parts = [HEAD, _summary(states, reports)]
    for paper, citation in PAPERS.items():
        parts += [f"\n## {citation}\n", "| experiment | source | result | agree | why | run |"]
        parts.append("|---|---|---|---|---|---|")
        parts += [_row(e, reports, states) for e in EXPERIMENTS if e.paper == paper]
    return "\n".join(parts) + "\n"


def _status(experiment: Experiment, reports: Mapping[str, ExperimentReport]) -> Status:
    if experiment.name in reports:
        return reports[experiment.name].status
    return Status.NO_DATA if experiment.missing else Status.NOT_RUN


def _summary(states: Mapping[str, Status], reports: Mapping[str, ExperimentReport]) -> str:
    """Return the fraction of experiments and of values that are reproduced."""
    number = Counter(states.values())
    lines = [line for report in reports.values() for line in report.lines]
    good, judged = count(line.verdict for line in lines)
    listed = ", ".join(f"{number[status]} {status}" for status in Status if number[status])
    percent = 100 * number[Status.REPRODUCED] / len(states)
    return (
        f"**{number[Status.REPRODUCED]} of {len(states)} experiments are reproduced "
        f"({percent:.0f} %)**: {listed}. Of {judged} compared values and claims {good} agree."
    )


def _row(
    experiment: Experiment,
    reports: Mapping[str, ExperimentReport],
    states: Mapping[str, Status],
) -> str:
    report = reports.get(experiment.name)
    agree, run = "", ""
    if report is not None:
        good, judged = count(line.verdict for line in report.lines)
        agree = f"{good} of {judged}"
        made = "imported: " if report.mode == "imported" else ""
        run = f"{made}{report.repetitions}, seed {report.seed}, {report.version}, {report.date}"
    cells = [
        f"`{experiment.name}`",
        experiment.source,
        states[experiment.name],
        agree,
        _reason(experiment, report),
        run,
    ]
    return f"| {' | '.join(cells)} |"


def _reason(experiment: Experiment, report: ExperimentReport | None) -> str:
    """Return in one line why an experiment has its result."""
    if report is None:
        return experiment.obstacle or "no complete run is stored"
    bad = [line for line in report.lines if line.verdict in BAD]
    if not bad:
        return "every compared value agrees"
    shown = "; ".join(_phrase(line) for line in sorted(bad, key=_excess, reverse=True)[:NAMED])
    more = f"; {len(bad) - NAMED} more" if len(bad) > NAMED else ""
    return f"{shown}{more}"


def _excess(line: JudgedValue) -> float:
    """Return how clearly a value misses print: the difference in units of the allowed one."""
    return abs(line.difference) / max(line.allowed, 1e-3)


def _phrase(line: JudgedValue) -> str:
    name = ", ".join(_words(line))
    if line.verdict is ComparisonVerdict.DIFFERS:
        return f"{name}: {line.ours:.3g}, print {line.paper:.3g}"
    return f"{name}: {line.difference:+.3g}, claim {line.verdict}"


def _words(line: JudgedValue) -> Iterator[str]:
    key = line.key
    yield from (part for part in (key.data, key.method) if part)
    if key.attributes:
        yield f"{key.attributes} attributes"
    yield key.measure
