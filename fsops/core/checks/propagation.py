"""Metadata at each port, known before anything runs."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fsops.core.declare.capabilities import Accepts
from fsops.core.declare.file_access import FileAccess
from fsops.core.declare.parameters import File, check_parameters
from fsops.core.declare.ports import Port
from fsops.core.declare.roles import Role
from fsops.core.declare.row_weights import counted_before_run, require_usable
from fsops.core.graph.process import Node, Process
from fsops.core.graph.wiring import SINK, SOURCE
from fsops.data import AttributeWeights, ExampleSet, ExampleSetMetaData, MetaData
from fsops.errors import FsopsError, ParameterError, PortError

MISSING, REFUSED = "missing", "error"
"""Parameter of operators that can leave missing values out, and its value that refuses them."""
Report = Callable[[Node, FsopsError], None]


@dataclass(frozen=True)
class Complaint:
    """Why the data that will arrive at an operator does not suit it."""

    error: FsopsError
    port: str = ""
    """The input that it is about, if it is about one."""
    certain: bool = True
    """Whether a run would stop; otherwise it may, as where only some rows will arrive."""
    parameter: str = ""
    """The parameter whose value refuses the data, if another value would take them."""


@dataclass
class Propagated:
    """Metadata at the inputs and outputs of every operator, by the operator's name."""

    inputs: dict[str, dict[str, MetaData]] = field(default_factory=dict)
    outputs: dict[str, dict[str, MetaData]] = field(default_factory=dict)
    complaints: dict[str, tuple[Complaint, ...]] = field(default_factory=dict)
    """Reasons why data do not suit an operator; operators without one are missing."""


@dataclass(frozen=True)
class DescribedOutputs:
    """Metadata of the outputs of an operator, and unsuitable inputs."""

    outputs: dict[str, MetaData]
    complaints: tuple[Complaint, ...] = ()


class Memory:
    """Earlier answers of operators: only changed operators are asked again.

    A file is read again when its size or time has changed.
    """

    def __init__(self) -> None:
        self._last: dict[str, tuple[_Question, DescribedOutputs]] = {}
        self.asking = ""
        """The operator that is being asked; it stays where a check fails."""

    def answer(self, question: _Question) -> DescribedOutputs:
        """Return the answer, from before where nothing has changed."""
        asked, last = self._last.get(question.node.name, (None, None))
        if asked is not None and last is not None and asked.same_as(question):
            return last
        self.asking = question.node.name
        answer = question.answer()
        self.asking = ""
        if last is not None and last == answer:
            answer = last  # so that those after it see at a glance that nothing has changed
        self._last[question.node.name] = question, answer
        return answer


def _ignore(node: Node, error: FsopsError) -> None:
    """Leave unreported what cannot be described."""


def propagate(
    process: Process,
    given: Mapping[str, MetaData] | None = None,
    report: Report = _ignore,
    memory: Memory | None = None,
) -> Propagated:
    """Return the metadata at every port, inner processes included.

    ``report`` is called with operators whose data cannot fit, such as a missing column. A process
    with a cycle gives what can be said before it. With a ``memory`` only changes since the last
    call are checked.
    """
    known = Propagated()
    _propagate_level(process, dict(given or {}), known, memory, certain=True)
    for node in process.walk():
        for complaint in known.complaints.get(node.name, ()):
            if complaint.certain:
                report(node, complaint.error)
    return known


def _propagate_level(
    process: Process,
    given: Mapping[str, MetaData],
    known: Propagated,
    memory: Memory | None,
    *,
    certain: bool,
) -> dict[str, MetaData]:
    try:
        order = process.order()
    # The validation reports the cycle.
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
            # Inner processes first: `describe` may ask for the metadata at their sinks.
            inside = [
                _propagate_level(
                    inner,
                    _inner_sources(inputs, inner),
                    known,
                    memory,
                    certain=certain and not _has_fewer_attributes(node, inner),
                )
                for inner in node.subprocesses
            ]
            question = _Question(node, inputs, inside, certain=certain)
            answer = question.answer() if memory is None else memory.answer(question)
            known.outputs[node.name] = answer.outputs
            if answer.complaints:
                known.complaints[node.name] = answer.complaints
        else:
            known.outputs[node.name] = passed_through(node, inputs, lambda meta: meta.type)
    return {port: at(*start) for port, start in process.incoming(SINK).items()}


def passed_through(
    node: Node, inputs: Mapping[str, Any], type_of: Callable[[Any], type]
) -> dict[str, Any]:
    """Return the outputs of a disabled operator: for each the first input of its type."""
    passed: dict[str, Any] = {}
    for port in node.operator.outputs:
        fitting = [value for value in inputs.values() if issubclass(type_of(value), port.type)]
        if fitting:
            passed[f"{port.name} 1" if port.many else port.name] = fitting[0]
    return passed


def _inner_sources(inputs: Mapping[str, MetaData], inner: Process) -> dict[str, MetaData]:
    """Return the inputs of an inner process: its tables have the columns of the outer one.

    Where both have ports of many of the same name, each port hands on what arrives at it.
    """
    outer = next((m for m in inputs.values() if isinstance(m, ExampleSetMetaData)), None)
    given: dict[str, MetaData] = {}
    for port in inner.sources:
        if port.many:
            given |= {name: _any_rows(meta) for name, meta in inputs.items() if port.matches(name)}
        elif outer is not None and issubclass(port.type, ExampleSet) and not port.changed:
            given[port.name] = _any_rows(outer)
    return given


def _has_fewer_attributes(node: Node, inner: Process) -> bool:
    """Return whether weights choose attributes for an inner process: those of another, or given.

    Then what does not suit it may be left out when it runs.
    """

    def weighs(ports: Sequence[Port]) -> bool:
        return any(issubclass(port.type, AttributeWeights) for port in ports)

    chosen = any(weighs(other.sinks) for other in node.subprocesses) or weighs(node.operator.inputs)
    return chosen and not weighs(inner.sinks)


def _any_rows(meta: MetaData) -> MetaData:
    if isinstance(meta, ExampleSetMetaData):
        # The run decides how many rows an iteration gets.
        return replace(meta, rows=None)
    return meta


class _Question:
    """A question to an operator: its outputs, for given inputs."""

    def __init__(
        self,
        node: Node,
        inputs: Mapping[str, MetaData],
        inside: Sequence[Mapping[str, MetaData]],
        *,
        certain: bool,
    ) -> None:
        self.node = node
        self.certain = certain
        self.inputs = inputs
        self.inside = inside
        self.settings = canonical(node)
        self.files = _stamps(node, self.settings)

    def same_as(self, other: _Question) -> bool:
        """Return whether the answer must be the same."""
        return (
            # Cheap tests first: the metadata of a wide table is long.
            self.node.operator is other.node.operator
            and self.node.process.root.readable == other.node.process.root.readable
            and self.certain == other.certain
            and self.files is not None
            and self.files == other.files
            and self.settings == other.settings
            and self.inputs == other.inputs
            and self.inside == other.inside
        )

    def answer(self) -> DescribedOutputs:
        """Ask the operator."""
        operator = self.node.operator
        plain = {port.name: default_metadata(port) for port in operator.outputs if not port.many}
        try:
            parameters = check_parameters(operator.parameters, self.settings, partial=True)
        except ParameterError:
            return DescribedOutputs(plain)  # reported by the check of the parameters themselves
        if any(p.name not in parameters and not p.required for p in operator.parameters):
            return DescribedOutputs(plain)  # a macro decides: nothing more can be said yet
        complaints = tuple(self._unsuitable())
        complete = all(port.name in self.inputs for port in operator.inputs if not port.optional)
        if not complete or any(complaint.certain for complaint in complaints):
            return DescribedOutputs(plain, complaints)
        try:
            paths = _readable_paths(self.node, parameters)
            inputs = {
                port: counted_before_run(operator, meta) for port, meta in self.inputs.items()
            }
            described = operator.described(inputs, paths, self.inside)
        except FsopsError as error:
            return DescribedOutputs(plain, (*complaints, Complaint(error, certain=self.certain)))
        except Exception:  # noqa: BLE001 - a plugin's faulty description must not keep a process from running
            return DescribedOutputs(plain, complaints)
        return DescribedOutputs({**plain, **described}, complaints)

    def _unsuitable(self) -> Iterator[Complaint]:
        for name, accepts in self.node.operator.accepts.items():
            meta = self.inputs.get(name)
            if not isinstance(meta, ExampleSetMetaData) or meta.schema is None:
                continue
            try:
                accepts.check_schema(meta.schema)
            except FsopsError as error:
                yield Complaint(error, name, certain=self.certain)
                continue
            try:
                require_usable(self.node.operator, meta.schema)
            except FsopsError as error:
                yield Complaint(error, name, certain=False)  # all weights may be 1
            try:
                accepted(self.node, accepts).check_known(meta)
            except FsopsError as error:
                # Inside a loop `rows` is None: the missing values may be in other rows.
                certain = meta.rows is not None or _trains_on_all_rows(self.node)
                parameter = MISSING if accepts.missing else ""
                yield Complaint(error, name, certain=certain, parameter=parameter)
            try:
                accepts.check_likely(meta)
            except FsopsError as error:
                yield Complaint(error, name, certain=False)


def accepted(node: Node, accepts: Accepts) -> Accepts:
    """Return the data that a port takes as the parameters are set.

    Operators with the parameter `missing` understand missing values unless it is "error".
    """
    if not accepts.missing or not refuses_missing(node):
        return accepts
    return replace(accepts, missing=False)


def refuses_missing(node: Node) -> bool:
    """Return whether the parameter `missing` of an operator is set to "error"."""
    parameter = next((p for p in node.operator.parameters if p.name == MISSING), None)
    if parameter is None or REFUSED not in parameter.choices:
        return False
    return bool(canonical(node).get(MISSING, parameter.default) == REFUSED)


def _trains_on_all_rows(node: Node) -> bool:
    """Return whether each row of a table reaches the operator in some fold of a validation."""
    level, owner = node.process, node.process.owner
    if owner is None or owner.process.owner is not None or owner.operator.role != Role.VALIDATION:
        return False
    folds = any(p.name == "number_of_folds" for p in owner.operator.parameters)
    before = (level[name] for name in level.ancestors(node.name) if name in level)
    return (
        folds
        and level is owner.subprocesses[0]
        and all(other.operator.role != Role.ROWS for other in before)
    )


def _stamps(node: Node, settings: Mapping[str, Any]) -> list[tuple[str, int, int]] | None:
    """Return size and time of the files that an operator reads; None for a missing file.

    A name can also mean something that a folder or a repository keeps: then it is asked again.
    """
    stamps: list[tuple[str, int, int]] = []
    for parameter in node.operator.parameters:
        if parameter.file is None or parameter.file.write:
            continue
        value = with_file_paths(node, settings).get(parameter.name, parameter.default)
        try:
            status = Path(value).stat()
        except (OSError, ValueError, TypeError):
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        stamps.append((str(value), status.st_size, status.st_mtime_ns))
    return stamps


def canonical(node: Node) -> dict[str, Any]:
    """Return the set parameters under their own names instead of aliases."""
    return node.canonical_parameters()


def with_file_paths(node: Node, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters with relative paths starting at the folder of the process file."""
    access = FileAccess(node.process.root.folder)
    if access.folder is None:
        return dict(parameters)
    return _with_paths(node, parameters, lambda _, name: access.full_name(name))


def _readable_paths(node: Node, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters with the paths of files that may be read; `StorageError` otherwise."""
    root = node.process.root
    access = FileAccess(root.folder, root.readable)
    return _with_paths(
        node,
        parameters,
        lambda f, name: access.full_name(name) if f.write else access.path(f, name),
    )


def _with_paths(
    node: Node, parameters: Mapping[str, Any], path: Callable[[File, str], str]
) -> dict[str, Any]:
    resolved = dict(parameters)
    for parameter in node.operator.parameters:
        value = parameters.get(parameter.name)
        if parameter.file is not None and isinstance(value, str) and value:
            resolved[parameter.name] = path(parameter.file, value)
    return resolved


def default_metadata(port: Port) -> MetaData:
    """Return the metadata that follow from the declared type alone."""
    if issubclass(port.type, ExampleSet):
        return ExampleSetMetaData(port.type)
    return MetaData(port.type)
