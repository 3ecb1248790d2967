"""A picture of a process as the canvas draws it, for lists of processes."""

from __future__ import annotations

from PyQt6.QtCore import QRectF, QSize, Qt
from PyQt6.QtGui import QImage, QPainter

from fsops.core.graph.process import Process
from fsops.core.graph.wiring import SINK, SOURCE
from fsops.core.registry import Registry
from fsops_gui.canvas.scene import ProcessScene
from fsops_gui.document.document import Document

MARGIN = 24.0
"""Around the operators, at least."""
PADDING = 0.09
"""Around the operators, as a part of their size."""


def picture_of(process: Process, registry: Registry, size: QSize, largest: float = 1.0) -> QImage:
    """Return the operators of a process in a picture of a given size, in the colors of now.

    The process itself is not touched. It is drawn at most so many times as large as it is.
    """
    document = Document(process.clone())
    scene = ProcessScene(document)
    image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
    scene.plain = True
    scene.set_nameless(True)
    image.fill(scene.frames[0].colours.frame)
    box = _part(scene, size, largest)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    scene.render(painter, QRectF(image.rect()), box, Qt.AspectRatioMode.KeepAspectRatio)
    painter.end()
    scene.deleteLater()
    document.deleteLater()
    return image


def _part(scene: ProcessScene, size: QSize, largest: float) -> QRectF:
    """Return the part of a scene that has the operators, in the shape of the picture."""
    box = QRectF()
    for frame in scene.frames:
        frame.is_plain = True
        for note in frame.notes:
            note.hide()  # too small to read, or only a part of it would be seen
        for wire, drawn in frame.wires.items():
            drawn.setVisible(wire.from_node != SOURCE and wire.to_node != SINK)
        for item in frame.operators.values():
            box = box.united(item.mapRectToScene(item.body()))
    box = box if not box.isEmpty() else scene.sceneRect()
    aside, above = max(MARGIN, PADDING * box.width()), max(MARGIN, PADDING * box.height())
    box.adjust(-aside, -above, aside, above)
    scale = max(box.width() / size.width(), box.height() / size.height(), 1 / largest)
    part = QRectF(0, 0, size.width() * scale, size.height() * scale)
    part.moveCenter(box.center())
    return part
