"""New attributes, calculated from others or counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from fsops.core import Aliases, Context, operator
from fsops.data import Attribute, ExampleSet, ExampleSetMetaData, MetaData, Schema, ValueType
from fsops.data.expression import Expression
from fsops.errors import DataError, FsopsError, ParameterError, quoted
from fsops.operators.preparation.prepared import ALIASES, PORTS

GROUP = "Preparation/Generation"
ID = "id"


def _failed(name: str, error: FsopsError) -> FsopsError:
    """Return the error of an expression with the attribute it was to make."""
    message = f"{quoted(name)} cannot be generated. {error.message}"
    return type(error)(message, hint=error.hint)


def _placed(schema: Schema, attribute: Attribute) -> Attribute:
    """Return a new attribute, with the role of the one it replaces."""
    old = schema.attribute(attribute.name) if attribute.name in schema else attribute
    return replace(attribute, role=old.role)


def _kept_names(
    before: Schema, after: Schema, made: Mapping[str, str], keep_all: bool
) -> list[str]:
    if keep_all:
        return list(after.names)
    gone = set(before.regular_names) - set(made)
    return [name for name in after.names if name not in gone]


def _describe_generated(
    inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]
) -> ExampleSetMetaData:
    meta = inputs["examples"]
    if not isinstance(meta, ExampleSetMetaData):
        return ExampleSetMetaData()
    if meta.schema is None:
        return ExampleSetMetaData(rows=meta.rows)
    made: Mapping[str, str] = parameters["function_descriptions"]
    schema = meta.schema
    for name, words in made.items():
        try:
            attribute = Expression.parse(words).attribute_for(name, schema)
        except FsopsError as error:
            raise _failed(name, error) from None
        if attribute is None:  # only the rows tell which categories there are
            return ExampleSetMetaData(rows=meta.rows)
        attribute = _placed(schema, attribute)
        known = name in schema
        schema = schema.replaced(attribute) if known else schema.appended([attribute])
    kept = _kept_names(meta.schema, schema, made, parameters["keep_all"])
    return ExampleSetMetaData(schema=schema.take(schema.positions(kept)), rows=meta.rows)


@operator(
    group=GROUP,
    role="preparation",
    describe=_describe_generated,
    aliases=Aliases(
        keys=("blending:generate_columns",),
        ports={**PORTS, "table input": "examples", "table output": "examples"},
        parameters={"keep_all_columns": "keep_all"},
    ),
    tags=("formula", "calculate", "construct", "derive", "compute", "feature engineering"),
)
def generate_attributes(
    examples: ExampleSet,
    *,
    function_descriptions: Annotated[
        dict[str, str],
        Field(
            description="Names of new attributes with their expressions, such as bmi with "
            "weight / height ^ 2.",
            examples=[{"seven": "3 + 4", "sign": 'if(1 < 2, "less", "more")'}],
        ),
    ],
    keep_all: Annotated[
        bool, Field(description="Keep the other regular attributes; special ones always stay.")
    ] = True,
    ctx: Context,
) -> ExampleSet:
    """Generate Attributes

    Calculates new attributes from others, row by row. An expression may use attributes generated
    above it. An existing attribute of that name is replaced and keeps its role.

    Attributes are written by name, those with spaces in square brackets: [blood pressure]. Write
    texts in quotes. There are + - * / % ^ (% is the remainder, with the sign of the first number),
    comparisons, and, or, not (also && || !), if(condition, a, b), missing(x), MISSING_NUMERIC,
    MISSING_NOMINAL, true, false, and functions:

    - abs, sqrt, exp, ln (base e), log and log10 (base 10), log2 and ld (base 2), pow, mod,
      round (halves up), floor, ceil, sgn, sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh
    - min, max, sum, avg of any number of values
    - concat, lower, upper, trim, length, contains(x, "part"), starts(x, "begin"), ends(x, "end")

    A missing value makes the result missing; every comparison with a missing value is false, also
    "not equal". A comparison gives the categories false and true.
    """
    if not function_descriptions:
        hint = "Give a name and an expression, such as bmi with weight / height ^ 2."
        raise ParameterError("function_descriptions is empty.", hint=hint)
    table = examples
    for name, words in ctx.progress(list(function_descriptions.items()), "Attributes"):
        try:
            attribute, stored = Expression.parse(words).column(name, table)
        except FsopsError as error:
            raise _failed(name, error) from None
        _warn_of_infinite(attribute, stored, ctx)
        column = (_placed(table.schema, attribute), np.asarray(stored))
        known = name in table.schema
        table = table.with_values([column]) if known else table.with_columns([column])
    kept = _kept_names(examples.schema, table.schema, function_descriptions, keep_all)
    return table.select(kept)


def _warn_of_infinite(attribute: Attribute, stored: Any, ctx: Context) -> None:
    if not attribute.value_type.is_numerical:
        return
    infinite = np.flatnonzero(np.isinf(stored))
    if len(infinite):
        ctx.warn(
            f"{quoted(attribute.name)} is infinite in {len(infinite)} of {len(stored)} rows, first "
            f"in row {infinite[0] + 1}: a division by zero, or a number that is too large."
        )


def _id_place(schema: Schema) -> list[str]:
    """Return the old id, which goes; another attribute of that name must not."""
    old = schema.special(ID)
    if ID in schema and (old is None or old.name != ID):
        raise DataError(
            f"There is an attribute {quoted(ID)} already, which is not the id.",
            hint="Rename it, or give it the role id (Set Role).",
        )
    return [] if old is None else [old.name]


def _describe_id(
    inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]
) -> ExampleSetMetaData:
    meta = inputs["examples"]
    if not isinstance(meta, ExampleSetMetaData):
        return ExampleSetMetaData()
    if meta.schema is None or parameters["create_nominal_ids"]:
        return ExampleSetMetaData(rows=meta.rows)  # every row is a category
    gone = set(_id_place(meta.schema))
    kept = [name for name in meta.schema.names if name not in gone]
    schema = meta.schema.take(meta.schema.positions(kept))
    return ExampleSetMetaData(schema=schema.appended([_id_attribute()]), rows=meta.rows)


def _id_attribute() -> Attribute:
    return Attribute(ID, ValueType.INTEGER, ID)


@operator(
    group=GROUP,
    role="preparation",
    describe=_describe_id,
    aliases=ALIASES,
    tags=("row number", "index", "key"),
)
def generate_id(
    examples: ExampleSet,
    *,
    create_nominal_ids: Annotated[
        bool, Field(description="Make names (id_1, id_2, …) instead of numbers.")
    ] = False,
    offset: Annotated[
        int,
        Field(ge=-(2**50), le=2**50, description="Number that is added to that of the row."),
    ] = 0,
) -> ExampleSet:
    """Generate ID

    Gives every row a number, from 1 on, in an attribute "id" with the role id. An existing id is
    replaced. Ids say which rows belong together in Join, and survive sampling and shuffling.
    """
    table = examples.drop(_id_place(examples.schema))
    numbers = np.arange(1 + offset, 1 + offset + len(examples))
    if not create_nominal_ids:
        return table.with_columns([(_id_attribute(), numbers.astype(np.float64))])
    names = [f"id_{number}" for number in numbers.tolist()]
    codes = np.arange(len(names), dtype=np.int32)
    return table.with_columns([(Attribute.nominal(ID, names, ID), codes)])
