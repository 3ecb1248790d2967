"""Colors of plots, from the design tokens."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PyQt6.QtGui import QColor

from fsops.core.declare.roles import Role
from fsops_gui.base.theme import Colours, current_colours

LEVELS = 256
"""Steps of a scale of colors."""
FURTHER = (
    Role.WEIGHTING,
    Role.LEARNER,
    Role.SEARCH,
    Role.PERFORMANCE,
    Role.PREPARATION,
    Role.CONTROL,
)
"""Roles that lend their colors to the third class and those after it."""


def class_colours(count: int) -> list[QColor]:
    """Return a color per class; after eight classes they repeat."""
    colours = current_colours()
    known = [colours.data["class_a"], colours.data["class_b"]]
    known += [colours.roles[role] for role in FURTHER]
    return [known[number % len(known)] for number in range(count)]


def argb(colour: QColor, alpha: int = 255) -> int:
    """Return a color as the 32 bits of a picture without premultiplied alpha."""
    return (alpha << 24) | (colour.red() << 16) | (colour.green() << 8) | colour.blue()


def faded(colour: QColor, alpha: int) -> QColor:
    """Return a color with an opacity between 0 and 255."""
    result = QColor(colour)
    result.setAlpha(alpha)
    return result


def scale_of(*ends: QColor) -> npt.NDArray[np.uint32]:
    """Return a scale of 256 colors through the given ones."""
    places = np.linspace(0, LEVELS - 1, len(ends))
    channels = [
        np.interp(np.arange(LEVELS), places, [getattr(end, name)() for end in ends])
        for name in ("red", "green", "blue")
    ]
    red, green, blue = (channel.round().astype(np.uint32) for channel in channels)
    result: npt.NDArray[np.uint32] = (
        np.uint32(255 << 24) | (red << np.uint32(16)) | (green << np.uint32(8)) | blue
    )
    return result


def diverging(colours: Colours) -> npt.NDArray[np.uint32]:
    """Return the scale of heat maps: low, middle, high."""
    data = colours.data
    return scale_of(data["diverge_low"], data["diverge_mid"], data["diverge_high"])
