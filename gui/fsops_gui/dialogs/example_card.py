"""A card of an example: its picture, its title and a sentence."""

from __future__ import annotations

from PyQt6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PyQt6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QImage,
    QKeyEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPalette,
    QPen,
)
from PyQt6.QtWidgets import QAbstractButton

from fsops_gui.base.theme import current_colours

PICTURE = QSize(268, 116)
GAP = 1
"""Around a card."""
MARGIN = 12
LINES = 3
"""Of a description; the rest is in the tip."""


class Card(QAbstractButton):
    """A picture with a title and a sentence that can be pressed."""

    def __init__(self, title: str, about: str) -> None:
        super().__init__()
        self.setText(title)
        self.about = about
        self.image: QImage | None = None
        self.setAccessibleName(title)
        self.setAccessibleDescription(about)
        self.setToolTip(about)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        bold = QFontMetrics(self._bold())
        words = bold.height() + 3 + LINES * QFontMetrics(self.font()).lineSpacing()
        self.setFixedSize(PICTURE + QSize(2 * GAP, 7 + words + 10 + 2 * GAP))

    def _bold(self) -> QFont:
        font = QFont(self.font())
        font.setBold(True)
        return font

    def show_image(self, image: QImage) -> None:
        """Show the picture."""
        self.image = image
        self.update()

    def keyPressEvent(self, e: QKeyEvent | None) -> None:
        """Press with Enter too."""
        if e is not None and e.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
            return
        super().keyPressEvent(e)

    def paintEvent(self, e: QPaintEvent | None) -> None:
        """Paint the picture, the title and the topic."""
        colours, palette = current_colours(), self.palette()
        painter = QPainter(self)
        painter.setRenderHints(
            QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform
        )
        marked = self.hasFocus() or self.underMouse()
        edge = colours.selected if marked else colours.border
        frame = QRectF(self.rect()).adjusted(GAP, GAP, -GAP, -GAP)
        shape = QPainterPath()
        shape.addRoundedRect(frame, 10, 10)
        painter.fillPath(shape, palette.color(QPalette.ColorRole.Base))
        painter.setClipPath(shape)
        top = QRect(QPoint(GAP, GAP), PICTURE)
        painter.fillRect(top, colours.background)
        if self.image is not None:
            painter.drawImage(top, self.image)
        painter.setClipping(False)
        painter.setPen(QPen(edge, 2 if self.hasFocus() else 1))
        painter.drawPath(shape)
        self._write(painter, palette.color(QPalette.ColorRole.Text), colours.faint)
        painter.end()

    def _write(self, painter: QPainter, strong: QColor, faint: QColor) -> None:
        bold = self._bold()
        painter.setFont(bold)
        painter.setPen(strong)
        metrics, width = QFontMetrics(bold), self.width() - 2 * MARGIN
        top = PICTURE.height() + GAP + 7
        title = metrics.elidedText(self.text(), Qt.TextElideMode.ElideRight, width)
        painter.drawText(QRect(MARGIN, top, width, metrics.height()), 0, title)
        painter.setFont(self.font())
        painter.setPen(faint)
        below = top + metrics.height() + 3
        text = shortened(self.about, QFontMetrics(self.font()), width, LINES)
        room = QRect(MARGIN, below, width, self.height() - below)
        painter.drawText(room, Qt.TextFlag.TextWordWrap, text)


def shortened(text: str, metrics: QFontMetrics, width: int, lines: int) -> str:
    """Return a text cut after a word so that it fits into some lines."""

    def fits(part: str) -> bool:
        box = metrics.boundingRect(0, 0, width, 10_000, Qt.TextFlag.TextWordWrap, part)
        return box.height() <= lines * metrics.lineSpacing() + 1

    if fits(text):
        return text
    words = text.split()
    while words and not fits(" ".join(words) + " …"):
        words.pop()
    return " ".join(words) + " …"
