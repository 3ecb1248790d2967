"""The overview: the whole level small, with the part that is seen as a frame to be moved."""

from __future__ import annotations

from PyQt6.QtCore import QMetaObject, QObject, QPointF, QRectF, QSize, Qt, QTimer
from PyQt6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QShowEvent,
)
from PyQt6.QtWidgets import QWidget

from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.canvas.editor import Editor

PAUSE = 200
"""Milliseconds after a change before the picture is drawn again."""
MARGIN = 4
STEP = 0.25
"""Step of an arrow key, as a fraction of the visible part."""


class OverviewPanel(QWidget):
    """A small picture of the level that the canvas shows."""

    def __init__(self) -> None:
        super().__init__()
        self._editor: Editor | None = None
        self._connections: list[QMetaObject.Connection] = []
        self._picture: QPixmap | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PAUSE)
        self._timer.timeout.connect(self._draw)
        self.setMinimumSize(120, 80)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Overview"))
        self.setAccessibleDescription(tr("The arrow keys move the visible part of the canvas."))
        self.setToolTip(tr("Click or drag to move the visible part of the canvas."))

    def sizeHint(self) -> QSize:
        """Return a small size."""
        return QSize(240, 150)

    def show_editor(self, editor: Editor) -> None:
        """Follow the canvas of a document, and no longer that of another."""
        for connection in self._connections:
            QObject.disconnect(connection)
        self._editor = editor
        bars = (editor.view.horizontalScrollBar(), editor.view.verticalScrollBar())
        self._connections = [
            editor.document.changed.connect(self.refresh),
            editor.scene.moved_to.connect(self.refresh),
            editor.view.zoomed.connect(self._follow),
            *(bar.valueChanged.connect(self._follow) for bar in bars if bar is not None),
            *(bar.rangeChanged.connect(self._follow) for bar in bars if bar is not None),
        ]
        self.refresh()

    def refresh(self, *_about: object) -> None:
        """Draw the picture again, soon."""
        self._timer.start()

    def _follow(self, *_about: object) -> None:
        if self.isVisible():
            self.update()

    def showEvent(self, a0: QShowEvent | None) -> None:
        """Draw changes made while the panel was hidden."""
        super().showEvent(a0)
        self.refresh()

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Draw in the new size."""
        super().resizeEvent(a0)
        self.refresh()

    # --- picture ----------------------------------------------------------------------------

    def _box(self) -> QRectF:
        """Return what there is to see, in the scene."""
        return self._editor.scene.sceneRect() if self._editor is not None else QRectF()

    def _scale(self) -> float:
        box = self._box()
        room = self.rect().adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
        if box.isEmpty() or room.isEmpty():
            return 1.0
        return min(room.width() / box.width(), room.height() / box.height(), 1.0)

    def target(self) -> QRectF:
        """Return where the picture is in the panel."""
        box, scale = self._box(), self._scale()
        found = QRectF(0, 0, box.width() * scale, box.height() * scale)
        found.moveCenter(QRectF(self.rect()).center())
        return found

    def seen(self) -> QRectF:
        """Return where the part that the canvas shows is in the panel."""
        if self._editor is None:
            return QRectF()
        view, target = self._editor.view, self.target()
        viewport = view.viewport()
        if viewport is None:
            return target
        shown = view.mapToScene(viewport.rect()).boundingRect() & self._box()
        scale, origin = self._scale(), self._box().topLeft()
        corner = (shown.topLeft() - origin) * scale + target.topLeft()
        return QRectF(corner.x(), corner.y(), shown.width() * scale, shown.height() * scale)

    def _draw(self) -> None:
        if self._editor is None or not self.isVisible():
            return
        target, ratio = self.target(), self.devicePixelRatioF()
        size = (target.size() * ratio).toSize()
        if size.isEmpty():
            return
        picture = QPixmap(size)
        picture.fill(current_colours().background)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        scene = self._editor.scene
        scene.set_nameless(True)  # names would cover each other here
        scene.render(painter, QRectF(picture.rect()), self._box())
        scene.set_nameless(False)
        painter.end()
        self._picture = picture
        self.update()

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Paint the picture and the frame around the visible part."""
        colours, target = current_colours(), self.target()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.fillRect(self.rect(), colours.background)
        if self._picture is not None:
            painter.drawPixmap(target, self._picture, QRectF(self._picture.rect()))
        veil = QColor(colours.selected)
        veil.setAlpha(28)
        painter.setBrush(veil)
        painter.setPen(QPen(colours.selected, 2 if self.hasFocus() else 1.3))
        painter.drawRect(self.seen())
        painter.end()

    # --- moving -----------------------------------------------------------------------------

    def _go_to(self, point: QPointF) -> None:
        """Show the part of the canvas around a point of the panel."""
        if self._editor is not None:
            away = (point - self.target().topLeft()) / self._scale()
            self._editor.view.centerOn(self._box().topLeft() + away)
            self.update()

    def mousePressEvent(self, a0: QMouseEvent | None) -> None:
        """Go to where was clicked."""
        if a0 is not None and a0.button() == Qt.MouseButton.LeftButton:
            self._go_to(a0.position())

    def mouseMoveEvent(self, a0: QMouseEvent | None) -> None:
        """Take the frame along."""
        if a0 is not None and a0.buttons() & Qt.MouseButton.LeftButton:
            self._go_to(a0.position())

    def keyPressEvent(self, a0: QKeyEvent | None) -> None:
        """Move the frame with the arrow keys."""
        steps = {
            Qt.Key.Key_Left: (-STEP, 0), Qt.Key.Key_Right: (STEP, 0),
            Qt.Key.Key_Up: (0, -STEP), Qt.Key.Key_Down: (0, STEP),
        }  # fmt: skip
        step = steps.get(Qt.Key(a0.key())) if a0 is not None else None
        if step is None:
            super().keyPressEvent(a0)
            return
        seen = self.seen()
        self._go_to(seen.center() + QPointF(step[0] * seen.width(), step[1] * seen.height()))
