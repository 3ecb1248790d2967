"""Walks a process graph, runs its operators, and hands results from port to port."""

from __future__ import annotations

import shlex
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fsops.core.checks.propagation import canonical, passed_through, with_file_paths
from fsops.core.declare.macros import expand
from fsops.core.declare.parameters import check_parameters
from fsops.core.declare.ports import Port, SubprocessPort, find_port, numbered
from fsops.core.frame.context import Context, Key
from fsops.core.frame.events import Failed, Finished, Logged, Started
from fsops.core.frame.state import Changes, Outcome, current_state
from fsops.core.graph.process import Node, Process
from fsops.core.graph.targets import find_target
from fsops.core.graph.wiring import SINK, SOURCE
from fsops.data import PerformanceVector
from fsops.engine.blas import one_thread
from fsops.engine.cache.keys import combined, content_key, node_key
from fsops.engine.failures import unexpected
from fsops.engine.goal import Goal, Reached
from fsops.engine.memory import PeakMemory
from fsops.engine.services import RunServices, recorded
from fsops.errors import (
    Cancelled,
    FsopsError,
    OperatorFailed,
    PortError,
    StorageError,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from fsops.data import ExampleSet

Values = dict[str, Any]
WORTH_KEEPING = 0.05  # seconds that an operator must take for its results to be stored


@dataclass(frozen=True)
class Keyed:
    """A value on its way, with what it was made of; without that its content will tell."""

    value: Any
    key: str | None = None


@dataclass(frozen=True)
class KeptOutputs:
    """What is stored of an operator's run."""

    outputs: Values
    changes: Changes
    """What the operators inside left in the memory of the run."""
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
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Parameters that a search sets for now, by the operator's name."""
    writable: Sequence[Path] | None = None
    """Folders in which files may be written; anywhere if not given."""
    goal: Goal | None = None
    """Where the run ends before its end, by raising `Reached`."""

    def run(
        self,
        process: Process,
        inputs: Mapping[str, Any],
        context: Context,
        key: Key,
        origin: str | None = None,
    ) -> Values:
        """Return what arrives at the sinks, by port name.

        A result is dropped as soon as its last reader has it, so a long chain of large tables
        never holds more than it needs. ``origin`` names where the inputs come from, for a store of
        results.
        """
        readers = Counter((c.from_node, c.from_port) for c in process.connections)
        held: dict[tuple[str, str], Keyed] = {
            (SOURCE, port): Keyed(value, origin and combined(origin, port))
            for port, value in inputs.items()
            if readers[SOURCE, port]
        }

        def read(start: tuple[str, str]) -> Keyed:
            if start not in held:
                return Keyed(None)
            readers[start] -= 1
            return held[start] if readers[start] else held.pop(start)

        for node in self._order(process):
            self.services.check_cancelled()
            fed = {port: read(start) for port, start in process.incoming(node.name).items()}
            for port, value in self._run_node(node, fed, context, key).items():
                if readers[node.name, port]:
                    held[node.name, port] = value
        return {port: read(start).value for port, start in process.incoming(SINK).items()}

    def _order(self, process: Process) -> list[Node]:
        """Return the operators that are to run, each after those it needs.

        Inside of a loop the others come last: where the way to the goal, such as one part of a
        Branch, is not taken in this turn, the loop must be able to go on.
        """
        nodes = process.order()
        if self.goal is None or process.path not in self.goal.levels:
            return nodes
        needed = [node for node in nodes if node.path not in self.goal.skipped]
        others = [node for node in nodes if node.path in self.goal.skipped]
        return [*needed, *others] if process.path else needed

    def _run_node(self, node: Node, fed: KeyedValues, context: Context, key: Key) -> KeyedValues:
        values = {port: given.value for port, given in fed.items()}
        if not node.enabled:
            known = {port: value for port, value in values.items() if value is not None}
            passed = passed_through(node, known, type)
            self.services.deliver(node.path, passed)
            return {port: Keyed(v) for port, v in passed.items()}
        is_goal = self.goal is not None and self.goal.path == node.path
        # Where a run ends with an operator that is not connected yet, all of it is wanted.
        used = node.process.used_outputs(node.name)
        child = context.child(node.path, (*key, node.name), None if is_goal and not used else used)
        if self.pause is not None:
            steps_on = self.pause(node, "before", values)
            if steps_on and node.subprocesses:
                self.services.entered |= {node.path}  # the next step is inside
        self.services.emit(Started(node.path))
        self.memory.start()
        began = time.perf_counter()
        try:
            child.result_key = self._result_key(node, fed, child)
            kept = self._kept(node, child)
            outputs = self._call(node, values, child) if kept is None else kept
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever an operator raises is told by its name
            self.memory.stop()
            wrapped = _wrapped(error, node)
            self.services.emit(Failed(node.path, wrapped))
            raise wrapped from error if wrapped is not error else None
        seconds = time.perf_counter() - began
        self._note_outcome(node, outputs, seconds)
        self.services.deliver(node.path, outputs)
        self.services.emit(
            Finished(node.path, seconds, self.memory.stop(), cached=kept is not None)
        )
        if self.pause is not None:
            self.pause(node, "after", outputs)
        if is_goal:
            raise Reached(outputs)
        result_key = child.result_key
        return {p: Keyed(v, result_key and combined(result_key, p)) for p, v in outputs.items()}

    def _result_key(self, node: Node, fed: KeyedValues, context: Context) -> str | None:
        """Return what the results of the node are kept under; None if they are not."""
        if self.services.store is None or not fed:
            return None
        inputs = {port: given.key or content_key(given.value) for port, given in fed.items()}
        return node_key(node, context, self.parameters(node), inputs, self.settings)

    def _kept(self, node: Node, context: Context) -> Values | None:
        """Return what an earlier run has kept of the node's results."""
        if context.result_key is None or self.services.store is None:
            return None
        if node.path in self.services.entered:
            return None
        found = self.services.store.get(context.result_key)
        if found is None or not isinstance(found.value, KeptOutputs):
            return None
        for message in found.value.messages:
            self.services.emit(message)
        current_state().absorb(found.value.changes)
        return found.value.outputs

    def _call(self, node: Node, fed: Values, context: Context) -> Values:
        inputs = _gather_many(node, fed)
        for index, inner in enumerate(node.subprocesses):
            declared = node.declared_inner(index)
            if declared is None:
                continue
            bound = BoundProcess(self, inner, declared, context)
            if declared.many:
                inputs.setdefault(declared.name, []).append(bound)
            else:
                inputs[declared.name] = bound
        before = None if context.result_key is None else current_state().copy()
        began = time.perf_counter()
        with recorded() as messages:
            found = node.operator.run(inputs, self.parameters(node), context)
        outputs = _spread_many(node, found)
        took = time.perf_counter() - began
        # Around a goal not all that is inside has run, or not in its order.
        whole = self.goal is None or node.path not in self.goal.around
        if context.result_key and before is not None and whole and took > WORTH_KEEPING:
            kept = KeptOutputs(outputs, current_state().changes_since(before), messages)
            self.services.store.put(context.result_key, kept)  # type: ignore[union-attr]
        return outputs

    def parameters(self, node: Node) -> Values:
        """Return the set parameters with macros, also those of running loops, and full paths."""
        macros = current_state().macros
        given = canonical(node) | dict(self.settings.get(node.name, {}))
        values = with_file_paths(node, {k: expand(v, macros) for k, v in given.items()})
        self._check_writing(node, values)
        return values

    def _check_writing(self, node: Node, values: Values) -> None:
        """Refuse to write where the user has not agreed to it: a process may be a stranger's."""
        for parameter in node.operator.parameters:
            value = values.get(parameter.name)
            writes = parameter.file is not None and parameter.file.write and value
            if not writes or self.writable is None:
                continue
            target = Path(str(value)).resolve()
            if not any(target.is_relative_to(folder.resolve()) for folder in self.writable):
                folder = shlex.quote(str(target.parent))
                raise StorageError(
                    f'The process wants to write "{target}", which is outside of its own folder.',
                    hint=f"If you agree, run it with --allow-write {folder}",
                )

    def _note_outcome(self, node: Node, outputs: Values, seconds: float) -> None:
        """Keep what a log may ask for."""
        measured = [v for v in outputs.values() if isinstance(v, PerformanceVector)]
        criteria = {criterion.name: criterion.mean for vector in measured for criterion in vector}
        if measured:
            criteria["performance"] = measured[0].main.mean
        parameters = {p.name: p.default for p in node.operator.parameters if not p.required}
        parameters |= self.parameters(node)
        current_state().outcomes[node.name] = Outcome(parameters, seconds, criteria)


def _gather_many(node: Node, fed: Values) -> Values:
    """Return the inputs with ``name 1``, ``name 2``, … collected in a list, in order."""
    for port_name in fed:
        find_port(node.operator.inputs, port_name)
    return {
        port.name: numbered(port, fed) if port.many else fed.get(port.name)
        for port in node.operator.inputs
    }


def _spread_many(node: Node, outputs: Values) -> Values:
    spread: Values = {}
    for port in node.operator.outputs:
        value = outputs[port.name]
        if port.many:
            spread |= _counted(port, value)
        else:
            spread[port.name] = value
    return spread


def _counted(port: Port, values: Sequence[Any]) -> Values:
    return {f"{port.name} {i}": v for i, v in enumerate(values, start=1) if v is not None}


def _wrapped(error: Exception | SystemExit, node: Node) -> FsopsError:
    if isinstance(error, Cancelled):
        return error
    if isinstance(error, FsopsError):
        return error.at(node.path)
    if isinstance(error, MemoryError):
        return OperatorFailed("There is not enough memory for this step.", path=node.path)
    return unexpected(error, node.path)


@dataclass
class BoundProcess:
    """An inner process as its operator sees it: a function."""

    executor: Executor
    process: Process
    declared: SubprocessPort
    context: Context

    def __call__(self, *values: Any) -> Any:
        """Run the inner process once and return what its sinks receive."""
        if len(values) != len(self.declared.sources):
            raise PortError(
                f'"{self.process.name}" takes {len(self.declared.sources)} inputs, '
                f"but got {len(values)}."
            )
        inputs: Values = {}
        for port, value in zip(self.declared.sources, values, strict=True):
            if port.many:
                inputs |= _counted(port, value)
            else:
                inputs[port.name] = value
        call = self.context.next_call(self.process.name)
        around = self.context.result_key
        origin = around and combined(around, call.place)
        found = self.executor.run(self.process, inputs, self.context, call.key, origin)
        return self._result(found)

    def configured(self, settings: Mapping[str, Any]) -> BoundProcess:
        """Return the inner process with other parameters, named ``"Operator.parameter"``."""
        merged = {name: dict(values) for name, values in self.executor.settings.items()}
        for target, value in settings.items():
            node, parameter = find_target([self.process], target)
            # A grid from 1 to 10 in 4 steps has fractions.
            is_fraction = parameter.kind == "integer" and isinstance(value, float)
            checked = parameter.check(round(value) if is_fraction else value)
            merged.setdefault(node.name, {})[parameter.name] = checked
        return replace(self, executor=replace(self.executor, settings=merged))

    def resampled(self, examples: ExampleSet, counts: npt.NDArray[np.float64]) -> Any:
        """Return the weights on all resamples at once, or None if that is not possible.

        It is where the inner process is a single weighting that can do so, many times faster than
        running it on each, and where nobody waits for what happens inside.
        """
        node = self._only_node()
        if node is None or node.operator.resampled is None:
            return None
        if self.context.path in self.executor.services.entered:
            return None
        try:
            for accepts in node.operator.accepts.values():
                accepts.check(examples)
            given = self.executor.parameters(node)
            parameters = check_parameters(node.operator.parameters, given)
            with one_thread():  # as the turns it takes the place of
                return node.operator.resampled(examples, counts, **parameters)
        except FsopsError as error:
            raise error.at(node.path) from None

    def _only_node(self) -> Node | None:
        """Return the operator between source and sink if there is just one."""
        wires = {(c.from_node, c.to_node) for c in self.process.connections}
        nodes = [node for node in self.process if node.enabled]
        if len(nodes) != 1 or wires != {(SOURCE, nodes[0].name), (nodes[0].name, SINK)}:
            return None
        return nodes[0]

    def _result(self, found: Values) -> Any:
        results: list[Any] = []
        for port in self.declared.sinks:
            if port.many:
                results.append(numbered(port, found))
                continue
            if found.get(port.name) is None and not port.optional:
                raise PortError(
                    f'The inner process delivered nothing at "{port.name}".', path=self.process.path
                )
            value = found.get(port.name)
            if value is not None and not isinstance(value, port.type):
                raise PortError(
                    f'"{port.name}" takes {port.type.phrase()}, but got {value.phrase()}.',
                    path=self.process.path,
                )
            results.append(value)
        if not results:
            return None
        return self.declared.result(*results) if self.declared.result else results[0]
