"""Runs the operators of a process in the order of its graph, and passes results between ports."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

from fsops.core.checks.propagation import canonical, passed_through
from fsops.core.declare.ports import Port, SubprocessPort, find_port, numbered
from fsops.core.frame.events import Failed, Logged
from fsops.core.frame.frame import Frame, Key, combined_key, current_state, recorded
from fsops.core.frame.inner import Inner, Outline, OutlinedOperator, Weighting
from fsops.core.frame.invoke import invoke
from fsops.core.frame.loops import is_repeatable
from fsops.core.frame.state import Changes
from fsops.core.graph.process import Node, Process
from fsops.core.graph.schedule import Schedule, ScheduledOperator, Start
from fsops.core.graph.targets import find_target
from fsops.core.graph.wiring import SINK, SOURCE
from fsops.core.operator import Operator
from fsops.engine.cache.keys import content_key, node_key
from fsops.engine.failures import unexpected
from fsops.engine.goal import Goal, Reached
from fsops.engine.memory import PeakMemory
from fsops.engine.services import RunServices
from fsops.errors import Cancelled, FsopsError, OperatorFailed, PortError

Values = dict[str, Any]
WORTH_KEEPING = 0.05
"""Seconds that an operator must take for its results to be stored; loops are always stored."""


@dataclass(frozen=True)
class Keyed:
    """A value on its way, with the key of its origin; None if only its content identifies it."""

    value: Any
    key: str | None = None


@dataclass(frozen=True)
class CachedCall:
    """The stored part of an operator's run."""

    result: Any
    changes: Changes
    """Values that inner operators left in the memory of the run."""
    messages: list[Logged]


KeyedValues = dict[str, Keyed]


@dataclass
class Executor:
    """Runs processes with one set of services; used again for every inner process."""

    services: RunServices
    memory: PeakMemory
    pause: Callable[[Node, str, Mapping[str, Any]], bool | None] | None = None
    """Called before and after each operator, with the values at its ports; see `Pausing`.

    True means that the run goes on by steps.
    """
    goal: Goal | None = None
    """Where the run ends before its end, by raising `Reached`."""

    def run(
        self,
        schedule: Schedule,
        inputs: Mapping[str, Any],
        level: Frame,
        origin: str | None = None,
    ) -> Values:
        """Run one level and return what arrives at its sinks, by port name.

        A result is dropped as soon as its last reader has it, so a long chain of large tables
        never holds more than it needs. ``origin`` is the cache key of the inputs.
        """
        readers = dict(schedule.readers)
        held: dict[Start, Keyed] = {
            (SOURCE, port): Keyed(value, origin and combined_key(origin, port))
            for port, value in inputs.items()
            if (SOURCE, port) in readers
        }

        def read(start: Start) -> Keyed:
            if start not in held:
                return Keyed(None)
            readers[start] -= 1
            return held[start] if readers[start] else held.pop(start)

        for step in self._ordered(schedule, level):
            self.services.check_cancelled()
            fed = {port: read(start) for port, start in step.inputs.items()}
            for port, value in self._run_step(step, fed, level).items():
                if (step.node.name, port) in readers:
                    held[step.node.name, port] = value
        return {port: read(start).value for port, start in schedule.results.items()}

    def _ordered(self, schedule: Schedule, level: Frame) -> Sequence[ScheduledOperator]:
        """Return the operators that are to run, each after those it needs.

        Inside of a loop those that the goal does not need come last: where the way to the goal,
        such as one part of a Branch, is not taken in this iteration, the loop must go on.
        """
        goal = self.goal
        if goal is None or level.path not in goal.levels:
            return schedule.steps
        paths = {step.node.name: (*level.path, step.node.name) for step in schedule.steps}
        needed = [step for step in schedule.steps if paths[step.node.name] not in goal.skipped]
        others = [step for step in schedule.steps if paths[step.node.name] in goal.skipped]
        return [*needed, *others] if level.path else needed

    def _run_step(self, step: ScheduledOperator, fed: KeyedValues, level: Frame) -> KeyedValues:
        node, path = step.node, (*level.path, step.node.name)
        values = {port: given.value for port, given in fed.items()}
        if not node.enabled:
            known = {port: value for port, value in values.items() if value is not None}
            passed = passed_through(node, known, type)
            self.services.deliver(path, passed)
            return {port: Keyed(value) for port, value in passed.items()}
        is_goal = self.goal is not None and self.goal.path == path
        # Where a run ends with an operator that is not connected yet, all its outputs are wanted.
        wanted = None if is_goal and not step.used else step.used
        self._pause_before(node, path, values)
        cache = None if self.services.store is None else CallResults(self, node, fed)
        if len(path) == 1:
            # If the operator never ends and the process has to be killed, they are there.
            self.services.write_ports()
        self.services.started(path)
        self.memory.start()
        began = time.perf_counter()
        try:
            inputs = self._inputs(node, values)
            spec, given = node.operator, step.parameters
            result = invoke(level, spec, node.name, inputs, given, wanted=wanted, cache=cache)
            outputs = _spread_many(spec, result)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - any error is reported with its operator
            # SystemExit, because a library may call sys.exit(). KeyboardInterrupt and `Reached`
            # must pass. The measured spans nest, so each start needs its stop.
            self.memory.stop()
            wrapped = _wrapped(error, path)
            self.services.emit(Failed(path, wrapped))
            raise wrapped from error if wrapped is not error else None
        seconds = time.perf_counter() - began
        self.services.deliver(path, outputs)
        was_cached = cache is not None and cache.hit
        self.services.finished(path, seconds, self.memory.stop(), cached=was_cached)
        if self.pause is not None:
            self.pause(node, "after", outputs)
        if is_goal:
            raise Reached(outputs)
        key = None if cache is None else cache.key
        return {port: Keyed(v, key and combined_key(key, port)) for port, v in outputs.items()}

    def _pause_before(self, node: Node, path: tuple[str, ...], values: Values) -> None:
        if self.pause is not None and self.pause(node, "before", values) and node.subprocesses:
            self.services.entered |= {path}  # the next step is inside

    def _inputs(self, node: Node, fed: Values) -> Values:
        """Return the inputs by declared port; inner processes are among them."""
        inputs = _gather_many(node, fed)
        for index, inner in enumerate(node.subprocesses):
            declared = node.declared_inner(index)
            if declared is None:
                continue
            if declared.many:
                inputs.setdefault(declared.name, []).append(UnboundGraph(self, inner))
            else:
                inputs[declared.name] = UnboundGraph(self, inner)
        return inputs


@dataclass
class CallResults:
    """The results of one operator in the store of the run."""

    executor: Executor
    node: Node
    fed: KeyedValues
    key: str | None = None
    """Key of the results; None if they cannot be cached."""
    hit: bool = False

    def result(
        self, frame: Frame, parameters: Mapping[str, Any], compute: Callable[[Frame], Any]
    ) -> Any:
        """Return the cached result of the operator, or compute it and store it."""
        self.key = self._result_key(frame, parameters)
        if self.key is None:
            return compute(frame)
        cached = self._load(frame.path)
        if cached is None:
            return self._computed(replace(frame, result_key=self.key), compute)
        self.hit = True
        # A cached result must leave the same traces as a run: messages, macros, logs.
        for message in cached.messages:
            self.executor.services.emit(message)
        current_state().absorb(cached.changes)
        return cached.result

    def _result_key(self, frame: Frame, parameters: Mapping[str, Any]) -> str | None:
        if not self.fed:
            return None
        inputs = {port: given.key or content_key(given.value) for port, given in self.fed.items()}
        return node_key(self.node, frame, parameters, inputs)

    def _load(self, path: tuple[str, ...]) -> CachedCall | None:
        services = self.executor.services
        if path in services.entered or services.store is None or self.key is None:
            return None
        stored = services.store.get(self.key)
        return stored.value if stored and isinstance(stored.value, CachedCall) else None

    def _computed(self, frame: Frame, compute: Callable[[Frame], Any]) -> Any:
        before = current_state().copy()
        began = time.perf_counter()
        with recorded() as messages:
            result = compute(frame)
        took = time.perf_counter() - began
        if not is_repeatable(messages):
            # Later operators must not find their results by a key that means another result.
            self.key = None
        goal, store = self.executor.goal, self.executor.services.store
        # Around a goal not all that is inside has run, or not in its order.
        whole = goal is None or frame.path not in goal.around
        worthwhile = bool(self.node.subprocesses) or took > WORTH_KEEPING
        if whole and worthwhile and store is not None and self.key is not None:
            changes = current_state().changes_since(before)
            store.put(self.key, CachedCall(result, changes, messages))
        return result


def _gather_many(node: Node, fed: Values) -> Values:
    """Return the inputs with ``name 1``, ``name 2``, … collected in a list, in order."""
    if fed.keys() - node.operator.input_names:  # one of many, or an error
        for port_name in fed:
            find_port(node.operator.inputs, port_name)
    return {
        port.name: numbered(port, fed) if port.many else fed.get(port.name)
        for port in node.operator.inputs
    }


def _spread_many(spec: Operator, result: Any) -> Values:
    """Return the outputs by port, with ``name 1``, ``name 2``, … for those of many."""
    spread: Values = {}
    values = result if spec.has_named_outputs else (result,) if spec.outputs else ()
    for port, value in zip(spec.outputs, values, strict=True):
        if port.many:
            spread |= _counted(port, value)
        else:
            spread[port.name] = value
    return spread


def _counted(port: Port, values: Sequence[Any]) -> Values:
    return {f"{port.name} {i}": v for i, v in enumerate(values, start=1) if v is not None}


def _wrapped(error: Exception | SystemExit, path: tuple[str, ...]) -> FsopsError:
    if isinstance(error, Cancelled):
        return error
    if isinstance(error, FsopsError):
        return error.at(path)
    if isinstance(error, MemoryError):
        return OperatorFailed("There is not enough memory for this step.", path=path)
    return unexpected(error, path)


@dataclass(frozen=True)
class UnboundGraph:
    """An inner process of a graph on its way to the operator that will run it."""

    executor: Executor
    process: Process

    def __call__(self, *values: Any) -> Any:
        """Refuse: only the operator that it is bound to may run it."""
        raise PortError(f'"{self.process.name}" is not bound to an operator.')

    def bound_to(self, declared: SubprocessPort, frame: Frame) -> GraphInner:
        """Return the inner process as the operator of that frame calls it."""
        return GraphInner(declared, frame, self.process.name, self.executor, self.process)


@dataclass(frozen=True)
class GraphInner(Inner):
    """An inner process that is a graph."""

    executor: Executor
    process: Process

    @cached_property
    def _schedule(self) -> Schedule:
        return self.process.schedule()

    def _run(self, inside: Frame, place: Key, values: Sequence[Any]) -> Any:
        sources = self.declared.sources
        if len(values) != len(sources):
            raise PortError(f'"{self.title}" takes {len(sources)} inputs, but got {len(values)}.')
        inputs: Values = {}
        for port, value in zip(sources, values, strict=True):
            if port.many:
                inputs |= _counted(port, value)
            else:
                inputs[port.name] = value
        around = self.frame.result_key
        # No data is hashed inside a loop: the operator's key and the place determine the inputs.
        origin = around and combined_key(around, place)
        return self._result(self.executor.run(self._schedule, inputs, inside, origin))

    def configured(self, settings: Mapping[str, Any]) -> Self:
        """Return the inner process with other parameters, named ``"Operator.parameter"``."""
        checked: Values = {}
        for target, value in settings.items():
            # A search may use an alias, so the setting gets the parameter's own name.
            node, parameter = find_target([self.process], target)
            checked[f"{node.name}.{parameter.name}"] = parameter.check_rounded(value)
        return super().configured(checked)

    def _single_weighting(self) -> Weighting | None:
        """Return the operator between source and sink if there is just one.

        Where a breakpoint or the end of the run is inside, the operator must really run.
        """
        nodes = [node for node in self.process if node.enabled]
        edges = {(start, end) for start, end in self.process.graph.edges()}
        if len(nodes) != 1 or edges != {(SOURCE, nodes[0].name), (nodes[0].name, SINK)}:
            return None
        if self.frame.path in self.executor.services.entered:
            return None
        return Weighting(nodes[0].operator, nodes[0].name, canonical(nodes[0]))

    def outline(self) -> Outline | None:
        """Return the operators inside, if each is enabled and no breakpoint is among them."""
        if self.frame.path in self.executor.services.entered:
            return None
        return _outline(self.process)

    def _result(self, values: Values) -> Any:
        results: list[Any] = []
        for port in self.declared.sinks:
            if port.many:
                results.append(numbered(port, values))
                continue
            value = values.get(port.name)
            if value is None and not port.optional:
                raise PortError(
                    f'The inner process returned nothing at "{port.name}".', path=self.process.path
                )
            if value is not None and not isinstance(value, port.type):
                raise PortError(
                    f'"{port.name}" takes {port.type.phrase()}, but got {value.phrase()}.',
                    path=self.process.path,
                )
            results.append(value)
        if not results:
            return None
        return self.declared.result(*results) if self.declared.result else results[0]


def _outline(process: Process) -> Outline | None:
    """Return the operators of a process; None if two are of the same kind, or one is disabled."""
    keys = {SOURCE: "source", SINK: "sink", **{node.name: node.operator.key for node in process}}
    if len(set(keys.values())) < len(keys) or not all(node.enabled for node in process):
        return None
    operators: dict[str, OutlinedOperator] = {}
    for node in process:
        inner = [outline for sub in node.subprocesses if (outline := _outline(sub)) is not None]
        if len(inner) < len(node.subprocesses):
            return None
        outlined = OutlinedOperator(node.operator, node.name, canonical(node), tuple(inner))
        operators[node.operator.key] = outlined
    links = frozenset(
        (keys[c.from_node], c.from_port, keys[c.to_node], c.to_port) for c in process.connections
    )
    return Outline(operators, links)


def _run_process(
    services: RunServices, process: Process, inputs: Mapping[str, Any], frame: Frame
) -> Values:
    """Run the process of another file, as Execute Process asks for it."""
    return Executor(services, PeakMemory()).run(process.schedule(), inputs, frame)


RunServices.process_runner = _run_process
