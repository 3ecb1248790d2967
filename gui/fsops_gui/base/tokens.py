"""Design tokens: every color, size and font of the designer, read from ``tokens.json``.

Light and dark have the same names. No other module writes a color or a font size itself.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("tokens.json")


@cache
def tokens() -> dict[str, Any]:
    """Return all tokens as they are in the file."""
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def flat_tokens(theme: str) -> dict[str, str]:
    """Return the tokens of a theme by flat names, such as ``surface_app`` or ``radius_card``."""
    groups = {**tokens()[theme], **{name: tokens()[name] for name in ("space", "radius", "size")}}
    return {
        f"{group}_{name}": str(value)
        for group, values in groups.items()
        for name, value in values.items()
        if not isinstance(value, dict)
    }


def icon_name(group: str, name: str) -> str:
    """Return the glyph of a role, a state or an action."""
    return str(tokens()["icons"][group][name])


def type_scale(style: str) -> tuple[float, int, int]:
    """Return size in pixels, weight and line height of a style of the type scale."""
    size, weight, line = tokens()["type"]["scale"][style]
    return float(size), int(weight), int(line)
