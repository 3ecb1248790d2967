"""The connections of one level of a process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import networkx as nx

SOURCE = "<source>"
SINK = "<sink>"


@dataclass(frozen=True)
class Connection:
    """A result flows from one port to another; `SOURCE` and `SINK` are the edges of the process."""

    from_node: str
    from_port: str
    to_node: str
    to_port: str

    def __str__(self) -> str:
        start = "" if self.from_node == SOURCE else f"{self.from_node}."
        end = "" if self.to_node == SINK else f"{self.to_node}."
        return f"{start}{self.from_port} → {end}{self.to_port}"


class Wiring:
    """Which port is fed from which; an input port from one, an output feeds any number.

    It answers by itself what a run asks all the time. Questions about the graph as a whole go to
    networkx, whose import alone takes longer than a small run: `graph` makes it when asked for.
    """

    def __init__(self) -> None:
        self._into: dict[str, dict[str, tuple[str, str]]] = {SOURCE: {}, SINK: {}}
        self._out_of: dict[str, dict[tuple[str, str], str]] = {SOURCE: {}, SINK: {}}

    def __iter__(self) -> Iterator[Connection]:
        for end, fed in self._into.items():
            for to_port, (start, from_port) in fed.items():
                yield Connection(start, from_port, end, to_port)

    def copy(self) -> Wiring:
        """Return an independent copy."""
        made = Wiring()
        made._into = {node: dict(fed) for node, fed in self._into.items()}
        made._out_of = {node: dict(feeds) for node, feeds in self._out_of.items()}
        return made

    def at(self, node: str) -> tuple[dict[str, tuple[str, str]], dict[tuple[str, str], str]]:
        """Return what feeds a node, by its input, and what it feeds; only to look at."""
        return self._into[node], self._out_of[node]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Wiring) and self._into == other._into

    __hash__ = object.__hash__

    def add_node(self, name: str) -> None:
        """Make room for the connections of an operator."""
        self._into.setdefault(name, {})
        self._out_of.setdefault(name, {})

    def remove_node(self, name: str) -> None:
        """Forget an operator and its connections."""
        for port in [*self._into[name]]:
            self.disconnect(name, port)
        for end, port in [*self._out_of[name]]:
            self.disconnect(end, port)
        del self._into[name], self._out_of[name]

    def rename_node(self, name: str, new: str) -> None:
        """Give an operator another name; its connections follow."""
        touched = [c for c in self if name in (c.from_node, c.to_node)]
        self.remove_node(name)
        self.add_node(new)
        for c in touched:
            start = new if c.from_node == name else c.from_node
            end = new if c.to_node == name else c.to_node
            self.connect(Connection(start, c.from_port, end, c.to_port))

    def connect(self, connection: Connection) -> None:
        """Connect two ports; what fed the input before is replaced."""
        self.disconnect(connection.to_node, connection.to_port)
        end = (connection.to_node, connection.to_port)
        self._into[connection.to_node][connection.to_port] = (
            connection.from_node,
            connection.from_port,
        )
        self._out_of[connection.from_node][end] = connection.from_port

    def disconnect(self, node: str, port: str) -> None:
        """Remove what feeds an input port, if anything does."""
        start = self._into[node].pop(port, None)
        if start is not None:
            del self._out_of[start[0]][node, port]

    def incoming(self, node: str) -> dict[str, tuple[str, str]]:
        """Return by input port which node and port it is fed from."""
        return dict(self._into[node])

    def used_outputs(self, node: str) -> set[str]:
        """Return the output ports of a node that feed something."""
        return set(self._out_of[node].values())

    def before(self, node: str) -> set[str]:
        """Return the operators that feed a node directly."""
        return {start for start, _ in self._into[node].values()} - {SOURCE}

    def after(self, node: str) -> set[str]:
        """Return the operators that a node feeds directly."""
        return {end for end, _ in self._out_of[node]} - {SINK}

    def graph(self) -> nx.MultiDiGraph[str]:
        """Return the level as a graph of networkx, with ``(from_port, to_port)`` as edge keys."""
        import networkx as nx

        graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
        graph.add_nodes_from(self._into)
        for c in self:
            graph.add_edge(c.from_node, c.to_node, key=(c.from_port, c.to_port))
        return graph
