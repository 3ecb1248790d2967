"""``fsops new`` and ``fsops examples``: processes to start from."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from fsops.cli.options import Format, OutputFormat


def new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.")],
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="TABLE",
            help="Write a study of this table (CSV, Parquet, Excel, ARFF): it compares selections "
            "and lists the attributes that are chosen again and again.",
        ),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option("--label", metavar="COLUMN", help="What is to be predicted, with --data."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
) -> None:
    """Write a process file to start from: a small one, or a study of your own table."""
    from fsops.cli.ready import starter_process
    from fsops.errors import UsageError
    from fsops.plugins import plugins
    from fsops.storage import write_process
    from fsops.storage.study import study_process

    if file.exists() and not force:
        raise UsageError(
            f'"{file}" exists.', hint="Choose another name, or replace it with --force."
        )
    if data is None and label is not None:
        raise UsageError("--label goes with --data.", hint="Give the table with --data TABLE.")
    process = (
        starter_process(file.stem)
        if data is None
        else study_process(file.stem, data, label, plugins().registry, file.parent)
    )
    write_process(process, file)
    note = next(iter(process)).note if data else None
    if note is not None:
        typer.echo(note.text)
    report = f" --report {shlex.quote(str(file.with_suffix('.html')))}" if data else ""
    typer.echo(f"Written: {file}\nRun it: fsops run {shlex.quote(str(file))}{report}")


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
