"""Tables in RapidMiner's own binary files (.ioo).

Only plain example sets are read: a fixed layout of numbers and texts, big-endian. A file may also
hold a serialized Java object; those are refused, because to open one can mean to run its code.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fsops.data import Attribute, ExampleSet, ValueType
from fsops.data.columns import MISSING_CODE
from fsops.data.schema import REGULAR
from fsops.errors import DataError
from fsops.memory import require, size_text
from fsops.storage.files import read_bytes
from fsops.storage.text_files import existing_file
from fsops.storage.unpacking import RATIO, SMALL_CONTENT

LARGEST_BYTES = 2**30
MOST_COLUMNS = 2**20

_MAGIC = b"\x2a\x71\xd1"
_STREAMS = {3: 1, 4: 2, 5: 3}
"""From the type of content to the version of the example-set stream."""
_OTHER = {0: "a serialized Java object", 1: "an object as XML", 2: "an object as packed XML"}
_MISSING_INTEGER = -(2**31) + 1
_NOMINAL = ("nominal", "binominal", "polynominal", "text", "file_path")
_TEXTS = ("text", "file_path")
_DATES = ("date", "time", "date_time")
_MISSING_DATE = np.datetime64("NaT", "us")


def read_ioo_table(file: str) -> ExampleSet:
    """Return the table in a file of RapidMiner."""
    path = existing_file(Path(file))
    return parse_ioo(read_bytes(path, LARGEST_BYTES), path.name)


def parse_ioo(data: bytes, name: str = "the file") -> ExampleSet:
    """Return the table that the content of a file stands for."""
    cursor = _Cursor(data, name)
    if data[: len(_MAGIC)] != _MAGIC:
        raise DataError(
            f'"{name}" is not a table of RapidMiner: it begins differently.',
            hint="Tables are in files of RapidMiner's repository that end in .ioo.",
        )
    cursor.place = len(_MAGIC)
    kind = cursor.number("i")
    if kind not in _STREAMS:
        raise DataError(
            f'"{name}" holds {_OTHER.get(kind, "something unknown")}, not a plain table.',
            hint="Write the table as CSV in RapidMiner.",
        )
    return _Stream(cursor, _STREAMS[kind]).table()


@dataclass
class _Cursor:
    """Reads on from a place; missing bytes raise an error before memory is allocated."""

    data: bytes
    name: str
    place: int = 0

    def bytes(self, count: int) -> bytes:
        if count < 0 or self.place + count > len(self.data):
            raise self.damaged("it ends too early")
        self.place += count
        return self.data[self.place - count : self.place]

    def number(self, code: str) -> int:
        layout = struct.Struct(f">{code}")
        return int(layout.unpack(self.bytes(layout.size))[0])

    def count(self, what: str, smallest: int) -> int:
        """Return how many of something follow, each of some bytes at least."""
        found = self.number("i")
        if found < 0 or found * smallest > len(self.data) - self.place:
            raise self.damaged(f"it cannot hold {found} {what}")
        return found

    def text(self, version: int) -> str:
        length = self.number("H" if version == 1 else "i")
        try:
            return self.bytes(length).decode()
        except UnicodeDecodeError:
            raise self.damaged("a text in it is not UTF-8") from None

    def damaged(self, reason: str) -> DataError:
        return DataError(f'"{self.name}" is damaged: {reason}.', hint="Export the table again.")


@dataclass(frozen=True)
class _Column:
    """A column as described in the head of a file."""

    name: str
    role: str
    value_type: str
    indices: npt.NDArray[np.int64]
    texts: Sequence[str]

    @property
    def is_nominal(self) -> bool:
        return self.value_type in _NOMINAL

    @property
    def code(self) -> str:
        """How a value is stored, as `struct` has it."""
        if self.value_type == "integer":
            return "i"
        if not self.is_nominal:
            return "d"
        return "b" if len(self.texts) < 127 else "h" if len(self.texts) < 32767 else "i"


class _Stream:
    def __init__(self, cursor: _Cursor, version: int) -> None:
        self.cursor = cursor
        self.version = version

    def table(self) -> ExampleSet:
        cursor = self.cursor
        self._pass_annotations()
        count = cursor.count("columns", 4)
        if count > MOST_COLUMNS:
            raise cursor.damaged(f"it cannot hold {count} columns")
        columns = [self._column() for _ in range(count)]
        sparse = cursor.number("b")
        if sparse not in (0, 1):
            raise cursor.damaged("the mark of sparse or dense rows is neither")
        defaults = [self._default() for _ in columns] if sparse else []
        rows = cursor.count("rows", 4 if sparse else 1 if columns else 0)
        if not columns:
            rows = 0
        values = self._sparse(columns, rows, defaults) if sparse else self._dense(columns, rows)
        if cursor.place != len(cursor.data):
            more = len(cursor.data) - cursor.place
            raise cursor.damaged(f"there are {more} bytes after the last row")
        pairs = [self._converted(c, v) for c, v in zip(columns, values, strict=True)]
        return ExampleSet.from_columns(pairs, rows)

    def _pass_annotations(self) -> None:
        if self.version == 3:
            for _ in range(2 * self.cursor.count("annotations", 8)):
                self.cursor.text(self.version)

    def _column(self) -> _Column:
        cursor = self.cursor
        name, role, value_type, _block = (cursor.text(self.version) for _ in range(4))
        indices: list[int] = []
        texts: list[str] = []
        if value_type in _NOMINAL:
            for _ in range(cursor.count("values of an attribute", 6)):
                indices.append(cursor.number("i"))
                texts.append(cursor.text(self.version))
        self._pass_annotations()
        found = np.array(indices, dtype=np.int64)
        if len(set(indices)) < len(indices) or (found < 0).any():
            raise cursor.damaged(f'the values of "{name[:60]}" are not numbered')
        order = np.argsort(found)
        return _Column(name, role, value_type, found[order], [texts[i] for i in order])

    def _default(self) -> float:
        return float(struct.unpack(">d", self.cursor.bytes(8))[0])

    # --- rows -------------------------------------------------------------------------------

    def _dense(self, columns: Sequence[_Column], rows: int) -> list[npt.NDArray[Any]]:
        """Return the stored values of each column."""
        cursor = self.cursor
        kinds = {"b": "i1", "h": ">i2", "i": ">i4", "d": ">f8"}
        layout = np.dtype([(str(j), kinds[c.code]) for j, c in enumerate(columns)])
        if rows * layout.itemsize == len(cursor.data) - cursor.place:
            block = np.frombuffer(cursor.data, layout, rows, cursor.place)
            found = [block[str(j)] for j in range(len(columns))]
            integers = [v for v, c in zip(found, columns, strict=True) if c.value_type == "integer"]
            if not any((v == _MISSING_INTEGER).any() for v in integers):
                cursor.place = len(cursor.data)
                return found
        # A missing whole number takes a byte more, so rows differ in length.
        cells = [[self._value(c) for c in columns] for _ in range(rows)]
        return [np.array([row[j] for row in cells]) for j in range(len(columns))]

    def _value(self, column: _Column) -> float:
        if column.code == "d":
            return self._default()
        value = self.cursor.number(column.code)
        if column.value_type == "integer" and value == _MISSING_INTEGER:
            return np.nan if self.cursor.number("b") else value
        return value

    def _sparse(
        self, columns: Sequence[_Column], rows: int, defaults: Sequence[float]
    ) -> list[npt.NDArray[Any]]:
        cursor = self.cursor
        if 32 * rows * len(columns) > max(SMALL_CONTENT, RATIO * len(cursor.data)):
            raise DataError(
                f'"{cursor.name}" has {size_text(len(cursor.data))}, but its content needs '
                f"{size_text(32 * rows * len(columns))} of memory, more than {RATIO} times as much."
            )
        require(32 * rows * len(columns), f'"{cursor.name}"', "Export fewer rows or columns.")
        filled = np.tile(np.array(defaults, dtype=np.float64)[:, None], (1, rows))
        for row in range(rows):
            while (place := cursor.number("i")) != -1:
                if not 0 <= place < len(columns):
                    raise cursor.damaged(f"row {row + 1} names a column that is not there")
                filled[place, row] = self._value(columns[place])
        return list(filled)

    # --- into our types ---------------------------------------------------------------------

    def _converted(
        self, column: _Column, values: npt.NDArray[Any]
    ) -> tuple[Attribute, npt.NDArray[Any]]:
        role = column.role or REGULAR
        if column.is_nominal:
            return self._nominal(column, values, role)
        numbers = values.astype(np.float64)
        if column.value_type in _DATES:
            return Attribute(column.name, ValueType.DATE, role), _dates(numbers)
        kind = ValueType.INTEGER if column.value_type == "integer" else ValueType.REAL
        return Attribute(column.name, kind, role), numbers

    def _nominal(
        self, column: _Column, values: npt.NDArray[Any], role: str
    ) -> tuple[Attribute, npt.NDArray[Any]]:
        with np.errstate(invalid="ignore"):
            given = np.where(np.isnan(values), -1, values).astype(np.int64)
        place = np.searchsorted(column.indices, given)
        known = np.append(column.indices, -1)[place] == given
        if not (known | (given == -1)).all():
            raise self.cursor.damaged(f'"{column.name[:60]}" has a value without a name')
        codes = np.where(given == -1, MISSING_CODE, place)
        if column.value_type in _TEXTS:
            texts = np.array([*column.texts, None], dtype=object)
            return Attribute(column.name, ValueType.TEXT, role), texts[codes]
        # Texts may repeat: of equal ones the first counts.
        categories = tuple(dict.fromkeys(column.texts))
        number = {text: i for i, text in enumerate(categories)}
        merged = np.array([*(number[text] for text in column.texts), MISSING_CODE], dtype=np.int32)
        two = column.value_type == "binominal" and len(categories) <= 2
        kind = ValueType.BINOMINAL if two else ValueType.POLYNOMINAL
        return Attribute(column.name, kind, role, categories), merged[codes]


def _dates(milliseconds: npt.NDArray[np.float64]) -> npt.NDArray[Any]:
    """Return points in time from milliseconds since 1970; what no calendar has is missing."""
    fits = np.abs(milliseconds) < 2**53
    found = np.full(len(milliseconds), _MISSING_DATE)
    found[fits] = np.round(milliseconds[fits] * 1000).astype(np.int64).astype("datetime64[us]")
    return found
