"""Moving operators into the inner process of another operator, and out of it again.

Both functions change the process they are given. The flow stays the same, through ports of the
outer operator: `unwrap` after `wrap` restores the connections.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from fsops.core.declare.ports import Port, find_port, fits, port_order
from fsops.core.graph.process import Node, Note, Process
from fsops.core.graph.wiring import SINK, SOURCE, Connection
from fsops.core.operator import Operator
from fsops.data import FlowObject
from fsops.editing.layout import (
    COLUMN,
    LEFT,
    ROW,
    TOP,
    WIDTH,
    Place,
    note_place,
    place_node,
    shift_notes,
)
from fsops.errors import PortError, UsageError, enumerate_names

Start = tuple[str, str]
"""A node of a level and one of its output ports."""


def wrap(
    level: Process, names: Collection[str], operator: Operator, notes: Collection[int] = ()
) -> Node:
    """Put operators of a level into the first inner process of a new operator; return that one.

    Free notes with the given numbers go along.
    """
    moved = [node for node in level if node.name in names]
    if not moved:
        raise UsageError("Nothing is selected.", hint="Select the operators to put together.")
    if not operator.subprocesses:
        raise UsageError(f"{operator.title} has no inner process to put operators into.")
    _refuse_detours(level, {node.name for node in moved})
    wires = [w for w in level.connections if {w.from_node, w.to_node} & {n.name for n in moved}]
    corner = _corner(moved)
    at = next(i for i, node in enumerate(level) if node is moved[0])
    box = level.add(operator)
    inner = box.subprocesses[0]
    for node in moved:
        level.remove(node.name)
        node.process = inner
        inner.insert(node)
    level.move(box.name, at)
    inner.notes += [note for number, note in enumerate(level.notes) if number in notes]
    level.notes = [note for number, note in enumerate(level.notes) if number not in notes]
    first = _corner(moved, inner.notes)
    _shift(moved, LEFT - first[0], TOP - first[1])
    shift_notes(inner.notes, LEFT - first[0], TOP - first[1])
    place_node(box, corner)
    ways = _Ways(level, box, inner)
    inside = {node.name for node in moved}
    for wire in wires:
        starts, ends = wire.from_node in inside, wire.to_node in inside
        if starts and ends:
            inner.connect_unchecked(wire)
        elif ends:
            source = ways.into((wire.from_node, wire.from_port), wire)
            inner.connect_unchecked(Connection(SOURCE, source, wire.to_node, wire.to_port))
        else:
            port = ways.out_of((wire.from_node, wire.from_port), wire)
            level.connect_unchecked(Connection(box.name, port, wire.to_node, wire.to_port))
    ways.fill_results()
    return box


def _refuse_detours(level: Process, names: set[str]) -> None:
    """Refuse to put operators together where a way between them leads through another one."""
    after, before = level.descendants(*names), level.ancestors(*names)
    between = [node.name for node in level if node.name in (after & before) - names]
    if between:
        what = "stands" if len(between) == 1 else "stand"
        raise UsageError(
            f"{enumerate_names(between)} {what} between the selected operators.",
            hint="Also select the operators between them.",
        )


class _Ways:
    """The ports of a box, assigned one after the other to its inputs and outputs."""

    def __init__(self, level: Process, box: Node, inner: Process) -> None:
        self._level = level
        self._box = box
        self._inner = inner
        self._in: dict[Start, Way] = {}
        self._out: dict[Start, Way] = {}

    def into(self, start: Start, wire: Connection) -> str:
        """Return the source inside where a result from outside comes in."""
        if start not in self._in:
            given = _type_of(self._level, start)
            wanted = _port_of(self._inner, wire)
            for way in _free(self._box.operator.inputs, self._inner.sources, self._in.values()):
                if fits(given, way.outer) and (wanted is None or fits(way.inner.type, wanted)):
                    self._in[start] = way
                    self._level.connect_unchecked(Connection(*start, self._box.name, way.outside))
                    break
            else:
                raise self._no_way(start, "in")
        return self._in[start].inside

    def out_of(self, start: Start, wire: Connection) -> str:
        """Return the output of the box where a result from inside comes out."""
        if start not in self._out:
            given = _type_of(self._inner, start)
            wanted = _port_of(self._level, wire)
            for way in _free(self._box.operator.outputs, self._inner.sinks, self._out.values()):
                if fits(given, way.inner) and (wanted is None or fits(way.outer.type, wanted)):
                    self._out[start] = way
                    self._inner.connect_unchecked(Connection(*start, SINK, way.inside))
                    break
            else:
                raise self._no_way(start, "out")
        return self._out[start].outside

    def _no_way(self, start: Start, where: str) -> PortError:
        whose = "the process" if start[0] in (SOURCE, SINK) else f'"{start[0]}"'
        return PortError(
            f'{self._box.operator.title} has no port through which "{start[1]}" of {whose} '
            f"could come {where}."
        )

    def fill_results(self) -> None:
        """Give a result that the box asks for, such as a performance, also where none left it."""
        fed = self._inner.incoming(SINK)
        for sink in self._inner.sinks:
            if sink.many or sink.name in fed:
                continue
            for start in self._out:
                if issubclass(_type_of(self._inner, start), sink.type):
                    self._inner.connect_unchecked(Connection(*start, SINK, sink.name))
                    break


@dataclass(frozen=True)
class Way:
    """A way through the edge of a box: a port outside and the one inside that belongs to it."""

    outer: Port
    inner: Port
    number: int = 0
    """Of ports of many."""

    @property
    def outside(self) -> str:
        """The name that a wire outside has."""
        return f"{self.outer.name} {self.number}" if self.outer.many else self.outer.name

    @property
    def inside(self) -> str:
        """The name that a wire inside has."""
        return f"{self.inner.name} {self.number}" if self.inner.many else self.inner.name


def _free(outer: Sequence[Port], inner: Sequence[Port], taken: Iterable[Way]) -> Iterator[Way]:
    """Return the ways that nothing takes yet."""
    used = list(taken)
    for outside, inside in _partners(outer, inner):
        numbers = [way.number for way in used if way.outer is outside]
        if outside.many:
            yield Way(outside, inside, max(numbers, default=0) + 1)
        elif not numbers:
            yield Way(outside, inside)


def _partners(outer: Sequence[Port], inner: Sequence[Port]) -> list[tuple[Port, Port]]:
    """Return which ports at both sides of an edge belong together: by name, else by type."""
    named = {port.name: port for port in inner}
    found = [
        (port, named[port.name])
        for port in outer
        if port.name in named and port.many == named[port.name].many
    ]
    left = [port for port in inner if port not in [b for _, b in found]]
    for port in [port for port in outer if port not in [a for a, _ in found]]:
        other = next((o for o in left if o.many == port.many and fits(port.type, o)), None)
        if other is not None:
            left.remove(other)
            found.append((port, other))
    return found


def _port_of(level: Process, wire: Connection) -> Port | None:
    """Return the port where a wire ends; None where nothing is declared about it."""
    try:
        return find_port(level.ports(wire.to_node, outgoing=False), wire.to_port)
    except PortError:  # of an operator that is not installed
        return None


def _type_of(level: Process, start: Start) -> type[FlowObject]:
    try:
        return find_port(level.ports(start[0], outgoing=True), start[1]).type
    except PortError:  # of an operator that is not installed
        return FlowObject


def unwrap(level: Process, name: str) -> list[str]:
    """Take the operators out of the only inner process of an operator; return their names.

    Notes come out too, and the note of the operator itself stays with the unwrapped operators.
    """
    box = level[name]
    if len(box.subprocesses) != 1:
        what = "no inner process" if not box.subprocesses else "several inner processes"
        raise UsageError(
            f"{name} has {what}.",
            hint="Only an operator with one inner process can be unwrapped.",
        )
    inner = box.subprocesses[0]
    moved = list(inner)
    links = list(_through(level, box, inner))
    at = next(i for i, node in enumerate(level) if node is box)
    place = _corner([box])
    level.remove(name)
    for number, node in enumerate(moved):
        node.process = level
        level.insert(node)
        level.move(node.name, at + number)
    for link in links:
        level.connect_unchecked(link)
    if moved or inner.notes:
        corner = _corner(moved, inner.notes)
        _make_room(level, moved, corner, place)
        _shift(moved, place[0] - corner[0], place[1] - corner[1])
        shift_notes(inner.notes, place[0] - corner[0], place[1] - corner[1])
    level.notes += inner.notes
    if box.note is not None:
        _keep_note(level, box.note, moved, place)
    return [node.name for node in moved]


def _keep_note(level: Process, note: Note, moved: Sequence[Node], place: Place) -> None:
    """Attach a note to the first operator without one, or leave it at the place of its operator."""
    bare = next((node for node in moved if node.note is None), None)
    if bare is not None:
        bare.note = note
    else:
        level.notes.append(Note(note.text, note.layout | {"x": str(place[0]), "y": str(place[1])}))


def _through(level: Process, box: Node, inner: Process) -> Iterator[Connection]:
    """Return the connections that stay when the edge of a box is gone."""
    fed = level.incoming(box.name)
    given = {
        _partner(port, box.operator.inputs, inner.sources): start for port, start in fed.items()
    }
    delivered = {
        _partner(port, inner.sinks, box.operator.outputs): start
        for port, start in inner.incoming(SINK).items()
    }

    def start_of(start: Start) -> Start | None:
        return given.get(start[1]) if start[0] == SOURCE else start

    for wire in inner.connections:
        start = start_of((wire.from_node, wire.from_port))
        if wire.to_node != SINK and start is not None:
            yield Connection(*start, wire.to_node, wire.to_port)
    for wire in level.connections:
        if wire.from_node == box.name and wire.from_port in delivered:
            start = start_of(delivered[wire.from_port])
            if start is not None:
                yield Connection(*start, wire.to_node, wire.to_port)


def _partner(name: str, ports: Sequence[Port], others: Sequence[Port]) -> str:
    """Return the name at the other side of an edge; an undeclared port keeps its name."""
    base, number = port_order(name)
    for port, other in _partners(ports, others):
        if port.matches(name):
            return f"{other.name} {number}" if other.many else other.name
    return name if number == 0 else f"{base} {number}"


def _corner(nodes: Sequence[Node], notes: Sequence[Note] = ()) -> Place:
    """Return the left upper corner of operators and notes."""
    positions = [node.position or {} for node in nodes]
    places = [(at.get("x", LEFT), at.get("y", TOP)) for at in positions]
    places += [note_place(note) for note in notes]
    return min(x for x, _ in places), min(y for _, y in places)


def _shift(nodes: Sequence[Node], dx: int, dy: int) -> None:
    for node in nodes:
        at = node.position or {}
        place_node(node, (at.get("x", LEFT) + dx, at.get("y", TOP) + dy))


def _make_room(level: Process, moved: Sequence[Node], corner: Place, place: Place) -> None:
    """Move the operators right of a box, if unwrapped operators would cover them."""
    boxes = [node.position or {} for node in moved]
    if not boxes:
        return
    width = max(at.get("x", LEFT) for at in boxes) - corner[0]
    height = max(at.get("y", TOP) for at in boxes) - corner[1]
    others = [node for node in level if node not in moved]
    right = [n for n in others if (n.position or {}).get("x", 0) > place[0]]
    in_the_way = [
        n
        for n in right
        if (n.position or {}).get("x", 0) < place[0] + width + WIDTH
        and place[1] - ROW < (n.position or {}).get("y", 0) < place[1] + height + ROW
    ]
    if in_the_way:
        nearest = min((n.position or {}).get("x", 0) for n in in_the_way)
        _shift(right, place[0] + width + COLUMN - nearest, 0)
