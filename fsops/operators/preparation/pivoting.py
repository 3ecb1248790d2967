"""Long tables become wide, and wide ones long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.base.grouping import group_rows
from fsops.core import Aliases, AttributeName, AttributeNames, operator
from fsops.data import Attribute, ExampleSet, ExampleSetMetaData, MetaData, ValueType
from fsops.data.columns import is_missing, storage_numbers
from fsops.data.names import Positions
from fsops.data.patterns import user_pattern
from fsops.errors import DataError, ParameterError, enumerate_names, quoted
from fsops.memory import require
from fsops.operators.preparation.aggregate import Function, aggregate, row_keys
from fsops.operators.preparation.joins import rows_or_missing
from fsops.operators.preparation.prepared import PORTS
from fsops.operators.preparation.tables import append, value_texts

GROUP = "Preparation/Tables"
MISSING_TEXT = "?"
WIDE = "Choose fewer attributes first (Select Attributes)."
Rows = npt.NDArray[np.intp]


def _unknown(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    """Return that only the rows give the new attributes."""
    return ExampleSetMetaData()


@operator(
    group=GROUP,
    role="preparation",
    describe=_unknown,
    aliases=Aliases(
        ports=PORTS,
        parameters={
            "group_attribute": "group_by_attributes",
            "column_grouping_attribute": "index_attribute",
        },
    ),
    tags=("wide", "cast", "spread", "crosstab", "reshape", "repeated measurements"),
)
def pivot(
    examples: ExampleSet,
    *,
    group_by_attributes: Annotated[
        list[str],
        AttributeNames(),
        Field(description="Rows that agree in these attributes become one row."),
    ],
    index_attribute: Annotated[
        str,
        AttributeName(),
        Field(description="Attribute that distinguishes the rows of a group, such as the visit."),
    ],
    aggregation_attributes: Annotated[
        dict[str, Function],
        Field(
            description="Functions by attribute, to join several rows of a group with the same "
            "index; only these attributes remain. If empty, all remain, with the last row's value."
        ),
    ] = {},
    skip_constant_attributes: Annotated[
        bool,
        Field(description="Keep one column of attributes that never change within a group."),
    ] = True,
) -> ExampleSet:
    """Pivot

    Makes one row for each group and one attribute for each value of the index. Example: a table
    with one row per visit becomes weight_1, weight_2, … Groups and index values are in ascending
    order. If a group does not have a value of the index, the new attribute is missing there.

    If a group has several rows with the same index, the last one counts, or a function joins them.
    De-Pivot does the reverse.
    """
    groups = list(dict.fromkeys(group_by_attributes))
    if not groups or index_attribute in groups:
        raise ParameterError(
            "group_by_attributes must name attributes other than index_attribute.",
            hint="Name the attribute that identifies a row of the result, such as the patient.",
        )
    table = examples
    if aggregation_attributes:
        table = aggregate(
            examples,
            group_by_attributes=[*groups, index_attribute],
            aggregation_attributes=aggregation_attributes,
        )
    return _pivoted(table, groups, index_attribute, skip_constant_attributes)


def _pivoted(table: ExampleSet, groups: list[str], index: str, skip: bool) -> ExampleSet:
    group_of, first = group_rows(row_keys(table, groups))
    index_of, one_each = group_rows(row_keys(table, [index]))
    labels = _labels(table, index, one_each)
    schema = table.schema
    rest = np.setdiff1d(schema.regular, schema.positions([*groups, index]))
    constant = _constant(table, rest, group_of, first) if skip else np.zeros(len(rest), bool)
    changing = schema.names_at(rest[~constant])
    width = len(labels) * len(changing)
    require(16.0 * len(first) * width, f"The table with {width:,} attributes", WIDE)
    cells = np.full((len(first), len(labels)), -1, dtype=np.intp)
    cells[group_of, index_of] = np.arange(len(table))  # of several rows the last one counts
    result = table.select([*groups, *schema.names_at(rest[constant])]).take(first)
    source = table.select(changing)
    for place, label in enumerate(labels):
        part = rows_or_missing(source, cells[:, place])
        names = np.asarray(changing, dtype=object) + f"_{label}"
        result = result.beside(part.rename(dict(zip(changing, names.tolist(), strict=True))))
    order = [f"{name}_{label}" for name in changing for label in labels]
    return result.select([*groups, *schema.names_at(rest[constant]), *order])


def _labels(table: ExampleSet, index: str, rows: Rows) -> list[str]:
    """Return the values of the index as texts, in their order."""
    texts = value_texts(table.schema.attribute(index), table.column(index)[rows])
    return [MISSING_TEXT if text is None else text for text in texts]


def _constant(
    table: ExampleSet, positions: Positions, groups: Rows, first: Rows
) -> npt.NDArray[np.bool_]:
    """Return for each attribute whether it has one value in each group; missing is a value."""
    found = np.ones(len(positions), dtype=np.bool_)
    stored = storage_numbers(table.schema, positions)
    for number in np.unique(stored).tolist():
        mine = stored == number
        values = table.values(positions[mine])
        of_first = values[first][groups]
        same = (values == of_first) | (is_missing(values) & is_missing(of_first))
        found[mine] = same.all(axis=0)
    return found


# --- long -------------------------------------------------------------------------------------


@operator(
    group=GROUP,
    role="preparation",
    describe=_unknown,
    aliases=Aliases(ports=PORTS, parameters={"attribute_name": "series"}),
    tags=("long", "melt", "gather", "unpivot", "reshape", "stack"),
)
def de_pivot(
    examples: ExampleSet,
    *,
    series: Annotated[
        dict[str, str],
        Field(
            description="Names of new attributes. Each has a regular expression; the attributes "
            "whose whole names match it are joined.",
            examples=[{"weight": "weight_.*"}],
        ),
    ],
    index_attribute: Annotated[
        str,
        Field(min_length=1, description="Name of the new attribute with the place in the series."),
    ] = "index",
    create_nominal_index: Annotated[
        bool, Field(description="Put names of attributes into the index; only for one series.")
    ] = False,
    keep_missings: Annotated[
        bool, Field(description="Keep rows in which all series are missing.")
    ] = False,
) -> ExampleSet:
    """De-Pivot

    Makes several rows of each row: one for each attribute of a series, such as weight_1, weight_2
    and weight_3. The new attribute holds the values, the index their place from 1, or the name of
    the attribute. The other attributes are repeated.

    All series must have the same number of attributes. Pivot does the reverse.
    """
    joined = _series(examples, series)
    if create_nominal_index and len(joined) > 1:
        raise ParameterError(
            "create_nominal_index works with one series only.",
            hint="Switch it off, or use De-Pivot once for each series.",
        )
    members = np.unique(np.concatenate(list(joined.values())))
    kept = examples.drop(examples.schema.names_at(members))
    if index_attribute in kept.schema or index_attribute in joined:
        raise ParameterError(f"{quoted(index_attribute)} exists already: choose another index.")
    length = len(next(iter(joined.values())))
    require(
        16.0 * len(examples) * length * (len(kept.schema) + len(joined)),
        f"The table with {len(examples) * length:,} rows",
        "Choose fewer rows or attributes first.",
    )
    parts = [_step(examples, joined, place) for place in range(length)]
    long = append(parts)
    # Rows of one original row lie together, as they came.
    order = np.arange(len(examples) * length).reshape(length, -1).T.ravel()
    names = examples.schema.names_at(next(iter(joined.values())))
    index = _index(index_attribute, names if create_nominal_index else length, len(examples))
    repeated = np.repeat(np.arange(len(examples)), length)
    table = kept.take(repeated).with_columns([index]).beside(long.take(order))
    if keep_missings:
        return table
    gone = np.ones(len(table), dtype=np.bool_)
    for name in joined:
        gone &= is_missing(table.column(name))
    return table.take(np.flatnonzero(~gone))


def _series(examples: ExampleSet, series: Mapping[str, str]) -> dict[str, Positions]:
    """Return the attributes of each series, which must be equally many of one type."""
    if not series:
        raise ParameterError(
            "series is empty.", hint="Give a name and an expression, such as weight_.*."
        )
    schema = examples.schema
    texts = schema.names.texts()
    found: dict[str, Positions] = {}
    for name, words in series.items():
        pattern = user_pattern(words, "series")
        fitting = [place for place, text in enumerate(texts) if pattern.fullmatch(text)]
        found[name] = np.array(fitting, dtype=np.intp)
        if not fitting:
            raise DataError(f"No attribute fits {quoted(words)}, the series {quoted(name)}.")
        if len(np.unique(storage_numbers(schema, found[name]))) > 1:
            raise DataError(
                f"The attributes of the series {quoted(name)} differ in type: "
                f"{enumerate_names(schema.names_at(found[name]))}.",
                hint="Convert them to one type first.",
            )
    lengths = {name: len(places) for name, places in found.items()}
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{quoted(name)} has {number}" for name, number in lengths.items())
        raise DataError(f"All series need the same number of attributes, but {said}.")
    return found


def _step(examples: ExampleSet, joined: Mapping[str, Positions], place: int) -> ExampleSet:
    """Return the attributes at one place of all series, with the names of the series."""
    names = {name: examples.schema.names[places[place]] for name, places in joined.items()}
    part = examples.select(dict.fromkeys(names.values()))
    columns: list[tuple[Attribute, Any]] = []
    for name, old in names.items():
        attribute = part.schema.attribute(old)
        renamed = Attribute(name, attribute.value_type, categories=attribute.categories)
        columns.append((renamed, part.column(old)))
    return ExampleSet.from_columns(columns, len(examples))


def _index(
    name: str, places: Sequence[str] | int, n_rows: int
) -> tuple[Attribute, npt.NDArray[Any]]:
    """Return the attribute with the place of each row in the series."""
    if isinstance(places, int):
        numbers = np.tile(np.arange(1.0, places + 1), n_rows)
        return Attribute(name, ValueType.INTEGER), numbers
    codes = np.tile(np.arange(len(places), dtype=np.int32), n_rows)
    return Attribute.nominal(name, places), codes
