"""Text files with a table: existence, encoding, separator, names of columns, length of lines."""

from __future__ import annotations

import codecs
import csv
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple, TextIO

from fsops.data.names import repeated
from fsops.errors import DataError, StorageError, did_you_mean, enumerate_names
from fsops.storage.duplicates import REFUSE, numbered
from fsops.storage.text_layout import ROW_NAMES, first_table_line, is_geo

LOOKED_AT = 20
"""Rows that decide whether the header lacks a name."""
SEPARATORS = (",", ";", "\t", "|")


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
    comment: str = ""
    """Lines that start with it are passed over; empty: none."""
    transposed: bool = False
    """Whether attributes are in rows."""
    names_column: str = ""
    """Where attributes are in rows, the column with their names; empty: the first."""
    duplicates: str = REFUSE
    geo: bool = False
    """Whether the file is a GEO series matrix."""


class Columns(NamedTuple):
    """Names of the columns of a text file."""

    names: list[str]
    """All different."""
    originals: list[str]
    """As the file has them."""
    row_names: bool
    """Whether the header lacks a name for the first column, which names the rows."""


def existing_file(path: Path) -> Path:
    """Return the path of a file; an error says why it is none, and what might be meant."""
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise StorageError(f'There is no file "{path}".', hint=_nearby(path)) from None
    except OSError as error:
        raise unreadable(path, error) from None
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


def unreadable(path: Path, error: OSError) -> StorageError:
    """Return the error that a file cannot be read."""
    return StorageError(
        f'"{path}" cannot be read: {error.strerror}.', hint="Check the path and its permissions."
    )


def refuse_other_formats(path: Path) -> None:
    """Return the format of a file that is not text, by its first bytes."""
    try:
        with path.open("rb") as stream:
            begin = stream.read(4)
    except OSError:
        return  # reported where the file is read
    known = {
        b"PK\x03\x04": ("an Excel or zip file", "Save the sheet as CSV."),
        b"PAR1": ("a Parquet file", "Use Read Parquet."),
        b"\x89HDF": ("an HDF5 file", "Save the table as CSV or Parquet."),
    }
    for mark, (kind, hint) in known.items():
        if begin.startswith(mark):
            raise DataError(f'"{path.name}" is {kind}, not text.', hint=hint)


def text_encoding(name: str) -> str:
    """Return an encoding by its usual name; an error if there is none, or if it is not of text."""
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        raise DataError(f'There is no encoding "{name}".', hint="Try utf-8 or latin-1.") from None
    if not getattr(found, "_is_text_encoding", True):
        raise DataError(f'"{name}" is not an encoding of text.', hint="Try utf-8 or latin-1.")
    return found.name


def encoding_for(name: str) -> str:
    """Return an encoding that passes over a byte-order mark."""
    plain = text_encoding(name)
    # A byte-order mark at the start, as Excel writes it, is not part of the first name.
    return "utf-8-sig" if plain == "utf-8" else plain


def wrong_encoding(path: Path, layout: CsvFormat, error: Exception) -> DataError:
    """Return the error that a file has another encoding."""
    with path.open("rb") as stream:
        begin = stream.read(2)
    marked = begin in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) and "16" not in layout.encoding
    hint = "Set the encoding to utf-16." if marked else "Set the encoding, for example latin-1."
    return DataError(f'"{path.name}" is not {layout.encoding} text ({error}).', hint=hint)


@contextmanager
def opened_text(path: Path, layout: CsvFormat) -> Iterator[TextIO]:
    """Open a text file to read; errors are reported in words."""
    try:
        with path.open(encoding=encoding_for(layout.encoding), newline="") as stream:
            yield stream
    except UnicodeError as error:
        raise wrong_encoding(path, layout, error) from None
    except csv.Error as error:
        raise DataError(
            f'"{path.name}" is not a proper table: {error}.', hint="Check separators and quotes."
        ) from None
    except OSError as error:
        raise unreadable(path, error) from None


def found_separator(path: Path, layout: CsvFormat) -> str:
    """Return the character between the columns; where nothing else is, a space, as R writes it."""
    if layout.separator == "auto":
        with opened_text(path, layout) as stream:
            line = re.sub('"[^"]*"', "x", stream.readline())
        best = max((s for s in SEPARATORS if s != layout.decimal), key=line.count)
        return best if best in line or " " not in line.strip() else " "
    return separator_of(layout.separator, layout.decimal)


def separator_of(given: str, decimal: str) -> str:
    """Return the separator a user means; an error if it cannot be one."""
    separator = "\t" if given in (r"\t", "tab") else given
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


def column_names(path: Path, first: list[str], *, header: bool) -> list[str]:
    """Return the names of columns by the cells of the first row."""
    if not any(cell.strip() for cell in first):
        raise DataError(
            f'"{path.name}" is empty or begins with an empty line.',
            hint="The first line must hold the names of the columns, or the first row.",
        )
    if header and all(map(str.strip, first)):
        return first
    names = [
        cell if header and cell.strip() else f"att{number}"
        for number, cell in enumerate(first, start=1)
    ]
    if header and not first[0].strip() and len(first) > 1 and ROW_NAMES not in names:
        names[0] = ROW_NAMES
    return names


def different_columns(path: Path, names: list[str], duplicates: str) -> list[str]:
    """Return names that differ; equal ones are numbered, or refused."""
    double = sorted(repeated(names))
    if double and duplicates == REFUSE:
        raise DataError(
            f'"{path.name}" has several columns called {enumerate_names(double)}.',
            hint="Set duplicates to number, mean or first, or rename them in the file.",
        )
    return numbered(names) if double else names


def columns_of(path: Path, layout: CsvFormat, separator: str) -> Columns:
    """Return the names of the columns; one without a name is called by its number, such as att3.

    If the second line has one value more than the header, as R writes it, the first column names
    the rows.
    """
    with opened_text(path, layout) as stream:
        reader = csv.reader(stream, delimiter=separator, skipinitialspace=separator == " ")
        first = next(reader, [])
        width = len(first) + 1
        line = next((each for each in stream if each.strip("\r\n")), "") if layout.header else ""
        if _may_have(line, separator, width):
            lines = chain([line], stream)
            reader = csv.reader(lines, delimiter=separator, skipinitialspace=separator == " ")
            short = _name_rows(reader, width)
        else:
            short = False
    found = column_names(path, first, header=layout.header)
    if short:
        found = [ROW_NAMES if ROW_NAMES not in found else f"{ROW_NAMES}.1", *found]
    return Columns(different_columns(path, found, layout.duplicates), found, short)


def _may_have(line: str, separator: str, width: int) -> bool:
    """Whether a line may have so many values; most have fewer, and need not be cut."""
    goes_on = line.count('"') % 2 == 1
    return bool(line) and (goes_on or line.count(separator) >= width - 1)


def _name_rows(reader: Iterator[list[str]], width: int) -> bool:
    """Whether the next rows have so many values, the first of which differ.

    A separator at the end of each line does not count.
    """
    try:
        rows = [row for row in islice(reader, LOOKED_AT) if row]
    except csv.Error:
        return False
    lengths = {len(row) for row in rows}
    full = any(row[-1].strip() for row in rows)
    return lengths == {width} and full and len({row[0] for row in rows}) == len(rows)


def check_lengths(path: Path, layout: CsvFormat, separator: str, columns: Columns) -> None:
    """Raise `DataError`, naming the line, if a row has more or fewer values than columns."""
    width = len(columns.names)
    _check_quotes(path, layout, separator)
    with opened_text(path, layout) as stream:
        rows = csv.reader(stream, delimiter=separator, skipinitialspace=separator == " ")
        for row in rows:
            if columns.row_names and rows.line_num == 1:
                continue
            blank = len(row) <= 1 and not "".join(row).strip()
            trailing_separator = len(row) == width + 1 and not row[-1]
            if len(row) != width and not blank and not trailing_separator:
                raise DataError(
                    f'Line {rows.line_num} of "{path.name}" has {len(row)} '
                    f"value{'s' * (len(row) != 1)}, but there "
                    f"{'is 1 column' if width == 1 else f'are {width} columns'}.",
                    hint="Correct the line; put values that hold the separator in quotes. If the "
                    "columns are not those of the file, set column_separator.",
                )


def _check_quotes(path: Path, layout: CsvFormat, separator: str) -> None:
    """Raise `DataError`, naming the line, if a quotation mark is opened and never closed."""
    last = 0
    with opened_text(path, layout) as stream:
        rows = csv.reader(stream, delimiter=separator, strict=True)
        try:
            for _ in rows:
                last = rows.line_num
        except csv.Error as error:
            if "unexpected end" in str(error):
                raise DataError(
                    f'Line {last + 1} of "{path.name}": a quote is opened and never closed.',
                    hint="Close or remove the quotation mark.",
                ) from None


def refuse_other_layouts(path: Path, layout: CsvFormat) -> None:
    """Raise `DataError` if a file begins with comments or is a GEO series matrix."""
    with opened_text(path, layout) as stream:
        begin = stream.read(2**12)
    if is_geo(begin):
        with opened_text(path, layout) as stream:
            line = first_table_line(stream, "!")
        raise DataError(
            f'"{path.name}" is a GEO series matrix; the table starts at line {line}.',
            hint="Use Read GEO Series Matrix.",
        )
    if begin.startswith("#"):
        with opened_text(path, layout) as stream:
            line = first_table_line(stream, "#")
        if line > 2 or (line == 2 and not _alike(begin)):
            raise DataError(
                f'"{path.name}" begins with comment lines; the table starts at line {line}.',
                hint='Skip lines that start with "#": set skip_comments.',
            )


def _alike(begin: str) -> bool:
    """Whether the first two lines have equally many columns, so that the first is the header."""
    lines = begin.splitlines()[:2]
    counts = [{separator: line.count(separator) for separator in SEPARATORS} for line in lines]
    return len(counts) == 2 and counts[0] == counts[1]
