"""The fonts of the designer: Inter, which comes with it, in the sizes of the type scale."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from PyQt6.QtGui import QFont, QFontDatabase, QGuiApplication

from fsops_gui.base.tokens import tokens, type_scale

FOLDER = Path(__file__).with_name("inter")
POINTS = 72.0
"""Points in an inch."""


@cache
def load_fonts() -> str:
    """Make the fonts known to Qt; return the family, or an empty text where they are missing."""
    families = [
        family
        for file in sorted(FOLDER.glob("*.otf"))
        for family in QFontDatabase.applicationFontFamilies(
            QFontDatabase.addApplicationFont(str(file))
        )
    ]
    return families[0] if families else ""


@cache
def font(style: str) -> QFont:
    """Return the font of a style of the type scale, for painting; figures have equal widths."""
    size, weight, _ = type_scale(style)
    return sized_font(size, weight)


@cache
def sized_font(pixels: float, weight: int) -> QFont:
    """Return the font of the designer in a size, which may have a fraction."""
    load_fonts()
    made = QFont()
    made.setFamilies(tokens()["type"]["family"])
    # Qt has no fractions of pixels, but of points.
    made.setPointSizeF(pixels * POINTS / _dots())
    made.setWeight(weight)
    made.setFeature(QFont.Tag("tnum"), 1)
    return made


def _dots() -> float:
    """Return the dots per inch with which Qt converts points to pixels."""
    screen = QGuiApplication.primaryScreen()
    return screen.logicalDotsPerInchY() if screen is not None else 96.0
