"""Options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer


def new_app(**options: Any) -> typer.Typer:
    """Return an empty application with our settings."""
    return typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,
        # Rich would make the help pretty, but its import takes longer than all else together.
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
        **options,
    )


class OutputFormat(StrEnum):
    """How results are printed."""

    TEXT = "text"
    JSON = "json"


class FigureFormat(StrEnum):
    """How figures are written."""

    SVG = "svg"
    PNG = "png"
    PDF = "pdf"


ProcessFile = Annotated[
    Path, typer.Argument(metavar="PROCESS", help="The process file (XML).", show_default=False)
]
Settings = Annotated[
    list[str],
    typer.Option(
        "--set",
        metavar="OPERATOR.PARAMETER=VALUE",
        help="Set a parameter in place of the file's value; may be repeated.",
        show_default=False,
    ),
]
Macros = Annotated[
    list[str],
    typer.Option(
        "--macro",
        metavar="NAME=VALUE",
        help="Give %{NAME} in the process a value; may be repeated.",
        show_default=False,
    ),
]
Format = Annotated[
    OutputFormat,
    typer.Option("--format", metavar="text|json", help="For people, or one JSON document."),
]
Debug = Annotated[bool, typer.Option("--debug", help="Show the Python traceback of an error.")]
