"""The state of an operator that its picture depends on; nothing is drawn here."""

from __future__ import annotations

from dataclasses import dataclass

from fsops.core.declare.roles import Role
from fsops.core.graph.process import Node
from fsops.data.streamed import size_text
from fsops.editing.connections import ShownPort, shown_ports
from fsops.report.numbers import seconds_text
from fsops_gui.base.texts import tr
from fsops_gui.canvas.look import SCALE


@dataclass(frozen=True)
class Appearance:
    """Everything about an operator that its picture depends on."""

    name: str
    kind: str
    role: Role
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
    def of(cls, node: Node) -> Appearance:
        """Return what is shown of an operator."""
        position = node.position or {}
        return cls(
            node.name,
            node.operator.title,
            node.operator.role,
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
        and _edges(one) == _edges(two)
    )


def _edges(node: Node) -> tuple[set[tuple[str, str, str]], ...]:
    """Return the connections of an operator."""
    graph = node.process.graph
    return set(graph.in_edges(node.name, keys=True)), set(graph.out_edges(node.name, keys=True))


@dataclass
class RunState:
    """How far an operator is in the current or the last run."""

    state: str = ""
    """Empty, waiting, running, paused, done or failed."""
    done: int = 0
    total: int = 0
    seconds: float | None = None
    peak_memory: int | None = None
    """In bytes."""
    cached: bool = False
    """Whether the result was taken from the store instead of being made again."""
    stale: bool = False
    """Whether the process has changed since the result was made."""

    @property
    def parts(self) -> list[str]:
        """What is written at the foot of the operator, the most important first."""
        if not self.state:
            return []
        if self.state in ("done", "failed"):
            return self._ended()
        going = tr("{done} of {total}", done=self.done, total=self.total)
        words = {
            "running": "▶ " + (going if self.total else tr("running")),
            "paused": "❚❚ " + tr("paused"),
            "waiting": "… " + tr("waiting"),
        }
        return [words.get(self.state, self.state)]

    def _ended(self) -> list[str]:
        figures = [] if self.seconds is None else [seconds_text(self.seconds)]
        figures += [] if self.peak_memory is None else [size_text(self.peak_memory)]
        if self.state == "failed":
            return ["✗ " + tr("failed"), *figures]
        if self.stale:
            return ["≠ " + tr("out of date"), *figures]
        if self.cached:
            return ["✓ " + tr("from store"), *figures]
        return ["✓ " + figures[0], *figures[1:]] if figures else ["✓ " + tr("done")]

    @property
    def text(self) -> str:
        """All that is written at the foot of the operator."""
        return " · ".join(self.parts)
