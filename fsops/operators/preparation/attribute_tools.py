"""Small changes of attributes: copies, joined texts, swapped roles, general names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal, Unpack

import numpy as np
from pydantic import Field

from fsops.core import Aliases, AttributeName, Context, When, operator
from fsops.data import Attribute, ExampleSet, ExampleSetMetaData, MetaData, Schema, ValueType
from fsops.data.columns import STORAGE, nominal_column
from fsops.data.schema import REGULAR
from fsops.errors import DataError, ParameterError, quoted
from fsops.operators.preparation.attribute_filter import AttributeFilter, selected_names
from fsops.operators.preparation.prepared import ALIASES, ANY_VALUES, PORTS, describe_change
from fsops.operators.preparation.tables import value_texts

ATTRIBUTES, GENERATION = "Preparation/Attributes", "Preparation/Generation"
First = Annotated[str, AttributeName(), Field(description="The first attribute.")]
Second = Annotated[str, AttributeName(), Field(description="The second attribute.")]


def _schema_of(inputs: Mapping[str, MetaData]) -> tuple[ExampleSetMetaData, Schema | None]:
    meta = inputs["examples"]
    known = meta if isinstance(meta, ExampleSetMetaData) else ExampleSetMetaData()
    return known, known.schema


def _free(schema: Schema, name: str) -> None:
    if name in schema:
        raise ParameterError(f"{quoted(name)} exists already.", hint="Choose another name.")


# --- new attributes ---------------------------------------------------------------------------


def _describe_copy(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    meta, schema = _schema_of(inputs)
    if schema is None:
        return meta
    name, new = parameters["attribute"], parameters["new_name"]
    name_of_copy = new or f"{name}_copy"
    _free(schema, name_of_copy)
    copied = replace(schema.attribute(name), name=name_of_copy, role=REGULAR)
    return ExampleSetMetaData(schema=schema.appended([copied]), rows=meta.rows)


@operator(
    group=GENERATION,
    role="preparation",
    accepts=ANY_VALUES,
    describe=_describe_copy,
    aliases=ALIASES,
    tags=("duplicate", "column"),
)
def generate_copy(
    examples: ExampleSet,
    *,
    attribute: Annotated[str, AttributeName(), Field(description="The attribute to copy.")],
    new_name: Annotated[
        str, Field(description="Name of the copy; empty: the old name with the suffix _copy.")
    ] = "",
) -> ExampleSet:
    """Generate Copy

    Adds a copy of an attribute, without its role, so that one can change while the other stays.
    """
    name = new_name or f"{attribute}_copy"
    _free(examples.schema, name)
    copied = replace(examples.schema.attribute(attribute), name=name, role=REGULAR)
    return examples.with_columns([(copied, examples.column(attribute))])


def _describe_rows(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    return ExampleSetMetaData(rows=_schema_of(inputs)[0].rows)


@operator(
    group=GENERATION,
    role="preparation",
    accepts=ANY_VALUES,
    describe=_describe_rows,
    aliases=ALIASES,
    tags=("join texts", "paste", "combine", "interaction"),
)
def generate_concatenation(
    examples: ExampleSet,
    *,
    first_attribute: First,
    second_attribute: Second,
    separator: Annotated[str, Field(description="Text between the two values.")] = "_",
    trim_values: Annotated[
        bool, Field(description="First remove spaces at the start and end of values.")
    ] = False,
) -> ExampleSet:
    """Generate Concatenation

    Adds a nominal attribute with the values of two attributes as one text, for instance sex and
    group as "f_treated". Its name is made of both names in the same way. Where one value is
    missing, the result is missing.
    """
    name = f"{first_attribute}{separator}{second_attribute}"
    _free(examples.schema, name)
    columns = [
        value_texts(examples.schema.attribute(part), examples.column(part))
        for part in (first_attribute, second_attribute)
    ]
    trim = str.strip if trim_values else str
    joined = [
        None if a is None or b is None else f"{trim(a)}{separator}{trim(b)}"
        for a, b in zip(*columns, strict=True)
    ]
    return examples.with_columns([nominal_column(name, joined)])


def _describe_empty(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    meta, schema = _schema_of(inputs)
    if schema is None:
        return meta
    _free(schema, parameters["new_name"])
    added = Attribute(parameters["new_name"], ValueType(parameters["value_type"]))
    missing = meta.missing | {added.name}
    return ExampleSetMetaData(schema=schema.appended([added]), rows=meta.rows, missing=missing)


@operator(
    group=GENERATION,
    role="preparation",
    accepts=ANY_VALUES,
    describe=_describe_empty,
    aliases=Aliases(ports=PORTS, parameters={"name": "new_name"}),
    tags=("missing", "new column", "blank"),
)
def generate_empty_attribute(
    examples: ExampleSet,
    *,
    new_name: Annotated[
        str, Field(min_length=1, description="Name of the new attribute.", examples=["empty"])
    ],
    value_type: Annotated[
        Literal["real", "integer", "polynominal", "binominal", "text", "date"],
        Field(description="Its type."),
    ] = "real",
) -> ExampleSet:
    """Generate Empty Attribute

    Adds an attribute that has only missing values.
    """
    _free(examples.schema, new_name)
    kind = ValueType(value_type)
    gap: Any = {"f": np.nan, "i": -1, "M": np.datetime64("NaT")}.get(STORAGE[kind].kind)
    stored = np.full(len(examples), gap, dtype=STORAGE[kind])
    return examples.with_columns([(Attribute(new_name, kind), stored)])


# --- roles and names --------------------------------------------------------------------------


def _exchanged(schema: Schema, first: str, second: str) -> dict[str, str]:
    roles = [schema.attribute(name).role for name in (first, second)]
    return {first: roles[1], second: roles[0]}


def _describe_exchanged(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    meta, schema = _schema_of(inputs)
    if schema is None:
        return meta
    roles = _exchanged(schema, parameters["first_attribute"], parameters["second_attribute"])
    freed = schema.with_roles(dict.fromkeys(roles, REGULAR))
    return replace(meta, schema=freed.with_roles(roles), label_numbers=())


@operator(
    group=ATTRIBUTES,
    role="preparation",
    accepts=ANY_VALUES,
    describe=_describe_exchanged,
    aliases=ALIASES,
    tags=("swap", "label", "role"),
)
def exchange_roles(
    examples: ExampleSet, *, first_attribute: First, second_attribute: Second
) -> ExampleSet:
    """Exchange Roles

    Swaps the roles of two attributes, for instance to predict another attribute than before.
    """
    roles = _exchanged(examples.schema, first_attribute, second_attribute)
    return examples.with_roles(dict.fromkeys(roles, REGULAR)).with_roles(roles)


def _generic(schema: Schema, names: Sequence[str], parameters: Mapping[str, Any]) -> Schema:
    return schema.renamed(_generic_names(schema, names, parameters["generic_name_stem"]))


def _generic_names(schema: Schema, names: Sequence[str], stem: str) -> dict[str, str]:
    new = dict(zip(names, (f"{stem}{number}" for number in range(1, len(names) + 1)), strict=True))
    others = set(schema.names) - set(new)
    taken = next((name for name in new.values() if name in others), None)
    if taken is not None:
        raise DataError(f"{quoted(taken)} exists already.", hint="Choose another stem.")
    return new


@operator(
    group=ATTRIBUTES,
    role="preparation",
    accepts=ANY_VALUES,
    describe=describe_change(_generic, keeps_missing=False),
    aliases=ALIASES,
    tags=("att1", "anonymize", "numbered", "column names"),
)
def rename_by_generic_names(
    examples: ExampleSet,
    *,
    generic_name_stem: Annotated[
        str, Field(min_length=1, description="Start of the names; a number follows.")
    ] = "att",
    **attribute_filter: Unpack[AttributeFilter],
) -> ExampleSet:
    """Rename by Generic Names

    Numbers attributes: att1, att2, … in their order. Use it to hide names, or after a
    transformation that has made long names.
    """
    names = selected_names(examples, attribute_filter)
    return examples.rename(_generic_names(examples.schema, names, generic_name_stem))


# --- parts ------------------------------------------------------------------------------------


def _outside(schema: Schema, first: int, last: int) -> Sequence[str]:
    """Return the regular attributes outside of a range of places, counted from 1."""
    n = len(schema.regular)
    if not first <= last <= n:
        raise ParameterError(
            f"first_attribute={first} and last_attribute={last} do not fit {n} attributes.",
            hint="Count regular attributes from 1; last_attribute must not be smaller than "
            "first_attribute.",
        )
    places = np.arange(1, n + 1)
    return schema.names_at(schema.regular[(places < first) | (places > last)])


def _describe_range(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    meta, schema = _schema_of(inputs)
    if schema is None:
        return meta
    kept = _outside(schema, parameters["first_attribute"], parameters["last_attribute"])
    positions = np.sort(np.concatenate([schema.positions(kept), schema.special_positions]))
    return meta.with_schema(schema.take(positions))


@operator(
    group=ATTRIBUTES,
    role="preparation",
    accepts=ANY_VALUES,
    describe=_describe_range,
    aliases=ALIASES,
    tags=("drop columns", "position"),
)
def remove_attribute_range(
    examples: ExampleSet,
    *,
    first_attribute: Annotated[
        int, Field(ge=1, description="First attribute to remove, counted from 1.")
    ],
    last_attribute: Annotated[int, Field(ge=1, description="Last attribute to remove.")],
) -> ExampleSet:
    """Remove Attribute Range

    Removes regular attributes by their position. Special attributes do not count, and stay.
    """
    return examples.select_regular(_outside(examples.schema, first_attribute, last_attribute))


def _describe_random(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    return ExampleSetMetaData(rows=_schema_of(inputs)[0].rows)


@operator(
    group=ATTRIBUTES,
    role="preparation",
    accepts=ANY_VALUES,
    describe=_describe_random,
    aliases=ALIASES,
    tags=("random subset", "baseline", "chance"),
    random=True,
)
def select_by_random(
    examples: ExampleSet,
    *,
    use_k: Annotated[
        bool, Field(description="Choose k attributes; otherwise their number is random, too.")
    ] = False,
    k: Annotated[
        int,
        When(use_k=True),
        Field(ge=1, description="Number of attributes to choose."),
    ] = 1,
    ctx: Context,
) -> ExampleSet:
    """Select by Random

    Keeps randomly chosen attributes. It is a baseline for selection methods: any method should do
    better than the same number of random attributes.
    """
    regular = examples.schema.regular
    rng = ctx.rng("attributes")
    number = k if use_k else None
    if number is not None and number > len(regular):
        raise ParameterError(
            f"number_of_attributes={number}, but there are {len(regular)} attributes."
        )
    chosen = int(rng.integers(1, len(regular) + 1)) if number is None else number
    places = np.sort(rng.choice(len(regular), chosen, replace=False))
    return examples.select_regular(examples.schema.names_at(regular[places]))
