"""Runs a whole process: checks it, executes it, and reports what happened."""

from __future__ import annotations

import math
import secrets
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fsops.core.checks.problems import Kind, Problem, Severity
from fsops.core.checks.validation import validate
from fsops.core.declare.ports import port_order
from fsops.core.frame.engine import Engine
from fsops.core.frame.events import Event, Finished, Listener, Logged
from fsops.core.frame.frame import Frame, entered
from fsops.core.frame.services import WARNING
from fsops.core.frame.state import RunState
from fsops.core.graph.process import Process
from fsops.core.graph.wiring import SINK, SOURCE
from fsops.core.registry import Registry
from fsops.data import FlowObject, MetaData, metadata_of
from fsops.engine.executor import Executor
from fsops.engine.goal import Goal, Reached, operators_to_enter
from fsops.engine.memory import PeakMemory
from fsops.engine.pausing import Pause, Pausing
from fsops.engine.services import RunServices
from fsops.errors import Cancelled, InvalidProcess, UsageError

if TYPE_CHECKING:
    from fsops.engine.cache.store import ResultStore
    from fsops.engine.ports import PortKeeper

IN_A_HURRY = 0.5
"""Seconds that a run which is stopped spends at most on what came out of its ports."""
RUN_HERE = (
    "The run stops inside of loops, so their turns run here, one after the other, "
    "and not on the engine."
)
Delivered = tuple[tuple[str, ...], str, FlowObject]
"""The path of an operator, its port, and what came out there."""


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
    origins: list[tuple[tuple[str, ...], str]] = field(default_factory=list, kw_only=True)
    """For each result the path of the operator that made it, and the port."""
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
    until: str | None = None,
    ports: PortKeeper | None = None,
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
        Called at breakpoints; see `Pause`.
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
    until : str, optional
        Name of an operator, of any level: what it needs runs, and when it has ended the run is
        over. Its outputs are the results.
    ports : PortKeeper, optional
        Keeps what last came out of every port, to be looked at.
    """
    started, began = datetime.now(UTC), time.perf_counter()
    recorder = _Recorder(listener)
    goal = None if until is None else Goal.of(process, until)
    services = RunServices(recorder, cancel, engine, timeout, store)
    services.memory_limit, services.ports = memory_limit, ports
    services.entered = frozenset(operators_to_enter(process, goal, breakpoints=pause is not None))
    known = {**predefined_macros(process, started), **process.macros, **(macros or {})}
    given = {f"input {i}": value for i, value in enumerate(inputs, start=1)}
    metadata = {port: metadata_of(value) for port, value in given.items()}
    for problem in check(process, registry, known, metadata, goal):
        if problem.kind is Kind.INFORMATION_LEAK:  # whoever reads the figures must know
            services.emit(Logged(problem.path, WARNING, problem.message))
    if engine is not None and (pause is not None or (goal is not None and goal.around)):
        services.run_here()
        services.emit(Logged((), WARNING, RUN_HERE))
    used = process.seed if seed is None else seed
    if used < 0:  # as in RapidMiner: another one each time; the result tells which
        used = secrets.randbits(31)
    pausing = None if pause is None else Pausing(pause, services.emit, services.write_ports)
    services.writable = writable
    executor = Executor(services, PeakMemory(), pausing, goal=goal)
    frame = Frame(services, used, folder=process.root.folder, state=RunState(known), is_level=True)
    with _ports_written(services), entered(frame):
        delivered = _delivered(executor, process, given, frame)
    return RunResult(
        [value for _, _, value in delivered],
        _result_names(delivered),
        used,
        dict(macros or {}),
        time.perf_counter() - began,
        started.isoformat(timespec="seconds"),
        recorder.timings,
        recorder.messages,
        origins=[(path, port) for path, port, _ in delivered],
    )


@contextmanager
def _ports_written(services: RunServices) -> Iterator[None]:
    """Write what came out of the ports, however the run ends; one that is stopped is in a hurry."""
    seconds = math.inf
    try:
        yield
    except (Cancelled, KeyboardInterrupt):
        seconds = IN_A_HURRY
        raise
    finally:
        services.write_ports(seconds)


def _delivered(
    executor: Executor, process: Process, given: Mapping[str, FlowObject], frame: Frame
) -> list[Delivered]:
    """Return the results: what arrives at the end of the process, or comes out of the goal."""
    try:
        found = executor.run(process.schedule(), given, frame)
    except Reached as reached:
        assert executor.goal is not None
        path = executor.goal.path
        return [(path, port, value) for port, value in reached.outputs.items() if value is not None]
    if executor.goal is not None:
        raise UsageError(
            f'The run ended without getting to "{executor.goal.path[-1]}".',
            hint="With this data and these parameters, what is around it does not need it.",
        )
    fed = process.incoming(SINK)
    delivered: list[Delivered] = []
    for sink in sorted((p for p in found if found[p] is not None), key=port_order):
        node, port = fed[sink]
        origin = ((), sink) if node == SOURCE else ((node,), port)
        delivered.append((*origin, found[sink]))
    return delivered


def check(
    process: Process,
    registry: Registry | None,
    macros: Mapping[str, str],
    given: Mapping[str, MetaData],
    goal: Goal | None = None,
) -> list[Problem]:
    """Raise `InvalidProcess` if the process cannot start; otherwise return the warnings.

    Of a run that ends with a goal, only what it needs is looked at.
    """
    problems = validate(process, registry, macros=macros, given=given)
    if goal is not None:
        problems = [p for p in problems if p.kind is Kind.CYCLE or goal.concerns(p.path)]
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


def _result_names(delivered: Sequence[Delivered]) -> list[str]:
    """Return for each result the operator and port it comes from, such as ``Validation.model``."""
    names: list[str] = []
    for path, port, _ in delivered:
        base = f"{path[-1]}.{port}" if path else port
        name, number = base, 2
        while name in names:
            name, number = f"{base} ({number})", number + 1
        names.append(name)
    return names
