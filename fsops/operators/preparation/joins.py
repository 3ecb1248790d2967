"""Join: the attributes of two tables beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from fsops.core import Aliases, Named, When, operator
from fsops.data import Attribute, ExampleSet, ExampleSetMetaData, MetaData, Schema, ValueType
from fsops.data.columns import MISSING_CODE, STORAGE
from fsops.data.expression_values import NOMINAL, Value, recoded, value_of
from fsops.data.names import Names
from fsops.data.schema import REGULAR
from fsops.errors import DataError, ParameterError
from fsops.memory import require
from fsops.operators.preparation.tables import (
    GROUP,
    ID,
    Array,
    Rows,
    assembled,
    known_schemas,
    merged_attribute,
    stored_as,
)

SECOND = "_from_ES2"  # RapidMiner adds this to names of the second table
LARGEST_JOIN = 100_000_000

_MISSING: Mapping[np.dtype[Any], Any] = {
    STORAGE[ValueType.REAL]: np.nan,
    STORAGE[ValueType.BINOMINAL]: MISSING_CODE,
    STORAGE[ValueType.DATE]: np.datetime64("NaT"),
    STORAGE[ValueType.TEXT]: None,
}


@dataclass(frozen=True)
class _Plan:
    """The columns of a join of two tables."""

    keys: tuple[tuple[str, str], ...]
    """Names of the attributes to compare, in the first and in the second table."""
    right: Rows
    """Positions of the attributes that are taken from the second table."""
    schema: Schema


def _planned(left: Schema, right: Schema, parameters: Mapping[str, Any]) -> _Plan:
    keys = _keys(left, right, parameters)
    mine, theirs = left.positions(a for a, _ in keys), right.positions(b for _, b in keys)
    for name, other in keys:
        merged_attribute(left.attribute(name), right.attribute(other), "in the second")
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
        merged = merged_attribute(
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
                hint="Pairs of attributes that must be equal: one of the first table, one of the "
                "second.",
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
    schemas = known_schemas([inputs.get("left"), inputs.get("right")])
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
        Field(
            description="Rows without a partner to keep: none, or the rows of one or both tables."
        ),
    ] = "inner",
    use_id_attribute_as_key: Annotated[
        bool, Field(description="Join rows with equal ids; otherwise by key_attributes.")
    ] = True,
    key_attributes: Annotated[
        dict[str, str],
        When(use_id_attribute_as_key=False),
        Field(
            description="Pairs of attributes that must be equal: one of the first table, one of "
            "the second."
        ),
    ] = {},
    keep_both_join_attributes: Annotated[
        bool, Field(description="Keep the keys of the second table too.")
    ] = False,
) -> ExampleSet:
    """Join

    Joins the attributes of two tables, for rows that belong together because their ids, or other
    attributes, are equal. A row with several partners appears several times. A missing key has no
    partner.

    The rows keep the order of the first table, or of the second table in a right join. Rows that
    only the second table has come last. Where there is no partner, values are missing. An attribute
    of the second table is left out if the first table has its role already.

    To join the rows of tables use Append.
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
        # Numbered again after each key, so that many keys cannot overflow.
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
        own, other = stored_as(left.schema, dtype), stored_as(taken.schema, dtype)
        if len(own) + len(other):
            parts = (_gathered(left, own, mine, dtype), _gathered(taken, other, theirs, dtype))
            blocks[dtype] = _beside_each_other(parts)
    table = assembled(plan.schema, blocks, len(mine))
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
        if len(positions := stored_as(table.schema, dtype))
    }
    return assembled(table.schema, blocks, len(rows))


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


def _codes(value: Value, attribute: Attribute) -> Array:
    """Return the codes of nominal values in the categories of another attribute."""
    if value.categories == attribute.categories:
        return value.data
    return recoded(value, {category: code for code, category in enumerate(attribute.categories)})
