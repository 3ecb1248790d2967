"""The parts of the answer page: the verdict with its lamp, charts and attributes."""

from __future__ import annotations

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from fsops.data import AttributeDescriptions, AttributeWeights, SizeCurves, StudyAnswer
from fsops.report.html.answer import AnswerView, answer_view
from fsops.report.html.attributes import attribute_list
from fsops.report.html.charts import LineChart
from fsops.report.html.figures import charts_of
from fsops_gui.base.icons import glyph_font, letter_of
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.base.tokens import icon_name
from fsops_gui.panels.study.parts import StateIcon, card, faint, state_colour, text
from fsops_gui.widgets.svg_picture import SvgPicture

LIGHTS = ("red", "yellow", "green")
SHOWN = 12
"""Attributes in the list."""
PLAIN = ("Higher in", "Label", "Note")


class Lamp(QWidget):
    """A traffic light: position, sign and color say the same."""

    def __init__(self, light: str, state: str, word: str) -> None:
        super().__init__()
        self._light, self._state = light, state
        self.setFixedSize(QSize(58, 146))
        self.setAccessibleName(tr("Traffic light: {word}", word=word))

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Paint the lamp."""
        painter, colours = QPainter(self), current_colours()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colours.border, 1))
        painter.setBrush(colours.operator)
        painter.drawRoundedRect(QRectF(1, 1, 56, 144), 28, 28)
        for number, light in enumerate(LIGHTS):
            middle = QPointF(29, 30 + 43 * number)
            on = light == self._light
            painter.setPen(Qt.PenStyle.NoPen if on else QPen(colours.border, 2))
            painter.setBrush(QColor(state_colour(self._state)) if on else colours.operator)
            painter.drawEllipse(middle, 17, 17)
            if on:
                signs = {"red": "close", "yellow": "problems", "green": "check"}
                letter, family = letter_of(icon_name("action", signs[light]))
                painter.setFont(glyph_font(family, 20))
                painter.setPen(colours.operator)
                box = QRectF(middle.x() - 17, middle.y() - 17, 34, 34)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, letter)


def verdict_card(answer: StudyAnswer, curves: SizeCurves | None) -> QFrame:
    """Return the answer in words with its three numbers."""
    view = answer_view(answer, curves)
    frame = QFrame()
    frame.setObjectName(f"light_{view.state}")
    line = QHBoxLayout(frame)
    line.setContentsMargins(24, 18, 24, 18)
    line.setSpacing(22)
    line.addWidget(Lamp(view.light, view.state, view.word), 0, Qt.AlignmentFlag.AlignTop)
    words = QVBoxLayout()
    words.setSpacing(6)
    words.addWidget(text(view.headline, "heading"))
    words.addWidget(text(" ".join(view.sentences), "body"))
    words.addWidget(faint(view.not_said, "caption"))
    words.addStretch(1)
    line.addLayout(words, 6)
    line.addLayout(_numbers(view), 4)
    return frame


def _numbers(view: AnswerView) -> QGridLayout:
    """Return the numbers side by side, their values in one line."""
    grid = QGridLayout()
    grid.setHorizontalSpacing(16)
    grid.setVerticalSpacing(2)
    for column, number in enumerate(view.numbers):
        grid.setColumnStretch(column, 1)
        grid.addWidget(faint(number.name, "caption"), 1, column, Qt.AlignmentFlag.AlignBottom)
        grid.addWidget(text(number.value, "heading"), 2, column)
        grid.addWidget(faint(number.note, "caption"), 3, column, Qt.AlignmentFlag.AlignTop)
    grid.setRowStretch(0, 1)
    grid.setRowStretch(4, 1)
    return grid


def advice_cards(answer: StudyAnswer, curves: SizeCurves | None) -> list[QFrame]:
    """Return the reasons for doubt and the next steps."""
    view = answer_view(answer, curves)
    made = []
    for title, state, lines in (
        (tr("Reasons for doubt"), "warning", view.doubts),
        (tr("Next steps"), "ok", view.next_steps),
    ):
        if lines:
            frame, layout = card()
            layout.addWidget(text(title, "body_strong"))
            for words in lines:
                line = QHBoxLayout()
                line.addWidget(StateIcon(state, 16), 0, Qt.AlignmentFlag.AlignTop)
                line.addWidget(text(words, "body"), 1)
                layout.addLayout(line)
            layout.addStretch(1)
            made.append(frame)
    return made


def chart_cards(
    value: SizeCurves | AttributeWeights, answer: StudyAnswer | None = None
) -> list[QFrame]:
    """Return the charts of a result, each in a card."""
    made = []
    for chart in charts_of(value, answer):
        frame, layout = card()
        layout.addWidget(text(chart.title, "body_strong"))
        layout.addWidget(faint(chart.about, "caption"))
        if isinstance(chart, LineChart) and len(chart.lines) > 1:
            layout.addWidget(Legend(chart.legend))
        picture = SvgPicture(next(iter(chart.svgs())), QSize(280, 130))
        picture.setAccessibleName(chart.alt)
        layout.addWidget(picture, 1)
        made.append(frame)
    return made


class Legend(QWidget):
    """The names of lines in their colors, as wide as there is room."""

    def __init__(self, lines: list[tuple[str, str]]) -> None:
        """Take the marker of each line, a picture of 14 × 14, and its name."""
        super().__init__()
        from fsops_gui.widgets.flow_layout import FlowLayout

        layout = FlowLayout()
        layout.setContentsMargins(0, 0, 0, 0)
        for marker, name in lines:
            one = QWidget()
            row = QHBoxLayout(one)
            row.setContentsMargins(0, 0, 10, 0)
            row.setSpacing(5)
            dot = SvgPicture(marker)
            dot.setFixedSize(14, 14)
            row.addWidget(dot)
            row.addWidget(faint(name, "caption"))
            layout.addWidget(one)
        self.setLayout(layout)


def attributes_card(described: AttributeDescriptions, answer: StudyAnswer | None) -> QFrame:
    """Return the attributes with effect, interval and frequency."""
    listed = attribute_list(described, answer, most=SHOWN)
    frame, layout = card()
    top = QHBoxLayout()
    top.addWidget(text(listed.heading, "body_strong", wrap=False))
    top.addWidget(faint(listed.about, "caption"), 1)
    if listed.limit:
        top.addWidget(faint(f"┃ {listed.limit}", "caption"))
    layout.addLayout(top)
    grid = QGridLayout()
    grid.setHorizontalSpacing(16)
    grid.setVerticalSpacing(4)
    grid.addWidget(faint(tr("Attribute"), "caption"), 0, 1)
    for column, (name, _) in enumerate(listed.columns):
        grid.addWidget(faint(name, "caption"), 0, column + 2)
    for number, row in enumerate(listed.rows, 1):
        grid.addWidget(StateIcon("ok" if row.state == "ok" else "waiting", 16), number, 0)
        grid.addWidget(text(row.name, "body_strong", wrap=False), number, 1)
        for column, cell in enumerate(row.cells):
            grid.addWidget(_cell(cell.text, cell.plot), number, column + 2)
    grid.setColumnStretch(len(listed.columns) + 1, 1)
    layout.addLayout(grid)
    if listed.more:
        more = tr("{n:,} more are in the results of the process.", n=listed.more)
        layout.addWidget(faint(more, "caption"))
    return frame


def _cell(words: str, plot: str) -> QWidget:
    if not plot:
        return text(words, "body", wrap=False)
    made = QWidget()
    row = QHBoxLayout(made)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(8)
    picture = SvgPicture(plot)
    picture.setFixedSize(picture.sizeHint())
    row.addWidget(picture)
    if words:
        row.addWidget(text(words, "body", wrap=False))
    row.addStretch(1)
    return made
