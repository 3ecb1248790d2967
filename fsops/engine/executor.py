"""Walks a process graph, runs its operators, and hands results from port to port."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fsops.core.context import Context, Key, current_macros
from fsops.core.events import Failed, Finished, Started
from fsops.core.macros import expand
from fsops.core.parameters import check_parameters
from fsops.core.ports import SubprocessPort, find_port
from fsops.core.process import SINK, SOURCE, Node, Process, port_order
from fsops.core.propagation import canonical, passed_through, with_file_paths
from fsops.engine.memory import PeakMemory
from fsops.engine.services import RunServices
from fsops.errors import Cancelled, FsopsError, OperatorFailed, PortError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from fsops.data import ExampleSet

Values = dict[str, Any]
Pause = Callable[[Node, str, Mapping[str, Any]], None]


@dataclass
class Executor:
    """Runs processes with one set of services; used again for every inner process."""

    services: RunServices
    macros: Mapping[str, str]
    memory: PeakMemory
    pause: Pause | None = None
    """Called at a breakpoint with the node, "before" or "after", and the values at its ports."""

    def run(
        self, process: Process, inputs: Mapping[str, Any], context: Context, key: Key
    ) -> Values:
        """Return what arrives at the sinks, by port name.

        A result is dropped as soon as its last reader has it, so a long chain of large tables
        never holds more than it needs.
        """
        readers = Counter((c.from_node, c.from_port) for c in process.connections)
        held: dict[tuple[str, str], Any] = {
            (SOURCE, port): value for port, value in inputs.items() if readers[SOURCE, port]
        }

        def read(start: tuple[str, str]) -> Any:
            if start not in held:
                return None
            readers[start] -= 1
            return held[start] if readers[start] else held.pop(start)

        for node in process.order():
            self.services.check_cancelled()
            fed = {port: read(start) for port, start in process.incoming(node.name).items()}
            for port, value in self._run_node(node, fed, context, key).items():
                if readers[node.name, port]:
                    held[node.name, port] = value
        return {port: read(start) for port, start in process.incoming(SINK).items()}

    def _run_node(self, node: Node, fed: Values, context: Context, key: Key) -> Values:
        if not node.enabled:
            return passed_through(node, {k: v for k, v in fed.items() if v is not None}, type)
        wanted = {ports[0] for _, _, ports in node.process.graph.out_edges(node.name, keys=True)}
        child = context.child(node.path, (*key, node.name), wanted)
        self._stop_at("before", node, fed)
        self.services.emit(Started(node.path))
        self.memory.start()
        began = time.perf_counter()
        try:
            outputs = self._call(node, fed, child)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever an operator raises is told by its name
            self.memory.stop()
            wrapped = _wrapped(error, node)
            self.services.emit(Failed(node.path, wrapped))
            raise wrapped from error if wrapped is not error else None
        seconds = time.perf_counter() - began
        self.services.emit(Finished(node.path, seconds, self.memory.stop()))
        self._stop_at("after", node, outputs)
        return outputs

    def _stop_at(self, moment: str, node: Node, values: Values) -> None:
        if self.pause is not None and moment in node.breakpoints:
            self.pause(node, moment, values)

    def _call(self, node: Node, fed: Values, context: Context) -> Values:
        operator = node.operator
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
        return _spread_many(node, operator.run(inputs, self.parameters(node), context))

    def parameters(self, node: Node) -> Values:
        """Return the set parameters with macros, also those of running loops, and full paths."""
        macros = {**self.macros, **current_macros()}
        return with_file_paths(node, {k: expand(v, macros) for k, v in canonical(node).items()})


def _gather_many(node: Node, fed: Values) -> Values:
    """Return the inputs with ``name 1``, ``name 2``, … collected in a list, in order."""
    inputs: Values = {}
    for port_name, value in sorted(fed.items(), key=lambda item: port_order(item[0])):
        port = find_port(node.operator.inputs, port_name)
        if port.many:
            inputs.setdefault(port.name, []).append(value)
        else:
            inputs[port.name] = value
    return inputs


def _spread_many(node: Node, outputs: Values) -> Values:
    spread: Values = {}
    for port in node.operator.outputs:
        value = outputs[port.name]
        if port.many:
            spread |= {f"{port.name} {i}": item for i, item in enumerate(value, start=1)}
        else:
            spread[port.name] = value
    return spread


def _wrapped(error: Exception | SystemExit, node: Node) -> FsopsError:
    if isinstance(error, Cancelled):
        return error
    if isinstance(error, FsopsError):
        return error.at(node.path)
    if isinstance(error, MemoryError):
        return OperatorFailed("There is not enough memory for this step.", path=node.path)
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return OperatorFailed(
        f"The operator stopped with an unexpected error ({text}).",
        hint="Run again with --debug to see where.",
        path=node.path,
    )


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
                inputs |= {f"{port.name} {i}": item for i, item in enumerate(value, start=1)}
            else:
                inputs[port.name] = value
        key = self.context.call_key(self.process.name)
        found = self.executor.run(self.process, inputs, self.context, key)
        return self._result(found)

    def resampled(self, examples: ExampleSet, counts: npt.NDArray[np.float64]) -> Any:
        """Return the weights on all resamples at once, or None if that is not possible.

        It is where the inner process is a single weighting that can do so: many times faster than
        running it on each.
        """
        node = self._only_node()
        if node is None or node.operator.resampled is None:
            return None
        try:
            for accepts in node.operator.accepts.values():
                accepts.check(examples)
            given = self.executor.parameters(node)
            parameters = check_parameters(node.operator.parameters, given)
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
                numbered = sorted((n for n in found if port.matches(n)), key=port_order)
                results.append([found[name] for name in numbered])
                continue
            if found.get(port.name) is None and not port.optional:
                raise PortError(
                    f'The inner process delivered nothing at "{port.name}".', path=self.process.path
                )
            results.append(found.get(port.name))
        if not results:
            return None
        return self.declared.result(*results) if self.declared.result else results[0]
