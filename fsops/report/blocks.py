"""What results are shown with: blocks that rich prints, and that a pipe gets without rich.

Loading rich takes longer than a small run, and a pipe has no use for colours. So a block can say
itself what a pipe gets; where that is not simple, as with lines to wrap, it leaves it to rich.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from fsops.report.escaping import visible

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from rich.text import Text


class Block(ABC):
    """Something to print that may not need rich for a pipe."""

    @abstractmethod
    def plain(self, width: int | None) -> str | None:
        """Return the lines a pipe gets, with all line ends; None if rich has to write them.

        Text is wrapped at the width; without one it is not wrapped.
        """


class Line(Block):
    """A line of texts, each with its style; rich wraps it where it is too long."""

    def __init__(self, *texts: tuple[str, str]) -> None:
        self._texts = texts

    def plain(self, width: int | None) -> str | None:
        """Return the text as it is, unless something in it has to be wrapped or spelled out."""
        text = "".join(text for text, _ in self._texts)
        if visible(text, keep_lines=True) != text:
            return None
        if width is not None and not all(_fits(line, width) for line in text.split("\n")):
            return None
        return f"{text}\n"

    def __rich__(self) -> Text:
        from rich.text import Text

        return Text.assemble(*self._texts)


class Stack(Block):
    """Blocks, or whatever rich can print, below each other."""

    def __init__(self, *parts: RenderableType) -> None:
        self._parts = [Line((part, "")) if isinstance(part, str) else part for part in parts]

    def plain(self, width: int | None) -> str | None:
        """Return the lines of all parts, if none of them needs rich."""
        texts = [plain_text(part, width) for part in self._parts]
        return "".join(text for text in texts if text is not None) if None not in texts else None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from self._parts


def plain_text(shown: object, width: int | None) -> str | None:
    """Return what a pipe gets of anything that can be printed; None if that needs rich."""
    block = Line((shown, "")) if isinstance(shown, str) else shown
    return block.plain(width) if isinstance(block, Block) else None


def _fits(line: str, width: int) -> bool:
    """Return whether a line surely has room: outside of ASCII a character may take two cells."""
    return len(line) <= (width if line.isascii() else width // 2)
