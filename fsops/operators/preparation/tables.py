"""Several tables become one, or a table takes another shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Annotated, Any, Literal, NoReturn

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.core import Aliases, Named, When, operator
from fsops.data import Attribute, ExampleSet, ExampleSetMetaData, MetaData, Schema, ValueType
from fsops.data.columns import (
    MISSING_CODE,
    STORAGE,
    is_missing,
    nominal_column,
    storage_numbers,
)
from fsops.data.examples import block_of_values
from fsops.data.expression_values import NOMINAL, Value, recoded, value_of
from fsops.data.names import Names
from fsops.data.schema import NOMINAL as NOMINAL_TYPES, REGULAR
from fsops.errors import DataError, ParameterError, enumerate_names, quoted
from fsops.memory import require
from fsops.operators.preparation.prepared import ALIASES
from fsops.operators.preparation.rows import unchanged

GROUP = "Preparation/Tables"
SECOND = "_from_ES2"  # what RapidMiner adds to names of the second table
ID = "id"
LARGEST_JOIN = 100_000_000
TEXT_BYTES = 150  # of a value as text, in the rows and in the columns
Array = npt.NDArray[Any]
Rows = npt.NDArray[np.intp]

_MISSING: Mapping[np.dtype[Any], Any] = {
    STORAGE[ValueType.REAL]: np.nan,
    STORAGE[ValueType.BINOMINAL]: MISSING_CODE,
    STORAGE[ValueType.DATE]: np.datetime64("NaT"),
    STORAGE[ValueType.TEXT]: None,
}


def _assembled(schema: Schema, blocks: Mapping[np.dtype[Any], Any], n_rows: int) -> ExampleSet:
    """Return a table from one matrix for each kind of storage, columns in the schema's order.

    That of the numbers may be sparse.
    """
    block_of, column_of = np.zeros(len(schema), np.intp), np.zeros(len(schema), np.intp)
    for number, dtype in enumerate(blocks):
        positions = _stored_as(schema, dtype)
        block_of[positions] = number
        column_of[positions] = np.arange(len(positions))
    return ExampleSet(
        schema, list(map(block_of_values, blocks.values())), block_of, column_of, n_rows
    )


def _stored_as(schema: Schema, dtype: np.dtype[Any]) -> Rows:
    return schema.of_types([kind for kind, storage in STORAGE.items() if storage == dtype])


def _known_schemas(metas: Sequence[MetaData | None]) -> list[Schema] | None:
    """Return the schemas of all tables; None if one is not known."""
    found = [m.schema for m in metas if isinstance(m, ExampleSetMetaData) and m.schema is not None]
    return found if len(found) == len(metas) and found else None


def _codes(value: Value, attribute: Attribute) -> Array:
    """Return the codes of nominal values in the categories of another attribute."""
    if value.categories == attribute.categories:
        return value.data
    return recoded(value, {category: code for code, category in enumerate(attribute.categories)})


def _merged(one: Attribute, two: Attribute, where: str) -> Attribute:
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
    schemas = _known_schemas(metas)
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
        Literal["all", "first_two"], Field(description="How many of the tables to use.")
    ] = "all",
) -> ExampleSet:
    """Append

    Puts the rows of several tables below each other. The tables must have the same attributes, in
    any order; order and roles are those of the first table. Categories that only some tables have
    are kept; whole and real numbers together become real.

    To put attributes beside each other use Join.
    """
    tables = examples[:2] if merge_type == "first_two" else examples
    if not tables:
        raise DataError("There is no table to append.", hint="Connect at least one.")
    schema = _common_schema([table.schema for table in tables])
    aligned = [table.select(schema.names) for table in tables]
    blocks = {
        dtype: _below_each_other([_stored(table, schema, dtype) for table in aligned])
        for dtype in dict.fromkeys(STORAGE.values())
        if len(_stored_as(schema, dtype))
    }
    return _assembled(schema, blocks, sum(map(len, tables)))


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
    positions = _stored_as(schema, dtype)
    values = table.stored(positions)
    if dtype != STORAGE[ValueType.BINOMINAL]:
        return values
    mine, common = table.schema.categories(positions), schema.categories(positions)
    changed = np.flatnonzero(mine.differ(common))
    if len(changed):
        values = values.copy()
        values[:, changed] = mine.take(changed).recoded(values[:, changed], common.take(changed))
    return values


# --- join -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Plan:
    """What a join of two tables will look like."""

    keys: tuple[tuple[str, str], ...]
    """Names of the attributes to compare, in the first and in the second table."""
    right: Rows
    """Positions of the attributes that are taken from the second table."""
    schema: Schema


def _planned(left: Schema, right: Schema, parameters: Mapping[str, Any]) -> _Plan:
    keys = _keys(left, right, parameters)
    mine, theirs = left.positions(a for a, _ in keys), right.positions(b for _, b in keys)
    for name, other in keys:
        _merged(left.attribute(name), right.attribute(other), "in the second")
    taken = _taken(left, right, theirs, parameters)
    grown = left
    if parameters["join_type"] not in ("inner", "left"):  # keys hold values of the second table too
        grown = _merged_keys(left, right, mine, theirs)
    roles = set(left.roles.values())
    chosen = right.take(taken)
    shared = {name: REGULAR for name, role in chosen.roles.items() if role in roles}
    added = chosen.with_roles(shared).with_names(free_names(left, chosen.names))
    return _Plan(keys, taken, grown.appended(added))


def _taken(left: Schema, right: Schema, keys: Rows, parameters: Mapping[str, Any]) -> Rows:
    """Return which attributes of the second table are taken."""
    is_key = np.zeros(len(right), dtype=bool)
    is_key[keys] = True
    leave = is_key & (not parameters["keep_both_join_attributes"])
    if parameters["remove_double_attributes"]:
        leave |= (left.names.find(right.names) >= 0) & ~is_key
    roles = set(left.roles.values())
    special = right.positions(name for name, role in right.roles.items() if role in roles)
    leave[special] |= ~is_key[special]
    return np.flatnonzero(~leave)


def _merged_keys(left: Schema, right: Schema, mine: Rows, theirs: Rows) -> Schema:
    for place, other in zip(mine.tolist(), theirs.tolist(), strict=True):
        merged = _merged(
            left.attribute(left.names[place]), right.attribute(right.names[other]), "in the second"
        )
        left = left.replaced(merged)
    return left


def free_names(left: Schema, names: Names) -> Names:
    """Return the names of the second table, changed where the first one has them too."""
    texts = names.texts()
    # A name that ends so may be the new name of another.
    ends = np.fromiter(map(str.endswith, texts, repeat(SECOND)), dtype=bool, count=len(texts))
    used: set[str] = set()
    for place in np.flatnonzero((left.names.find(names) >= 0) | ends).tolist():
        name = texts[place]
        while name in used or name in left:
            name += SECOND
        used.add(name)
        texts[place] = name
    return Names.of(texts)


def _keys(
    left: Schema, right: Schema, parameters: Mapping[str, Any]
) -> tuple[tuple[str, str], ...]:
    if not parameters["use_id_attribute_as_key"]:
        keys = tuple(parameters["key_attributes"].items())
        if not keys:
            raise ParameterError(
                "key_attributes is empty.",
                hint="Name an attribute of the first table and the one of the second it equals.",
            )
        left.positions(mine for mine, _ in keys)
        right.positions(theirs for _, theirs in keys)
        return keys
    return id_keys(left, right)


def id_keys(left: Schema, right: Schema) -> tuple[tuple[str, str]]:
    """Return the names of the ids of both tables; `DataError` if one has none."""
    ids = []
    for schema, which in ((left, "left"), (right, "right")):
        found = schema.special(ID)
        if found is None:
            raise DataError(
                f"The {which} table has no id to join by.",
                hint="Give an attribute the role id (Set Role), or set use_id_attribute_as_key to "
                "false and name key_attributes.",
            )
        ids.append(found.name)
    return ((ids[0], ids[1]),)


def _describe_joined(
    inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]
) -> ExampleSetMetaData:
    schemas = _known_schemas([inputs.get("left"), inputs.get("right")])
    if schemas is None:
        return ExampleSetMetaData()
    return ExampleSetMetaData(schema=_planned(schemas[0], schemas[1], parameters).schema)


@operator(
    group=GROUP,
    role="preparation",
    describe=_describe_joined,
    aliases=Aliases(keys=("concurrency:join",), ports={"join": "examples"}),
    tags=("merge", "lookup", "combine", "sql", "cbind"),
)
def join(
    left: Annotated[ExampleSet, Named(description="The first table.")],
    right: Annotated[ExampleSet, Named(description="The table whose attributes are added.")],
    *,
    remove_double_attributes: Annotated[
        bool,
        Field(
            description="Leave out attributes of the second table that the first has too; "
            "otherwise they get another name."
        ),
    ] = True,
    join_type: Annotated[
        Literal["inner", "left", "right", "outer"],
        Field(description="Which rows without a partner are kept: none, or those of one or both."),
    ] = "inner",
    use_id_attribute_as_key: Annotated[
        bool, Field(description="Whether rows belong together if their ids are equal.")
    ] = True,
    key_attributes: Annotated[
        dict[str, str],
        When(use_id_attribute_as_key=False),
        Field(
            description="Attributes of the first table with those of the second that must be equal."
        ),
    ] = {},
    keep_both_join_attributes: Annotated[
        bool, Field(description="Keep the keys of the second table too.")
    ] = False,
) -> ExampleSet:
    """Join

    Puts the attributes of two tables beside each other, for rows that belong together because
    their ids, or other attributes, are equal. A row with several partners appears several times. A
    missing key has no partner.

    The rows are in the order of the first table, in a right join in that of the second; rows that
    only the second table has come last. Where there is no partner, values are missing. An
    attribute whose role the first table has already is left out.

    To put rows below each other use Append.
    """
    given = {
        "remove_double_attributes": remove_double_attributes,
        "join_type": join_type,
        "use_id_attribute_as_key": use_id_attribute_as_key,
        "key_attributes": key_attributes,
        "keep_both_join_attributes": keep_both_join_attributes,
    }
    plan = _planned(left.schema, right.schema, given)
    mine, theirs = _pairs(*key_codes(left, right, plan.keys), join_type)
    return _glued(left, right, plan, mine, theirs)


def key_codes(
    left: ExampleSet, right: ExampleSet, keys: Sequence[tuple[str, str]]
) -> tuple[Rows, Rows]:
    """Return a number for each row of both tables: the same for equal keys, -1 for missing ones."""
    n = len(left)
    codes = np.zeros(n + len(right), dtype=np.intp)
    missing = np.zeros(len(codes), dtype=np.bool_)
    for mine, theirs in keys:
        one = value_of(left.schema.attribute(mine), left.column(mine))
        two = value_of(right.schema.attribute(theirs), right.column(theirs))
        values = np.concatenate([one.data, two.data])
        if one.kind == NOMINAL:
            both = dict.fromkeys([*one.categories, *two.categories])
            places = {category: code for code, category in enumerate(both)}
            values = np.concatenate([recoded(one, places), recoded(two, places)])
        missing |= np.concatenate([one.missing, two.missing])
        found = np.unique(values, return_inverse=True)[1].astype(np.intp)
        # Numbered anew after each key, so that many keys cannot overflow.
        codes = codes * (int(found.max(initial=0)) + 1) + found
        codes = np.unique(codes, return_inverse=True)[1].astype(np.intp)
    codes[missing] = -1
    return codes[:n], codes[n:]


def _pairs(left: Rows, right: Rows, join_type: str) -> tuple[Rows, Rows]:
    """Return which row of each table goes into each row of the result; -1 where there is none."""
    if join_type == "right":
        theirs, mine = _pairs(right, left, "left")
        return mine, theirs
    order = np.argsort(right, kind="stable")
    ranked = right[order]
    first = np.searchsorted(ranked, left, "left")
    counts = np.searchsorted(ranked, left, "right") - first
    counts[left < 0] = 0
    alone = counts == 0
    taken = np.where(alone, 0 if join_type == "inner" else 1, counts)
    total = int(taken.sum())
    if total > LARGEST_JOIN:
        raise DataError(
            f"The join would have {total} rows, because the keys of both tables repeat.",
            hint="Join by attributes that name each row.",
        )
    require(
        5 * 8.0 * total, f"The join with {total:,} rows", "Join by attributes that name each row."
    )
    mine = np.repeat(np.arange(len(left)), taken)
    within = np.arange(total) - np.repeat(np.cumsum(taken) - taken, taken)
    theirs = np.full(total, -1, dtype=np.intp)
    partnered = ~np.repeat(alone, taken)
    theirs[partnered] = order[(np.repeat(first, taken) + within)[partnered]]
    if join_type == "outer":
        rest = np.setdiff1d(np.arange(len(right)), theirs[theirs >= 0])
        mine = np.concatenate([mine, np.full(len(rest), -1)])
        theirs = np.concatenate([theirs, rest])
    return mine, theirs


def _glued(
    left: ExampleSet, right: ExampleSet, plan: _Plan, mine: Rows, theirs: Rows
) -> ExampleSet:
    taken = right.select(right.schema.names_at(plan.right))
    width = len(left.schema) + len(taken.schema)
    require(
        # The rows of both tables are gathered, and then put beside each other.
        2.0 * (_joined_bytes(left, mine) + _joined_bytes(taken, theirs)),
        f"The joined table with {len(mine):,} rows and {width:,} attributes",
        "Join by attributes that name each row, or choose fewer attributes first "
        "(Select Attributes).",
    )
    blocks: dict[np.dtype[Any], Any] = {}
    for dtype in dict.fromkeys(STORAGE.values()):
        own, other = _stored_as(left.schema, dtype), _stored_as(taken.schema, dtype)
        if len(own) + len(other):
            parts = (_gathered(left, own, mine, dtype), _gathered(taken, other, theirs, dtype))
            blocks[dtype] = _beside_each_other(parts)
    table = _assembled(plan.schema, blocks, len(mine))
    if (mine >= 0).all():
        return table
    return table.with_values(_keys_of_both(left, right, plan, mine, theirs))


def _joined_bytes(table: ExampleSet, rows: Rows) -> float:
    """Return the memory of some rows of a table; all values of row -1 are stored, as missing."""
    from fsops.data.sparse import sparse_cells  # loads scipy

    sparse = sparse_cells(table)
    dense = len(table.schema) - sparse.columns
    stored = sparse.values * len(rows) / max(1, len(table)) + sparse.columns * (rows < 0).sum()
    # A stored value takes half as much again, for the number of its row.
    return float(8 * dense * len(rows) + 12 * stored)


def _beside_each_other(parts: Sequence[Any]) -> Any:
    """Return matrices as one; it is sparse if one of them is."""
    if all(isinstance(part, np.ndarray) for part in parts):
        return np.hstack(parts)
    from scipy.sparse import csc_array, hstack

    return csc_array(hstack([csc_array(part) for part in parts], format="csc"))


def _gathered(table: ExampleSet, positions: Rows, rows: Rows, dtype: np.dtype[Any]) -> Any:
    """Return rows of some columns, with missing values for row -1; sparse if the columns are."""
    values = table.stored(positions)
    if not len(table):
        return np.full((len(rows), len(positions)), _MISSING[dtype], dtype=dtype)
    if not isinstance(values, np.ndarray):
        return _gathered_sparse(values, rows)
    found = values[rows].astype(dtype, copy=False)
    found[rows < 0] = _MISSING[dtype]
    return found


def rows_or_missing(table: ExampleSet, rows: Rows) -> ExampleSet:
    """Return rows of a table, with missing values for row -1."""
    blocks = {
        dtype: _gathered(table, positions, rows, dtype)
        for dtype in dict.fromkeys(STORAGE.values())
        if len(positions := _stored_as(table.schema, dtype))
    }
    return _assembled(table.schema, blocks, len(rows))


def _gathered_sparse(values: Any, rows: Rows) -> Any:
    """Return rows of a sparse matrix, with a stored NaN in each column for row -1."""
    from scipy.sparse import csc_array, csr_array, vstack

    if not (rows < 0).any():
        return csc_array(values.tocsr()[rows])
    missing = csr_array(np.full((1, values.shape[1]), np.nan))
    # Row -1 is the last one.
    return csc_array(vstack([values.tocsr(), missing], format="csr")[rows])


def _keys_of_both(
    left: ExampleSet, right: ExampleSet, plan: _Plan, mine: Rows, theirs: Rows
) -> list[tuple[Attribute, Array]]:
    """Return the keys, those of the second table where the first has no row."""
    columns = []
    for name, other in plan.keys:
        attribute = plan.schema.attribute(name)
        one = value_of(left.schema.attribute(name), left.column(name))
        two = value_of(right.schema.attribute(other), right.column(other))
        if attribute.value_type is ValueType.TEXT:
            stored = [left.column(name), right.column(other)]
        else:
            stored = [_codes(v, attribute) if v.kind == NOMINAL else v.data for v in (one, two)]
        both = np.concatenate(stored)
        columns.append((attribute, both[np.where(mine >= 0, mine, len(left) + theirs)]))
    return columns


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

    Turns attributes into rows and rows into attributes. The names of the attributes become the id
    of the new rows. The ids become the names of the new attributes; without ids these are att_1,
    att_2, … The label and other special attributes become rows like all others.

    Numbers stay numbers if there is nothing else in the table. Otherwise a new attribute is
    numerical if all its values are numbers, and nominal if not: genes as rows below a row with the
    classes become numerical attributes and a nominal one.
    """
    schema = examples.schema
    numbers = len(_stored_as(schema, STORAGE[ValueType.REAL])) == len(schema)
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
    if len(_stored_as(kept.schema, STORAGE[ValueType.REAL])) == len(kept.schema):
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
    """Return what the rows will be called as attributes."""
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
    table can be freed and the values lie side by side. The values stay the same.

    There is no need for it before other operators: they work on views as well.
    """
    schema = examples.schema
    blocks = {
        dtype: _copied(examples.stored(_stored_as(schema, dtype)))
        for dtype in dict.fromkeys(STORAGE.values())
        if len(_stored_as(schema, dtype))
    }
    return _assembled(schema, blocks, len(examples))


def _copied(values: Any) -> Any:
    """Return values in memory of their own; gathered rows have that already."""
    if not isinstance(values, np.ndarray):
        return values.copy()
    return values if values.base is None else values.copy(order="K")
