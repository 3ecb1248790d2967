"""Tables in Parquet files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fsops.data import Attribute, ExampleSet, ExampleSetMetaData, Schema, ValueType, metadata_of
from fsops.data.columns import MISSING_CODE, STORAGE, ColumnBlock, LooseBlock, category_text
from fsops.data.metadata import TableInFile
from fsops.data.schema import NOMINAL
from fsops.data.streamed import StreamedExampleSet
from fsops.errors import DataError
from fsops.memory import available
from fsops.storage.files import replacing
from fsops.storage.parquet_files import (
    DESCRIBED_CONTENT,
    ParquetPart,
    columns_to_read,
    content_bytes,
    file_metadata,
    opened_file,
    part_metadata,
    part_of,
    require_memory,
    require_same_columns,
    table_files,
)
from fsops.storage.tables import DESCRIBED_BYTES
from fsops.storage.unpacking import RATIO

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

Arrays = npt.NDArray[Any] | list[npt.NDArray[Any]]
"""A matrix, or columns that lie apart."""

LONG = 4096  # rows from which on columns are not put together: a call for each costs less
SCANNED_ROWS = 2**16  # that are looked at together for categories
MOST_CATEGORIES = 1_000_000  # of a streamed attribute: they are kept in memory
# Bytes read ahead of each column where a row group is too large to be read at once.
SMALLEST_BUFFER, LARGEST_BUFFER = 2**14, 2**20
SMALLEST_STREAM = 2**20  # bytes; a smaller file is always loaded


def read_parquet_table(
    file: str, *, roles: dict[str, str], types: dict[str, str], skip: Sequence[str]
) -> ExampleSet:
    """Return the table in a Parquet file or a folder of them, without the columns to skip."""
    import pyarrow as pa

    from fsops.storage.matrix_column import MatrixNote, without_matrix

    tables = []
    require_memory(table_files(file), skip)
    for path in table_files(file):
        with opened_file(path) as opened:
            note = MatrixNote.of(opened.schema_arrow)
            names = columns_to_read(opened.schema_arrow, skip)
            # Of a matrix all columns are read, and then left out.
            tables.append(opened.read() if note else opened.read(columns=names).select(names))
    first = tables[0].schema
    for path, table in zip(table_files(file), tables, strict=True):
        require_same_columns(path, first, table.schema)
    # What was noted about the columns of the first file counts for all.
    table = pa.concat_tables([pa.Table.from_arrays(t.columns, schema=first) for t in tables])
    note = MatrixNote.of(first)
    if note is not None:
        return without_matrix(table, note, roles=roles, types=types, skip=skip)
    return ExampleSet.from_arrow(table, roles=roles, types=types)


def stream_parquet_table(
    file: str,
    *,
    roles: dict[str, str],
    types: dict[str, str],
    skip: Sequence[str],
    limit: int | None = None,
) -> StreamedExampleSet:
    """Return the table in a Parquet file or a folder of them, to be read in blocks."""
    parts = tuple(part_of(path) for path in table_files(file))
    fields, differing = _fields(parts, skip)
    base = _base_schema(fields, roles, types)
    source = ParquetSource(parts, base, dict(types), _direct(fields, base, types))
    return StreamedExampleSet(
        replace(source, schema=_with_categories(source, fields, differing)), limit
    )


def is_too_large(file: str, skip: Sequence[str], limit: int | None = None) -> bool:
    """Return whether a table should stay in its files, because it takes over half of the memory.

    A small file that declares a huge table does not count as large: it is refused when it is read.

    Parameters
    ----------
    limit : int, optional
        Bytes of memory; by default the available memory.
    """
    paths = table_files(file)
    if sum(path.stat().st_size for path in paths) < SMALLEST_STREAM:
        return False
    content = 8 * sum(_cells(path, skip) for path in paths)
    room = available() if limit is None else limit
    plausible = content <= RATIO * sum(path.stat().st_size for path in paths)
    return room is not None and content > room / 2 and plausible


def _cells(path: Path, skip: Sequence[str]) -> int:
    about = part_metadata(path)
    columns: int = max(0, about.num_columns - len(set(skip)))
    return columns * int(about.num_rows)


def write_parquet_table(examples: ExampleSet, file: str) -> None:
    """Write a table with its value types, roles and categories."""
    import pyarrow.parquet as pq

    from fsops.storage.matrix_column import COLUMN, with_matrix

    table = with_matrix(examples) or examples.to_arrow()
    # Numbers of a matrix are nearly all different: a dictionary of them only costs time.
    coded = [name for name in table.column_names if name != COLUMN] if len(table.columns) else False
    with replacing(file) as stream:
        pq.write_table(table, stream, use_dictionary=coded)


def parquet_metadata(file: str, *, streaming: bool = False, **layout: Any) -> ExampleSetMetaData:
    """Return the metadata of a Parquet file or a folder; of a large one only its size."""
    parts = [part_of(path) for path in table_files(file)]
    skip = layout.get("skip", ())
    rows = sum(sum(part.group_rows) for part in parts)
    columns = part_metadata(parts[0].path).num_columns - len(set(skip))
    in_file = TableInFile(rows, columns, streaming)
    content = sum(content_bytes(part.path, skip) for part in parts)
    if sum(part.size for part in parts) > DESCRIBED_BYTES or content > DESCRIBED_CONTENT:
        return ExampleSetMetaData(rows=rows, file=in_file)
    described = metadata_of(read_parquet_table(file, **layout))
    assert isinstance(described, ExampleSetMetaData)
    return replace(described, file=in_file)


# --- streams --------------------------------------------------------------------------------


def _fields(parts: Sequence[ParquetPart], skip: Sequence[str]) -> tuple[pa.Schema, set[str]]:
    """Return the columns to read, and those about which the files note different things."""
    import pyarrow as pa

    from fsops.storage.matrix_column import MatrixNote

    schemas: list[pa.Schema] = []
    for part in parts:
        with opened_file(part.path) as opened:
            note = MatrixNote.of(opened.schema_arrow)
            noted = note.to_schema(opened.schema_arrow) if note else opened.schema_arrow
            fields = dict(zip(noted.names, noted, strict=True))
            schemas.append(
                pa.schema([fields[n] for n in columns_to_read(opened.schema_arrow, skip)])
            )
        require_same_columns(part.path, schemas[0], schemas[-1])
    differing = {
        field.name
        for schema in schemas[1:]
        for field, first in zip(schema, schemas[0], strict=True)
        if field.metadata != first.metadata
    }
    return schemas[0], differing


def _base_schema(fields: pa.Schema, roles: dict[str, str], types: dict[str, str]) -> Schema:
    """Return the attributes without the categories that are not noted.

    Columns about which nothing is said but their type are simple; for the others the road into
    memory is asked, which has to load pandas.
    """
    plain = {f.name: a for f in fields if f.name not in types and (a := _plain(f)) is not None}
    simple = all(name in fields.names for name in (*roles, *types))
    others = [f for f in fields if f.name not in plain] if simple else list(fields)
    if not others:
        return Schema.of(plain.values()).with_roles(roles)
    import pyarrow as pa

    empty = pa.schema(others).empty_table()
    asked = ExampleSet.from_arrow(empty, types=types, roles={} if simple else roles).schema
    attributes = (plain.get(f.name) or asked.attribute(f.name) for f in fields)
    return Schema.of(attributes).with_roles(roles)


def _plain(field: pa.Field) -> Attribute | None:
    import pyarrow as pa

    if any(b"fsops" in key for key in field.metadata or ()):
        return None
    if pa.types.is_floating(field.type):
        return Attribute(field.name)
    if pa.types.is_integer(field.type):
        return Attribute(field.name, ValueType.INTEGER)
    return Attribute.nominal(field.name, ()) if pa.types.is_string(field.type) else None


def _direct(fields: pa.Schema, base: Schema, types: Mapping[str, str]) -> frozenset[str]:
    """Return the columns whose numbers become doubles without a second look."""
    import pyarrow as pa

    return frozenset(
        field.name
        for field, attribute in zip(fields, base, strict=True)
        if attribute.value_type.is_numerical
        and field.name not in types
        and (pa.types.is_floating(field.type) or pa.types.is_integer(field.type))
    )


def _with_categories(source: ParquetSource, fields: pa.Schema, differing: set[str]) -> Schema:
    """Return the schema with the categories of nominal columns, looked up where not noted."""
    import pyarrow as pa

    unknown = [
        a
        for a in source.schema
        if a.value_type.is_nominal and (not a.categories or a.name in differing)
    ]
    if not unknown:
        return source.schema
    found = _found_categories(source, [a.name for a in unknown])
    complete: dict[str, Attribute] = {}
    for a in unknown:
        kind = fields.field(a.name).type
        ordered = pa.types.is_dictionary(kind)
        texts = found[a.name] if ordered else sorted(found[a.name])
        nominal = Attribute.nominal(a.name, dict.fromkeys([*a.categories, *texts]), a.role)
        if source.types.get(a.name) == ValueType.BINOMINAL and len(nominal.categories) > 2:
            raise DataError(
                f'"{a.name}" is to be binominal, but has {len(nominal.categories)} categories.',
                hint="Read the column as polynominal.",
            )
        # Without any rows a column is binominal unless it was said to be otherwise.
        forced = a.value_type in (ValueType.POLYNOMINAL, ValueType.ORDINAL)
        complete[a.name] = replace(nominal, value_type=a.value_type) if forced else nominal
    return Schema.of(complete.get(a.name, a) for a in source.schema)


def _found_categories(source: ParquetSource, names: list[str]) -> dict[str, dict[str, None]]:
    """Read the categories of some columns, in the order they come: a pass over these columns."""
    found: dict[str, dict[str, None]] = {name: {} for name in names}
    groups = range(len(source.group_rows))
    for batch in source.batches(names, groups, SCANNED_ROWS):
        for name in names:
            found[name].update(dict.fromkeys(source.categories_in(batch, name)))
            if len(found[name]) > MOST_CATEGORIES:
                raise DataError(
                    f'"{name}" has more than {MOST_CATEGORIES} different values, '
                    "which cannot be streamed as categories.",
                    hint="Leave it out (skip), or read it as text (types).",
                )
    return found


@dataclass(frozen=True)
class ParquetSource:
    """The rows of Parquet files, read in blocks; travels as names and numbers only."""

    parts: tuple[ParquetPart, ...]
    schema: Schema
    types: Mapping[str, str]
    direct: frozenset[str]
    """Columns whose numbers become doubles without a second look."""

    @cached_property
    def group_rows(self) -> tuple[int, ...]:
        """Number of rows of each row group, all files together."""
        return tuple(rows for part in self.parts for rows in part.group_rows)

    def fingerprint(self) -> str:
        """Return a hash of where the files are, their sizes and when they were written."""
        about = [(str(p.path), p.size, p.modified, p.group_rows) for p in self.parts]
        settings = sorted(self.types.items())
        return hashlib.sha256(repr((about, settings)).encode()).hexdigest()

    def batches(self, names: Sequence[str], groups: range, rows: int) -> Iterator[pa.RecordBatch]:
        """Read some columns of some row groups, at most so many rows at a time."""
        from fsops.storage.matrix_column import MatrixNote, expanded

        wanted = list(names)
        positions = self.schema.positions(wanted)
        categorical = np.isin(positions, self.schema.of_types(NOMINAL))
        nominal = self.schema.names_at(positions[categorical])
        first = 0
        for part in self.parts:
            last = first + len(part.group_rows)
            mine = [g - first for g in groups if first <= g < last and self.group_rows[g]]
            first = last
            if not mine:
                continue
            if part.path.stat().st_size != part.size:
                raise DataError(f'"{part.path.name}" was changed while it was read.')
            large = max(part.group_rows[g] for g in mine) > rows
            options = {
                "metadata": file_metadata(part.path, part.size, part.modified),
                "read_dictionary": nominal,
                # All buffers together are as large as a block.
                "buffer_size": max(SMALLEST_BUFFER, min(LARGEST_BUFFER, 8 * rows)) if large else 0,
            }
            with opened_file(part.path, **options) as opened:
                note = MatrixNote.of(opened.schema_arrow)
                stored = wanted if note is None else note.stored(wanted)
                found = _pieces_of_groups if large else _whole_groups
                for batch in found(opened, mine, stored, rows):
                    yield batch.select(wanted) if note is None else expanded(batch, wanted, note)
                    del batch  # else it would stay until the next one is there

    @property
    def reads_ahead(self) -> bool:
        """A worker has one thread, and others for company: it reads when it needs to."""
        import pyarrow as pa

        return bool(pa.cpu_count() > 1)

    def blocks(self, names: Sequence[str], groups: range, rows: int) -> Iterator[ExampleSet]:
        """Read some attributes of some row groups, at most so many rows at a time."""
        layout = _Layout(self, names)
        waiting: list[list[Arrays]] = []
        count = 0
        # Batches end where a row group does; those of small groups are put together.
        for batch in self.batches(names, groups, rows):
            if count + batch.num_rows > rows:
                yield layout.table(waiting)
                waiting, count = [], 0
            waiting.append(layout.arrays(batch))
            count += batch.num_rows
            del batch
        if waiting:
            yield layout.table(waiting)

    def categories_in(self, batch: pa.RecordBatch, name: str) -> Sequence[str]:
        """Return the categories of a nominal column in some rows."""
        column = batch.column(name)
        if _has_texts(column) and name not in self.types:
            return [text for text in column.dictionary.to_pylist() if text is not None]
        return self.converted(batch, [name]).attributes[0].categories

    def converted(self, batch: pa.RecordBatch, names: Sequence[str]) -> ExampleSet:
        """Return some columns as they would be read into memory from these rows alone."""
        import pyarrow as pa

        chosen = pa.Table.from_batches([batch.select(list(names))])
        types = {n: t for n, t in self.types.items() if n in names}
        return ExampleSet.from_arrow(chosen, types=types)


def _pieces_of_groups(
    file: pq.ParquetFile, groups: list[int], names: list[str], rows: int
) -> Iterator[pa.RecordBatch]:
    yield from file.iter_batches(rows, row_groups=groups, columns=names)


def _whole_groups(
    file: pq.ParquetFile, groups: list[int], names: list[str], rows: int
) -> Iterator[pa.RecordBatch]:
    """Read group by group, which is faster where groups are small enough."""
    for group in groups:
        yield from file.read_row_group(group, columns=names).to_batches()


class _Layout:
    """How the columns of a batch become the blocks of a table; worked out once for many."""

    def __init__(self, source: ParquetSource, names: Sequence[str]) -> None:
        self.source = source
        self.schema = source.schema.take(source.schema.positions(names))
        direct = np.array([name in source.direct for name in names], dtype=bool)
        self.direct = self.schema.names_at(np.flatnonzero(direct))
        self.others = [
            self.schema.attribute(n) for n in self.schema.names_at(np.flatnonzero(~direct))
        ]
        kinds = [STORAGE[a.value_type] for a in self.others]
        self.kinds = list(dict.fromkeys(kinds))
        self.block_of = np.zeros(len(names), dtype=np.intp)
        self.column_of = np.zeros(len(names), dtype=np.intp)
        self.column_of[direct] = np.arange(len(self.direct))
        for number, kind in enumerate(self.kinds, start=1):
            mine = np.flatnonzero(~direct)[[k == kind for k in kinds]]
            self.block_of[mine], self.column_of[mine] = number, np.arange(len(mine))
        self.places = {
            a.name: {text: code for code, text in enumerate(a.categories)} for a in self.others
        }

    def arrays(self, batch: pa.RecordBatch) -> list[Arrays]:
        """Return the columns of a batch, one matrix per kind of storage."""
        stored: dict[Any, list[npt.NDArray[Any]]] = {kind: [] for kind in self.kinds}
        for attribute in self.others:
            stored[STORAGE[attribute.value_type]].append(self._column(batch, attribute))
        others = [np.array(columns, dtype=kind).T for kind, columns in stored.items()]
        return [_doubles(self.source, batch, self.direct), *others]

    def table(self, batches: list[list[Arrays]]) -> ExampleSet:
        """Return the arrays of neighboring batches as one table."""
        blocks = [_stacked(parts) for parts in zip(*batches, strict=True)]
        rows = sum(_length(batch[0]) for batch in batches)
        return ExampleSet(self.schema, blocks, self.block_of, self.column_of, rows)

    def _column(self, batch: pa.RecordBatch, attribute: Attribute) -> npt.NDArray[Any]:
        name, column = attribute.name, batch.column(attribute.name)
        if not attribute.value_type.is_nominal:
            return self.source.converted(batch, [name]).column(name)
        if _has_texts(column) and name not in self.source.types:
            texts = [category_text(text) for text in column.dictionary.to_pylist()]
            indices = _array(column.indices.cast("int64"), MISSING_CODE, np.int64)
        else:
            small = self.source.converted(batch, [name])
            texts, indices = list(small.attributes[0].categories), small.column(name)
        place = self.places[name]
        stranger = next((t for t in texts if t is not None and t not in place), None)
        if stranger is not None:
            raise DataError(
                f'"{name}" holds "{stranger}", which the note on its categories in the file leaves '
                "out.",
                hint="Read the file without streaming, and write it again.",
            )
        # The last place is where code -1 points to.
        codes = [MISSING_CODE if text is None else place[text] for text in texts]
        lookup = np.array([*codes, MISSING_CODE], dtype=np.int32)
        codes_found: npt.NDArray[Any] = lookup.take(indices)
        return codes_found


def _length(arrays: Arrays) -> int:
    return len(arrays[0]) if isinstance(arrays, list) else len(arrays)


def _stacked(parts: Sequence[Arrays]) -> ColumnBlock:
    """Return columns on top of each other; those of a single part stay as they are."""
    if len(parts) == 1:
        return LooseBlock(parts[0]) if isinstance(parts[0], list) else ColumnBlock.of(parts[0])
    matrices = [np.array(part).T if isinstance(part, list) else part for part in parts]
    shape = sum(map(len, matrices)), matrices[0].shape[1]
    stacked = np.empty(shape, dtype=matrices[0].dtype, order="F")
    return ColumnBlock.of(np.concatenate(matrices, out=stacked))


def _array(column: pa.Array, missing: float, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return a column of exactly this type; pyarrow's own way would load pandas."""
    filled = column.fill_null(missing) if column.null_count else column
    kind = np.dtype(dtype)
    start = filled.offset * kind.itemsize
    return np.frombuffer(filled.buffers()[1], kind, count=len(filled), offset=start)


def _has_texts(column: pa.Array) -> bool:
    import pyarrow as pa

    kind = column.type
    return pa.types.is_dictionary(kind) and kind.value_type in (pa.string(), pa.large_string())


def _doubles(source: ParquetSource, batch: pa.RecordBatch, names: Sequence[str]) -> Arrays:
    """Return columns of numbers, long ones without a copy."""
    import pyarrow as pa

    if not names:
        return np.empty((batch.num_rows, 0), order="F")
    chosen = batch.select(list(names))
    try:
        if any(kind != pa.float64() for kind in set(chosen.schema.types)):
            chosen = chosen.cast(pa.schema([(name, pa.float64()) for name in names]))
    except pa.ArrowInvalid:  # a whole number that a double might round
        return [source.converted(batch, [name]).column(name) for name in names]
    if batch.num_rows >= LONG:
        return [_array(column, np.nan, np.float64) for column in chosen.columns]
    matrix: npt.NDArray[np.float64] = chosen.to_tensor(null_to_nan=True, row_major=False).to_numpy()
    return matrix
