"""Cautions about the data of a process, and about selections: they run, but mislead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fsops.core.checks.bypass import bypasses, selecting_fixes
from fsops.core.checks.fixes import entry
from fsops.core.checks.lineage import inside_validation, is_validation, learns, settings_of
from fsops.core.checks.problems import (
    Connect,
    InsertBehind,
    Kind,
    Problem,
    QuickFix,
    Replace,
    SetParameter,
    Severity,
    wires_of,
)
from fsops.core.checks.propagation import Propagated
from fsops.core.declare.ports import Port
from fsops.core.declare.roles import Role
from fsops.core.graph.process import Node, Process
from fsops.core.graph.wiring import SINK, SOURCE, Connection
from fsops.core.registry import Registry
from fsops.data import ExampleSet, ExampleSetMetaData, Model
from fsops.errors import enumerate_names

TESTED = {"test_set_results": "test_result_set"}
"""Results inside a validation that have another name outside."""
FEW = 30
"""A validation with fewer rows says little."""
UNEQUAL = 0.9
"""Fraction of the largest class from which always predicting it looks good."""
MEASURES = ("performance", "performance_classification")
"""Operators that measure the accuracy; the second can judge by other criteria."""
MAIN = "main_criterion"
FAIR = ("kappa", "balanced_classification_rate", "balanced_error_rate", "weighted_mean_recall")
"""Criteria that always predicting one class does not deceive."""
SIZES = ("k", "number_of_features", "number_of_attributes", "top_k")
"""Parameters that set how many attributes are chosen."""


def data_cautions(process: Process, known: Propagated, registry: Registry) -> list[Problem]:
    """Return warnings about tables, and about selections that have no effect or no test."""
    found = list(_of_tables(process, known, registry))
    for level in _levels(process):
        found += _bypassed(level, registry)
        found += _empty(level)
    return [*found, *_untested_sizes(process)]


def _levels(process: Process) -> Iterator[Process]:
    yield process
    for node in process.walk():
        if node.enabled:
            yield from node.subprocesses


# --- tables ---------------------------------------------------------------------------------


def _of_tables(process: Process, known: Propagated, registry: Registry) -> Iterator[Problem]:
    """Report each table once: at the source of its columns, else at the operator trained on it."""
    seen: set[tuple[tuple[str, ...], str, str]] = set()
    for node in process.walk():
        if not node.enabled or inside_validation(node):
            continue
        tests = is_validation(node.operator)
        if not tests and not learns(node.operator):
            continue
        for port in node.operator.inputs:
            meta = known.inputs.get(node.name, {}).get(port.name)
            place = entry(node, port.name) if issubclass(port.type, ExampleSet) else None
            if place is None or not isinstance(meta, ExampleSetMetaData):
                continue
            if meta.leaks:
                level, wire = place
                wire = _origin(level, wire, known, meta.leaks)
                key = (level.path, wire.from_node, wire.from_port)
                if key not in seen:
                    seen.add(key)
                    yield _leaking(node, meta, level, wire, registry)
            if tests:
                yield from _small(node, meta)
                yield from _unequal(node, meta, registry)


def _origin(
    level: Process, wire: Connection, known: Propagated, leaks: Sequence[str]
) -> Connection:
    """Return the first wire of a level on which a table has these leaks."""
    for _ in range(len(level)):  # bounded, because a cycle has no first wire
        tables = known.inputs.get(wire.from_node, {})
        before = next(
            (
                port
                for port, meta in tables.items()
                if isinstance(meta, ExampleSetMetaData) and set(leaks) <= set(meta.leaks)
            ),
            "",
        )
        fed = level.incoming(wire.from_node).get(before) if before else None
        if fed is None:
            break
        wire = Connection(*fed, wire.from_node, before)
    return wire


def _leaking(
    node: Node, meta: ExampleSetMetaData, level: Process, wire: Connection, registry: Registry
) -> Problem:
    """Warn of attributes that separate the classes alone."""
    names = list(meta.leaks)
    one = len(names) == 1
    label = meta.schema.label if meta.schema is not None else None
    text = (
        f"{enumerate_names(names)} alone separate{'s' if one else ''} the classes of "
        f'"{label.name if label else "the label"}" without error. Perhaps '
        f"{'it is' if one else 'they are'} the label in other words, or known only afterwards: "
        "then every performance is optimistic."
    )
    source = None if wire.from_node == SOURCE else level[wire.from_node]
    settings = {p.name for p in source.operator.parameters} if source is not None else set()
    field = next((name for name in ("skip", "label") if name in settings), "")
    path = node.path if source is None else source.path
    fixes = _without(names, level, wire, source if "skip" in settings else None, registry)
    return Problem(Kind.LABEL_LEAK, path, text, Severity.WARNING, fixes, field)


def _without(
    names: list[str], level: Process, wire: Connection, reader: Node | None, registry: Registry
) -> tuple[QuickFix, ...]:
    """Return the edit that leaves attributes out: where they are read, else behind that."""
    words = enumerate_names(names)
    if reader is not None:
        skipped = [*reader.parameters.get("skip", ()), *names]
        label = f"Leave out {words} when {reader.name} reads the table"
        return (QuickFix(label, (SetParameter(reader.name, "skip", skipped),)),)
    if "select_attributes" not in registry:
        return ()
    spec = registry["select_attributes"]
    chosen = {"attribute_filter_type": "subset", "attributes": names, "invert_selection": True}
    fed = wires_of(level, wire.from_node, wire.from_port)
    where = f"before {wire.to_node}" if len(fed) == 1 else f"for all that uses {wire.from_port}"
    edit = InsertBehind(level.path, wire.from_node, wire.from_port, spec, chosen)
    return (QuickFix(f'Insert "{spec.title}" {where}: without {words}', (edit,)),)


def _small(node: Node, meta: ExampleSetMetaData) -> Iterator[Problem]:
    if meta.rows is None or not 0 < meta.rows < FEW:
        return
    half = 100 * 1.96 * (0.25 / meta.rows) ** 0.5
    field = "number_of_folds" if "number_of_folds" in settings_of(node) else ""
    yield Problem(
        Kind.SMALL_SAMPLE,
        node.path,
        f"There are {meta.rows} rows. An accuracy of {meta.rows} tested rows is uncertain by about "
        f"{half:.0f} percentage points in either direction: compare it with Measure Chance, and "
        "collect more rows before you rely on it.",
        Severity.WARNING,
        (),
        field,
    )


def _unequal(node: Node, meta: ExampleSetMetaData, registry: Registry) -> Iterator[Problem]:
    counts = meta.counts()
    label = meta.schema.label if meta.schema is not None else None
    if label is None or len([c for c in counts if c]) < 2 or max(counts) < UNEQUAL * sum(counts):
        return
    measures = [n for inner in node.subprocesses for n in inner if n.operator.key in MEASURES]
    if measures and all(settings_of(m).get(MAIN) in FAIR for m in measures):
        return
    most = label.categories[counts.index(max(counts))]
    part = max(counts) / sum(counts)
    yield Problem(
        Kind.IMBALANCE,
        node.path,
        f'{part:.0%} of the rows have the class "{most}", so always predicting it has an accuracy '
        f"of {part:.0%}. Judge by kappa or the recall of each class, not by the accuracy.",
        Severity.WARNING,
        tuple(_fairly(measure, registry) for measure in measures if MEASURES[1] in registry),
    )


def _fairly(measure: Node, registry: Registry) -> QuickFix:
    """Return the edit by which a measure judges by kappa."""
    kappa = SetParameter(measure.name, MAIN, "kappa")
    if measure.operator.key == MEASURES[1]:
        return QuickFix(f"Set {MAIN} of {measure.name} to kappa", (kappa,))
    spec = registry[MEASURES[1]]
    text = f'Replace {measure.name} by "{spec.title}" with kappa as {MAIN}'
    return QuickFix(text, (Replace(measure.name, spec), kappa))


# --- selections -----------------------------------------------------------------------------


def _bypassed(level: Process, registry: Registry) -> Iterator[Problem]:
    """Warn of learners in a training that take all attributes beside a selection."""
    owner = level.owner
    if owner is None or not is_validation(owner.operator):
        return
    for found in bypasses(level):
        assert found.wire is not None
        if not level.used_outputs(found.node.name):
            continue  # reported as unused, with the same fix
        yield Problem(
            Kind.BYPASSED,
            level[found.wire.to_node].path,
            f'"{found.wire.to_node}" trains on all attributes: nothing uses the weights of '
            f'"{found.node.name}" to choose them, so the performance is that of all attributes.',
            Severity.WARNING,
            tuple(selecting_fixes(level, found, registry)),
        )


def _empty(level: Process) -> Iterator[Problem]:
    """Warn of results of a validation that are used, but not returned inside it."""
    for node in level:
        if not node.enabled or not is_validation(node.operator):
            continue
        optional = {port.name for port in node.operator.outputs if port.optional}
        wanted = optional & level.used_outputs(node.name)
        for inner in node.subprocesses:
            fed = inner.incoming(SINK)
            for sink in inner.sinks:
                output = TESTED.get(sink.name, sink.name)
                if output in wanted and sink.optional and sink.name not in fed:
                    yield Problem(
                        Kind.NO_RESULT,
                        inner.path,
                        f'The result "{output}" of "{node.name}" is empty, because nothing is '
                        f'connected to "{sink.name}" inside it.',
                        Severity.WARNING,
                        tuple(_returning(inner, sink)),
                    )


def _returning(level: Process, sink: Port) -> Iterator[QuickFix]:
    """Return connections from operators to a result of a level, the latest operator first."""
    for node in reversed(list(level)):
        for port in node.operator.outputs:
            if node.enabled and not port.many and issubclass(port.type, sink.type):
                wire = Connection(node.name, port.name, SINK, sink.name)
                label = f"Connect {node.name}.{port.name} → {sink.name}"
                yield QuickFix(label, (Connect(level.path, wire),))


def _untested_sizes(process: Process) -> Iterator[Problem]:
    """Warn of a number of attributes that no validation tests, where a model is trained on them."""
    nodes = [node for node in process.walk() if node.enabled]
    if any(node.operator.role in (Role.VALIDATION, Role.PERFORMANCE) for node in nodes):
        return
    for node in nodes:
        size = next((name for name in SIZES if name in node.parameters), "")
        if node.operator.role is not Role.SELECTION or not size or not _feeds_a_model(node):
            continue
        yield Problem(
            Kind.SIZE_NOT_VALIDATED,
            node.path,
            f"{size}={node.parameters[size]} was set by hand, and nothing in this process tests "
            "how well a model of so many attributes predicts other rows. Put selection and "
            "learner into a Cross Validation, and try several sizes.",
            Severity.WARNING,
            (),
            size,
        )


def _feeds_a_model(node: Node) -> bool:
    """Return whether a learner of the level trains on the results of an operator."""
    level = node.process
    return any(
        level[name].operator.role is Role.LEARNER
        and any(issubclass(port.type, Model) for port in level[name].operator.outputs)
        for name in level.descendants(node.name)
        if name in level
    )
