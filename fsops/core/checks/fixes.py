"""Quick fixes that put operators into a process: conversions, roles, missing operators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fsops.core.checks.bypass import SELECTOR, Bypass, idle_selections, settings_for
from fsops.core.checks.problems import (
    Add,
    Connect,
    Edit,
    Insert,
    QuickFix,
    Remove,
    SetParameter,
    behind,
)
from fsops.core.checks.propagation import Propagated
from fsops.core.declare.capabilities import Accepts
from fsops.core.declare.ports import Port, find_port, fits
from fsops.core.graph.process import Node, Process
from fsops.core.graph.wiring import SINK, SOURCE, Connection
from fsops.core.operator import Operator
from fsops.core.registry import Registry
from fsops.data import (
    AttributeWeights,
    ExampleSet,
    ExampleSetMetaData,
    Model,
    PerformanceVector,
    Schema,
)
from fsops.errors import PortError

LABEL_WORDS = ("label", "class", "target", "y", "diagnosis", "outcome", "response", "group", "type")
"""Common names of the attribute to predict."""
MOST = 3
"""How many ways of one kind are offered."""
CLASSES = 20
"""A nominal attribute with more categories is hardly a label."""
MAKERS: Mapping[type, tuple[str, ...]] = {
    Model: ("naive_bayes", "decision_tree", "k_nn"),
    PerformanceVector: ("performance",),
    AttributeWeights: ("weight_by_information_gain", "weight_by_relief", "weight_by_correlation"),
}
"""Operators offered where no operator returns the needed type."""


@dataclass(frozen=True)
class _Step:
    """An operator that would make a table fit, with its parameters."""

    key: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    words: str = ""
    """Its effect, where its name alone does not explain it."""


def conversions(
    node: Node, port: str, accepts: Accepts, known: Propagated, registry: Registry
) -> Iterator[QuickFix]:
    """Return what would make the data at a port of an operator as it must be.

    It goes where the table enters the outermost validation or loop around the operator, so that
    training and test rows are changed alike.
    """
    meta = known.inputs.get(node.name, {}).get(port)
    place = entry(node, port)
    if place is None or not isinstance(meta, ExampleSetMetaData):
        return
    level, wire = place
    reader = None if wire.from_node == SOURCE else level[wire.from_node]
    for step in _steps(accepts, meta):
        if step.key not in registry:
            continue
        # If the reader can set the label itself, no further operator is needed.
        if step.key == "set_role" and reader is not None and _may_name_label(reader):
            name = step.parameters["attribute"]
            edit = SetParameter(reader.name, "label", name)
            yield QuickFix(f'Set label of {reader.name} to "{name}"', (edit,))
            continue
        spec = registry[step.key]
        words = f": {step.words}" if step.words else ""
        label = f'Insert "{spec.title}" before {wire.to_node}{words}'
        yield QuickFix(label, (Insert(level.path, wire, spec, dict(step.parameters)),))


def _may_name_label(node: Node) -> bool:
    """Return whether an operator reads a table and has no label set."""
    names = [parameter.name for parameter in node.operator.parameters]
    return not node.operator.inputs and "label" in names and not node.parameters.get("label")


def entry(node: Node, port: str) -> tuple[Process, Connection] | None:
    """Return the wire by which the table that arrives at a port comes in."""
    level, end, name = node.process, node.name, port
    while True:
        fed = level.incoming(end).get(name)
        if fed is None:
            return None
        owner = level.owner
        if fed[0] != SOURCE or owner is None:
            return level, Connection(*fed, end, name)
        around = _outer_port(owner, fed[1])
        if around is None:
            return None
        level, end, name = owner.process, owner.name, around


def _outer_port(owner: Node, inner: str) -> str | None:
    """Return the input of an operator from which its inner process has a table."""
    fed = owner.process.incoming(owner.name)
    if inner in fed:
        return inner
    for name in fed:
        try:
            port = find_port(owner.operator.inputs, name)
        except PortError:
            continue
        if issubclass(port.type, ExampleSet):
            return name
    return None


def _steps(accepts: Accepts, meta: ExampleSetMetaData) -> list[_Step]:
    """Return a fix for the first problem."""
    schema = meta.schema
    if schema is None:
        return []
    # The same order as in `Accepts.check_schema`: the fix must match the reported fault.
    for_label = list(_for_label(accepts, meta, schema)) if accepts.label != "none" else []
    return for_label or list(_for_attributes(accepts, schema)) or list(_for_gaps(accepts, meta))


def _for_attributes(accepts: Accepts, schema: Schema) -> Iterator[_Step]:
    if accepts.attributes == "numerical" and len(schema.regular_nominal):
        yield _Step("nominal_to_numerical")
        yield _only("numeric", "without nominal attributes")
    if accepts.attributes == "nominal" and len(schema.regular_numerical):
        yield _Step("discretize_by_frequency")
        yield _Step("discretize_by_bins")
        yield _only("nominal", "without numerical attributes")


def _for_gaps(accepts: Accepts, meta: ExampleSetMetaData) -> Iterator[_Step]:
    if not meta.missing or accepts.missing:
        return
    yield _Step("replace_missing_values")
    yield _Step(
        "filter_examples",
        {"condition_class": "no_missing_attributes"},
        "without rows that have missing values",
    )
    yield _Step(
        "select_attributes",
        {"attribute_filter_type": "no_missing_values"},
        "without attributes that have missing values",
    )


def _only(value_type: str, words: str) -> _Step:
    parameters = {"attribute_filter_type": "value_type", "value_type": value_type}
    return _Step("select_attributes", parameters, words)


def _for_label(accepts: Accepts, meta: ExampleSetMetaData, schema: Schema) -> Iterator[_Step]:
    label = schema.label
    if label is None:
        for name in likely_labels(schema, numerical=accepts.label == "numerical"):
            parameters = {"attribute": name, "target_role": "label"}
            yield _Step("set_role", parameters, f'"{name}" is the label')
        return
    chosen: dict[str, Any] = {
        "attribute_filter_type": "single",
        "attribute": label.name,
        "include_special_attributes": True,
    }
    if accepts.label in ("nominal", "binominal") and label.value_type.is_numerical:
        yield from _as_classes(label.name, chosen, meta.label_numbers)
    elif accepts.label == "numerical" and label.value_type.is_nominal:
        parameters = {**chosen, "coding_type": "unique integers"}
        yield _Step("nominal_to_numerical", parameters, f'the classes of "{label.name}" as numbers')


def _as_classes(
    name: str, chosen: Mapping[str, Any], numbers: tuple[float, ...]
) -> Iterator[_Step]:
    # Only 0 becomes false: without a 0 all rows would get the class true.
    if len(numbers) == 2 and 0 in numbers:
        yield _Step("numerical_to_binominal", chosen, f'0 of "{name}" becomes false')
    yield _Step("numerical_to_polynominal", chosen, f'each number of "{name}" is a class')


def likely_labels(schema: Schema, *, numerical: bool = False) -> list[str]:
    """Return the attributes most likely to be the label, the best guess first."""
    # Wide tables have many thousands of attributes, and a label is mostly among the last.
    regular = [schema.attribute(name) for name in schema.names_at(schema.regular[-200:])]
    fitting = [
        a
        for a in regular
        if (a.value_type.is_numerical if numerical else a.value_type.is_nominal)
        and (numerical or len(a.categories) <= CLASSES)
    ]
    named = [a for a in regular if a.name.lower() in LABEL_WORDS]
    last = regular[-1:]
    return list(dict.fromkeys(a.name for a in [*named, *reversed(fitting), *last]))[:MOST]


# --- what is still missing ------------------------------------------------------------------


def additions(process: Process, end: str, port: Port, registry: Registry) -> Iterator[QuickFix]:
    """Return operators whose output fits a port, with the operators they need."""
    keys = next((keys for kind, keys in MAKERS.items() if issubclass(port.type, kind)), ())
    before: tuple[str, ...] = ()
    if "performance" in keys and not any(n.operator.key == "apply_model" for n in process):
        # A performance needs predictions. Without a model at hand only a validation makes them.
        gives_model = any(issubclass(source.type, Model) for source in process.sources)
        before = ("apply_model",) if gives_model else ()
        keys = keys if gives_model else ("cross_validation",)
    settings: dict[str, Mapping[str, Any]] = {}
    edits: tuple[Edit, ...] = ()
    idle = _idle_weights(process, end) if issubclass(port.type, Model) else None
    if idle is not None and SELECTOR in registry:
        # The learner must get the chosen attributes: a model of all would bypass the selection.
        before, settings = (SELECTOR,), {SELECTOR: settings_for(idle.node)}
        edits = tuple(_weights_result(process, idle))
    for key in keys:
        steps = tuple(registry[name] for name in (*before, key) if name in registry)
        if len(steps) < len(before) + 1 or not _can_be_fed(process, end, steps):
            continue
        titles = " and ".join(f'"{step.title}"' for step in steps)
        add = Add(process.path, steps, end, port.name, settings)
        yield QuickFix(f"Add {titles}", (add, *edits))


def _idle_weights(process: Process, end: str) -> Bypass | None:
    """Return the last operator whose weights wait to be used, if it returns no table itself."""
    after = behind(process, end)
    idle = [found for found in idle_selections(process) if found.node.name not in after]
    return idle[-1] if idle and not idle[-1].reduced else None


def _weights_result(process: Process, idle: Bypass) -> Iterator[Edit]:
    """Connect the weights to the result of the level that is meant for them, if it is free."""
    fed = process.incoming(SINK)
    for sink in process.sinks:
        if issubclass(sink.type, AttributeWeights) and not sink.many and sink.name not in fed:
            connection = Connection(idle.node.name, idle.weights, SINK, sink.name)
            yield Connect(process.path, connection)
            return


def _can_be_fed(process: Process, end: str, steps: tuple[Operator, ...]) -> bool:
    """Return whether all that operators need is there, or comes from those before them."""
    # An operator behind the port would close a cycle.
    after = behind(process, end)
    given = [p.type for p in process.sources if not p.many]
    given += [p.type for n in process if n.name not in after for p in n.operator.outputs]
    for step in steps:
        needed = [p for p in step.inputs if not p.optional]
        if not all(any(fits(g, p) for g in given) for p in needed):
            return False
        given += [p.type for p in step.outputs]
    return True


def as_result(process: Process, name: str) -> Iterator[QuickFix]:
    """Return a connection from an operator to a result of the process, where there can be any."""
    sink = next((port for port in process.sinks if port.many), None)
    outputs = [port for port in process[name].operator.outputs if not port.many]
    if sink is not None and outputs and fits(outputs[0].type, sink):
        end = process.free_port(SINK, sink)
        connection = Connection(name, outputs[0].name, SINK, end)
        yield QuickFix(f"Connect {connection}", (Connect(process.path, connection),))


def without(node: Node) -> QuickFix:
    """Return a fix that removes an operator."""
    return QuickFix(f"Remove {node.name}", (Remove(node.name),))
