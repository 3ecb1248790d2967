"""A free note on the canvas."""

from __future__ import annotations

from PyQt6.QtCore import QRectF, Qt
from PyQt6.QtGui import QPainter, QPen
from PyQt6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from fsops.core.process import Note
from fsops_gui.canvas.look import SCALE, note_font
from fsops_gui.theme import Colours


def _number(note: Note, key: str, default: float) -> float:
    try:
        return float(note.layout.get(key, default))
    except ValueError:  # a file may say anything
        return default


class NoteItem(QGraphicsItem):
    """The picture of a note."""

    def __init__(self, number: int, note: Note, colours: Colours, parent: QGraphicsItem) -> None:
        super().__init__(parent)
        self.number = number
        self.colours = colours
        self.text = note.text
        self.size = (_number(note, "width", 180) * SCALE, _number(note, "height", 60) * SCALE)
        self.setFlags(
            QGraphicsItem.GraphicsItemFlag.ItemIsSelectable
            | QGraphicsItem.GraphicsItemFlag.ItemIsMovable
        )
        self.setZValue(0.5)
        self.setPos(_number(note, "x", 0) * SCALE, _number(note, "y", 0) * SCALE)

    def boundingRect(self) -> QRectF:
        """Return the rectangle of the note."""
        return QRectF(0, 0, *self.size)

    def paint(
        self,
        painter: QPainter | None,
        option: QStyleOptionGraphicsItem | None,
        widget: QWidget | None = None,
    ) -> None:
        """Paint the note."""
        assert painter is not None
        c = self.colours
        border = QPen(c.selected, 2) if self.isSelected() else QPen(c.border, 1)
        painter.setPen(border)
        painter.setBrush(c.note)
        painter.drawRect(self.boundingRect())
        painter.setFont(note_font())
        painter.setPen(c.text)
        room = self.boundingRect().adjusted(8, 6, -8, -6)
        flags = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop
        painter.drawText(room, int(flags), self.text)
