"""The summary of a study on one sheet, where no browser can print it."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fsops.data import Band, SizeCurves, StudyAnswer
from fsops.plots.curves import agreement_over_size, has_stability, merit_over_size
from fsops.plots.style import GREY, SMALL, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHEET = (8.27, 11.69)
"""A4 in inches."""
LINE = 0.0145
"""Height of a line of text as a fraction of the sheet."""
LETTERS = 105


@dataclass(frozen=True)
class Sheet:
    """The text of the sheet."""

    title: str
    about: str
    headline: str
    sentences: Sequence[str]
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str]


def summary_pdf(sheet: Sheet, curves: SizeCurves | None, answer: StudyAnswer | None) -> bytes:
    """Return one sheet with the words, the curves with their bands of chance, and a table."""
    from matplotlib.backends.backend_pdf import FigureCanvasPdf
    from matplotlib.figure import Figure

    with styled():
        figure = Figure(figsize=SHEET)
        FigureCanvasPdf(figure)
        top = _words(figure, sheet)
        if curves is not None:
            top = _curves(figure, curves, answer, top)
        top = _table(figure, sheet, top)
        _lines(figure, sheet.notes, top - LINE, SMALL)
        file = io.BytesIO()
        figure.savefig(file, format="pdf", metadata={"CreationDate": None, "Producer": None})
    return file.getvalue()


def _words(figure: Figure, sheet: Sheet) -> float:
    figure.text(0.08, 0.955, sheet.title, fontsize=15, fontweight="bold", va="top")
    figure.text(0.08, 0.93, sheet.about, fontsize=SMALL, color=GREY, va="top")
    figure.text(0.08, 0.905, sheet.headline, fontsize=13, fontweight="bold", va="top")
    return _lines(figure, sheet.sentences, 0.875, 9)


def _lines(figure: Figure, texts: Sequence[str], top: float, size: float) -> float:
    """Write paragraphs from ``top`` downwards, and return where they end."""
    for text in texts:
        for line in textwrap.wrap(text, LETTERS):
            figure.text(0.08, top, line, fontsize=size, va="top")
            top -= LINE
    return top


def _curves(figure: Figure, curves: SizeCurves, answer: StudyAnswer | None, top: float) -> float:
    height, bottom = 0.2, top - 0.26
    left = figure.add_axes((0.13, bottom, 0.33, height))
    merit_over_size(curves, left)
    handles, names = left.get_legend_handles_labels()
    figure.legend(handles, names, loc="lower center", ncols=4, bbox_to_anchor=(0.5, top - 0.05))
    if answer is not None and answer.chance.criterion == curves.criterion:
        _band(left, answer, answer.chance.error_band)
    if has_stability(curves):
        right = figure.add_axes((0.58, bottom, 0.33, height))
        agreement_over_size(curves, right)
        if answer is not None:
            _band(right, answer, answer.chance.stability_band)
    for axes in figure.axes:
        if (legend := axes.get_legend()) is not None:
            legend.remove()
    return bottom - 0.05


def _band(axes: Axes, answer: StudyAnswer, band: Band) -> None:
    sizes = answer.chance.sizes
    axes.fill_between(sizes, band.lower, band.upper, color=GREY, alpha=0.2, linewidth=0, zorder=0)
    axes.plot(sizes, band.middle, color=GREY, linestyle="--", linewidth=0.8, zorder=0)


def _table(figure: Figure, sheet: Sheet, top: float) -> float:
    if not sheet.rows:
        return top
    widths = [
        max(len(head), *(len(row[i]) for row in sheet.rows)) for i, head in enumerate(sheet.heads)
    ]
    starts = 0.08 + 0.84 * np.concatenate([[0.0], np.cumsum(widths)[:-1] / sum(widths)])
    for number, row in enumerate([sheet.heads, *sheet.rows]):
        for x, text in zip(starts, row, strict=True):
            weight = "bold" if number == 0 else "normal"
            figure.text(float(x), top, text, fontsize=SMALL, va="top", fontweight=weight)
        top -= LINE
    return top
