"""Bars on a terminal; loaded only where there is one, because rich's bars take a while to load."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
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
)
from rich.table import Column
from rich.text import Text

from fsops.cli.output.console import PlainConsole
from fsops.cli.output.progress import STOPPING, QuietProgress, path_text
from fsops.core.frame.events import (
    Event,
    Failed,
    Finished,
    Path,
    Paused,
    Progressed,
    Resumed,
    Started,
)
from fsops.report.escaping import visible
from fsops.runs.pace import LoopPace

BAR_EVERY = 0.05  # seconds between two updates of a bar
LINGER = 0.5  # seconds for which the bar of an inner loop that is over stays
ROOM_FOR_BARS = 72  # columns; on a narrower terminal numbers and names say more
LONGEST_NAME = 32  # characters of an operator's name


class _CountColumn(MofNCompleteColumn):
    """Number of finished iterations, and of all if that is known."""

    def render(self, task: Task) -> Text:
        if task.total is None:
            return Text(str(int(task.completed)), "progress.download")
        return super().render(task)


class _TimeColumn(ProgressColumn):
    """How long it has taken, and how long it may still take."""

    def render(self, task: Task) -> Text:
        now = time.monotonic()
        pace: LoopPace = task.fields["pace"]
        left = pace.remaining(now)
        shown = "" if left is None else f" {clock_text(left)} left"
        return Text.assemble((clock_text(pace.elapsed(now)), "progress.elapsed"), (shown, "cyan"))


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
        """Return the text of the bar."""
        yield Constrain(self.make_tasks_table(self.tasks), self._console.width - len("^C") - 1)


class BarProgress(QuietProgress):
    """Shows the running operator, and a bar for each loop around it, outermost first.

    With a parallel engine inner loops run elsewhere: only the outer bar moves.
    """

    def __init__(self, console: PlainConsole, operators: int) -> None:
        self._console = console
        bar = BarColumn(bar_width=20, table_column=Column(no_wrap=True))
        roomy = console.width >= ROOM_FOR_BARS
        time_width = len("1:00:00 10:00 left") if roomy else None  # so that names stay in place
        self._bars = _Bars(
            console,
            *([bar] if roomy else []),
            _CountColumn(table_column=Column(no_wrap=True, justify="right")),
            _TimeColumn(table_column=Column(no_wrap=True, min_width=time_width)),
            _LabelColumn(),
        )
        self._running: Path = ("Checking the process",)
        # Operators differ too much for a pace of their own: of them only the time so far is shown.
        whole = LoopPace(time.monotonic())
        self._all = self._bars.add_task("", total=operators, label=self._headline, pace=whole)
        self._stopping = False
        self._loops: dict[Path, TaskID] = {}
        self._paces: dict[tuple[Path, str], LoopPace] = {}
        self._updated: dict[Path, float] = {}
        self._ended: dict[Path, float] = {}
        """Loops that are over, with the time, whose bars are still there."""

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
        now = time.monotonic()
        if isinstance(event, Started):
            self._running = event.path
            self._remove(path for path, end in self._ended.items() if now > end + LINGER)
        elif isinstance(event, Progressed):
            self._show_loop(event, now)
        elif isinstance(event, Finished | Failed):
            self._end(event.path, now)
        elif isinstance(event, Paused):  # what is asked and answered stands below, and stays
            self._bars.stop()
        elif isinstance(event, Resumed):
            self._bars.start()

    def _end(self, path: Path, now: float) -> None:
        inside = [loop for loop in self._loops if loop[: len(path)] == path]
        if len(path) == 1:
            self._remove(inside)
            self._bars.advance(self._all)
        elif path in self._loops:
            # It may come back in the next iteration: bars that come and go would flicker.
            self._remove(loop for loop in inside if loop != path)
            self._ended[path] = now

    def _remove(self, loops: Iterable[Path]) -> None:
        for path in list(loops):
            self._ended.pop(path, None)
            self._bars.remove_task(self._loops.pop(path))

    def _show_loop(self, event: Progressed, now: float) -> None:
        pace = self._paces.setdefault((event.path, event.label), LoopPace(now))
        pace.note(event.done, event.total, now)
        shown: dict[str, Any] = {"label": lambda: _loop_label(event), "pace": pace}
        self._ended.pop(event.path, None)
        if event.path not in self._loops:
            self._remove(self._ended)
            self._loops[event.path] = self._bars.add_task("", total=event.total, **shown)
        elif now < self._updated[event.path] + BAR_EVERY and event.done not in (0, event.total):
            return
        self._updated[event.path] = now
        task = self._loops[event.path]
        self._bars.update(task, completed=event.done, total=event.total, **shown)

    def announce_stop(self) -> None:
        """Let the next refresh show it."""
        self._stopping = True

    def _headline(self) -> str:
        return STOPPING if self._stopping else path_text(tuple(map(cut, self._running)))


def _loop_label(event: Progressed) -> str:
    indent = "  " * (len(event.path) // 2 + 1)
    return indent + ": ".join(filter(None, (cut(event.path[-1]), event.label)))


def cut(name: str) -> str:
    """Return a name, shortened if it is too long to fit beside others."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def clock_text(seconds: float) -> str:
    """Return a duration as a clock shows it: ``0:05``, ``12:30``, ``3:00:00``."""
    minutes, rest = divmod(round(max(seconds, 0.0)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
