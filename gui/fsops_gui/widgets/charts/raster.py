"""Many points as one picture: numpy writes the pixels, so 200,000 points take some milliseconds."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
from PyQt6.QtCore import QPointF, QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QImage, QPainter, QPainterPath, QPixmap, QPolygonF

from fsops_gui.widgets.charts.colours import argb

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]
Bools = npt.NDArray[np.bool_]
SMOOTH = 3_000
"""Up to so many points have smooth edges: each is drawn by itself."""
CROWD = 30_000
"""More points than this are small."""


def image_of(pixels: npt.NDArray[np.uint32]) -> QImage:
    """Return a picture that has its own copy of the pixels, shape (height, width)."""
    rows, columns = pixels.shape
    data = np.ascontiguousarray(pixels)
    image = QImage(data.tobytes(), columns, rows, 4 * columns, QImage.Format.Format_ARGB32)
    return image.copy()


def dots(
    size: QSize, x: Floats, y: Floats, codes: Ints, colours: list[QColor], *, ratio: float = 1.0
) -> QImage:
    """Return points as a picture.

    Parameters
    ----------
    size : QSize
        In pixels of the screen.
    x, y : array
        Places in the same pixels; points outside are left out.
    codes : array
        Color of each point; those of a later color are drawn above the earlier ones.
    colours : list of QColor
    ratio : float
        Pixels of the screen per pixel of the design.
    """
    seen = (x > -4) & (y > -4) & (x < size.width() + 4) & (y < size.height() + 4)
    x, y, codes = x[seen], y[seen], codes[seen]
    order = np.argsort(codes, kind="stable")
    x, y, codes = x[order], y[order], codes[order]
    if len(x) <= SMOOTH:
        return _smooth(size, x, y, codes, colours, ratio=ratio)
    diameter = round((3 if len(x) > CROWD else 5) * ratio)
    return _stamped(size, x, y, codes, colours, diameter=diameter)


def _smooth(
    size: QSize, x: Floats, y: Floats, codes: Ints, colours: list[QColor], *, ratio: float
) -> QImage:
    image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    diameter = (7 if len(x) < 400 else 5) * ratio
    marks = [_dot(colour.name(QColor.NameFormat.HexArgb), diameter) for colour in colours]
    half = marks[0].width() / 2 if marks else 0.0
    for left, top, code in zip(
        (x - half).tolist(), (y - half).tolist(), codes.tolist(), strict=True
    ):
        painter.drawPixmap(QPointF(left, top), marks[code])
    painter.end()
    return image


@cache
def _dot(colour: str, diameter: float) -> QPixmap:
    side = int(np.ceil(diameter)) + 2
    picture = QPixmap(side, side)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    edge = (side - diameter) / 2
    painter.drawEllipse(QRectF(edge, edge, diameter, diameter))
    painter.end()
    return picture


def _stamped(
    size: QSize, x: Floats, y: Floats, codes: Ints, colours: list[QColor], *, diameter: int
) -> QImage:
    edge = diameter
    width, height = size.width() + 2 * edge, size.height() + 2 * edge
    picture = np.zeros(width * height, dtype=np.uint32)
    # float32 and int32 halve the memory that is read: this loop is all the time of a pan.
    column = np.clip(x.astype(np.float32).astype(np.int32) + edge, edge // 2 + 1, width - edge)
    row = np.clip(y.astype(np.float32).astype(np.int32) + edge, edge // 2 + 1, height - edge)
    place = row.astype(np.intp) * width + column
    values = np.array([argb(c, c.alpha()) for c in colours], dtype=np.uint32)[codes]
    reach = diameter // 2
    for down in range(-reach, reach + 1):
        for right in range(-reach, reach + 1):
            if down * down + right * right <= diameter * diameter / 4:
                picture[place + (down * width + right)] = values
    return image_of(picture.reshape(height, width)[edge:-edge, edge:-edge])


def inside(polygon: QPolygonF, size: QSize, x: Floats, y: Floats) -> Ints:
    """Return which points lie in a polygon; places and polygon in pixels."""
    image = QImage(size, QImage.Format.Format_Grayscale8)
    image.fill(0)
    painter = QPainter(image)
    path = QPainterPath()
    path.addPolygon(polygon)
    path.closeSubpath()
    painter.fillPath(path, QColor("white"))
    painter.end()
    bits = image.constBits()
    if bits is None:
        return np.empty(0, dtype=np.intp)
    bits.setsize(image.sizeInBytes())
    mask = np.frombuffer(bits.asstring(), dtype=np.uint8).reshape(
        size.height(), image.bytesPerLine()
    )
    within = (x >= 0) & (y >= 0) & (x < size.width()) & (y < size.height())
    within &= np.isfinite(x) & np.isfinite(y)
    found = np.flatnonzero(within)
    hit = mask[y[found].astype(np.intp), x[found].astype(np.intp)] > 0
    result: Ints = found[hit]
    return result
