"""Messages of a run to its parent process; see `fsops.cli.supervision`."""

from __future__ import annotations

import contextlib
import os

LINE: list[int] = []
"""In the child: the pipe to its parent."""


def report(text: str) -> None:
    """Send a message to the parent, if there is one: see `Supervisor.hear`."""
    for line in LINE:
        with contextlib.suppress(OSError):  # it is gone, and so are we soon
            os.write(line, f"{text}\n".encode())


def is_supervised() -> bool:
    """Return whether there is a parent that can end this process."""
    return bool(LINE)
