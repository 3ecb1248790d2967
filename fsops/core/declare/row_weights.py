"""Row weights: the declaration of their use by an operator, and its enforcement.

A weight is the number of times a row counts: 2 is the same as the row twice, 0 as without it. An
operator that computes something from rows either uses them or refuses them by name; it never
ignores them silently.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fsops.core.declare.capabilities import RowWeights
from fsops.core.declare.roles import Role
from fsops.data import ExampleSet, ExampleSetMetaData, MetaData
from fsops.data.schema import Schema
from fsops.errors import DataError

if TYPE_CHECKING:
    from fsops.core.operator import Operator

MEANINGS: dict[RowWeights, str] = {
    "refused": "Row weights are refused.",
    "used": "Row weights are used.",
    "whole numbers": "Row weights are used if they are whole numbers.",
    "unaffected": "Row weights change nothing.",
}
COMPUTING = frozenset({Role.LEARNER, Role.WEIGHTING, Role.SELECTION, Role.PERFORMANCE})
"""Operators with these roles compute something from rows."""
INSIDE = "Rows with the weight 0 take no part; the operators inside use or refuse other weights."
"""The handling of row weights by operators that `works_inside` holds for."""


def handling(spec: Operator) -> RowWeights:
    """Return how an operator uses row weights.

    Operators with inner processes pass them on: the operators inside use or refuse them. Those
    with other roles, such as preparation, leave them unchanged. See also `works_inside`.
    """
    if spec.role not in COMPUTING or spec.subprocesses:
        return "unaffected"
    return spec.row_weights


def works_inside(spec: Operator) -> bool:
    """Return whether inner processes compute the result from a table, often from parts of its rows.

    Such operators, as validations, ensembles and searches, get tables without the rows whose weight
    is 0. So their folds and resamples are those of a table without these rows.
    """
    return (
        bool(spec.subprocesses)
        and spec.role is not Role.CONTROL
        and any(issubclass(port.type, ExampleSet) for port in spec.inputs)
    )


def counted_before_run(spec: Operator, meta: MetaData) -> MetaData:
    """Return the metadata of a table as the operator gets it: values of weights are not known."""
    if not works_inside(spec) or not isinstance(meta, ExampleSetMetaData):
        return meta
    weighted = meta.schema is not None and meta.schema.row_weight is not None
    return replace(meta, rows=None) if weighted else meta


def require_usable(spec: Operator, schema: Schema) -> None:
    """Raise `DataError` if a table has row weights that an operator refuses."""
    weight = schema.row_weight
    if weight is not None and handling(spec) == "refused":
        raise DataError(
            f'"{weight.name}" has the role weight, but {spec.title} cannot use row weights.',
            hint="Draw rows by their weights (Sample (Bootstrapping)), or give the attribute "
            "another role (Set Role).",
        )


def weighted_input(spec: Operator, table: ExampleSet) -> ExampleSet:
    """Return a table as the operator can use it: rows left out or repeated by their weights."""
    how = handling(spec)
    inside = works_inside(spec)
    if table.schema.row_weight is None or (how == "unaffected" and not inside):
        return table
    from fsops.data.row_weights import counted_rows, repeated, without_weightless_rows

    if inside:
        return counted_rows(table)
    weighted = without_weightless_rows(table)
    require_usable(spec, weighted.schema)  # weights of 1 only are no weights
    return repeated(weighted, spec.title) if how == "whole numbers" else weighted
