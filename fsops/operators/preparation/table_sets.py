"""Two tables as sets: all attributes, all rows, common rows, pairs of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import Field

from fsops.core import Accepts, Aliases, AttributeNames, Named, operator
from fsops.data import ExampleSet, ExampleSetMetaData, MetaData
from fsops.data.schema import REGULAR
from fsops.errors import DataError
from fsops.memory import require
from fsops.operators.preparation.joins import free_names, id_keys, key_codes, rows_or_missing
from fsops.operators.preparation.prepared import PORTS
from fsops.operators.preparation.rows import same_attributes
from fsops.operators.preparation.tables import GROUP, append

ANY_TABLE = Accepts(missing=True, infinite=True)
First = Annotated[ExampleSet, Named("first", "The first table.")]
Second = Annotated[ExampleSet, Named("second", "The second table.")]
BOTH = {"example set 1": "first", "example set 2": "second"}
LARGEST_PRODUCT = 100_000_000


class Supersets(NamedTuple):
    """Both tables with the attributes of both."""

    first: Annotated[ExampleSet, Named(description="The first table with all attributes.")]
    second: Annotated[ExampleSet, Named(description="The second table with all attributes.")]


def _widened(table: ExampleSet, other: ExampleSet, include_special: bool) -> ExampleSet:
    """Return a table with the attributes that only the other one has; their values are missing."""
    schema = other.schema
    absent = np.flatnonzero(table.schema.names.find(schema.names) < 0)
    if not include_special:
        absent = np.setdiff1d(absent, schema.special_positions)
    if not len(absent):
        return table
    wanted = other.select(schema.names_at(absent))
    added = rows_or_missing(wanted, np.full(len(table), -1, dtype=np.intp))
    taken = set(table.schema.roles.values())
    conflicts = {name: REGULAR for name, role in added.schema.roles.items() if role in taken}
    return table.beside(added.with_roles(conflicts))


def _both_widened(first: ExampleSet, second: ExampleSet, include_special: bool) -> Supersets:
    left = _widened(first, second, include_special)
    right = _widened(second, first, include_special)
    return Supersets(left, right)


def _nothing_known(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    return ExampleSetMetaData()


def _two_tables(
    inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]
) -> dict[str, MetaData]:
    return {"first": ExampleSetMetaData(), "second": ExampleSetMetaData()}


IncludeSpecial = Annotated[
    bool, Field(description="Add special attributes too; as regular ones if their role is taken.")
]


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_TABLE,
    describe=_two_tables,
    aliases=Aliases(ports={**BOTH, "superset 1": "first", "superset 2": "second"}),
    tags=("align", "common columns", "missing attributes"),
)
def superset(
    first: First, second: Second, *, include_special_attributes: IncludeSpecial = True
) -> Supersets:
    """Superset

    Gives two tables the same attributes: each gets those that only the other one has, with missing
    values. Rows do not change. Append can join the tables afterwards; Union does both.
    """
    return _both_widened(first, second, include_special_attributes)


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_TABLE,
    describe=_nothing_known,
    aliases=Aliases(ports={**BOTH, "union": "examples"}),
    tags=("append", "stack", "concatenate", "rbind", "outer"),
)
def union(
    first: First, second: Second
) -> Annotated[ExampleSet, Named("examples", "The rows of both.")]:
    """Union

    Joins the rows of two tables to one table, with the attributes of both. Where a table does
    not have an attribute, its values are missing. For tables with the same attributes use Append.
    """
    left, right = _both_widened(first, second, include_special=True)
    right = right.select(left.names).with_roles(dict.fromkeys(right.schema.roles, REGULAR))
    return append([left, right.with_roles(left.schema.roles)])


KeyNames = Annotated[
    list[str],
    AttributeNames(),
    Field(description="Attributes whose values decide whether rows are equal; empty: the id."),
]
Rows = Annotated[ExampleSet, Named(description="The table.")]


def _matches(examples: ExampleSet, other: ExampleSet, names: Sequence[str]) -> Any:
    """Return for each row whether the other table has one with the same keys."""
    keys = tuple((name, name) for name in names)
    mine, theirs = key_codes(examples, other, keys or id_keys(examples.schema, other.schema))
    return np.isin(mine, theirs[theirs >= 0])


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_TABLE,
    describe=same_attributes,
    aliases=Aliases(ports=PORTS),
    tags=("difference", "anti join", "exclude", "without"),
)
def set_minus(
    examples: Rows,
    subtrahend: Annotated[ExampleSet, Named(description="The table with the rows to remove.")],
    *,
    key_attributes: KeyNames = [],
) -> ExampleSet:
    """Set Minus

    Removes the rows that are also in a second table, for instance to exclude patients of another
    study. Rows are equal if their ids are, or the attributes in key_attributes.
    """
    return examples.take(np.flatnonzero(~_matches(examples, subtrahend, key_attributes)))


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_TABLE,
    describe=same_attributes,
    aliases=Aliases(ports=PORTS),
    tags=("semi join", "common rows", "overlap"),
)
def intersect(
    examples: Rows,
    second: Annotated[ExampleSet, Named(description="The table with the rows to keep.")],
    *,
    key_attributes: KeyNames = [],
) -> ExampleSet:
    """Intersect

    Keeps the rows that are also in a second table. Rows are equal if their ids are, or the
    attributes in key_attributes.
    """
    return examples.take(np.flatnonzero(_matches(examples, second, key_attributes)))


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_TABLE,
    describe=_nothing_known,
    aliases=Aliases(ports={"join": "examples"}),
    tags=("cross join", "all pairs", "combinations"),
)
def cartesian_product(
    left: Annotated[ExampleSet, Named(description="The first table.")],
    right: Annotated[ExampleSet, Named(description="The second table.")],
) -> Annotated[ExampleSet, Named("examples", "All pairs of rows.")]:
    """Cartesian Product

    Combines each row of the first table with each row of the second one. An attribute that both
    have gets the suffix "_from_ES2" in the second table; roles are those of the first table.

    The result has as many rows as the product of both: choose rows first.
    """
    total, width = len(left) * len(right), len(left.schema) + len(right.schema)
    if total > LARGEST_PRODUCT:
        raise DataError(f"The product would have {total} rows.", hint="Choose fewer rows first.")
    require(16.0 * total * width, f"The product with {total:,} rows", "Choose fewer rows first.")
    mine = np.repeat(np.arange(len(left)), len(right))
    theirs = np.tile(np.arange(len(right)), len(left))
    names = dict(zip(right.names, free_names(left.schema, right.names), strict=True))
    plain = right.with_roles(dict.fromkeys(right.schema.roles, REGULAR)).rename(names)
    return left.take(mine).beside(plain.take(theirs))
