"""The command line. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import gc
import os


def main() -> None:
    """Run the command line; the entry point of the ``fsops`` command."""
    # Looking for plugins of pydantic, which we have no use for, takes as long as half of our start.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # While modules load there is next to no garbage, and looking for it takes its time.
    gc.set_threshold(100_000, 20, 20)
    from fsops.cli.app import command_line

    try:
        command_line().main(prog_name="fsops")
    finally:
        # Python would look through all objects twice before it ends; all of them go anyway.
        gc.freeze()
