"""``fsops docs``."""

from __future__ import annotations

from typing import Annotated

import typer


def docs(
    page: Annotated[
        str,
        typer.Argument(
            metavar="[PAGE]",
            help="Name of a page, such as validation, or key or title of an operator.",
            show_default=False,
        ),
    ] = "index",
    path: Annotated[
        bool, typer.Option("--path", help="Print the path of the page instead of opening it.")
    ] = False,
) -> None:
    """Open the documentation of this version in a browser; needs no network."""
    import webbrowser

    from fsops.manual import manual_page

    file = manual_page(page)
    if path or not webbrowser.open(file.as_uri()):
        typer.echo(file)
