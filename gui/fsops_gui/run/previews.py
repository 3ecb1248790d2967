"""Previews of the last results, made in a thread from the values that a run has saved."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from PyQt6.QtCore import QObject, pyqtSignal

from fsops.errors import FsopsError
from fsops_gui.base.background import in_background
from fsops_gui.canvas.preview import Preview, preview_of
from fsops_gui.run.child_run import ChildRun

T = TypeVar("T")
Port = tuple[str, str]
"""Operator and port."""


class Previews(QObject):
    """The last value of each port. Earlier previews stay until newer ones are read."""

    changed = pyqtSignal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.known: dict[Port, Preview] = {}
        self._read: dict[Port, tuple[int, str]] = {}
        """By port, the run and the key whose value was read."""

    def ask(self, run: ChildRun, operators: Iterable[str]) -> None:
        """Read the results of some operators that are not known yet."""
        names, wanted = set(operators), []
        for place, seen in run.report.ports.items():
            if place[0] in names and seen.key is not None:
                source = (id(run), seen.key)
                if self._read.get(place) != source:
                    self._read[place] = source
                    wanted.append(place)
        if wanted:
            in_background(self, lambda: _read_all(run, wanted), self._take)

    def _take(self, found: dict[Port, Preview]) -> None:
        self.known |= found
        self.changed.emit()

    def rename(self, old: str, new: str) -> None:
        """Know an operator by its new name."""
        _rename(self.known, old, new)
        _rename(self._read, old, new)


def _rename(places: dict[Port, T], old: str, new: str) -> None:
    for place in [place for place in places if place[0] == old]:
        places[new, place[1]] = places.pop(place)


def _read_all(run: ChildRun, places: list[Port]) -> dict[Port, Preview]:
    found: dict[Port, Preview] = {}
    for place in places:
        try:
            value = run.value(*place)
        except (FsopsError, OSError):  # the values of old runs are removed
            continue
        preview = None if value is None else preview_of(value)
        if preview is not None:
            found[place] = preview
    return found
