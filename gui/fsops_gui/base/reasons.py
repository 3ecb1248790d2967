"""Lists in which each line has a reason beside it, such as why an operator was found."""

from __future__ import annotations

from PyQt6.QtCore import QModelIndex, QSize, Qt
from PyQt6.QtGui import QFontMetrics, QPainter
from PyQt6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from fsops_gui.base.fonts import font
from fsops_gui.base.theme import current_colours

REASON = Qt.ItemDataRole.UserRole + 20
"""The reason of a line."""
GAP = 12
LINE = 28
"""Height of a line, at least."""


class ReasonDelegate(QStyledItemDelegate):
    """Paints the reason at the right edge, where there is room beside the text."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        """Return a line that is high enough to be hit."""
        hint = super().sizeHint(option, index)
        return QSize(hint.width(), max(hint.height(), LINE))

    def paint(
        self, painter: QPainter | None, option: QStyleOptionViewItem, index: QModelIndex
    ) -> None:
        """Paint a line and its reason."""
        super().paint(painter, option, index)
        reason = index.data(REASON)
        if painter is None or not reason:
            return
        used = QFontMetrics(option.font).horizontalAdvance(str(index.data())) + 40
        box = option.rect.adjusted(used + GAP, 0, -8, 0)
        small = QFontMetrics(font("caption"))
        words = small.elidedText(str(reason), Qt.TextElideMode.ElideRight, max(box.width(), 0))
        if len(words) > 3 or words == str(reason):
            painter.save()
            painter.setFont(font("caption"))
            painter.setPen(current_colours().faint)
            side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(box, side, words)
            painter.restore()
