"""``fsops papers``."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fsops.cli.options import Debug, Format, Jobs, OutputFormat, Resume, new_app
from fsops.config import use_data_folder

if TYPE_CHECKING:
    from fsops.papers.reports import ExperimentReport

app = new_app(
    help="Repeat the experiments of published papers and compare the results with the "
    "printed values."
)
Name = Annotated[
    str, typer.Argument(metavar="NAME", help="Name of the experiment, such as schowe/table_2.")
]


@app.command("list")
def list_experiments(format: Format = OutputFormat.TEXT, debug: Debug = False) -> None:
    """List the experiments, by paper."""
    from fsops.cli.output.console import print_json, results_console
    from fsops.papers.catalogue import EXPERIMENTS, PAPERS

    use_data_folder()
    if format is OutputFormat.JSON:
        print_json([experiment.facts() for experiment in EXPERIMENTS])
        return
    console = results_console()
    widest = max(len(experiment.name) for experiment in EXPERIMENTS)
    for paper, citation in PAPERS.items():
        console.print(citation, soft_wrap=True)
        for experiment in (e for e in EXPERIMENTS if e.paper == paper):
            state = "" if not experiment.local_obstacle else "  (cannot be run here)"
            line = f"  {experiment.name:{widest}}  {experiment.source}: {experiment.title}{state}"
            console.print(line, soft_wrap=True, highlight=False)
        console.print()


@app.command()
def describe(name: Name, format: Format = OutputFormat.TEXT, debug: Debug = False) -> None:
    """Print the source, data, processes and printed values of an experiment."""
    from fsops.cli.output.console import print_json, results_console
    from fsops.papers.catalogue import find_experiment
    from fsops.papers.values import printed_values

    use_data_folder()
    experiment = find_experiment(name)
    facts = experiment.facts()
    facts["printed"] = [
        {"place": line.place, **line.key._asdict(), "value": line.value, "rule": line.rule}
        for line in printed_values(name)
    ]
    if format is OutputFormat.JSON:
        print_json(facts)
        return
    console = results_console()
    printed = facts.pop("printed")
    for key, value in facts.items():
        text = ", ".join(value) if isinstance(value, list) else value
        console.print(f"{key}: {text}", soft_wrap=True, highlight=False)
    console.print(f"printed values: {len(printed)}", soft_wrap=True, highlight=False)
    console.print(f"Run it: fsops papers run {name}", soft_wrap=True, highlight=False)


@app.command("run")
def run_paper(  # noqa: PLR0917 - typer reads the arguments by name
    name: Name,
    jobs: Jobs = None,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Run few splits: a check that it works, not a result."),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Write the table as CSV and the figures as SVG into this folder.",
            show_default=False,
        ),
    ] = None,
    splits: Annotated[
        int | None,
        typer.Option(
            "--splits",
            min=1,
            metavar="N",
            help="Repeat with N partitions into folds, with consecutive seeds.",
            show_default=False,
        ),
    ] = None,
    data_sets: Annotated[
        list[str] | None,
        typer.Option(
            "--data-set",
            metavar="NAME",
            help="Use only this data set of the experiment. Repeat the option for more.",
            show_default=False,
        ),
    ] = None,
    resume: Resume = False,
    format: Format = OutputFormat.TEXT,
    debug: Debug = False,
) -> None:
    """Run an experiment and print paper, ours, difference and verdict."""
    from fsops.cli.output.console import print_json
    from fsops.papers.catalogue import find_experiment
    from fsops.papers.reports import draw, run_experiment
    from fsops.papers.setting import Setting

    use_data_folder()
    experiment = find_experiment(name)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    setting = Setting(quick, jobs, resume, splits, tuple(data_sets or ()))
    report, measured = run_experiment(experiment, setting)
    if format is OutputFormat.JSON:
        print_json({"status": report.status, "values": list(report.rows())})
    else:
        _show(report)
    if out is not None:
        for file in (report.write(out), *draw(measured, experiment, out)):
            typer.echo(f"Written: {file}", err=format is OutputFormat.JSON)


def _show(report: ExperimentReport) -> None:
    from rich.table import Table

    from fsops.cli.output.console import results_console
    from fsops.papers.judging import CLAIM, count

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("value", "paper", "ours", "difference", "verdict"):
        table.add_column(title, justify="left" if title in ("value", "verdict") else "right")
    for line in report.lines:
        value = ", ".join(part for part in line.key if part)
        ours = _number(line.ours) + ("" if math.isnan(line.error) else f" ± {line.error:.2g}")
        paper = ("> " if line.verdict in CLAIM else "") + _number(line.paper)
        table.add_row(value, paper, ours, _number(line.difference), line.verdict)
    console = results_console()
    console.print(table)
    good, judged = count(line.verdict for line in report.lines)
    result = "quick run, no result" if report.mode == "quick" else report.status
    console.print(f"\n{report.experiment}: {result} ({good} of {judged} agree)", soft_wrap=True)


def _number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.4g}"
