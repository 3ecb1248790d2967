"""``fsops validate``."""

from __future__ import annotations

import typer

from fsops.cli.options import AllowRead, Debug, Format, Macros, OutputFormat, ProcessFile, Settings


def validate(  # noqa: PLR0917 - typer reads the arguments by name
    process: ProcessFile,
    settings: Settings = [],  # noqa: B006 - typer makes a new one
    macros: Macros = [],  # noqa: B006
    allow_read: AllowRead = [],  # noqa: B006
    format: Format = OutputFormat.TEXT,
    debug: Debug = False,
) -> None:
    """Check a process file without running it."""
    from fsops.cli.output.console import print_json, results_console
    from fsops.cli.output.problems import count_in_words, problem_as_json, show_problems
    from fsops.core.checks.problems import Severity
    from fsops.runs.options import RunOptions
    from fsops.runs.run import Run

    problems = Run(
        process, RunOptions(set=settings, macros=macros, allow_read=allow_read)
    ).problems()
    valid = all(problem.severity is not Severity.ERROR for problem in problems)
    if format is OutputFormat.JSON:
        document = {
            "process": str(process),
            "valid": valid,
            "problems": [problem_as_json(problem) for problem in problems],
        }
        print_json(document)
    else:
        console = results_console()
        console.print(f"{process}: {count_in_words(problems)}", soft_wrap=True)
        if problems:
            show_problems(console, problems)
    raise typer.Exit(0 if valid else 2)
