"""Tables in Parquet files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fsops.data import ExampleSet, ExampleSetMetaData
from fsops.errors import DataError, StorageError, did_you_mean
from fsops.storage.files import replacing
from fsops.storage.tables import DESCRIBED_BYTES, existing_file

if TYPE_CHECKING:
    import pyarrow.parquet as pq


def read_parquet_table(
    file: str, *, roles: dict[str, str], types: dict[str, str], skip: Sequence[str]
) -> ExampleSet:
    """Return the table in a Parquet file, without the columns to skip."""
    with _opened(file) as opened:
        names = opened.schema_arrow.names
        for name in skip:
            if name not in names:
                hint = did_you_mean(name, names)
                raise DataError(f'There is no column "{name}" to skip.', hint=hint)
        table = opened.read(columns=[name for name in names if name not in set(skip)])
    return ExampleSet.from_arrow(table, roles=roles, types=types)


def write_parquet_table(examples: ExampleSet, file: str) -> None:
    """Write a table with its value types, roles and categories."""
    import pyarrow.parquet as pq

    with replacing(file) as stream:
        pq.write_table(examples.to_arrow(), stream)


def parquet_metadata(file: str, **layout: Any) -> ExampleSetMetaData:
    """Return what a Parquet file holds; of a large one only the number of rows."""
    if existing_file(Path(file)).stat().st_size > DESCRIBED_BYTES:
        with _opened(file) as opened:
            return ExampleSetMetaData(rows=opened.metadata.num_rows)
    examples = read_parquet_table(file, **layout)
    return ExampleSetMetaData(schema=examples.schema, rows=len(examples))


@contextmanager
def _opened(file: str) -> Iterator[pq.ParquetFile]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = existing_file(Path(file))
    try:
        with pq.ParquetFile(path) as opened:
            yield opened
    except (pa.ArrowException, UnicodeDecodeError):
        raise DataError(f'"{path.name}" is not a Parquet file, or is damaged.') from None
    except OSError:
        raise StorageError(f'"{path}" cannot be read; it may be damaged.') from None
