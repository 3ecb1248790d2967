"""Known facts about a process before it runs as an estimator."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from fsops.core import Accepts, Process
from fsops.core.declare.ports import find_port
from fsops.core.graph.process import ROOT_SINKS, ROOT_SOURCES, Node
from fsops.core.graph.wiring import SINK, SOURCE, Connection
from fsops.data import FlowObject
from fsops.errors import ParameterError, UsageError, enumerate_names
from fsops.sklearn.declared import MISSING, accepts_of_operator, both

INPUT = "input 1"


def standing_alone(process: Process, data: str | None) -> Process:
    """Return the process, changed in place, fed at its first input and nowhere else.

    An inner process becomes a separate one; the operator called ``data`` is left out, and the table
    takes its place.
    """
    if data is not None:
        if not isinstance(data, str):
            raise ParameterError(f"data is {data!r}, but must be the name of an operator.")
        for connection in [c for c in process.connections if c.from_node == process[data].name]:
            _connect(process, SOURCE, INPUT, connection.to_node, connection.to_port)
        process.remove(data)
    if process.sources != ROOT_SOURCES:
        _make_root(process)
    used = sorted(process.used_outputs(SOURCE))
    if not used:
        loading = [n.name for n in process if not n.operator.inputs and n.operator.outputs]
        hint = f'Say which operator they replace: data="{loading[0]}".' if loading else ""
        raise UsageError("The process does not take a table, so it cannot use X and y.",
                         hint=hint)  # fmt: skip
    if used != [INPUT]:
        raise UsageError(
            f"The process needs more than one table: it uses {enumerate_names(used)}.",
            hint="Connect its first input only.",
        )
    return process


def _make_root(process: Process) -> None:
    """Give an inner process the ports of a whole one."""
    connections = process.connections
    inputs = list(dict.fromkeys(c.from_port for c in connections if c.from_node == SOURCE))
    results = list(dict.fromkeys(c.to_port for c in connections if c.to_node == SINK))
    for connection in connections:
        process.disconnect(connection.to_node, connection.to_port)
    process.sources, process.sinks = ROOT_SOURCES, ROOT_SINKS
    for c in connections:
        start = f"input {inputs.index(c.from_port) + 1}" if c.from_node == SOURCE else c.from_port
        end = f"result {results.index(c.to_port) + 1}" if c.to_node == SINK else c.to_port
        _connect(process, c.from_node, start, c.to_node, end)


def _connect(process: Process, *ends: str) -> None:
    process.connect_unchecked(Connection(*ends))


def delivered_types(process: Process) -> list[type[FlowObject]]:
    """Return the results of the process, as its operators declare them."""
    return [
        find_port(process.ports(node, outgoing=True), port).type
        for node, port in process.incoming(SINK).values()
    ]


def accepted_by(process: Process) -> Accepts:
    """Return what all operators take that see the table as it is given."""
    accepted = [
        accepts_of_operator(node.operator, node.parameters.get(MISSING, _default(node)))
        for node in _fed(process)
    ]
    return reduce(both, accepted, Accepts(missing=True, infinite=True))


def _default(node: Node) -> object:
    return next((p.default for p in node.operator.parameters if p.name == MISSING), None)


def _fed(process: Process) -> Iterator[Node]:
    """Return the operators that get the table itself, also inside others."""
    for node in process:
        if any(start == SOURCE for start, _ in process.incoming(node.name).values()):
            if node.operator.accepts:
                yield node
            for inner in node.subprocesses:
                yield from _fed(inner)
