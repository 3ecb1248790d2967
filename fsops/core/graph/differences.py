"""Differences between two processes, in words; and parameters as a file has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from networkx.algorithms import isomorphism

from fsops.core.declare.parameters import value_text
from fsops.core.graph.bends import all_bends
from fsops.errors import ParameterError

if TYPE_CHECKING:
    from fsops.core.graph.process import Node, Process

MOST_COMPARED = 60
"""Operators of a level up to which renamed operators are found."""
PLAIN = (str, int, float, bool)
"""Values that cannot change: no copy of them is needed, which makes copies of a process fast."""


def differing(one: Process, two: Process) -> Iterator[str]:
    """Return in words what differs between two processes, one after the other."""
    for what, mine, theirs in _compared_process(one, two):
        if mine != theirs:
            yield f"{what}: {mine!r} and {theirs!r}"
    for name, new in renamings(one, two).items():
        yield f"{name}: is now called {new!r}"
    for node in [node for node in one if node.name in two]:
        for text in _node_differences(node, two[node.name]):
            yield f"{node.name}: {text}"


def renamings(one: Process, two: Process) -> dict[str, str]:
    """Return the new names of operators if nothing but names differs between two levels.

    The graphs must be isomorphic: the same operators with the same parameters, connected at the
    same ports. Large levels are left out, because the search for an isomorphism can take long.
    """
    if one.names == two.names or len(one) != len(two) or len(one) > MOST_COMPARED:
        return {}
    matcher = isomorphism.MultiDiGraphMatcher(
        one.graph, two.graph, node_match=_same_operator, edge_match=_same_ports
    )
    mapping = matcher.mapping if matcher.is_isomorphic() else {}
    return {name: new for name, new in mapping.items() if name != new}


def _same_operator(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> bool:
    one, two = mine.get("operator"), theirs.get("operator")
    if one is None or two is None:  # the edges of the process
        return one is two
    return one.operator.key == two.operator.key and _texts(one) == _texts(two)


def _same_ports(mine: Mapping[Any, Any], theirs: Mapping[Any, Any]) -> bool:
    return mine.keys() == theirs.keys()  # the keys of the edges between two operators


def _same_values(one: Node, two: Node) -> bool:
    """Return whether the parameters are plainly the same, without asking how a file has them."""
    return one.parameters.keys() == two.parameters.keys() and all(
        type(value) is type(two.parameters[name])
        and type(value) in PLAIN
        and value == two.parameters[name]
        for name, value in one.parameters.items()
    )


def _compared_process(one: Process, two: Process) -> Iterable[tuple[str, Any, Any]]:
    yield "operators", [node.name for node in one], [node.name for node in two]
    if not one.same_connections(two):
        yield "connections", one.connections, two.connections
    yield "bend points of wires", all_bends(one), all_bends(two)
    for attribute in ("name", "seed", "macros", "description", "notes", "extras"):
        yield attribute, getattr(one, attribute), getattr(two, attribute)


def _node_differences(one: Node, two: Node) -> Iterator[str]:
    for attribute in ("enabled", "breakpoints", "position", "note", "extras"):
        mine, theirs = getattr(one, attribute), getattr(two, attribute)
        if mine != theirs:
            yield f"{attribute}: {mine!r} and {theirs!r}"
    if one.operator.key != two.operator.key:
        yield f"operator: {one.operator.key} and {two.operator.key}"
    if not _same_values(one, two) and _texts(one) != _texts(two):
        yield f"parameters: {one.parameters} and {two.parameters}"
    if len(one.subprocesses) != len(two.subprocesses):
        yield f"inner processes: {len(one.subprocesses)} and {len(two.subprocesses)}"
    for mine, theirs in zip(one.subprocesses, two.subprocesses, strict=False):
        for text in differing(mine, theirs):
            yield f"{mine.name}: {text}"


def _texts(node: Node) -> dict[str, Any]:
    """Return the parameters as a file has them, so that 3 equals "3"."""
    texts: dict[str, Any] = {}
    for name, value in node.parameters.items():
        try:
            texts[name] = parameter_as_text(node, name)
        except ParameterError:
            texts[name] = repr(value)
    return texts


def parameter_as_text(node: Node, name: str) -> str | list[str] | list[tuple[str, str]]:
    """Return a set parameter as written in a file: one text, a list, or pairs."""
    value = node.parameters[name]
    # Text is not parsed: it may contain a macro, and a file must keep its exact digits.
    if isinstance(value, str):
        return value
    try:
        parameter = node.operator.parameter(name)
    except KeyError:
        parameter = None
    if isinstance(value, Mapping):
        value = list(value.items())
    if isinstance(value, list | tuple) and not (parameter and parameter.kind == "attributes"):
        if value and all(isinstance(item, list | tuple) and len(item) == 2 for item in value):
            return [(value_text(a), value_text(b)) for a, b in value]
        if not value and parameter and parameter.kind == "pairs":
            return []
        if any(isinstance(item, list | tuple | Mapping) for item in value):
            raise ParameterError(f"{name} is neither one value nor a list of values or pairs.")
        return [value_text(item) for item in value]
    return parameter.to_text(value) if parameter else value_text(value)
