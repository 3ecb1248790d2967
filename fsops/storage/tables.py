"""Tables in text files."""

from __future__ import annotations

import csv
import io
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
import numpy.typing as npt

from fsops.data import ExampleSet, ExampleSetMetaData, Schema, ValueType, metadata_of
from fsops.data.names import Names
from fsops.data.number_texts import LOOKS_NUMERICAL, THOUSANDS
from fsops.errors import DataError, enumerate_names, unknown_column
from fsops.storage.compressed import unpacked
from fsops.storage.duplicates import FIRST, MEAN, merged
from fsops.storage.small_csv import small_columns
from fsops.storage.text_files import (
    Columns,
    CsvFormat,
    check_lengths,
    columns_of,
    encoding_for,
    existing_file,
    found_separator,
    opened_text,
    refuse_other_formats,
    refuse_other_layouts,
    unreadable,
    wrong_encoding,
)
from fsops.storage.text_layout import SAMPLE, SeriesMatrix, exchange, without_comments, written

if TYPE_CHECKING:
    import pandas as pd

    from fsops.storage.wide_csv import WideNumbers

NUMBER_TYPES = ("real", "integer", "numerical", "numeric")
# From so many columns on, in all and for each row, the wide road is the faster one: measured, see
# benchmarks/README.md.
WIDE, WIDE_PER_ROW = 1000, 5
SLIPS_SHOWN = 3  # columns with slips that are shown one by one
SMALL_BYTES = 2**18  # from here on pandas repays its import
DESCRIBED_BYTES = 8 * 2**20  # larger files are not read just to describe them
DESCRIBED_CSV = 64 * 2**20  # the same where the run need not read them again
SETTLED = 2.0  # seconds after which a change of a file shows in its times


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
    """Read a table, whatever layout its text has."""
    with unpacked(path) as file:
        refuse_other_formats(file)
        with _plain(file, layout) as (plain, simple, roles):
            return _read_plain(plain, replace(simple, roles=_more_roles(simple, roles)))


def _more_roles(layout: CsvFormat, roles: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the roles that were asked for, and those that the layout of the file gives."""
    given = dict(layout.roles)
    taken = {*given.values(), *layout.skip}
    more = {n: r for n, r in roles.items() if n not in given and n not in taken and r not in taken}
    return (*more.items(), *layout.roles)


@contextmanager
def _plain(path: Path, layout: CsvFormat) -> Iterator[tuple[Path, CsvFormat, dict[str, str]]]:
    """Give a text file with attributes in columns, its layout, and roles that follow from it."""
    separator = ";" if layout.decimal == "," else ","
    simple = replace(layout, separator=separator, encoding="utf-8", transposed=False, geo=False)
    with ExitStack() as stack:
        if layout.geo:
            with opened_text(path, layout) as stream:
                matrix = SeriesMatrix.read(stream, path.name)
            rows = matrix.table(path.name, layout.missing)
            roles = {SAMPLE: "id"} | {name: name for name in rows[0][1 : 1 + len(matrix.facts)]}
            yield stack.enter_context(written(rows, path.name, separator)), simple, roles
            return
        if layout.comment:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fsops-")))
            with opened_text(path, layout) as stream:
                without_comments(stream, layout.comment, folder / path.name)
            path, layout = folder / path.name, replace(layout, comment="", encoding="utf-8")
        else:
            refuse_other_layouts(path, layout)
        if not layout.transposed:
            yield path, layout, {}
            return
        with opened_text(path, layout) as stream:
            between = found_separator(path, layout)
            reader = csv.reader(stream, delimiter=between, skipinitialspace=between == " ")
            cells = exchange(list(reader), path.name, layout.names_column, layout.missing)
        yield stack.enter_context(written(cells, path.name, separator)), simple, {SAMPLE: "id"}


def _read_plain(path: Path, layout: CsvFormat) -> Found:
    """Read a table; small files and wide files have faster readers with the same result."""
    separator = found_separator(path, layout)
    columns = columns_of(path, layout, separator)
    names = columns.names
    if columns.row_names and "id" not in dict(layout.roles).values():
        first = () if names[0] in (*layout.skip, *dict(layout.roles)) else ((names[0], "id"),)
        layout = replace(layout, roles=(*layout.roles, *first))
    _check_known(layout, names)
    found = _read_wide(path, layout, separator, names) or _read_small(
        path, layout, separator, names
    )
    if found is None:
        frame = _read_frame(path, layout, separator, columns)
        if not len(frame):
            raise DataError(
                f'"{path}" has no rows, only the names of the columns.',
                hint="Add rows, or set first_row_as_names=false.",
            )
        found = ExampleSet.from_pandas(frame, types=dict(layout.types)), _slips(frame, layout)
    examples, slips = found
    if layout.duplicates in (FIRST, MEAN):
        examples = merged(examples, names, columns.originals, layout.duplicates)
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

    encoding = encoding_for(layout.encoding)
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
    texts = Names.of(names).find([name for name, _ in layout.types])
    found = read_wide_numbers(path, cut, texts)
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
    """Whether a file has very many columns and not many rows, as far as its second line shows."""
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
    """Return the metadata of a text file; only its existence is checked if it is large."""
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
    described = metadata_of(found[0])
    assert isinstance(described, ExampleSetMetaData)
    return described


def _read_frame(path: Path, layout: CsvFormat, separator: str, columns: Columns) -> pd.DataFrame:
    import pandas as pd

    names = columns.names
    try:
        frame = _parsed(path, layout, separator, names, header=0 if layout.header else None)
    except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
        check_lengths(path, layout, separator, columns)
        raise DataError(
            f'"{path.name}" is not a proper table: {_words(error)}.',
            hint="Check separators and quotes.",
        ) from None
    except UnicodeError as error:
        raise wrong_encoding(path, layout, error) from None
    except OSError as error:
        raise unreadable(path, error) from None
    # A row that is too short looks to pandas as if its last values were missing.
    if len(names) > 1 and frame.iloc[:, -1].isna().any():
        check_lengths(path, layout, separator, columns)
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

    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)  # that data will be lost
        return pd.read_csv(
            source,
            sep=separator,
            header=header,
            names=names,
            decimal=layout.decimal,
            encoding=encoding_for(layout.encoding),
            keep_default_na=False,
            na_values=list(layout.missing),
            index_col=False,
            low_memory=False,
            skipinitialspace=separator == " ",
            skip_blank_lines=isinstance(source, Path),
            # Where numbers are names, each character counts: 007 is not 7.
            dtype={n: str for n, kind in layout.types if kind not in NUMBER_TYPES},
        )


def _words(error: Exception) -> str:
    return str(error).replace("Error tokenizing data. C error: ", "").strip().rstrip(".")


def _slips(frame: pd.DataFrame, layout: CsvFormat) -> list[str]:
    """Return warnings about text columns that are almost all numbers."""
    known = {*dict(layout.types), *layout.skip}
    texts = frame.select_dtypes(exclude=["number", "bool"])
    odd = _odd_columns(texts[[name for name in texts if name not in known]], layout.decimal)
    shown = [_slip(name, frame[name], layout.decimal) for name in odd[:SLIPS_SHOWN]]
    more = odd[SLIPS_SHOWN:]
    return [*shown, f"So it is with {enumerate_names(more, SLIPS_SHOWN)}."] if more else shown


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
    odd = texts[texts.str.contains(other, regex=False) & ~texts.str.fullmatch(THOUSANDS)]
    return (
        f'"{name}" is read as nominal, but looks numerical with "{other}" before the decimals: '
        f'row {odd.index[0] + 1} holds "{odd.iloc[0]}". Set decimal_character to "{other}".'
    )


def _as_numbers(texts: pd.Series[str], decimal: str) -> pd.Series[float]:
    """Return texts as numbers, missing where they are none."""
    import pandas as pd

    return pd.to_numeric(texts.str.replace(decimal, ".", regex=False), errors="coerce")
