"""Anything that can be painted as the content of a file: SVG, PDF or PNG."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QBuffer, QIODevice, QMarginsF, QRect, QSize, QSizeF
from PyQt6.QtGui import QColor, QImage, QPageSize, QPainter, QPdfWriter
from PyQt6.QtSvg import QSvgGenerator

from fsops.errors import UsageError
from fsops_gui.base.texts import tr

KINDS = {"svg": "Drawing (SVG)", "pdf": "Document (PDF)", "png": "Picture (PNG)"}
SHARPNESS = 2.0
"""Pixels of a PNG for each unit of the drawing."""
LARGEST = 12_000
"""Pixels of a PNG in each direction."""

Paint = Callable[[QPainter], None]


def kind_of(name: str) -> str:
    """Return the kind of picture that the name of a file asks for."""
    kind = name.rpartition(".")[2].lower()
    if kind not in KINDS:
        raise UsageError(
            tr('"{name}" ends in none of .svg, .pdf and .png.', name=name),
            hint=tr("Choose one of them."),
        )
    return kind


def picture_bytes(kind: str, size: QSize, paint: Paint) -> bytes:
    """Return a picture of a kind; the function paints into a rectangle of this size."""
    content = QBuffer()
    content.open(QIODevice.OpenModeFlag.WriteOnly)
    {"svg": _svg, "pdf": _pdf, "png": _png}[kind](content, size, paint)
    return bytes(content.data().data())


def _svg(content: QBuffer, size: QSize, paint: Paint) -> None:
    device = QSvgGenerator()
    device.setOutputDevice(content)
    device.setSize(size)
    device.setViewBox(QRect(0, 0, size.width(), size.height()))
    _painted(device, paint)


def _pdf(content: QBuffer, size: QSize, paint: Paint) -> None:
    device = QPdfWriter(content)
    device.setPageSize(QPageSize(QSizeF(size), QPageSize.Unit.Point))
    device.setPageMargins(QMarginsF(0, 0, 0, 0))
    _painted(device, paint, device.width() / max(size.width(), 1))


def _png(content: QBuffer, size: QSize, paint: Paint) -> None:
    scale = min(SHARPNESS, LARGEST / max(size.width(), size.height(), 1))
    image = QImage(size * scale, QImage.Format.Format_ARGB32)
    image.fill(QColor("white"))
    _painted(image, paint, scale)
    image.save(content, "PNG")


def _painted(device: QImage | QPdfWriter | QSvgGenerator, paint: Paint, scale: float = 1.0) -> None:
    painter = QPainter(device)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(scale, scale)
    paint(painter)
    painter.end()
