"""Tables and pictures leave the window: as text, over the clipboard, into files."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from PyQt6.QtGui import QGuiApplication, QImage
from PyQt6.QtWidgets import QFileDialog, QWidget

from fsops_gui.base.settings import DesignerSettings
from fsops_gui.base.texts import tr

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


def ask_for_file(parent: QWidget, theme: str, name: str, kinds: dict[str, str]) -> Path | None:
    """Return where to write; folder and kind are those of the last time.

    Parameters
    ----------
    parent : QWidget
    theme : str
        What folder and kind are remembered for.
    name : str
        The name to begin with, without suffix.
    kinds : dict of suffix to words
        What can be written, as ``{"csv": "Text (CSV)"}``.
    """
    settings = DesignerSettings()
    last = settings.choice(f"{theme}_kind", next(iter(kinds)))
    folder = Path(settings.choice(f"{theme}_folder", str(Path.home())))
    filters = {suffix: f"{words} (*.{suffix})" for suffix, words in kinds.items()}
    safe = "".join("_" if c in '<>:"/\\|?*' else c for c in name).strip() or "result"
    chosen, used = QFileDialog.getSaveFileName(
        parent,
        tr("Save as"),
        str(folder / f"{safe}.{last}"),
        ";;".join(filters.values()),
        filters.get(last, ""),
    )
    if not chosen:
        return None
    path = Path(chosen)
    by_filter = next((s for s, words in filters.items() if words == used), last)
    suffix = path.suffix[1:].lower() if path.suffix[1:].lower() in kinds else by_filter
    if path.suffix[1:].lower() != suffix:
        path = path.with_name(f"{path.name}.{suffix}")
    settings.choose(f"{theme}_folder", str(path.parent))
    settings.choose(f"{theme}_kind", suffix)
    return path
