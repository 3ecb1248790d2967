"""Tables of text that fit their terminal, fast enough for half a million rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING

from fsops.report.escaping import visible

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.segment import Segment
    from rich.style import Style

GAP = "  "
BAR_WIDTH = 24
ZERO = "│"
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_RIGHT_PARTS = " ▕▕▐▐▐▐██"  # the nearest of nothing, an eighth, a half and all


class TextColumn:
    """A heading with the texts below it.

    Where there is no room for all columns, headings of several words get two lines, then those with
    ``narrowest`` are cut; columns that still do not fit are named below. So a number is shown in
    full or not at all.
    """

    def __init__(
        self,
        heading: str,
        cells: Iterable[object],
        *,
        right: bool = False,
        style: str = "",
        narrowest: int | None = None,
    ) -> None:
        self.heading = visible(heading)
        self.cells = [visible(cell) for cell in cells]
        self.right = right
        self.style = style
        self.narrowest = narrowest

    @cached_property
    def halves(self) -> list[str]:
        """The heading in at most two lines of about the same width."""
        blanks = [n for n, sign in enumerate(self.heading) if sign == " "]
        parts = [[self.heading[:n], self.heading[n + 1 :]] for n in blanks]
        return min(parts, key=_widest, default=[self.heading])

    def width(self, *, folded: bool = False) -> int:
        """Return the width of the longest text; the heading may be folded to two lines."""
        head = self.halves if folded else [self.heading]
        return max(_widest(head), _widest(self.cells))

    def head(self, width: int) -> list[str]:
        """Return the lines of the heading in that width."""
        return (
            self.halves if _widest(self.halves) <= width < _length(self.heading) else [self.heading]
        )

    def lines(self, width: int) -> Iterator[str]:
        """Return the texts, all of one width."""
        return (_fitted(cell, width, right=self.right) for cell in self.cells)


@dataclass(frozen=True)
class BarColumn:
    """A bar in each row, as long as its number.

    Where a number is below 0, there is a line at 0: bars of such numbers are left of it, the others
    are right of it.
    """

    lengths: Sequence[float]
    style: str = "cyan"
    heading: str = ""
    right: bool = False
    narrowest: int | None = 4

    def width(self, *, folded: bool = False) -> int:
        """Return the width of the bars, if there is enough space."""
        return BAR_WIDTH

    def head(self, width: int) -> list[str]:
        """Return the lines of the heading."""
        return [self.heading]

    def lines(self, width: int) -> Iterator[str]:
        """Return the bars, all of one width."""
        low, high = min([0.0, *self.lengths]), max([0.0, *self.lengths])
        if not low:
            scale = width / (high or 1.0)
            return (_bar(length * scale, width) for length in self.lengths)
        left = _left_of_zero(low, high, width - 1)
        right = width - 1 - left
        scale = min(side / size for side, size in ((left, -low), (right, high)) if size)
        return (_two_sided(length * scale, left, right) for length in self.lengths)


Sized = tuple[TextColumn | BarColumn, int]
"""A column and the width it gets."""


@dataclass(frozen=True)
class TextTable:
    """Columns side by side."""

    columns: Sequence[TextColumn | BarColumn]
    otherwise: TextTable | None = None
    """The text for a terminal that is too narrow."""
    emphasis: frozenset[int] = field(default_factory=frozenset)
    """Numbers of the rows to show in bold."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.segment import Segment

        if not console.is_terminal:
            yield Segment(self._uncut())
            return
        shown = self._fitting(options.max_width)
        if len(shown) < len(self.columns) and self.otherwise is not None:
            yield from self.otherwise.__rich_console__(console, options)
            return
        *head, rule = _head(shown) or [""]
        for line in head:
            yield Segment(line, console.get_style("bold"))
            yield Segment.line()
        if rule:
            yield Segment(rule)
            yield Segment.line()
        yield from self._styled(console, shown)
        left_out = ", ".join(column.heading for column in self.columns[len(shown) :])
        if left_out:
            note = _fitted(f"… no space for: {left_out}", options.max_width, right=False)
            yield Segment(note.rstrip(), console.get_style("dim"))
            yield Segment.line()

    def _uncut(self) -> str:
        """Return the lines a pipe gets; it has no edge, so nothing is cut."""
        shown = self._fitting(None)
        return "".join(f"{line}\n" for line in [*_head(shown), *map(_joined, _rows(shown))])

    def _fitting(self, room: int | None) -> list[Sized]:
        """Return as many columns as there is room for, each with its width."""
        shown = [(column, column.width()) for column in self.columns]
        if room is not None and _total(shown) > room:
            shown = [(column, column.width(folded=True)) for column in self.columns]
        while room is not None and _total(shown) > room and len(shown) > 1:
            narrowed = _narrowed(shown, room)
            if _total(narrowed) <= room:
                return narrowed
            shown.pop()
        return shown

    def _styled(self, console: Console, shown: list[Sized]) -> Iterator[Segment]:
        styles = [console.get_style(column.style) if column.style else None for column, _ in shown]
        bold = console.get_style("bold")
        for number, cells in enumerate(_rows(shown)):
            yield from _line(cells, repeat(bold) if number in self.emphasis else styles)


def _narrowed(shown: list[Sized], room: int) -> list[Sized]:
    """Return the columns with those cut that may be, from the right."""
    sized = list(shown)
    for number, (column, width) in reversed(list(enumerate(sized))):
        excess = _total(sized) - room
        if column.narrowest is not None and excess > 0:
            sized[number] = (column, max(width - excess, min(column.narrowest, width)))
    return sized


def _head(shown: list[Sized]) -> list[str]:
    """Return the headings and the rule below them, if there are any."""
    if not any(column.heading for column, _ in shown):
        return []
    heads = [column.head(width) for column, width in shown]
    most = max(map(len, heads))
    lines = zip(*([""] * (most - len(head)) + head for head in heads), strict=True)
    return [*(_joined(_side_by_side(line, shown)) for line in lines), "─" * _total(shown)]


def _side_by_side(texts: Iterable[str], shown: list[Sized]) -> Iterator[str]:
    return (
        _fitted(text, width, right=column.right)
        for text, (column, width) in zip(texts, shown, strict=True)
    )


def _joined(cells: Iterable[str]) -> str:
    return GAP.join(cells).rstrip()


def _rows(shown: list[Sized]) -> Iterator[tuple[str, ...]]:
    return zip(*(column.lines(width) for column, width in shown), strict=True)


def _line(cells: Sequence[str], styles: Iterable[Style | None]) -> Iterator[Segment]:
    """Return a row with as few segments as its styles allow, without blanks at the end."""
    from rich.segment import Segment

    last = max((n for n, cell in enumerate(cells) if cell.strip()), default=-1)
    plain = ""
    for number, (cell, style) in enumerate(zip(cells[: last + 1], styles, strict=False)):
        text = cell.rstrip() if number == last else cell + GAP
        if style is None:
            plain += text
            continue
        if plain:
            yield Segment(plain)
            plain = ""
        yield Segment(text, style)
    yield Segment(plain + "\n")


def _total(shown: list[Sized]) -> int:
    return sum(width for _, width in shown) + len(GAP) * (len(shown) - 1)


def _widest(texts: Iterable[str]) -> int:
    return max(map(_length, texts), default=0)


def _length(text: str) -> int:
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _fitted(text: str, width: int, *, right: bool) -> str:
    """Return the text in that width; a longer one keeps both ends, where names differ most."""
    length = _length(text)
    if length > width:
        text = _cut(text, width)
        length = _length(text)
    blank = " " * (width - length)
    return blank + text if right else text + blank


def _cut(text: str, width: int) -> str:
    from rich.cells import set_cell_size

    if width < 8:
        return set_cell_size(text, max(width - 1, 0)).rstrip() + "…" * (width > 0)
    end = text[-((width - 1) // 3) :]
    return set_cell_size(text, width - 1 - _length(end)) + "…" + end


def _bar(length: float, width: int) -> str:
    """Return a bar in eighths of a character at its end."""
    full = int(length)
    part = _EIGHTHS[round((length - full) * 8)]
    return ("█" * full + part)[:width].ljust(width)


def _left_of_zero(low: float, high: float, width: int) -> int:
    """Return how many of the characters are left of 0; each side that has a bar gets one."""
    left = round(-low / (high - low) * width)
    return min(max(left, 1), width - 1) if high else width


def _two_sided(length: float, left: int, right: int) -> str:
    """Return a bar beside the line at 0."""
    if length >= 0:
        return " " * left + ZERO + _bar(length, right)
    # There are fewer parts of characters that begin at the right.
    full = int(-length)
    part = _RIGHT_PARTS[round((-length - full) * 8)]
    return (part + "█" * full)[-left:].rjust(left) + ZERO + " " * right
