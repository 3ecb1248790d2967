"""A picture of a process as the canvas draws it, for lists of processes."""

from __future__ import annotations

from PyQt6.QtCore import QRectF, QSize, Qt
from PyQt6.QtGui import QImage, QPainter

from fsops.core.process import Process
from fsops.core.registry import Registry
from fsops_gui.canvas.scene import ProcessScene
from fsops_gui.document import Document


def picture_of(process: Process, registry: Registry, size: QSize) -> QImage:
    """Return a process in a picture of a given size, in the colours of the program now.

    The process itself is not touched. It is never drawn larger than its own size.
    """
    document = Document(process.clone())
    scene = ProcessScene(document)
    image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(scene.backgroundBrush().color())
    box = scene.sceneRect()
    scale = min(size.width() / box.width(), size.height() / box.height(), 1.0)
    target = QRectF(0, 0, box.width() * scale, box.height() * scale)
    target.moveCenter(QRectF(image.rect()).center())
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    scene.render(painter, target, box, Qt.AspectRatioMode.KeepAspectRatio)
    painter.end()
    scene.deleteLater()
    document.deleteLater()
    return image
