"""The state of an operator that its picture depends on; nothing is drawn here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fsops.core.declare.roles import Role
from fsops.core.graph.process import Node
from fsops.editing.connections import ShownPort, shown_ports
from fsops.editing.summary import parameter_summary
from fsops_gui.canvas.look import SCALE


@dataclass(frozen=True)
class Appearance:
    """Everything about an operator that its picture depends on."""

    name: str
    kind: str
    role: Role
    placeholder: bool
    plugin: str
    """The name of the plugin that it comes from; empty for a built-in one."""
    summary: tuple[str, ...]
    """Its most informative settings."""
    enabled: bool
    breakpoints: frozenset[str]
    note: str
    note_layout: tuple[tuple[str, str], ...]
    inner: int
    inputs: tuple[ShownPort, ...]
    outputs: tuple[ShownPort, ...]
    wired: frozenset[tuple[str, bool]]
    """The connected ports: name, and whether it is an output."""
    place: tuple[float, float]

    @classmethod
    def of(cls, node: Node) -> Appearance:
        """Return the visible parts of an operator."""
        position = node.position or {}
        return cls(
            node.name,
            node.operator.title,
            node.operator.role,
            node.operator.is_placeholder,
            node.operator.prefix,
            () if node.operator.is_placeholder else parameter_summary(node),
            node.enabled,
            node.breakpoints,
            node.note.text if node.note else "",
            tuple(node.note.layout.items()) if node.note else (),
            len(node.subprocesses),
            tuple(shown_ports(node.process, node.name, outgoing=False)),
            tuple(shown_ports(node.process, node.name, outgoing=True)),
            frozenset(_wired(node)),
            (position.get("x", 0) * SCALE, position.get("y", 0) * SCALE),
        )


def looks_the_same(one: Node, two: Node, *, rewired: bool = True) -> bool:
    """Return whether two states of an operator give the same picture; much faster than drawing.

    ``rewired``: some connections of their levels differ.
    """
    return (
        one.name == two.name
        and one.operator is two.operator
        and one.enabled == two.enabled
        and one.parameters == two.parameters
        and one.position == two.position
        and one.breakpoints == two.breakpoints
        and one.note == two.note
        and len(one.subprocesses) == len(two.subprocesses)
        and (not rewired or _edges(one) == _edges(two))
    )


def _edges(node: Node) -> tuple[set[tuple[str, str, str]], ...]:
    """Return the connections of an operator."""
    graph = node.process.graph
    return set(graph.in_edges(node.name, keys=True)), set(graph.out_edges(node.name, keys=True))


def _wired(node: Node) -> Iterator[tuple[str, bool]]:
    """Return the connected ports: name, and whether it is an output."""
    for _, _, (out, _) in node.process.graph.out_edges(node.name, keys=True):
        yield out, True
    for _, _, (_, into) in node.process.graph.in_edges(node.name, keys=True):
        yield into, False
