"""A first look at a process: one iteration of every loop is run and measured."""

from __future__ import annotations

import threading
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

from fsops.core.checks.plan import Observed, Plan, PlannedOperator
from fsops.core.frame.context import Context
from fsops.core.frame.events import Event, Failed, Finished, Listener, Path, Started
from fsops.core.frame.frame import Frame, entered
from fsops.core.frame.state import RunState
from fsops.core.graph.process import Node, Process
from fsops.data import ExampleSetMetaData, metadata_of
from fsops.engine.executor import Executor
from fsops.engine.macros import predefined_macros, process_macros
from fsops.engine.memory import PeakMemory
from fsops.engine.services import RunServices
from fsops.errors import Cancelled, FsopsError

Item = TypeVar("Item")
Value = TypeVar("Value")

LONG = 10.0  # seconds; a shorter probe is repeated, so that loading libraries does not count


@dataclass
class Probe:
    """The result of a probe; loops count as if all their iterations were like the one that ran."""

    runs: dict[Path, float] = field(default_factory=lambda: defaultdict(float))
    own_seconds: dict[Path, float] = field(default_factory=lambda: defaultdict(float))
    """Time of all runs of an operator, without the operators inside it."""
    tables: dict[Path, ExampleSetMetaData] = field(default_factory=dict)
    peak_memory: int | None = None
    seconds: float = 0.0
    """How long the probe itself took."""
    stopped: FsopsError | None = None
    """Why it did not come to the end."""

    @property
    def observed(self) -> Observed:
        """Observations for the planner."""
        return Observed(self.runs, self.tables)

    def own_seconds_each(self, path: Path) -> float | None:
        """Return how long one run of an operator takes, without those inside; None if unknown."""
        return self.own_seconds[path] / self.runs[path] if self.runs.get(path) else None

    def seconds_of(self, planned: PlannedOperator) -> tuple[float, float | None]:
        """Return the fewest and the most seconds that all runs of an operator take."""
        each = self.own_seconds_each(planned.node.path) or 0.0
        high = planned.runs.high
        return each * planned.runs.low, None if high is None else each * high

    def unmeasured(self, plan: Plan) -> list[PlannedOperator]:
        """Return the operators that will run, but did not in the probe."""
        return [
            planned
            for planned in plan.walk()
            if planned.runs.high != 0 and not self.runs.get(planned.node.path)
        ]

    def total_seconds(self, plan: Plan) -> tuple[float, float | None]:
        """Return the fewest and the most seconds a run takes; None where that is open."""
        parts = [self.seconds_of(planned) for planned in plan.walk()]
        highs = [high for _, high in parts if high is not None]
        outside = self.own_seconds.get((), 0.0)
        is_open = len(highs) < len(parts) or self.stopped is not None or self.unmeasured(plan)
        low = outside + sum(low for low, _ in parts)
        return low, None if is_open else outside + sum(highs)


class ProbeServices(RunServices):
    """Runs one iteration of every loop and uses its result for all.

    Dependent iterations (``ctx.progress``) are all run, and so are those of an operator
    that takes any number of inner processes, as each iteration is another one.
    """

    def __init__(self, process: Process, listener: Listener, cancel: threading.Event) -> None:
        super().__init__(listener, cancel)
        self.found = Probe()
        self._whole = {
            node.path for node in process.walk() if any(s.many for s in node.operator.subprocesses)
        }
        self._running: list[Path] = [()]
        self._factor = 1.0
        self._last = time.perf_counter()

    def emit(self, event: Event) -> None:
        """Keep the time of the operator that ran until now."""
        if isinstance(event, Started):
            self.keep_time()
            self._running.append(event.path)
            self.found.runs[event.path] += self._factor
        elif isinstance(event, Finished | Failed) and event.path == self._running[-1]:
            self.keep_time()
            self._running.pop()
            if isinstance(event, Finished):
                peaks = (event.peak_memory or 0, self.found.peak_memory or 0)
                self.found.peak_memory = max(peaks) or None
        super().emit(event)

    def keep_time(self) -> None:
        """Count the time since the last call for running operators, once for every iteration."""
        now = time.perf_counter()
        self.found.own_seconds[self._running[-1]] += (now - self._last) * self._factor
        self._last = now

    def map(
        self,
        function: Callable[[Item], Value],
        items: Sequence[Item],
        context: Context,
        label: str,
        paired: bool,
        *,
        here: bool = False,
    ) -> list[Value]:
        """Return ``function`` of the item in the middle, as often as there are items.

        Where iterations grow, as with the number of attributes, the middle is nearest to the mean.
        """
        if len(items) < 2 or context.path in self._whole:
            return super().map(function, items, context, label, paired, here=here)
        middle = len(items) // 2
        with self._counting(len(items)):
            found = super().map(
                function, items[middle : middle + 1], context, label, paired, here=here
            )
        return found * len(items)

    @contextmanager
    def _counting(self, times: int) -> Iterator[None]:
        """Let what happens inside count several times."""
        self.keep_time()
        before, self._factor = self._factor, self._factor * times
        try:
            yield
        finally:
            self.keep_time()
            self._factor = before


def probe(
    process: Process,
    *,
    macros: Mapping[str, str] | None = None,
    listener: Listener | None = None,
    cancel: threading.Event | None = None,
) -> Probe:
    """Run one iteration of every loop of a process and measure it; no file is written.

    An error ends the probe and is kept in it: measurements until then are still useful.
    """
    predefined = predefined_macros(process, datetime.now(UTC))
    known = {**predefined, **process_macros(process), **(macros or {})}
    trial = _without_writing(process)
    heard = listener or (lambda event: None)
    first = _probed(trial, known, heard, cancel or threading.Event())
    if first.stopped is not None or first.seconds > LONG:
        return first
    again = _probed(trial, known, heard, cancel or threading.Event())
    # The first time tells more: afterwards memory that was freed is used again.
    again.peak_memory = max(first.peak_memory or 0, again.peak_memory or 0) or None
    return again


def _probed(
    process: Process, macros: Mapping[str, str], listener: Listener, cancel: threading.Event
) -> Probe:
    services = ProbeServices(process, listener, cancel)
    found = services.found

    def look(node: Node, moment: str, values: Mapping[str, Any]) -> None:
        at_breakpoint = values.values() if moment in node.breakpoints else ()
        tables = [meta for meta in map(_metadata, at_breakpoint) if meta is not None]
        if tables:
            found.tables.setdefault(node.path, tables[0])

    # A second guard, in case an operator that writes runs in spite of `_without_writing`.
    services.writable, services.readable = (), process.root.readable
    executor = Executor(services, PeakMemory(), look)
    frame = Frame(
        services, max(process.seed, 0), folder=process.root.folder, state=RunState(dict(macros))
    )
    began = time.perf_counter()
    try:
        with entered(frame), warnings.catch_warnings(action="ignore"):
            executor.run(process.schedule(), {}, frame)
    # Cancelled is an FsopsError too, but the user wants to stop.
    except Cancelled:
        raise
    except FsopsError as error:
        found.stopped = error
    services.keep_time()
    found.seconds = time.perf_counter() - began
    return found


def _metadata(value: Any) -> ExampleSetMetaData | None:
    meta = None if value is None else metadata_of(value)
    return meta if isinstance(meta, ExampleSetMetaData) else None


def _without_writing(process: Process) -> Process:
    """Return a copy that writes no files and stops where tables come to inner processes."""
    trial = process.clone()
    for node in trial.walk():
        node.breakpoints = frozenset({"before"} if node.subprocesses else ())
        writes = any(p.file is not None and p.file.write for p in node.operator.parameters)
        node.enabled = node.enabled and not writes
    return trial
