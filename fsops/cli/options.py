"""Options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class OutputFormat(StrEnum):
    """How results are printed."""

    TEXT = "text"
    JSON = "json"


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
