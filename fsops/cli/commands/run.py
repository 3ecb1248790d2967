"""``fsops run``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fsops.cli.execution import (
    CacheFolder,
    EngineName,
    Execution,
    Jobs,
    Resume,
    Scheduler,
    Timeout,
)
from fsops.cli.memory import MemoryLimit, keep_memory
from fsops.cli.options import (
    Debug,
    FigureFormat,
    Format,
    Macros,
    OutputFormat,
    ProcessFile,
    Settings,
)


def run(  # noqa: PLR0917 - typer reads the arguments by name
    process: ProcessFile,
    settings: Settings = [],  # noqa: B006 - typer makes a new one
    macros: Macros = [],  # noqa: B006
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", min=0, help="Random seed in place of the file's."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Write the results and run.json, which tells how they were made, to this folder.",
        ),
    ] = None,
    figures: Annotated[
        FigureFormat | None,
        typer.Option(
            "--figures",
            help="Write the figures that suit the results to the folder of --out, too.",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FILE.html",
            help="Write a page that shows results, figures, data, methods and how to repeat it.",
        ),
    ] = None,
    allow_write: Annotated[
        list[Path],
        typer.Option(
            "--allow-write",
            metavar="DIR",
            help="Let the process write files into this folder, besides its own and that of --out.",
        ),
    ] = [],  # noqa: B006
    engine: EngineName = None,
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    timeout: Timeout = None,
    cache: CacheFolder = None,
    resume: Resume = False,
    memory_limit: MemoryLimit = None,
    until: Annotated[
        str | None,
        typer.Option(
            "--until",
            metavar="OPERATOR",
            help="Run what this operator needs, and end when it has ended; its outputs are the "
            "results. It may be inside of others.",
        ),
    ] = None,
    breakpoints: Annotated[
        bool,
        typer.Option(
            "--breakpoints",
            help="Stop at the breakpoints of the file and wait for a line on standard input: "
            "continue, step or stop.",
        ),
    ] = False,
    ports: Annotated[
        Path | None,
        typer.Option(
            "--ports",
            metavar="DIR",
            help="Keep what last came out of every port in this folder; the events tell where. "
            "Very large tables that are in it are not written by --out as well.",
        ),
    ] = None,
    events: Annotated[
        str | None,
        typer.Option(
            "--events",
            metavar="FILE",
            help="Write what happens to this file as it happens, one JSON object per line, for "
            "other programs; - for standard output, in place of the results.",
        ),
    ] = None,
    format: Format = OutputFormat.TEXT,
    all_rows: Annotated[
        bool, typer.Option("--all", help="Show all rows of every result, not only the first.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No progress and no warnings.")
    ] = False,
    debug: Debug = False,
) -> None:
    """Run a process file and show its results.

    Results go to standard output, progress and messages to standard error.
    """
    from fsops.cli.running import Request, carry_out

    if memory_limit is not None:
        keep_memory()
    as_json = format is OutputFormat.JSON
    execution = Execution(engine, jobs, scheduler, timeout, cache, resume)
    request = Request(
        process, settings, macros, seed, out, allow_write, execution, as_json, all_rows, quiet,
        memory_limit, events, None if figures is None else figures.value, report,
        until, breakpoints, ports,
    )  # fmt: skip
    carry_out(request)
