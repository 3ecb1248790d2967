"""Tables and pictures leave the window: as text, over the clipboard, into files."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from PyQt6.QtGui import QGuiApplication, QImage

Cells = Sequence[Sequence[str]]
"""Rows of texts, the headings first."""
MOST_COPIED = 1_000_000
"""Cells that are copied at most: other programs do not take more from a clipboard."""


def csv_text(cells: Cells) -> str:
    """Return a table as comma-separated values."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(cells)
    return file.getvalue()


def markdown_text(cells: Cells) -> str:
    """Return a table as Markdown, numbers on the right."""
    headings, *rows = [[_in_markdown(cell) for cell in row] for row in cells]
    sides = ["---:" if _is_number_column(rows, c) else "---" for c in range(len(headings))]
    return "".join(f"| {' | '.join(row)} |\n" for row in (headings, sides, *rows))


def _in_markdown(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")


def _is_number_column(rows: Cells, column: int) -> bool:
    cells = [row[column] for row in rows if row[column]]
    return bool(cells) and all(_is_number(cell) for cell in cells)


def _is_number(text: str) -> bool:
    try:
        float(text.rstrip(" %"))
    except ValueError:
        return False
    return True


def to_clipboard(content: str | QImage) -> None:
    """Put a text or a picture into the clipboard."""
    board = QGuiApplication.clipboard()
    if board is None:
        return
    if isinstance(content, QImage):
        board.setImage(content)
    else:
        board.setText(content)
