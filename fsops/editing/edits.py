"""Adding, connecting, removing and replacing operators of a level.

Each function changes the process it is given. Undo is not done here: the designer edits a copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from fsops.core.declare.ports import Port, find_port, fits
from fsops.core.graph.process import Node, Output, Process
from fsops.core.graph.wiring import SINK, SOURCE, Connection
from fsops.core.operator import Operator
from fsops.data import FlowObject
from fsops.editing.connections import links_in, links_out, why_not
from fsops.editing.layout import Place, free_place, make_room, place_node
from fsops.errors import PortError


def add_operator(
    level: Process, operator: Operator, place: Place | None = None, after: str | None = None
) -> Node:
    """Add an operator and connect its ports.

    Its inputs take the outputs of the operator ``after``, else the last free output of the
    operators before it or of one that nothing uses, else the inputs of the operators before
    ``after``, the nearest first, else the inputs of the level, else any free output. A result
    that the level lacks is taken from it.
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
    """Return the outputs for an input, the most likely first; uncertain ones come last."""
    for starts in (list(_offers(level, node, before)), list(_aside(level, node, before))):
        for start, given in starts:
            if issubclass(given, port.type):
                return start
        uncertain = next((start for start, given in starts if fits(given, port)), None)
        if uncertain is not None:
            return uncertain
    return None


def _offers(
    level: Process, node: Node, before: Node | None
) -> Iterator[tuple[Output, type[FlowObject]]]:
    for output in before.operator.outputs if before is not None else ():
        yield Output(level, before.name, _first(output)), output.type  # type: ignore[union-attr]
    for other, output in _free(level, node, before):
        if before is None or _is_near(level, other, output, before):
            yield Output(level, other.name, _first(output)), output.type
    # A result may feed any number of inputs: what flows by or is given is never used up.
    for name, port in _flowing_by(level, before):
        for declared in level.ports(name, outgoing=True):
            if declared.matches(port):
                yield Output(level, name, port), declared.type
    for source in level.sources:
        if not source.many:
            yield level.source(source.name), source.type


def _aside(
    level: Process, node: Node, before: Node | None
) -> Iterator[tuple[Output, type[FlowObject]]]:
    """Return side results of branches that an operator does not belong to."""
    for other, output in _free(level, node, before):
        if before is not None and not _is_near(level, other, output, before):
            yield Output(level, other.name, _first(output)), output.type


def _free(level: Process, node: Node, before: Node | None) -> Iterator[tuple[Node, Port]]:
    """Return the outputs of other operators that nothing uses, the latest first."""
    for other in reversed([n for n in level if n is not node and n is not before and n.enabled]):
        used = level.used_outputs(other.name)
        for output in other.operator.outputs:
            if _first(output) not in used:
                yield other, output


def _first(port: Port) -> str:
    return f"{port.name} 1" if port.many else port.name


def _is_near(level: Process, other: Node, output: Port, before: Node) -> bool:
    """Return whether a free output is of a step before an operator, or waits for a use."""
    if other.name in level.ancestors(before.name):
        return True
    return output is other.operator.outputs[0] and not level.used_outputs(other.name)


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
    make_room(level, node)
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
    """Return whether the start already depends on the end."""
    return end == start or end in level.ancestors(start)


def wire_up(level: Process, names: Sequence[str]) -> None:
    """Connect the open inputs of operators; if there are none, connect the result."""
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


def feed(level: Process, names: Sequence[str], before: Node) -> None:
    """Connect the open inputs of new operators with an operator, or with its inputs."""
    for name in names:
        node, fed = level[name], level.incoming(name)
        for port in node.operator.inputs:
            if port.many or port.optional or port.name in fed:
                continue
            offers = [o for o in _offers(level, node, before) if o[0].node not in names]
            offers.sort(key=lambda offer: not issubclass(offer[1], port.type))  # certain ones first
            for start, given in offers:
                link = Connection(start.node, start.port, name, port.name)
                if fits(given, port) and not why_not(level, link):
                    level.connect_unchecked(link)
                    break


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
    for inner in node.subprocesses:
        _fit_ends(inner)
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


def _fit_ends(inner: Process) -> None:
    """Lead the wires at the edge of an inner process to ports that it has now, or cut them."""
    for wire in list(inner.connections):
        if wire.to_node != SINK and wire.from_node != SOURCE:
            continue
        try:
            broken = inner.mismatch(wire)
        except PortError as error:
            broken = error.message
        if not broken:
            continue
        inner.disconnect(wire.to_node, wire.to_port)
        for link in _other_ends(inner, wire):
            if not why_not(inner, link):
                inner.connect_unchecked(link)
                break


def _other_ends(inner: Process, wire: Connection) -> Iterator[Connection]:
    """Return the connections that could take the place of one at the edge of a level."""
    if wire.to_node == SINK:
        fed = inner.incoming(SINK)
        for sink in inner.sinks:
            if sink.many or sink.name not in fed:
                port = inner.free_port(SINK, sink)
                yield Connection(wire.from_node, wire.from_port, SINK, port)
    else:
        for source in inner.sources:
            port = f"{source.name} 1" if source.many else source.name
            yield Connection(SOURCE, port, wire.to_node, wire.to_port)


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


# --- order ----------------------------------------------------------------------------------


def to_the_front(level: Process, names: Sequence[str]) -> None:
    """Let operators, and their inputs, run before all that may run later."""
    needed = {*names, *level.ancestors(*names)}
    for name in reversed([node.name for node in level if node.name in needed]):
        level.move(name, 0)
