"""``fsops examples``: processes to start from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fsops.cli.options import Format, OutputFormat

if TYPE_CHECKING:
    from fsops.examples import Example


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
    from fsops.examples import find_examples

    found = find_examples(name)
    if copy is not None:
        _copy_examples(found, copy)
    elif name is not None:
        typer.echo(found[0].file.read_text(encoding="utf-8"), nl=False)
    else:
        _show_examples(found, as_json=format is OutputFormat.JSON)


def _copy_examples(examples: list[Example], folder: Path) -> None:
    """Copy examples to a folder; existing files are never replaced."""
    from fsops.cli.output.console import results_console
    from fsops.errors import UsageError, enumerate_names
    from fsops.storage.files import write_bytes

    targets = [folder / f"{example.name}.xml" for example in examples]
    taken = [str(target) for target in targets if os.path.lexists(target)]
    if taken:
        raise UsageError(f"{enumerate_names(taken)} exists.", hint="Choose another folder.")
    console = results_console()
    for example, target in zip(examples, targets, strict=True):
        target.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(target, example.file.read_bytes(), follow=False)
        console.print(str(target), soft_wrap=True)


def _show_examples(examples: list[Example], *, as_json: bool) -> None:
    """List examples with their purpose and the command to run them."""
    from rich.table import Table
    from rich.text import Text

    from fsops.cli.output.console import print_json, results_console

    if as_json:
        print_json([{"name": e.name, "file": str(e.file), "about": e.about()} for e in examples])
        return
    table = Table.grid(padding=(0, 2), pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for example in examples:
        table.add_row(Text(example.name, "cyan"), example.about())
    console = results_console()
    console.print(table)
    console.print(Text(f"\nRun one: fsops run {examples[0].file}", "dim"), soft_wrap=True)
    console.print(Text("Take a copy: fsops examples NAME --copy DIR", "dim"))
