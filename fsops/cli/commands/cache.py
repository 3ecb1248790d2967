"""``fsops cache``."""

from __future__ import annotations

import typer

from fsops.cli.options import CacheFolder, Debug, new_app

app = new_app(help="Look at, or clear, the results that runs have kept (--cache, --resume).")


@app.command()
def info(cache: CacheFolder = None, debug: Debug = False) -> None:
    """Tell how much is kept, and where."""
    from fsops.runs.options import open_store

    store = open_store(cache)
    usage = store.usage()
    results = "1 result" if usage.entries == 1 else f"{usage.entries:,} results"
    limit = store.limit / 1e6
    typer.echo(f"{store.folder}: {results}, {usage.size / 1e6:,.1f} MB of at most {limit:,.0f} MB.")


@app.command()
def clear(cache: CacheFolder = None, debug: Debug = False) -> None:
    """Remove all results that are kept."""
    from fsops.runs.options import open_store

    store = open_store(cache)
    removed = store.clear()
    results = "1 result" if removed.entries == 1 else f"{removed.entries:,} results"
    typer.echo(f"{store.folder}: {results} removed, {removed.size / 1e6:,.1f} MB.")
