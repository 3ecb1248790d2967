"""Wide tables of numbers in text files: row by row, without an object for every cell.

A hundred thousand columns cost pandas far more than their values do. Here each line is cut at its
separators as one array and handed to Arrow, whose numbers are those of Python, bit for bit.
Whatever is not proven to come out as on the plain road is left to it: single columns as text, or
the whole file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Places = npt.NDArray[np.int32]
Positions = npt.NDArray[np.intp]

MOST_OTHERS = 0.1  # share of columns that are not numbers, from which the plain road is taken
FEW = 500  # columns looked at one by one
LARGEST_INTEGER = 2**53  # from here on a double skips whole numbers
HUGE = 2.0**63
ENCODINGS = ("utf-8", "utf-8-sig", "ascii", "iso8859-1", "cp1252")  # separators are one byte
NUMBER = re.compile(rb"-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
QUOTED = re.compile(rb'"[^"]*"')


class _NotPlain(Exception):  # noqa: N818 - no error: the other road is taken
    """The file has something that only the plain road understands."""


@dataclass(frozen=True)
class WideNumbers:
    """The columns of a text file that hold nothing but numbers, and the others as text."""

    values: Floats
    positions: Positions
    """The place in the file of each column of numbers."""
    whole: Mask
    """Which of them hold whole numbers without a gap."""
    others: Positions
    rest: bytes
    """The other columns as a text file without names."""


@dataclass(frozen=True)
class WideLayout:
    """How the lines of the file are to be cut."""

    columns: int
    header: bool
    separator: bytes
    decimal: bytes
    missing: frozenset[bytes]

    @property
    def plain(self) -> bytes:
        """The characters of a line of numbers only."""
        return b"0123456789-+eE" + self.decimal + self.separator


def read_wide_numbers(path: Path, layout: WideLayout, texts: Positions) -> WideNumbers | None:
    """Return the table in a text file; None where only the general reader can read it.

    ``texts`` are columns that are not read as numbers, whatever they hold.
    """
    if any(_is_number(word) for word in layout.missing):
        return None  # -999 stands for -999.0 too, in columns of numbers only
    try:
        return _Reader(path, layout, texts).read()
    except _NotPlain:
        return None


def _is_number(word: bytes) -> bool:
    try:
        return not np.isnan(float(word))
    except ValueError:
        return False


class _Reader:
    """Reads a file once for the numbers, and once more for the other columns if there are any."""

    def __init__(self, path: Path, layout: WideLayout, texts: Positions) -> None:
        self.path = path
        self.layout = layout
        self.other: Mask = np.zeros(layout.columns, dtype=bool)
        self.other[texts] = True
        self.whole: Mask = ~self.other
        self._odd = np.ones(256, dtype=bool)
        self._odd[np.frombuffer(layout.plain, np.uint8)] = False

    def read(self) -> WideNumbers:
        """Return numbers and the rest."""
        columns: Positions | slice = slice(0)
        values, rows = np.empty((0, 0)), 0
        for line in self._lines():
            numbers, valid = self._row(line)
            if rows == 0:
                # What is no number in the first row gets no place among the numbers.
                found = np.flatnonzero(~self.other)
                columns = found if self.other.any() else slice(None)
                values = np.empty((self._count_lines(), len(found)))
            values[rows] = numbers[columns]
            values[rows][~valid[columns]] = np.nan
            rows += 1
        if rows == 0:
            raise _NotPlain
        positions = np.arange(self.layout.columns)[columns]
        return self._result(values[:rows], positions)

    def _result(self, values: Floats, positions: Positions) -> WideNumbers:
        whole = np.flatnonzero(self.whole[positions] & ~self.other[positions])
        for row in values if len(whole) else ():  # one by one: together they would be a copy
            numbers = row[whole] + 0.0  # as a whole number, -0 is 0
            row[whole] = numbers
            # Whether these are kept exactly is decided elsewhere.
            self.other[positions[whole[np.abs(numbers) >= LARGEST_INTEGER]]] = True
        self.other[positions[_signs_are_uncertain(values)]] = True
        self._check_others()
        late = self.other[positions]
        if late.any():
            values, positions = values[:, ~late], positions[~late]
        others = np.flatnonzero(self.other)
        rest = self._texts(others) if len(others) else b""
        return WideNumbers(values, positions, self.whole[positions], others, rest)

    # --- lines ------------------------------------------------------------------------------

    def _lines(self) -> Iterator[bytes]:
        with self.path.open("rb") as file:
            if self.layout.header and file.readline().count(b'"') % 2:
                raise _NotPlain  # a name goes on in the next line
            for line in file:
                text = line.rstrip(b"\r\n")
                if b"\r" in text:
                    raise _NotPlain
                if text:
                    yield text

    def _count_lines(self) -> int:
        with self.path.open("rb") as file:
            return 1 + sum(block.count(b"\n") for block in iter(lambda: file.read(2**20), b""))

    def _ends(self, line: bytes) -> Places:
        """Return where each field ends."""
        found = np.flatnonzero(np.frombuffer(line, np.uint8) == self.layout.separator[0])
        if len(found) != self.layout.columns - 1 or len(line) >= 2**31:
            raise _NotPlain  # too short or too long; or with a separator inside quotes
        ends = np.empty(self.layout.columns, dtype=np.int32)
        ends[:-1] = found
        ends[-1] = len(line)
        return ends

    # --- numbers ----------------------------------------------------------------------------

    def _row(self, line: bytes) -> tuple[Floats, Mask]:
        """Return the numbers of a line, and which of them are known."""
        ends = self._ends(line)
        starts = _starts(ends)
        gaps = self._gaps(line, starts, ends)
        valid = ~(gaps | self.other)
        text = line.translate(None, self.layout.separator)
        if self.layout.decimal != b".":
            text = text.replace(self.layout.decimal, b".")
        lengths = (ends - np.arange(len(ends))).astype(np.int32)
        numbers = _cast(text, lengths, valid)
        if numbers is None:
            for j in np.flatnonzero(valid).tolist():
                field = line[starts[j] : ends[j]].replace(self.layout.decimal, b".")
                if not NUMBER.fullmatch(field):
                    self.other[j] = True
            self._check_others()
            valid &= ~self.other
            numbers = _cast(text, lengths, valid)
        if numbers is None:
            raise _NotPlain
        self._note_huge(line, starts, ends, numbers, valid)
        valid &= ~self.other
        self.whole &= valid
        self._note_fractions(line, starts, ends)
        return numbers, valid

    def _gaps(self, line: bytes, starts: Places, ends: Places) -> Mask:
        """Return which fields are missing; notes those that are neither missing nor numbers."""
        gaps: Mask = starts == ends
        if b"" not in self.layout.missing:
            self.other |= gaps
        if line.translate(None, self.layout.plain):
            places = np.flatnonzero(self._odd[np.frombuffer(line, np.uint8)])
            for j in np.unique(np.searchsorted(ends, places)).tolist():
                field = line[starts[j] : ends[j]]
                if b'"' in field and not QUOTED.fullmatch(field):
                    raise _NotPlain
                if not self.other[j]:
                    gaps[j] = field in self.layout.missing
                    self.other[j] = not gaps[j]
        self._check_others()
        return gaps

    def _note_huge(
        self, line: bytes, starts: Places, ends: Places, numbers: Floats, valid: Mask
    ) -> None:
        """Leave columns to the plain road that hold whole numbers beyond 64 bits."""
        for j in np.flatnonzero(valid & (np.abs(numbers) >= HUGE)).tolist():
            field = line[starts[j] : ends[j]]
            self.other[j] = field == field.translate(None, self.layout.decimal + b"eE")
        self._check_others()

    def _note_fractions(self, line: bytes, starts: Places, ends: Places) -> None:
        """Keep only those columns among the whole numbers that have no sign of a fraction here."""
        candidates = np.flatnonzero(self.whole)
        signs = self.layout.decimal + b"eE"
        if len(candidates) > FEW:
            if len(line.translate(None, signs)) < len(line):
                content = np.frombuffer(line, np.uint8)
                places = np.flatnonzero(np.isin(content, np.frombuffer(signs, np.uint8)))
                self.whole[np.searchsorted(ends, places)] = False
            return
        for j in candidates.tolist():
            field = line[starts[j] : ends[j]]
            if len(field.translate(None, signs)) < len(field):
                self.whole[j] = False

    def _check_others(self) -> None:
        if np.count_nonzero(self.other) > MOST_OTHERS * self.layout.columns:
            raise _NotPlain

    # --- the rest ---------------------------------------------------------------------------

    def _texts(self, columns: Positions) -> bytes:
        """Return some columns as written in the file."""
        rows = []
        for line in self._lines():
            ends = self._ends(line)
            places = zip(_starts(ends)[columns].tolist(), ends[columns].tolist(), strict=True)
            rows.append(self.layout.separator.join([line[start:end] for start, end in places]))
        return b"\n".join(rows) + b"\n"


def _signs_are_uncertain(values: Floats) -> Mask:
    """Return the columns with gaps and a negative zero.

    pandas keeps its sign, or not, depending on whether all that is known are whole numbers.
    """
    gaps, zeros = np.zeros((2, values.shape[1]), dtype=bool)
    for row in values:  # one by one: together they would be a copy
        gaps |= np.isnan(row)
        zeros |= (row == 0) & np.signbit(row)
    return gaps & zeros


def _starts(ends: Places) -> Places:
    starts = np.zeros_like(ends)
    starts[1:] = ends[:-1] + 1
    return starts


def _cast(text: bytes, ends: Places, valid: Mask) -> Floats | None:
    """Return the numbers in a text of fields; None if a valid one is not a number."""
    import pyarrow as pa

    offsets = np.zeros(len(ends) + 1, dtype=np.int32)
    offsets[1:] = ends
    bits = np.packbits(valid, bitorder="little")
    buffers = [pa.py_buffer(content) for content in (offsets, text, bits)]
    fields = pa.StringArray.from_buffers(len(ends), *buffers)
    try:
        numbers = fields.cast(pa.float64())
    except pa.ArrowInvalid:
        return None
    # Not to_numpy, which imports pandas.
    return np.frombuffer(numbers.buffers()[1], np.float64, len(ends))
