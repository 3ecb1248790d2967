"""The files of a Parquet table: their metadata, columns and memory."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fsops.errors import DataError, StorageError, did_you_mean
from fsops.memory import require
from fsops.storage.text_files import existing_file
from fsops.storage.unpacking import require_for_file

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

SUFFIX = ".parquet"
PEAK_BYTES = 16  # of memory for each value while a table is read
DESCRIBED_CONTENT = 2**26  # bytes; larger tables are described by the metadata of the file
MOST_ROWS_OF_TEXTS = 2**24  # whose lengths are added up before reading


@dataclass(frozen=True)
class ParquetPart:
    """One file of a table, as it was when it was looked at first."""

    path: Path
    size: int
    modified: int
    group_rows: tuple[int, ...]


def table_files(file: str) -> list[Path]:
    """Return the file, or those in the folder in the order of their names."""
    path = Path(file)
    if not path.is_dir():
        return [existing_file(path)]
    found = sorted(p for p in path.iterdir() if p.suffix == SUFFIX and p.name[0] not in "._")
    if not found:
        raise StorageError(
            f'There are no Parquet files in the folder "{path}".',
            hint=f"Their names must end in {SUFFIX}.",
        )
    return [existing_file(p) for p in found]


def require_memory(paths: Sequence[Path], skip: Sequence[str]) -> None:
    """Raise `DataError` if the tables, as the files declare them, take too much memory."""
    advice = "Read fewer columns (skip)."
    needs = [content_bytes(path, skip) for path in paths]
    largest = max(range(len(paths)), key=needs.__getitem__)
    require_for_file(needs[largest], paths[largest], advice)
    require(sum(needs), f'The folder "{paths[0].parent.name}"', advice)


def content_bytes(path: Path, skip: Sequence[str]) -> int:
    """Return how much memory the table in a file takes while it is read."""
    import pyarrow as pa

    about = part_metadata(path)
    rows = sum(about.row_group(i).num_rows for i in range(about.num_row_groups))
    with opened_file(path) as opened:
        schema = opened.schema_arrow
    names = [
        f.name for f in schema if pa.types.is_string(f.type) or pa.types.is_large_string(f.type)
    ]
    # As dictionaries, because the flat texts may be too long for the memory.
    with opened_file(path, read_dictionary=names) as opened:
        nested = any(pa.types.is_nested(kind) for kind in set(schema.types))
        texts = [name for name in names if name not in skip]
        cells = _values_in(about) if nested else rows * (about.num_columns - len(set(skip)))
        need = PEAK_BYTES * cells
        if need > DESCRIBED_CONTENT * 64 or rows > MOST_ROWS_OF_TEXTS:
            return need  # too much already: the texts are not looked at
        return need + sum(_text_bytes(opened, name) for name in texts)


def _values_in(about: pq.FileMetaData) -> int:
    groups = [about.row_group(i) for i in range(about.num_row_groups)]
    return sum(g.column(j).num_values for g in groups for j in range(g.num_columns))


def _text_bytes(opened: pq.ParquetFile, name: str) -> int:
    """Return how long the texts of a column are together; a dictionary may repeat a long one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    total = 0
    for batch in opened.iter_batches(2**16, columns=[name]):
        values = batch.column(0)
        if not pa.types.is_dictionary(values.type) or not len(values.dictionary):
            total += batch.nbytes
            continue
        try:
            lengths = pc.binary_length(values.dictionary).fill_null(0)
        except pa.ArrowNotImplementedError:  # a dictionary of numbers
            continue
        total += pc.sum(lengths.take(values.indices.drop_null())).as_py() or 0
    return 2 * total


def part_of(path: Path) -> ParquetPart:
    """Return a file with its size, its time and the rows of its groups."""
    status = path.stat()
    # A copy may keep the time of the original; when the file itself changed cannot be set.
    changed = status.st_mtime_ns + status.st_ctime_ns
    about = part_metadata(path)
    rows = tuple(about.row_group(i).num_rows for i in range(about.num_row_groups))
    return ParquetPart(path.absolute(), status.st_size, changed, rows)


def part_metadata(path: Path) -> pq.FileMetaData:
    """Return the metadata at the end of a file as it is now."""
    status = path.stat()
    return file_metadata(path, status.st_size, status.st_mtime_ns + status.st_ctime_ns)


MOST_CHUNKS = 60_000
"""Column chunks whose metadata are kept; each takes about 900 bytes."""
_METADATA: dict[tuple[Path, int, int], pq.FileMetaData] = {}
_METADATA_LOCK = threading.Lock()


def file_metadata(path: Path, size: int, modified: int) -> pq.FileMetaData:
    """Return the metadata at the end of a file, which take long to read if it has many columns."""
    key = (path, size, modified)
    with _METADATA_LOCK:
        kept = _METADATA.pop(key, None)
        if kept is None:
            with opened_file(path) as opened:
                kept = opened.metadata
        _METADATA[key] = kept  # the last one is the most recently used
        while len(_METADATA) > 1 and sum(map(_chunks, _METADATA.values())) > MOST_CHUNKS:
            del _METADATA[next(iter(_METADATA))]
        return kept


def _chunks(metadata: pq.FileMetaData) -> int:
    return int(metadata.num_columns * metadata.num_row_groups)


@contextmanager
def opened_file(path: Path, **options: Any) -> Iterator[pq.ParquetFile]:
    """Open a Parquet file; errors of pyarrow become sentences."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(existing_file(path), pre_buffer=False, **options) as opened:
            yield opened
    except MemoryError:
        raise DataError(
            f'"{path.name}" needs more memory than is available.',
            hint="Read fewer columns (skip), or set streaming=true.",
        ) from None
    except (pa.ArrowException, UnicodeDecodeError):
        raise DataError(f'"{path.name}" is not a Parquet file, or is damaged.') from None
    except OSError:
        raise StorageError(f'"{path}" cannot be read; it may be damaged.') from None


def columns_to_read(schema: pa.Schema, skip: Sequence[str]) -> list[str]:
    """Return the names of all columns except those to skip."""
    from fsops.storage.matrix_column import COLUMN, MatrixNote

    note = MatrixNote.of(schema)
    names = schema.names
    if note is not None:
        names = note.all_names([name for name in schema.names if name != COLUMN])
    for name in skip:
        if name not in names:
            hint = did_you_mean(name, names)
            raise DataError(f'There is no column "{name}" to skip.', hint=hint)
    left_out = set(skip)
    return [name for name in names if name not in left_out]


def require_same_columns(path: Path, first: pa.Schema, other: pa.Schema) -> None:
    """Raise `DataError` if a file of a folder has other columns than the first."""
    from fsops.storage.matrix_column import MatrixNote

    if MatrixNote.of(first) != MatrixNote.of(other):
        raise DataError(
            f'"{path.name}" has other numerical columns than the first file of the folder.',
            hint="All files of a folder must have the same columns.",
        )
    if first.equals(other):
        return
    for wanted, field in zip(first, other, strict=False):
        if wanted.name != field.name or wanted.type != field.type:
            raise DataError(
                f'"{path.name}" has the column "{field.name}" ({field.type}) where the first file '
                f'of the folder has "{wanted.name}" ({wanted.type}).',
                hint="All files of a folder must have the same columns.",
            )
    if len(first) != len(other):
        raise DataError(
            f'"{path.name}" has {len(other)} columns, but the first file of the folder has '
            f"{len(first)}.",
            hint="All files of a folder must have the same columns.",
        )
