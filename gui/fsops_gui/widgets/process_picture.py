"""The picture of a process as a file: SVG as `fsops draw` writes it, PDF and PNG from the same."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QByteArray, QRectF
from PyQt6.QtGui import QPainter
from PyQt6.QtSvg import QSvgRenderer

from fsops.core.graph.process import Process
from fsops.report.picture import process_svg
from fsops.storage.files import write_bytes
from fsops_gui.widgets.picture_file import kind_of, picture_bytes


def write_picture(process: Process, path: Path) -> None:
    """Write the picture of a process, inner processes below; the suffix decides about the kind."""
    kind = kind_of(path.name)
    svg = process_svg(process).encode()
    renderer = QSvgRenderer(QByteArray(svg))
    size = renderer.defaultSize()

    def paint(painter: QPainter) -> None:
        renderer.render(painter, QRectF(0, 0, size.width(), size.height()))

    write_bytes(path, svg if kind == "svg" else picture_bytes(kind, size, paint))
