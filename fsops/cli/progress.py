"""How far a run is: bars on a terminal, lines in a pipe, nothing when asked to be quiet."""

from __future__ import annotations

import time
from collections import Counter
from types import TracebackType
from typing import Self

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn
from rich.progress import TimeElapsedColumn, TimeRemainingColumn

from fsops.cli.console import PlainConsole
from fsops.core.events import Event, Failed, Finished, Logged, Path, Progressed, Started
from fsops.errors import PATH_SEPARATOR
from fsops.report.escaping import visible
from fsops.report.numbers import seconds_text

LINE_EVERY = 2.0  # seconds between two lines about the same loop
BAR_EVERY = 0.05  # seconds between two updates of a bar


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

    def say(self, text: str) -> None:
        """Show a line."""


class LineProgress(QuietProgress):
    """Writes a line when an outer operator is done, and now and then one about its loop."""

    def __init__(self, console: PlainConsole) -> None:
        self._console = console
        self._next: dict[Path, float] = {}

    def __call__(self, event: Event) -> None:
        """Write a line if there is news."""
        now = time.monotonic()
        if isinstance(event, Started):
            self._next[event.path] = now + LINE_EVERY
        elif isinstance(event, Progressed) and now >= self._next.get(event.path, now):
            self._next[event.path] = now + LINE_EVERY
            total = "" if event.total is None else f"/{event.total}"
            self.say(f"{path_text(event.path)}: {event.label} {event.done}{total}".rstrip())
        elif isinstance(event, Finished) and len(event.path) == 1:
            self.say(f"{path_text(event.path)}: done in {seconds_text(event.seconds)}")

    def say(self, text: str) -> None:
        """Write a line."""
        self._console.print(text, soft_wrap=True)


class BarProgress(QuietProgress):
    """Shows the running operator and below it a bar for each loop around it, outermost first."""

    def __init__(self, console: PlainConsole) -> None:
        self._console = console
        self._bars = Progress(
            TextColumn("{task.fields[depth]}{task.description}", markup=False),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._tasks: dict[Path, TaskID] = {}
        self._updated: dict[Path, float] = {}

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the bars."""
        self._bars.stop()

    def __call__(self, event: Event) -> None:
        """Bring the bars up to date."""
        if isinstance(event, Progressed):
            self._show(event)
        elif isinstance(event, Finished | Failed) and event.path in self._tasks:
            self._bars.remove_task(self._tasks.pop(event.path))

    def _show(self, event: Progressed) -> None:
        now = time.monotonic()
        if event.path not in self._tasks:
            label = f"{event.path[-1]}{f': {event.label}' if event.label else ''}"
            self._tasks[event.path] = self._bars.add_task(
                visible(label), total=event.total, depth="  " * (len(event.path) // 2)
            )
        elif now < self._updated[event.path] + BAR_EVERY and event.done != event.total:
            return
        self._updated[event.path] = now
        self._bars.update(self._tasks[event.path], completed=event.done, total=event.total)

    def say(self, text: str) -> None:
        """Write a line above the bars."""
        self._console.print(text, soft_wrap=True)


def progress_on(console: PlainConsole, *, quiet: bool) -> QuietProgress:
    """Return the display that suits where the messages go."""
    if quiet:
        return QuietProgress()
    animated = console.is_terminal and not console.is_dumb_terminal
    return BarProgress(console) if animated else LineProgress(console)


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
