"""The command line. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import gc


def main() -> None:
    """Run the command line; the entry point of the ``fsops`` command."""
    gc.disable()  # while modules load there is no garbage, and looking for it takes its time
    from fsops.cli.app import command_line

    gc.enable()
    command_line().main(prog_name="fsops")
