"""Sizes on the canvas, and how a port shows its type: by shape, colour and name."""

from __future__ import annotations

from functools import cache, lru_cache

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFont, QFontMetricsF, QPainterPath, QPolygonF

from fsops.data import (
    AttributeWeights,
    Collection,
    ExampleSet,
    FlowObject,
    Model,
    PerformanceVector,
)
from fsops_gui.base.theme import Colours

SCALE = 1.6
"""Canvas units for one unit of a process file: port names need more room than RapidMiner gives."""
NARROW, WIDE, WIDEST = 132.0, 194.0, 290.0
"""Of operators: the least, the most for names of ports, and the most for the name."""
TITLE, ROW, FOOT = 24.0, 17.0, 15.0
PORT = 5.5
REACH = 10.0
"""How near to a port the mouse must be."""
PLAIN_ZOOM = 0.4
"""Below this only rectangles are painted."""
WORD_ZOOM = 0.55
"""Below this the foot of an operator says nothing in words."""
READABLE = 0.8
"""A level that is opened is not shown smaller than this,"""
BARELY = 0.68
"""or a little smaller, if then all of it is seen."""

_KINDS: tuple[tuple[type[FlowObject], str], ...] = (
    (ExampleSet, "table"),
    (AttributeWeights, "weights"),
    (Model, "model"),
    (PerformanceVector, "performance"),
)


def kind_of(flow: type[FlowObject]) -> str:
    """Return the family of types that share a colour."""
    return next((name for base, name in _KINDS if issubclass(flow, base)), "other")


def port_colour(flow: type[FlowObject], colours: Colours) -> QColor:
    """Return the colour of a type."""
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


@cache
def title_font() -> QFont:
    """Return the font of operator names."""
    font = QFont()
    font.setPixelSize(12)
    font.setBold(True)
    return font


@cache
def small_font() -> QFont:
    """Return the font of port names and times."""
    font = QFont()
    font.setPixelSize(10)
    return font


@cache
def note_font() -> QFont:
    """Return the font of notes."""
    font = QFont()
    font.setPixelSize(13)
    return font


@cache
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
