"""Matrix Market files, alone or in a folder of 10x Genomics with names beside them."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from fsops import memory
from fsops.data import ExampleSet
from fsops.data.columns import nominal_column
from fsops.errors import DataError, StorageError
from fsops.storage.files import replacing
from fsops.storage.sparse_table import RowsFile, assembled, check_shape, unique_names
from fsops.storage.text_files import existing_file

MATRIX = ("matrix.mtx", "matrix.mtx.gz")
FEATURES = ("features.tsv", "features.tsv.gz", "genes.tsv", "genes.tsv.gz")
BARCODES = ("barcodes.tsv", "barcodes.tsv.gz")
ENTRY_BYTES = 4  # of the shortest line: "1 1" and its end
CHUNK = 2**20
GZIP_RATIO = 1032  # no file is compressed better
BYTES_PER_ENTRY = 32  # of memory, while the file is read and sorted by column

Rows = Literal["auto", "examples", "attributes"]


def read_matrix_market_table(
    file: str, *, rows: Rows, names: Literal["id", "symbol"], about: RowsFile
) -> ExampleSet:
    """Return the table in a file or folder; ``rows`` is the meaning of the lines of the matrix."""
    path = _matrix_in(Path(file))
    height, width = _checked_head(path)
    features, barcodes = _lines(path.parent, FEATURES), _lines(path.parent, BARCODES)
    by_attribute = rows == "attributes" or (
        rows == "auto" and features is not None and len(features) == height
    )
    shape = (width, height) if by_attribute else (height, width)
    check_shape(path, *shape)
    matrix = _read(path)
    if by_attribute:
        matrix = matrix.T
    found = _names(path, features, shape[1], names)
    others = about.table(shape[0], path.name)
    examples = assembled(matrix, found, others)
    if barcodes is None or about.id is not None:
        return examples
    if len(barcodes) != shape[0]:
        raise DataError(
            f"The file of barcodes has {len(barcodes):,} lines, but the matrix has {shape[0]:,} "
            "cells.",
            hint="Give files that belong together.",
        )
    return examples.with_columns([nominal_column("barcode", [b[0] for b in barcodes], role="id")])


def _matrix_in(path: Path) -> Path:
    if not path.is_dir():
        return existing_file(path)
    found = next((path / name for name in MATRIX if (path / name).is_file()), None)
    if found is None:
        raise StorageError(
            f'The folder "{path}" has no file matrix.mtx or matrix.mtx.gz.',
            hint="Choose a .mtx file, or the folder that Cell Ranger has written.",
        )
    return found


def _lines(folder: Path, names: Sequence[str]) -> list[list[str]] | None:
    """Return the lines of the first of these files that exists, cut at tabs."""
    path = next((folder / name for name in names if (folder / name).is_file()), None)
    if path is None:
        return None
    opener: Any = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8") as lines:
            return [line.rstrip("\r\n").split("\t") for line in lines]
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise DataError(f'"{path.name}" cannot be read: {error}.') from None


def _names(
    path: Path, features: list[list[str]] | None, width: int, kind: Literal["id", "symbol"]
) -> list[str] | None:
    if features is None:
        return None
    if len(features) != width:
        raise DataError(
            f'The file of features has {len(features):,} lines, but "{path.name}" has {width:,} '
            "attributes.",
            hint="Give files that belong together, or set rows.",
        )
    column = 1 if kind == "symbol" else 0
    return unique_names([line[min(column, len(line) - 1)] for line in features])


def _checked_head(path: Path) -> tuple[int, int]:
    """Return the shape that a file claims, after a look at whether it can be true."""
    from scipy.io import mminfo

    _refuse_zeros(path)
    try:
        rows, columns, entries, layout, field, _ = mminfo(str(path))
    except (ValueError, OverflowError, OSError, EOFError, zlib.error) as error:
        raise _unreadable(path, error) from None
    if layout != "coordinate" or field == "complex":
        raise DataError(
            f'"{path.name}" has the format {layout} {field}; coordinate files of real or whole '
            "numbers can be read.",
            hint="Write it with scipy.io.mmwrite of a sparse matrix.",
        )
    size = path.stat().st_size * (GZIP_RATIO if path.suffix == ".gz" else 1)
    if entries * ENTRY_BYTES > size:
        raise DataError(
            f'"{path.name}" claims {entries:,} entries, but is too short for them.',
            hint="The file is incomplete: copy or download it again.",
        )
    memory.require(
        float(BYTES_PER_ENTRY) * entries,
        f'"{path.name}" with {entries:,} entries',
        "Read a part of the table.",
    )
    return int(rows), int(columns)


def _refuse_zeros(path: Path) -> None:
    """Raise `DataError` if there is a zero byte, at which scipy's reader crashes."""
    opener: Any = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rb") as content:
            while chunk := content.read(CHUNK):
                if b"\0" in chunk:
                    raise _unreadable(path, ValueError("it contains zero bytes"))
    except (OSError, EOFError, zlib.error) as error:
        raise _unreadable(path, error) from None


def _read(path: Path) -> Any:
    from scipy.io import mmread
    from scipy.sparse import coo_array

    try:
        return coo_array(mmread(str(path), spmatrix=False))
    except (ValueError, OverflowError, OSError, EOFError, zlib.error) as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: Exception) -> DataError:
    reason = str(error).rstrip(". ") or "it ends too early"
    return DataError(
        f'"{path.name}" cannot be read as a Matrix Market file: {reason}.',
        hint="The file is incomplete or damaged: copy or download it again.",
    )


def write_matrix_market_table(examples: ExampleSet, folder: str) -> None:
    """Write a folder as Cell Ranger does: attributes × rows, features and barcodes beside it."""
    from scipy.io import mmwrite
    from scipy.sparse import coo_array

    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(
            f'The folder "{target}" cannot be made: {error.strerror}.', hint="Choose another one."
        ) from None
    matrix = coo_array(examples.matrix()).T
    with (
        replacing(target / MATRIX[1]) as stream,
        gzip.GzipFile(fileobj=stream, mode="wb", mtime=0) as packed,
    ):
        mmwrite(packed, matrix)
    names = examples.schema.names_at(examples.schema.regular_numerical)
    _write_lines(target / FEATURES[1], map("{0}\t{0}\tGene Expression".format, names))
    _write_lines(target / BARCODES[1], _identities(examples))


def _identities(examples: ExampleSet) -> list[str]:
    identity = examples.schema.special("id")
    if identity is None:
        return [str(number) for number in range(1, len(examples) + 1)]
    if identity.value_type.is_nominal:
        return [str(text) for text in examples.nominal_values(identity.name)]
    return [f"{value:.17g}" for value in np.asarray(examples.column(identity.name), float)]


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    with replacing(path) as stream:
        stream.write(gzip.compress("".join(map("{}\n".format, lines)).encode(), mtime=0))
