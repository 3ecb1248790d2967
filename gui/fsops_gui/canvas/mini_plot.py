"""The small plot on a card."""

from __future__ import annotations

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QPainter, QPen

from fsops_gui.base.theme import Colours
from fsops_gui.canvas.look import elided, laid_out, small_font, text_width, title_font
from fsops_gui.canvas.preview import BARS, HISTOGRAM, INTERVAL, Preview

LINE = 11.5
MOST_LINE = 15.0
"""From bar to bar: five of them, and the most if there are fewer."""
NAMES = 0.55
"""Most of the width that names take; the bars only need to be compared."""
STALE = 0.4
"""Opacity of a plot that is out of date."""


def paint_plot(
    painter: QPainter, box: QRectF, preview: Preview, colours: Colours, *, stale: bool, strong: bool
) -> None:
    """Paint the plot of a result; one of a selected operator has a stronger color."""
    plots = {BARS: _paint_bars, HISTOGRAM: _paint_histogram, INTERVAL: _paint_interval}
    fill = QColor(colours.data["bar_selected" if strong else "bar"])
    if stale:
        fill.setAlphaF(STALE)
    plots[preview.kind](painter, box, preview, colours, fill)


def _write(painter: QPainter, x: float, y: float, text: str, colour: QColor) -> None:
    painter.setFont(small_font())
    painter.setPen(colour)
    painter.drawStaticText(QPointF(x, y), laid_out(text))


def _paint_bars(
    painter: QPainter, box: QRectF, preview: Preview, colours: Colours, fill: QColor
) -> None:
    names = min(max(text_width(name) for name, _, _ in preview.bars), NAMES * box.width())
    numbers = max(text_width(text) for _, _, text in preview.bars)
    left = box.left() + names + 6
    room = max(box.right() - numbers - 6 - left, 8.0)
    line = min(box.height() / len(preview.bars), MOST_LINE)
    for row, (name, part, text) in enumerate(preview.bars):
        y = box.top() + row * line + (line - LINE) / 2
        _write(painter, box.left(), y - 2, elided(name, names + 0.5), colours.secondary)
        _write(painter, box.right() - text_width(text), y - 2, text, colours.secondary)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        painter.drawRoundedRect(QRectF(left, y + 1, max(room * part, 1.0), LINE - 4), 1.5, 1.5)


def _paint_histogram(
    painter: QPainter, box: QRectF, preview: Preview, colours: Colours, fill: QColor
) -> None:
    ground, wide = box.bottom() - 13, box.width() / len(preview.bins)
    for number, height in enumerate(preview.bins):
        tall = height * (ground - box.top())
        bar = QRectF(box.left() + number * wide, ground - tall, max(wide - 1, 1.0), tall)
        painter.fillRect(bar, fill)
    painter.setPen(QPen(colours.border, 1))
    painter.drawLine(QPointF(box.left(), ground), QPointF(box.right(), ground))
    _paint_ends(painter, box, preview, colours)


def _paint_ends(painter: QPainter, box: QRectF, preview: Preview, colours: Colours) -> None:
    low, high = preview.ends
    _write(painter, box.left(), box.bottom() - 12, low, colours.faint)
    _write(painter, box.right() - text_width(high), box.bottom() - 12, high, colours.faint)


def _paint_interval(
    painter: QPainter, box: QRectF, preview: Preview, colours: Colours, fill: QColor
) -> None:
    """Paint the mean with its deviation, and each repetition as a point."""
    headline = elided(preview.headline, box.width(), bold=True)
    painter.setFont(title_font())
    painter.setPen(colours.text)
    painter.drawStaticText(QPointF(box.left(), box.top() - 4), laid_out(headline, bold=True))
    axis, middle = box.bottom() - 13, box.bottom() - 23
    painter.setPen(QPen(colours.border, 1))
    painter.drawLine(QPointF(box.left(), axis), QPointF(box.right(), axis))

    def at(part: float) -> float:
        return box.left() + 2 + min(max(part, 0.0), 1.0) * (box.width() - 4)

    painter.setPen(QPen(colours.text, 1.5))
    low, high = at(preview.centre - preview.spread), at(preview.centre + preview.spread)
    painter.drawLine(QPointF(low, middle), QPointF(high, middle))
    painter.setPen(QPen(colours.text, 2.5))
    centre = at(preview.centre)
    painter.drawLine(QPointF(centre, middle - 6), QPointF(centre, middle + 6))
    painter.setPen(Qt.PenStyle.NoPen)
    dot = QColor(colours.ports["performance"])
    dot.setAlphaF(0.65 * fill.alphaF())
    painter.setBrush(dot)
    for number, value in enumerate(preview.values):
        painter.drawEllipse(QPointF(at(value), middle + (-3 if number % 2 else 3)), 2.2, 2.2)
    _paint_ends(painter, box, preview, colours)
