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
    Trust,
)


def plan(  # noqa: PLR0917 - typer reads the arguments by name
    process: ProcessFile,
    settings: Settings = [],  # noqa: B006 - typer makes a new one
    macros: Macros = [],  # noqa: B006
    allow_read: AllowRead = [],  # noqa: B006
    trust: Trust = False,
    probe: Annotated[
        bool,
        typer.Option(
            "--probe", help="Run one iteration of every loop, to estimate time and memory."
        ),
    ] = False,
    memory_limit: MemoryLimit = None,
    format: Format = OutputFormat.TEXT,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Do not show the progress of the probe.")
    ] = False,
    debug: Debug = False,
) -> None:
    """Estimate how often each operator runs, and its cost.

    With --probe nothing is written, but data is read and one iteration of every loop is run.
    """
    from fsops.cli.output.plan import planned, show_plan
    from fsops.runs.cost import plan_as_json
    from fsops.runs.options import RunOptions
    from fsops.runs.run import Run

    options = RunOptions(
        set=settings,
        macros=macros,
        allow_read=allow_read,
        trust=trust,
        memory_limit=memory_limit,
    )
    run = Run(process, options)
    found = planned(run, probe=probe, quiet=quiet)
    if format is OutputFormat.JSON:
        from fsops.cli.output.console import print_json

        print_json(plan_as_json(found))
    else:
        from fsops.cli.output.console import results_console

        show_plan(results_console(), found)
