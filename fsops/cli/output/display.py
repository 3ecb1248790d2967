"""The progress display that suits a stream."""

from __future__ import annotations

from fsops.cli.output.console import PlainConsole
from fsops.cli.output.progress import LineProgress, QuietProgress


def progress_on(console: PlainConsole, operators: int, *, quiet: bool) -> QuietProgress:
    """Return the display that suits where the messages go."""
    if quiet:
        return QuietProgress()
    if not console.is_terminal or console.is_dumb_terminal:
        return LineProgress(console)
    from fsops.cli.output.bars import BarProgress

    return BarProgress(console, operators)
