"""Facts about the attribute in focus, beside the views."""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PyQt6.QtWidgets import QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from fsops_gui.base.background import in_background
from fsops_gui.base.fonts import font
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.panels.explore.material import Material
from fsops_gui.panels.explore.selection import SharedSelection
from fsops_gui.widgets.charts.chart import How
from fsops_gui.widgets.charts.ticks import number_text

WIDTH = 252
LINE = 24
NEARLY = 0.95
"""Correlation from which two attributes say nearly the same."""
CERTAIN = 0.05


class FoldStrip(QWidget):
    """A square for each repetition: filled if it chose the attribute."""

    def __init__(self) -> None:
        super().__init__()
        self.chosen: list[bool] = []
        self.names: tuple[str, ...] = ()

    def show_folds(self, chosen: list[bool], names: tuple[str, ...]) -> None:
        """Show repetitions."""
        self.chosen, self.names = chosen, names
        self.setToolTip(", ".join(n for n, on in zip(names, chosen, strict=True) if on))
        self.updateGeometry()
        self.update()

    def _per_line(self) -> int:
        return max(1, (self.width() or WIDTH) // 20)

    def sizeHint(self) -> QSize:
        """Return the room of all squares."""
        lines = -(-len(self.chosen) // max(1, (WIDTH - 32) // 20))
        return QSize(60, 20 * max(1, min(lines, 8)))

    def minimumSizeHint(self) -> QSize:
        """Return the same."""
        return self.sizeHint()

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Paint the squares."""
        colours, painter = current_colours(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for number, on in enumerate(self.chosen):
            line, place = divmod(number, self._per_line())
            box = QRectF(place * 20, line * 20, 16, 16)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colours.done if on else colours.border)
            painter.drawRoundedRect(box, 4, 4)
            if on:
                painter.setPen(colours.operator)
                painter.setFont(font("micro"))
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "✓")
        painter.end()


class CorrelationBars(QWidget):
    """Attributes with a bar to the left or right of the middle; a click chooses one."""

    chosen = pyqtSignal(int, object)

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[int, float]] = []
        self.names: list[str] = []
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_bars(self, found: list[tuple[int, float]], names: list[str]) -> None:
        """Show attributes and correlations."""
        self.found, self.names = found, names
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return a line per attribute."""
        return QSize(120, LINE * len(self.found))

    def minimumSizeHint(self) -> QSize:
        """Return the same."""
        return self.sizeHint()

    def mouseReleaseEvent(self, a0: QMouseEvent | None) -> None:
        """Choose the attribute of a line."""
        if a0 is not None:
            line = int(a0.position().y() // LINE)
            if 0 <= line < len(self.found):
                self.chosen.emit(self.found[line][0], How.of(a0.modifiers()))

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Paint name, bar and number."""
        colours, painter = current_colours(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(font("caption"))
        wide = self.width()
        # Names get the room of bars to the left, where there are none.
        negative = any(r < 0 for _, r in self.found)
        middle, half = (wide * 0.66, wide * 0.14) if negative else (wide * 0.62, wide * 0.2)
        names = middle - (half if negative else 0.0) - 6
        for line, ((_, r), name) in enumerate(zip(self.found, self.names, strict=True)):
            top = line * LINE
            painter.setPen(colours.text)
            text = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, int(names))
            left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
            painter.drawText(QRectF(0, top, names, LINE), left, text)
            painter.setPen(colours.border)
            painter.drawLine(QPointF(middle, top + 4), QPointF(middle, top + LINE - 4))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colours.data["bar"])
            start = middle + min(0.0, r) * half
            painter.drawRoundedRect(QRectF(start, top + 6, abs(r) * half, LINE - 12), 2, 2)
            painter.setPen(colours.secondary)
            right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            number = f"{r:.2f}".replace("-", "−")
            painter.drawText(QRectF(wide * 0.82, top, wide * 0.18 - 2, LINE), right, number)
        painter.end()


class DetailsPanel(QScrollArea):
    """One attribute: the repetitions that chose it, its correlates, its places elsewhere."""

    leave_out_wanted = pyqtSignal()

    def __init__(self, material: Material, selection: SharedSelection) -> None:
        super().__init__()
        self.material, self.selection = material, selection
        self.setObjectName("details")
        self.setFixedWidth(WIDTH)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.name, self.about = QLabel(), QLabel()
        self.name.setFont(font("title"))
        self.name.setWordWrap(True)
        self.name.setTextFormat(Qt.TextFormat.PlainText)
        self.folds, self.folds_words = FoldStrip(), QLabel()
        self.bars, self.bars_words = CorrelationBars(), QLabel()
        self.places = QLabel()
        self.leave_out = QPushButton(tr("Leave out"))
        self.leave_out.setToolTip(tr("Add an operator that removes the chosen attributes"))
        self.leave_out.clicked.connect(self.leave_out_wanted)
        self.bars.chosen.connect(
            lambda a, how: selection.choose_attributes(np.array([a], dtype=np.intp), how)
        )
        words = (tr("Chosen in repetitions"), tr("Correlates with"), tr("In other methods"))
        self._titles = [self._title(text) for text in words]
        self._lay_out()
        self._asked: int | None = None
        selection.changed.connect(self.show_selection)
        self.show_selection()

    @staticmethod
    def _title(text: str) -> QLabel:
        label = QLabel(text)
        label.setFont(font("body_strong"))
        return label

    def _lay_out(self) -> None:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(16, 14, 14, 14)
        column.setSpacing(4)
        for label in (self.about, self.folds_words, self.bars_words, self.places):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setFont(font("caption"))
        column.addWidget(self.name)
        column.addWidget(self.about)
        parts: tuple[tuple[QLabel, tuple[QWidget, ...]], ...] = (
            (self._titles[0], (self.folds, self.folds_words)),
            (self._titles[1], (self.bars, self.bars_words)),
            (self._titles[2], (self.places,)),
        )
        for title, widgets in parts:
            column.addSpacing(10)
            column.addWidget(title)
            for widget in widgets:
                column.addWidget(widget)
        column.addStretch(1)
        column.addWidget(self.leave_out)
        self.setWidget(inside)

    def show_selection(self) -> None:
        """Show the attribute in focus, or a hint."""
        focus = self.selection.focus
        known = focus is not None
        for widget in (*self._titles, self.folds, self.folds_words, self.bars, self.bars_words,
                       self.places, self.leave_out):  # fmt: skip
            widget.setVisible(known)
        if focus is None:
            self._asked = None
            self.name.setText(tr("No attribute chosen"))
            self.about.setText(
                tr(
                    "Click a bar, a point, a cell or a row: the attribute is marked in every view. "
                    "Drag over rows to mark them. Shift adds, Ctrl toggles, Esc clears."
                )
            )
            return
        self.name.setText(self.material.names[focus])
        count = len(self.selection.attributes)
        more = tr("and {n} more attributes chosen", n=count - 1) if count > 1 else ""
        self.about.setText(more)
        self.about.setVisible(bool(more))
        self._show_folds(focus)
        self._show_places(focus)
        if focus != self._asked:
            self._ask_correlates(focus)

    def _show_folds(self, attribute: int) -> None:
        repeats = self.material.repeats
        self.folds.setVisible(repeats is not None)
        if repeats is None:
            self.folds_words.setText(
                tr("This run has no repeated selections. Add Feature Selection Stability.")
            )
            return
        chosen = [bool(on) for on in repeats.selected[:, attribute]]
        self.folds.show_folds(chosen, repeats.runs)
        limit = chance_limit(len(chosen), float(repeats.selected.mean()))
        self.folds_words.setText(
            tr(
                "{n} of {all}. By chance alone, at most {limit} repetitions would select it.",
                n=sum(chosen),
                all=len(chosen),
                limit=limit,
            )  # fmt: skip
        )

    def _show_places(self, attribute: int) -> None:
        parts = self.material.weightings
        self._titles[2].setVisible(bool(parts))
        self.places.setVisible(bool(parts))
        self.places.setText(
            "\n".join(
                tr("{title}: place {n}", title=part.title, n=int(part.places[attribute]))
                for part in parts[:8]
            )
        )

    def _ask_correlates(self, attribute: int) -> None:
        self._asked = attribute
        material = self.material
        self.bars.show_bars([], [])
        self.bars_words.setText("")

        def show(found: list[tuple[int, float]]) -> None:
            if attribute == self._asked:
                self._show_correlates(found)

        in_background(self, lambda: material.correlates(attribute), show)

    def _show_correlates(self, found: list[tuple[int, float]]) -> None:
        names = [self.material.names[a] for a, _ in found]
        self.bars.show_bars(found, names)
        text = "" if found else tr("No other attribute varies with it.")
        if found and abs(found[0][1]) >= NEARLY:
            text = tr(
                "{name} has nearly the same values (r = {r}). One of the two may do.",
                name=names[0], r=number_text(found[0][1], 2),
            )  # fmt: skip
        self.bars_words.setText(text)
        self.bars_words.setVisible(bool(text))

    def changeEvent(self, a0: QEvent | None) -> None:
        """Paint in the colors of the theme."""
        super().changeEvent(a0)
        if a0 is not None and a0.type() == QEvent.Type.PaletteChange:
            self.folds.update()
            self.bars.update()


def chance_limit(repetitions: int, fraction: float) -> int:
    """Return how many repetitions choose an attribute by chance, with a probability below 5 %.

    Each is taken to choose its attributes at random, independently: a binomial distribution.
    """
    from scipy.special import bdtr

    counts = np.arange(repetitions + 1)
    return int(counts[bdtr(counts, repetitions, fraction) >= 1 - CERTAIN][0])
