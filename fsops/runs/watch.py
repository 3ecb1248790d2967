"""A run in another process, followed by its events: what runs, how far it is, how it ended."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from fsops.core.checks.run_advice import RunCaution
from fsops.errors import PATH_SEPARATOR
from fsops.memory import size_text
from fsops.report.numbers import seconds_text
from fsops.runs.pace import LoopPace

OperatorPath = tuple[str, ...]
ERROR, WARNING, VALUE, STEP = "error", "warning", "value", "step"
"""Kinds of lines in the log: faults, values that were logged, and how the run went on."""
SOON = 1.0
"""Seconds below which the remaining time is not shown."""


@dataclass
class OperatorState:
    """How far an operator is in the current or the last run."""

    state: str = ""
    """Empty, waiting, running, paused, done or failed."""
    done: int = 0
    total: int = 0
    seconds: float | None = None
    peak_memory: int | None = None
    """In bytes."""
    cached: bool = False
    """Whether the result came from the cache instead of being computed."""
    stale: bool = False
    cautions: Counter[RunCaution] = field(default_factory=Counter)
    """Warnings of a kind that can be explained."""
    """Whether the process has changed since the result was made."""

    @property
    def parts(self) -> list[str]:
        """Short texts about the operator, the most important first."""
        if not self.state:
            return []
        if self.state in ("done", "failed"):
            return self._ended()
        words = {
            "running": f"▶ {f'{self.done} of {self.total}' if self.total else 'running'}",
            "paused": "❚❚ paused",
            "waiting": "… waiting",
        }
        return [words.get(self.state, self.state)]

    def _ended(self) -> list[str]:
        costs = [] if self.seconds is None else [seconds_text(self.seconds)]
        costs += [] if self.peak_memory is None else [size_text(self.peak_memory)]
        if self.state == "failed":
            return ["✗ failed", *costs]
        if self.stale:
            return ["≠ out of date", *costs]
        if self.cached:
            return ["✓ cached", *costs]
        return [f"✓ {costs[0]}", *costs[1:]] if costs else ["✓ done"]

    @property
    def text(self) -> str:
        """All parts in one line."""
        return " · ".join(self.parts)


@dataclass(frozen=True)
class WatchedResult:
    """A result of the process."""

    name: str
    title: str
    kind: str
    files: tuple[Path, ...]
    key: str | None = None
    """Where it is in the store of the run; None if it could not be stored."""


@dataclass(frozen=True)
class WatchedPort:
    """The last value of a port."""

    operator: str
    port: str
    kind: str
    """The type, such as AttributeWeights."""
    title: str
    """The type for people."""
    summary: str
    """One line, such as ``62 rows, 2,000 attributes, label class (2 classes)``."""
    key: str | None
    """Where it is in the store of the run; None if it could not be stored."""


class LogLine(NamedTuple):
    """A warning, an error or a logged value."""

    time: datetime
    kind: str
    path: OperatorPath
    text: str

    @property
    def where(self) -> str:
        """The path of the operator, for people."""
        return PATH_SEPARATOR.join(self.path)


@dataclass
class WatchedLoop:
    """A loop that is running: how far it is."""

    path: OperatorPath
    label: str
    done: int
    total: int | None
    pace: LoopPace

    def text(self, now: float) -> str:
        """Return the loop in one line, with how long it may still take."""
        count = f"{self.done} of {self.total}" if self.total else f"{self.done}"
        left = self.pace.remaining(now)
        rest = f" (about {_rough(left)} left)" if left and left > SOON else ""
        return f"{self.path[-1]}: {f'{self.label} ' if self.label else ''}{count}{rest}"


def _rough(seconds: float) -> str:
    return f"{round(seconds)} s" if seconds < 59.5 else seconds_text(seconds)


@dataclass
class WatchedRun:
    """All that is known about a run so far; `take` the events of ``fsops run --events -``."""

    operators: dict[str, OperatorState] = field(default_factory=dict)
    results: list[WatchedResult] = field(default_factory=list)
    ports: dict[tuple[str, str], WatchedPort] = field(default_factory=dict)
    """By operator and port; known after a run or at a pause."""
    log: list[LogLine] = field(default_factory=list)
    status: str = "running"
    """running, paused, finished, failed, cancelled or crashed."""
    message: str = ""
    hint: str = ""
    origin: OperatorPath = ()
    seconds: float | None = None
    seed: int | None = None
    """The one used; None as long as it is not known."""
    paused_at: tuple[str, str] | None = None
    """The operator where the run waits, and whether ``before`` or ``after`` it."""
    ran: set[str] = field(default_factory=set)
    """The operators that have begun."""
    _warned: Counter[tuple[OperatorPath, str]] = field(default_factory=Counter)
    _loops: dict[OperatorPath, WatchedLoop] = field(default_factory=dict)
    _running: list[OperatorPath] = field(default_factory=list)

    def take(self, event: dict[str, Any]) -> None:
        """Note an event; unknown ones are ignored, as docs/events.md asks."""
        handle = getattr(self, f"_take_{event.get('event')}", None)
        if handle is not None:
            handle(event)

    def expect(self, names: Iterable[str]) -> None:
        """Note which operators will run."""
        for name in names:
            self.operators.setdefault(name, OperatorState("waiting"))

    # --- how far it is ----------------------------------------------------------------------

    @property
    def current(self) -> OperatorPath:
        """The path of the operator that began last and still runs; empty if none does."""
        return self._running[-1] if self._running else ()

    def progress_lines(self, now: float | None = None) -> list[str]:
        """Return a line for each loop that runs, outermost first, then the operator inside."""
        at = time.monotonic() if now is None else now
        around = [p for p in self._running if p in self._loops]
        lines = [self._loops[path].text(at) for path in around]
        if self.current and self.current not in self._loops:
            lines.append(self.current[-1])
        return lines

    # --- events -----------------------------------------------------------------------------

    def _state(self, event: dict[str, Any]) -> OperatorState:
        return self.operators.setdefault(event["path"][-1], OperatorState())

    def _take_run_started(self, event: dict[str, Any]) -> None:
        self.seed = event["seed"]
        if "time" in event:
            self._note(STEP, event, f"The run started with the random seed {self.seed}.")

    def _take_started(self, event: dict[str, Any]) -> None:
        state = self._state(event)
        if state.state == "waiting":
            state.seconds = None
        state.state, state.done, state.total = "running", 0, 0
        path = tuple(event["path"])
        self.ran.add(path[-1])
        self._running.append(path)

    def _take_progress(self, event: dict[str, Any]) -> None:
        state = self._state(event)
        state.done, state.total = event["done"], event["total"] or 0
        path, now = tuple(event["path"]), time.monotonic()
        loop = self._loops.get(path)
        if loop is None:
            loop = WatchedLoop(path, event["label"], 0, event["total"], LoopPace(now))
            self._loops[path] = loop
        loop.label, loop.done, loop.total = event["label"], event["done"], event["total"]
        loop.pace.note(loop.done, loop.total, now)

    def _take_finished(self, event: dict[str, Any]) -> None:
        state = self._state(event)
        first = state.seconds is None
        state.state, state.seconds = "done", (state.seconds or 0.0) + event["seconds"]
        peaks = [p for p in (state.peak_memory, event.get("peak_memory")) if p is not None]
        state.peak_memory = max(peaks, default=None)
        state.cached = bool(event.get("cached")) and (first or state.cached)
        self._end(event)
        if len(event["path"]) == 1 and "time" in event:
            origin = " from the store" if event.get("cached") else ""
            self._note(STEP, event, f"Finished{origin} in {seconds_text(event['seconds'])}.")

    def _take_failed(self, event: dict[str, Any]) -> None:
        self._state(event).state = "failed"
        self._end(event)

    def _end(self, event: dict[str, Any]) -> None:
        path = tuple(event["path"])
        if path in self._running:
            del self._running[self._running.index(path) :]

    def _take_paused(self, event: dict[str, Any]) -> None:
        self._state(event).state = "paused"
        self.status, self.paused_at = "paused", (event["path"][-1], event["moment"])

    def _take_resumed(self, event: dict[str, Any]) -> None:
        after = self.paused_at is not None and self.paused_at[1] == "after"
        self._state(event).state = "done" if after else "waiting"
        self.status, self.paused_at = "running", None

    def _take_warning(self, event: dict[str, Any]) -> None:
        """Note a warning the first time; a loop may give the same one in every iteration."""
        if event.get("kind"):
            caution = RunCaution(
                event["kind"], event["message"], event["parameter"], tuple(event["values"])
            )
            self._state(event).cautions[caution] += 1
        warning = tuple(event["path"]), event["message"]
        self._warned[warning] += 1
        if self._warned[warning] == 1:
            self._note(WARNING, event, event["message"])

    def _take_log(self, event: dict[str, Any]) -> None:
        self._note(VALUE, event, f"{event['name']} = {event['value']}")

    def _note(self, kind: str, event: dict[str, Any], text: str) -> None:
        at = datetime.fromisoformat(event["time"]).astimezone()
        self.log.append(LogLine(at, kind, tuple(event.get("path") or self.origin), text))

    def _take_port(self, event: dict[str, Any]) -> None:
        operator, port = event["path"][-1], event["port"]
        known = (event[name] for name in ("kind", "title", "summary", "key"))
        self.ports[operator, port] = WatchedPort(operator, port, *known)

    def _take_result(self, event: dict[str, Any]) -> None:
        files = tuple(Path(file) for file in event["files"])
        name, title, kind = event["name"], event["title"], event["kind"]
        self.results.append(WatchedResult(name, title, kind, files, event.get("key")))

    def _take_run_ended(self, event: dict[str, Any]) -> None:
        self.status, self.seconds = event["status"], event["seconds"]
        self.seed = self.seed if event.get("seed") is None else event["seed"]
        self.message, self.hint = event.get("message", ""), event.get("hint", "")
        self.origin = tuple(event.get("origin") or ())
        if self.message:
            kind = VALUE if self.status == "cancelled" else ERROR
            self._note(kind, event, f"{self.message} {self.hint}".strip())
        elif self.status == "finished" and "time" in event:
            self._note(STEP, event, f"The run finished in {seconds_text(self.seconds or 0.0)}.")

    # --- ends without an event --------------------------------------------------------------

    def end(self, status: str, message: str = "", hint: str = "") -> None:
        """Note an end that the run could not report itself."""
        self.status, self.message, self.hint = status, message, hint
        text = f"{message} {hint}".strip()
        self.log.append(LogLine(datetime.now().astimezone(), ERROR, (), text))

    def settle(self) -> None:
        """Leave no operator in a state as if it still ran."""
        self._running.clear()
        self.paused_at = None
        now = datetime.now().astimezone()
        for (path, text), count in self._warned.items():
            if count > 1:
                self.log.append(LogLine(now, WARNING, path, f"{text} (said {count} times)"))
        for state in self.operators.values():
            if state.state == "running" and self.status == "failed":
                state.state = "failed"
            elif state.state in ("running", "waiting", "paused"):
                state.state = "" if state.seconds is None else "done"

    def rename(self, old: str, new: str) -> None:
        """Know an operator by its new name."""
        if old in self.operators:
            self.operators[new] = self.operators.pop(old)
        if old in self.ran:
            self.ran = self.ran - {old} | {new}
        for operator, port in [key for key in self.ports if key[0] == old]:
            known = self.ports.pop((operator, port))
            self.ports[new, port] = replace(known, operator=new)
