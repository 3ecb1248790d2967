"""The command line. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import gc
import os


def main() -> None:
    """Run the command line; the entry point of the ``fsops`` command."""
    # Looking for plugins of pydantic, which we have no use for, takes as long as half of our start.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    gc.disable()  # while modules load there is no garbage, and looking for it takes its time
    from fsops.cli.app import command_line

    gc.enable()
    command_line().main(prog_name="fsops")
