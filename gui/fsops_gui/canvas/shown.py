"""What the picture of an operator depends on; nothing is drawn here."""

from __future__ import annotations

from dataclasses import dataclass, field

from fsops.core.graph.process import Node
from fsops_gui.canvas.look import SCALE
from fsops_gui.connecting import ShownPort, shown_ports


@dataclass(frozen=True)
class Shown:
    """Everything about an operator that its picture depends on."""

    name: str
    kind: str
    placeholder: bool
    enabled: bool
    breakpoints: frozenset[str]
    note: str
    note_layout: tuple[tuple[str, str], ...]
    inner: int
    inputs: tuple[ShownPort, ...]
    outputs: tuple[ShownPort, ...]
    place: tuple[float, float]

    @classmethod
    def of(cls, node: Node) -> Shown:
        """Return what is shown of an operator."""
        position = node.position or {}
        return cls(
            node.name,
            node.operator.title,
            node.operator.is_placeholder,
            node.enabled,
            node.breakpoints,
            node.note.text if node.note else "",
            tuple(node.note.layout.items()) if node.note else (),
            len(node.subprocesses),
            tuple(shown_ports(node.process, node.name, outgoing=False)),
            tuple(shown_ports(node.process, node.name, outgoing=True)),
            (position.get("x", 0) * SCALE, position.get("y", 0) * SCALE),
        )


def looks_the_same(one: Node, two: Node) -> bool:
    """Return whether two states of an operator give the same picture; much faster than drawing."""
    return (
        one.name == two.name
        and one.operator is two.operator
        and one.enabled == two.enabled
        and one.position == two.position
        and one.breakpoints == two.breakpoints
        and one.note == two.note
        and len(one.subprocesses) == len(two.subprocesses)
        and one.process.wiring.at(one.name) == two.process.wiring.at(two.name)
    )


@dataclass
class Marks:
    """What was found about an operator: it is told by a sign, words and colour."""

    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    inside: int = 0
    """How many of these concern operators inside."""

    @property
    def texts(self) -> list[str]:
        """All messages, errors first."""
        return [*self.errors, *self.warnings]
