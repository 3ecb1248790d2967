"""Append, transpose and copy tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal, NoReturn

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.core import Aliases, operator
from fsops.data import Attribute, ExampleSet, ExampleSetMetaData, MetaData, Schema, ValueType
from fsops.data.columns import (
    STORAGE,
    is_missing,
    nominal_column,
    storage_numbers,
)
from fsops.data.examples import block_of_values
from fsops.data.expression_values import NOMINAL, value_of
from fsops.data.schema import NOMINAL as NOMINAL_TYPES
from fsops.errors import DataError, enumerate_names, quoted
from fsops.memory import require
from fsops.operators.preparation.prepared import ALIASES
from fsops.operators.preparation.rows import unchanged

GROUP = "Preparation/Tables"
ID = "id"
TEXT_BYTES = 150  # of a value as text, in the rows and in the columns
Array = npt.NDArray[Any]
Rows = npt.NDArray[np.intp]


def assembled(schema: Schema, blocks: Mapping[np.dtype[Any], Any], n_rows: int) -> ExampleSet:
    """Return a table from one matrix for each kind of storage, columns in the schema's order.

    That of the numbers may be sparse.
    """
    block_of, column_of = np.zeros(len(schema), np.intp), np.zeros(len(schema), np.intp)
    for number, dtype in enumerate(blocks):
        positions = stored_as(schema, dtype)
        block_of[positions] = number
        column_of[positions] = np.arange(len(positions))
    return ExampleSet(
        schema, list(map(block_of_values, blocks.values())), block_of, column_of, n_rows
    )


def stored_as(schema: Schema, dtype: np.dtype[Any]) -> Rows:
    """Return the positions of the attributes that are stored as this dtype."""
    return schema.of_types([kind for kind, storage in STORAGE.items() if storage == dtype])


def known_schemas(metas: Sequence[MetaData | None]) -> list[Schema] | None:
    """Return the schemas of all tables; None if one is not known."""
    found = [m.schema for m in metas if isinstance(m, ExampleSetMetaData) and m.schema is not None]
    return found if len(found) == len(metas) and found else None


def merged_attribute(one: Attribute, two: Attribute, where: str) -> Attribute:
    """Return an attribute that can hold the values of both."""
    if one.value_type == two.value_type and one.categories == two.categories:
        return one
    if STORAGE[one.value_type] != STORAGE[two.value_type]:
        _raise_other_type(one, two, where)
    if one.value_type.is_numerical:
        return replace(one, value_type=ValueType.REAL)
    categories = dict.fromkeys([*one.categories, *two.categories])
    return Attribute.nominal(one.name, categories, one.role)


def _raise_other_type(one: Attribute, two: Attribute, where: str) -> NoReturn:
    raise DataError(
        f"{quoted(one.name)} is {one.value_type} in the first table, but {two.value_type} {where}.",
        hint="Read or convert both to the same type.",
    )


# --- append -----------------------------------------------------------------------------------


def _describe_appended(
    inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]
) -> ExampleSetMetaData:
    metas = [inputs[port] for port in sorted(inputs, key=lambda port: (len(port), port))]
    metas = metas[:2] if parameters["merge_type"] == "first_two" else metas
    schemas = known_schemas(metas)
    if schemas is None:
        return ExampleSetMetaData()
    rows = [meta.rows for meta in metas if isinstance(meta, ExampleSetMetaData)]
    known = [number for number in rows if number is not None]
    total = sum(known) if len(known) == len(metas) else None
    return ExampleSetMetaData(schema=_common_schema(schemas), rows=total)


@operator(
    group=GROUP,
    role="preparation",
    describe=_describe_appended,
    aliases=Aliases(ports={"example set": "examples", "merged set": "examples"}),
    tags=("concatenate", "union", "stack", "rbind", "merge"),
)
def append(
    examples: list[ExampleSet],
    *,
    merge_type: Annotated[
        Literal["all", "first_two"], Field(description="Number of tables to use.")
    ] = "all",
) -> ExampleSet:
    """Append

    Joins the rows of several tables to one table. The tables must have the same attributes, in
    any order; order and roles are those of the first table. Categories that only some tables have
    are kept; whole and real numbers together become real.

    To join the attributes of tables use Join.
    """
    tables = examples[:2] if merge_type == "first_two" else examples
    if not tables:
        raise DataError("There is no table to append.", hint="Connect at least one.")
    schema = _common_schema([table.schema for table in tables])
    aligned = [table.select(schema.names) for table in tables]
    blocks = {
        dtype: _below_each_other([_stored(table, schema, dtype) for table in aligned])
        for dtype in dict.fromkeys(STORAGE.values())
        if len(stored_as(schema, dtype))
    }
    return assembled(schema, blocks, sum(map(len, tables)))


def _below_each_other(parts: Sequence[Any]) -> Any:
    """Return matrices as one; it is sparse if one of them is."""
    if all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts)
    from scipy.sparse import csc_array, vstack

    return vstack([csc_array(part) for part in parts], format="csc")


def _common_schema(schemas: Sequence[Schema]) -> Schema:
    """Return a schema that fits all tables; what does not match is named in the error."""
    common = schemas[0]
    for number, schema in enumerate(schemas[1:], start=2):
        common = _merged_schema(common, schema, number)
    return common


def _merged_schema(common: Schema, schema: Schema, number: int) -> Schema:
    """Return the attributes of the first schema, able to hold the values of both."""
    places = schema.names.locate(common.names)
    absent = common.names_at(np.flatnonzero(places < 0))
    more = np.ones(len(schema), dtype=bool)
    more[places[places >= 0]] = False
    if len(absent) or more.any():
        said = (
            f"lacks {enumerate_names(absent)}"
            if len(absent)
            else f"also has {enumerate_names(schema.names_at(np.flatnonzero(more)))}"
        )
        raise DataError(
            f"Table {number} {said}, unlike the first table.",
            hint="Select or rename attributes so that all tables have the same.",
        )
    differing = schema.differing(common, places)
    return _merged_types(common, schema, differing, places[differing], f"in table {number}")


def _merged_types(one: Schema, two: Schema, mine: Rows, theirs: Rows, where: str) -> Schema:
    """Return the first schema with some attributes able to hold values of the second too."""
    wrong = storage_numbers(one, mine) != storage_numbers(two, theirs)
    if wrong.any():
        first = int(wrong.argmax())
        attributes = (
            one.attribute(one.names[mine[first]]),
            two.attribute(two.names[theirs[first]]),
        )
        _raise_other_type(*attributes, where)
    nominal = np.isin(mine, one.of_types(NOMINAL_TYPES))
    both = one.categories(mine[nominal]).merged(two.categories(theirs[nominal]))
    return one.as_nominal(mine[nominal], both).as_numbers(mine[~nominal])


def _stored(table: ExampleSet, schema: Schema, dtype: np.dtype[Any]) -> Any:
    """Return the values of one kind of storage, nominal ones as codes of the common categories."""
    positions = stored_as(schema, dtype)
    values = table.stored(positions)
    if dtype != STORAGE[ValueType.BINOMINAL]:
        return values
    mine, common = table.schema.categories(positions), schema.categories(positions)
    changed = np.flatnonzero(mine.differ(common))
    if len(changed):
        values = values.copy()
        values[:, changed] = mine.take(changed).recoded(values[:, changed], common.take(changed))
    return values


# --- shape ------------------------------------------------------------------------------------


def _describe_transposed(
    inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]
) -> ExampleSetMetaData:
    meta = inputs["examples"]
    schema = meta.schema if isinstance(meta, ExampleSetMetaData) else None
    if schema is None:
        return ExampleSetMetaData()
    return ExampleSetMetaData(rows=len(schema) - (schema.special(ID) is not None))


@operator(
    group=GROUP,
    role="preparation",
    describe=_describe_transposed,
    aliases=ALIASES,
    tags=("rotate", "pivot", "flip", "genes as rows"),
)
def transpose(examples: ExampleSet) -> ExampleSet:
    """Transpose

    Exchanges attributes and rows. The names of the attributes become the id
    of the new rows. The ids become the names of the new attributes; without ids these are att_1,
    att_2, … The label and other special attributes become rows like all others.

    Numbers stay numbers if there is nothing else in the table. Otherwise a new attribute is
    numerical if all its values are numbers, and nominal if not: genes as rows below a row with the
    classes become numerical attributes and a nominal one.
    """
    schema = examples.schema
    numbers = len(stored_as(schema, STORAGE[ValueType.REAL])) == len(schema)
    require(
        (8.0 if numbers else TEXT_BYTES) * len(examples) * len(schema),
        f"The transposed table of {len(examples):,} rows and {len(schema):,} attributes",
        "Choose fewer rows or attributes first"
        + (" (Sample, Select Attributes)." if numbers else ", or only the numerical ones."),
    )
    names = _row_names(examples)
    kept = examples.drop([name for name, role in schema.roles.items() if role == ID])
    label = Attribute.nominal(ID, kept.names, ID)
    key = (label, np.arange(len(kept.names), dtype=np.int32))
    if len(stored_as(kept.schema, STORAGE[ValueType.REAL])) == len(kept.schema):
        values = kept.values(np.arange(len(kept.schema)))
        return ExampleSet.from_numpy(values.T, names=names).with_columns([key])
    texts = [value_texts(kept.schema.attribute(name), kept.column(name)) for name in kept.names]
    columns = [
        _column_of(name, row) for name, row in zip(names, zip(*texts, strict=True), strict=True)
    ]
    return ExampleSet.from_columns([*columns, key], len(kept.names))


def _column_of(name: str, row: Sequence[str | None]) -> tuple[Attribute, Array]:
    """Return a numerical attribute if all texts are numbers, else a nominal one."""
    if any(text is not None for text in row):
        try:
            return Attribute(name), np.array(["nan" if t is None else t for t in row], dtype=float)
        except ValueError:
            pass  # a word among them
    return nominal_column(name, row)


def _row_names(examples: ExampleSet) -> list[str]:
    """Return the names of the rows as attributes."""
    found = examples.schema.special(ID)
    if found is None:
        return [f"att_{number}" for number in range(1, len(examples) + 1)]
    stored = examples.column(found.name)
    missing = np.flatnonzero(is_missing(stored))
    if len(missing):
        raise DataError(
            f"The id {quoted(found.name)} is missing in row {missing[0] + 1}.",
            hint="Make new ids first (Generate ID).",
        )
    texts = [str(text) for text in value_texts(found, stored)]
    return [f"att_{text}" for text in texts] if found.value_type.is_numerical else texts


def value_texts(attribute: Attribute, stored: Array) -> list[str | None]:
    """Return the values as text; None where missing."""
    value = value_of(attribute, stored)
    if value.kind == NOMINAL:
        categories = (*value.categories, None)
        return [categories[code] for code in value.data]
    numerical = attribute.value_type.is_numerical
    words = map(_number_text, stored.tolist()) if numerical else map(str, stored)
    return [None if gone else w for w, gone in zip(words, value.missing, strict=True)]


def _number_text(number: float) -> str:
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


@operator(
    group=GROUP,
    role="preparation",
    describe=unchanged,
    aliases=ALIASES,
    tags=("copy", "memory", "contiguous"),
)
def materialize_data(examples: ExampleSet) -> ExampleSet:
    """Materialize Data

    Copies the rows and attributes that are left after selections, so that the memory of the full
    table can be freed and the values are side by side in memory. The values stay the same.

    Other operators do not need it: they work on views as well.
    """
    schema = examples.schema
    blocks = {
        dtype: _copied(examples.stored(stored_as(schema, dtype)))
        for dtype in dict.fromkeys(STORAGE.values())
        if len(stored_as(schema, dtype))
    }
    return assembled(schema, blocks, len(examples))


def _copied(values: Any) -> Any:
    """Return values in separate memory; gathered rows have that already."""
    if not isinstance(values, np.ndarray):
        return values.copy()
    return values if values.base is None else values.copy(order="K")
