"""Glyphs as icons, in a color; icons of roles have a tile behind them.

They come from the fonts of qtawesome, but not through it: its import would take a fifth of the time
in which the window opens.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from PyQt6.QtCore import QRect, QRectF, Qt
from PyQt6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QGuiApplication,
    QIcon,
    QPainter,
    QPalette,
    QPixmap,
)

from fsops.core.declare.roles import Role
from fsops_gui.base.tokens import icon_name, tokens

SIZES = (18, 36)
"""Of the toolbar, and of the same on a fine screen."""
FADED = 90
"""Opacity of an icon whose action is disabled, of 255."""
_FONTS = {"ph": "phosphor"}


@cache
def glyph(name: str, colour: str, checked: str = "") -> QIcon:
    """Return an icon by its name, as ``ph.play-fill``; without its font it is empty.

    A color for ``checked`` is used while its action is on.
    """
    letter, family = letter_of(name)
    if not letter:
        return QIcon()
    faded = QColor(colour)
    faded.setAlpha(FADED)
    icon = QIcon()
    for size in SIZES:
        icon.addPixmap(_drawn(letter, family, size, QColor(colour)))
        icon.addPixmap(_drawn(letter, family, size, faded), QIcon.Mode.Disabled)
        if checked:
            on = _drawn(letter, family, size, QColor(checked))
            icon.addPixmap(on, QIcon.Mode.Normal, QIcon.State.On)
    return icon


@cache
def role_icon(role: Role, colour: str, tint: str) -> QIcon:
    """Return the icon of a role on its tile."""
    letter, family = letter_of(icon_name("role", role))
    icon = QIcon()
    for size in (20, 40):
        picture = _empty(size)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tint))
        corner = tokens()["radius"]["tile"] * size / tokens()["size"]["role_tile"]
        painter.drawRoundedRect(QRectF(0, 0, size, size), corner, corner)
        painter.setFont(glyph_font(family, round(0.62 * size)))
        painter.setPen(QColor(colour))
        painter.drawText(QRect(0, 0, size, size), Qt.AlignmentFlag.AlignCenter, letter)
        painter.end()
        icon.addPixmap(picture)
    return icon


def operator_icon(role: Role) -> QIcon:
    """Return the icon of a role in the colors of the theme."""
    from fsops_gui.base.theme import current_colours

    colours = current_colours()
    return role_icon(role, colours.roles[role].name(), colours.tints[role].name())


@cache
def letter_of(name: str) -> tuple[str, str]:
    """Return the letter of a glyph and the family of its font; empty if it is not installed."""
    prefix, _, short = name.partition(".")
    family, codes = _font(prefix)
    return (chr(int(codes[short], 16)), family) if short in codes else ("", "")


@cache
def glyph_font(family: str, pixels: int) -> QFont:
    """Return the font of glyphs in a size."""
    font = QFont(family)
    font.setPixelSize(pixels)
    return font


@cache
def _font(prefix: str) -> tuple[str, dict[str, str]]:
    """Return the family of a font and the codes of its glyphs; nothing if it is not installed."""
    found = find_spec("qtawesome")
    folder = Path(found.origin).parent / "fonts" if found and found.origin else None
    if folder is None or prefix not in _FONTS:
        return "", {}
    files = sorted(folder.glob(f"{_FONTS[prefix]}-[0-9]*.ttf"))
    tables = sorted(folder.glob(f"{_FONTS[prefix]}-charmap-*.json"))
    if not files or not tables:
        return "", {}
    number = QFontDatabase.addApplicationFont(str(files[-1]))
    families = QFontDatabase.applicationFontFamilies(number)
    codes: dict[str, str] = json.loads(tables[-1].read_text(encoding="utf-8"))
    return (families[0], codes) if families else ("", {})


def _empty(size: int) -> QPixmap:
    picture = QPixmap(size, size)
    picture.fill(Qt.GlobalColor.transparent)
    return picture


def _drawn(letter: str, family: str, size: int, colour: QColor) -> QPixmap:
    picture = _empty(size)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(glyph_font(family, size))
    painter.setPen(colour)
    painter.drawText(QRect(0, 0, size, size), Qt.AlignmentFlag.AlignCenter, letter)
    painter.end()
    return picture


def block_icon() -> QIcon:
    """Return the icon of building blocks, in the color of the text."""
    colour = QGuiApplication.palette().color(QPalette.ColorRole.Text)
    return glyph(icon_name("action", "blocks"), colour.name())
