"""``fsops cache``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fsops.cli.options import Debug, new_app

app = new_app(help="Show or clear the cached results of runs (--cache, --resume).")
Folder = Annotated[
    Path | None,
    typer.Option("--cache", metavar="DIR", help="Folder of the cache, if not the default."),
]


@app.command()
def info(cache: Folder = None, debug: Debug = False) -> None:
    """Show the size and the folder of the cache."""
    from fsops.runs.options import open_store

    store = open_store(cache)
    usage = store.usage()
    results = "1 result" if usage.entries == 1 else f"{usage.entries:,} results"
    limit = store.limit / 1e6
    typer.echo(f"{store.folder}: {results}, {usage.size / 1e6:,.1f} MB of at most {limit:,.0f} MB.")


@app.command()
def clear(cache: Folder = None, debug: Debug = False) -> None:
    """Remove all cached results."""
    from fsops.runs.options import open_store

    store = open_store(cache)
    removed = store.clear()
    results = "1 result" if removed.entries == 1 else f"{removed.entries:,} results"
    typer.echo(f"{store.folder}: {results} removed, {removed.size / 1e6:,.1f} MB.")
