"""The quick fix for an information leak: the selection moves into the folds of the validation."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from fsops.core.checks.problems import Connect, Edit, Move, QuickFix
from fsops.core.declare.ports import Port, find_port
from fsops.core.graph.process import Node, Process
from fsops.core.graph.wiring import SINK, SOURCE, Connection
from fsops.data import ExampleSet, FlowObject, Model
from fsops.errors import PortError, enumerate_names

DROPPING = frozenset(
    {
        "multiply",
        "optimize_selection",
        "optimize_selection_backward",
        "optimize_selection_brute_force",
        "optimize_selection_evolutionary",
        "optimize_selection_floating",
        "optimize_selection_forward",
        "optimize_selection_hill_climbing",
        "remove_correlated_attributes",
        "remove_useless_attributes",
        "select_attributes",
        "select_by_weights",
    }
)
"""Operators that give a table without some attributes, no value changed: a model trained on it can
be applied to rows that still have them."""

Start = tuple[str, str]
"""An operator and its output port."""


def into_training(validation: Node, port: str, learners: Collection[str]) -> QuickFix | None:
    """Return a fix that repeats the selection before a validation in each of its trainings.

    None where that would not be enough, because the test rows must be changed too, or where more
    than a selection precedes the validation.
    """
    chain = _chain(validation, port, learners)
    training = next(iter(validation.subprocesses), None)
    entry = _entry(training)
    if chain is None or training is None or entry is None or not chain.only_selects:
        return None
    data = chain.data()
    if data is None:
        return None
    names = {name: name for name in chain.members}
    # If other operators need the result as well, the operator stays and the training gets a copy.
    for name in chain.needed_outside():
        names[name] = chain.level.unique_name(f"{name} in training")
    # Move puts each operator in front, so the last one moves first. It also drops connections:
    # they are made afterwards.
    edits: list[Edit] = [
        Move(name, training.path, "" if names[name] == name else names[name])
        for name in reversed(chain.members)
    ]
    edits += [Connect(training.path, c) for c in chain.inside(names, entry, training)]
    edits.append(Connect(chain.level.path, Connection(*data, validation.name, port)))
    which = enumerate_names(chain.members)
    return QuickFix(f"Move {which} into the {training.name} of {validation.name}", tuple(edits))


def _entry(training: Process | None) -> str | None:
    """Return where the training rows come in, if the inner process learns a model."""
    if training is None or not any(issubclass(sink.type, Model) for sink in training.sinks):
        return None
    tables = [p.name for p in training.sources if issubclass(p.type, ExampleSet) and not p.many]
    return tables[0] if len(tables) == 1 else None


def _chain(validation: Node, port: str, learners: Collection[str]) -> _Chain | None:
    import networkx as nx

    level = validation.process
    end = level.incoming(validation.name).get(port, (SOURCE, ""))
    if end[0] == SOURCE:
        return None
    first = {node.name for node in level if _names_in(node) & set(learners)}
    if set(learners) - {name for n in first for name in _names_in(level[n])}:
        return None  # some learn outside this level
    before = nx.ancestors(level.graph, end[0]) | {end[0]}
    members = {n for n in before if n in first or nx.ancestors(level.graph, n) & first}
    waiting = list(members)
    while waiting:  # whatever else gives weights to the selection is part of it
        for start, output in level.incoming(waiting.pop()).values():
            if start not in members and start != SOURCE and not _is_data(level, start, output):
                members.add(start)
                waiting.append(start)
    ordered = tuple(node.name for node in level.order() if node.name in members)
    return _Chain(validation, port, end, ordered)


def _names_in(node: Node) -> set[str]:
    return {node.name, *(n.name for level in node.subprocesses for n in level.walk())}


def _is_data(level: Process, start: str, output: str) -> bool:
    """Return whether an output gives a table, or what may be one."""
    try:
        kind = find_port(level.ports(start, outgoing=True), output).type
    except PortError:
        return True
    return issubclass(kind, ExampleSet) or issubclass(ExampleSet, kind)


@dataclass(frozen=True)
class _Chain:
    """The operators between the data and a validation that make the selection."""

    validation: Node
    port: str
    end: Start
    members: tuple[str, ...]

    @property
    def level(self) -> Process:
        return self.validation.process

    @property
    def only_selects(self) -> bool:
        """Whether the chain leaves the values of the attributes that it keeps as they are."""
        return all(_drops(self.level[name]) for name in self.members)

    def data(self) -> Start | None:
        """Return where the table of the chain comes from, if it is one."""
        starts = [
            start
            for name in self.members
            for start in self.level.incoming(name).values()
            if start[0] not in self.members
        ]
        origins = {_origin(self.level, start) for start in starts}
        return starts[0] if len(origins) == 1 else None

    def needed_outside(self) -> set[str]:
        """Return the members whose results are also used by others than the validation."""
        import networkx as nx

        users = {
            c.from_node
            for c in self.level.connections
            if c.from_node in self.members
            and c.to_node not in self.members
            and (c.to_node, c.to_port) != (self.validation.name, self.port)
        }
        graph = self.level.graph
        before = {name for user in users for name in nx.ancestors(graph, user)}
        return users | (before & set(self.members))

    def inside(self, names: dict[str, str], entry: str, training: Process) -> Iterator[Connection]:
        """Return the connections in the training: of the members, and of those after them."""
        for c in training.connections:
            if (c.from_node, c.from_port) == (SOURCE, entry):
                yield Connection(names[self.end[0]], self.end[1], c.to_node, c.to_port)
        for name in self.members:
            for port, (start, output) in self.level.incoming(name).items():
                inner = (names[start], output) if start in names else (SOURCE, entry)
                yield Connection(*inner, names[name], port)


def _drops(node: Node) -> bool:
    """Return whether a table that an operator gives, if any, has only lost attributes."""
    spec = node.operator
    # A disabled operator passes its input on unchanged.
    if not node.enabled or spec.key in DROPPING:
        return True
    if spec.is_placeholder:
        return False
    if _is_box(spec.outputs) and node.subprocesses:
        return all(_drops(n) for level in node.subprocesses for n in level.walk())
    return not any(_may_be_table(port) for port in spec.outputs)


def _is_box(outputs: tuple[Port, ...]) -> bool:
    """Return whether an operator passes on results of inner processes, such as Subprocess."""
    return all(port.many and port.type is FlowObject for port in outputs)


def _may_be_table(port: Port) -> bool:
    return issubclass(port.type, ExampleSet) or issubclass(ExampleSet, port.type)


def _origin(level: Process, start: Start) -> Start:
    """Return where a result was made before it was only multiplied."""
    while start[0] not in (SOURCE, SINK) and level[start[0]].operator.key == "multiply":
        fed = level.incoming(start[0])
        if "input" not in fed:
            break
        start = fed["input"]
    return start
