"""Problems of a process, in words, with edits that fix them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from fsops.core.declare.ports import Port, fits
from fsops.core.frame.events import TIES_AT_CUT
from fsops.core.graph.process import Node, Output, Process
from fsops.core.graph.wiring import SINK, SOURCE, Connection
from fsops.core.operator import Operator
from fsops.data import AttributeWeights
from fsops.errors import PATH_SEPARATOR, UsageError


class Severity(StrEnum):
    """Whether a process with the problem can run."""

    ERROR = "error"
    WARNING = "warning"


class Kind(StrEnum):
    """The kind of problem; each has its own sentence and, where possible, a fix."""

    UNKNOWN_OPERATOR = "unknown operator"
    UNKNOWN_PORT = "unknown port"
    MISSING_INPUT = "missing input"
    MISSING_RESULT = "missing result"
    TYPE_MISMATCH = "type mismatch"
    CYCLE = "cycle"
    BAD_PARAMETER = "bad parameter"
    UNKNOWN_PARAMETER = "unknown parameter"
    UNKNOWN_MACRO = "unknown macro"
    MISSING_COLUMN = "missing column"
    UNSUITABLE_DATA = "unsuitable data"
    NUMBERS_AS_LABEL = "numbers as label"
    NO_RESULT = "no result"
    UNUSED = "unused"
    INFORMATION_LEAK = "information leak"
    TRAINING_ROWS = "tested on training rows"
    FEW_ROWS = "few rows"
    RAW_P_VALUES = "p-values not adjusted"
    LABEL_LEAK = "column that contains the label"
    SMALL_SAMPLE = "small sample"
    IMBALANCE = "unequal classes"
    BYPASSED = "selection not used"
    SIZE_NOT_VALIDATED = "number of attributes not validated"
    TIES = TIES_AT_CUT
    CHECK_FAILED = "check failed"


class Edit(Protocol):
    """A change of a process that the designer can apply and undo."""

    def apply(self, process: Process) -> None:
        """Change the process."""


@dataclass(frozen=True)
class SetParameter:
    """Set a parameter, or with None remove the setting."""

    operator: str
    parameter: str
    value: Any

    def apply(self, process: Process) -> None:
        """Change the process."""
        process.find(self.operator).set_parameter(self.parameter, self.value)


@dataclass(frozen=True)
class Connect:
    """Connect two ports in the inner process at ``path``."""

    path: tuple[str, ...]
    connection: Connection

    def apply(self, process: Process) -> None:
        """Change the process."""
        level = process_at(process, self.path)
        level.connect_unchecked(self.connection)


@dataclass(frozen=True)
class Disconnect:
    """Remove a connection in the inner process at ``path``."""

    path: tuple[str, ...]
    connection: Connection

    def apply(self, process: Process) -> None:
        """Change the process."""
        level = process_at(process, self.path)
        level.disconnect(self.connection.to_node, self.connection.to_port)


@dataclass(frozen=True)
class Replace:
    """Put another operator in the place of one, keeping name, parameters and connections."""

    operator: str
    replacement: Operator

    def apply(self, process: Process) -> None:
        """Change the process."""
        node = process.find(self.operator)
        node.operator = self.replacement
        node.fit_subprocesses()


@dataclass(frozen=True)
class Insert:
    """Put an operator into a connection."""

    path: tuple[str, ...]
    connection: Connection
    operator: Operator | Callable[..., Any]
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def apply(self, process: Process) -> None:
        """Change the process."""
        level = process_at(process, self.path)
        start = Output(level, self.connection.from_node, self.connection.from_port)
        node = level.add(self.operator, start)
        # Not as keyword arguments of `add`: a parameter may be called "name".
        node.parameters |= self.parameters
        if self.connection.to_node != SINK:
            _place_before(node, level[self.connection.to_node])
        connection = Connection(
            node.name,
            node.operator.outputs[0].name,
            self.connection.to_node,
            self.connection.to_port,
        )
        level.connect_unchecked(connection)


@dataclass(frozen=True)
class InsertBehind:
    """Put an operator behind an output, into all connections that begin there."""

    path: tuple[str, ...]
    node: str
    port: str
    operator: Operator
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def apply(self, process: Process) -> None:
        """Change the process."""
        level = process_at(process, self.path)
        before = {node.name for node in level}
        first, *others = wires_of(level, self.node, self.port)
        Insert(self.path, first, self.operator, self.parameters).apply(process)
        (added,) = (node.name for node in level if node.name not in before)
        output = self.operator.outputs[0].name
        for wire in others:
            level.connect_unchecked(Connection(added, output, wire.to_node, wire.to_port))


def wires_of(level: Process, node: str, port: str) -> list[Connection]:
    """Return the connections that begin at an output."""
    return [c for c in level.connections if (c.from_node, c.from_port) == (node, port)]


@dataclass(frozen=True)
class SelectBefore:
    """Put a selection by weights into the connection that feeds a learner."""

    path: tuple[str, ...]
    connection: Connection
    operator: Operator
    weights: tuple[str, str]
    """Operator and port that give the weights."""
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def apply(self, process: Process) -> None:
        """Change the process."""
        level = process_at(process, self.path)
        before = {node.name for node in level}
        Insert(self.path, self.connection, self.operator, self.parameters).apply(process)
        (added,) = (node.name for node in level if node.name not in before)
        port = next(p for p in self.operator.inputs if fits(AttributeWeights, p))
        level.connect_unchecked(Connection(*self.weights, added, port.name))


@dataclass(frozen=True)
class Add:
    """Add operators to the inner process at ``path``; the last one feeds a port.

    Each takes its inputs from the operators before it, else from the level.
    """

    path: tuple[str, ...]
    operators: tuple[Operator, ...]
    end: str
    port: str
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Settings of the operators, by their keys."""

    def apply(self, process: Process) -> None:
        """Change the process."""
        level = process_at(process, self.path)
        after = behind(level, self.end)
        added: Node | None = None
        for spec in self.operators:
            added = level.add(spec)
            added.parameters |= self.parameters.get(spec.key, {})
            for port in spec.inputs:
                start = _giver(level, port, {added.name, *after})
                if start is not None and not port.optional:
                    level.connect_unchecked(Connection(*start, added.name, port.name))
        if added is not None:
            give = added.operator.outputs[0].name
            level.connect_unchecked(Connection(added.name, give, self.end, self.port))


def behind(level: Process, end: str) -> set[str]:
    """Return an operator and all that depend on it; of the sink nothing."""
    return {end} if end == SINK else {end, *level.descendants(end)}


def _giver(level: Process, port: Port, without: Collection[str]) -> tuple[str, str] | None:
    """Return the last output that fits a port."""
    offered = [(SOURCE, p) for p in level.sources if not p.many]
    offered += [
        (node.name, p)
        for node in level
        if node.name not in without and node.enabled
        for p in node.operator.outputs
        if not p.many
    ]
    fitting = [(name, p.name) for name, p in offered if fits(p.type, port)]
    return fitting[-1] if fitting else None


@dataclass(frozen=True)
class Remove:
    """Remove an operator with its connections."""

    operator: str

    def apply(self, process: Process) -> None:
        """Change the process."""
        process.find(self.operator).process.remove(self.operator)


@dataclass(frozen=True)
class SetMacro:
    """Give a macro of the process a value."""

    macro: str
    value: str

    def apply(self, process: Process) -> None:
        """Change the process."""
        process.macros[self.macro] = self.value


@dataclass(frozen=True)
class Move:
    """Put an operator in front of those of the inner process at ``path``, not connected.

    With ``copy`` the operator stays where it is, and a copy of that name is put there.
    """

    operator: str
    path: tuple[str, ...]
    copy: str = ""

    def apply(self, process: Process) -> None:
        """Change the process."""
        node, level = process.find(self.operator), process_at(process, self.path)
        if self.copy:
            node = _copy_for(node, level)
            node.name = self.copy
        else:
            node.process.remove(node.name)
            node.process = level
        _make_room(node, level)
        level.insert(node)
        level.move(node.name, 0)
        if self.copy:
            # After the insertion: `unique_name` sees only operators that are in the process.
            _rename_inner(node)


COLUMN = 180
"""Distance of operators on the canvas, from left edge to left edge."""


def _copy_for(node: Node, level: Process) -> Node:
    """Return a copy of an operator and its inner processes, without the process around it."""
    # The memo stops deepcopy from copying the whole process through `node.process`.
    return deepcopy(node, {id(node.process): level})


def _make_room(node: Node, level: Process) -> None:
    """Shift the drawn items to the right, and place the operator in front of it."""
    for other in level:
        if other.position:
            other.position["x"] += COLUMN
    if node.position:
        node.position = {**node.position, "x": 45, "y": 85}


def _place_before(node: Node, follower: Node) -> None:
    """Put an operator at the place of another one, which moves right with all beside it."""
    place = follower.position
    if not place:
        return
    x, y = place["x"], place["y"]
    for other in node.process:
        if other.position and other.position["x"] >= x:
            other.position = {**other.position, "x": other.position["x"] + COLUMN}
    node.position = {"x": x, "y": y}


def _rename_inner(node: Node) -> None:
    """Give the operators inside a copy new names."""
    for inner in [inside for level in node.subprocesses for inside in level.walk()]:
        inner.process.rename(inner.name, node.process.unique_name(inner.name))


def process_at(process: Process, path: tuple[str, ...]) -> Process:
    """Return the inner process at a path of operator and inner process names.

    A name that does not exist is a LookupError.
    """
    level = process
    for name, inner in zip(path[::2], path[1::2], strict=True):
        level = {sub.name: sub for sub in level[name].subprocesses}[inner]
    return level


@dataclass(frozen=True)
class QuickFix:
    """A fix of a problem: its effect in words, and the edits."""

    label: str
    edits: tuple[Edit, ...]

    def apply(self, process: Process) -> None:
        """Change the process; an error if the problem no longer exists."""
        try:
            for edit in self.edits:
                edit.apply(process)
        except LookupError as gone:
            raise UsageError(
                f"The process has changed since this problem was found: {gone} is gone.",
                hint="Check it again.",
            ) from None


@dataclass(frozen=True)
class Problem:
    """A problem of a process: place, kind, severity, and fixes."""

    kind: Kind
    path: tuple[str, ...]
    message: str
    severity: Severity = Severity.ERROR
    fixes: tuple[QuickFix, ...] = ()
    parameter: str = ""
    """The parameter it is about, if it is about one."""

    def __str__(self) -> str:
        where = f"{PATH_SEPARATOR.join(self.path)}: " if self.path else ""
        return where + self.message
