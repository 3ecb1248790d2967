"""Tables in Excel workbooks (.xlsx), by way of openpyxl."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time
from itertools import chain
from math import isnan
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from fsops.data import ExampleSet, ValueType
from fsops.data.number_texts import LOOKS_NUMERICAL
from fsops.errors import (
    DataError,
    FsopsError,
    StorageError,
    did_you_mean,
    enumerate_names,
    unknown_column,
)
from fsops.storage.duplicates import REFUSE, merged
from fsops.storage.files import replacing
from fsops.storage.text_files import column_names, different_columns, existing_file
from fsops.storage.unpacking import file_allowance, require_for_file

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

MOST_ROWS, MOST_COLUMNS = 2**20, 2**14  # of a sheet
LONGEST_TEXT = 32_767  # of a cell
ERRORS = ("#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!")  # of formulas
LARGEST_BYTES = 2**30  # unpacked; a small file can hold far more than anybody's memory
CELL_BYTES = 40  # of memory for each cell while a table is made
MOST_TAGS = 2**18  # of XML in a row
EARLIEST = np.datetime64("1900-03-01")  # before it Excel counts a day that was none


@dataclass(frozen=True)
class ExcelFormat:
    """Which part of a workbook is read, and what its columns mean."""

    sheet: str | int = 1
    header: bool = True
    missing: tuple[str, ...] = ()
    types: tuple[tuple[str, str], ...] = ()
    roles: tuple[tuple[str, str], ...] = ()
    skip: tuple[str, ...] = ()
    skip_rows: int | None = None
    """Rows above the table; None: those with a single filled cell."""
    transposed: bool = False
    duplicates: str = REFUSE


def require_openpyxl() -> None:
    """Say what to install where openpyxl is not there."""
    try:
        import openpyxl  # noqa: F401
    except ImportError:
        raise StorageError(
            "Excel files need the package openpyxl, which is not installed.",
            hint='Install it with: pip install "fsops[excel]"',
        ) from None


# --- reading --------------------------------------------------------------------------------


def read_excel_table(
    file: str, layout: ExcelFormat, warn: Callable[[str], None] = lambda text: None
) -> ExampleSet:
    """Return the table on a sheet of a workbook; ``warn`` is called for unusual columns."""
    import pandas as pd

    require_openpyxl()
    path = existing_file(Path(file))
    with _opened(path) as book:
        sheet = _sheet(book, layout.sheet, path)
        rows = list(_bounded_rows(sheet, path))
    rows = rows[_title_rows(rows) if layout.skip_rows is None else layout.skip_rows :]
    width = max((_used(row) for row in rows), default=0)
    rows = [[*row[:width], *[None] * (width - len(row))] for row in rows if _used(row)]
    if not rows:
        raise DataError(f'The sheet of "{path.name}" is empty.', hint="Choose another with sheet.")
    if layout.transposed:
        rows = [list(column) for column in zip(*rows, strict=True)]
    first = ["" if cell is None else str(cell) for cell in rows[0]]
    originals = column_names(path, first, header=layout.header)
    names = different_columns(path, originals, layout.duplicates)
    body = rows[1:] if layout.header else rows
    if not body:
        raise DataError(
            f'"{path.name}" has no rows, only the names of the columns.',
            hint="Add rows, or set first_row_as_names=false.",
        )
    missing = set(layout.missing)
    cells = dict(zip(names, zip(*body, strict=True), strict=True))
    for name in layout.skip:
        if name not in cells:
            raise unknown_column(name, names, "skip")
        if layout.duplicates == REFUSE:
            del cells[name]
    plain = [name for name, column in cells.items() if _holds_floats(column)]
    numbers = np.array([cells[name] for name in plain], dtype=np.float64).reshape(-1, len(body)).T
    known = set(plain)
    values = {
        name: [_value(cell, missing) for cell in column]
        for name, column in cells.items()
        if name not in known
    }
    for name, column in values.items():
        if name not in dict(layout.types):
            _warn_of_slip(name, column, warn)
    columns = {name: _column(column) for name, column in values.items()}
    others = pd.DataFrame(columns, index=range(len(body)))
    frame = pd.concat([pd.DataFrame(numbers, columns=plain), others], axis=1)[list(cells)]
    table = ExampleSet.from_pandas(frame, types=dict(layout.types))
    if layout.duplicates != REFUSE:
        table = merged(table, names, originals, layout.duplicates).drop(layout.skip)
    return table.with_roles(dict(layout.roles))


def _title_rows(rows: Sequence[Sequence[Any]]) -> int:
    """Return how many rows above the table hold nothing or a single cell, such as a title."""
    filled = [sum(cell is not None for cell in row) for row in rows]
    return next((number for number, count in enumerate(filled) if count > 1), 0)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    import openpyxl

    with ExitStack() as opened:
        try:
            stream = opened.enter_context(path.open("rb"))  # by its name openpyxl might refuse it
            _check_unpacked(stream, path)
            book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
        except FsopsError:
            raise
        except OSError as error:
            raise StorageError(f'"{path}" cannot be read: {error.strerror}.') from None
        except Exception:  # noqa: BLE001 - openpyxl lets through what any of its parts raise
            raise DataError(
                f'"{path.name}" is not an Excel workbook (.xlsx), or is damaged.',
                hint="Save an old .xls file as .xlsx first.",
            ) from None
        opened.callback(book.close)
        yield book


def _bounded_rows(sheet: Worksheet, path: Path) -> Iterator[list[Any]]:
    """Return the rows up to their last cell; a sheet with cells far away is refused in time."""
    allowed = file_allowance(path) / CELL_BYTES
    width = filled = 0
    for row in sheet.iter_rows(values_only=True):
        used = _used(row)
        width, filled = max(width, used), filled + (used > 0)
        if width * filled > allowed:
            require_for_file(
                CELL_BYTES * width * filled, path, "Delete cells far away, or save it as CSV."
            )
        yield list(row[:used])


def _check_unpacked(stream: BinaryIO, path: Path) -> None:
    """Refuse a workbook whose parts need too much memory; only sheets are read piece by piece."""
    with zipfile.ZipFile(stream) as packed:
        size = sum(part.file_size for part in packed.infolist())
        need = sum(part.file_size * _weight(part.filename) for part in packed.infolist())
        require_for_file(need, path, "Save the sheet as CSV.")
        for part in packed.infolist():
            if _weight(part.filename) == 1 and part.filename.endswith(".xml"):
                _check_sheet(packed, part, path)
    if size > LARGEST_BYTES:
        raise StorageError(
            f'"{path.name}" is too large: {size / 2**30:.1f} GiB when unpacked.',
            hint="Save the sheet as CSV.",
        )


def _weight(name: str) -> int:
    """Return the memory for each byte of a part of a workbook."""
    if not name.endswith((".xml", ".rels")) or name.startswith("xl/worksheets/"):
        return 1
    return 4 if name == "xl/sharedStrings.xml" else 16


def _check_sheet(packed: zipfile.ZipFile, part: zipfile.ZipInfo, path: Path) -> None:
    """Refuse a sheet with a row of far too many cells, which openpyxl would take at once."""
    tags = 0
    with packed.open(part) as stream:
        while block := stream.read(2**20):
            last = block.rfind(b"</row")
            tags = block.count(b"<", max(last, 0)) + (tags if last < 0 else 0)
            if tags > MOST_TAGS:
                raise DataError(
                    f'"{path.name}" has a row of more than {MOST_TAGS:,} parts, but a sheet has '
                    f"{MOST_COLUMNS:,} columns.",
                    hint="Save the sheet as CSV.",
                )


def _sheet(book: Any, wanted: str | int, path: Path) -> Worksheet:
    sheets = {sheet.title: sheet for sheet in book.worksheets}
    names = list(sheets)
    if isinstance(wanted, str) and wanted in sheets:
        return sheets[wanted]
    number = int(wanted) if str(wanted).isdecimal() else 0
    if not 1 <= number <= len(names):
        hint = did_you_mean(str(wanted), names) or f"There are {enumerate_names(names)}."
        raise DataError(f'"{path.name}" has no sheet "{wanted}".', hint=hint)
    return sheets[names[number - 1]]


def _used(row: Sequence[Any]) -> int:
    """Return the number of cells up to the last one that holds something."""
    return next((j for j in range(len(row), 0, -1) if row[j - 1] is not None), 0)


def _holds_floats(column: Sequence[Any]) -> bool:
    """Return whether a column has fractions and gaps only, so that no cell needs a second look."""
    kinds = set(map(type, column))
    return float in kinds and kinds <= {float, NoneType}


def _warn_of_slip(name: str, values: Sequence[Any], warn: Callable[[str], None]) -> None:
    """Warn about a text in a column of numbers, such as the error of a formula."""
    numbers = sum(value is not None and _kind(value) is float for value in values)
    others = [j for j, v in enumerate(values) if v is not None and _kind(v) is not float]
    errors = all(values[j] in ERRORS for j in others)
    if others and (numbers / (numbers + len(others)) >= LOOKS_NUMERICAL or (numbers and errors)):
        warn(
            f'"{name}" looks numerical, but row {others[0] + 1} holds '
            f'"{_text(values[others[0]])}": read as nominal. '
            "Correct the cell, or add it to missing_values."
        )


def _column(values: Sequence[Any]) -> Any:
    import pandas as pd

    known = [value for value in values if value is not None]
    if not known:
        return pd.Series(np.nan, index=range(len(values)), dtype=np.float64)
    if len({_kind(value) for value in known}) > 1:  # such as numbers beside words
        values = [None if value is None else _text(value) for value in values]
    return pd.Series(values, dtype=object)


def _value(cell: Any, missing: set[str]) -> Any:
    if isinstance(cell, str) and cell in missing:
        return None
    if isinstance(cell, time):
        return cell.isoformat()
    if isinstance(cell, date) and not isinstance(cell, datetime):
        return datetime(cell.year, cell.month, cell.day)
    return cell


def _kind(value: Any) -> type:
    return float if isinstance(value, int) and not isinstance(value, bool) else type(value)


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat().removesuffix("T00:00:00")
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


# --- writing --------------------------------------------------------------------------------


def write_excel_table(examples: ExampleSet, file: str, *, sheet: str, header: bool) -> None:
    """Write a table to the only sheet of a new workbook."""
    require_openpyxl()
    from openpyxl import Workbook
    from openpyxl.utils.exceptions import IllegalCharacterError

    _check_size(examples, header)
    book = Workbook(write_only=True)
    try:
        page = book.create_sheet(sheet)
    except ValueError as error:
        raise DataError(f'A sheet cannot be called "{sheet}": {error}.') from None
    try:
        head = [_text_cell(page, name) for name in examples.names]
        columns = [_cells(examples, name, page) for name in examples.names]
    except IllegalCharacterError:
        raise DataError(
            "A name or a value has a character that Excel does not allow.",
            hint="Use Write CSV or Write Parquet.",
        ) from None
    with replacing(Path(file)) as stream:
        for row in chain([head] if header else [], zip(*columns, strict=True)):
            page.append(row)
        book.save(stream)


def _check_size(examples: ExampleSet, header: bool) -> None:
    rows, columns = len(examples) + header, len(examples.schema)
    if rows > MOST_ROWS or columns > MOST_COLUMNS:
        raise DataError(
            f"The table has {len(examples):,} rows and {columns:,} attributes, but an Excel sheet "
            f"holds {MOST_ROWS:,} rows and {MOST_COLUMNS:,} columns.",
            hint="Use Write CSV or Write Parquet.",
        )


def _cells(examples: ExampleSet, name: str, page: Any) -> list[Any]:
    attribute, values = examples.schema.attribute(name), examples.column(name)
    if attribute.value_type.is_numerical:
        if np.isinf(values).any():
            raise DataError(
                f'"{name}" holds an infinite value, which Excel does not know.',
                hint="Use Write CSV or Write Parquet.",
            )
        whole = attribute.value_type is ValueType.INTEGER
        return [None if isnan(v) else _number_cell(page, v, whole) for v in values.tolist()]
    if attribute.value_type is ValueType.DATE:
        return _date_cells(name, values)
    if attribute.value_type.is_nominal:
        texts: Sequence[str | None] = examples.nominal_values(name)
    else:
        texts = values.tolist()
    return [None if text is None else _text_cell(page, text) for text in texts]


def _date_cells(name: str, values: Any) -> list[datetime | None]:
    if (values < EARLIEST).any():
        raise DataError(
            f'"{name}" holds dates before March 1900, which Excel does not know.',
            hint="Use Write CSV or Write Parquet.",
        )
    dates: list[datetime | None] = values.tolist()
    return dates


def _number_cell(page: Any, value: float, whole: bool) -> Any:
    """Return a number as a cell that keeps every bit, and 3.0 apart from 3."""
    if whole and value.is_integer() and repr(value) != "-0.0":
        return int(value)
    # openpyxl by itself writes 16 digits, which are not always enough.
    plain = not value.is_integer() and float(f"{value:.16g}") == value
    return value if plain else _text_cell(page, repr(value), "n")


def _text_cell(page: Any, text: str, kind: str = "s") -> Any:
    """Return a cell that holds the text as it is, even if it looks like a formula."""
    from openpyxl.cell import WriteOnlyCell

    if len(text) > LONGEST_TEXT:
        raise DataError(
            f"A text has {len(text):,} characters, but a cell in Excel holds {LONGEST_TEXT:,}.",
            hint="Use Write CSV or Write Parquet.",
        )
    cell = WriteOnlyCell(page, value=text)
    cell.data_type = kind
    return cell
