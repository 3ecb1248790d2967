"""``fsops data``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fsops.cli.options import Debug, Format, OutputFormat, new_app
from fsops.config import use_data_folder

if TYPE_CHECKING:
    from fsops.data import ExampleSet
    from fsops.datasets import Dataset

app = new_app(help="Data with a name: what comes with fsops, and well-known public sets.")
Name = Annotated[str, typer.Argument(metavar="NAME", help="What the data is called.")]


@app.command("list")
def list_data(format: Format = OutputFormat.TEXT, debug: Debug = False) -> None:
    """List the samples, the data you have added, and the public data sets that are known."""
    from fsops.cli.output.console import print_json

    use_data_folder()
    found = [*_samples(), *_added(), *_public()]
    if format is OutputFormat.JSON:
        print_json(found)
    else:
        _show(found)


@app.command()
def describe(name: Name, format: Format = OutputFormat.TEXT, debug: Debug = False) -> None:
    """Tell what is in a data set, where it comes from, and how to get it if it is not here."""
    from fsops.cli.output.console import print_json, results_console
    from fsops.datasets import Dataset, find_data

    use_data_folder()
    known = find_data(name)
    if isinstance(known, Dataset):
        about = _about(known)
        about |= _content(known.load()) if about["here"] else {"how_to_get": known.how_to_get()}
    else:
        about = {"name": known.name, "title": known.title, **_content(known.load())}
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
        typer.Option("--name", help="Its name; by default that of the file.", show_default=False),
    ] = "",
    label: Annotated[
        str | None,
        typer.Option(
            "--label", metavar="COLUMN", help="What is to be predicted.", show_default=False
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace data you have added.")] = False,
    debug: Debug = False,
) -> None:
    """Keep a copy of a table under a name, by which Retrieve and fsops data find it."""
    from fsops.plugins import plugins
    from fsops.storage.added_data import add_data, check_new_name
    from fsops.studies.own_table import whole_table

    use_data_folder()
    called = name or file.name.partition(".")[0]
    check_new_name(called, replace=force)
    table = whole_table(file, label, plugins().registry)
    typer.echo(f"Written: {add_data(called, table)}")
    typer.echo(f'Read it with Retrieve, repository_entry "{called}".')


def _samples() -> list[dict[str, Any]]:
    from fsops.datasets import find_dataset
    from fsops.plugins import plugins

    samples = [s for s in plugins().samples.values() if find_dataset(s.name) is None]
    return [{"name": s.name, "title": s.title, "here": True} for s in samples]


def _added() -> list[dict[str, Any]]:
    from fsops.storage.added_data import added_data

    return [{"name": s.name, "title": s.title, "here": True, "added": True} for s in added_data()]


def _public() -> list[dict[str, Any]]:
    from fsops.datasets import DATASETS

    return [_about(known) for known in DATASETS]


def _about(known: Dataset) -> dict[str, Any]:
    path = known.path()
    return {
        "name": known.name,
        "title": known.title,
        "rows": known.rows,
        "attributes": known.attributes,
        "origin": known.origin,
        "source": known.source,
        "file": known.file,
        "sha256": known.sha256,
        "here": path is not None and path.is_file(),
    }


def _content(table: ExampleSet) -> dict[str, Any]:
    """Return what a table is like."""
    label = table.schema.label
    about: dict[str, Any] = {"rows": len(table), "attributes": len(table.schema.regular)}
    if label is not None:
        about["label"] = f"{label.name} ({label.value_type})"
        if label.value_type.is_nominal:
            values = table.to_pandas()[label.name].value_counts()
            about["classes"] = {name: int(values[name]) for name in label.categories}
    others = {name: role for name, role in table.schema.roles.items() if role != "label"}
    return about | ({"other_roles": others} if others else {})


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
