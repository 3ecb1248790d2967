"""How far a run is: bars on a terminal, lines in a pipe, nothing when asked to be quiet."""

from __future__ import annotations

import contextlib
import os
import time
from collections import Counter
from types import TracebackType
from typing import Any, Self

from fsops.cli.output.console import PlainConsole
from fsops.core.frame.events import Event, Finished, Logged, Path, Progressed, Started
from fsops.errors import PATH_SEPARATOR
from fsops.report.numbers import seconds_text

LINE_EVERY = 2.0  # seconds between the first lines about the same loop
LINE_SELDOM = 60.0  # seconds between later ones: a long run should not fill its log
KEPT = 200  # times longer than those before takes a turn that no cache had; no pool is so large
STOPPING = "Stopping after this step; Ctrl-C again stops at once"


class QuietProgress:
    """Shows nothing; the others add to it what they show."""

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


class Pace:
    """How fast a loop goes, over all of its turns, also those of earlier times it ran.

    A single slow or fast turn hardly moves the mean, and between two turns the time that is left
    only runs down, so that the figure can be trusted.
    """

    def __init__(self, now: float) -> None:
        self._began = self._last = now
        self._done = 0
        self._total: int | None = None
        self._turns = 0
        self._seconds = 0.0

    def note(self, done: int, total: int | None, now: float) -> None:
        """Take down how far the loop is; one that is back at its start runs once more."""
        if done == 0 or done < self._done:
            self._began = now
        else:
            self._count(done - self._done, now - self._last)
        self._done, self._total, self._last = done, total, now

    def _count(self, turns: int, seconds: float) -> None:
        mean = self._seconds / self._turns if self._turns else 0.0
        if turns and seconds / turns > max(1.0, KEPT * mean):
            # Those before were not done but found in a cache.
            self._turns, self._seconds = 0, 0.0
        self._turns += turns
        self._seconds += seconds

    def elapsed(self, now: float) -> float:
        """Return for how long the loop has been running this time, or how long it took."""
        return (self._last if self._done == self._total else now) - self._began

    def remaining(self, now: float) -> float | None:
        """Return how long it may still take; None where nothing is known."""
        if self._total is None or not self._turns:
            return None
        mean = self._seconds / self._turns
        left = self._total - self._done
        # A turn that takes longer than usual does not make the others shorter.
        return max(mean * left - (now - self._last), mean * max(left - 1, 0))


class LineProgress(QuietProgress):
    """Writes a line when an outer operator is done, and now and then one about its loop."""

    def __init__(self, console: PlainConsole) -> None:
        self._console = console
        self._next: dict[Path, float] = {}
        self._pause: dict[Path, float] = {}
        self._paces: dict[Path, Pace] = {}

    def __call__(self, event: Event) -> None:
        """Write a line if there is news."""
        now = time.monotonic()
        if isinstance(event, Started):
            self._next.setdefault(event.path, now + LINE_EVERY)
        elif isinstance(event, Progressed):
            pace = self._paces.setdefault(event.path, Pace(now))
            pace.note(event.done, event.total, now)
            if now >= self._next.get(event.path, now):
                self._tell(event, pace, now)
        elif isinstance(event, Finished) and len(event.path) == 1:
            self._say(f"{path_text(event.path)}: done in {seconds_text(event.seconds)}")

    def _tell(self, event: Progressed, pace: Pace, now: float) -> None:
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


class Warnings:
    """Collects what operators warned about, each once, with how often it was said."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[Path, str]] = Counter()

    def __call__(self, event: Event) -> None:
        """Keep a warning."""
        if isinstance(event, Logged) and event.name == "warning":
            self._counts[event.path, str(event.value)] += 1

    def items(self) -> list[tuple[Path, str, int]]:
        """Return path, message and count of each warning, in the order they were first said."""
        return [(path, message, count) for (path, message), count in self._counts.items()]

    def as_json(self) -> list[dict[str, Any]]:
        """Return the warnings for a JSON document."""
        return [
            {"path": list(path), "message": message, "count": count}
            for path, message, count in self.items()
        ]
