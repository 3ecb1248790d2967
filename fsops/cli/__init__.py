"""The command line. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import gc
import os
import signal
import sys

from fsops.cli.signals import SIGNALS


def _reserve_output() -> None:
    """Write our output through a descriptor of our own, and let descriptor 1 lead to the messages.

    Plugins and libraries may print, also in C: that must not spoil results that programs read.
    """
    if os.name != "posix" or sys.stdout is None or sys.stderr is None:
        return
    try:
        sys.stdout.flush()
        ours = os.dup(1)
        os.dup2(2, 1)
    except (OSError, ValueError):  # one of them is closed
        return
    is_terminal = os.isatty(ours)
    sys.stdout = open(  # noqa: SIM115 - open as long as the program runs
        ours,
        "w",
        encoding=sys.stdout.encoding,
        errors=sys.stdout.errors,
        buffering=1 if is_terminal else -1,
    )


def main() -> None:
    """Run the command line; the entry point of the ``fsops`` command."""
    SIGNALS.take([signal.SIGINT])
    # Both lines about garbage are measured: python benchmarks/startup.py --tricks
    # While modules load there is next to no garbage, and looking for it takes its time.
    gc.set_threshold(300_000, 20, 20)
    if next((word for word in sys.argv[1:] if not word.startswith("-")), "") == "run":
        from fsops.cli.supervision import supervised

        supervised(_main)
    else:
        _main()


def _main() -> None:
    _reserve_output()
    from fsops.cli.app import command_line

    try:
        command_line().main(prog_name="fsops")
    finally:
        # Python would look through all objects twice before it ends; all of them go anyway.
        gc.freeze()
