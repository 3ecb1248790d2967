"""How a level is painted: its frame, its name, its ports, and a hint where it is empty."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QPainter, QPen
from PyQt6.QtWidgets import QStyleOptionGraphicsItem

from fsops.core.graph.wiring import SINK, SOURCE
from fsops.editing.connections import End, ShownPort
from fsops_gui.base.texts import tr
from fsops_gui.base.tokens import icon_name, tokens
from fsops_gui.canvas.card import NAMELESS, paint_glyph, paint_port, paint_ring
from fsops_gui.canvas.look import (
    GLYPH_ZOOM,
    elided,
    laid_out,
    plain_port_name,
    small_font,
    text_width,
    title_font,
)
from fsops_gui.document.checker import ERROR_SIGN

if TYPE_CHECKING:
    from fsops_gui.canvas.frame_item import FrameItem

CORNER = float(tokens()["radius"]["frame"])


def paint_frame(painter: QPainter, frame: FrameItem) -> None:
    """Paint the frame, its title, and the ports at its edges."""
    c = frame.colours
    if frame.is_plain:
        painter.fillRect(frame.rect(), c.frame)
        return
    painter.setPen(QPen(c.selected if frame.active else c.border, 1))
    painter.setBrush(c.frame)
    painter.drawRoundedRect(frame.rect(), CORNER, CORNER)
    zoom = QStyleOptionGraphicsItem.levelOfDetailFromTransform(painter.worldTransform())
    _paint_head(painter, frame, zoom)
    for source in (True, False):
        for port in frame.edge_ports(source=source):
            _paint_port(painter, frame, port, source=source, words=zoom >= GLYPH_ZOOM)
    if not frame.operators:
        _paint_hint(painter, frame)


def _paint_head(painter: QPainter, frame: FrameItem, zoom: float) -> None:
    """Write the name of the level, and its problems."""
    head = QRectF(frame.rect().left() + 16, frame.rect().top() + 8, frame.rect().width() - 32, 22)
    if zoom < GLYPH_ZOOM:  # of constant size on the screen
        painter.save()
        painter.translate(head.left(), head.top())
        painter.scale(1 / zoom, 1 / zoom)
        painter.setFont(small_font())
        painter.setPen(frame.colours.text)
        if zoom >= NAMELESS and not any(i.nameless for i in frame.operators.values()):
            text = elided(frame.process.name, head.width() * zoom)
            painter.drawStaticText(QPointF(0, 0), laid_out(text))
        painter.restore()
        return
    share = 0.45 if frame.faults else 1.0
    name = elided(frame.process.name, head.width() * share, bold=True)
    painter.setFont(title_font())
    painter.setPen(frame.colours.text)
    painter.drawStaticText(head.topLeft(), laid_out(name, bold=True))
    if frame.faults:
        painter.setFont(small_font())
        grave = frame.faults[0].startswith(ERROR_SIGN)
        painter.setPen(frame.colours.error if grave else frame.colours.warning)
        text = elided(frame.faults[0], head.width() - text_width(name, bold=True) - 24)
        place = QPointF(head.right() - text_width(text), head.top() + 2)
        painter.drawStaticText(place, laid_out(text))


def _paint_port(
    painter: QPainter, frame: FrameItem, port: ShownPort, *, source: bool, words: bool
) -> None:
    end = End(SOURCE if source else SINK, port.name, source)
    place = frame.place(end)
    paint_port(
        painter,
        place,
        port,
        frame.colours,
        glows=end in frame.glowing,
        wired=frame.is_wired(end),
        end=end,
    )
    if end == frame.focused:
        paint_ring(painter, place, frame.colours)
    if not words:
        return
    text = plain_port_name(port.name)
    left = place.x() + 11 if source else place.x() - 11 - text_width(text)
    painter.setFont(small_font())
    painter.setPen(frame.colours.faint)
    painter.drawStaticText(QPointF(left, place.y() - 19), laid_out(text))


def _paint_hint(painter: QPainter, frame: FrameItem) -> None:
    """Say what to do with an empty process."""
    c, middle = frame.colours, frame.rect().center()
    box = QRectF(middle.x() - 150, middle.y() - 62, 300, 124)
    painter.setPen(QPen(c.strong_border, 1, Qt.PenStyle.DashLine))
    painter.setBrush(c.disabled)
    painter.drawRoundedRect(box, 10, 10)
    icon = QRectF(middle.x() - 14, box.top() + 16, 28, 28)
    paint_glyph(painter, icon_name("action", "process"), icon, 0.9, c.secondary)
    lines = (
        (tr("Nothing here yet"), True, c.text, 54.0),
        (tr("Type the name of an operator, drag one here"), False, c.secondary, 78.0),
        (tr("from the list on the left, or drop a table."), False, c.secondary, 94.0),
    )
    for text, bold, colour, down in lines:
        painter.setFont(title_font() if bold else small_font())
        painter.setPen(colour)
        left = middle.x() - text_width(text, bold) / 2
        painter.drawStaticText(QPointF(left, box.top() + down), laid_out(text, bold))
