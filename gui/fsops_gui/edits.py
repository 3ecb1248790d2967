"""Edits of a process that take more than one step: no Qt here, and no undo.

Each function changes the process it is given; the document gives it a copy.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from fsops.core.declare.ports import Port, find_port, fits
from fsops.core.graph.process import Node, Note, Output, Process
from fsops.core.graph.wiring import SINK, SOURCE, Connection
from fsops.core.operator import Operator
from fsops.data import FlowObject
from fsops.errors import PortError
from fsops_gui.connecting import links_in, links_out, why_not

Place = tuple[int, int]
"""Left and top of an operator, in the units of process files."""
WIDTH, HEIGHT = 90, 68
"""What files say about the size of an operator; RapidMiner's."""
COLUMN, ROW = 134, 102
"""How far apart operators stand, from left to left and from top to top."""
LETTER, LONGEST, GAP = 4.6, 180, 44
"""About the width of a letter of a name, the widest operator, and what stays free beside one."""
LEFT, TOP = 45, 34
BESIDE = 34
"""The steps in which room is sought for a copy under what it was copied from."""


def level_of(process: Process, owner: str | None, index: int) -> Process:
    """Return a level: the whole process, or an inner one of an operator."""
    return process if owner is None else process.find(owner).subprocesses[index]


def place_node(node: Node, place: Place) -> None:
    """Put an operator somewhere on the canvas."""
    size = {"width": WIDTH, "height": HEIGHT}
    node.position = {**size, **(node.position or {}), "x": place[0], "y": place[1]}


def width_of(name: str) -> int:
    """Return about how wide the picture of an operator is that shows its whole name."""
    return min(max(WIDTH, round(len(name) * LETTER) + 14), LONGEST)


def free_place(level: Process, after: Node | None = None) -> Place:
    """Return where the next operator may stand: right of one, or of the last; not on another."""
    placed = [n for n in level if n.position and "x" in n.position and "y" in n.position]
    beside = after if after in placed else (placed[-1] if placed else None)
    x, y = LEFT, TOP
    if beside is not None and beside.position:
        x = beside.position["x"] + max(COLUMN, width_of(beside.name) + GAP)
        y = beside.position["y"]
    taken = [(n.position["x"], n.position["y"]) for n in placed if n.position]
    while any(abs(x - a) < WIDTH and abs(y - b) < HEIGHT for a, b in taken):
        y += ROW
    return x, y


# --- adding ---------------------------------------------------------------------------------


def add_operator(
    level: Process, operator: Operator, place: Place | None = None, after: str | None = None
) -> Node:
    """Add an operator and connect what its ports are waiting for.

    Its inputs take what the operator ``after`` gives, else what was produced last and is still
    free, else what the operators before ``after`` have been given, the nearest first, else what the
    level is given. A result that the level lacks is taken from it.
    """
    before = level[after] if after is not None and after in level else None
    node = level.add(operator)
    place_node(node, place or free_place(level, before))
    for port in operator.inputs:
        start = _start_for(level, node, port, before)
        if start is not None and (not port.optional or start.node == after):
            level.connect(start, node, level.free_port(node.name, port))
    _fill_results(level, node)
    return node


def _start_for(level: Process, node: Node, port: Port, before: Node | None) -> Output | None:
    """Return what an input may take, the most likely first; what only might fit comes last."""
    starts = list(_offers(level, node, before))
    for start, given in starts:
        if issubclass(given, port.type):
            return start
    return next((start for start, given in starts if fits(given, port)), None)


def _offers(
    level: Process, node: Node, before: Node | None
) -> Iterator[tuple[Output, type[FlowObject]]]:
    others = [n for n in level if n is not node and n is not before and n.enabled]
    for other in [*([before] if before is not None else []), *reversed(others)]:
        used = level.used_outputs(other.name) if other is not before else ()
        for output in other.operator.outputs:
            name = f"{output.name} 1" if output.many else output.name
            if name not in used:
                yield Output(level, other.name, name), output.type
    # A result may feed any number of inputs: what flows by or is given is never used up.
    for name, port in _flowing_by(level, before):
        for declared in level.ports(name, outgoing=True):
            if declared.matches(port):
                yield Output(level, name, port), declared.type
    for source in level.sources:
        if not source.many:
            yield level.source(source.name), source.type


def _flowing_by(level: Process, before: Node | None) -> Iterator[tuple[str, str]]:
    """Return the outputs that feed an operator, directly or not, the nearest first."""
    waiting = [before.name] if before is not None else []
    seen = set(waiting)
    while waiting:
        for name, port in level.incoming(waiting.pop(0)).values():
            if name == SOURCE:
                continue
            yield name, port
            if name not in seen:
                seen.add(name)
                waiting.append(name)


def _fill_results(level: Process, node: Node) -> None:
    fed = level.incoming(SINK)
    for sink in level.sinks:
        if sink.optional or sink.many or sink.name in fed:
            continue
        given = next((p for p in node.operator.outputs if issubclass(p.type, sink.type)), None)
        if given is not None:
            level.connect(node[f"{given.name} 1" if given.many else given.name], SINK, sink.name)


def insert_on_wire(
    level: Process, operator: Operator, wire: Connection, place: Place | None = None
) -> Node:
    """Put an operator into a connection; a side that does not fit stays as it was."""
    node = level.add(operator)
    place_node(node, place or free_place(level))
    put_into_wire(level, node, wire)
    return node


def put_into_wire(level: Process, node: Node, wire: Connection) -> None:
    """Lead a connection through an operator, and connect what else it needs."""
    for links in (links_in, links_out):
        link = next(links(level, node, wire), None)
        if link is not None:
            level.connect_unchecked(link)
    for port in node.operator.inputs:
        if not port.optional and port.name not in level.incoming(node.name):
            start = _start_for(level, node, port, None)
            if start is not None and not _depends(level, start.node, node.name):
                level.connect(start, node, level.free_port(node.name, port))


def _depends(level: Process, start: str, end: str) -> bool:
    """Return whether the start already needs what the end gives."""
    return end == start or end in level.ancestors(start)


def wire_up(level: Process, names: Sequence[str]) -> None:
    """Connect what the inputs of operators wait for; where nothing waits, deliver the result."""
    before = len(level.connections)
    for name in names:
        node, fed = level[name], level.incoming(name)
        for port in node.operator.inputs:
            if port.many or port.name in fed:
                continue
            for start, given in _offers(level, node, None):
                link = Connection(start.node, start.port, name, port.name)
                if issubclass(given, port.type) and not why_not(level, link):
                    level.connect_unchecked(link)
                    break
    if len(level.connections) == before:
        for name in names:
            _deliver(level, level[name])


def _deliver(level: Process, node: Node) -> None:
    """Lead the first output that nothing uses to a result of the level."""
    fed = level.incoming(SINK)
    used = level.used_outputs(node.name)
    for port in node.operator.outputs:
        if port.many or port.name in used:
            continue
        for sink in level.sinks:
            if fits(port.type, sink) and (sink.many or sink.name not in fed):
                level.connect(node[port.name], SINK, level.free_port(SINK, sink))
                return


# --- removing, replacing --------------------------------------------------------------------


def remove_operators(level: Process, names: Iterable[str], *, bridge: bool = True) -> None:
    """Remove operators; what flowed through them flows on where the types fit."""
    for name in names:
        links = list(_bridges(level, name)) if bridge else []
        level.remove(name)
        for link in links:
            level.connect_unchecked(link)


def _bridges(level: Process, name: str) -> Iterator[Connection]:
    starts = sorted(level.incoming(name).items())
    for wire in level.connections:
        if wire.from_node != name:
            continue
        for _, (start, port) in starts:
            link = Connection(start, port, wire.to_node, wire.to_port)
            if start != name and _fits_strictly(level, link, wire):
                yield link
                break


def _fits_strictly(level: Process, link: Connection, instead: Connection) -> bool:
    """Return whether a link can take a wire's place: it carries the same kind of result."""
    try:
        given = find_port(level.ports(link.from_node, outgoing=True), link.from_port)
        gave = find_port(level.ports(instead.from_node, outgoing=True), instead.from_port)
        takes = find_port(level.ports(link.to_node, outgoing=False), link.to_port)
    except PortError:
        return False
    same = issubclass(given.type, gave.type) or issubclass(gave.type, given.type)
    return same and fits(given.type, takes)


def replace_operator(level: Process, name: str, operator: Operator) -> None:
    """Put another operator in the place of one; wires and parameters that fit it stay."""
    node = level[name]
    titled = node.name == node.operator.title
    node.operator = operator
    declared = {parameter.name for parameter in operator.parameters}
    node.parameters = {k: v for k, v in node.parameters.items() if k in declared}
    while len(node.subprocesses) > len(operator.subprocesses):
        node.subprocesses.pop()
    node.fit_subprocesses()
    for wire in [w for w in level.connections if name in (w.from_node, w.to_node)]:
        try:
            broken = level.mismatch(wire)
        except PortError as error:
            broken = error.message
        if broken:
            level.disconnect(wire.to_node, wire.to_port)
            _reconnect(level, wire, name)
    if titled:
        level.rename(name, level.unique_name(operator.title))


def _reconnect(level: Process, wire: Connection, name: str) -> None:
    """Take the first port of the new operator that fits, where the old name is gone."""
    incoming = wire.to_node == name
    for port in level.ports(name, outgoing=not incoming):
        shown = f"{port.name} 1" if port.many else port.name
        link = (
            Connection(wire.from_node, wire.from_port, name, shown)
            if incoming
            else Connection(name, shown, wire.to_node, wire.to_port)
        )
        taken = incoming and shown in level.incoming(name)
        if not taken and not why_not(level, link):
            level.connect_unchecked(link)
            return


# --- copies ---------------------------------------------------------------------------------


def fragment(level: Process, names: Collection[str], notes: Collection[int] = ()) -> Process:
    """Return some operators of a level, with the wires between them, as a process of their own.

    Free notes with the given numbers go along.
    """
    part = Process("Fragment")
    copied = level.clone()
    for node in [n for n in copied if n.name in names]:
        node.process = part
        part.insert(node)
    for wire in copied.connections:
        if wire.from_node in part and wire.to_node in part:
            part.connect_unchecked(wire)
    part.notes = [note for number, note in enumerate(copied.notes) if number in notes]
    return part


def paste(level: Process, part: Process, shift: Place = (0, 0)) -> list[str]:
    """Put the operators and notes of another process in, under free names; return the names."""
    copied = part.clone()
    renamed: dict[str, str] = {}
    for node in list(copied):
        wires = node.name
        for inside in [node, *(n for inner in node.subprocesses for n in inner.walk())]:
            new = level.unique_name(inside.name)
            if inside is not node:
                if new != inside.name:
                    inside.process.rename(inside.name, _free_in_both(level, copied, inside.name))
            else:
                renamed[wires] = new
        node.name = renamed[wires]
        node.process = level
        if node.position and "x" in node.position:
            node.position["x"] += shift[0]
            node.position["y"] = node.position.get("y", TOP) + shift[1]
        level.insert(node)
    for wire in part.connections:
        if wire.from_node in renamed and wire.to_node in renamed:
            level.connect_unchecked(
                Connection(
                    renamed[wire.from_node], wire.from_port, renamed[wire.to_node], wire.to_port
                )
            )
    shift_notes(copied.notes, *shift)
    level.notes += copied.notes
    return list(renamed.values())


def free_shift(level: Process, part: Process) -> Place:
    """Return how far to shift what is pasted, so that it covers nothing."""
    taken = [_box(node) for node in level]
    wanted = [_box(node) for node in part]
    notes = {note_place(note) for note in level.notes}
    copies = [note_place(note) for note in part.notes]
    down = 0
    while any(_overlap(one, (x, y + down, w, h)) for x, y, w, h in wanted for one in taken) or any(
        (x, y + down) in notes for x, y in copies
    ):
        down += BESIDE
    return 0, down


def _box(node: Node) -> tuple[int, int, int, int]:
    """Return about where the picture of an operator is: left, top, width, height."""
    at, operator = node.position or {}, node.operator
    rows = max(len(operator.inputs), len(operator.outputs), 1)
    return at.get("x", LEFT), at.get("y", TOP), width_of(node.name), 25 + 11 * rows


def _overlap(one: tuple[int, int, int, int], two: tuple[int, int, int, int]) -> bool:
    return (
        one[0] < two[0] + two[2]
        and two[0] < one[0] + one[2]
        and one[1] < two[1] + two[3]
        and two[1] < one[1] + one[3]
    )


def note_place(note: Note) -> Place:
    """Return where a free note stands."""
    try:
        return round(float(note.layout.get("x", 0))), round(float(note.layout.get("y", 0)))
    except ValueError:  # a file may say anything
        return 0, 0


def shift_notes(notes: Iterable[Note], dx: int, dy: int) -> None:
    """Move free notes."""
    for note in notes:
        x, y = note_place(note)
        note.layout |= {"x": str(x + dx), "y": str(y + dy)}


def _free_in_both(level: Process, other: Process, wanted: str) -> str:
    """Return a name that neither the process nor the pasted part has."""
    name = level.unique_name(wanted)
    taken = {node.name for node in other.walk()}
    number = 2
    while name in taken or level.unique_name(name) != name:
        name = f"{wanted} ({number})"
        number += 1
    return name


# --- order ----------------------------------------------------------------------------------


def to_the_front(level: Process, names: Sequence[str]) -> None:
    """Let operators, and what they need, run before all that is free to run later."""
    needed = {*names, *level.ancestors(*names)}
    for name in reversed([node.name for node in level if node.name in needed]):
        level.move(name, 0)


# --- layout ---------------------------------------------------------------------------------


def move_operators(level: Process, places: Mapping[str, Place]) -> None:
    """Put operators at new places."""
    for name, place in places.items():
        place_node(level[name], place)


def arranged(level: Process, heights: Mapping[str, int] | None = None) -> dict[str, Place]:
    """Return a place for every operator: columns along the flow, rows with few crossings."""
    import networkx as nx

    graph = level.graph.subgraph(level.names)
    if level.cycle():
        order = [[name] for name in (node.name for node in level)]
    else:
        place = {node.name: i for i, node in enumerate(level)}
        order = [
            sorted(layer, key=place.__getitem__) for layer in nx.topological_generations(graph)
        ]
    rows = {name: i for layer in order for i, name in enumerate(layer)}
    for _ in range(4):  # each sweep pulls operators to the middle of what feeds them
        for layer in order[1:]:
            middle = {
                name: sum(rows[b] for b in graph.pred[name]) / max(len(graph.pred[name]), 1)
                for name in layer
            }
            layer.sort(key=lambda name: (middle[name], rows[name]))
            rows |= {name: i for i, name in enumerate(layer)}
    places: dict[str, Place] = {}
    x = LEFT
    for layer in order:
        y = TOP
        for name in layer:
            places[name] = (x, y)
            y += max(ROW, (heights or {}).get(name, 0) + ROW - HEIGHT)
        x += max(COLUMN, max(map(width_of, layer)) + GAP)
    return places


def place_missing(process: Process) -> None:
    """Give operators a place that have none, on every level; where none has one, in order."""
    for level in levels(process):
        missing = [n for n in level if not n.position or not {"x", "y"} <= n.position.keys()]
        if len(missing) == len(level) > 0:
            move_operators(level, arranged(level))
            continue
        for node in missing:
            place_node(node, free_place(level))


def levels(process: Process) -> Iterator[Process]:
    """Return the process and every inner one."""
    yield process
    for node in process.walk():
        yield from node.subprocesses
