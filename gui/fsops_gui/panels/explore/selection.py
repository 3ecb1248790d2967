"""The one selection that all views of a result share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PyQt6.QtCore import QObject, pyqtSignal

from fsops_gui.widgets.charts.chart import How

Ints = npt.NDArray[np.intp]
NOTHING: Ints = np.empty(0, dtype=np.intp)
KEPT = 200
"""Steps that can be undone."""


class SelectionState(NamedTuple):
    """The selection at one moment."""

    attributes: Ints
    """Positions among the attributes, in the order in which they were chosen."""
    rows: Ints
    focus: int | None
    """The attribute that is looked at more closely."""


EMPTY = SelectionState(NOTHING, NOTHING, None)


class SharedSelection(QObject):
    """The chosen attributes and rows, with undo; all views show and change it."""

    changed = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self.now = EMPTY
        self._past: list[SelectionState] = []
        self._future: list[SelectionState] = []

    @property
    def attributes(self) -> Ints:
        """Positions of the chosen attributes."""
        return self.now.attributes

    @property
    def rows(self) -> Ints:
        """The chosen rows."""
        return self.now.rows

    @property
    def focus(self) -> int | None:
        """The attribute that is looked at more closely: the last one chosen."""
        return self.now.focus

    def choose_attributes(self, positions: Ints, how: How = How.REPLACE) -> None:
        """Choose attributes; the first of the new ones is looked at more closely."""
        after = combined(self.now.attributes, positions, how)
        fresh = positions[np.isin(positions, after)]
        focus = int(fresh[0]) if len(fresh) else (int(after[-1]) if len(after) else None)
        self._take(self.now._replace(attributes=after, focus=focus))

    def choose_rows(self, rows: Ints, how: How = How.REPLACE) -> None:
        """Choose rows."""
        self._take(self.now._replace(rows=np.sort(combined(self.now.rows, rows, how))))

    def clear(self) -> None:
        """Choose nothing."""
        self._take(EMPTY)

    def _take(self, chosen: SelectionState) -> None:
        if _same(chosen, self.now):
            return
        self._past = [*self._past[-KEPT + 1 :], self.now]
        self._future = []
        self.now = chosen
        self.changed.emit()

    # --- undo -------------------------------------------------------------------------------

    @property
    def can_undo(self) -> bool:
        """Whether there is an earlier selection."""
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        """Whether a selection was undone."""
        return bool(self._future)

    def undo(self) -> None:
        """Go back to the selection before."""
        if self._past:
            self._future.append(self.now)
            self.now = self._past.pop()
            self.changed.emit()

    def redo(self) -> None:
        """Restore the selection that was undone."""
        if self._future:
            self._past.append(self.now)
            self.now = self._future.pop()
            self.changed.emit()


def combined(before: Ints, positions: Ints, how: How) -> Ints:
    """Return the selection after a further choice, each position once."""
    positions = _distinct(positions)
    if how is How.REPLACE:
        return positions
    new = positions[~np.isin(positions, before)]
    if how is How.TOGGLE:
        before = before[~np.isin(before, positions)]
    result: Ints = np.concatenate([before, new])
    return result


def _distinct(positions: Ints) -> Ints:
    """Return each position once, in the given order."""
    _, first = np.unique(positions, return_index=True)
    result: Ints = np.asarray(positions, dtype=np.intp)[np.sort(first)]
    return result


def _same(a: SelectionState, b: SelectionState) -> bool:
    return (
        a.focus == b.focus
        and np.array_equal(a.attributes, b.attributes)
        and np.array_equal(a.rows, b.rows)
    )
