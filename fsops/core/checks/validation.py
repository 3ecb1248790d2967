"""Validation: problems of a process, found before it runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from fsops.core.checks.bypass import bypasses, selecting_fixes
from fsops.core.checks.cautions import cautions
from fsops.core.checks.decided import decision
from fsops.core.checks.fixes import additions, as_result, conversions, entry, without
from fsops.core.checks.parameter_problems import ParameterProblems, absent_column
from fsops.core.checks.problems import (
    Connect,
    Disconnect,
    Insert,
    Kind,
    Problem,
    QuickFix,
    Replace,
    SetParameter,
    Severity,
)
from fsops.core.checks.propagation import (
    Complaint,
    Memory,
    Propagated,
    accepted,
    canonical,
    propagate,
)
from fsops.core.declare.iterations import Count, Known
from fsops.core.declare.parameters import check_parameters
from fsops.core.declare.ports import Port, find_port, fits
from fsops.core.graph.process import Node, Process
from fsops.core.graph.wiring import SINK, SOURCE, Connection
from fsops.core.registry import Registry
from fsops.data import AttributeWeights, ExampleSetMetaData, MetaData, Model
from fsops.errors import DataError, PortError, did_you_mean

TWO = 2
MET_IN_THE_RUN = (
    Kind.MISSING_INPUT,
    Kind.MISSING_RESULT,
    Kind.UNSUITABLE_DATA,
    Kind.MISSING_COLUMN,
)
"""Problems that do no harm unless a run gets there."""
CATCHES = "handle_exception"
"""The operator that continues after an error inside it."""


def validate(
    process: Process,
    registry: Registry | None = None,
    *,
    macros: Mapping[str, str] | None = None,
    given: Mapping[str, MetaData] | None = None,
) -> list[Problem]:
    """Return the problems of a process, in reading order; none means it can start.

    Cautions about misleading results come last.

    Parameters
    ----------
    process : Process
    registry : Registry, optional
        Where to look for operators to suggest.
    macros : mapping of str to str, optional
        Values of macros beyond those of the process.
    given : mapping of str to MetaData, optional
        Metadata at the inputs of the process.
    """
    return examine(process, registry, macros=macros, given=given).problems


@dataclass(frozen=True)
class Examined:
    """The problems of a process, and the metadata at its ports."""

    problems: list[Problem]
    known: Propagated


def examine(
    process: Process,
    registry: Registry | None = None,
    *,
    macros: Mapping[str, str] | None = None,
    given: Mapping[str, MetaData] | None = None,
    memory: Memory | None = None,
) -> Examined:
    """Return the problems of a process, as `validate` does, and the metadata at its ports.

    With a ``memory`` only changes since the last call are checked.
    """
    validator = _Validator(process, registry, macros or {}, given or {}, memory)
    return Examined(validator.problems(), validator.known)


class _Validator:
    def __init__(
        self,
        process: Process,
        registry: Registry | None,
        macros: Mapping[str, str],
        given: Mapping[str, MetaData],
        memory: Memory | None,
    ) -> None:
        self.process = process
        self.registry = registry or Registry()
        self.known: Propagated = propagate(process, given, memory=memory)
        self.parameters = ParameterProblems(self.known, {**process.macros, **macros})
        self.reported: set[tuple[tuple[str, ...], Connection]] = set()

    def problems(self) -> list[Problem]:
        # Cautions last: errors stop the run, cautions do not.
        found = cautions(self.process, self.known, self.registry)
        return [*self._level(self.process), *found]

    def _level(self, process: Process) -> Iterator[Problem]:
        cycle = process.cycle()
        if cycle:
            yield self._cycle(process, cycle)
        if process.owner is None and not process.incoming(SINK):
            yield Problem(
                Kind.NO_RESULT,
                (),
                "The process returns nothing: connect an output to a result port.",
                Severity.WARNING,
                tuple(self._results(process)),
            )
        if process.owner is not None and not process.has_open_ports:
            yield from self._missing_results(process)
        for connection in process.connections:
            yield from self._connection(process, connection)
            yield from self._empty_result(process, connection)
        for node in process:
            if node.enabled:
                yield from self._node(process, node)
                for inner, must_work in zip(node.subprocesses, self._must_work(node), strict=True):
                    for problem in self._level(inner):
                        # A part that may never run must not stop the process.
                        lenient = not must_work and problem.kind in MET_IN_THE_RUN
                        yield replace(problem, severity=Severity.WARNING) if lenient else problem

    def _must_work(self, node: Node) -> list[bool]:
        """Return for each inner process whether it runs for sure, and an error in it stops all."""
        count = len(node.subprocesses)
        if node.operator.key == CATCHES or node.operator.iterations is None:
            return [node.operator.key != CATCHES] * count
        try:
            values = check_parameters(node.operator.parameters, canonical(node), partial=True)
            given = node.operator.iterations(Known(values, inner=count))
        except Exception:  # noqa: BLE001 - it depends on more, or the declaration has a fault
            return [True] * count
        iterations = [given] * count if isinstance(given, int | Count) else [*given]
        least = [number if isinstance(number, int) else number.low for number in iterations]
        return [number > 0 for number in least] if len(least) == count else [True] * count

    @staticmethod
    def _results(process: Process) -> Iterator[QuickFix]:
        unused = [n.name for n in process if n.enabled and not process.used_outputs(n.name)]
        for name in reversed(unused[-3:]):
            yield from as_result(process, name)

    def _cycle(self, process: Process, cycle: list[str]) -> Problem:
        last = next(
            c for c in process.connections if c.from_node == cycle[-2] and c.to_node == cycle[-1]
        )
        return Problem(
            Kind.CYCLE,
            process.path,
            f"The connections run in a circle: {' → '.join(cycle)}. Remove one of them.",
            fixes=(QuickFix(f"Remove the connection {last}", (Disconnect(process.path, last),)),),
        )

    def _missing_results(self, process: Process) -> Iterator[Problem]:
        fed = process.incoming(SINK)
        for port in process.sinks:
            if port.optional:
                continue
            what = f'Nothing is connected to the result "{port.name}"'
            if port.name in fed:
                why = self._cut_off(process, *fed[port.name])
                if not why:
                    continue
                what = f'The result "{port.name}" gets nothing, because {why}'
            yield Problem(
                Kind.MISSING_RESULT,
                process.path,
                f"{what}; it needs {port.type.phrase()}.",
                fixes=self._feeding(process, SINK, port),
            )

    def _empty_result(self, process: Process, connection: Connection) -> Iterator[Problem]:
        """Report that an optional result will be missing where it is passed on."""
        start, output = connection.from_node, connection.from_port
        wanted = next((p for p in process.sinks if p.matches(connection.to_port)), None)
        if connection.to_node != SINK or wanted is None or not wanted.optional:
            return
        port = None if start == SOURCE else _handed_on(process, start, output)
        if port is not None:
            entrance = replace(port, name=output, many=False)
            remove = QuickFix(
                f"Remove the connection {connection}", (Disconnect(process.path, connection),)
            )
            yield Problem(
                Kind.NO_RESULT,
                process[start].path,
                f'The result "{connection.to_port}" gets nothing, because nothing is connected to '
                f'"{output}" of "{start}".',
                Severity.WARNING,
                (*self._feeding(process, start, entrance), remove),
            )

    def _connection(self, process: Process, connection: Connection) -> Iterator[Problem]:
        where = process.path if connection.to_node == SINK else process[connection.to_node].path
        remove = QuickFix(
            f"Remove the connection {connection}", (Disconnect(process.path, connection),)
        )
        try:
            mismatch = process.mismatch(connection)
        except PortError as error:
            yield self._unknown_port(process, connection, error, remove)
            return
        if mismatch:
            yield Problem(
                Kind.TYPE_MISMATCH,
                where,
                mismatch,
                fixes=(*self._bridges(process, connection), remove),
            )
        elif self._carries_other(process, connection):
            known = self.known.outputs[connection.from_node][connection.from_port].type
            wanted = find_port(process[connection.to_node].operator.inputs, connection.to_port)
            yield Problem(
                Kind.UNSUITABLE_DATA,
                where,
                f'"{connection.to_port}" takes {wanted.type.phrase()}, '
                f'but "{connection.from_node}" gives {known.phrase()}.',
                fixes=(remove,),
            )

    @staticmethod
    def _unknown_port(
        process: Process, connection: Connection, error: PortError, remove: QuickFix
    ) -> Problem:
        """Report a port that does not exist, with the ports that fit in its place."""
        fixes = [
            QuickFix(
                f"Connect {other} instead",
                (Disconnect(process.path, connection), Connect(process.path, other)),
            )
            for other in fitting_connections(process, connection)[:3]
        ]
        advice = f" {fixes[0].label}." if fixes else ""
        text = f"{error.message} {error.hint}".rstrip() + advice
        return Problem(Kind.UNKNOWN_PORT, error.path, text, fixes=(*fixes, remove))

    def _carries_other(self, process: Process, connection: Connection) -> bool:
        """Return whether the expected value, unlike the declared type, cannot fit."""
        known = self.known.outputs.get(connection.from_node, {}).get(connection.from_port)
        if known is None or connection.to_node == SINK or not process[connection.to_node].enabled:
            return False
        operator = process[connection.to_node].operator
        if operator.is_placeholder:
            return False
        return not fits(known.type, find_port(operator.inputs, connection.to_port))

    def _bridges(self, process: Process, connection: Connection) -> Iterator[QuickFix]:
        """Offer operators that convert the given type into the needed type."""
        have = find_port(process.ports(connection.from_node, outgoing=True), connection.from_port)
        need = find_port(process.ports(connection.to_node, outgoing=False), connection.to_port)
        for spec in self.registry:
            takes = [p for p in spec.inputs if not p.optional]
            suits = (
                len(takes) == 1 and not spec.subprocesses and issubclass(have.type, takes[0].type)
            )
            if (
                suits
                and spec.outputs
                and issubclass(spec.outputs[0].type, need.type)
                # An operator that returns the same type cannot help.
                and spec.outputs[0].type is not have.type
            ):
                yield QuickFix(f'Insert "{spec.title}"', (Insert(process.path, connection, spec),))

    def _node(self, process: Process, node: Node) -> Iterator[Problem]:
        if node.operator.is_placeholder:
            yield self._unknown(node)
            return
        yield from self._inputs(process, node)
        about_parameters = list(self.parameters.of(node))
        yield from about_parameters
        # The complaint is often about the same missing column: report it once.
        reported = any(problem.kind is Kind.MISSING_COLUMN for problem in about_parameters)
        for complaint in () if reported else self.known.complaints.get(node.name, ()):
            yield self._unsuitable(node, complaint)
        yield from self._numbers_for_classes(node)
        delivers = any(not port.optional for port in node.operator.outputs)
        if delivers and not process.used_outputs(node.name):
            yield Problem(
                Kind.UNUSED,
                node.path,
                "Nothing uses the results of this operator.",
                Severity.WARNING,
                (*self._selecting(process, node), *as_result(process, node.name), without(node)),
            )

    def _selecting(self, process: Process, node: Node) -> Iterator[QuickFix]:
        """Let a learner use weights that nothing uses."""
        for found in bypasses(process):
            if found.node is node:
                yield from selecting_fixes(process, found, self.registry)

    def _unsuitable(self, node: Node, complaint: Complaint) -> Problem:
        if isinstance(complaint.error, DataError) and complaint.error.column:
            return absent_column(node, complaint.error, certain=complaint.certain)
        return Problem(
            Kind.UNSUITABLE_DATA,
            node.path,
            f"{complaint.error.message} {complaint.error.hint}".strip(),
            Severity.ERROR if complaint.certain else Severity.WARNING,
            tuple(self._conversions(node, complaint)),
            complaint.parameter,
        )

    def _conversions(self, node: Node, complaint: Complaint) -> Iterator[QuickFix]:
        accepts = node.operator.accepts.get(complaint.port)
        if accepts is not None:
            taken = accepted(node, accepts)
            yield from conversions(node, complaint.port, taken, self.known, self.registry)
        if complaint.parameter:
            edit = SetParameter(node.name, complaint.parameter, "pairwise")
            yield QuickFix(f"Set {complaint.parameter} of {node.name} to pairwise", (edit,))

    def _numbers_for_classes(self, node: Node) -> Iterator[Problem]:
        """Say once for each table that a label of two numbers is not taken as classes."""
        gives = [port.type for port in node.operator.outputs]
        learns = any(issubclass(kind, Model | AttributeWeights) for kind in gives)
        learns &= not node.operator.subprocesses  # what is inside tells
        for port, accepts in node.operator.accepts.items() if learns else ():
            meta = self.known.inputs.get(node.name, {}).get(port)
            place = entry(node, port)
            if not isinstance(meta, ExampleSetMetaData) or len(meta.label_numbers) != TWO:
                continue
            if accepts.label != "any" or place is None or meta.schema is None:
                continue
            level, wire = place
            label = meta.schema.label
            if label is None or (level.path, wire) in self.reported:
                continue
            # The connection by which the table enters stands for it: one warning for all learners.
            self.reported.add((level.path, wire))
            numbers = " and ".join(f"{number:g}" for number in meta.label_numbers)
            yield Problem(
                Kind.NUMBERS_AS_LABEL,
                node.path,
                f'The label "{label.name}" has only the values {numbers}, and is taken as a number '
                "to be predicted, not as two classes. If they are classes, convert it.",
                Severity.WARNING,
                tuple(
                    conversions(
                        node, port, replace(accepts, label="nominal"), self.known, self.registry
                    )
                ),
            )

    def _unknown(self, node: Node) -> Problem:
        key = node.operator.key
        prefix = key.rpartition(":")[0]
        # Another method is no help where a plugin is missing.
        close = [] if prefix else self.registry.close_to(key)
        if not prefix and not close:
            close = self.registry.search(key)[:3]
        hint = did_you_mean(key.rpartition(":")[2], [spec.key for spec in close])
        fixes = tuple(QuickFix(f'Use "{s.title}"', (Replace(node.name, s),)) for s in close)
        decided = decision(key)
        if decided:
            text = f'There is no operator "{key}". {decided}'
            return Problem(Kind.UNKNOWN_OPERATOR, node.path, text)
        missing = f' It needs the plugin "{prefix}".' if prefix else ""
        text = f'There is no operator "{key}".{missing} {hint}'.rstrip()
        return Problem(Kind.UNKNOWN_OPERATOR, node.path, text, fixes=fixes)

    def _inputs(self, process: Process, node: Node) -> Iterator[Problem]:
        fed = process.incoming(node.name)
        for port in node.operator.inputs:
            if port.optional:
                continue
            why = "is not connected"
            if port.name in fed:
                reason = self._cut_off(process, *fed[port.name])
                if not reason:
                    continue
                why = f"gets nothing, because {reason}"
            yield Problem(
                Kind.MISSING_INPUT,
                node.path,
                f'The input "{port.name}" {why}; it needs {port.type.phrase()}.',
                fixes=self._feeding(process, node.name, port),
            )

    def _cut_off(self, process: Process, start: str, output: str) -> str:
        """Return why nothing can come out there; empty if something may.

        Either the operator is disabled and has nothing that it could hand on, or it hands on an
        input, as the operator around an inner process may do, and nothing arrives at that.
        """
        owner = process.owner
        if start == SOURCE and owner is not None:
            handed_on = any(p.many and p.matches(output) for p in process.sources)
            handed_on &= any(p.many and p.matches(output) for p in owner.operator.inputs)
            missing = handed_on and output not in owner.process.incoming(owner.name)
            return f'nothing is connected to "{output}" of "{owner.name}"' if missing else ""
        if start != SOURCE and _handed_on(process, start, output) is not None:
            return f'nothing is connected to "{output}" of "{start}"'
        if start not in self.known.inputs or process[start].enabled:
            return ""
        given = [meta.type for meta in self.known.inputs[start].values()]
        ports = process.ports(start, outgoing=True)
        nothing = any(
            port.matches(output)
            and not any(issubclass(g, port.type) or issubclass(port.type, g) for g in given)
            for port in ports
        )
        return f'"{start}" is disabled' if nothing else ""

    def _feeding(self, process: Process, end: str, port: Port) -> tuple[QuickFix, ...]:
        """Offer connections from what already gives the right type and does not depend on it."""
        import networkx as nx

        after = nx.descendants(process.graph, end)
        starts = [(SOURCE, p) for p in process.sources if not p.many]
        starts += [
            (n.name, p)
            for n in process
            for p in n.operator.outputs
            if n.enabled and n.name not in after and not p.many
        ]
        fixes = []
        for name, given in starts:
            known = self.known.outputs.get(name, {}).get(given.name, MetaData(given.type))
            if name != end and fits(given.type, port) and fits(known.type, port):
                connection = Connection(name, given.name, end, port.name)
                fixes.append(
                    QuickFix(f"Connect {connection}", (Connect(process.path, connection),))
                )
        return tuple(fixes[:5]) or tuple(additions(process, end, port, self.registry))


def _handed_on(process: Process, name: str, output: str) -> Port | None:
    """Return the input that an output hands on, if nothing is connected to that.

    An operator passes on its inputs at repeated ports with the same name.
    """
    node = process[name]
    if not node.enabled or output in process.incoming(name):
        return None
    given = {port.name for port in node.operator.outputs if port.many and port.matches(output)}
    return next((port for port in node.operator.inputs if port.many and port.name in given), None)


def fitting_connections(process: Process, wrong: Connection) -> list[Connection]:
    """Return connections between the same operators, with ports that exist and fit each other."""
    starts = _candidates(process, wrong.from_node, wrong.from_port, outgoing=True)
    ends = _candidates(process, wrong.to_node, wrong.to_port, outgoing=False)
    taken = process.incoming(wrong.to_node)
    return [
        Connection(wrong.from_node, start.name, wrong.to_node, end.name)
        for start in starts
        for end in ends
        if fits(start.type, end) and (end.name == wrong.to_port or end.name not in taken)
    ]


def _candidates(process: Process, node: str, name: str, *, outgoing: bool) -> list[Port]:
    """Return the port of a name; if there is none, all that it may mean, named as one of many."""
    ports = process.ports(node, outgoing=outgoing)
    try:
        return [replace(find_port(ports, name), name=name, many=False)]
    except PortError:
        number = name.rpartition(" ")[2]
        place = number if number.isdecimal() else "1"
        return [replace(p, name=f"{p.name} {place}", many=False) if p.many else p for p in ports]
