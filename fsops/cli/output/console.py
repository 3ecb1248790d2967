"""Where text goes: results to standard output, everything else to standard error."""

from __future__ import annotations

import os
import sys
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fsops.report.blocks import Line, plain_text
from fsops.report.escaping import visible

if TYPE_CHECKING:
    from fsops.cli.output.rich_console import RichConsole

PIPE_WIDTH = 100
NARROWEST = 40
FORCED = ("FORCE_COLOR", "TTY_COMPATIBLE")  # variables that tell rich what a terminal is


class PlainConsole:
    """Writes to a pipe what needs no rich for that, and leaves everything else to rich."""

    def __init__(self, *, stderr: bool = False) -> None:
        self.file: Any = sys.stderr if stderr else sys.stdout
        self._columns = _width(self.file.isatty())

    @cached_property
    def rich(self) -> RichConsole:
        """The console of rich for the same stream."""
        from fsops.cli.output.rich_console import RichConsole

        return RichConsole(self.file, self._columns)

    @property
    def is_terminal(self) -> bool:
        """Whether there is a terminal that understands colours, or is said to be one."""
        if self.file.isatty() or any(name in os.environ for name in FORCED):
            return self.rich.is_terminal
        return False

    @property
    def is_dumb_terminal(self) -> bool:
        """Whether there is a terminal that cannot move its cursor."""
        return self.is_terminal and self.rich.is_dumb_terminal

    @property
    def width(self) -> int:
        """How many columns there are."""
        return self._columns or self.rich.width

    def print(self, shown: object = "", *, soft_wrap: bool = False, crop: bool = True) -> None:
        """Print a text, a block, or anything else that rich can print."""
        plain = None
        if not self.is_terminal:
            plain = plain_text(shown, None if soft_wrap else self.width)
        if plain is None:
            self.rich.print(shown, soft_wrap=soft_wrap, crop=crop)
        else:
            self.file.write(plain)
            self.file.flush()

    def print_line(self, text: object) -> None:
        """Print text on one line, cut at the edge of a terminal; a pipe gets all of it."""
        if self.is_terminal:
            self.rich.print(text, no_wrap=True, overflow="ellipsis")
        else:
            self.print(text, soft_wrap=True)

    def say(self, word: str, style: str, text: str) -> None:
        """Print a message that begins with a coloured word; in a pipe it stays on one line."""
        shown = Line((f"{word}: ", style), (visible(text, keep_lines=True), ""))
        self.print(shown, soft_wrap=not self.is_terminal)


def _width(terminal: bool) -> int | None:
    """Return the width to use, None to ask the terminal."""
    wanted = os.environ.get("COLUMNS", "")
    if wanted.isdecimal() and int(wanted) > 0:
        return max(int(wanted), NARROWEST)
    return None if terminal else PIPE_WIDTH


def results_console() -> PlainConsole:
    """Return the console for what was asked for."""
    return PlainConsole()


def errors_console() -> PlainConsole:
    """Return the console for progress, warnings and errors."""
    return PlainConsole(stderr=True)


def print_json(document: object) -> None:
    """Write one JSON document to standard output, in characters every terminal has."""
    from fsops.storage.results import json_text

    sys.stdout.write(json_text(document, ascii_only=True))
