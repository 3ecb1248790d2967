"""Options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup


class WholeSentences(TyperGroup):
    """A group whose help shows the first line of each command as a whole, not cut to one line."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands with the first line of their help."""
        found = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        lines = [(name, str(one.help).partition("\n")[0]) for name, one in found if one]
        with formatter.section("Commands"):
            formatter.write_dl(lines)


def new_app(**options: Any) -> typer.Typer:
    """Return an empty application with our settings."""
    options.setdefault("cls", WholeSentences)
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
        help="Set a parameter; replaces the value in the file. May be repeated.",
        show_default=False,
    ),
]
Macros = Annotated[
    list[str],
    typer.Option(
        "--macro",
        metavar="NAME=VALUE",
        help="Set the macro %{NAME} of the process; may be repeated.",
        show_default=False,
    ),
]
AllowRead = Annotated[
    list[Path],
    typer.Option(
        "--allow-read",
        metavar="PATH",
        help="Let the process read this file or folder, in addition to its own folder and the "
        "data folders; may be repeated.",
        show_default=False,
    ),
]
Trust = Annotated[
    bool,
    typer.Option("--trust", help="Let the process read any file; see fsops trust."),
]
Format = Annotated[
    OutputFormat,
    typer.Option(
        "--format", metavar="text|json", help="Output format: text, or one JSON document."
    ),
]
Debug = Annotated[bool, typer.Option("--debug", help="Show the Python traceback of an error.")]

# --- how a run is executed ------------------------------------------------------------------

EngineName = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="Backend for loop iterations: serial, threads, processes, dask, or a plugin's.",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        metavar="N",
        min=1,
        help="Number of workers. Default: 1; with --engine all cores.",
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="ADDRESS",
        help="Address of a dask scheduler, such as tcp://host:8786.",
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option("--timeout", metavar="SECONDS", min=0, help="Stop the run after this time."),
]
CacheFolder = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        metavar="DIR",
        help="Cache results in this folder, and reuse those of earlier runs.",
        show_default=False,
    ),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume", help="Continue a run that stopped: as --cache, with the default folder."
    ),
]
