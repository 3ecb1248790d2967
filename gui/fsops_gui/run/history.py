"""The runs of a session: their results, and the changes since the run before."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from PyQt6.QtCore import QObject, pyqtSignal

from fsops.core.graph.process import Process
from fsops.editing.comparison import changes_between
from fsops.runs.watch import WatchedRun
from fsops_gui.run.child_run import ChildRun

KEPT = 20
"""How many runs are remembered; the folder of an older one is removed."""

LARGEST = 2**30
"""Bytes of values that are kept besides those of the last run; the oldest go first."""


@dataclass(frozen=True)
class Entry:
    """A run that has ended."""

    number: int
    """1 for the first run of the session."""
    started: datetime
    process: Process
    """As it was when it ran."""
    run: ChildRun
    report: WatchedRun
    changes: list[str] = field(default_factory=list)
    """Differences from the run before, a sentence each."""


class RunHistory(QObject):
    """The last runs, newest last."""

    changed = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self._entries: deque[Entry] = deque()
        self._count = 0

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(tuple(self._entries))

    def __getitem__(self, index: int) -> Entry:
        return self._entries[index]

    @property
    def last(self) -> Entry | None:
        """The newest run; None before the first."""
        return self._entries[-1] if self._entries else None

    def add(self, run: ChildRun) -> Entry:
        """Remember a run that has ended; it belongs to the history from now on."""
        before = self.last
        self._count += 1
        changes = [] if before is None else changes_between(before.process, run.process)
        entry = Entry(self._count, run.started, run.process, run, run.report, changes)
        self._entries.append(entry)
        while len(self._entries) > KEPT:
            self._entries.popleft().run.close()
        self._forget_values()
        self.changed.emit()
        return entry

    def _forget_values(self) -> None:
        """Let no more values than there is room for lie about, however large they are."""
        size = 0
        for entry in [*self._entries][-2::-1]:
            size += entry.run.size()
            if size > LARGEST:
                entry.run.forget_values()

    def close(self) -> None:
        """Remove the folders of all runs."""
        while self._entries:
            self._entries.popleft().run.close()
