"""Tables in text files."""

from __future__ import annotations

import codecs
import csv
import io
import re
import stat
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TextIO

import numpy as np
import numpy.typing as npt

from fsops.data import ExampleSet, ExampleSetMetaData, Schema, ValueType, metadata_of
from fsops.data.names import Names, repeated
from fsops.data.number_texts import LOOKS_NUMERICAL, THOUSANDS
from fsops.errors import DataError, StorageError, did_you_mean, enumerate_names
from fsops.storage.small_csv import small_columns

if TYPE_CHECKING:
    import pandas as pd

    from fsops.storage.wide_csv import WideNumbers

NUMBER_TYPES = ("real", "integer", "numerical", "numeric")
SEPARATORS = (",", ";", "\t", "|")
# From so many columns on, in all and for each row, the wide road is the faster one: measured, see
# benchmarks/README.md.
WIDE, WIDE_PER_ROW = 1000, 5
SLIPS_TOLD = 3  # columns with slips that are told one by one
SMALL_BYTES = 2**18  # from here on pandas repays its import
DESCRIBED_BYTES = 8 * 2**20  # larger files are not read just to describe them
DESCRIBED_CSV = 64 * 2**20  # the same where the run need not read them again
SETTLED = 2.0  # seconds after which a change of a file shows in its times


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


Found = tuple[ExampleSet, list[str]]
"""A table, and warnings about it."""


def read_table(file: str, layout: CsvFormat) -> Found:
    """Return the table in a text file, and warnings about columns that look odd."""
    path = existing_file(Path(file))
    return _just_read.pop((str(path), layout, _state(path)), None) or _read(path, layout)


# What was read to describe a file before the run, for the run: at most one table.
_just_read: dict[tuple[str, CsvFormat, tuple[int, ...]], Found] = {}


def _state(path: Path) -> tuple[int, ...]:
    """Return what changes when a file does."""
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _read(path: Path, layout: CsvFormat) -> Found:
    """Read a table; small files and wide ones have roads of their own to the same."""
    _refuse_other_formats(path)
    separator = _separator(path, layout)
    names = _names(path, layout, separator)
    _check_known(layout, names)
    found = _read_wide(path, layout, separator, names) or _read_small(
        path, layout, separator, names
    )
    if found is None:
        frame = _read_frame(path, layout, separator, names)
        if not len(frame):
            raise DataError(
                f'"{path}" has no rows, only the names of the columns.',
                hint="Add rows, or turn first_row_as_names off.",
            )
        found = ExampleSet.from_pandas(frame, types=dict(layout.types)), _slips(frame, layout)
    examples, slips = found
    return examples.drop(layout.skip).with_roles(dict(layout.roles)), slips


def _check_known(layout: CsvFormat, names: list[str]) -> None:
    known = set(names)
    for name in layout.skip:
        if name not in known:
            raise unknown_column(name, names, "skip")
    skipped = set(layout.skip)
    for name, _ in (*layout.roles, *layout.types):
        if name in skipped:
            raise DataError(
                f'"{name}" is given a role or type, but is skipped too.', hint="Do one of them."
            )
        if name not in known:
            raise unknown_column(name, names, "give a role or type to")


def unknown_column(name: str, names: Sequence[str], purpose: str) -> DataError:
    """Return the error that a file has no such column, with the name that may be meant."""
    hint = did_you_mean(name, names) or f"There are {enumerate_names(names)}."
    return DataError(f'There is no column "{name}" to {purpose}.', hint=hint)


def _read_small(path: Path, layout: CsvFormat, separator: str, names: list[str]) -> Found | None:
    """Return the table in a small file of a simple kind, without the help of pandas."""
    simple = layout.decimal == "." and not layout.types and separator != " "
    if not simple or path.stat().st_size > SMALL_BYTES:
        return None
    with opened_text(path, layout) as stream:
        text = stream.read()
    columns = small_columns(text, names, separator, layout.missing, header=layout.header)
    return None if columns is None else (ExampleSet.from_columns(columns, len(columns[0][1])), [])


def _read_wide(path: Path, layout: CsvFormat, separator: str, names: list[str]) -> Found | None:
    """Return the table in a file of very many columns, most of them numbers."""
    if not _is_wide(path, len(names)):
        return None
    from fsops.storage.wide_csv import ENCODINGS, WideLayout, read_wide_numbers

    encoding = _encoding(layout.encoding)
    if encoding not in ENCODINGS or layout.decimal not in ".,":
        return None
    # Encoded one by one, words must not begin with the mark of a file.
    words = [word.encode(encoding.removesuffix("-sig"), "replace") for word in layout.missing]
    cut = WideLayout(
        len(names),
        layout.header,
        separator.encode(),
        layout.decimal.encode(),
        frozenset(words),
    )
    told = Names.of(names).find([name for name, _ in layout.types])
    found = read_wide_numbers(path, cut, told)
    if found is None:
        return None
    table = _table_of(found, names)
    if not len(found.others):
        return table, []
    rest_names = [names[j] for j in found.others]
    try:
        frame = _parsed(io.BytesIO(found.rest), layout, separator, rest_names, header=None)
    except (ValueError, UserWarning):
        return None  # the plain road says what is wrong
    others = ExampleSet.from_pandas(frame, types=dict(layout.types))
    further = [(attribute, others.column(attribute.name)) for attribute in others.attributes]
    table = table.with_columns(further)
    order = np.argsort(np.concatenate([found.positions, found.others]))
    return table.select(table.names.take(order)), _slips(frame, layout)


def _is_wide(path: Path, columns: int) -> bool:
    """Whether a file has very many columns and not many rows, as far as its second line tells."""
    if columns < WIDE:
        return False
    with path.open("rb") as stream:
        stream.readline()
        row = stream.readline()
    return columns >= WIDE_PER_ROW * path.stat().st_size / max(1, len(row))


def _table_of(found: WideNumbers, names: list[str]) -> ExampleSet:
    schema = Schema.numerical(Names.of(names).take(found.positions))
    whole = np.flatnonzero(found.whole)
    return ExampleSet.of_matrix(schema.as_numbers(whole, ValueType.INTEGER), found.values)


def csv_metadata(file: str, layout: CsvFormat) -> ExampleSetMetaData:
    """Return what a text file holds; only its existence is checked if it is large."""
    path = existing_file(Path(file))
    if path.stat().st_size > DESCRIBED_CSV:
        return ExampleSetMetaData()
    return _described(str(path), layout, _state(path))


@lru_cache(maxsize=32)
def _described(file: str, layout: CsvFormat, state: tuple[int, ...]) -> ExampleSetMetaData:
    path = Path(file)
    found = _read(path, layout)
    _just_read.clear()
    # Times of files tick: two changes at once may look like one.
    if time.time() - path.stat().st_mtime > SETTLED and _state(path) == state:
        _just_read[file, layout, state] = found
    told = metadata_of(found[0])
    assert isinstance(told, ExampleSetMetaData)
    return told


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


def _read_frame(path: Path, layout: CsvFormat, separator: str, names: list[str]) -> pd.DataFrame:
    import pandas as pd

    try:
        frame = _parsed(path, layout, separator, names, header=0 if layout.header else None)
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


def _parsed(
    source: Path | BinaryIO,
    layout: CsvFormat,
    separator: str,
    names: list[str],
    *,
    header: int | None,
) -> pd.DataFrame:
    import pandas as pd

    # Before 3.1 pandas did not read every number to the nearest double unless told so.
    old = tuple(int(part) for part in pd.__version__.split(".")[:2]) < (3, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)  # that data will be lost
        return pd.read_csv(
            source,
            sep=separator,
            header=header,
            names=names,
            decimal=layout.decimal,
            encoding=_encoding(layout.encoding),
            keep_default_na=False,
            na_values=list(layout.missing),
            index_col=False,
            low_memory=False,
            skip_blank_lines=isinstance(source, Path),
            float_precision="round_trip" if old else None,
            # Where numbers are names, each character counts: 007 is not 7.
            dtype={n: str for n, kind in layout.types if kind not in NUMBER_TYPES},
        )


def _plain(error: Exception) -> str:
    return str(error).replace("Error tokenizing data. C error: ", "").strip().rstrip(".")


def text_encoding(name: str) -> str:
    """Return an encoding by its usual name; an error if there is none, or if it is not of text."""
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        raise DataError(f'There is no encoding "{name}".', hint="Try utf-8 or latin-1.") from None
    if not getattr(found, "_is_text_encoding", True):
        raise DataError(f'"{name}" is not an encoding of text.', hint="Try utf-8 or latin-1.")
    return found.name


def _encoding(name: str) -> str:
    plain = text_encoding(name)
    # A byte-order mark at the start, as Excel writes it, is not part of the first name.
    return "utf-8-sig" if plain == "utf-8" else plain


def _wrong_encoding(path: Path, layout: CsvFormat, error: Exception) -> DataError:
    with path.open("rb") as stream:
        begin = stream.read(2)
    marked = begin in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) and "16" not in layout.encoding
    hint = "Set the encoding to utf-16." if marked else "Set the encoding, for example latin-1."
    return DataError(f'"{path.name}" is not {layout.encoding} text ({error}).', hint=hint)


@contextmanager
def opened_text(path: Path, layout: CsvFormat) -> Iterator[TextIO]:
    """Open a text file to read; what is wrong with it is told in words."""
    try:
        with path.open(encoding=_encoding(layout.encoding), newline="") as stream:
            yield stream
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
        with opened_text(path, layout) as stream:
            line = re.sub('"[^"]*"', "", stream.readline())
        return max((s for s in SEPARATORS if s != layout.decimal), key=line.count)
    return separator_of(layout.separator, layout.decimal)


def separator_of(told: str, decimal: str) -> str:
    """Return the separator a user means; an error if it cannot be one."""
    separator = "\t" if told in (r"\t", "tab") else told
    if len(separator) != 1 or not separator.isascii() or separator in '"\r\n':
        raise DataError(
            f'The separator must be one character, "tab" or "auto", not "{repr(separator)[1:-1]}".',
            hint="Common separators are the comma and the semicolon.",
        )
    if separator == decimal:
        raise DataError(
            f'"{separator}" cannot be both the separator and the decimal character.',
            hint="Set one of them to another character.",
        )
    return separator


def _names(path: Path, layout: CsvFormat, separator: str) -> list[str]:
    """Return the names of the columns; one without a name is called by its number, such as att3."""
    with opened_text(path, layout) as stream:
        first = next(csv.reader(stream, delimiter=separator), [])
    return column_names(path, first, header=layout.header)


def column_names(path: Path, first: list[str], *, header: bool) -> list[str]:
    """Return the names of columns by the cells of the first row."""
    if not any(cell.strip() for cell in first):
        raise DataError(
            f'"{path.name}" is empty or begins with an empty line.',
            hint="The first line must hold the names of the columns, or the first row.",
        )
    names = first
    if not header or not all(map(str.strip, first)):
        names = [
            cell if header and cell.strip() else f"att{number}"
            for number, cell in enumerate(first, start=1)
        ]
    double = sorted(repeated(names))
    if double:
        raise DataError(
            f'"{path.name}" has several columns called {enumerate_names(double)}.',
            hint="Rename them in the file.",
        )
    return names


def _check_lengths(path: Path, layout: CsvFormat, separator: str, width: int) -> None:
    """Raise `DataError`, naming the line, if a row has more or fewer values than columns."""
    with opened_text(path, layout) as stream:
        rows = csv.reader(stream, delimiter=separator)
        for row in rows:
            blank = len(row) <= 1 and not "".join(row).strip()
            trailing_separator = len(row) == width + 1 and not row[-1]
            if len(row) != width and not blank and not trailing_separator:
                raise DataError(
                    f'Line {rows.line_num} of "{path.name}" has {len(row)} '
                    f"value{'s' * (len(row) != 1)}, but there "
                    f"{'is 1 column' if width == 1 else f'are {width} columns'}.",
                    hint=_length_hint(rows.line_num, len(row) - width),
                )


def _length_hint(line: int, surplus: int) -> str:
    """Return what to do about a row that has more or fewer values than there are columns."""
    hint = (
        "Correct the line; put values that hold the separator in quotes. If the columns are not "
        "those of the file, set column_separators."
    )
    by_r = " If R wrote the file, the first column lacks a name: use write.csv, or col.names=NA."
    return hint + by_r if line == 2 and surplus == 1 else hint


def _slips(frame: pd.DataFrame, layout: CsvFormat) -> list[str]:
    """Return warnings about text columns that are almost all numbers."""
    known = {*dict(layout.types), *layout.skip}
    texts = frame.select_dtypes(exclude=["number", "bool"])
    odd = _odd_columns(texts[[name for name in texts if name not in known]], layout.decimal)
    told = [_slip(name, frame[name], layout.decimal) for name in odd[:SLIPS_TOLD]]
    more = odd[SLIPS_TOLD:]
    return [*told, f"So it is with {enumerate_names(more, SLIPS_TOLD)}."] if more else told


def _odd_columns(texts: pd.DataFrame, decimal: str) -> list[str]:
    """Return the names of columns for which `_slip` has a warning."""
    import pandas as pd

    if not texts.size:
        return []
    # All columns in one: a call for each costs far more than the values.
    together = texts.to_numpy(dtype=object).ravel(order="F")
    known = pd.Series(together, dtype="str").dropna()
    column = known.index.to_numpy() // len(texts)
    other = "," if decimal == "." else "."

    def share(is_so: pd.Series[bool]) -> npt.NDArray[np.float64]:
        found = np.bincount(column, is_so.to_numpy(dtype=bool), minlength=texts.shape[1])
        return found / np.maximum(np.bincount(column, minlength=texts.shape[1]), 1)

    marked = known.str.contains(other, regex=False)
    plain = pd.Series(False, index=known.index)
    plain[~marked] = _as_numbers(known[~marked], decimal).notna()
    numbers = share(plain)
    odd = (numbers >= LOOKS_NUMERICAL) & (numbers < 1)
    if marked.any():
        decimals = marked & ~known.str.fullmatch(THOUSANDS)
        odd |= (share(decimals) > 0) & (share(_as_numbers(known, other).notna()) == 1)
    return [str(name) for name in texts.columns[odd]]


def _slip(name: str, column: pd.Series[str], decimal: str) -> str:
    """Return the warning about one of `_odd_columns`."""
    known = column[column.notna()]
    texts = known.astype(str)
    numbers = _as_numbers(texts, decimal)
    if LOOKS_NUMERICAL <= numbers.notna().mean() < 1:
        first = known.index[numbers.isna()][0]
        return (
            f'"{name}" looks numerical, but row {first + 1} holds "{known.loc[first]}": '
            "read as nominal. Correct the value, or add it to missing_values."
        )
    other = "," if decimal == "." else "."
    # Three digits after each of them are probably thousands: 1,234 is not 1.234.
    told = texts[texts.str.contains(other, regex=False) & ~texts.str.fullmatch(THOUSANDS)]
    return (
        f'"{name}" is read as nominal, but looks numerical with "{other}" before the decimals: '
        f'row {told.index[0] + 1} holds "{told.iloc[0]}". Set decimal_character to "{other}".'
    )


def _as_numbers(texts: pd.Series[str], decimal: str) -> pd.Series[float]:
    """Return texts as numbers, missing where they are none."""
    import pandas as pd

    return pd.to_numeric(texts.str.replace(decimal, ".", regex=False), errors="coerce")
