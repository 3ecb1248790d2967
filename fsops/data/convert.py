"""From and to pandas and Arrow, column block by column block."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from fsops.data.examples import MISSING_CODE, Block, ExampleSet, nominal_column
from fsops.data.schema import REGULAR, Attribute, Schema, ValueType
from fsops.errors import DataError, did_you_mean

_METADATA_KEY = b"fsops"


def from_pandas(
    frame: pd.DataFrame, roles: Mapping[str, str], types: Mapping[str, str]
) -> ExampleSet:
    """Return a table from a data frame."""
    names = [str(name) for name in frame.columns]
    _check_known([*roles, *types], names)
    if not types and names and all(dtype == np.float64 for dtype in frame.dtypes):
        # One homogeneous block is taken over as it is, however many columns it has.
        values = frame.to_numpy()
        where = np.arange(len(names), dtype=np.intp)
        block = [Block.of(values)]
        table = ExampleSet(Schema.numerical(names), block, np.zeros_like(where), where, len(frame))
        return table.with_roles(roles) if roles else table
    columns = [
        _column_from_series(name, frame.iloc[:, j], types.get(name)) for j, name in enumerate(names)
    ]
    table = ExampleSet.from_columns(columns, len(frame))
    return table.with_roles(roles) if roles else table


def _check_known(wanted: list[str], names: list[str]) -> None:
    for name in wanted:
        if name not in names:
            hint = did_you_mean(name, names)
            raise DataError(f'There is no column "{name}" to give a role or type to.', hint=hint)


def _column_from_series(
    name: str, series: pd.Series[Any], wanted: str | None
) -> tuple[Attribute, npt.NDArray[Any]]:
    kind = value_type(name, wanted) if wanted else _guess_type(series)
    if kind.is_numerical:
        return Attribute(name, kind), _to_numbers(name, series)
    if kind is ValueType.DATE:
        dates = pd.to_datetime(series, errors="coerce").to_numpy(dtype="datetime64[us]")
        return Attribute(name, kind), dates
    if kind is ValueType.TEXT:
        texts = series.astype(object).where(series.notna(), "")
        return Attribute(name, kind), np.array([str(text) for text in texts], dtype=object)
    if isinstance(series.dtype, pd.CategoricalDtype):
        categories = [str(c) for c in series.cat.categories]
        return Attribute.nominal(name, categories), series.cat.codes.to_numpy(dtype=np.int32)
    return nominal_column(name, [_as_category(v) for v in series.astype(object)])


def _as_category(value: object) -> str | None:
    if value is None or value is pd.NA or value != value:  # noqa: PLR0124 - NaN differs from itself
        return None
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    return str(value)


def value_type(name: str, wanted: str) -> ValueType:
    """Return the value type of that name; ``numerical`` and ``nominal`` are understood too."""
    common = {
        "numerical": ValueType.REAL,
        "numeric": ValueType.REAL,
        "nominal": ValueType.POLYNOMINAL,
    }
    if wanted in common:
        return common[wanted]
    try:
        return ValueType(wanted)
    except ValueError:
        known = ", ".join([*common, *ValueType])
        raise DataError(
            f'"{wanted}" (for "{name}") is not a value type.', hint=f"There are {known}."
        ) from None


def _guess_type(series: pd.Series[Any]) -> ValueType:
    if pd.api.types.is_bool_dtype(series.dtype):
        return ValueType.BINOMINAL
    if pd.api.types.is_integer_dtype(series.dtype):
        return ValueType.INTEGER
    if pd.api.types.is_float_dtype(series.dtype):
        return ValueType.REAL
    if pd.api.types.is_datetime64_any_dtype(series.dtype):
        return ValueType.DATE
    return ValueType.POLYNOMINAL


def _to_numbers(name: str, series: pd.Series[Any]) -> npt.NDArray[np.float64]:
    numbers = pd.to_numeric(series, errors="coerce")
    lost = numbers.isna() & series.notna()
    if lost.any():
        row = int(np.flatnonzero(lost.to_numpy())[0])
        raise DataError(
            f'"{name}" is to be numerical, but row {row + 1} holds "{series.iloc[row]}".',
            hint="Correct the value, or read the column as polynominal.",
        )
    return numbers.to_numpy(dtype=np.float64, na_value=np.nan)


def to_pandas(examples: ExampleSet) -> pd.DataFrame:
    """Return a data frame with the attributes in order."""
    schema = examples.schema
    numerical = np.array([a.value_type.is_numerical for a in schema], dtype=bool)
    frame = pd.DataFrame(
        examples.values(np.flatnonzero(numerical)),
        columns=schema.names_at(np.flatnonzero(numerical)),
    )
    others = {
        name: _to_series(examples, name) for name in schema.names_at(np.flatnonzero(~numerical))
    }
    integers = {
        a.name: np.int64
        for a in schema
        if a.value_type is ValueType.INTEGER and np.isfinite(frame[a.name]).all()
    }
    frame = frame.astype(integers) if integers else frame
    if not others:
        return frame
    return pd.concat([frame, pd.DataFrame(others, index=frame.index)], axis=1)[list(schema.names)]


def _to_series(examples: ExampleSet, name: str) -> Any:
    attribute = examples.schema.attribute(name)
    values = examples.column(name)
    if attribute.value_type.is_nominal:
        return pd.Categorical.from_codes(
            values, categories=pd.Index(attribute.categories, dtype=object)
        )
    return values


def to_arrow(examples: ExampleSet) -> pa.Table:
    """Return an Arrow table; each field's metadata keeps value type and role."""
    arrays, fields = [], []
    for attribute in examples.schema:
        values = examples.column(attribute.name)
        if attribute.value_type.is_nominal:
            codes = pa.array(values, mask=values == MISSING_CODE)
            array = pa.DictionaryArray.from_arrays(
                codes, pa.array(attribute.categories, pa.string())
            )
        elif attribute.value_type.is_numerical:
            array = pa.array(values)  # NaN stays NaN: null would be another bit pattern
        else:
            array = pa.array(values)
        about = {"type": attribute.value_type, "role": attribute.role}
        arrays.append(array)
        fields.append(
            pa.field(
                attribute.name, array.type, metadata={_METADATA_KEY: json.dumps(about).encode()}
            )
        )
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def from_arrow(table: pa.Table, roles: Mapping[str, str], types: Mapping[str, str]) -> ExampleSet:
    """Return a table from an Arrow table."""
    _check_known([*roles, *types], table.column_names)
    columns, kept_roles = [], {}
    for field, column in zip(table.schema, table.columns, strict=True):
        about = json.loads((field.metadata or {}).get(_METADATA_KEY, b"{}"))
        columns.append(
            _column_from_arrow(field.name, column, types.get(field.name, about.get("type")))
        )
        if about.get("role", REGULAR) != REGULAR:
            kept_roles[field.name] = about["role"]
    return ExampleSet.from_columns(columns, table.num_rows).with_roles({**kept_roles, **roles})


def _column_from_arrow(
    name: str, column: pa.ChunkedArray, wanted: str | None
) -> tuple[Attribute, npt.NDArray[Any]]:
    plain_number = pa.types.is_floating(column.type) or pa.types.is_integer(column.type)
    if plain_number and wanted in (None, ValueType.REAL, ValueType.INTEGER):
        kind = ValueType.REAL if pa.types.is_floating(column.type) else ValueType.INTEGER
        values = column.to_numpy().astype(np.float64, copy=False)
        return Attribute(name, ValueType(wanted) if wanted else kind), values
    return _column_from_series(name, column.to_pandas(), wanted)
