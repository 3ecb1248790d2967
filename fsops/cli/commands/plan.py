"""``fsops plan``."""

from __future__ import annotations

from typing import Annotated

import typer

from fsops.cli.memory import MemoryLimit
from fsops.cli.options import (
    AllowRead,
    Debug,
    Format,
    Macros,
    OutputFormat,
    ProcessFile,
    Settings,
)


def plan(  # noqa: PLR0917 - typer reads the arguments by name
    process: ProcessFile,
    settings: Settings = [],  # noqa: B006 - typer makes a new one
    macros: Macros = [],  # noqa: B006
    allow_read: AllowRead = [],  # noqa: B006
    probe: Annotated[
        bool,
        typer.Option(
            "--probe", help="Run one turn of every loop, to tell the expected time and memory."
        ),
    ] = False,
    memory_limit: MemoryLimit = None,
    format: Format = OutputFormat.TEXT,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Show no progress of the probe.")
    ] = False,
    debug: Debug = False,
) -> None:
    """Tell before a run how often each operator will run, and what that will cost.

    With --probe nothing is written, but data is read and one turn of every loop is run.
    """
    from fsops.cli.output.plan import plan_as_json, planned, show_plan
    from fsops.runs.options import RunOptions
    from fsops.runs.run import Run

    options = RunOptions(
        set=settings, macros=macros, allow_read=allow_read, memory_limit=memory_limit
    )
    run = Run(process, options)
    found = planned(run, probe=probe, quiet=quiet)
    if format is OutputFormat.JSON:
        from fsops.cli.output.console import print_json

        print_json(plan_as_json(found))
    else:
        from fsops.cli.output.console import results_console

        show_plan(results_console(), found)
