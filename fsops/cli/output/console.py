"""Where text goes: results to standard output, everything else to standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from fsops.report.escaping import visible

PIPE_WIDTH = 100
NARROWEST = 40


class PlainConsole(Console):
    """Shows names and values as they are: no markup, no emoji codes, no control characters."""

    def __init__(self, *, stderr: bool = False) -> None:
        file = sys.stderr if stderr else sys.stdout
        super().__init__(
            file=file, width=_width(file.isatty()), markup=False, emoji=False, highlight=False
        )

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Return the text to write; output of plugins passes here, too."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(visible(segment.text, keep_lines=True), segment.style)

    def print(self, *objects: Any, crop: bool | None = None, **options: Any) -> None:
        """Print anything that rich can print; a pipe has no edge, so nothing is cut there."""
        super().print(*objects, crop=self.is_terminal if crop is None else crop, **options)

    def print_line(self, text: RenderableType) -> None:
        """Print text on one line, cut at the edge of a terminal; a pipe gets all of it."""
        if self.is_terminal:
            self.print(text, no_wrap=True, overflow="ellipsis")
        else:
            self.print(text, soft_wrap=True)

    def say(self, word: str, style: str, text: str) -> None:
        """Print a message that begins with a colored word; in a pipe it stays on one line."""
        shown = Text.assemble((f"{word}: ", style), visible(text, keep_lines=True))
        self.print(shown, soft_wrap=not self.is_terminal)

    def on_broken_pipe(self) -> None:
        """Leave it to the one place that knows the exit code."""
        raise BrokenPipeError


def _width(terminal: bool) -> int | None:
    """Return the width to use, None to ask the terminal."""
    wanted = os.environ.get("COLUMNS", "")
    if wanted.isdecimal() and int(wanted) > 0:
        return max(int(wanted), NARROWEST)
    return None if terminal else PIPE_WIDTH


def results_console() -> PlainConsole:
    """Return the console for the requested format."""
    return PlainConsole()


def errors_console() -> PlainConsole:
    """Return the console for progress, warnings and errors."""
    return PlainConsole(stderr=True)


def print_json(document: object) -> None:
    """Write one JSON document to standard output, in characters every terminal has."""
    from fsops.storage.results import json_text

    sys.stdout.write(json_text(document, ascii_only=True))
