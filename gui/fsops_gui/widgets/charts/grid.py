"""A matrix as colored cells: heat maps and tables of selections."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from PyQt6.QtCore import QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from fsops_gui.base.fonts import font
from fsops_gui.base.theme import current_colours
from fsops_gui.widgets.charts.chart import Chart, Hover, How, PlotRange
from fsops_gui.widgets.charts.raster import image_of

Levels = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.intp]
NOTHING: Ints = np.empty(0, dtype=np.intp)
NAME_ROOM = 130
"""Most pixels that the names of rows take."""
BAND = 20
"""Pixels above the cells for the groups of columns."""
Branch = tuple[float, float, float, float]


class GridChart(Chart):
    """Cells with names of rows at the left and groups of columns above.

    The plane has the columns as x = 0 … and the rows from top to bottom.
    """

    cell_chosen = pyqtSignal(int, int, object)
    """Row, column, and `How`."""
    box_chosen = pyqtSignal(object, object, object)
    """Rows and columns inside a box, and `How`."""
    name_chosen = pyqtSignal(int, object)
    """Row whose name was clicked, and `How`."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.has_x = self.has_y = False
        self.levels: Levels = np.zeros((0, 0), dtype=np.uint8)
        self.row_names: Sequence[str] = ()
        self.groups: Sequence[tuple[str, int]] = ()
        """Names of neighboring columns, and how many each has."""
        self.group_colours: Callable[[], list[QColor]] = list
        self.scale: Callable[[], npt.NDArray[np.uint32]]
        self.about: Callable[[int, int], str] = lambda row, column: f"{row}, {column}"
        self.marked_rows: Ints = NOTHING
        self.marked_columns: Ints = NOTHING
        self.tree: Sequence[Branch] = ()
        """Lines of a dendrogram at the right: height and row of both ends."""
        self.writes = False
        """Whether the numbers of few cells are written: `texts`."""
        self.texts: Sequence[Sequence[str]] = ()

    def set_cells(self, levels: Levels, row_names: Sequence[str]) -> None:
        """Show a matrix of levels between 0 and 255."""
        self.levels, self.row_names = levels, row_names
        self.marked_rows = self.marked_columns = NOTHING
        rows, columns = levels.shape
        self.set_home(PlotRange(0.0, max(1, columns), 0.0, max(1, rows)), margin=0.0)

    # --- places -----------------------------------------------------------------------------

    def plot_rect(self) -> QRectF:
        """Return the room of the cells."""
        names = self._name_room()
        top = BAND if self.groups else 6
        right = 46 if self.tree else 8
        bottom = 8 + 18 * bool(self.x_title)
        return QRectF(
            names, top, max(10, self.width() - names - right), max(10, self.height() - top - bottom)
        )

    def _name_room(self) -> float:
        if not self.row_names:
            return 8.0
        metrics = QFontMetricsF(font("caption"))
        longest = max(metrics.horizontalAdvance(name) for name in self.row_names[:60])
        return min(longest, NAME_ROOM, 0.34 * self.width()) + 14

    def cell_at(self, place: QPointF) -> tuple[int, int] | None:
        """Return row and column at a pixel; None outside."""
        if not self.plot_rect().contains(place):
            return None
        x, y = self.point(place)
        rows, columns = self.levels.shape
        row, column = rows - 1 - int(np.floor(y)), int(np.floor(x))
        return (row, column) if 0 <= row < rows and 0 <= column < columns else None

    def row_rect(self, row: int) -> QRectF:
        """Return the room of a row of cells."""
        rows, columns = self.levels.shape
        x, y = self.pixels(np.array([0.0, columns]), np.array([rows - row, rows - row - 1.0]))
        return QRectF(QPointF(x[0], y[0]), QPointF(x[1], y[1]))

    def column_rect(self, column: int) -> QRectF:
        """Return the room of a column of cells."""
        rows = self.levels.shape[0]
        x, y = self.pixels(np.array([column, column + 1.0]), np.array([float(rows), 0.0]))
        return QRectF(QPointF(x[0], y[0]), QPointF(x[1], y[1]))

    # --- painting ---------------------------------------------------------------------------

    def paint_data(self, painter: QPainter, at: QRectF) -> None:
        """Draw the cells from one picture, lines between large ones, and the marks."""
        rows, columns = self.levels.shape
        if not rows or not columns:
            return
        x, y = self.pixels(np.array([0.0, columns]), np.array([float(rows), 0.0]))
        place = QRectF(QPointF(x[0], y[0]), QPointF(x[1], y[1]))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.drawImage(place, image_of(self.scale()[self.levels]))
        self._paint_lines(painter, place)
        if self.writes and len(self.texts) == rows:
            self._paint_texts(painter)
        self._dim_other_columns(painter)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(current_colours().selected, 2))
        for row in self.marked_rows.tolist():
            painter.drawRoundedRect(self.row_rect(row).adjusted(0, 0, 0, 0), 2, 2)

    def _dim_other_columns(self, painter: QPainter) -> None:
        """Fade the columns that are not marked: frames around thin ones would hide their cells."""
        if not len(self.marked_columns):
            return
        others = np.ones(self.levels.shape[1] + 2, dtype=bool)
        others[0] = others[-1] = False
        others[self.marked_columns + 1] = False
        edges = np.flatnonzero(np.diff(others.astype(np.int8)))
        veil = QColor(current_colours().operator)
        veil.setAlphaF(0.72)
        for first, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            left, right = self.column_rect(first), self.column_rect(end - 1)
            painter.fillRect(left.united(right), veil)

    def _paint_lines(self, painter: QPainter, place: QRectF) -> None:
        rows, columns = self.levels.shape
        painter.setPen(QPen(current_colours().operator, 1))
        if place.height() / rows >= 7:
            for row in range(1, rows):
                y = self.row_rect(row).top()
                painter.drawLine(QPointF(place.left(), y), QPointF(place.right(), y))
        if place.width() / columns >= 7:
            for column in range(1, columns):
                x = self.column_rect(column).left()
                painter.drawLine(QPointF(x, place.top()), QPointF(x, place.bottom()))

    def _paint_texts(self, painter: QPainter) -> None:
        painter.setFont(font("body_strong"))
        scale = self.scale()
        for row, texts in enumerate(self.texts):
            for column, text in enumerate(texts):
                box = self.row_rect(row).intersected(self.column_rect(column))
                back = QColor.fromRgb(int(scale[self.levels[row, column]]))
                painter.setPen(QColor("#10151c" if back.lightness() > 140 else "#f6f8fb"))
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def paint_above(self, painter: QPainter, at: QRectF) -> None:
        """Write the names of rows and groups; draw the dendrogram."""
        painter.setFont(font("caption"))
        metrics = QFontMetricsF(painter.font())
        self._paint_names(painter, at, metrics)
        colours, start = self.group_colours(), 0
        for number, (name, count) in enumerate(self.groups):
            x, _ = self.pixels(np.array([start, start + count], dtype=float), np.zeros(2))
            left, right = max(at.left(), x[0]), min(at.right(), x[1] - 1)
            start += count
            if right - left < 3:
                continue
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colours[number])
            painter.drawRoundedRect(QRectF(left, at.top() - 5, right - left, 4), 1.5, 1.5)
            painter.setPen(current_colours().secondary)
            text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, right - left)
            painter.drawText(QRectF(left, 0, right - left, BAND - 5), 0, text)
        painter.setPen(QPen(current_colours().strong_border, 1))
        for from_x, from_y, to_x, to_y in self.tree:
            ends = []
            for height, row in ((from_x, from_y), (to_x, to_y)):
                y = self.pixels(np.zeros(1), np.array([self.levels.shape[0] - row]))[1][0]
                ends.append(
                    QPointF(at.right() + 4 + 36 * height, min(max(y, at.top()), at.bottom()))
                )
            painter.drawLine(*ends)

    def _paint_names(self, painter: QPainter, at: QRectF, metrics: QFontMetricsF) -> None:
        height = self.row_rect(0).height() if len(self.levels) else 0
        every = max(1, int(np.ceil(metrics.height() * 0.92 / max(height, 1e-9))))
        marked = set(self.marked_rows.tolist())
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for row, name in enumerate(self.row_names):
            box = self.row_rect(row)
            middle = box.center().y()
            shown = row % every == 0 or row in marked
            if not shown or not at.top() <= middle <= at.bottom():
                continue
            painter.setPen(
                current_colours().selected if row in marked else current_colours().secondary
            )
            painter.setFont(font("caption"))
            place = QRectF(2, middle - metrics.height() / 2, at.left() - 8, metrics.height())
            text = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, place.width())
            painter.drawText(place, right, text)

    # --- choosing ---------------------------------------------------------------------------

    def hit(self, place: QPointF) -> Hover | None:
        """Return words about the cell under the mouse."""
        found = self.cell_at(place)
        return None if found is None else Hover(place, self.about(*found))

    def _name_at(self, place: QPointF) -> int | None:
        at = self.plot_rect()
        if place.x() >= at.left() or not at.top() <= place.y() <= at.bottom():
            return None
        found = self.cell_at(QPointF(at.left() + 1, place.y()))
        return None if found is None else found[0]

    def click(self, place: QPointF, how: How) -> None:
        """Choose a cell, or a row by its name."""
        found, name = self.cell_at(place), self._name_at(place)
        if found is not None:
            self.cell_chosen.emit(*found, how)
        elif name is not None:
            self.name_chosen.emit(name, how)
        elif how is How.REPLACE:
            self.cleared.emit()

    def choose_inside(self, polygon: QPolygonF, how: How) -> None:
        """Choose the rows and columns that a box touches."""
        box = polygon.boundingRect().intersected(self.plot_rect())
        first, last = self.cell_at(box.topLeft()), self.cell_at(box.bottomRight() - QPointF(1, 1))
        if first is not None and last is not None:
            rows = np.arange(first[0], last[0] + 1, dtype=np.intp)
            self.box_chosen.emit(rows, np.arange(first[1], last[1] + 1, dtype=np.intp), how)
