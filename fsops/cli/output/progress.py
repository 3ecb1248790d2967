"""How far a run is: lines in a pipe, or nothing; `bars` has those of a terminal."""

from __future__ import annotations

import contextlib
import os
import time
from types import TracebackType
from typing import Self

from fsops.cli.output.console import PlainConsole
from fsops.core.frame.events import Event, Finished, Path, Progressed, Started
from fsops.errors import PATH_SEPARATOR
from fsops.report.numbers import seconds_text
from fsops.runs.pace import LoopPace

LINE_EVERY = 2.0  # seconds between the first lines about the same loop
LINE_SELDOM = 60.0  # seconds between later ones: a long run should not fill its log
STOPPING = "Stopping after this step; Ctrl-C again stops at once"


class QuietProgress:
    """Shows nothing; the base of all progress displays."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop showing."""

    def __call__(self, event: Event) -> None:
        """Take notice of an event of the run."""

    def announce_stop(self) -> None:
        """Show that the run will stop; called from a signal handler."""


class LineProgress(QuietProgress):
    """Writes a line when an outer operator is done, and now and then one about its loop."""

    def __init__(self, console: PlainConsole) -> None:
        self._console = console
        self._next: dict[Path, float] = {}
        self._pause: dict[Path, float] = {}
        self._paces: dict[Path, LoopPace] = {}

    def __call__(self, event: Event) -> None:
        """Write a line if there is news."""
        now = time.monotonic()
        if isinstance(event, Started):
            self._next.setdefault(event.path, now + LINE_EVERY)
        elif isinstance(event, Progressed):
            pace = self._paces.setdefault(event.path, LoopPace(now))
            pace.note(event.done, event.total, now)
            if now >= self._next.get(event.path, now):
                self._tell(event, pace, now)
        elif isinstance(event, Finished) and len(event.path) == 1:
            self._say(f"{path_text(event.path)}: done in {seconds_text(event.seconds)}")

    def _tell(self, event: Progressed, pace: LoopPace, now: float) -> None:
        pause = self._pause.get(event.path, LINE_EVERY)
        self._next[event.path] = now + pause
        self._pause[event.path] = min(2 * pause, LINE_SELDOM)
        total = "" if event.total is None else f"/{event.total}"
        remaining = pace.remaining(now)
        left = f", about {_rough(remaining)} left" if remaining else ""
        label = f"{event.label} " if event.label else ""
        self._say(f"{path_text(event.path)}: {label}{event.done}{total}{left}")

    def _say(self, text: str) -> None:
        self._console.print(text, soft_wrap=True)

    def announce_stop(self) -> None:
        """Write past the buffers, which the signal may have caught in the middle of a write."""
        with contextlib.suppress(OSError):
            os.write(self._console.file.fileno(), f"{STOPPING}\n".encode())


def _rough(seconds: float) -> str:
    return f"{max(round(seconds), 1)} s" if seconds < 59.5 else seconds_text(seconds)


def path_text(path: Path) -> str:
    """Return where an operator is, for people."""
    return PATH_SEPARATOR.join(path)
