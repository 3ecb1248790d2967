"""Steps of a document that can be undone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PyQt6.QtGui import QUndoCommand

from fsops.core.graph.process import Process


@dataclass(frozen=True)
class Change:
    """The effect of a step of the history."""

    before: Process
    after: Process
    renamed: Mapping[str, str]
    """New names of operators by their old ones."""


class UndoStep(QUndoCommand):
    """A process before and after an edit."""

    def __init__(
        self, show: Callable[[Change], None], text: str, change: Change, merge: str
    ) -> None:
        super().__init__(text)
        self._show = show
        self._change = change
        self._merge = merge

    def id(self) -> int:
        """Return the same number for steps that may become one."""
        return hash(self._merge) % (2**31 - 1) if self._merge else -1

    def mergeWith(self, other: QUndoCommand | None) -> bool:
        """Take a further step of the same kind in, such as the next letter typed."""
        if not isinstance(other, UndoStep) or other._merge != self._merge:
            return False
        self._change = Change(self._change.before, other._change.after, self._change.renamed)
        self.setObsolete(self._change.before == self._change.after)
        return True

    def redo(self) -> None:
        """Show the state after the edit."""
        self._show(self._change)

    def undo(self) -> None:
        """Show the state before the edit."""
        back = {new: old for old, new in self._change.renamed.items()}
        self._show(Change(self._change.after, self._change.before, back))
