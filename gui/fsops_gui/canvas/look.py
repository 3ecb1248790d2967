"""Sizes on the canvas, and how a port shows its type: by shape, color and name."""

from __future__ import annotations

from functools import cache, lru_cache

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFont, QFontMetricsF, QPainterPath, QPolygonF, QStaticText

from fsops.data import (
    AttributeWeights,
    Collection,
    ExampleSet,
    FlowObject,
    Model,
    PerformanceVector,
)
from fsops_gui.base.fonts import font, sized_font
from fsops_gui.base.theme import Colours
from fsops_gui.base.tokens import tokens

_SIZE, _WIRE = tokens()["size"], tokens()["wire"]
SCALE = 1.85
"""Canvas units for one unit of a process file: cards need more room than RapidMiner gives."""
NARROW, WIDEST = float(_SIZE["card_width"]), 300.0
"""Of operators: the least width, and the most for a long name."""
TITLE, ROW, FOOT = float(_SIZE["card_header"]), float(_SIZE["port_row"]), 22.0
TILE = float(_SIZE["role_tile"])
PLOT = float(_SIZE["mini_plot"]) + 10
"""Height of the small plot with the line above it."""
PORT = 5.5
REACH = 12.0
"""How near to a port the mouse must be."""
GLYPH_ZOOM = 0.45
"""Below this an operator is an icon with its name, both of constant size on the screen."""
FULL_ZOOM = 0.72
"""Below this an operator has neither port names nor a plot."""
READABLE = 0.8
"""A level that is opened is not shown smaller than this,"""
BARELY = 0.68
"""or a little smaller, if then all of it is seen."""
FIT = 0.3
"""*Fit* never goes below this: smaller, names would be cut."""
WIRE_WIDTH, WIRE_STRONG = float(_WIRE["width"]), float(_WIRE["width_selected"])
CORNER, STUB = float(_WIRE["corner_radius"]), float(_WIRE["stub"])
"""Radius of a wire's corners, and its straight piece at a port."""

_KINDS: tuple[tuple[type[FlowObject], str], ...] = (
    (ExampleSet, "table"),
    (AttributeWeights, "weights"),
    (Model, "model"),
    (PerformanceVector, "performance"),
)


def kind_of(flow: type[FlowObject]) -> str:
    """Return the family of types that share a color."""
    return next((name for base, name in _KINDS if issubclass(flow, base)), "other")


def port_colour(flow: type[FlowObject], colours: Colours) -> QColor:
    """Return the color of a type."""
    return colours.ports[kind_of(flow)]


def port_shape(flow: type[FlowObject]) -> QPainterPath:
    """Return the outline of a port around the origin: each family of types has its own."""
    kind = kind_of(flow)
    return _shape("collection" if kind == "other" and issubclass(flow, Collection) else kind)


@cache
def _shape(kind: str) -> QPainterPath:
    path, r = QPainterPath(), PORT
    if kind == "table":
        path.addEllipse(QPointF(0, 0), r, r)
    elif kind == "weights":
        _polygon(path, (0, -r - 1), (r + 1, 0), (0, r + 1), (-r - 1, 0))
    elif kind == "model":
        _polygon(path, (-r, -r), (r + 1, 0), (-r, r))
    elif kind == "performance":
        path.addRect(QRectF(-r + 0.5, -r + 0.5, 2 * r - 1, 2 * r - 1))
    elif kind == "collection":
        path.addRoundedRect(QRectF(-r, -r / 1.6, 2 * r, 2 * r / 1.6), 3, 3)
    else:
        _polygon(path, (-r, 0), (-r / 2, -r), (r / 2, -r), (r, 0), (r / 2, r), (-r / 2, r))
    return path


def _polygon(path: QPainterPath, *points: tuple[float, float]) -> None:
    path.addPolygon(QPolygonF([QPointF(x, y) for x, y in points]))
    path.closeSubpath()


def title_font() -> QFont:
    """Return the font of operator names."""
    return font("body_strong")


def small_font() -> QFont:
    """Return the font of port names and times."""
    return font("micro")


@cache
def note_font() -> QFont:
    """Return the font of notes; in pixels, because Qt makes gaps of points in Markdown."""
    made = QFont(font("body"))
    made.setPixelSize(13)
    return made


@lru_cache(maxsize=20_000)
def text_width(text: str, bold: bool = False) -> float:
    """Return how wide a text is."""
    return QFontMetricsF(title_font() if bold else small_font()).horizontalAdvance(text)


@lru_cache(maxsize=20_000)
def elided(text: str, room: float, bold: bool = False) -> str:
    """Return as much of a text as there is room for."""
    if text_width(text, bold) <= room:
        return text
    metrics = QFontMetricsF(title_font() if bold else small_font())
    return metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)


@lru_cache(maxsize=20_000)
def laid_out(text: str, bold: bool = False) -> QStaticText:
    """Return a text of one line that is laid out only once, however often it is painted."""
    made = QStaticText(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
    made.prepare(font=title_font() if bold else small_font())
    return made


@lru_cache(maxsize=20_000)
def wrapped(text: str, pixels: float, room: float, lines: int = 2) -> tuple[str, ...]:
    """Return a name in at most so many lines of a width, cut at the end of the last one."""
    metrics = QFontMetricsF(sized_font(pixels, NAME_WEIGHT))
    found: list[str] = []
    rest = text.split()
    while rest and len(found) < lines - 1:
        line = [rest.pop(0)]
        while rest and metrics.horizontalAdvance(" ".join([*line, rest[0]])) <= room:
            line.append(rest.pop(0))
        found.append(" ".join(line))
    found += [" ".join(rest)] if rest else []
    return tuple(metrics.elidedText(t, Qt.TextElideMode.ElideRight, room) for t in found)


NAME_WEIGHT = 600


NOTE_COLOURS: dict[str, tuple[str, str]] = {
    "yellow": ("#fff6cf", "#4a4529"),
    "orange": ("#ffe6cc", "#523c26"),
    "green": ("#e0f2e0", "#2a4530"),
    "blue": ("#ddebfa", "#273f58"),
    "purple": ("#ecdff7", "#43325a"),
    "red": ("#fbe0e0", "#553032"),
    "gray": ("#e8eaed", "#3a4049"),
    "transparent": ("", ""),
}
"""Background of notes by the names that RapidMiner has for them: light and dark."""


def note_colour(name: str, colours: Colours) -> QColor | None:
    """Return the background of a note; None for none. A name that is not known is yellow."""
    light, dark = NOTE_COLOURS.get(name, NOTE_COLOURS["yellow"])
    shown = dark if colours.background.lightness() < 128 else light
    return QColor(shown) if shown else None


def plain_port_name(name: str) -> str:
    """Return a port's name as it is drawn."""
    return name.replace("_", " ")
