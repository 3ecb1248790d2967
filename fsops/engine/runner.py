"""Runs a whole process: checks it, executes it, and reports what happened."""

from __future__ import annotations

import secrets
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fsops.core.context import WARNING, Context
from fsops.core.engine import Engine
from fsops.core.events import Event, Finished, Listener, Logged
from fsops.core.ports import port_order
from fsops.core.problems import Kind, Problem, Severity
from fsops.core.process import Process
from fsops.core.registry import Registry
from fsops.core.state import RunState, in_state
from fsops.core.validation import validate
from fsops.core.wiring import SINK, SOURCE
from fsops.data import FlowObject, MetaData, metadata_of
from fsops.engine.cache.store import ResultStore
from fsops.engine.executor import Executor, Pause
from fsops.engine.memory import PeakMemory
from fsops.engine.services import RunServices
from fsops.errors import InvalidProcess, UsageError


@dataclass
class Timing:
    """How often an operator ran, how long in all, and the peak memory meanwhile."""

    runs: int = 0
    seconds: float = 0.0
    peak_memory: int | None = None


@dataclass
class RunResult:
    """What a process delivered, in the order of its result ports, and how the run went."""

    results: list[FlowObject]
    names: list[str]
    """For each result the operator that made it, made unique: stable names for files."""
    seed: int
    macros: dict[str, str]
    seconds: float
    started: str
    timings: dict[tuple[str, ...], Timing] = field(default_factory=dict)
    messages: list[Logged] = field(default_factory=list)

    def __iter__(self) -> Iterator[FlowObject]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, index: int | type[FlowObject]) -> Any:
        """Return a result by position, or the first of a type: ``result[AttributeWeights]``."""
        if isinstance(index, int):
            return self.results[index]
        found = next((result for result in self.results if isinstance(result, index)), None)
        if found is None:
            kinds = ", ".join(result.phrase() for result in self.results) or "nothing"
            raise UsageError(f"There is no result of that kind ({index.phrase()}), only {kinds}.")
        return found


class _Recorder:
    """Keeps timings and messages, and passes every event on."""

    def __init__(self, listener: Listener | None) -> None:
        self.timings: dict[tuple[str, ...], Timing] = {}
        self.messages: list[Logged] = []
        self._listener = listener

    def __call__(self, event: Event) -> None:
        if isinstance(event, Finished):
            timing = self.timings.setdefault(event.path, Timing())
            timing.runs += 1
            timing.seconds += event.seconds
            peaks = [p for p in (timing.peak_memory, event.peak_memory) if p is not None]
            timing.peak_memory = max(peaks, default=None)
        elif isinstance(event, Logged):
            self.messages.append(event)
        if self._listener is not None:
            self._listener(event)


def run(
    process: Process,
    *inputs: FlowObject,
    seed: int | None = None,
    macros: Mapping[str, str] | None = None,
    listener: Listener | None = None,
    registry: Registry | None = None,
    cancel: threading.Event | None = None,
    pause: Pause | None = None,
    writable: Sequence[Path] | None = None,
    engine: Engine | None = None,
    timeout: float | None = None,
    store: ResultStore | None = None,
    memory_limit: int | None = None,
) -> RunResult:
    """Run a process and return its results.

    Parameters
    ----------
    process : Process
    *inputs : FlowObject
        What the process is given at its input ports.
    seed : int, optional
        Takes the place of the seed of the process; a negative one is drawn anew each time.
    macros : mapping of str to str, optional
        Take precedence over the macros of the process.
    listener : callable, optional
        Told about every event.
    registry : Registry, optional
        Used for suggestions when the process is not valid.
    cancel : threading.Event, optional
        Set it from another thread to stop the run at the next step.
    pause : callable, optional
        Called at breakpoints.
    writable : sequence of Path, optional
        Folders in which operators may write files; anywhere if not given.
    engine : Engine, optional
        Runs the turns of loops; see `open_engine`. With breakpoints they run here.
    timeout : float, optional
        Seconds after which the run is stopped at the next step.
    store : ResultStore, optional
        Where results are kept, so that a run that was stopped goes on where it was.
    memory_limit : int, optional
        Bytes of memory that tables read in blocks keep to.
    """
    started, began = datetime.now(UTC), time.perf_counter()
    recorder = _Recorder(listener)
    services = RunServices(recorder, cancel, engine if pause is None else None, timeout, store)
    services.memory_limit = memory_limit
    known = {**predefined_macros(process, started), **process.macros, **(macros or {})}
    given = {f"input {i}": value for i, value in enumerate(inputs, start=1)}
    problems = check(
        process, registry, known, {port: metadata_of(value) for port, value in given.items()}
    )
    for problem in problems:
        if problem.kind is Kind.INFORMATION_LEAK:  # whoever reads the figures must know
            services.emit(Logged(problem.path, WARNING, problem.message))
    used = process.seed if seed is None else seed
    if used < 0:  # as in RapidMiner: another one each time; the result tells which
        used = secrets.randbits(31)
    executor = Executor(services, PeakMemory(), pause, writable=writable)
    with in_state(RunState(known)):
        found = executor.run(process, given, Context(used, services=services), ())
    ports = sorted((p for p in found if found[p] is not None), key=port_order)
    return RunResult(
        [found[port] for port in ports],
        _result_names(process, ports),
        used,
        dict(macros or {}),
        time.perf_counter() - began,
        started.isoformat(timespec="seconds"),
        recorder.timings,
        recorder.messages,
    )


def check(
    process: Process,
    registry: Registry | None,
    macros: Mapping[str, str],
    given: Mapping[str, MetaData],
) -> list[Problem]:
    """Raise `InvalidProcess` if the process cannot start; otherwise return the warnings."""
    problems = validate(process, registry, macros=macros, given=given)
    # When a run starts every macro should have its value; better now than in the middle.
    errors = [p for p in problems if p.severity is Severity.ERROR or p.kind is Kind.UNKNOWN_MACRO]
    if errors:
        count = "1 problem" if len(errors) == 1 else f"{len(errors)} problems"
        listed = "".join(f"\n  {problem}" for problem in errors)
        raise InvalidProcess(f"The process cannot run; it has {count}:{listed}", errors)
    return problems


def predefined_macros(process: Process, started: datetime) -> dict[str, str]:
    """Return the macros every process has, named as in RapidMiner."""
    return {
        "process_name": process.name,
        "process_path": str(process.folder or ""),
        "process_start": started.strftime("%Y-%m-%d %H:%M:%S"),
        "tempdir": tempfile.gettempdir(),
    }


def _result_names(process: Process, ports: list[str]) -> list[str]:
    """Return for each result the operator and port it comes from, such as ``Validation.model``."""
    fed = process.incoming(SINK)
    names: list[str] = []
    for port in ports:
        node, output = fed[port]
        base = port if node == SOURCE else f"{node}.{output}"
        name, number = base, 2
        while name in names:
            name, number = f"{base} ({number})", number + 1
        names.append(name)
    return names
