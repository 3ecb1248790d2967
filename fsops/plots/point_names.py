"""Names of the points, rows and lines of a figure, for programs that show them under the mouse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from matplotlib.artist import Artist

_names: WeakKeyDictionary[Artist, Sequence[str]] = WeakKeyDictionary()


def remember_names(artist: Artist, names: Sequence[str]) -> None:
    """Remember the name of each point of an artist, or the one name of a line."""
    _names[artist] = names


def names_of(artist: Artist) -> Sequence[str]:
    """Return the names of an artist, empty if there are none."""
    return _names.get(artist, ())
