"""Processes: operators as nodes of a graph, results flowing along typed connections."""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, overload

import networkx as nx

from fsops.core.declare.ports import Port, SubprocessPort, find_port, fits, port_order
from fsops.core.frame.frame import DEFAULT_SEED
from fsops.core.graph.differences import PLAIN, differing, parameter_as_text
from fsops.core.graph.schedule import Schedule, ScheduledOperator
from fsops.core.graph.wiring import SINK, SOURCE, Connection
from fsops.core.operator import Operator, operator_of
from fsops.data import FlowObject
from fsops.data.flow import presenter
from fsops.errors import (
    FsopsError,
    PortError,
    UsageError,
    did_you_mean,
    enumerate_names,
)

__all__ = ["BREAKPOINTS", "Node", "Note", "Output", "Process", "parameter_as_text"]

BREAKPOINTS = ("before", "after")

ROOT_SOURCES = (Port("input", FlowObject, "Inputs of the process.", optional=True, many=True),)
ROOT_SINKS = (Port("result", FlowObject, "Results of the process.", optional=True, many=True),)


@dataclass(frozen=True)
class Output:
    """Where a result comes out: an operator's output port or an input of the process around it."""

    process: Process
    node: str
    port: str


@dataclass
class Note:
    """A remark on the canvas, or attached to an operator."""

    text: str
    layout: dict[str, str] = field(default_factory=dict)
    """Drawing attributes as written in the file: align, color, x, y, …"""


# Identity: two operators with equal settings are still two. It also keeps nodes hashable.
@dataclass(eq=False)
class Node:
    """An operator in a process, with its settings."""

    name: str
    operator: Operator
    process: Process
    parameters: dict[str, Any] = field(default_factory=dict)
    """Only set parameters; values may be text with macros."""
    subprocesses: list[Process] = field(default_factory=list)
    enabled: bool = True
    breakpoints: frozenset[str] = frozenset()
    position: dict[str, int] | None = None
    """Its place on the canvas: x, y, and if known width and height."""
    note: Note | None = None
    extras: dict[str, Any] = field(default_factory=dict)
    """Unknown content of the file; kept for writing."""

    def __repr__(self) -> str:
        return f"<Node {self.name!r}: {self.operator.key}>"

    @property
    def path(self) -> tuple[str, ...]:
        """Names from the outermost operator to this one, with the inner processes between."""
        return (*self.process.path, self.name)

    def __getitem__(self, port: str) -> Output:
        """Return an output port by name."""
        if not self.operator.is_placeholder:
            try:
                find_port(self.operator.outputs, port)
            except PortError as error:
                raise error.at(self.path) from None
        return Output(self.process, self.name, port)

    def set_parameter(self, name: str, value: Any) -> None:
        """Set a parameter, or with None remove the setting, also where an alias had made it."""
        aliases = self.operator.aliases.parameters
        meant = aliases.get(name, name)
        for given in [n for n in self.parameters if aliases.get(n, n) == meant]:
            del self.parameters[given]
        if value is not None:
            self.parameters[meant] = value

    def canonical_parameters(self) -> dict[str, Any]:
        """Return the set parameters under their own names instead of aliases."""
        aliases = self.operator.aliases.parameters
        return {aliases.get(name, name): value for name, value in self.parameters.items()}

    def clone(self, process: Process) -> Node:
        """Return an independent copy for a copy of its process."""
        made = Node(
            self.name,
            self.operator,
            process,
            {name: _copied(value) for name, value in self.parameters.items()},
            enabled=self.enabled,
            breakpoints=self.breakpoints,
            position=dict(self.position) if self.position is not None else None,
            note=Note(self.note.text, dict(self.note.layout)) if self.note else None,
            extras=copy.deepcopy(self.extras) if self.extras else {},
        )
        made.subprocesses = [inner.clone(made) for inner in self.subprocesses]
        return made

    def declared_inner(self, index: int) -> SubprocessPort | None:
        """Return the operator's declaration of its inner process of that number."""
        declared = self.operator.subprocesses
        if index < len(declared):
            return declared[index]
        return declared[-1] if declared and declared[-1].many else None

    def fit_subprocesses(self) -> None:
        """Give the node the inner processes its operator declares, keeping those it has."""
        while len(self.subprocesses) < len(self.operator.subprocesses):
            self.add_inner()
        for index, inner in enumerate(self.subprocesses):
            declared = self.declared_inner(index)
            if declared is not None:
                # Only the last declared inner process can repeat, so its copies are counted from 0.
                inner.name = declared.title(index - len(self.operator.subprocesses) + 1)
                inner.sources, inner.sinks = declared.sources, declared.sinks

    def add_inner(self) -> Process:
        """Add a further inner process, where the operator takes any number of them."""
        declared = self.declared_inner(len(self.subprocesses))
        if declared is None and not self.operator.is_placeholder:
            raise UsageError("It cannot have more inner processes.", path=self.path)
        inner = Process(f"Subprocess {len(self.subprocesses) + 1}")
        inner.owner = self
        self.subprocesses.append(inner)
        self.fit_subprocesses()
        return inner

    def inner(self, name: str | None = None) -> Process:
        """Return an inner process by its name in Python or its title; without one, the only one."""
        if name is None and len(self.subprocesses) == 1:
            return self.subprocesses[0]
        name = self.operator.aliases.parameters.get(name or "", name)
        for index, inner in enumerate(self.subprocesses):
            declared = self.declared_inner(index)
            if inner.name == name or (declared and not declared.many and declared.name == name):
                return inner
        known = [inner.name for inner in self.subprocesses]
        hint = f"There are {enumerate_names(known)}." if known else "It has no inner process."
        raise UsageError(f'There is no inner process "{name}".', hint=hint, path=self.path)


class Process:
    """A graph of operators; an operator may hold inner processes, so processes nest.

    ``graph`` is the single source of truth for one level: a ``networkx.MultiDiGraph`` whose nodes
    are the names of the operators, in the order of insertion, with the `Node` as the attribute
    ``operator``. Two further nodes, `SOURCE` and `SINK`, stand for the edges of the process. The
    key of an edge is the pair of ports that it connects: ``(from_port, to_port)``.

    Parameters
    ----------
    name : str
        Name of the process.
    seed : int
        From it every operator's random numbers are derived.
    macros : mapping of str to str
        Values for ``%{name}`` in parameters.
    """

    def __init__(
        self,
        name: str = "Process",
        *,
        seed: int = DEFAULT_SEED,
        macros: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.seed = seed
        self.macros: dict[str, str] = dict(macros or {})
        self.owner: Node | None = None
        self.sources: tuple[Port, ...] = ROOT_SOURCES
        self.sinks: tuple[Port, ...] = ROOT_SINKS
        self.folder: Path | None = None
        """Folder of the process file; relative paths in parameters start there."""
        self.readable: Sequence[Path] | None = None
        """Files and folders that operators may read; None for all. A file may be a stranger's."""
        self.description: Note | None = None
        self.notes: list[Note] = []
        self.extras: dict[str, Any] = {}
        self.graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
        self.graph.add_nodes_from((SOURCE, SINK))

    # --- looking at it ----------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"<Process {self.name!r}: {', '.join(self.names) or 'empty'}>"

    def _repr_svg_(self) -> str:
        """Return the picture that a notebook shows."""
        return presenter().svg(self)

    def _repr_html_(self) -> str:
        """Return the same for notebooks that prefer HTML."""
        return presenter().html(self)

    @property
    def names(self) -> list[str]:
        """Names of the operators of this level, in the order of insertion."""
        return [node.name for node in self]

    def __len__(self) -> int:
        return self.graph.number_of_nodes() - 2

    def __iter__(self) -> Iterator[Node]:
        nodes = (about.get("operator") for _, about in self.graph.nodes(data=True))
        # A list: callers may change the graph while they iterate.
        return iter([node for node in nodes if node is not None])

    def __contains__(self, name: object) -> bool:
        return name in self.graph and name not in (SOURCE, SINK)

    def __getitem__(self, name: str) -> Node:
        """Return an operator of this level by name."""
        if name not in self:
            names = self.names
            hint = did_you_mean(name, names) or f"There are {enumerate_names(names)}."
            raise UsageError(f'There is no operator "{name}".', hint=hint, path=self.path)
        node: Node = self.graph.nodes[name]["operator"]
        return node

    @property
    def path(self) -> tuple[str, ...]:
        """Names from the outermost operator to this inner process; empty for the root."""
        return () if self.owner is None else (*self.owner.path, self.name)

    @property
    def has_open_ports(self) -> bool:
        """Whether the ports at its edges are not known: inside an operator not installed."""
        return self.owner is not None and self.owner.operator.is_placeholder

    @property
    def root(self) -> Process:
        """The outermost process."""
        return self if self.owner is None else self.owner.process.root

    def walk(self) -> Iterator[Node]:
        """Return all operators, inner ones too, in reading order."""
        for node in self:
            yield node
            for inner in node.subprocesses:
                yield from inner.walk()

    def find(self, name: str) -> Node:
        """Return an operator of any level by its name."""
        found = next((node for node in self.walk() if node.name == name), None)
        if found is None:
            names = [node.name for node in self.walk()]
            hint = did_you_mean(name, names) or f"There are {enumerate_names(names)}."
            raise UsageError(f'There is no operator "{name}".', hint=hint)
        return found

    @property
    def connections(self) -> list[Connection]:
        """All connections of this level, in a fixed order."""
        place = self._places()
        # networkx lists edges in the order of editing; files and reports need a fixed order.
        edges = self.graph.edges(keys=True)
        return sorted(
            (Connection(start, out, end, into) for start, end, (out, into) in edges),
            key=lambda c: (
                place[c.from_node], port_order(c.from_port), place[c.to_node], port_order(c.to_port)
            ),
        )  # fmt: skip

    def _places(self) -> dict[str, int]:
        """Return the place of each node in the order of insertion; the edges are at both ends."""
        return {SOURCE: -1, **{name: i for i, name in enumerate(self.names)}, SINK: len(self)}

    def same_connections(self, other: Process) -> bool:
        """Return whether both levels have the same connections."""
        return set(self.graph.edges(keys=True)) == set(other.graph.edges(keys=True))

    def incoming(self, node: str) -> dict[str, tuple[str, str]]:
        """Return by input port which node and port it is fed from, in the order of the ports."""
        edges = self.graph.in_edges(node, keys=True)
        fed = {into: (start, out) for start, _, (out, into) in edges}
        # Most operators have one input: skip the sort.
        if len(fed) < 2:
            return fed
        declared = [port.name for port in self.ports(node, outgoing=False)]
        place = {name: number for number, name in enumerate(declared)}

        def order(port: str) -> tuple[int, str, int]:
            base, number = port_order(port)
            return place.get(port, place.get(base, len(place))), base, number

        return {port: fed[port] for port in sorted(fed, key=order)}

    def used_outputs(self, node: str) -> set[str]:
        """Return the output ports of an operator (or of the source) that feed something."""
        return {out for _, _, (out, _) in self.graph.out_edges(node, keys=True)}

    def _check_known(self, *nodes: str) -> None:
        """Raise `UsageError` for an operator that this level does not have."""
        for node in nodes:
            if node not in self.graph:
                self[node]

    def before(self, node: str) -> set[str]:
        """Return the operators that feed a node directly."""
        return set(self.graph.predecessors(node)) - {SOURCE}

    def after(self, node: str) -> set[str]:
        """Return the operators that a node feeds directly."""
        return set(self.graph.successors(node)) - {SINK}

    def ancestors(self, *nodes: str) -> set[str]:
        """Return the operators that feed some of these nodes, directly or not."""
        self._check_known(*nodes)
        return {name for node in nodes for name in nx.ancestors(self.graph, node)} - {SOURCE}

    def descendants(self, *nodes: str) -> set[str]:
        """Return the operators that some of these nodes feed, directly or not."""
        self._check_known(*nodes)
        return {name for node in nodes for name in nx.descendants(self.graph, node)} - {SINK}

    def ports(self, node: str, *, outgoing: bool) -> tuple[Port, ...]:
        """Return the declared ports at one end of a connection."""
        if node in (SOURCE, SINK):
            return self.sources if node == SOURCE else self.sinks
        declared = self[node].operator
        return declared.outputs if outgoing else declared.inputs

    def order(self) -> list[Node]:
        """Return the operators so that each comes after those it needs.

        Independent operators keep the order of insertion, as in RapidMiner. A cycle is an error.
        """
        place = self._places()
        try:
            names = [*nx.lexicographical_topological_sort(self.graph, key=place.__getitem__)]
        except nx.NetworkXUnfeasible:
            raise PortError(
                f"The connections run in a circle: {' → '.join(self.cycle())}.", path=self.path
            ) from None
        return [self[name] for name in names if name not in (SOURCE, SINK)]

    def cycle(self) -> list[str]:
        """Return the names along a circle of connections, the first repeated; empty if none."""
        try:
            edges = nx.find_cycle(self.graph)
        except nx.NetworkXNoCycle:
            return []
        return [edges[0][0], *(edge[1] for edge in edges)]

    def schedule(self) -> Schedule:
        """Return how the level is executed: its operators in order, each with what feeds it."""
        readers = Counter((c.from_node, c.from_port) for c in self.connections)
        steps = [
            ScheduledOperator(
                node,
                self.incoming(node.name),
                frozenset(self.used_outputs(node.name)),
                node.canonical_parameters(),
            )
            for node in self.order()
        ]
        return Schedule(steps, self.incoming(SINK), readers)

    # --- building it ------------------------------------------------------------------------

    def add(
        self,
        operator: Callable[..., Any] | Operator,
        *inputs: Node | Output,
        name: str | None = None,
        **parameters: Any,
    ) -> Node:
        """Add an operator, connect the inputs to its ports in order, and set parameters.

        An input is an output port (``node["weights"]``), or an operator, which means its first
        output that fits. Each goes to the first free port that takes it.
        """
        spec = operator_of(operator)
        settings = spec.renamed(parameters)
        node = Node(self.unique_name(name or spec.title), spec, self, settings)
        node.fit_subprocesses()
        self.insert(node)
        try:
            for given in inputs:
                self._feed(given, node.name, spec.inputs)
        except FsopsError:
            # An operator that could not be connected must not stay in the process.
            self.remove(node.name)
            raise
        return node

    def insert(self, node: Node) -> None:
        """Put a node in as it is, as a reader does; its name must be free on all levels."""
        self.graph.add_node(node.name, operator=node)

    def unique_name(self, wanted: str) -> str:
        """Return the name, with a number if the process already has it on any level."""
        # Unique on all levels: searches, metadata and edits refer to an operator by its name alone.
        return free_name(wanted, {node.name for node in self.root.walk()})

    def _feed(self, given: Node | Output, end: str, ports: Sequence[Port]) -> None:
        """Connect to the first free port that takes it."""
        self._check_own(given)
        fed = self.incoming(end)
        free = [port for port in ports if port.many or port.name not in fed]
        for start in self._candidates(given):
            offered = find_port(self.ports(start.node, outgoing=True), start.port).type
            fitting = next((port for port in free if fits(offered, port)), None)
            if fitting is not None:
                self.connect(start, end, self.free_port(end, fitting))
                return
        where = self.path if end == SINK else self[end].path
        raise PortError(f"No free port takes the output of {given!r}.", path=where)

    def _check_own(self, given: Node | Output) -> None:
        if given.process is not self:
            raise PortError("Only operators of the same process can be connected.", path=self.path)

    @staticmethod
    def _candidates(given: Node | Output) -> list[Output]:
        if isinstance(given, Output):
            return [given]
        return [given[f"{p.name} 1" if p.many else p.name] for p in given.operator.outputs]

    def free_port(self, node: str, port: Port) -> str:
        """Return the name of the port, or the next unused number of a port of many."""
        if not port.many:
            return port.name
        used = {end_port for end_port in self.incoming(node)}
        number = 1
        while f"{port.name} {number}" in used:
            number += 1
        return f"{port.name} {number}"

    def source(self, port: str | None = None) -> Output:
        """Return an input of the process, as an output inside it; without a name the first."""
        if port is None:
            if not self.sources:
                raise PortError("This process has no inputs.", path=self.path)
            port = f"{self.sources[0].name} 1" if self.sources[0].many else self.sources[0].name
        if not self.has_open_ports:
            find_port(self.sources, port)
        return Output(self, SOURCE, port)

    def inputs(self) -> tuple[Output, ...]:
        """Return all that an inner process is given, in the order of its ports."""
        return tuple(self.source(port.name) for port in self.sources if not port.many)

    def result(self, given: Node | Output, port: str | None = None) -> None:
        """Connect a result of the process; without a name at the first free port that fits."""
        if port is None:
            self._feed(given, SINK, self.sinks)
        else:
            self.connect(given, SINK, port)

    def connect(self, given: Node | Output, node: Node | str, port: str) -> None:
        """Connect an output to an input port; an earlier connection is replaced.

        Of an operator it is the first output. Names and types of known operators are checked.
        """
        end = node.name if isinstance(node, Node) else node
        self._check_own(given)
        start = self._candidates(given)[0]
        if end != SINK:
            self[end]
        connection = Connection(start.node, start.port, end, port)
        mismatch = self.mismatch(connection)
        if mismatch:
            raise PortError(mismatch, path=self.path)
        self.connect_unchecked(connection)

    def mismatch(self, connection: Connection) -> str:
        """Return why the types at both ends do not fit, or an empty string."""
        ends = []
        for name, port, outgoing in (
            (connection.from_node, connection.from_port, True),
            (connection.to_node, connection.to_port, False),
        ):
            at_edge = name in (SOURCE, SINK)
            # The ports of an operator that is not installed are unknown, so any connection may fit.
            if self.has_open_ports if at_edge else self[name].operator.is_placeholder:
                return ""
            try:
                ends.append(find_port(self.ports(name, outgoing=outgoing), port))
            except PortError as error:
                raise error.at(self.path if at_edge else self[name].path) from None
        if fits(ends[0].type, ends[1]):
            return ""
        return (
            f'"{connection.to_port}" takes {ends[1].type.phrase()}, '
            f'but "{connection.from_port}" gives {ends[0].type.phrase()}.'
        )

    def connect_unchecked(self, connection: Connection) -> None:
        """Connect without looking at ports; the validator looks at them later."""
        # An input has one source; a MultiDiGraph would accept a second edge to the same port.
        self.disconnect(connection.to_node, connection.to_port)
        self.connect_free(connection)

    def connect_free(self, connection: Connection) -> None:
        """Connect, without looking at ports, to an input that nothing feeds so far.

        A reader knows that the input is free. It reads large files in time that grows with their
        size only because it does not search the connections for each one.
        """
        self._check_known(connection.from_node, connection.to_node)  # networkx would add them
        ports = (connection.from_port, connection.to_port)
        self.graph.add_edge(connection.from_node, connection.to_node, key=ports)

    def disconnect(self, node: str, port: str) -> None:
        """Remove what feeds an input port, if anything does."""
        self._check_known(node)
        feeding = [
            (start, ports)
            for start, edges in self.graph.pred[node].items()
            for ports in edges
            if ports[1] == port
        ]
        for start, ports in feeding:
            self.graph.remove_edge(start, node, ports)

    def remove(self, name: str) -> None:
        """Remove an operator and its connections."""
        self[name]
        self.graph.remove_node(name)

    def rename(self, name: str, new: str) -> None:
        """Give an operator another name; connections follow."""
        node = self[name]
        if new == name:
            return
        if not new:
            raise UsageError("An operator needs a name.", path=node.path)
        if self.unique_name(new) != new:
            raise UsageError(f'There already is an operator "{new}".', path=self.path)
        # A copy: in place networkx would put the new name at the end.
        self.graph = nx.relabel_nodes(self.graph, {name: new})
        node.name = new

    def move(self, name: str, position: int) -> None:
        """Change an operator's place in the order of insertion, which breaks ties."""
        names = [n for n in self.names if n != self[name].name]
        names.insert(position, name)
        # networkx orders nodes by insertion only, so another order needs a new graph.
        moved = type(self.graph)()
        moved.add_nodes_from((n, self.graph.nodes[n]) for n in (SOURCE, SINK, *names))
        for start, end, ports, about in self.graph.edges(keys=True, data=True):
            moved.add_edge(start, end, key=ports, **about)
        self.graph = moved

    # --- copies and comparison --------------------------------------------------------------

    def clone(self, owner: Node | None = None) -> Process:
        """Return an independent copy; of an inner process, an independent process."""
        made = copy.copy(self)
        made.owner = owner
        made.macros = dict(self.macros)
        made.description = copy.deepcopy(self.description)
        made.notes = copy.deepcopy(self.notes)
        made.extras = copy.deepcopy(self.extras)
        # graph.copy() shares the Node objects, so each one is replaced by its own copy.
        made.graph = self.graph.copy()
        for node in self:
            made.graph.nodes[node.name]["operator"] = node.clone(made)
        return made

    def differences(self, other: Process) -> list[str]:
        """Return in words what differs, layout included; empty if nothing does."""
        return list(differing(self, other))

    @overload
    def __eq__(self, other: Process) -> bool: ...
    @overload
    def __eq__(self, other: object) -> bool: ...
    def __eq__(self, other: object) -> bool:
        # `differing` is a generator: the comparison ends at the first difference.
        return isinstance(other, Process) and next(differing(self, other), None) is None

    # Defining __eq__ alone would make processes unhashable.
    __hash__ = object.__hash__


def free_name(wanted: str, taken: Collection[str]) -> str:
    """Return the name for an operator, with a number if it is taken."""
    reserved = (SOURCE, SINK, "")
    if wanted not in taken and wanted not in reserved:
        return wanted
    # A copy of "SVM (2)" becomes "SVM (3)", not "SVM (2) (2)".
    base = re.sub(r" \(\d+\)$", "", wanted)
    numbered = (f"{base} ({number})" for number in count(2))
    return next(name for name in numbered if name not in taken)


def _copied(value: Any) -> Any:
    """Return a copy; what cannot change needs none."""
    return value if type(value) in PLAIN else copy.deepcopy(value)
