"""Small text files without pandas, whose import takes longer than the whole run.

Only what pandas would read the same way is read here; the rest is left to the plain road.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from fsops.data import Attribute, ValueType
from fsops.data.columns import nominal_column

Column = tuple[Attribute, npt.NDArray[Any]]

INTEGER = re.compile(r"[+-]?[0-9]+")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
LONGEST_INTEGER = 15  # characters, all kept exactly by a double
# Words that mean a number or a truth value to pandas.
SPECIAL = ("nan", "inf", "infinity", "true", "false")
# Quotes, and characters that parsers treat each in their own way.
ODD = re.compile(r'["\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)')
PROBABLY_NUMBERS = 0.5  # a column of texts with more of them is left to the plain road


def small_columns(
    text: str, names: Sequence[str], separator: str, missing: Sequence[str], *, header: bool
) -> list[Column] | None:
    """Return the columns of a text; None where pandas might see something else in it."""
    if ODD.search(text) or any(NUMBER.fullmatch(word.strip()) for word in missing):
        return None
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")[header:]
    rows = [line.split(separator) for line in lines]
    if not rows or any(len(row) != len(names) or not "".join(row).strip() for row in rows):
        return None
    columns = []
    for name, cells in zip(names, zip(*rows, strict=True), strict=True):
        column = _column(name, cells, frozenset(missing))
        if column is None:
            return None
        columns.append(column)
    return columns


def _column(name: str, cells: Sequence[str], missing: frozenset[str]) -> Column | None:
    known = [cell for cell in cells if cell not in missing]
    integers = [cell for cell in known if INTEGER.fullmatch(cell)]
    if max(map(len, integers), default=0) > LONGEST_INTEGER:
        return None
    if len(integers) == len(cells):
        numbers = [int(cell) for cell in cells]
        return Attribute(name, ValueType.INTEGER), np.array(numbers, dtype=np.float64)
    if any(cell.startswith("-") and not int(cell) for cell in integers):
        return None  # pandas keeps the sign of zero, or not, depending on the rest of the column
    if all(NUMBER.fullmatch(cell) for cell in known):
        values = [np.nan if cell in missing else float(cell) for cell in cells]
        return Attribute(name), np.array(values)
    # One certain word makes the column nominal, unless it looks like a slip among numbers.
    words = sum(cell[:1].isalpha() and cell.lower() not in SPECIAL for cell in known)
    if words <= (1 - PROBABLY_NUMBERS) * len(known):
        return None
    return nominal_column(name, [None if cell in missing else cell for cell in cells])
