"""One execution of a process: services, executor and events come together here."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fsops.core.checks.problems import Kind, Problem, Severity
from fsops.core.declare.ports import port_order
from fsops.core.frame.engine import Engine
from fsops.core.frame.events import Listener, Logged, Path as OperatorPath
from fsops.core.frame.frame import Frame, entered
from fsops.core.frame.services import WARNING
from fsops.core.frame.state import RunState
from fsops.core.graph.process import Process
from fsops.core.graph.wiring import SINK, SOURCE
from fsops.data import FlowObject
from fsops.engine.executor import Executor
from fsops.engine.goal import Goal, Reached, operators_around_loops, operators_to_enter
from fsops.engine.memory import PeakMemory
from fsops.engine.pausing import Pause, Pausing
from fsops.engine.services import RunServices
from fsops.errors import Cancelled, InvalidProcess, UsageError

if TYPE_CHECKING:
    from fsops.engine.cache.store import ResultStore
    from fsops.engine.ports import PortKeeper
    from fsops.runs.partial import FinishedResults
    from fsops.runs.tables import SourceTables

SECONDS_FOR_PORTS = 0.5
"""A cancelled run spends at most this time on writing the values of its ports."""
RUN_HERE = "Breakpoints inside of loops force serial execution without the engine."
Origin = tuple[OperatorPath, str]
"""The path of an operator, and its port."""


class StopRequest(threading.Event):
    """Stops a run when it is set, and learns when the operators have ended."""

    def work_ended(self) -> None:
        """Note that no operator runs any more: the rest is cleaning up, which needs its time."""


@dataclass(frozen=True)
class Means:
    """The engine and settings of one execution, and its means of cancellation."""

    engine: Engine | None = None
    store: ResultStore | None = None
    cancel: threading.Event | None = None
    pause: Pause | None = None


@dataclass(frozen=True)
class Job:
    """A checked process, with everything that decides about its results and side effects."""

    process: Process
    inputs: Mapping[str, FlowObject]
    problems: Sequence[Problem]
    """Those known before the start."""
    seed: int
    macros: Mapping[str, str]
    """All of them: predefined ones, those of the process, those of the run."""
    goal: Goal | None
    listener: Listener
    timeout: float | None
    memory_limit: int | None
    writable: Sequence[Path] | None
    ports: PortKeeper | None
    tables: SourceTables | None
    finished: FinishedResults | None = None
    """Notes the results that are finished before the run is."""


@dataclass(frozen=True)
class DeliveredResult:
    """A result, and where it came from."""

    origin: Origin
    value: FlowObject


def carry_out(job: Job, means: Means) -> list[DeliveredResult]:
    """Execute a process, and return its results in the order of its result ports."""
    services = RunServices(job.listener, means.cancel, means.engine, job.timeout, means.store)
    services.memory_limit, services.ports = job.memory_limit, job.ports
    services.writable, services.readable = job.writable, job.process.root.readable
    services.observers = [] if job.tables is None else [job.tables]
    services.outermost_observer = job.finished
    breakpoints = means.pause is not None
    services.entered = frozenset(operators_to_enter(job.process, job.goal, breakpoints=breakpoints))
    services.outer_loops = frozenset(operators_around_loops(job.process))
    stops_inside = breakpoints or (job.goal is not None and job.goal.around)
    if means.engine is not None and stops_inside:
        services.run_here()
        services.emit(Logged((), WARNING, RUN_HERE))
    pausing = None
    if means.pause is not None:
        pausing = Pausing(means.pause, services.emit, services.write_ports)
    executor = Executor(services, PeakMemory(), pausing, goal=job.goal)
    frame = Frame(
        services,
        job.seed,
        folder=job.process.root.folder,
        state=RunState(dict(job.macros)),
        is_level=True,
    )
    try:
        with _ports_written(services), entered(frame):
            return _delivered(executor, job, frame)
    finally:
        if isinstance(means.cancel, StopRequest):
            means.cancel.work_ended()


@contextmanager
def _ports_written(services: RunServices) -> Iterator[None]:
    """Write the values of the ports, however the run ends; after a cancellation in little time."""
    seconds = math.inf
    try:
        yield
    except (Cancelled, KeyboardInterrupt):
        seconds = SECONDS_FOR_PORTS
        raise
    finally:
        services.write_ports(seconds)


def _delivered(executor: Executor, job: Job, frame: Frame) -> list[DeliveredResult]:
    """Return the values at the end of the process, or those of the operator it runs up to."""
    try:
        found = executor.run(job.process.schedule(), job.inputs, frame)
    except Reached as reached:
        assert job.goal is not None
        outputs = reached.outputs.items()
        return [DeliveredResult((job.goal.path, port), v) for port, v in outputs if v is not None]
    if job.goal is not None:
        raise UsageError(
            f'The run ended without getting to "{job.goal.path[-1]}".',
            hint="With this data and these parameters, its enclosing operator does not run it.",
        )
    fed = job.process.incoming(SINK)
    delivered: list[DeliveredResult] = []
    for sink in sorted((p for p in found if found[p] is not None), key=port_order):
        node, port = fed[sink]
        origin: Origin = ((), sink) if node == SOURCE else ((node,), port)
        delivered.append(DeliveredResult(origin, found[sink]))
    return delivered


def result_names(delivered: Sequence[DeliveredResult]) -> list[str]:
    """Return for each result its operator and port, such as ``Validation.model``; all different."""
    names: list[str] = []
    for path, port in (item.origin for item in delivered):
        base = f"{path[-1]}.{port}" if path else port
        name, number = base, 2
        while name in names:
            name, number = f"{base} ({number})", number + 1
        names.append(name)
    return names


# --- problems -------------------------------------------------------------------------------


def concerning(problems: Sequence[Problem], goal: Goal | None) -> list[Problem]:
    """Return the problems that matter to a run; up to an operator these may be fewer."""
    if goal is None:
        return list(problems)
    return [p for p in problems if p.kind is Kind.CYCLE or goal.concerns(p.path)]


def refuse_errors(problems: Sequence[Problem]) -> None:
    """Raise `InvalidProcess` if a process with these problems cannot start."""
    # When a run starts every macro should have its value; better now than in the middle.
    errors = [p for p in problems if p.severity is Severity.ERROR or p.kind is Kind.UNKNOWN_MACRO]
    if errors:
        count = "1 problem" if len(errors) == 1 else f"{len(errors)} problems"
        listed = "".join(f"\n  {problem}" for problem in errors)
        raise InvalidProcess(f"The process cannot run; it has {count}:{listed}", errors)
