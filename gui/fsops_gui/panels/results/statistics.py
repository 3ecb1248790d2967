"""One column of a table, looked at closely."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from heapq import nsmallest

import numpy as np
from PyQt6.QtCore import QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QPainter, QPaintEvent
from PyQt6.QtWidgets import QFormLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from fsops.data import Attribute, ExampleSet, ValueType
from fsops.data.columns import is_missing
from fsops.report.numbers import count_text, number_text
from fsops_gui.base.background import in_background
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.widgets.row_query import TEXTS_AT_ONCE
from fsops_gui.widgets.tables import Rows, attribute_at, cell_text, kind_words, stored_column

BINS = 24
MOST_CLASSES = 12


@dataclass(frozen=True)
class Facts:
    """The statistics of a column."""

    attribute: Attribute
    lines: tuple[tuple[str, str], ...]
    """Name and value of each figure."""
    classes: tuple[tuple[str, int], ...] = ()
    """The most frequent values and how often they occur."""
    others: int = 0
    """How many further values there are."""
    bins: tuple[int, ...] = ()
    ends: tuple[str, str] = ("", "")


def facts_of(table: ExampleSet, position: int, rows: Rows | None = None) -> Facts:
    """Return the facts about an attribute in some rows, or in all."""
    attribute = attribute_at(table, position)
    stored = stored_column(table, position)
    if rows is not None:
        stored = stored[rows]
    missing = is_missing(stored)
    known = stored[~missing]
    lines = [
        (tr("count"), count_text(len(stored))),
        (tr("missing"), count_text(int(missing.sum()))),
    ]
    if not len(known):
        return Facts(attribute, tuple(lines))
    if attribute.value_type.is_nominal:
        counts = np.bincount(known, minlength=len(attribute.categories)).tolist()
        return _classes(attribute, lines, list(zip(attribute.categories, counts, strict=True)))
    if attribute.value_type is ValueType.TEXT:
        return _classes(attribute, lines, list(_counted(known.tolist()).items()))
    if attribute.value_type is ValueType.DATE:
        low, high = (cell_text(attribute, v) for v in (known.min(), known.max()))
        lines += [(tr("first"), low), (tr("last"), high)]
        bins = np.histogram(known.astype(np.int64), BINS)[0]
        return Facts(attribute, tuple(lines), bins=tuple(bins.tolist()), ends=(low, high))
    return _numbers(attribute, lines, known)


def _counted(texts: list[str]) -> Counter[str]:
    """Return how often each text occurs, a part at a time: the window can do something between."""
    counts: Counter[str] = Counter()
    for first in range(0, len(texts), TEXTS_AT_ONCE):
        counts.update(texts[first : first + TEXTS_AT_ONCE])
    return counts


def _classes(
    attribute: Attribute, lines: list[tuple[str, str]], counted: list[tuple[str, int]]
) -> Facts:
    present = [pair for pair in counted if pair[1]]
    lines.append((tr("different values"), count_text(len(present))))
    others = max(0, len(present) - MOST_CLASSES)
    most = nsmallest(MOST_CLASSES, present, key=lambda pair: -pair[1])
    return Facts(attribute, tuple(lines), tuple(most), others)


def _numbers(
    attribute: Attribute, lines: list[tuple[str, str]], known: np.typing.NDArray[np.float64]
) -> Facts:
    with np.errstate(all="ignore"):
        spread = known.std(ddof=1) if len(known) > 1 else np.nan
        figures = (
            (tr("minimum"), known.min()), (tr("maximum"), known.max()),
            (tr("mean"), known.mean()), (tr("standard deviation"), spread),
            (tr("median"), np.median(known)),
        )  # fmt: skip
    lines += [(name, number_text(float(value))) for name, value in figures]
    zeros = int((known == 0).sum())
    if zeros:
        lines.append((tr("zeros"), count_text(zeros)))
    finite = known[np.isfinite(known)]
    if not len(finite):
        return Facts(attribute, tuple(lines))
    counts, edges = np.histogram(finite, BINS)
    ends = number_text(float(edges[0])), number_text(float(edges[-1]))
    return Facts(attribute, tuple(lines), bins=tuple(counts.tolist()), ends=ends)


class Bars(QWidget):
    """A small histogram, or a bar for each class."""

    ROW = 20

    def __init__(self) -> None:
        super().__init__()
        self.facts: Facts | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)

    def show_facts(self, facts: Facts | None) -> None:
        """Draw other facts."""
        self.facts = facts
        self.setMinimumHeight(self.sizeHint().height())
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the width that the bars need."""
        facts = self.facts
        if facts is None or not (facts.bins or facts.classes):
            return QSize(180, 0)
        rows = len(facts.classes) + bool(facts.others)
        return QSize(180, rows * self.ROW if facts.classes else 120)

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Draw."""
        if self.facts is None:
            return
        painter = QPainter(self)
        if self.facts.classes:
            self._paint_classes(painter, self.facts)
        elif self.facts.bins:
            self._paint_bins(painter, self.facts)
        painter.end()

    def _paint_bins(self, painter: QPainter, facts: Facts) -> None:
        colours = current_colours()
        line = self.fontMetrics().height()
        floor, width = self.height() - line - 2, self.width() / len(facts.bins)
        top = max(facts.bins)
        for number, count in enumerate(facts.bins):
            tall = count / top * (floor - 2)
            bar = QRectF(number * width, floor - tall, max(width - 1, 1), tall)
            painter.fillRect(bar, colours.ports["table"])
        painter.setPen(colours.faint)
        below = QRectF(0, floor + 2, self.width(), line)
        painter.drawText(below, Qt.AlignmentFlag.AlignLeft, facts.ends[0])
        painter.drawText(below, Qt.AlignmentFlag.AlignRight, facts.ends[1])

    def _paint_classes(self, painter: QPainter, facts: Facts) -> None:
        colours = current_colours()
        top = facts.classes[0][1]
        pale = QColor(colours.ports["table"])
        pale.setAlphaF(0.35)
        for number, (name, count) in enumerate(facts.classes):
            row = QRectF(0, number * self.ROW, self.width(), self.ROW - 2)
            painter.fillRect(
                QRectF(row.x(), row.y(), count / top * row.width(), row.height()), pale
            )
            painter.setPen(colours.text)
            told = count_text(count)
            room = row.adjusted(4, 0, -4, 0)
            side = self.fontMetrics().horizontalAdvance(told) + 8
            cut = self.fontMetrics().elidedText(
                name, Qt.TextElideMode.ElideMiddle, max(10, int(room.width()) - side)
            )
            middle = Qt.AlignmentFlag.AlignVCenter
            painter.drawText(room, Qt.AlignmentFlag.AlignLeft | middle, cut)
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | middle, told)
        if facts.others:
            painter.setPen(colours.faint)
            row = QRectF(4, len(facts.classes) * self.ROW, self.width(), self.ROW)
            painter.drawText(row, tr("and {n} others", n=count_text(facts.others)))


class StatisticsPanel(QWidget):
    """Count, range, mean and the like of a column, with a small picture."""

    def __init__(self) -> None:
        super().__init__()
        self.facts: Facts | None = None
        self._asked = 0
        self.setAccessibleName(tr("Statistics of the column"))
        self.setMinimumWidth(190)
        self.heading = QLabel()
        self.heading.setWordWrap(True)
        font = self.heading.font()
        font.setBold(True)
        self.heading.setFont(font)
        self.kind = QLabel()
        self.bars = Bars()
        self._lines = QWidget()
        self._form = QFormLayout(self._lines)
        self._form.setContentsMargins(0, 4, 0, 4)
        self._form.setVerticalSpacing(2)
        layout = QVBoxLayout(self)
        for widget in (self.heading, self.kind, self._lines, self.bars):
            layout.addWidget(widget)
        layout.addStretch(1)

    def look_at(self, table: ExampleSet, position: int, rows: Rows | None) -> None:
        """Show the facts about an attribute; a thread works them out."""
        self._asked += 1
        asked = self._asked

        def show(facts: Facts) -> None:
            if asked == self._asked:
                self._show(facts)

        in_background(self, lambda: facts_of(table, position, rows), show)

    def _show(self, facts: Facts) -> None:
        self.facts = facts
        self.heading.setText(facts.attribute.name)
        self.kind.setText(kind_words(facts.attribute))
        while self._form.rowCount():
            self._form.removeRow(0)
        for name, value in facts.lines:
            shown = QLabel(value)
            shown.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            shown.setAlignment(Qt.AlignmentFlag.AlignRight)
            self._form.addRow(name, shown)
        self.bars.show_facts(facts)
        said = ", ".join(f"{name} {value}" for name, value in facts.lines)
        self.setAccessibleDescription(f"{facts.attribute.name}: {said}")
