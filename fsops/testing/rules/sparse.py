"""The rule about sparse tables: they give the results of dense ones."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import numpy.typing as npt

from fsops.data import AttributeWeights, ExampleSet, PerformanceVector, PredictionModel
from fsops.testing.cases import CannotMakeUp, Case, Subject
from fsops.testing.sparse import as_sparse, thinned, without_signs
from fsops.testing.trial import answer, expect

EXACT = 1e-12
"""Largest difference of weights, in parts of the largest weight."""
SOLVED = 1e-8
"""The same for learners: rounding grows on the way of a solver to its tolerance."""


def check_sparse(subject: Subject) -> None:
    """A sparse table gives the results of the same table stored dense."""
    for kind in subject.table_kinds():
        with contextlib.suppress(CannotMakeUp):
            table = thinned(kind.table())
            if not len(table.schema.regular_numerical):
                continue
            if not _check_kind(subject, subject.case(table), table, f"a table with {kind}"):
                counts = without_signs(table)  # for operators that refuse negative numbers
                _check_kind(subject, subject.case(counts), counts, f"sizes, a table with {kind}")


def _check_kind(subject: Subject, case: Case, table: ExampleSet, situation: str) -> bool:
    """Return whether the operator takes the table, which it must do in both storages then."""
    plain = answer(subject, case, f"on {situation}")
    if plain.refusal is not None:
        return False
    for port in subject.sparse_ports:
        if isinstance(case.inputs[port], ExampleSet):
            case = case.with_input(port, as_sparse(case.inputs[port]))
    found = answer(subject, case, f"sparse, {situation}")
    expect(found.refusal is None, f"sparse, {situation}: refused: {found.refusal}")
    tolerance = SOLVED if subject.spec.role == "learner" else EXACT
    for one, two in zip(plain.values, found.values, strict=True):
        check_same(one, two, (table, as_sparse(table)), tolerance, f"sparse, {situation}")
    return True


def check_same(
    one: Any,
    two: Any,
    tables: tuple[ExampleSet, ExampleSet],
    tolerance: float,
    situation: str,
) -> None:
    """Complain if two results differ; models are applied to a table each."""
    expect(type(one) is type(two), f"{situation}: {type(two).__name__}, not {type(one).__name__}")
    if isinstance(one, AttributeWeights):
        expect(one.names == two.names, f"{situation}: weights of other attributes")
        same = is_close(one.values, two.values, tolerance)
        expect(same, f"{situation}: other weights: {one.values} and {two.values}")
    if isinstance(one, ExampleSet):
        expect(one.schema == two.schema, f"{situation}: another schema")
        for position in range(len(one.schema)):
            mine, other = one.values(np.array([position])), two.values(np.array([position]))
            same = is_close(mine, other, tolerance)
            expect(same, f'{situation}: other values of "{one.names[position]}"')
    if isinstance(one, PredictionModel):
        check_same(
            one.apply(tables[0]),
            two.apply(tables[1]),
            tables,
            tolerance,
            f"{situation}, prediction",
        )
    if isinstance(one, PerformanceVector):
        same = is_close(_means(one), _means(two), tolerance)
        expect(same, f"{situation}: another performance: {one} and {two}")


def _means(performance: PerformanceVector) -> npt.NDArray[np.float64]:
    return np.array(list(performance.means().values()))


def is_close(one: npt.NDArray[Any], two: npt.NDArray[Any], tolerance: float) -> bool:
    """Return whether numbers agree within parts of the largest one, and all else exactly."""
    if one.dtype.kind != "f":
        return np.array_equal(one, two)
    finite = one[np.isfinite(one)]
    size = tolerance * float(np.abs(finite).max(initial=0.0))
    return np.allclose(one, two, rtol=tolerance, atol=size, equal_nan=True)
