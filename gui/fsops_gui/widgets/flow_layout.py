"""Fields and buttons in lines, as words in a text: where there is no room they go to the next."""

from __future__ import annotations

from PyQt6.QtCore import QPoint, QRect, QSize, Qt
from PyQt6.QtWidgets import QLayout, QLayoutItem, QWidget

GAP = 6


class FlowLayout(QLayout):
    """Lays widgets out in lines; fields that can grow take the room that is left."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []

    def addItem(self, a0: QLayoutItem | None) -> None:
        """Put an item at the end."""
        if a0 is not None:
            self._items.append(a0)
            self.invalidate()

    def insert_first(self, widget: QWidget) -> None:
        """Put a widget in front of all others."""
        self.addWidget(widget)
        self._items.insert(0, self._items.pop())
        self.invalidate()

    def count(self) -> int:
        """Return how many items there are."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return an item."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Take an item out."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Return where more room is of use."""
        return Qt.Orientation.Horizontal

    def hasHeightForWidth(self) -> bool:
        """Return that the height depends on the width."""
        return True

    def heightForWidth(self, a0: int) -> int:
        """Return the height that is needed at a width."""
        return self._place(QRect(0, 0, a0, 0), moving=False)

    def setGeometry(self, a0: QRect) -> None:
        """Place the items."""
        super().setGeometry(a0)
        self._place(a0, moving=True)

    def sizeHint(self) -> QSize:
        """Return the size of all in one line."""
        sizes = [item.sizeHint() for item in self._shown()]
        wide = sum(size.width() + GAP for size in sizes)
        return QSize(wide, max((size.height() for size in sizes), default=0)) + self._around()

    def minimumSize(self) -> QSize:
        """Return the size of the largest item."""
        size = QSize(0, 0)
        for item in self._shown():
            size = size.expandedTo(item.minimumSize())
        return size + self._around()

    def _around(self) -> QSize:
        margins = self.contentsMargins()
        return QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _lines(self, room: int) -> list[list[QLayoutItem]]:
        lines: list[list[QLayoutItem]] = [[]]
        used = 0
        for item in self._shown():
            wide = item.sizeHint().width()
            if lines[-1] and used + wide > room:
                lines.append([])
                used = 0
            lines[-1].append(item)
            used += wide + GAP
        return lines

    def _place(self, area: QRect, *, moving: bool) -> int:
        inside = area.marginsRemoved(self.contentsMargins())
        top = inside.top()
        for line in self._lines(inside.width()):
            tall = max((item.sizeHint().height() for item in line), default=0)
            if moving:
                self._place_line(line, QRect(inside.left(), top, inside.width(), tall))
            top += tall + GAP
        margins = self.contentsMargins()
        return top - GAP - area.top() + margins.bottom()

    @staticmethod
    def _place_line(line: list[QLayoutItem], room: QRect) -> None:
        sizes = [item.sizeHint() for item in line]
        growing = [bool(i.expandingDirections() & Qt.Orientation.Horizontal) for i in line]
        left_over = room.width() - sum(s.width() for s in sizes) - GAP * (len(line) - 1)
        more = max(0, left_over) // max(1, sum(growing))
        left = room.left()
        for item, size, grows in zip(line, sizes, growing, strict=True):
            wide = min(size.width() + more * grows, room.width())
            high = room.top() + (room.height() - size.height()) // 2
            item.setGeometry(QRect(QPoint(left, high), QSize(wide, size.height())))
            left += wide + GAP


def bar_of(*fields: QWidget) -> QWidget:
    """Return fields in lines."""
    bar = QWidget()
    layout = FlowLayout(bar)
    layout.setContentsMargins(4, 4, 4, 2)
    for field in fields:
        layout.addWidget(field)
    return bar
