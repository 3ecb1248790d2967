"""How an operator is painted: a full card, a compact one, and an icon with its name."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import TYPE_CHECKING

from PyQt6.QtCore import QPointF, QRectF, QSizeF, Qt
from PyQt6.QtGui import QBrush, QColor, QFont, QPainter, QPainterPath, QPen, QStaticText

from fsops.editing.connections import End, ShownPort
from fsops_gui.base.fonts import sized_font
from fsops_gui.base.icons import glyph_font, letter_of
from fsops_gui.base.theme import Colours
from fsops_gui.base.tokens import icon_name, tokens
from fsops_gui.canvas.look import (
    FOOT,
    NAME_WEIGHT,
    PORT,
    TILE,
    TITLE,
    elided,
    laid_out,
    plain_port_name,
    port_colour,
    port_shape,
    small_font,
    text_width,
    title_font,
    wrapped,
)
from fsops_gui.canvas.mini_plot import paint_plot

if TYPE_CHECKING:
    from fsops_gui.canvas.operator_item import OperatorItem

PAD = 10.0
CARD_RADIUS, TILE_RADIUS = tokens()["radius"]["card"], tokens()["radius"]["tile"]
HALO = 4.0
TURN = 1.2
"""Seconds in which the arc of a running operator goes round."""
STOP = 6.0
"""Half the size of the sign of a breakpoint."""
FAR_TEXT, FAR_LINE, FAR_ICON = 10.5, 12.5, 18.0
PLUS_RADIUS = 8.0
"""Name, line and icon of an operator that is seen from far away, in pixels of the screen."""
NAMELESS = 0.2
"""Below this there is no room for names, as in the overview."""
NEAR_TEXT = 11.0
"""The least size of a name on a compact card, in pixels of the screen."""


def paint_card(painter: QPainter, item: OperatorItem, *, hovered: bool) -> None:
    """Paint everything that is known of an operator."""
    _paint_body(painter, item, hovered=hovered)
    _paint_tile(painter, item, QRectF(PAD, (TITLE - TILE) / 2, TILE, TILE))
    _paint_words(painter, item)
    paint_state(painter, item, item.bubble())
    _paint_side(painter, item, item.shown.inputs, outgoing=False)
    _paint_side(painter, item, item.shown.outputs, outgoing=True)
    plot = item.plot_box()
    if item.preview is not None and plot is not None:
        painter.setPen(QPen(item.colours.border, 1))
        painter.drawLine(plot.topLeft() - QPointF(0, 6), plot.topRight() - QPointF(0, 6))
        stale = item.run.stale
        strong = item.isSelected()
        paint_plot(painter, plot, item.preview, item.colours, stale=stale, strong=strong)
    _paint_foot(painter, item)
    _paint_breakpoints(painter, item)
    for _, place in item.plus_places():
        _paint_plus(painter, item, place)
    if item.order:
        _paint_order(painter, item)


def _paint_plus(painter: QPainter, item: OperatorItem, place: QPointF) -> None:
    """Paint the sign that a click adds an operator behind a port."""
    painter.setPen(QPen(item.colours.selected, 1))
    painter.setBrush(item.colours.selected_tint)
    painter.drawEllipse(place, PLUS_RADIUS, PLUS_RADIUS)
    painter.setPen(QPen(item.colours.selected, 1.6))
    painter.drawLine(place - QPointF(4, 0), place + QPointF(4, 0))
    painter.drawLine(place - QPointF(0, 4), place + QPointF(0, 4))


def paint_compact(painter: QPainter, item: OperatorItem, zoom: float, *, hovered: bool) -> None:
    """Paint icon, name, ports and state, without the words that would be too small to read."""
    _paint_body(painter, item, hovered=hovered)
    c, s = item.colours, item.shown
    body = item.body()
    _paint_tile(painter, item, QRectF(PAD, (body.height() - TILE) / 2, TILE, TILE))
    pixels = round(max(13.0, NEAR_TEXT / zoom) * 2) / 2
    room = body.width() - TILE - 2 * PAD - 10
    lines = wrapped(s.name, pixels, room)
    painter.setPen(c.text if s.enabled and not s.placeholder else c.faint)
    top = body.height() / 2 - len(lines) * pixels * 0.62
    for number, line in enumerate(lines):
        place = QPointF(PAD + TILE + 8, top + number * 1.24 * pixels - 0.1 * pixels)
        _write_name(painter, place, line, pixels)
    _paint_dot(painter, item, QPointF(body.width() - 12, 12), 5.0)
    for outgoing, ports in ((False, s.inputs), (True, s.outputs)):
        for port in ports:
            _paint_one_port(painter, item, port, outgoing=outgoing)
    _paint_breakpoints(painter, item)
    if item.order:
        _paint_order(painter, item)


def paint_far(painter: QPainter, item: OperatorItem, zoom: float) -> None:
    """Paint the icon and under it the name, both of constant size on the screen."""
    c, s = item.colours, item.shown
    body, one = item.body(), 1 / zoom
    if zoom < NAMELESS and not item.nameless:  # there may be hundreds: plain rectangles are fast
        painter.fillRect(body, item.border_colour(hovered=True))
        painter.fillRect(body.adjusted(one, one, -one, -one), c.tints[s.role])
        return
    _paint_body(painter, item, hovered=False, cosmetic=True)
    side = min(FAR_ICON * one, 0.8 * body.height())
    named = zoom >= NAMELESS and not item.nameless
    lines = wrapped(s.name, FAR_TEXT, body.width() * zoom - 4) if named else ()
    words = len(lines) * FAR_LINE * one
    inside = body.height() >= side + words + 6 * one
    if lines and not inside:  # under the card there is more room
        lines = wrapped(s.name, FAR_TEXT, (body.width() + 30) * zoom)
    top = (body.height() - (side + words if inside else side)) / 2
    tile = QRectF((body.width() - side) / 2, top, side, side)
    _paint_tile(painter, item, tile)
    dot = min(3.2 * one, 0.09 * body.height())
    _paint_dot(painter, item, QPointF(body.width() - 2.5 * dot, 2.5 * dot), dot)
    painter.save()
    painter.translate(body.width() / 2, tile.bottom() if inside else body.bottom() + one)
    painter.scale(one, one)
    painter.setPen(c.text if s.enabled and not s.placeholder else c.faint)
    for number, line in enumerate(lines):
        text = _name_text(line, FAR_TEXT)
        place = QPointF(-text.size().width() / 2, number * FAR_LINE)
        _write_name(painter, place, line, FAR_TEXT)
    painter.restore()


# --- parts ---------------------------------------------------------------------------------------


@lru_cache(maxsize=20_000)
def _name_text(text: str, pixels: float) -> QStaticText:
    """Return a name laid out in a size; it is laid out only once."""
    made = QStaticText(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
    made.prepare(font=sized_font(pixels, NAME_WEIGHT))
    return made


def _write_name(painter: QPainter, place: QPointF, text: str, pixels: float) -> None:
    painter.setFont(sized_font(pixels, NAME_WEIGHT))
    painter.drawStaticText(place, _name_text(text, pixels))


def _paint_body(
    painter: QPainter, item: OperatorItem, *, hovered: bool, cosmetic: bool = False
) -> None:
    c, s, body = item.colours, item.shown, item.body()
    if item.isSelected():
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(c.selected_tint)
        around = body.adjusted(-HALO, -HALO, HALO, HALO)
        painter.drawRoundedRect(around, CARD_RADIUS + HALO, CARD_RADIUS + HALO)
    elif not cosmetic:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(c.shadow)
        painter.drawRoundedRect(body.translated(0, 1.5), CARD_RADIUS, CARD_RADIUS)
        if hovered:
            painter.drawRoundedRect(body.adjusted(-2, 0, 2, 4), CARD_RADIUS + 2, CARD_RADIUS + 2)
    thick = item.isSelected() or item.run.state in ("running", "paused")
    pen = QPen(item.border_colour(hovered=hovered), 2.0 if thick else 1.0)
    pen.setCosmetic(cosmetic)
    if s.placeholder or not s.enabled:
        pen.setStyle(Qt.PenStyle.DashLine)
    painter.setPen(pen)
    painter.setBrush(c.operator if s.enabled and not s.placeholder else c.disabled)
    painter.drawRoundedRect(body, CARD_RADIUS, CARD_RADIUS)


def _paint_tile(painter: QPainter, item: OperatorItem, box: QRectF) -> None:
    c, s = item.colours, item.shown
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(c.hover if s.placeholder else c.tints[s.role])
    corner = TILE_RADIUS * box.width() / TILE
    painter.drawRoundedRect(box, corner, corner)
    colour = c.faint if s.placeholder or not s.enabled else c.roles[s.role]
    name = "ph.puzzle-piece-fill" if s.placeholder else icon_name("role", s.role)
    paint_glyph(painter, name, box, 0.6, colour)


def paint_glyph(painter: QPainter, name: str, box: QRectF, part: float, colour: QColor) -> None:
    """Paint a glyph in the middle of a box, as large as a part of it."""
    text, font, size = _glyph(name, max(round(part * box.height()), 1))
    painter.setFont(font)
    painter.setPen(colour)
    centre = box.center()
    painter.drawStaticText(
        QPointF(centre.x() - size.width() / 2, centre.y() - size.height() / 2), text
    )


@lru_cache(maxsize=5_000)
def _glyph(name: str, pixels: int) -> tuple[QStaticText, QFont, QSizeF]:
    """Return a glyph laid out in a size, with its font."""
    letter, family = letter_of(name)
    made, font = QStaticText(letter), glyph_font(family, pixels)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
    made.prepare(font=font)
    return made, font, made.size()


def _paint_words(painter: QPainter, item: OperatorItem) -> None:
    c, s = item.colours, item.shown
    left = PAD + TILE + 9
    plain = s.enabled and not s.placeholder
    painter.setFont(title_font())
    painter.setPen(c.text if plain else c.faint)
    title = elided(s.name, item.title_room(), bold=True)
    below = elided(item.summary(), item.title_room())
    painter.drawStaticText(QPointF(left, 8 if below else 16), laid_out(title, bold=True))
    if below:
        painter.setFont(small_font())
        painter.setPen(c.faint)
        painter.drawStaticText(QPointF(left, 25), laid_out(below))


def paint_state(painter: QPainter, item: OperatorItem, box: QRectF) -> None:
    """Paint the status light: by an icon, never by color alone."""
    c, run = item.colours, item.run
    if item.marks.texts:
        name, colour = ("error", c.error) if item.marks.errors else ("warning", c.warning)
        paint_glyph(painter, icon_name("state", name), box, 0.9, colour)
    elif run.state == "running":
        painter.setBrush(Qt.BrushStyle.NoBrush)
        ring = box.adjusted(3, 3, -3, -3)
        painter.setPen(QPen(c.selected_tint, 2.4))
        painter.drawEllipse(ring)
        painter.setPen(QPen(c.running, 2.4, cap=Qt.PenCapStyle.RoundCap))
        turned = time.monotonic() % TURN / TURN
        painter.drawArc(ring, round(-turned * 360 * 16), -100 * 16)
    else:
        name, colour = {
            "done": ("stale", c.stale) if run.stale else ("ok", c.done),
            "failed": ("error", c.error),
            "paused": ("paused", c.warning),
        }.get(run.state, ("waiting", c.border if run.state != "waiting" else c.faint))
        paint_glyph(painter, icon_name("state", name), box, 0.9, colour)


def _paint_dot(painter: QPainter, item: OperatorItem, centre: QPointF, radius: float) -> None:
    colour = item.state_colour()
    if colour is not None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawEllipse(centre, radius, radius)


def _paint_one_port(
    painter: QPainter, item: OperatorItem, port: ShownPort, *, outgoing: bool
) -> QPointF:
    place = item.port_place(port.name, outgoing=outgoing)
    end = End(item.name, port.name, outgoing)
    wired = (port.name, outgoing) in item.shown.wired
    paint_port(painter, place, port, item.colours, glows=end in item.glowing, wired=wired, end=end)
    if end == item.focused:
        paint_ring(painter, place, item.colours)
    return place


def _paint_side(
    painter: QPainter, item: OperatorItem, ports: tuple[ShownPort, ...], *, outgoing: bool
) -> None:
    c, width = item.colours, item.width
    other = item.shown.inputs if outgoing else item.shown.outputs
    for row, port in enumerate(ports):
        place = _paint_one_port(painter, item, port, outgoing=outgoing)
        facing = plain_port_name(other[row].name) if row < len(other) else ""
        room = width - 28 - (text_width(facing) + 8 if facing else 0)
        room = max(room, (width - 36) / 2)
        text = elided(plain_port_name(port.name), room)
        left = width - 13 - text_width(text) if outgoing else 13
        painter.setFont(small_font())
        painter.setPen(c.secondary)
        painter.drawStaticText(QPointF(left, place.y() - 7), laid_out(text))


def _paint_foot(painter: QPainter, item: OperatorItem) -> None:
    c, s, run = item.colours, item.shown, item.run
    top = item.height - FOOT
    if run.stale and not item.marks.texts:
        path = QPainterPath()
        path.addRoundedRect(item.body().adjusted(1, 1, -1, -1), CARD_RADIUS - 1, CARD_RADIUS - 1)
        painter.save()
        painter.setClipPath(path, Qt.ClipOperation.IntersectClip)
        hatch = QColor(c.stale)
        hatch.setAlpha(70)
        painter.fillRect(QRectF(0, top + 2, item.width, FOOT), c.stale_tint)
        painter.fillRect(
            QRectF(0, top + 2, item.width, FOOT), QBrush(hatch, Qt.BrushStyle.BDiagPattern)
        )
        painter.restore()
    painter.setFont(small_font())
    text, colour = item.foot()
    painter.setPen(colour)
    painter.drawStaticText(QPointF(PAD, top + 4), laid_out(text))
    if run.state in ("running", "paused") and run.total:
        left = PAD + text_width(text) + 8
        bar = QRectF(left, top + 9, max(item.foot_right() - left, 12.0), 4)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(c.selected_tint)
        painter.drawRoundedRect(bar, 2, 2)
        bar.setWidth(bar.width() * min(run.done / run.total, 1.0))
        painter.setBrush(c.warning if run.state == "paused" else c.running)
        painter.drawRoundedRect(bar, 2, 2)
    elif item.preview is not None and item.preview.caption and item.plot_box() is not None:
        room = item.foot_right() - PAD - text_width(text) - 8
        caption = elided(item.preview.caption, max(room, 0.0))
        painter.setPen(c.faint)
        right = item.foot_right() - text_width(caption)
        painter.drawStaticText(QPointF(right, top + 4), laid_out(caption))
    if s.inner:
        paint_glyph(painter, icon_name("action", "inside"), item.entrance(), 0.9, c.secondary)
    if s.plugin:
        badge = QRectF(item.width - 9, -7, 16, 16)
        paint_glyph(painter, "ph.puzzle-piece-fill", badge, 0.9, c.faint)


def _paint_breakpoints(painter: QPainter, item: OperatorItem) -> None:
    """Paint a stop sign where the run will stop: at the left before, at the right after."""
    c = item.colours
    for moment, x in (("before", 0.0), ("after", item.width)):
        if moment not in item.shown.breakpoints:
            continue
        centre = QPointF(x, TITLE / 2)
        painter.setPen(QPen(c.operator, 1.2))
        painter.setBrush(c.error)
        painter.translate(centre)
        painter.drawPath(_octagon())
        painter.setPen(QPen(c.operator, 1.6))
        painter.drawLine(QPointF(-1.8, -2.4), QPointF(-1.8, 2.4))
        painter.drawLine(QPointF(1.8, -2.4), QPointF(1.8, 2.4))
        painter.translate(-centre)


def _paint_order(painter: QPainter, item: OperatorItem) -> None:
    text = str(item.order)
    box = QRectF(-9, -11, max(20.0, text_width(text, bold=True) + 12), 19)
    painter.setPen(QPen(item.colours.operator, 1.2))
    painter.setBrush(item.colours.text)
    painter.drawRoundedRect(box, 9, 9)
    painter.setFont(title_font())
    painter.setPen(item.colours.operator)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def _octagon() -> QPainterPath:
    a, b = STOP, STOP * 0.42
    path = QPainterPath(QPointF(-b, -a))
    for x, y in ((b, -a), (a, -b), (a, b), (b, a), (-b, a), (-a, b), (-a, -b)):
        path.lineTo(x, y)
    path.closeSubpath()
    return path


def paint_ring(painter: QPainter, place: QPointF, colours: Colours) -> None:
    """Paint the ring around the port that has the keyboard focus."""
    painter.setPen(QPen(colours.text, 2, Qt.PenStyle.DotLine))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    side = PORT + 6
    painter.drawRect(QRectF(place.x() - side, place.y() - side, 2 * side, 2 * side))


def paint_port(
    painter: QPainter,
    place: QPointF,
    port: ShownPort,
    colours: Colours,
    *,
    glows: bool,
    wired: bool,
    end: End,
) -> None:
    """Paint a port in the shape and color of its type: filled if it is connected.

    One that fits a wire has a ring. An input that must be connected and is not has a red outline.
    """
    colour = port_colour(port.declared.type, colours)
    if glows:
        painter.setPen(QPen(colours.glow, 3))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(place, PORT + 4, PORT + 4)
    missing = not wired and not end.outgoing and not (port.declared.optional or port.declared.many)
    painter.setPen(QPen(colours.error if missing else colour, 1.5))
    painter.setBrush(colour if wired else colours.operator)
    painter.translate(place)
    painter.drawPath(port_shape(port.declared.type))
    painter.translate(-place)
