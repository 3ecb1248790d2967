"""The plan of a run: how often each operator runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fsops.core.checks.propagation import Propagated, canonical, propagate
from fsops.core.declare.iterations import Count, Known, NotKnown
from fsops.core.declare.macros import expand
from fsops.core.declare.parameters import check_parameters
from fsops.core.declare.row_weights import counted_before_run
from fsops.core.frame.events import Path
from fsops.core.graph.process import Node, Process
from fsops.core.graph.wiring import SINK, SOURCE
from fsops.data import ExampleSetMetaData, MetaData
from fsops.data.metadata import TableInFile
from fsops.errors import FsopsError, ParameterError

ONCE = Count.exactly(1)


@dataclass(frozen=True)
class Observed:
    """Observations from a first look at the running process."""

    runs: Mapping[Path, float] = field(default_factory=dict)
    """How often each operator runs."""
    tables: Mapping[Path, ExampleSetMetaData] = field(default_factory=dict)
    """The first table that each operator with inner processes got."""


@dataclass(frozen=True)
class PlannedOperator:
    """An operator, how often it runs in all, and what runs inside it."""

    node: Node
    runs: Count
    parameters: Mapping[str, object] = field(default_factory=dict)
    """Those that are known, if passes over a table in a file depend on them."""
    inner: tuple[PlannedProcess, ...] = ()


@dataclass(frozen=True)
class PlannedProcess:
    """An inner process, and how often one run of its operator runs it."""

    process: Process
    iterations: Count
    operators: tuple[PlannedOperator, ...] = ()


@dataclass(frozen=True)
class Plan:
    """The plan of a process; disabled operators do nothing."""

    process: Process
    operators: tuple[PlannedOperator, ...]
    files: Mapping[str, TableInFile] = field(default_factory=dict)
    """Tables that come from a file, by the name of the operator that gets them."""

    def walk(self) -> Iterator[PlannedOperator]:
        """Return all operators, each before those inside it."""
        yield from _walk(self.operators)

    @property
    def runs(self) -> Count:
        """The runs of all operators together."""
        return sum((operator.runs for operator in self.walk()), Count.exactly(0))


def _walk(operators: Sequence[PlannedOperator]) -> Iterator[PlannedOperator]:
    for operator in operators:
        yield operator
        for inner in operator.inner:
            yield from _walk(inner.operators)


def plan(
    process: Process,
    *,
    macros: Mapping[str, str] | None = None,
    given: Mapping[str, MetaData] | None = None,
    observed: Observed | None = None,
) -> Plan:
    """Return how often each operator will run.

    Parameters
    ----------
    process : Process
        One that can run; see `validate`.
    macros : mapping of str to str, optional
        Values of macros beyond those of the process.
    given : mapping of str to MetaData, optional
        Metadata at the inputs of the process.
    observed : Observed, optional
        Observations of a probe; used where nothing else is known.
    """
    planner = _Planner(
        {**process.macros, **(macros or {})}, propagate(process, given), observed or Observed()
    )
    operators = planner.level(process, ONCE, searched=False)
    return Plan(process, operators, _files(planner.propagated))


def _files(propagated: Propagated) -> dict[str, TableInFile]:
    files = {}
    for name, inputs in propagated.inputs.items():
        tables = (meta for meta in inputs.values() if isinstance(meta, ExampleSetMetaData))
        file = next((table.file for table in tables if table.file is not None), None)
        if file is not None:
            files[name] = file
    return files


@dataclass(frozen=True)
class _Planner:
    macros: Mapping[str, str]
    propagated: Propagated
    observed: Observed

    def level(
        self, process: Process, runs: Count, *, searched: bool
    ) -> tuple[PlannedOperator, ...]:
        """Return the plan of a process that runs so often; a search changes its attributes."""
        return tuple(
            PlannedOperator(node, runs, self._read_with(node), self._inside(node, runs, searched))
            for node in process.order()
            if node.enabled
        )

    def _inside(self, node: Node, runs: Count, searched: bool) -> tuple[PlannedProcess, ...]:
        if not node.subprocesses:
            return ()
        planned = []
        counts = self._iterations(node, searched)
        for inner, count in zip(node.subprocesses, counts, strict=True):
            iterations = self._settled(node, inner, count)
            changed = searched or count.found_out
            operators = self.level(inner, runs * iterations, searched=changed)
            planned.append(PlannedProcess(inner, iterations, operators))
        return tuple(planned)

    def _iterations(self, node: Node, searched: bool) -> list[Count]:
        number = len(node.subprocesses)
        declared = node.operator.iterations
        if declared is None:
            return [Count.unknown("the operator does not declare it")] * number
        try:
            given = declared(self._known(node, searched))
        except NotKnown as reason:
            return [Count.unknown(str(reason))] * number
        except FsopsError as error:  # the run will say it, with what to do
            return [Count.unknown(error.message)] * number
        except Exception as error:  # noqa: BLE001 - a plugin's fault must not hide the rest
            return [Count.unknown(f"the operator cannot know: {error}")] * number
        listed = [given] * number if isinstance(given, int | Count) else list(given)
        counts = [Count.exactly(n) if isinstance(n, int) else n for n in listed]
        if len(counts) != number:
            return [Count.unknown("not declared for each inner process")] * number
        return counts

    def _settled(self, node: Node, inner: Process, count: Count) -> Count:
        """Return the observed number of iterations where it is not known otherwise."""
        of_operator = self.observed.runs.get(node.path)
        children = [child.path for child in inner if child.enabled]
        # One probed iteration says nothing about the length of a search.
        if count.is_exact or count.found_out or not of_operator or not children:
            return count
        # A probe that stopped early has not run all of them: the maximum is the best estimate.
        seen = max(self.observed.runs.get(path, 0.0) for path in children) / of_operator
        return replace(Count.exactly(round(seen)), reason="as in the probe")

    def _known(self, node: Node, searched: bool) -> Known:
        parameters, still_open = self._parameters(node)
        inputs = self.propagated.inputs.get(node.name, {}).values()
        metas = (counted_before_run(node.operator, meta) for meta in inputs)
        table = next((meta for meta in metas if isinstance(meta, ExampleSetMetaData)), None)
        if searched and table is not None:
            # A search tries different attributes, so their number is not known here.
            table = replace(table, schema=None)
        return Known(
            parameters,
            self.observed.tables.get(node.path, table),
            node.process.used_outputs(node.name),
            len(node.subprocesses),
            _computes_at_once(node.subprocesses[0]),
            still_open,
        )

    def _read_with(self, node: Node) -> dict[str, object]:
        """Return the parameters on which the passes over a table in a file depend."""
        if all(accepts.passes is None for accepts in node.operator.accepts.values()):
            return {}
        try:
            return self._parameters(node)[0]
        except FsopsError:
            return {}

    def _parameters(self, node: Node) -> tuple[dict[str, object], dict[str, str]]:
        """Return the parameters that are known, and why others are not."""
        given, still_open = {}, {}
        for name, value in canonical(node).items():
            try:
                given[name] = expand(value, self.macros)
            except ParameterError:
                given[name] = value
                still_open[name] = f"{name} is set by a macro during the run"
        checked = check_parameters(node.operator.parameters, given, partial=True)
        still_open |= _varied_by_search(node)
        return {n: v for n, v in checked.items() if n not in still_open}, still_open


def _varied_by_search(node: Node) -> dict[str, str]:
    """Return the parameters that an operator around tries values of."""
    varied = {}
    around = node.process.owner
    while around is not None:
        for parameter in around.operator.parameters:
            value = canonical(around).get(parameter.name) if parameter.names_inner else None
            for target in () if value is None else parameter.check(value):
                name, _, inner = target.rpartition(".")
                if name == node.name:
                    inner = node.operator.aliases.parameters.get(inner, inner)
                    varied[inner] = f'"{around.name}" tries several values of {inner}'
        around = around.process.owner
    return varied


def _computes_at_once(process: Process) -> bool:
    """Return whether there is only a weighting inside that can take all resamples together."""
    nodes = [node for node in process if node.enabled]
    wires = {(c.from_node, c.to_node) for c in process.connections}
    return (
        len(nodes) == 1
        and nodes[0].operator.resampled is not None
        and wires == {(SOURCE, nodes[0].name), (nodes[0].name, SINK)}
    )
