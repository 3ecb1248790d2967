"""The rule about row weights: 2 is a row twice, 0 removes the row, and none is ignored.

Where the operator itself uses the weights, the copies of a row form a group (role group), because
folds inside must not separate them: one copy would be trained on and the other tested.
"""

from __future__ import annotations

import contextlib

import numpy as np

from fsops.core.declare.roles import Role
from fsops.core.declare.row_weights import COMPUTING, handling
from fsops.data import Attribute, ExampleSet, Model, PredictionModel, ValueType
from fsops.data.design import GROUP
from fsops.testing.cases import CannotMakeUp, Case, Subject
from fsops.testing.rules.sparse import EXACT, SOLVED, check_same
from fsops.testing.trial import answer, expect

TIMES = (1, 2, 0, 1, 1, 3, 2)
"""How often rows count, again and again."""
NAME = "importance"
SOLVING = (Role.LEARNER, Role.SELECTION)
"""Roles of operators that may solve equations by steps, where rounding grows."""
ORIGINAL = "original_row"
"""The group of the copies of a row."""


def computes_from_rows(subject: Subject) -> bool:
    """Return whether an operator computes something from the rows of a table."""
    spec = subject.spec
    takes_table = any(issubclass(port.type, ExampleSet) for port in spec.inputs)
    return spec.role in COMPUTING and not spec.subprocesses and takes_table


def check_row_weights(subject: Subject) -> None:
    """A row weight of 2 equals the row twice, and 0 its absence; or the operator refuses them."""
    for kind in subject.table_kinds():
        with contextlib.suppress(CannotMakeUp):
            _check_table(subject, kind.table(), f"row weights, a table with {kind}")


def check_weightless_rows(subject: Subject) -> None:
    """Around inner processes, rows with the weight 0 change nothing: folds and seeds stay."""
    for kind in subject.table_kinds():
        with contextlib.suppress(CannotMakeUp):
            table = kind.table()
            _check_without(subject, table, f"rows with the weight 0, a table with {kind}")


def _check_without(subject: Subject, table: ExampleSet, situation: str) -> None:
    used = np.resize(np.minimum(TIMES, 1), len(table)).astype(np.float64)
    whole = table.with_columns([(Attribute(NAME, ValueType.REAL, "weight"), used)])
    less = whole.take(np.flatnonzero(used))
    case = subject.case(less)
    plain = answer(subject, _with_tables(case, less), f"on {situation}")
    found = answer(subject, _with_tables(case, whole), situation)
    same = str(plain.refusal) == str(found.refusal)
    expect(same, f"{situation}: {found.refusal or 'a result'}, not {plain.refusal or 'a result'}")
    for one, two in zip(plain.values, found.values, strict=True):
        if isinstance(one, PredictionModel):
            check_same(one, two, (less, less), 0.0, situation)
        elif not isinstance(one, Model):
            expect(one.equals(two), f"{situation}: another result: {two}, not {one}")


def _with_tables(case: Case, table: ExampleSet) -> Case:
    """Return the same call with a table at all ports for tables, and as each one of a list."""
    for port, value in case.inputs.items():
        if isinstance(value, ExampleSet):
            case = case.with_input(port, table)
        elif isinstance(value, list) and any(isinstance(item, ExampleSet) for item in value):
            case = case.with_input(port, [table] * len(value))
    return case


def _check_table(subject: Subject, table: ExampleSet, situation: str) -> None:
    how = handling(subject.spec)
    if how == "used":
        numbers = np.arange(len(table), dtype=np.float64)
        table = table.with_columns([(Attribute(ORIGINAL, ValueType.REAL, GROUP), numbers)])
    times = np.resize(TIMES, len(table))
    weight = (Attribute(NAME, ValueType.REAL, "weight"), times.astype(np.float64))
    rows = np.arange(len(table)) if how == "unaffected" else np.repeat(np.arange(len(table)), times)
    plain = answer(subject, subject.case(table.take(rows)), f"on {situation}")
    if plain.refusal is not None:
        return
    case = subject.case(table.take(rows))
    for port, value in case.inputs.items():
        if isinstance(value, ExampleSet):
            case = case.with_input(port, table.with_columns([weight]))
    found = answer(subject, case, situation)
    if how == "refused":
        said = str(found.refusal or "")
        expect("cannot use row weights" in said, f"{situation}: not refused by name: {said}")
        return
    expect(found.refusal is None, f"{situation}: refused: {found.refusal}")
    tolerance = SOLVED if subject.spec.role in SOLVING else EXACT
    for one, two in zip(plain.values, found.values, strict=True):
        if isinstance(two, ExampleSet) and NAME in two.schema:
            two = two.drop([NAME])  # noqa: PLW2901 - the weights themselves are passed on
        check_same(one, two, (table, table), tolerance, situation)
