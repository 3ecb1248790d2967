"""What each port will carry, known before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fsops.core.parameters import check_parameters
from fsops.core.ports import Port
from fsops.core.process import Node, Process
from fsops.core.wiring import SINK, SOURCE
from fsops.data import ExampleSet, ExampleSetMetaData, MetaData
from fsops.errors import FsopsError, ParameterError, PortError

Report = Callable[[Node, FsopsError], None]


@dataclass
class Propagated:
    """Metadata at the inputs and outputs of every operator, by the operator's name."""

    inputs: dict[str, dict[str, MetaData]] = field(default_factory=dict)
    outputs: dict[str, dict[str, MetaData]] = field(default_factory=dict)


def _ignore(node: Node, error: FsopsError) -> None:
    """Leave unreported what cannot be described."""


def propagate(
    process: Process, given: Mapping[str, MetaData] | None = None, report: Report = _ignore
) -> Propagated:
    """Return what is known at every port, inner processes included.

    ``report`` is told about operators whose data cannot fit, such as a missing column. A process
    with a cycle gives what can be said before it.
    """
    known = Propagated()
    _propagate_level(process, dict(given or {}), known, report)
    return known


def _propagate_level(
    process: Process, given: Mapping[str, MetaData], known: Propagated, report: Report
) -> dict[str, MetaData]:
    try:
        order = process.order()
    except PortError:
        return {}
    sources = {port.name: MetaData(port.type) for port in process.sources} | dict(given)

    def at(start: str, port: str) -> MetaData:
        if start == SOURCE:
            return sources.get(port, MetaData())
        return known.outputs.get(start, {}).get(port, MetaData())

    for node in order:
        fed = process.incoming(node.name)
        inputs = {port: at(*start) for port, start in fed.items()}
        known.inputs[node.name] = inputs
        if node.enabled:
            inside = [
                _propagate_level(inner, _inner_sources(inputs, inner), known, report)
                for inner in node.subprocesses
            ]
            known.outputs[node.name] = _describe(node, inputs, inside, report)
        else:
            known.outputs[node.name] = passed_through(node, inputs, lambda meta: meta.type)
    return {port: at(*start) for port, start in process.incoming(SINK).items()}


def passed_through(
    node: Node, inputs: Mapping[str, Any], type_of: Callable[[Any], type]
) -> dict[str, Any]:
    """Return what a disabled operator hands on: at each output the first input of its type."""
    passed: dict[str, Any] = {}
    for port in node.operator.outputs:
        fitting = [value for value in inputs.values() if issubclass(type_of(value), port.type)]
        if fitting:
            passed[f"{port.name} 1" if port.many else port.name] = fitting[0]
    return passed


def _inner_sources(inputs: Mapping[str, MetaData], inner: Process) -> dict[str, MetaData]:
    """Return what an inner process is given: its tables have the columns of the outer one.

    Where both have ports of many of the same name, each port hands on what arrives at it.
    """
    outer = next((m for m in inputs.values() if isinstance(m, ExampleSetMetaData)), None)
    given: dict[str, MetaData] = {}
    for port in inner.sources:
        if port.many:
            given |= {name: _any_rows(meta) for name, meta in inputs.items() if port.matches(name)}
        elif outer is not None and issubclass(port.type, ExampleSet):
            given[port.name] = _any_rows(outer)
    return given


def _any_rows(meta: MetaData) -> MetaData:
    if isinstance(meta, ExampleSetMetaData):
        return ExampleSetMetaData(schema=meta.schema)
    return meta


def _describe(
    node: Node,
    inputs: Mapping[str, MetaData],
    inside: Sequence[Mapping[str, MetaData]],
    report: Report,
) -> dict[str, MetaData]:
    operator = node.operator
    plain = {port.name: default_metadata(port) for port in operator.outputs if not port.many}
    try:
        parameters = check_parameters(operator.parameters, canonical(node), partial=True)
    except ParameterError:
        return plain  # told by the check of the parameters themselves
    if any(p.name not in parameters and not p.required for p in operator.parameters):
        return plain  # a macro decides: nothing more can be said yet
    try:
        for name, accepts in operator.accepts.items():
            meta = inputs.get(name)
            if isinstance(meta, ExampleSetMetaData) and meta.schema is not None:
                accepts.check_schema(meta.schema)
        complete = all(port.name in inputs for port in operator.inputs if not port.optional)
        if not complete:
            return plain
        described = operator.described(inputs, with_file_paths(node, parameters), inside)
    except FsopsError as error:
        report(node, error)
        return plain
    except Exception:  # noqa: BLE001 - a plugin's faulty description must not keep a process from running
        return plain
    return {**plain, **described}


def canonical(node: Node) -> dict[str, Any]:
    """Return the set parameters under their own names instead of aliases."""
    aliases = node.operator.aliases.parameters
    return {aliases.get(name, name): value for name, value in node.parameters.items()}


def with_file_paths(node: Node, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters with relative paths starting at the folder of the process file."""
    folder = node.process.root.folder
    resolved = dict(parameters)
    for parameter in node.operator.parameters:
        value = parameters.get(parameter.name)
        if folder is not None and parameter.kind == "file" and isinstance(value, str) and value:
            resolved[parameter.name] = str(folder / Path(value).expanduser())
    return resolved


def default_metadata(port: Port) -> MetaData:
    """Return what the declared type alone says."""
    if issubclass(port.type, ExampleSet):
        return ExampleSetMetaData(port.type)
    return MetaData(port.type)
