"""``fsops gui``."""

from __future__ import annotations

import os
import sys
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
        from fsops_gui.shell.app import main
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("PyQt6", "fsops_gui"):
            raise
        raise UsageError(
            "The designer needs PyQt6, which is not installed.",
            hint='Install it with: pip install "fsops[gui]"',
        ) from None
    except ImportError as error:  # such as: libEGL.so.1: cannot open shared object file
        raise UsageError(
            f"PyQt6 is installed but cannot be loaded: {error}.",
            hint="Install the library it asks for; on Debian and Ubuntu: apt install libegl1 "
            "libgl1 libxkbcommon0 libdbus-1-3",
        ) from error
    if _has_no_screen():
        raise UsageError(
            "There is no screen to open a window on: neither DISPLAY nor WAYLAND_DISPLAY is set.",
            hint="Over SSH use: ssh -X. Without a screen, use fsops run or fsops draw.",
        )
    raise typer.Exit(main(process))


def _has_no_screen() -> bool:
    """Return whether Qt would find no screen, and end the program without an explanation."""
    needed = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return sys.platform == "linux" and not any(os.environ.get(name) for name in needed)
