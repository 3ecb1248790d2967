"""``fsops new`` and ``fsops examples``: processes to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fsops.cli.options import Format, OutputFormat


def new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.")],
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
) -> None:
    """Write a small process file to start from."""
    from fsops.cli.ready import starter_process
    from fsops.errors import UsageError
    from fsops.storage import write_process

    if file.exists() and not force:
        raise UsageError(
            f'"{file}" exists.', hint="Choose another name, or replace it with --force."
        )
    write_process(starter_process(file.stem), file)
    typer.echo(f"Written: {file}\nRun it: fsops run {file}")


def examples(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Show only this example, as XML.")
    ] = None,
    copy: Annotated[
        Path | None, typer.Option("--copy", metavar="DIR", help="Copy to this folder.")
    ] = None,
    format: Format = OutputFormat.TEXT,
) -> None:
    """List, show or copy the processes that come with fsops."""
    from fsops.cli.ready import copy_examples, find_examples, show_examples

    found = find_examples(name)
    if copy is not None:
        copy_examples(found, copy)
    elif name is not None:
        typer.echo(found[0].file.read_text(encoding="utf-8"), nl=False)
    else:
        show_examples(found, as_json=format is OutputFormat.JSON)
