"""Tables in text files."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from fsops.data import ExampleSet, ExampleSetMetaData
from fsops.errors import DataError, StorageError, enumerate_names

if TYPE_CHECKING:
    import pandas as pd

SEPARATORS = (",", ";", "\t", "|")
LOOKS_NUMERICAL = 0.9  # share of numbers from which a text in the column is probably a slip
DESCRIBED_BYTES = 8 * 2**20  # larger files are not read just to describe them


@dataclass(frozen=True)
class CsvFormat:
    """How a text file is laid out, and what its columns mean."""

    separator: str = "auto"
    decimal: str = "."
    encoding: str = "utf-8"
    header: bool = True
    missing: tuple[str, ...] = ("",)
    types: tuple[tuple[str, str], ...] = ()
    roles: tuple[tuple[str, str], ...] = ()


def read_table(file: str, layout: CsvFormat) -> tuple[ExampleSet, list[str]]:
    """Return the table in a text file, and warnings about columns that look odd."""
    frame = _read_frame(Path(file), layout)
    if not len(frame):
        raise DataError(f'"{file}" has no rows.')
    types = dict(layout.types)
    warnings = [
        warning
        for name in frame.columns
        if name not in types and (warning := _slip(str(name), frame[name], layout.decimal))
    ]
    return ExampleSet.from_pandas(frame, roles=dict(layout.roles), types=types), warnings


def csv_metadata(file: str, layout: CsvFormat) -> ExampleSetMetaData:
    """Return what a text file holds; only its existence is checked if it is large."""
    path = _existing(Path(file))
    status = path.stat()
    if status.st_size > DESCRIBED_BYTES:
        return ExampleSetMetaData()
    return _described(str(path), layout, status.st_mtime_ns)


@lru_cache(maxsize=32)
def _described(file: str, layout: CsvFormat, changed: int) -> ExampleSetMetaData:
    examples, _ = read_table(file, layout)
    return ExampleSetMetaData(schema=examples.schema, rows=len(examples))


def _existing(path: Path) -> Path:
    if path.is_dir():
        raise StorageError(f'"{path}" is a folder, not a file.')
    if not path.exists():
        near = (
            sorted(p.name for p in path.parent.glob(f"*{path.suffix}"))
            if path.parent.is_dir()
            else []
        )
        hint = f"The folder has {enumerate_names(near)}." if near else "Check the path."
        raise StorageError(f'There is no file "{path}".', hint=hint)
    return path


def _read_frame(path: Path, layout: CsvFormat) -> pd.DataFrame:
    import pandas as pd

    names = _first_row(_existing(path), layout)
    separator = _separator(path, layout)
    double = sorted({name for name in names if names.count(name) > 1}) if layout.header else []
    if double:
        raise DataError(f'"{path.name}" has several columns called {enumerate_names(double)}.')
    try:
        return pd.read_csv(
            path,
            sep=separator,
            header=0 if layout.header else None,
            names=None if layout.header else [f"att{i + 1}" for i in range(len(names))],
            decimal=layout.decimal,
            encoding=_encoding(layout.encoding),
            keep_default_na=False,
            na_values=list(layout.missing),
            index_col=False,
            low_memory=False,
            float_precision="round_trip",
        )
    except pd.errors.ParserError as error:
        raise DataError(f'"{path.name}" is not a proper table: {_plain(error)}.') from None
    except UnicodeDecodeError as error:
        raise _wrong_encoding(path, layout, error) from None
    except OSError as error:
        raise StorageError(f'"{path}" cannot be read: {error.strerror}.') from None


def _plain(error: Exception) -> str:
    return str(error).replace("Error tokenizing data. C error: ", "").strip().rstrip(".")


def _encoding(name: str) -> str:
    # A byte-order mark at the start, as Excel writes it, is not part of the first name.
    return "utf-8-sig" if name.lower().replace("-", "") == "utf8" else name


def _wrong_encoding(path: Path, layout: CsvFormat, error: Exception) -> DataError:
    return DataError(
        f'"{path.name}" is not {layout.encoding} text ({error}).',
        hint="Set the encoding, for example latin-1.",
    )


def _first_line(path: Path, layout: CsvFormat) -> str:
    try:
        with path.open(encoding=_encoding(layout.encoding), newline="") as stream:
            line = stream.readline()
    except LookupError:
        raise DataError(
            f'There is no encoding "{layout.encoding}".', hint="Try utf-8 or latin-1."
        ) from None
    except UnicodeDecodeError as error:
        raise _wrong_encoding(path, layout, error) from None
    except OSError as error:
        raise StorageError(f'"{path}" cannot be read: {error.strerror}.') from None
    if not line.strip():
        raise DataError(f'"{path.name}" is empty or begins with an empty line.')
    return line


def _separator(path: Path, layout: CsvFormat) -> str:
    if layout.separator == "auto":
        line = _first_line(path, layout)
        return max(SEPARATORS, key=line.count)
    if len(layout.separator) != 1:
        raise DataError(f'The separator must be one character or "auto", not "{layout.separator}".')
    return layout.separator


def _first_row(path: Path, layout: CsvFormat) -> list[str]:
    line = _first_line(path, layout)
    return next(csv.reader([line], delimiter=_separator(path, layout)))


def _slip(name: str, column: pd.Series[str], decimal: str) -> str:
    """Return a warning if a text column is almost all numbers, or an empty string."""
    import pandas as pd

    if pd.api.types.is_numeric_dtype(column.dtype) or not column.notna().any():
        return ""
    known = column[column.notna()]
    numbers = pd.to_numeric(
        known.astype(str).str.replace(decimal, ".", regex=False), errors="coerce"
    )
    if not LOOKS_NUMERICAL <= numbers.notna().mean() < 1:
        return ""
    first = known.index[numbers.isna()][0]
    return (
        f'"{name}" looks numerical, but row {first + 1} holds "{known.loc[first]}": '
        "read as nominal. Correct the value, or add it to missing_values."
    )
