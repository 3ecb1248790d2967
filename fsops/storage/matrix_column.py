"""Very many columns of numbers in one column of a Parquet file.

pyarrow takes some 80 µs for each column of a file, whatever it holds: 200,000 columns take a
minute or two. So the numerical attributes of a very wide table are written as one column whose
values are rows of a matrix (a list of fixed size), with the names of the attributes beside them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fsops.data import Attribute, ExampleSet, ValueType
from fsops.data.columns import ColumnBlock
from fsops.data.schema import Schema
from fsops.errors import DataError

WIDE = 20_000  # numerical attributes from which on a matrix is written
COLUMN = "fsops:matrix"
KEY = b"fsops:matrix"
WHOLE = "i"  # marks whole numbers in the note; "r" marks real ones


@dataclass(frozen=True)
class MatrixNote:
    """The columns of the matrix, as noted in the file."""

    names: tuple[str, ...]
    kinds: str
    """A character for each column."""
    positions: tuple[int, ...]
    """Place of each column in the table."""

    @classmethod
    def of(cls, schema: pa.Schema) -> MatrixNote | None:
        """Return the note of a file; None if it has no matrix."""
        note = (schema.metadata or {}).get(KEY)
        if note is None or COLUMN not in schema.names:
            return None
        try:
            about = json.loads(note)
            found = cls(tuple(about["names"]), about["kinds"], tuple(about["positions"]))
        except (ValueError, KeyError, TypeError):
            raise DataError("The note on the matrix in the Parquet file is damaged.") from None
        sizes = {len(found.names), len(found.kinds), len(found.positions)}
        if sizes != {schema.field(COLUMN).type.list_size}:
            raise DataError("The matrix in the Parquet file lacks columns that its metadata list.")
        return found

    @cached_property
    def place(self) -> dict[str, int]:
        """Number of each column in the matrix."""
        return {name: j for j, name in enumerate(self.names)}

    def all_names(self, others: Sequence[str]) -> list[str]:
        """Return the names of all columns of the table, given the others, in their order."""
        names: list[str] = [""] * (len(self.names) + len(others))
        for name, position in zip(self.names, self.positions, strict=True):
            names[position] = name
        rest = iter(others)
        inside = set(self.positions)
        return [name if j in inside else next(rest) for j, name in enumerate(names)]

    def to_schema(self, others: pa.Schema) -> pa.Schema:
        """Return the fields that the file would have without a matrix."""
        known = {field.name: field for field in others if field.name != COLUMN}
        return pa.schema(
            known.get(name) or pa.field(name, self._type(name))
            for name in self.all_names(list(known))
        )

    def stored(self, names: Sequence[str]) -> list[str]:
        """Return the columns of the file that hold these columns of the table."""
        return list(dict.fromkeys(COLUMN if name in self.place else name for name in names))

    def _type(self, name: str) -> pa.DataType:
        return pa.int64() if self.kinds[self.place[name]] == WHOLE else pa.float64()


def with_matrix(examples: ExampleSet) -> pa.Table | None:
    """Return the table for a file, the numbers as a matrix; None if it is not wide enough."""
    schema = examples.schema
    numbers = schema.regular_numerical
    if len(numbers) < WIDE:
        return None
    matrix = np.ascontiguousarray(examples.values(numbers))
    whole = np.isin(numbers, schema.of_types([ValueType.INTEGER]))
    others = np.setdiff1d(np.arange(len(schema)), numbers)
    note = {
        "names": list(schema.names_at(numbers)),
        "kinds": "".join(np.where(whole, WHOLE, "r")),
        "positions": numbers.tolist(),
    }
    table = examples.select(schema.names_at(others)).to_arrow()
    rows = pa.FixedSizeListArray.from_arrays(pa.array(matrix.ravel()), len(numbers))
    fields = table.schema.append(pa.field(COLUMN, rows.type))
    stored = pa.Table.from_arrays([*table.columns, rows], schema=fields)
    return stored.replace_schema_metadata({KEY: json.dumps(note)})


def matrix_of(column: pa.Array | pa.ChunkedArray, width: int) -> npt.NDArray[np.float64]:
    """Return the values of the column as a matrix."""
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    parts = [chunk.flatten().to_numpy(zero_copy_only=False) for chunk in chunks]
    values: npt.NDArray[np.float64] = parts[0] if len(parts) == 1 else np.concatenate(parts)
    return values.reshape(-1, width)


def without_matrix(
    table: pa.Table,
    note: MatrixNote,
    *,
    roles: Mapping[str, str],
    types: Mapping[str, str],
    skip: Sequence[str],
) -> ExampleSet:
    """Return the table that was written, without the columns to skip."""
    matrix = matrix_of(table.column(COLUMN), len(note.names))
    left_out = set(skip)
    stored = [name for name in table.column_names if name != COLUMN]
    names = [name for name in note.all_names(stored) if name not in left_out]
    # What the user gives a type goes the way of single columns.
    single = [name for name in note.names if name in types and name not in left_out]
    fields = [table.schema.field(name) for name in stored if name not in left_out]
    arrays = [table.column(field.name) for field in fields]
    fields += [pa.field(name, pa.float64()) for name in single]
    arrays += [pa.array(matrix[:, note.place[name]]) for name in single]
    apart = left_out | set(single)
    kept = np.array([j for name, j in note.place.items() if name not in apart], dtype=np.intp)
    numbers = _numbers(matrix if len(kept) == len(note.names) else matrix[:, kept], note, kept)
    if not fields and not types:
        return numbers.with_roles(dict(roles))
    others = pa.Table.from_arrays(arrays, schema=pa.schema(fields))
    # Roles that are noted in the file come with the other columns.
    known = ExampleSet.from_arrow(others, types=dict(types))
    columns = [(attribute, known.column(attribute.name)) for attribute in known.attributes]
    return numbers.with_columns(columns).select(names).with_roles(dict(roles))


def _numbers(
    matrix: npt.NDArray[np.float64], note: MatrixNote, kept: npt.NDArray[np.intp]
) -> ExampleSet:
    names = [note.names[j] for j in kept.tolist()]
    if WHOLE not in note.kinds:
        return ExampleSet.from_numpy(matrix, names=names)
    kinds = {WHOLE: ValueType.INTEGER, "r": ValueType.REAL}
    schema = Schema.of(
        Attribute(name, kinds[note.kinds[j]]) for name, j in zip(names, kept.tolist(), strict=True)
    )
    zeros, columns = np.zeros(len(names), dtype=np.intp), np.arange(len(names), dtype=np.intp)
    return ExampleSet(schema, [ColumnBlock.of(matrix)], zeros, columns, len(matrix))


def expanded(batch: pa.RecordBatch, names: Sequence[str], note: MatrixNote) -> pa.RecordBatch:
    """Return a batch with separate columns in place of the matrix."""
    columns: dict[str, Any] = {name: batch.column(name) for name in names if name not in note.place}
    if len(columns) < len(names):
        matrix = matrix_of(batch.column(COLUMN), len(note.names))
        wanted = [name for name in names if name in note.place]
        values = np.ascontiguousarray(matrix[:, [note.place[name] for name in wanted]].T)
        columns |= {name: pa.array(column) for name, column in zip(wanted, values, strict=True)}
    return pa.RecordBatch.from_arrays([columns[name] for name in names], names=list(names))
