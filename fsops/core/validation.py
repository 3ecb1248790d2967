"""Validation: what is wrong with a process, told before it runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fsops.core.cautions import cautions
from fsops.core.macros import expand
from fsops.core.parameters import Parameter, check_parameters, has_macro
from fsops.core.ports import Port, find_port, fits
from fsops.core.problems import (
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
from fsops.core.process import Node, Process
from fsops.core.propagation import Propagated, canonical, propagate
from fsops.core.registry import Registry
from fsops.core.targets import find_target
from fsops.core.wiring import SINK, SOURCE, Connection
from fsops.data import ExampleSetMetaData, MetaData
from fsops.errors import (
    FsopsError,
    ParameterError,
    PortError,
    closest,
    did_you_mean,
    enumerate_names,
)


def validate(
    process: Process,
    registry: Registry | None = None,
    *,
    macros: Mapping[str, str] | None = None,
    given: Mapping[str, MetaData] | None = None,
) -> list[Problem]:
    """Return the problems of a process, in reading order; none means it can start.

    Cautions about misleading figures come last.

    Parameters
    ----------
    process : Process
    registry : Registry, optional
        Where to look for operators to suggest.
    macros : mapping of str to str, optional
        Values of macros beyond those of the process.
    given : mapping of str to MetaData, optional
        What the process will be given at its inputs.
    """
    return _Validator(process, registry, macros or {}, given or {}).problems()


class _Validator:
    def __init__(
        self,
        process: Process,
        registry: Registry | None,
        macros: Mapping[str, str],
        given: Mapping[str, MetaData],
    ) -> None:
        self.process = process
        self.registry = registry or Registry()
        self.macros = {**process.macros, **macros}
        self.unsuitable: dict[str, list[FsopsError]] = {}
        self.known: Propagated = propagate(process, given, self._note)

    def _note(self, node: Node, error: FsopsError) -> None:
        self.unsuitable.setdefault(node.name, []).append(error)

    def problems(self) -> list[Problem]:
        return [*self._level(self.process), *cautions(self.process, self.known)]

    def _level(self, process: Process) -> Iterator[Problem]:
        cycle = process.cycle()
        if cycle:
            yield self._cycle(process, cycle)
        if process.owner is None and not process.incoming(SINK):
            yield Problem(
                Kind.NO_RESULT,
                (),
                "The process delivers nothing: connect an output to a result port.",
                Severity.WARNING,
            )
        if process.owner is not None and not process.has_open_ports:
            yield from self._missing_results(process)
        for connection in process.connections:
            yield from self._connection(process, connection)
        for node in process:
            if node.enabled:
                yield from self._node(process, node)
                for inner in node.subprocesses:
                    yield from self._level(inner)

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
            if not port.optional and port.name not in fed:
                yield Problem(
                    Kind.MISSING_RESULT,
                    process.path,
                    f'Nothing is connected to the result "{port.name}"; '
                    f"it needs {port.type.phrase()}.",
                    fixes=self._feeding(process, SINK, port),
                )

    def _connection(self, process: Process, connection: Connection) -> Iterator[Problem]:
        where = process.path if connection.to_node == SINK else process[connection.to_node].path
        remove = QuickFix(
            f"Remove the connection {connection}", (Disconnect(process.path, connection),)
        )
        try:
            mismatch = process.mismatch(connection)
        except PortError as error:
            yield Problem(
                Kind.UNKNOWN_PORT, error.path, f"{error.message} {error.hint}", fixes=(remove,)
            )
            return
        if mismatch:
            yield Problem(
                Kind.TYPE_MISMATCH,
                where,
                mismatch,
                fixes=(*self._bridges(process, connection), remove),
            )

    def _bridges(self, process: Process, connection: Connection) -> Iterator[QuickFix]:
        """Offer operators that turn what is given into what is needed."""
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
                and spec.outputs[0].type is not have.type
            ):
                yield QuickFix(f'Insert "{spec.title}"', (Insert(process.path, connection, spec),))

    def _node(self, process: Process, node: Node) -> Iterator[Problem]:
        if node.operator.is_placeholder:
            yield self._unknown(node)
            return
        yield from self._inputs(process, node)
        about_parameters = list(self._parameters(node))
        yield from about_parameters
        told = any(problem.kind is Kind.MISSING_COLUMN for problem in about_parameters)
        for error in () if told else self.unsuitable.get(node.name, ()):
            yield Problem(Kind.UNSUITABLE_DATA, node.path, f"{error.message} {error.hint}".strip())
        delivers = any(not port.optional for port in node.operator.outputs)
        if delivers and not process.used_outputs(node.name):
            yield Problem(
                Kind.UNUSED,
                node.path,
                "Nothing uses the results of this operator.",
                Severity.WARNING,
            )

    def _unknown(self, node: Node) -> Problem:
        key = node.operator.key
        prefix = key.rpartition(":")[0]
        # Another method is no help where a plugin is missing.
        close = [] if prefix else self.registry.close_to(key)
        hint = did_you_mean(key.rpartition(":")[2], [spec.key for spec in close])
        fixes = tuple(QuickFix(f'Use "{s.title}"', (Replace(node.name, s),)) for s in close)
        missing = f' It needs the plugin "{prefix}".' if prefix else ""
        text = f'There is no operator "{key}".{missing} {hint}'.rstrip()
        return Problem(Kind.UNKNOWN_OPERATOR, node.path, text, fixes=fixes)

    def _inputs(self, process: Process, node: Node) -> Iterator[Problem]:
        fed = process.incoming(node.name)
        for port in node.operator.inputs:
            if port.optional:
                continue
            if port.name not in fed:
                why = "is not connected"
            elif self._is_cut_off(process, *fed[port.name]):
                why = f'gets nothing, because "{fed[port.name][0]}" is disabled'
            else:
                continue
            yield Problem(
                Kind.MISSING_INPUT,
                node.path,
                f'The input "{port.name}" {why}; it needs {port.type.phrase()}.',
                fixes=self._feeding(process, node.name, port),
            )

    def _is_cut_off(self, process: Process, start: str, output: str) -> bool:
        """Return whether a disabled operator has nothing that it could hand on at an output."""
        if start not in self.known.inputs or process[start].enabled:
            return False
        given = [meta.type for meta in self.known.inputs[start].values()]
        ports = process.ports(start, outgoing=True)
        return any(
            port.matches(output)
            and not any(issubclass(g, port.type) or issubclass(port.type, g) for g in given)
            for port in ports
        )

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
            if name != end and fits(given.type, port):
                connection = Connection(name, given.name, end, port.name)
                fixes.append(
                    QuickFix(f"Connect {connection}", (Connect(process.path, connection),))
                )
        return tuple(fixes[:5])

    def _parameters(self, node: Node) -> Iterator[Problem]:
        by_name = {parameter.name: parameter for parameter in node.operator.parameters}
        sound = dict(canonical(node))
        for name, value in canonical(node).items():
            if name not in by_name:
                sound.pop(name)
                yield self._unknown_parameter(node, name)
                continue
            problem = self._value(node, by_name[name], value)
            if problem is not None:
                sound.pop(name)
                yield problem
        try:
            check_parameters(node.operator.parameters, sound, partial=True)
        except ParameterError as error:
            if not any(name in canonical(node) and name not in sound for name in by_name):
                yield Problem(Kind.BAD_PARAMETER, node.path, str(error.message))

    def _unknown_parameter(self, node: Node, name: str) -> Problem:
        known = [parameter.name for parameter in node.operator.parameters]
        hint = did_you_mean(name, known) or (
            f"There are {enumerate_names(known)}." if known else "It has no parameters."
        )
        remove = QuickFix(f"Remove {name}", (SetParameter(node.name, name, None),))
        renames = tuple(
            QuickFix(
                f"Rename it to {other}",
                (
                    SetParameter(node.name, other, node.parameters.get(name)),
                    SetParameter(node.name, name, None),
                ),
            )
            for other in closest(name, known)
        )
        text = f'There is no parameter "{name}". {hint}'
        return Problem(Kind.UNKNOWN_PARAMETER, node.path, text, fixes=(*renames, remove))

    def _value(self, node: Node, parameter: Parameter, value: Any) -> Problem | None:
        if any(f"%{{{name}}}" in str(value) for name in _macros_for(node)):
            return None  # known only at the run
        try:
            if has_macro(value):
                value = expand(value, self.macros)
        except ParameterError as error:
            return Problem(
                Kind.UNKNOWN_MACRO, node.path, f"{error.message} {error.hint}", Severity.WARNING
            )
        try:
            checked = parameter.check(value)
        except ParameterError as error:
            text = f"{error.message} {error.hint}".strip()
            return Problem(
                Kind.BAD_PARAMETER,
                node.path,
                text,
                fixes=self._better_values(node, parameter, value),
            )
        return self._inner(node, parameter, checked) or self._column(node, parameter, checked)

    def _inner(self, node: Node, parameter: Parameter, value: Any) -> Problem | None:
        """Say if a parameter names one of an inner operator that is not there."""
        for target in value if parameter.names_inner else ():
            try:
                find_target(node.subprocesses, target)
            except ParameterError as error:
                text = f"{parameter.name}: {error.message} {error.hint}".strip()
                return Problem(Kind.BAD_PARAMETER, node.path, text)
        return None

    def _better_values(self, node: Node, parameter: Parameter, value: Any) -> tuple[QuickFix, ...]:
        better: list[Any] = [*closest(str(value), parameter.choices)]
        if not parameter.required and parameter.default is not None:
            better.append(parameter.default)
        return tuple(
            QuickFix(
                f"Set {parameter.name} to {choice}",
                (SetParameter(node.name, parameter.name, choice),),
            )
            for choice in better
        )

    def _column(self, node: Node, parameter: Parameter, value: Any) -> Problem | None:
        """Say if a parameter names an attribute that the first table will not have."""
        if parameter.kind not in ("attribute", "attributes") or value is None:
            return None
        inputs = self.known.inputs.get(node.name, {}).values()
        meta = next((m for m in inputs if isinstance(m, ExampleSetMetaData)), None)
        if meta is None or meta.schema is None:
            return None
        absent = [n for n in ([value] if isinstance(value, str) else value) if n not in meta.schema]
        if not absent:
            return None
        hint = did_you_mean(absent[0], meta.schema.names) or (
            f"There are {enumerate_names(meta.schema.names)}."
        )
        close = closest(absent[0], meta.schema.names) if parameter.kind == "attribute" else []
        fixes = tuple(
            QuickFix(f'Use "{name}"', (SetParameter(node.name, parameter.name, name),))
            for name in close
        )
        text = f"{parameter.name}: there is no attribute {enumerate_names(absent)}. {hint}"
        return Problem(Kind.MISSING_COLUMN, node.path, text, fixes=fixes)


def _macros_for(node: Node) -> Iterator[str]:
    """Return the macros set by the operators around, for what runs inside, and by setters."""
    around = node.process.owner
    while around is not None:
        yield from _macros_of(around)
        around = around.process.owner
    for other in node.process.root.walk():
        if not other.subprocesses:
            yield from _macros_of(other)


def _macros_of(node: Node) -> Iterator[str]:
    """Return the macros an operator sets: the value of a parameter, or the names in a list."""
    for parameter in node.operator.parameters:
        value = canonical(node).get(parameter.name, parameter.default)
        if parameter.sets_macro and isinstance(value, Mapping):
            yield from map(str, value)
        elif parameter.sets_macro:
            yield str(value)
