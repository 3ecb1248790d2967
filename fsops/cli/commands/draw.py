"""``fsops draw``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from fsops.cli.options import Debug, ProcessFile


def draw(
    process: ProcessFile,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="SVG file to write; by default beside the process."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="The same as FILE.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
    debug: Debug = False,
) -> None:
    """Draw a process as a picture (SVG), inner processes below."""
    from fsops.errors import UsageError
    from fsops.report.picture import process_svg
    from fsops.storage import read_process
    from fsops.storage.files import write_bytes

    if file is not None and out is not None:
        raise UsageError("Two files to write are given.", hint="Give one, with or without -o.")
    target = file or out or process.with_suffix(".svg")
    if target.suffix.lower() != ".svg":
        raise UsageError(
            f'"{target}" does not end in .svg.',
            hint="fsops draws SVG; other programs, such as rsvg-convert, make PNG or PDF of it.",
        )
    if os.path.lexists(target) and not force:
        raise UsageError(
            f'"{target}" exists.', hint="Choose another name, or replace it with --force."
        )
    named = file is not None or out is not None
    write_bytes(target, process_svg(read_process(process)).encode(), follow=named)
    typer.echo(f"Written: {target}")
