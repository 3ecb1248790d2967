"""Tables in text files."""

from __future__ import annotations

import codecs
import csv
import re
import stat
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from fsops.data import ExampleSet, ExampleSetMetaData
from fsops.errors import DataError, StorageError, did_you_mean, enumerate_names

if TYPE_CHECKING:
    import pandas as pd

NUMBER_TYPES = ("real", "integer", "numerical", "numeric")
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
    skip: tuple[str, ...] = ()


def read_table(file: str, layout: CsvFormat) -> tuple[ExampleSet, list[str]]:
    """Return the table in a text file, and warnings about columns that look odd."""
    frame = _read_frame(Path(file), layout)
    for name in layout.skip:
        if name not in frame.columns:
            hint = did_you_mean(name, map(str, frame.columns))
            raise DataError(f'There is no column "{name}" to skip.', hint=hint)
    frame = frame.drop(columns=list(layout.skip))
    if not len(frame):
        raise DataError(
            f'"{file}" has no rows, only the names of the columns.',
            hint="Add rows, or turn first_row_as_names off.",
        )
    types = dict(layout.types)
    warnings = [
        warning
        for name in frame.select_dtypes(exclude=["number", "bool"]).columns
        if name not in types and (warning := _slip(name, frame[name], layout.decimal))
    ]
    return ExampleSet.from_pandas(frame, roles=dict(layout.roles), types=types), warnings


def csv_metadata(file: str, layout: CsvFormat) -> ExampleSetMetaData:
    """Return what a text file holds; only its existence is checked if it is large."""
    path = existing_file(Path(file))
    status = path.stat()
    if status.st_size > DESCRIBED_BYTES:
        return ExampleSetMetaData()
    return _described(str(path), layout, status.st_mtime_ns)


@lru_cache(maxsize=32)
def _described(file: str, layout: CsvFormat, changed: int) -> ExampleSetMetaData:
    examples, _ = read_table(file, layout)
    return ExampleSetMetaData(schema=examples.schema, rows=len(examples))


def existing_file(path: Path) -> Path:
    """Return the path of a file; an error says why it is none, and what might be meant."""
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise StorageError(f'There is no file "{path}".', hint=_nearby(path)) from None
    except OSError as error:
        raise _unreadable(path, error) from None
    if stat.S_ISDIR(status.st_mode):
        raise StorageError(f'"{path}" is a folder, not a file.', hint="Choose a file in it.")
    if not stat.S_ISREG(status.st_mode):
        raise StorageError(f'"{path}" is a device, not a file.', hint="Choose a file.")
    return path


def _nearby(path: Path) -> str:
    try:
        near = sorted(p.name for p in path.parent.iterdir() if p.suffix == path.suffix)
    except (OSError, ValueError):
        return "Check the path."
    meant = did_you_mean(path.name, near)
    return meant or (f"The folder has {enumerate_names(near)}." if near else "Check the path.")


def _unreadable(path: Path, error: OSError) -> StorageError:
    return StorageError(
        f'"{path}" cannot be read: {error.strerror}.', hint="Check the path and its permissions."
    )


def _refuse_other_formats(path: Path) -> None:
    """Say what a file is that is no text at all, by its first bytes."""
    try:
        with path.open("rb") as stream:
            begin = stream.read(4)
    except OSError:
        return  # told where the file is read
    known = {
        b"PK\x03\x04": ("an Excel or zip file", "Save the sheet as CSV."),
        b"PAR1": ("a Parquet file", "Use Read Parquet."),
        b"\x1f\x8b": ("compressed", "Unpack it first."),
    }
    for mark, (kind, hint) in known.items():
        if begin.startswith(mark):
            raise DataError(f'"{path.name}" is {kind}, not text.', hint=hint)


def _read_frame(path: Path, layout: CsvFormat) -> pd.DataFrame:
    import pandas as pd

    _refuse_other_formats(existing_file(path))
    separator = _separator(path, layout)
    names = _names(path, layout, separator)
    # Before 3.1 pandas did not read every number to the nearest double unless told so.
    old = tuple(int(part) for part in pd.__version__.split(".")[:2]) < (3, 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # that data will be lost
            frame = pd.read_csv(
                path,
                sep=separator,
                header=0 if layout.header else None,
                names=names,
                decimal=layout.decimal,
                encoding=_encoding(layout.encoding),
                keep_default_na=False,
                na_values=list(layout.missing),
                index_col=False,
                low_memory=False,
                float_precision="round_trip" if old else None,
                # Where numbers are names, each character counts: 007 is not 7.
                dtype={n: str for n, kind in layout.types if kind not in NUMBER_TYPES},
            )
    except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
        _check_lengths(path, layout, separator, len(names))
        raise DataError(
            f'"{path.name}" is not a proper table: {_plain(error)}.',
            hint="Check separators and quotes.",
        ) from None
    except UnicodeError as error:
        raise _wrong_encoding(path, layout, error) from None
    except OSError as error:
        raise _unreadable(path, error) from None
    # A row that is too short looks to pandas as if its last values were missing.
    if len(names) > 1 and frame.iloc[:, -1].isna().any():
        _check_lengths(path, layout, separator, len(names))
    return frame


def _plain(error: Exception) -> str:
    return str(error).replace("Error tokenizing data. C error: ", "").strip().rstrip(".")


def _encoding(name: str) -> str:
    try:
        plain = codecs.lookup(name).name
    except (LookupError, ValueError):
        raise DataError(f'There is no encoding "{name}".', hint="Try utf-8 or latin-1.") from None
    # A byte-order mark at the start, as Excel writes it, is not part of the first name.
    return "utf-8-sig" if plain == "utf-8" else plain


def _wrong_encoding(path: Path, layout: CsvFormat, error: Exception) -> DataError:
    return DataError(
        f'"{path.name}" is not {layout.encoding} text ({error}).',
        hint="Set the encoding, for example latin-1.",
    )


@contextmanager
def _opened(path: Path, layout: CsvFormat) -> Iterator[TextIO]:
    try:
        with path.open(encoding=_encoding(layout.encoding), newline="") as stream:
            yield stream
    except LookupError:  # an encoding of bytes, not of text
        raise DataError(
            f'"{layout.encoding}" is not an encoding of text.', hint="Try utf-8 or latin-1."
        ) from None
    except UnicodeError as error:
        raise _wrong_encoding(path, layout, error) from None
    except csv.Error as error:
        raise DataError(
            f'"{path.name}" is not a proper table: {error}.', hint="Check separators and quotes."
        ) from None
    except OSError as error:
        raise _unreadable(path, error) from None


def _separator(path: Path, layout: CsvFormat) -> str:
    if layout.separator == "auto":
        with _opened(path, layout) as stream:
            line = re.sub('"[^"]*"', "", stream.readline())
        return max((s for s in SEPARATORS if s != layout.decimal), key=line.count)
    separator = "\t" if layout.separator in (r"\t", "tab") else layout.separator
    if len(separator) != 1 or not separator.isascii() or separator in '"\r\n':
        raise DataError(
            f'The separator must be one character, "tab" or "auto", not "{repr(separator)[1:-1]}".',
            hint="Common separators are the comma and the semicolon.",
        )
    if separator == layout.decimal:
        raise DataError(
            f'"{separator}" cannot be both the separator and the decimal character.',
            hint="Set one of them to another character.",
        )
    return separator


def _names(path: Path, layout: CsvFormat, separator: str) -> list[str]:
    """Return the names of the columns; one without a name is called by its number, such as att3."""
    with _opened(path, layout) as stream:
        first = next(csv.reader(stream, delimiter=separator), [])
    if not any(cell.strip() for cell in first):
        raise DataError(
            f'"{path.name}" is empty or begins with an empty line.',
            hint="The first line must hold the names of the columns, or the first row.",
        )
    names = [
        cell if layout.header and cell.strip() else f"att{number}"
        for number, cell in enumerate(first, start=1)
    ]
    double = sorted(name for name, times in Counter(names).items() if times > 1)
    if double:
        raise DataError(
            f'"{path.name}" has several columns called {enumerate_names(double)}.',
            hint="Rename them in the file.",
        )
    return names


def _check_lengths(path: Path, layout: CsvFormat, separator: str, width: int) -> None:
    """Raise `DataError`, naming the line, if a row has more or fewer values than columns."""
    with _opened(path, layout) as stream:
        rows = csv.reader(stream, delimiter=separator)
        for row in rows:
            blank = len(row) <= 1 and not "".join(row).strip()
            trailing_separator = len(row) == width + 1 and not row[-1]
            if len(row) != width and not blank and not trailing_separator:
                raise DataError(
                    f'Line {rows.line_num} of "{path.name}" has {len(row)} '
                    f"value{'s' * (len(row) != 1)}, but there are {width} columns.",
                    hint="Correct the line; put values that hold the separator in quotes.",
                )


def _slip(name: str, column: pd.Series[str], decimal: str) -> str:
    """Return a warning if a text column is almost all numbers, or an empty string."""
    import pandas as pd

    known = column[column.notna()]
    if not len(known):
        return ""
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
