"""Rules about inputs: unusual tables, unusual names, and metadata before a run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from fsops.core import Port
from fsops.core.checks.propagation import default_metadata, propagate
from fsops.core.declare.parameters import check_parameters
from fsops.data import (
    AttributeWeights,
    Collection,
    ExampleSet,
    ExampleSetMetaData,
    FlowObject,
    MetaData,
    Model,
    ModelMetaData,
    PredictionModel,
    WeightsMetaData,
    metadata_of,
)
from fsops.errors import FsopsError
from fsops.testing.blocks import in_blocks
from fsops.testing.cases import CannotMakeUp, Case, Subject, produced
from fsops.testing.data import degenerate_table, make_examples, odd_weights, with_odd_names
from fsops.testing.rules.declaration import calls_by_value
from fsops.testing.stand_ins import stand_in_model
from fsops.testing.trial import Answer, answer, expect, no_warnings, result

WIDE, WIDE_FOR_LOOPS = 300, 30  # far more attributes than rows, but no test of speed
DESCRIBING_KINDS = ("choice", "boolean", "attribute", "attributes")
DESCRIBED = ("odd names", "other types", "unused class", "constant column", "no label")


def check_table(subject: Subject, name: str) -> None:
    """A degenerate table is answered by a result or an `FsopsError`."""
    case = _degenerate(subject, name)
    if case is not None:
        answer(subject, case, f"on the table {name!r}")


def _degenerate(subject: Subject, name: str) -> Case | None:
    """Return a call on a degenerate table; None where there can be none."""
    kind = subject.kind
    width = WIDE_FOR_LOOPS if subject.spec.subprocesses else WIDE
    examples = degenerate_table(name, kind.label, kind.attributes, width=width)
    try:
        return None if examples is None else subject.case(kind.finish(examples))
    except CannotMakeUp:  # such a table does not get so far
        return None


def check_table_kinds(subject: Subject) -> None:
    """Every kind of label and attributes is answered by a result or an `FsopsError`."""
    predicted = subject.kind.predicted
    for kind in subject.table_kinds():
        with contextlib.suppress(CannotMakeUp):
            if kind.predicted == predicted:
                answer(subject, subject.case(kind.table()), f"on a table with {kind}")


def check_blocks(subject: Subject) -> None:
    """A table in blocks of rows gives the weights of one in memory, for some kind of table.

    Others may be refused: an operator can need all rows at once for them.
    """
    refusals = []
    for kind in subject.table_kinds():
        with contextlib.suppress(CannotMakeUp):
            case = subject.case(kind.table())
            plain = answer(subject, case, f"on a table with {kind}")
            if plain.refusal is None:
                refusals.append(_refusal_of_blocks(subject, case, plain, f"in blocks, {kind}"))
    expect(None in refusals, f"refuses every table in blocks: {(*refusals, '')[0]}")


def _refusal_of_blocks(
    subject: Subject, case: Case, plain: Answer, situation: str
) -> FsopsError | None:
    """Return why the tables of a call cannot be in blocks; other weights are a fault."""
    for port in subject.block_ports:
        case = case.with_input(port, in_blocks(case.inputs[port]))
    try:
        found = subject.outputs(subject.call(case))
    except FsopsError as error:
        return error
    weights = [value for values in found.values() for value in values]
    for one, two in zip(plain.values, weights, strict=True):
        if isinstance(one, AttributeWeights) and isinstance(two, AttributeWeights):
            same = one.names == two.names and np.allclose(one.values, two.values, rtol=1e-9)
            expect(same, f"{situation}: other weights: {one.values} and {two.values}")
    return None


def check_inputs(subject: Subject) -> None:
    """Inputs that are odd, do not fit together, or are not there are answered too."""
    case = subject.plain
    for port in subject.spec.inputs:
        for name, value in _odd_inputs(subject, port):
            answer(subject, case.with_input(port.name, value), f'at "{port.name}" {name}')


def _odd_inputs(subject: Subject, port: Port) -> Iterator[tuple[str, Any]]:
    if port.many:
        yield "no input", []
        yield "one input", [subject.plain.inputs[port.name][0]]
    elif port.optional:
        yield "no input", None
        yield "an input of this kind", produced(port.type, subject.table)
    elif port.type is AttributeWeights:
        for name, weights in odd_weights(subject.table.schema.regular_names).items():
            yield f"weights: {name}", weights
    elif port.type in (Model, PredictionModel):
        yield "a model of other attributes", stand_in_model(with_odd_names(subject.table))
        yield "a model of another label", stand_in_model(make_examples(label="polynominal"))
        yield "a model of nominal attributes", stand_in_model(make_examples(8, 0, 4))
    elif port.type is Collection:
        yield "an empty collection", Collection([])


def check_names(subject: Subject) -> None:
    """The names of attributes change only the names in the result."""
    examples = subject.table
    odd = with_odd_names(examples)
    renamed = dict(zip(examples.names, odd.names, strict=True))
    plain = result(subject, subject.case(examples))
    found = answer(subject, subject.case(odd), "with odd names")
    if found.refusal is not None and (subject.inputs or subject.parameters):
        return  # what the author has given may be about the other names
    expect(found.refusal is None, f"with odd names: refused: {found.refusal}")
    for one, two in zip(plain.values, found.values, strict=True):
        if isinstance(one, AttributeWeights) and isinstance(two, AttributeWeights):
            _check_weight_names(one, two, renamed)
        if isinstance(one, ExampleSet) and isinstance(two, ExampleSet):
            _check_table_names(one, two, renamed)


def _check_weight_names(
    one: AttributeWeights, two: AttributeWeights, renamed: Mapping[str, str]
) -> None:
    expected = tuple(renamed.get(name, name) for name in one.names)
    expect(two.names == expected, f"names are not kept: {two.names} instead of {expected}")
    same = np.array_equal(one.values, two.values, equal_nan=True)
    expect(same, f"other names give other weights: {one.values} and {two.values}")


def _check_table_names(one: ExampleSet, two: ExampleSet, renamed: Mapping[str, str]) -> None:
    lost = [name for name in one.names if name in renamed and renamed[name] not in two.schema]
    expect(not lost, f"the names of {', '.join(lost)} are not kept")
    expect(len(two.names) == len(one.names), "other names give another number of attributes")


# --- metadata -------------------------------------------------------------------------------


def check_metadata(subject: Subject) -> None:
    """The metadata before the run fit the results."""
    _check_description(subject)
    _check_described(subject, subject.plain, "a sound table")
    for name in DESCRIBED if subject.takes_tables else ():
        case = _degenerate(subject, name)
        if case is not None:
            _check_described(subject, case, f"the table {name!r}")
    for case, situation in calls_by_value(subject, DESCRIBING_KINDS):
        _check_described(subject, case, situation)


def _check_description(subject: Subject) -> None:
    """Much or little may be known about the inputs; of the optional ones, nothing at all."""
    spec, case = subject.spec, subject.plain
    if spec.describe is None:
        return
    values = check_parameters(spec.parameters, case.parameters)
    unknown = {port.name: MetaData() for port in spec.inputs if not port.optional}
    typed = {port.name: default_metadata(port) for port in spec.inputs if not port.many}
    known = {
        name: metadata_of(value)
        for name, value in case.inputs.items()
        if isinstance(value, FlowObject)
    }
    for inputs in (unknown, typed, known):
        try:
            with no_warnings(subject, "describe"):
                described = spec.described(inputs, values, [{} for _ in spec.subprocesses])
        except FsopsError:
            continue
        except Exception as error:
            raise AssertionError(
                f"describe stops with {type(error).__name__}: {error} (the metadata were: {inputs})"
            ) from error
        _check_form(subject, described)


def _check_form(subject: Subject, described: object) -> None:
    outputs = described if isinstance(described, Mapping) else {}
    expect(isinstance(described, Mapping), f"describe returns {described!r}, not MetaData")
    expect(
        all(isinstance(meta, MetaData) for meta in outputs.values()),
        f"describe returns {described!r}, which is not MetaData by the name of the output",
    )
    strange = sorted(n for n in outputs if not any(p.matches(n) for p in subject.spec.outputs))
    expect(not strange, f"describe returns metadata for {strange}, which are not outputs")


def _check_described(subject: Subject, case: Case, situation: str) -> None:
    found = answer(subject, case, situation)
    if found.refusal is not None:
        return
    process, given, _ = subject.process(case)
    refusals: list[FsopsError] = []
    inputs = {f"input {i}": metadata_of(value) for i, value in enumerate(given, start=1)}
    with no_warnings(subject, f"{situation}: describe"):
        known = propagate(process, inputs, lambda node, error: refusals.append(error))
    expect(not refusals, f"{situation}: gives a result, but describe refuses: {refusals}")
    for port, meta in known.outputs[next(iter(process)).name].items():
        _check_agreement(meta, found, port, f'{situation}: output "{port}"')


def _check_agreement(meta: MetaData, found: Answer, port: str, situation: str) -> None:
    for value in found.outputs.get(port, []):
        expect(
            isinstance(value, meta.type),
            f"{situation}: described as {meta.type.__name__}, is {type(value).__name__}",
        )
        for what, claimed, true in _claims(meta, value):
            expect(
                claimed is None or claimed == true,
                f"{situation}: described {what} {claimed!r}, but it is {true!r}",
            )


def _claims(meta: MetaData, value: Any) -> list[tuple[str, Any, Any]]:
    """Return the expected and the actual properties of the result."""
    if isinstance(meta, ExampleSetMetaData) and isinstance(value, ExampleSet):
        names = None if meta.schema is None else list(meta.schema)
        complete = meta.missing - value.missing_by_attribute.keys()
        return [
            ("attributes", names, list(value.schema)),
            ("rows", meta.rows, len(value)),
            ("missing values", sorted(complete), []),
        ]
    if isinstance(meta, WeightsMetaData) and isinstance(value, AttributeWeights):
        return [("attributes", meta.names, value.names)]
    if isinstance(meta, ModelMetaData) and isinstance(value, Model) and meta.training is not None:
        regular = [attribute for attribute in meta.training if attribute.is_regular]
        label = value.label if isinstance(value, PredictionModel) else None
        return [
            ("attributes", regular, list(value.attributes)),
            ("label", meta.training.label, label),
        ]
    return []
