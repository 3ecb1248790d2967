"""The origin of results before a run: their rows, and the operators trained on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from fsops.core.checks.propagation import Propagated, canonical, passed_through
from fsops.core.declare.derived_roles import has_model_test
from fsops.core.declare.ports import Port, find_port
from fsops.core.declare.roles import Role
from fsops.core.graph.process import Node, Process
from fsops.core.graph.wiring import SINK, SOURCE
from fsops.core.operator import Operator
from fsops.data import (
    AttributeWeights,
    ExampleSet,
    FlowObject,
    MetaData,
    Model,
    PerformanceVector,
    PreprocessingModel,
)
from fsops.errors import PortError

Rows = tuple[str, ...]
"""Where rows come from, and each choice of some of them on the way."""


@dataclass(frozen=True)
class LabelUse:
    """An operator, by its name, has looked at the label of these rows."""

    learner: str
    rows: frozenset[Rows]


@dataclass(frozen=True)
class Lineage:
    """The origin of one result."""

    rows: frozenset[Rows] = frozenset()
    """Of a table: which rows it has."""
    label_uses: frozenset[LabelUse] = frozenset()
    """Operators that shaped its attributes or values, or those of the tables it is applied to."""
    trained: frozenset[LabelUse] = frozenset()
    """Of a model: its learner, and the rows it was trained on."""
    self_tests: frozenset[str] = frozenset()
    """Of a table: learners whose predictions it has for rows they were trained on."""
    raw_tests: frozenset[str] = frozenset()
    """Of weights: tests whose p-values they are, not adjusted."""

    def influences(self, rows: frozenset[Rows]) -> list[str]:
        """Return the operators that shaped it and used some of these rows, by name."""
        return sorted({e.learner for e in self.label_uses if overlap(e.rows, rows)})


NOTHING = Lineage()
Inputs = Mapping[str, Lineage]
Look = Callable[[Node, Inputs], None]


def overlap(some: Iterable[Rows], others: Iterable[Rows]) -> bool:
    """Return whether two tables share rows for certain: one's rows are chosen from the other's."""
    # Two different choices from the same rows may be disjoint: only a prefix proves an overlap.
    others = list(others)
    return any(a[: len(b)] == b[: len(a)] for a in some for b in others)


def follow(process: Process, known: Propagated, look: Look) -> None:
    """Follow all results through a process; ``look`` sees what arrives at every operator."""
    _Follower(known, look).level(process, {})


def is_validation(spec: Operator) -> bool:
    """Return whether an operator tests models on rows that it has kept apart."""
    return spec.role is Role.VALIDATION and has_model_test(spec.subprocesses)


def inside_validation(node: Node) -> bool:
    """Return whether an operator runs in the folds of a validation."""
    around = node.process.owner
    while around is not None:
        if is_validation(around.operator):
            return True
        around = around.process.owner
    return False


def learns(spec: Operator) -> bool:
    """Return whether the output of an operator depends on the label of its table.

    It does if the operator needs a label, or tries candidates by their performance; unless it
    only chooses rows, as a stratified sample does, or keeps rows apart for testing.
    """
    if not _has(spec.inputs, ExampleSet) or spec.role is Role.ROWS or is_validation(spec):
        return False
    needs_label = any(accepts.label != "none" for accepts in spec.accepts.values())
    return needs_label or any(_has(sub.sinks, PerformanceVector) for sub in spec.subprocesses)


def tests_raw(node: Node) -> bool:
    """Return whether an operator weights by p-values that are not adjusted."""
    settings = settings_of(node)
    by_p = settings.get("transformation") in ("one_minus_p", "neg_log10_p")
    return by_p and settings.get("adjustment") == "none"


def settings_of(node: Node) -> dict[str, object]:
    """Return all parameters of an operator, those not set with their defaults."""
    return {p.name: p.default for p in node.operator.parameters} | canonical(node)


def _has(ports: Iterable[Port], kind: type[FlowObject]) -> bool:
    return any(issubclass(port.type, kind) for port in ports)


def _merged(parts: Iterable[Lineage]) -> Lineage:
    parts = list(parts)
    return Lineage(
        frozenset().union(*(part.rows for part in parts)),
        frozenset().union(*(part.label_uses for part in parts)),
        frozenset().union(*(part.trained for part in parts)),
        frozenset().union(*(part.self_tests for part in parts)),
        frozenset().union(*(part.raw_tests for part in parts)),
    )


class _Follower:
    def __init__(self, known: Propagated, look: Look) -> None:
        self.known = known
        self.look = look
        self.remembered: dict[object, Lineage] = {}

    def level(self, process: Process, given: Inputs) -> dict[str, Lineage]:
        """Follow all results of a process, and return what arrives at its sinks."""
        try:
            order = process.order()
        # The validation reports the cycle.
        except PortError:
            return {}
        made: dict[str, Mapping[str, Lineage]] = {}

        def at(start: str, port: str) -> Lineage:
            if start != SOURCE:
                return made.get(start, {}).get(port, NOTHING)
            if process.owner is None:
                # Each input of the whole process counts as different rows.
                return Lineage(frozenset({(f"{SOURCE} {port}",)}))
            return given.get(port, NOTHING)

        for node in order:
            fed = process.incoming(node.name)
            made[node.name] = self._made(node, {port: at(*start) for port, start in fed.items()})
        return {port: at(*start) for port, start in process.incoming(SINK).items()}

    def _made(self, node: Node, inputs: Inputs) -> Mapping[str, Lineage]:
        used = node.process.used_outputs(node.name)
        # Unknown operators count as sources of new rows, so they cause no false warning.
        if node.operator.is_placeholder:
            return {port: Lineage(frozenset({(f"{node.name}.{port}",)})) for port in used}
        if not node.enabled:
            return self._passed(node, inputs)
        self.look(node, inputs)
        inner: list[dict[str, Lineage]] = []
        for level in node.subprocesses:
            inner.append(self.level(level, dict(_inner_sources(node, level, inputs, inner))))
        if node.operator.key == "remember":
            self.remembered[settings_of(node).get("remember_as")] = _merged(inputs.values())
        return {port: self._output(node, port, inputs, inner) for port in used}

    def _passed(self, node: Node, inputs: Inputs) -> Mapping[str, Lineage]:
        types = self.known.inputs.get(node.name, {})
        typed = {p: (types.get(p, MetaData()).type, lineage) for p, lineage in inputs.items()}
        passed = passed_through(node, typed, lambda pair: pair[0])
        return {port: lineage for port, (_, lineage) in passed.items()}

    def _output(
        self, node: Node, name: str, inputs: Inputs, inner: list[dict[str, Lineage]]
    ) -> Lineage:
        spec = node.operator
        try:
            port = find_port(spec.outputs, name)
        except PortError:
            return NOTHING
        arrived = [sinks[name] for sinks in inner if name in sinks]
        if arrived:
            found = _merged(arrived)
            return found if port.many else _by_the_outer(node, found)
        if port.many and any(p.many and p.name == port.name for p in spec.inputs):
            return inputs.get(name, NOTHING)
        if spec.key == "recall":
            return self.remembered.get(settings_of(node).get("remembered_as"), NOTHING)
        if inputs and port.type is FlowObject:
            return _merged(inputs.values())
        return _computed(node, port, name, inputs)


def _inner_sources(
    node: Node, level: Process, inputs: Inputs, before: list[dict[str, Lineage]]
) -> Iterator[tuple[str, Lineage]]:
    """Return the inputs of an inner process, also from the inner processes before it."""
    everything = _merged(inputs.values())
    wanted = level.used_outputs(SOURCE)
    for name in wanted:
        earlier = [sinks[name] for sinks in before if name in sinks]
        kind = next((port.type for port in level.sources if port.matches(name)), FlowObject)
        if name in inputs:
            yield name, inputs[name]
        elif earlier:
            yield name, _merged(earlier)
        elif issubclass(kind, ExampleSet):  # some of the rows, such as those of a fold
            yield name, replace(everything, rows=_chosen(everything.rows, f"{node.name}.{name}"))
        else:
            yield name, everything


def _chosen(rows: Iterable[Rows], step: str) -> frozenset[Rows]:
    return frozenset((*origin, step) for origin in rows)


def _by_the_outer(node: Node, found: Lineage) -> Lineage:
    """Name the operator around as the one that learned, instead of those inside it."""
    names = {inside.name for level in node.subprocesses for inside in level.walk()}
    uses = (replace(e, learner=node.name) if e.learner in names else e for e in found.label_uses)
    return replace(found, label_uses=frozenset(uses))


def _computed(node: Node, port: Port, name: str, inputs: Inputs) -> Lineage:
    """Return the lineage of the outputs that an operator itself makes."""
    spec, given = node.operator, _merged(inputs.values())
    # A performance changes neither attributes nor values of a table.
    if issubclass(port.type, PerformanceVector):
        return NOTHING
    own = frozenset({LabelUse(node.name, given.rows)}) if learns(spec) else frozenset()
    label_uses = given.label_uses | own
    if issubclass(port.type, Model):
        if _has(spec.inputs, ExampleSet) and not issubclass(port.type, PreprocessingModel):
            # Predictions are no attributes: what chose the learner's attributes ends here.
            return Lineage(trained=frozenset({LabelUse(node.name, given.rows)}))
        return Lineage(label_uses=label_uses, trained=given.trained)
    if issubclass(port.type, AttributeWeights):
        raw = frozenset({node.name}) if tests_raw(node) else frozenset()
        return Lineage(label_uses=label_uses, raw_tests=raw)
    rows = given.rows or frozenset({_new_rows(node, name)})
    if spec.role is Role.ROWS:
        rows = _chosen(rows, f"{node.name}.{name}")
    tested = {e.learner for e in given.trained if overlap(e.rows, given.rows)}
    return Lineage(rows, label_uses, self_tests=given.self_tests | tested)


def _new_rows(node: Node, port: str) -> Rows:
    """Return rows from outside: the same for two operators that read the same."""
    # Generators with equal parameters draw different rows: the name is part of their seed.
    if node.operator.random or node.operator.inputs:
        return (f"{node.name}.{port}",)
    settings = sorted((name, str(value)) for name, value in canonical(node).items())
    return (f"{node.operator.key} {settings}.{port}",)
