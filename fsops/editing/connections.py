"""The ports of a level, and the connections that are possible between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from fsops.core.declare.ports import Port, port_order
from fsops.core.graph.process import Node, Process
from fsops.core.graph.wiring import SINK, SOURCE, Connection
from fsops.data import FlowObject
from fsops.errors import PortError


@dataclass(frozen=True)
class End:
    """One port of a level: an operator's, or with `SOURCE` and `SINK` one at the level's edge."""

    node: str
    port: str
    outgoing: bool
    """Whether a result comes out here; the sources of a level do so too."""


@dataclass(frozen=True)
class ShownPort:
    """A port as it is drawn: of a port of many there are those in use and one more."""

    name: str
    declared: Port


def shown_ports(level: Process, node: str, *, outgoing: bool) -> list[ShownPort]:
    """Return the ports to draw at one side of an operator or at one edge of the level."""
    used = level.used_outputs(node) if outgoing else set(level.incoming(node))
    shown: list[ShownPort] = []
    for port in level.ports(node, outgoing=outgoing):
        if not port.many:
            shown.append(ShownPort(port.name, port))
            continue
        numbers = {port_order(name)[1] for name in used if port.matches(name)}
        last = max(numbers, default=0)
        free = next(n for n in range(1, last + 2) if n not in numbers)
        shown += [ShownPort(f"{port.name} {n}", port) for n in sorted({*numbers, free})]
    known = {port.name for port in shown}
    # What a file connects although nothing declares it, as at operators that are not installed.
    shown += [
        ShownPort(name, Port(name, FlowObject)) for name in sorted(used - known, key=port_order)
    ]
    return shown


class ConnectionRules:
    """Says of one port where a wire that starts there may end, and if not, why."""

    def __init__(self, level: Process, start: End) -> None:
        self.level = level
        self.start = start

    def connection(self, other: End) -> Connection:
        """Return the connection between the start and another port, in the flow's direction."""
        one, two = (self.start, other) if self.start.outgoing else (other, self.start)
        return Connection(one.node, one.port, two.node, two.port)

    def why_not(self, other: End) -> str:
        """Return in words why the two cannot be connected, or an empty text."""
        if other.outgoing == self.start.outgoing:
            kind = "outputs" if other.outgoing else "inputs"
            return f"Both are {kind}: a wire goes from an output to an input."
        if other.node == self.start.node:
            return "An operator cannot feed itself."
        try:
            mismatch = self.level.mismatch(self.connection(other))
        except PortError as error:
            return error.message
        if mismatch:
            return mismatch
        if other.node in self._in_a_circle:
            wire = self.connection(other)
            return (
                f'That would make a circle: "{wire.from_node}" itself needs what '
                f'"{wire.to_node}" gives.'
            )
        return ""

    @cached_property
    def _in_a_circle(self) -> set[str]:
        """Operators that are already on the other side of the start."""
        if self.start.node in (SOURCE, SINK):
            return set()
        follow = self.level.ancestors if self.start.outgoing else self.level.descendants
        return follow(self.start.node)

    def fitting(self, ends: Iterator[End]) -> list[End]:
        """Return those of the ports that take the wire."""
        return [end for end in ends if not self.why_not(end)]


def why_not(level: Process, connection: Connection) -> str:
    """Return why a connection is not possible, or an empty text."""
    start = End(connection.from_node, connection.from_port, outgoing=True)
    end = End(connection.to_node, connection.to_port, outgoing=False)
    return ConnectionRules(level, start).why_not(end)


def links_in(level: Process, node: Node, wire: Connection) -> Iterator[Connection]:
    """Return how the value of a connection could reach an operator."""
    for port in node.operator.inputs:
        end = level.free_port(node.name, port)
        link = Connection(wire.from_node, wire.from_port, node.name, end)
        if not why_not(level, link):
            yield link


def links_out(level: Process, node: Node, wire: Connection) -> Iterator[Connection]:
    """Return how the result of an operator could reach the end of a connection."""
    for port in node.operator.outputs:
        name = f"{port.name} 1" if port.many else port.name
        link = Connection(node.name, name, wire.to_node, wire.to_port)
        if not why_not(level, link):
            yield link


def fits_into_wire(level: Process, node: Node, wire: Connection) -> bool:
    """Return whether a connection could be led through an operator."""
    return any(links_in(level, node, wire)) and any(links_out(level, node, wire))
