"""Tables of coordinates: a line has a row, a column and the value in that place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fsops.data import ExampleSet
from fsops.errors import DataError, did_you_mean, enumerate_names
from fsops.storage.files import replacing
from fsops.storage.parquet_files import require_memory
from fsops.storage.sparse_table import RowsFile, assembled, check_shape
from fsops.storage.text_files import existing_file

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class CoordinateColumns:
    """Names of the columns of a file, and the number of attributes if it is known."""

    row: str = "row"
    column: str = "column"
    value: str = "value"
    attributes: int | None = None


def read_coordinates_table(file: str, columns: CoordinateColumns, about: RowsFile) -> ExampleSet:
    """Return the table of which a file has the values that are not zero."""
    from scipy.sparse import coo_array, csc_array

    path = existing_file(Path(file))
    found = _columns(path, columns)
    rows = _places(path, columns.row, found[columns.row])
    others = about.table(None, path.name)
    names: Sequence[str] | None = None
    if _is_text(found[columns.column]):
        encoded = found[columns.column].dictionary_encode(null_encoding="encode")
        names = encoded.dictionary.to_pylist()
        places = encoded.indices.to_numpy().astype(np.int64)
    else:
        places = _places(path, columns.column, found[columns.column])
    shape = _shape(path, rows, places, columns, None if others is None else len(others))
    check_shape(path, *shape)
    values = _values(path, columns.value, found, len(rows))
    matrix = csc_array(coo_array((values, (rows, places)), shape=shape))
    if matrix.nnz < len(values):
        raise DataError(
            f'{len(values) - matrix.nnz:,} lines of "{path.name}" repeat a place of another line.',
            hint="Give each pair of row and column one value.",
        )
    return assembled(matrix, names, others)


def _shape(
    path: Path, rows: Ints, places: Ints, columns: CoordinateColumns, n_rows: int | None
) -> tuple[int, int]:
    height, width = (int(a.max(initial=-1)) + 1 for a in (rows, places))
    if n_rows is not None and height > n_rows:
        raise DataError(
            f'"{path.name}" has values in {height:,} rows, but the file about the rows has '
            f"{n_rows:,} lines.",
            hint="Give a file with one line for each row.",
        )
    if columns.attributes is not None and width > columns.attributes:
        raise DataError(
            f'"{path.name}" has an attribute number {width:,}, but number_of_attributes is '
            f"{columns.attributes:,}.",
            hint="Set a larger number.",
        )
    return height if n_rows is None else n_rows, columns.attributes or width


def _columns(path: Path, wanted: CoordinateColumns) -> dict[str, Any]:
    """Return the columns of the file by name, as Arrow arrays; the values may be absent."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyarrow import csv

    try:
        if path.suffix.lower() == ".parquet":
            require_memory([path], ())
            table = pq.read_table(path)
        else:
            with path.open("rb") as content:  # by its name Arrow would unpack a compressed file
                table = csv.read_csv(content)
        names = table.column_names  # decodes them
    except UnicodeDecodeError:
        raise DataError(
            f'"{path.name}" has names of columns that are not UTF-8.',
            hint="Save the file in the encoding UTF-8.",
        ) from None
    except (pa.ArrowException, OSError) as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise DataError(f'"{path.name}" cannot be read: {reason}.') from None
    for name in (wanted.row, wanted.column):
        if name not in names:
            hint = did_you_mean(name, names)
            known = f"There are {enumerate_names(names)}."
            raise DataError(f'"{path.name}" has no column "{name}".', hint=hint or known)
    return {name: _plain(table[name].combine_chunks()) for name in names}


def _plain(column: Any) -> Any:
    import pyarrow.types as kinds

    return column.dictionary_decode() if kinds.is_dictionary(column.type) else column


def _is_text(column: Any) -> bool:
    import pyarrow.types as kinds

    return bool(kinds.is_string(column.type) or kinds.is_large_string(column.type))


def _places(path: Path, name: str, column: Any) -> Ints:
    """Return places counted from 0; the file may count from 0 or from 1."""
    if column.null_count or _is_text(column):
        raise DataError(f'Column "{name}" of "{path.name}" must have a whole number in each line.')
    numbers = column.to_numpy(zero_copy_only=False)
    if numbers.dtype.kind not in "iuf" or not np.array_equal(numbers, np.rint(numbers)):
        raise DataError(f'Column "{name}" of "{path.name}" must have a whole number in each line.')
    if numbers.size and numbers.min() < 0:
        line = int(np.argmax(numbers < 0)) + 1
        raise DataError(
            f'Column "{name}" of "{path.name}" has {numbers.min():g} in value {line:,}, but rows '
            "and columns are counted from 0 or 1."
        )
    if numbers.size and numbers.max() >= 2**53:
        raise DataError(f'Column "{name}" of "{path.name}" has the number {numbers.max():g}.')
    places: Ints = numbers.astype(np.int64)
    return places if (places == 0).any() or not places.size else places - 1


def _values(path: Path, name: str, found: dict[str, Any], n: int) -> npt.NDArray[Any]:
    """Return the values; 1 for each line of a file without such a column."""
    if name not in found:
        return np.ones(n)
    numbers = found[name].to_numpy(zero_copy_only=False)
    if numbers.dtype.kind not in "iufb":
        raise DataError(f'Column "{name}" of "{path.name}" must hold numbers.')
    values: npt.NDArray[Any] = numbers
    return values if values.dtype == np.float32 else values.astype(np.float64)


def write_coordinates_table(examples: ExampleSet, file: str) -> None:
    """Write row number, attribute name and value of each number that is not zero."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyarrow import csv
    from scipy.sparse import coo_array

    matrix = coo_array(examples.matrix())
    names = pa.array(list(examples.schema.names_at(examples.schema.regular_numerical)), pa.string())
    columns = pa.DictionaryArray.from_arrays(pa.array(matrix.col.astype(np.int32)), names)
    parquet = Path(file).suffix.lower() == ".parquet"
    table = pa.table(
        {
            "row": pa.array(matrix.row.astype(np.int64)),
            "column": columns if parquet else columns.dictionary_decode(),
            "value": pa.array(matrix.data),
        }
    )
    with replacing(Path(file)) as stream:
        (pq.write_table if parquet else csv.write_csv)(table, stream)
