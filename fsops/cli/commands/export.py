"""``fsops export``."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from fsops.cli.options import Debug, Macros, ProcessFile, Settings


class ExportTarget(StrEnum):
    """Formats of an exported process."""

    PYTHON = "python"
    SKLEARN = "sklearn"


def export(  # noqa: PLR0917 - typer reads the arguments by name
    process: ProcessFile,
    to: Annotated[
        ExportTarget,
        typer.Option(
            "--to",
            metavar="python|sklearn",
            help="Calls of the operators, or a Pipeline of scikit-learn.",
        ),
    ] = ExportTarget.PYTHON,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", help="Script to write; by default the script is printed."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
    settings: Settings = [],  # noqa: B006 - typer makes a new one
    macros: Macros = [],  # noqa: B006
    debug: Debug = False,
) -> None:
    """Write a process as a Python script with the same results."""
    from fsops.errors import UsageError
    from fsops.export.python_script import python_script
    from fsops.export.sklearn_script import sklearn_script
    from fsops.runs.options import RunOptions
    from fsops.runs.run import Run
    from fsops.storage.files import write_bytes

    if out is not None and out.exists() and not force:
        raise UsageError(
            f'"{out}" exists.', hint="Choose another name, or replace it with --force."
        )
    run = Run(process, RunOptions(set=settings, macros=macros))
    run.process.macros |= run.macros
    place = Path.cwd() if out is None else out.resolve().parent
    folder = Path(os.path.relpath(process.resolve().parent, place)).as_posix()
    write = python_script if to is ExportTarget.PYTHON else sklearn_script
    script = write(run.process, source=process.name, folder=folder)
    if out is None:
        typer.echo(script, nl=False)
    else:
        write_bytes(out, script.encode())
        typer.echo(f"Written: {out}")
