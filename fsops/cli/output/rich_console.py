"""Rich's console with our settings; loaded only where something needs it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from fsops.report.escaping import visible


class RichConsole(Console):
    """Shows names and values as they are: no markup, no emoji codes, no control characters."""

    def __init__(self, file: IO[str], width: int | None) -> None:
        super().__init__(file=file, markup=False, emoji=False, highlight=False, width=width)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Return what is to be written; also what a plugin shows passes here."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(visible(segment.text, keep_lines=True), segment.style)

    def on_broken_pipe(self) -> None:
        """Leave it to the one place that knows the exit code."""
        raise BrokenPipeError
