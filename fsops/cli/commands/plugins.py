"""``fsops plugins``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fsops.cli.options import Format, OutputFormat, new_app

app = new_app(help="See which plugins are installed, or begin a new one.")


@app.command("list")
def list_plugins(format: Format = OutputFormat.TEXT) -> None:
    """List the installed plugins, and their problems."""
    from fsops.cli.output.console import print_json
    from fsops.plugins import plugins

    found = plugins()
    if format is OutputFormat.TEXT:
        _show()
        return
    document = {
        "plugins": [vars(info) for info in found.loaded],
        "disabled": [vars(info) for info in found.disabled],
        "problems": [vars(p.plugin) | {"reason": p.reason} for p in found.problems],
    }
    print_json(document)


def _show() -> None:
    from rich.table import Table
    from rich.text import Text

    from fsops.cli.output.console import results_console
    from fsops.plugins import plugins

    found, console = plugins(), results_console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("plugin", "package", "version"):
        table.add_column(heading, overflow="fold")
    for info in found.loaded:
        table.add_row(Text(info.name, "cyan"), info.distribution, info.version)
    for info in found.disabled:
        table.add_row(Text(info.name, "dim"), info.distribution, f"{info.version} (disabled)")
    console.print(table)
    for problem in found.problems:
        console.print()
        console.say("Problem", "bold red", str(problem))


@app.command()
def disable(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the plugin in the list.")],
) -> None:
    """Leave a plugin out from the next start on; the configuration file remembers it."""
    _switch(name, off=True)


@app.command()
def enable(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the plugin in the list.")],
) -> None:
    """Load a disabled plugin again from the next start on."""
    _switch(name, off=False)


def _switch(name: str, *, off: bool) -> None:
    from fsops.config import disable_plugin
    from fsops.plugins.manager import switchable

    disable_plugin(switchable(name), off)
    typer.echo(f"{name} is {'disabled' if off else 'enabled'} from the next start on.")


@app.command("new")
def new_plugin(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the plugin.")],
    folder: Annotated[
        Path, typer.Option("--in", metavar="DIR", help="Where to make its folder.")
    ] = Path("."),
) -> None:
    """Write the skeleton of a plugin: one operator with tests that pass."""
    from fsops.cli.output.console import results_console
    from fsops.testing.skeleton import write_plugin

    console = results_console()
    files = write_plugin(name, folder)
    for path in files:
        console.print(str(path), soft_wrap=True)
    root = next(path.parent for path in files if path.name == "pyproject.toml")
    steps = f'Install it: pip install -e "{root}[test]"\nTest it: pytest "{root}"'
    console.print(f"\n{steps}", soft_wrap=True)
