"""Glyphs as icons, in the colour of the text.

They come from the fonts of qtawesome, but not through it: its import would take a fifth of the time
in which the window opens.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from PyQt6.QtCore import QRect, Qt
from PyQt6.QtGui import QColor, QFont, QFontDatabase, QIcon, QPainter, QPixmap

SIZES = (18, 36)
"""Of the toolbar, and of the same on a fine screen."""
FADED = 90
"""How much of an icon is seen if its action cannot be used now, of 255."""
_FONTS = {"fa6s": "fontawesome6-solid-webfont"}


@cache
def glyph(name: str, colour: str) -> QIcon:
    """Return an icon by its name, as ``fa6s.play``; without its font it is empty."""
    prefix, _, short = name.partition(".")
    family, codes = _font(prefix)
    if short not in codes:
        return QIcon()
    letter = chr(int(codes[short], 16))
    faded = QColor(colour)
    faded.setAlpha(FADED)
    icon = QIcon()
    for size in SIZES:
        icon.addPixmap(_drawn(letter, family, size, QColor(colour)))
        icon.addPixmap(_drawn(letter, family, size, faded), QIcon.Mode.Disabled)
    return icon


@cache
def swatch(colour: str) -> QIcon:
    """Return a small bar of one colour."""
    icon = QIcon()
    for size in SIZES:
        picture = QPixmap(size, size)
        picture.fill(Qt.GlobalColor.transparent)
        wide, high = size // 4, size - size // 3
        painter = QPainter(picture)
        painter.fillRect((size - wide) // 2, (size - high) // 2, wide, high, QColor(colour))
        painter.end()
        icon.addPixmap(picture)
    return icon


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


def _drawn(letter: str, family: str, size: int, colour: QColor) -> QPixmap:
    picture = QPixmap(size, size)
    picture.fill(Qt.GlobalColor.transparent)
    font = QFont(family)
    font.setWeight(QFont.Weight.Black)
    font.setPixelSize(round(0.82 * size))
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(font)
    painter.setPen(colour)
    painter.drawText(QRect(0, 0, size, size), Qt.AlignmentFlag.AlignCenter, letter)
    painter.end()
    return picture
