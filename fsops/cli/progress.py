"""How far a run is: bars on a terminal, lines in a pipe, nothing when asked to be quiet."""

from __future__ import annotations

import contextlib
import os
import time
from collections import Counter
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

from rich.console import RenderableType
from rich.constrain import Constrain
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Column
from rich.text import Text

from fsops.cli.console import PlainConsole
from fsops.core.events import Event, Failed, Finished, Logged, Path, Progressed, Started
from fsops.errors import PATH_SEPARATOR
from fsops.report.escaping import visible
from fsops.report.numbers import seconds_text

LINE_EVERY = 2.0  # seconds between two lines about the same loop
BAR_EVERY = 0.05  # seconds between two updates of a bar
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
            self._say(f"{path_text(event.path)}: {event.label} {event.done}{total}")
        elif isinstance(event, Finished) and len(event.path) == 1:
            self._say(f"{path_text(event.path)}: done in {seconds_text(event.seconds)}")

    def _say(self, text: str) -> None:
        self._console.print(text, soft_wrap=True)

    def announce_stop(self) -> None:
        """Write past the buffers, which the signal may have caught in the middle of a write."""
        with contextlib.suppress(OSError):
            os.write(self._console.file.fileno(), f"{STOPPING}\n".encode())


class _LabelColumn(ProgressColumn):
    """Asks for the label at every refresh: events may come far more often."""

    def render(self, task: Task) -> Text:
        # Only this column gives way where the terminal is narrow.
        return Text(visible(task.fields["label"]()), no_wrap=True, overflow="ellipsis")


class _Bars(Progress):
    """Bars that leave some room at the right.

    The terminal writes ^C behind the last bar; at the edge that would move everything down.
    """

    def __init__(self, console: PlainConsole, *columns: ProgressColumn) -> None:
        self._console = console
        super().__init__(*columns, console=console, transient=True)

    def get_renderables(self) -> Iterator[RenderableType]:
        """Return what is shown."""
        yield Constrain(self.make_tasks_table(self.tasks), self._console.width - len("^C") - 1)


class BarProgress(QuietProgress):
    """Shows the running operator, and a bar for each loop around it, outermost first."""

    def __init__(self, console: PlainConsole, operators: int) -> None:
        self._console = console
        self._bars = _Bars(
            console,
            BarColumn(bar_width=20, table_column=Column(no_wrap=True)),
            MofNCompleteColumn(table_column=Column(no_wrap=True)),
            TimeElapsedColumn(table_column=Column(no_wrap=True)),
            TimeRemainingColumn(table_column=Column(no_wrap=True)),
            _LabelColumn(),
        )
        self._running: Path = ("Checking the process",)
        self._all = self._bars.add_task("", total=operators, label=self._headline)
        self._stopping = False
        self._loops: dict[Path, TaskID] = {}
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
        if isinstance(event, Started):
            self._running = event.path
        elif isinstance(event, Progressed):
            self._show_loop(event)
        elif isinstance(event, Finished | Failed):
            if event.path in self._loops:
                self._bars.remove_task(self._loops.pop(event.path))
            if len(event.path) == 1:
                self._bars.advance(self._all)

    def _show_loop(self, event: Progressed) -> None:
        now = time.monotonic()
        if event.path not in self._loops:
            indent = "  " * (len(event.path) // 2 + 1)
            label = f"{indent}{': '.join(filter(None, (event.path[-1], event.label)))}"
            self._loops[event.path] = self._bars.add_task("", label=lambda: label)
        elif now < self._updated[event.path] + BAR_EVERY and event.done != event.total:
            return
        self._updated[event.path] = now
        self._bars.update(self._loops[event.path], completed=event.done, total=event.total)

    def announce_stop(self) -> None:
        """Let the next refresh show it."""
        self._stopping = True

    def _headline(self) -> str:
        return STOPPING if self._stopping else path_text(self._running)


def progress_on(console: PlainConsole, operators: int, *, quiet: bool) -> QuietProgress:
    """Return the display that suits where the messages go."""
    if quiet:
        return QuietProgress()
    animated = console.is_terminal and not console.is_dumb_terminal
    return BarProgress(console, operators) if animated else LineProgress(console)


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
