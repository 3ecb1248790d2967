"""The command line. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run the command line; the entry point of the ``fsops`` command."""
    # Both lines about garbage are measured: python benchmarks/startup.py --tricks
    # While modules load there is next to no garbage, and looking for it takes its time.
    gc.set_threshold(300_000, 20, 20)
    if next((word for word in sys.argv[1:] if not word.startswith("-")), "") == "run":
        from fsops.cli.supervision import supervised

        supervised(_main)
    else:
        _main()


def _main() -> None:
    from fsops.cli.app import command_line

    try:
        command_line().main(prog_name="fsops")
    finally:
        # Python would look through all objects twice before it ends; all of them go anyway.
        gc.freeze()
