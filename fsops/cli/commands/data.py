"""``fsops data``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fsops.cli.options import Debug, Format, OutputFormat, new_app
from fsops.config import use_data_folder

app = new_app(help="List bundled and public data sets.")
Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the data set.")]


@app.command("list")
def list_data(format: Format = OutputFormat.TEXT, debug: Debug = False) -> None:
    """List the samples, the data you have added, and the public data sets that are known."""
    from fsops.cli.output.console import print_json
    from fsops.data_catalogue import listed_data

    use_data_folder()
    found = listed_data()
    if format is OutputFormat.JSON:
        print_json(found)
    else:
        _show(found)


@app.command()
def describe(name: Name, format: Format = OutputFormat.TEXT, debug: Debug = False) -> None:
    """Describe a data set: its contents, its source, and how to get it."""
    from fsops.cli.output.console import print_json, results_console
    from fsops.data_catalogue import described_data

    use_data_folder()
    about = described_data(name)
    if format is OutputFormat.JSON:
        print_json(about)
        return
    console = results_console()
    for key, value in about.items():
        console.print(f"{key.replace('_', ' ')}: {_words(value)}", soft_wrap=True)


@app.command()
def fetch(
    name: Name,
    source: Annotated[
        str,
        typer.Option(
            "--from", metavar="FOLDER|FILE|URL", help="Where its file is.", show_default=False
        ),
    ] = "",
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
    debug: Debug = False,
) -> None:
    """Copy a public data set into the folder of FSOPS_DATA; its checksum must be the known one."""
    from fsops.datasets import dataset, fetch as copy
    from fsops.errors import UsageError

    use_data_folder()
    known = dataset(name)
    if not source:
        raise UsageError(
            f"Where is {known.file}?",
            hint=f"Name its folder, the file or an address with --from. {known.published()}",
        )
    typer.echo(f"Written: {copy(known, source, replace=force)}")


@app.command()
def add(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The table to keep.")],
    name: Annotated[
        str,
        typer.Option(
            "--name", help="Name of the data; by default the name of the file.", show_default=False
        ),
    ] = "",
    label: Annotated[
        str | None,
        typer.Option(
            "--label", metavar="COLUMN", help="Name of the label column.", show_default=False
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace data you have added.")] = False,
    debug: Debug = False,
) -> None:
    """Keep a copy of a table under a name, by which Retrieve and fsops data find it."""
    from fsops.data_catalogue import add_table

    use_data_folder()
    called = name or file.name.partition(".")[0]
    typer.echo(f"Written: {add_table(file, called, label, replace=force)}")
    typer.echo(f'Read it with Retrieve, repository_entry "{called}".')


def _words(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {item}" for name, item in value.items())
    return {True: "yes", False: "no"}.get(value, str(value)) if value is not None else ""


def _show(found: list[dict[str, Any]]) -> None:
    from rich.text import Text

    from fsops.cli.output.console import results_console
    from fsops.datasets import VARIABLE, data_folder

    console, widest = results_console(), max(len(about["name"]) for about in found)
    headings = {
        "": "Comes with fsops",
        "added": "Added by you, with fsops data add",
        "file": "Public, from a folder of yours",
    }
    kinds = [next((key for key in headings if key in about), "") for about in found]
    for kind, heading in headings.items():
        listed = [about for about, of in zip(found, kinds, strict=True) if of == kind]
        if not listed:
            continue
        console.print(Text(heading, "bold"))
        for about in listed:
            size = f", {about['rows']} × {about['attributes']}" if kind == "file" else ""
            missing = "" if about["here"] else "  (not here)"
            name = (f"  {about['name']:{widest}}", "cyan")
            console.print_line(Text.assemble(name, f"  {about['title']}{size}", (missing, "dim")))
        console.print()
    folder = data_folder()
    where = f"The folder is {folder}." if folder else f"Name the folder in {VARIABLE}."
    more = "More about one: fsops data describe NAME"
    console.print(Text(f"{where} {more}", "dim"), soft_wrap=True)
