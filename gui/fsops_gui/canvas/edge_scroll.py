"""The canvas scrolls while something is dragged to its edge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, QTimer
from PyQt6.QtGui import QMouseEvent
from PyQt6.QtWidgets import QApplication

if TYPE_CHECKING:
    from fsops_gui.canvas.view import ProcessView

NEAR, PAUSE = 24, 30
"""So near to the edge the canvas scrolls, at most so far, and again after so many ms."""


class EdgeScroll(QObject):
    """Scrolls the view while a wire or an operator is held at its edge, and takes it along."""

    def __init__(self, view: ProcessView) -> None:
        super().__init__(view)
        self._view = view
        self._at = QPoint()
        self._timer = QTimer(self)
        self._timer.setInterval(PAUSE)
        self._timer.timeout.connect(self._go_on)

    def move(self, point: QPoint) -> None:
        """Take notice of where the mouse pulls something to."""
        self._at = point
        if self._way() != QPoint() and not self._timer.isActive():
            self._timer.start()

    def end(self) -> None:
        """Nothing is pulled any longer."""
        self._timer.stop()

    def _way(self) -> QPoint:
        """Return how far the mouse is beyond the line near the edge, to each side."""
        viewport = self._view.viewport()
        if viewport is None:
            return QPoint()
        room = viewport.rect().adjusted(NEAR, NEAR, -NEAR, -NEAR)
        x = min(self._at.x() - room.left(), 0) + max(self._at.x() - room.right(), 0)
        return QPoint(x, min(self._at.y() - room.top(), 0) + max(self._at.y() - room.bottom(), 0))

    def _go_on(self) -> None:
        way, viewport = self._way(), self._view.viewport()
        if way == QPoint() or not self._view.process_scene.mouse.busy or viewport is None:
            self.end()
            return
        across, down = self._view.horizontalScrollBar(), self._view.verticalScrollBar()
        for bar, step in ((across, way.x()), (down, way.y())):
            if bar is not None:
                bar.setValue(bar.value() + max(-NEAR, min(step, NEAR)))
        at, none = QPointF(self._at), Qt.KeyboardModifier.NoModifier
        held = (Qt.MouseButton.NoButton, Qt.MouseButton.LeftButton)
        event = QMouseEvent(QEvent.Type.MouseMove, at, viewport.mapToGlobal(at), *held, none)
        QApplication.sendEvent(viewport, event)
