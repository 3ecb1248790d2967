"""Columns from and to pandas and Arrow.

Below `ExampleSet`, which puts the columns together.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
from scipy.sparse import csc_matrix

from fsops.data.attribute_groups import AttributeGroups
from fsops.data.columns import (
    MISSING_CODE,
    Codes,
    Column,
    Floats,
    as_slice,
    category_text,
    coded_column,
    nominal_column,
)
from fsops.data.schema import NUMERICAL, REGULAR, Attribute, ValueType
from fsops.data.table import Table
from fsops.errors import DataError, enumerate_names, unknown_column

NOTED_CATEGORIES = 10_000  # more would make the note of an Arrow field too long
LARGEST_INTEGER = 2**53  # from here on a double skips whole numbers
# What pandas calls the content of an object column, where that is more than text.
_CONTENT = {
    "boolean": ValueType.BINOMINAL,
    "integer": ValueType.INTEGER,
    "floating": ValueType.REAL,
    "mixed-integer-float": ValueType.REAL,
    "decimal": ValueType.REAL,
    "date": ValueType.DATE,
    "datetime": ValueType.DATE,
    "datetime64": ValueType.DATE,
}
_METADATA_KEY = b"fsops"
_GROUPS_KEY = b"fsops.groups"
ORDERED = re.compile(r"ordinal\((.*)\)", re.DOTALL)
"""A type with its ordered categories: ordinal(low < middle < high)."""


@dataclass(frozen=True)
class FrameColumns:
    """The columns of a data frame: those of doubles as one matrix, the others one by one."""

    names: Sequence[str]
    """Of all columns, in order."""
    numbers: Floats
    number_names: Sequence[str]
    others: Sequence[Column]

    @property
    def is_matrix(self) -> bool:
        """Whether the matrix has all numbers, so that it need not be copied."""
        return bool(self.number_names) and not any(
            attribute.value_type.is_numerical for attribute, _ in self.others
        )

    def columns(self) -> list[Column]:
        """Return all columns one by one, in order."""
        numbers = zip(self.number_names, self.numbers.T, strict=True)
        known: dict[str, Column] = {name: (Attribute(name), values) for name, values in numbers}
        known |= {column[0].name: column for column in self.others}
        return [known[name] for name in self.names]


def frame_columns(
    frame: pd.DataFrame, roles: Mapping[str, str], types: Mapping[str, str]
) -> FrameColumns:
    """Return the columns of a data frame; names with a role or type must be columns."""
    names = [str(name) for name in frame.columns]
    _check_known([*roles, *types], names)
    kinds = zip(frame.dtypes, names, strict=True)
    plain = np.array([kind == np.float64 and name not in types for kind, name in kinds], dtype=bool)
    # However many columns of doubles there are, they are taken as one matrix.
    doubles = np.flatnonzero(plain)
    return FrameColumns(
        names,
        frame.iloc[:, as_slice(doubles)].to_numpy(dtype=np.float64),
        [names[j] for j in doubles.tolist()],
        [
            _column_from_series(names[j], frame.iloc[:, j], types.get(names[j]))
            for j in np.flatnonzero(~plain).tolist()
        ],
    )


def _check_known(wanted: list[str], names: list[str]) -> None:
    for name in wanted:
        if name not in names:
            raise unknown_column(name, names, "give a role or type to")


def _column_from_series(name: str, series: pd.Series[Any], wanted: str | None) -> Column:
    kind = value_type(name, wanted) if wanted else _guess_type(series)
    if kind.is_numerical:
        return Attribute(name, kind), _to_numbers(name, series, kind)
    if kind is ValueType.DATE:
        return Attribute(name, kind), _to_dates(name, series)
    if kind is ValueType.TEXT:
        texts = [None if gone else str(v) for v, gone in zip(series, series.isna(), strict=True)]
        return Attribute(name, kind), np.array(texts, dtype=object)
    attribute, codes = _to_codes(name, series)
    if kind is ValueType.ORDINAL:
        return _in_order(attribute, codes, series, wanted or "")
    if wanted == ValueType.BINOMINAL and len(attribute.categories) > 2:
        raise DataError(
            f'"{name}" is to be binominal, but has {len(attribute.categories)} categories.',
            hint="Read the column as polynominal.",
        )
    if wanted == ValueType.POLYNOMINAL:
        attribute = Attribute(name, ValueType.POLYNOMINAL, categories=attribute.categories)
    return attribute, codes


def value_type(name: str, wanted: str) -> ValueType:
    """Return the value type of that name; ``numerical`` and ``nominal`` are understood too."""
    common = {
        "numerical": ValueType.REAL,
        "numeric": ValueType.REAL,
        "nominal": ValueType.POLYNOMINAL,
    }
    if wanted in common:
        return common[wanted]
    if ORDERED.fullmatch(wanted):
        return ValueType.ORDINAL
    try:
        return ValueType(wanted)
    except ValueError:
        known = ", ".join([*common, *ValueType, "ordinal(low < middle < high)"])
        raise DataError(
            f'"{wanted}" (for "{name}") is not a value type.', hint=f"There are {known}."
        ) from None


def _in_order(
    attribute: Attribute, codes: Codes, series: pd.Series[Any], wanted: str
) -> tuple[Attribute, Codes]:
    """Return ordered categories: as the type lists them, as pandas has them, or by number."""
    found = list(attribute.categories)
    match = ORDERED.fullmatch(wanted)
    if match is not None:
        order = [part.strip() for part in match[1].split("<")]
        absent = [text for text in found if text not in order]
        if absent or len(set(order)) < len(order) or "" in order:
            raise DataError(
                f'The order "{match[1]}" of "{attribute.name}" '
                + (f"lacks {enumerate_names(absent)}." if absent else "names a category twice."),
                hint="List each category once, the smallest first.",
            )
    elif isinstance(series.dtype, pd.CategoricalDtype):
        order = found
    else:
        numbers = pd.to_numeric(pd.Series(found, dtype=object), errors="coerce")
        if numbers.isna().any():
            raise DataError(
                f'"{attribute.name}" is to be ordinal, but the order of its categories is unknown.',
                hint=f"Write it into the type: ordinal({' < '.join(found[:3])}).",
            )
        order = [text for _, text in sorted(zip(numbers, found, strict=True))]
    placed, new = coded_column(attribute.name, found, codes, order)
    return replace(placed, value_type=ValueType.ORDINAL), new


def _guess_type(series: pd.Series[Any]) -> ValueType:
    if isinstance(series.dtype, pd.CategoricalDtype):
        return ValueType.ORDINAL if series.cat.ordered else ValueType.POLYNOMINAL
    if pd.api.types.is_bool_dtype(series.dtype):
        return ValueType.BINOMINAL
    if pd.api.types.is_integer_dtype(series.dtype):
        return ValueType.INTEGER
    if pd.api.types.is_float_dtype(series.dtype):
        return ValueType.REAL
    if pd.api.types.is_datetime64_any_dtype(series.dtype):
        return ValueType.DATE
    content = pd.api.types.infer_dtype(series) if series.dtype == object else ""
    return _CONTENT.get(content, ValueType.POLYNOMINAL)


def _to_numbers(name: str, series: pd.Series[Any], kind: ValueType) -> Floats:
    if isinstance(series.dtype, pd.CategoricalDtype):
        series = series.astype(object)
    numbers = pd.to_numeric(series, errors="coerce")
    values = numbers.to_numpy(dtype=np.float64, na_value=np.nan)
    _refuse(name, kind, series, np.isnan(values), "polynominal")
    if kind is ValueType.INTEGER:
        _refuse(name, kind, series, values != np.rint(values), "real")
        _require_exact(name, series, values)
    return values


def _require_exact(name: str, series: pd.Series[Any], values: Floats) -> None:
    for row in np.flatnonzero((np.abs(values) >= LARGEST_INTEGER) & np.isfinite(values)):
        if Decimal(str(series.iloc[row])) != Decimal(float(values[row])):
            raise DataError(
                f'"{name}" holds {series.iloc[row]} in row {row + 1}, '
                "a whole number too large to be kept exactly.",
                hint="Read the column as polynominal (a name), or as real (rounded).",
            )


def _refuse(
    name: str, kind: ValueType, series: pd.Series[Any], wrong: npt.NDArray[np.bool_], instead: str
) -> None:
    """Raise `DataError` for the first known value that cannot be of the wanted type."""
    rows = np.flatnonzero(wrong & series.notna().to_numpy(dtype=bool))
    if len(rows):
        row = int(rows[0])
        raise DataError(
            f'"{name}" is to be {kind}, but row {row + 1} holds "{series.iloc[row]}".',
            hint=f"Correct the value, or read the column as {instead}.",
        )


def _to_dates(name: str, series: pd.Series[Any]) -> npt.NDArray[np.datetime64]:
    if pd.api.types.is_numeric_dtype(series.dtype):
        raise DataError(
            f'"{name}" is to be date, but holds numbers.', hint="Write dates such as 2031-12-24."
        )
    known = int(series.notna().sum())
    dates = _parsed(series, "ISO8601")
    if dates.notna().sum() < known:
        dates = _parsed(series, None)  # whatever the first value looks like
    _refuse(name, ValueType.DATE, series, dates.isna().to_numpy(dtype=bool), "polynominal")
    return dates.to_numpy(dtype="datetime64[us]")


def _parsed(series: pd.Series[Any], style: str | None) -> pd.Series[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the format had to be guessed is no news
        try:
            return pd.to_datetime(series, format=style, errors="coerce")
        except ValueError:  # different time zones
            return pd.to_datetime(series, format=style, errors="coerce", utc=True)


def _to_codes(name: str, series: pd.Series[Any]) -> tuple[Attribute, Codes]:
    """Return nominal values: categoricals keep their categories, others get sorted ones."""
    if isinstance(series.dtype, pd.CategoricalDtype):
        found = [str(category_text(value)) for value in series.cat.categories]
        return coded_column(name, found, series.cat.codes.to_numpy(), dict.fromkeys(found))
    if series.dtype == object:  # its values may be equal and yet have different names: 1, True
        pairs = zip(series, series.isna(), strict=True)
        return nominal_column(name, [None if gone else category_text(v) for v, gone in pairs])
    codes, values = pd.factorize(series)
    if isinstance(series.dtype, pd.StringDtype):
        return coded_column(name, values.tolist(), codes)
    return coded_column(name, [str(category_text(value)) for value in values], codes)


def to_pandas(examples: Table) -> pd.DataFrame:
    """Return a data frame with the attributes in order."""
    schema = examples.schema
    if examples.is_sparse:
        return _sparse_frame(examples)
    integers = schema.of_types([ValueType.INTEGER])
    whole = integers[_are_whole(examples.values(integers))]
    real = schema.of_types([ValueType.REAL])
    others = np.setdiff1d(np.arange(len(schema)), np.union1d(whole, real))
    columns = {name: _to_series(examples, name) for name in schema.names_at(others)}
    parts = [
        pd.DataFrame(examples.values(real), columns=list(schema.names_at(real))),
        pd.DataFrame(examples.values(whole).astype(np.int64), columns=list(schema.names_at(whole))),
        pd.DataFrame(columns, index=pd.RangeIndex(len(examples))),
    ]
    filled = [part for part in parts if part.shape[1]]
    frame = pd.concat(filled, axis=1) if filled else parts[0]
    return frame if tuple(frame.columns) == schema.names else frame[list(schema.names)]


def _sparse_frame(examples: Table) -> pd.DataFrame:
    """Return a data frame whose numbers are columns of pandas' sparse type; zero is not stored."""
    schema = examples.schema
    numbers = schema.regular_numerical
    others = np.setdiff1d(np.arange(len(schema)), numbers)
    columns = {name: _to_series(examples, name) for name in schema.names_at(others)}
    accessor: Any = pd.DataFrame.sparse
    sparse: pd.DataFrame = accessor.from_spmatrix(
        csc_matrix(examples.matrix()), columns=list(schema.names_at(numbers))
    )
    rest = pd.DataFrame(columns, index=sparse.index)
    frame = pd.concat([sparse, rest], axis=1) if columns else sparse
    return frame if tuple(frame.columns) == schema.names else frame[list(schema.names)]


def _are_whole(values: Floats) -> npt.NDArray[np.bool_]:
    """Return which columns hold nothing but whole numbers that an integer can be made of."""
    fits = (np.abs(values) <= LARGEST_INTEGER) & (values == np.rint(values))
    return np.asarray(fits.all(axis=0))


def _with_gaps(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return whole numbers of which some are missing as pandas' nullable integers."""
    known = column.dropna().to_numpy()[:, None]
    return column.astype("Int64") if _are_whole(known).all() else column


def _to_series(examples: Table, name: str) -> Any:
    attribute = examples.schema.attribute(name)
    values = examples.column(name)
    if attribute.value_type is ValueType.INTEGER:
        return _with_gaps(pd.Series(values))
    if attribute.value_type.is_nominal:
        return pd.Categorical.from_codes(
            values,
            categories=pd.Index(attribute.categories, dtype=object),
            ordered=attribute.value_type is ValueType.ORDINAL,
        )
    return values


def to_arrow(examples: Table) -> pa.Table:
    """Return an Arrow table; each field's metadata keeps value type and role."""
    numerical = examples.schema.of_types(NUMERICAL)
    numbers = iter(examples.values(numerical).T)
    arrays, fields = [], []
    for attribute in examples.schema:
        if attribute.value_type.is_numerical:
            array = pa.array(next(numbers))  # NaN stays NaN: null would be another bit pattern
        elif attribute.value_type.is_nominal:
            values = examples.column(attribute.name)
            array = pa.DictionaryArray.from_arrays(
                pa.array(values, mask=values == MISSING_CODE),
                pa.array(attribute.categories, pa.string()),
                ordered=attribute.value_type is ValueType.ORDINAL,
            )
        else:
            kind = pa.string() if attribute.value_type is ValueType.TEXT else pa.timestamp("us")
            array = pa.array(examples.column(attribute.name), kind)
        about: dict[str, Any] = {"type": attribute.value_type, "role": attribute.role}
        if 0 < len(attribute.categories) <= NOTED_CATEGORIES:
            about["categories"] = attribute.categories
        note = {_METADATA_KEY: json.dumps(about)}
        arrays.append(array)
        fields.append(pa.field(attribute.name, array.type, metadata=note))
    groups = examples.schema.groups
    about_groups = None if groups is None else {_GROUPS_KEY: json.dumps(groups.to_lists())}
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields, metadata=about_groups))


def arrow_groups(table: pa.Table) -> AttributeGroups | None:
    """Return the groups that fsops has noted in an Arrow table; None if they do not fit."""
    note = (table.schema.metadata or {}).get(_GROUPS_KEY)
    if note is None:
        return None
    try:
        return AttributeGroups.from_lists(json.loads(note), table.num_columns)
    except (ValueError, TypeError, KeyError, DataError):
        return None


def arrow_columns(
    table: pa.Table, roles: Mapping[str, str], types: Mapping[str, str]
) -> tuple[list[Column], dict[str, str]]:
    """Return the columns of an Arrow table, and the roles that fsops has noted in it."""
    _check_known([*roles, *types], table.column_names)
    columns, noted_roles = [], {}
    for field, column in zip(table.schema, table.columns, strict=True):
        about = _about(field)
        attribute, values = _column_from_arrow(
            field.name, column, types.get(field.name), about.get("type")
        )
        # Parquet forgets categories that no row has.
        if attribute.value_type.is_nominal and field.name not in types and "categories" in about:
            found = attribute.categories
            known = dict.fromkeys([*about["categories"], *found])
            noted, values = coded_column(field.name, found, values, known)
            attribute = replace(attribute, categories=noted.categories)
        columns.append((attribute, values))
        if about.get("role", REGULAR) != REGULAR:
            noted_roles[field.name] = about["role"]
    return columns, noted_roles


def _about(field: pa.Field) -> dict[str, Any]:
    """Return our notes about a column; nothing if another program used our key."""
    note = (field.metadata or {}).get(_METADATA_KEY)
    if note is None:
        return {}
    try:
        about = json.loads(note)
    except ValueError:
        return {}
    return about if isinstance(about, dict) else {}


def _column_from_arrow(
    name: str, column: pa.ChunkedArray, wanted: str | None, noted: str | None
) -> Column:
    """Return a column in the type the user wants, else in the type we noted, else in its own."""
    kind = column.type
    if pa.types.is_floating(kind) and wanted is None and noted in (None, *NUMERICAL):
        values = column.to_numpy().astype(np.float64, copy=False)
        return Attribute(name, ValueType(noted or ValueType.REAL)), values
    if pa.types.is_integer(kind):
        noted = noted or ValueType.INTEGER
    elif pa.types.is_decimal(kind):
        column = column.cast(pa.float64())
    elif pa.types.is_date(kind):
        column = column.cast(pa.timestamp("us"))
    # Whole numbers beside missing ones become objects, because as doubles they might be rounded.
    series = column.to_pandas(integer_object_nulls=True)
    if pa.types.is_floating(kind) and noted == ValueType.INTEGER:
        series = _with_gaps(series)
    return _column_from_series(name, series, wanted or noted)
