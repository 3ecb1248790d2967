"""Loops over the values of a parameter, put around a part of a process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fsops.core.declare.parameters import Parameter
from fsops.core.graph.process import Node, Process
from fsops.core.graph.wiring import SINK, Connection
from fsops.core.operator import Operator
from fsops.data import PerformanceVector
from fsops.editing.nesting import wrap
from fsops.errors import FsopsError, enumerate_names
from fsops.operators.search.parameters import grid_values

LOOP, SEARCH = "loop_parameters", "optimize_parameters_grid"


@dataclass(frozen=True)
class Part:
    """Operators of one level that are run for each value."""

    names: tuple[str, ...]
    measures: bool
    """Whether they give a performance, by which values can be compared."""

    @property
    def words(self) -> str:
        """Return the repeated operator, for people."""
        if len(self.names) == 1:
            return self.names[0]
        rest = enumerate_names(self.names[1:], limit=3)
        return f"{self.names[0]} and what follows: {rest}"


def parts(process: Process, name: str) -> list[Part]:
    """Return what could be run for each value, what gives a performance first."""
    found: list[Part] = []
    node: Node | None = process.find(name)
    while node is not None:
        level, owner = node.process, node.process.owner
        following = (
            node.name,
            *(n.name for n in level.order() if n.name in node.process.descendants(node.name)),
        )
        for names in dict.fromkeys((following, (node.name,))):
            found.append(Part(names, any(_measuring(level, names))))
        node = owner
    # Outside is better than inside: there a figure is honest. Among the rest the nearest counts.
    measuring = [part for part in reversed(found) if part.measures]
    return measuring + [part for part in found if not part.measures]


def _measuring(level: Process, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Return the outputs that give a performance, the last first."""
    for name in reversed(names):
        for port in level[name].operator.outputs:
            if issubclass(port.type, PerformanceVector) and not port.many:
                yield name, port.name


def checked_values(parameter: Parameter, text: str) -> list[float | str]:
    """Return the values that a list or a range stands for; a fault is an error with a sentence."""
    values = grid_values(parameter.name, text)
    for value in values:
        parameter.check(str(value) if isinstance(value, str) else _whole(parameter, value))
    return values


def _whole(parameter: Parameter, value: float) -> float | int:
    return int(value) if parameter.kind == "integer" and value == int(value) else value


def vary(process: Process, part: Part, target: str, values: str, operator: Operator) -> str:
    """Put a part of the process into a loop over values; return the loop's name.

    ``target`` is ``Operator.parameter``. The values become a result of the process.
    """
    level = process.find(part.names[0]).process
    box = wrap(level, part.names, operator)
    box.set_parameter("parameters", {target: values})
    inner = box.subprocesses[0]
    if "performance" not in inner.incoming(SINK):
        for start in _measuring(inner, tuple(node.name for node in inner)):
            inner.connect_unchecked(Connection(*start, SINK, "performance"))
            break
    if level.owner is None:
        port = level.free_port(SINK, level.sinks[0])
        level.connect_unchecked(Connection(box.name, "trials", SINK, port))
    return box.name


def refusal(parameter: Parameter, text: str) -> str:
    """Return the error in the values, or an empty text."""
    try:
        checked_values(parameter, text)
    except FsopsError as error:
        return f"{error.message} {error.hint}".strip()
    return ""
