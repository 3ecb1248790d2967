"""The one style sheet of the designer, filled from the design tokens."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path
from string import Template

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QPainter, QPixmap

from fsops_gui.base.icons import glyph
from fsops_gui.base.tokens import flat_tokens, icon_name

TEMPLATE = Path(__file__).with_name("style.qss")
PICTURES = {
    "caret_down": ("collapse", 1.0), "caret_up": ("less", 1.0), "check": ("check", 1.0),
    "caret_on_accent": ("collapse", 1.0), "close": ("close", 1.0),
    "small_down": ("collapse", 0.5), "small_right": ("expand", 0.5),
}  # fmt: skip
"""Pictures that a style sheet needs as files: the action whose icon it is, and its size."""
ON_ACCENT = ("check", "caret_on_accent")
SIDE = 36


@cache
def _folder() -> Path:
    """Return the folder of the small pictures; it is removed when the program ends."""
    folder = tempfile.mkdtemp(prefix="fsops-style-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def style_sheet(theme: str) -> str:
    """Return the style sheet of a theme."""
    values = flat_tokens(theme)
    folder = _folder()
    for name, (action, part) in PICTURES.items():
        colour = values["text_on_accent" if name in ON_ACCENT else "text_muted"]
        file = folder / f"{name}-{theme}.png"
        if not file.exists():
            _picture(icon_name("action", action), colour, part).save(str(file))
        values[f"image_{name}"] = file.as_posix()
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(values)


def _picture(name: str, colour: str, part: float) -> QPixmap:
    """Return an icon in the middle of a picture, as large as a part of it."""
    picture = QPixmap(SIDE, SIDE)
    picture.fill(Qt.GlobalColor.transparent)
    inside, margin = round(part * SIDE), round((1 - part) * SIDE / 2)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    glyph(name, colour).paint(painter, margin, margin, inside, inside)
    painter.end()
    return picture
