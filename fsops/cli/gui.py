"""``fsops gui``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fsops.cli.options import Debug


def gui(
    process: Annotated[
        Path | None, typer.Argument(metavar="[PROCESS]", help="The process file (XML) to open.")
    ] = None,
    debug: Debug = False,
) -> None:
    """Open the designer: draw, connect, check and run processes in a window."""
    from fsops.errors import UsageError

    try:
        from fsops_gui.app import main
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("PyQt6", "fsops_gui"):
            raise
        raise UsageError(
            "The designer needs PyQt6, which is not installed.",
            hint='Install it with: pip install "fsops[gui]"',
        ) from None
    raise typer.Exit(main(process))
