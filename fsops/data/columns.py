"""How the values of attributes are stored: dtypes, missing values, nominal codes, column blocks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from fsops.data.names import Positions
from fsops.data.schema import LABEL, REGULAR, Attribute, Schema, ValueType
from fsops.errors import DataError

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]
Rows = npt.NDArray[np.intp]
Column = tuple[Attribute, npt.NDArray[Any]]
"""An attribute and its stored values."""

MISSING_CODE = -1
LARGEST_NUMBER = 1e38
"""Algorithms square numbers and some keep them in single precision: beyond it they overflow."""
SMALL = 2**18
"""So many values fit into a cache."""
# How the values of each type are stored. Missing is NaN, code -1, NaT or None.
STORAGE: Mapping[ValueType, np.dtype[Any]] = {
    ValueType.REAL: np.dtype(np.float64),
    ValueType.INTEGER: np.dtype(np.float64),
    ValueType.BINOMINAL: np.dtype(np.int32),
    ValueType.POLYNOMINAL: np.dtype(np.int32),
    ValueType.DATE: np.dtype("datetime64[us]"),
    ValueType.TEXT: np.dtype(object),
    ValueType.ORDINAL: np.dtype(np.int32),
}
_STORED = list(dict.fromkeys(STORAGE.values()))
_STORAGE_NUMBERS = np.array([_STORED.index(STORAGE[kind]) for kind in ValueType])


def storage_numbers(schema: Schema, positions: Positions) -> npt.NDArray[np.intp]:
    """Return a number for how attributes are stored: the same for the same storage."""
    return _STORAGE_NUMBERS[schema.type_codes(positions)]


# --- blocks of columns ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ColumnBlock:
    """Columns of one storage type, of which a view sees some rows.

    ``rows`` is None where all rows are seen, in order.
    """

    is_sparse: ClassVar[bool] = False
    values: npt.NDArray[Any]
    rows: Rows | None = None
    known: dict[str, float] = field(default_factory=dict, compare=False)
    """Properties of the values that have been computed; shared by all views."""

    @classmethod
    def of(cls, values: npt.NDArray[Any]) -> ColumnBlock:
        """Return a block that shares the array's memory but cannot be written through."""
        shared = values.view()
        shared.flags.writeable = False
        return cls(shared)

    def at(self, rows: Rows) -> ColumnBlock:
        """Return the same values with other rows seen."""
        return ColumnBlock(self.values, rows, self.known)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the stored values."""
        return self.values.dtype

    def layout(self) -> list[Any]:
        """Return how the values lie in memory: sums over another layout differ in the last bit."""
        return [self.values.strides, self.rows is None]

    @property
    def all_finite(self) -> bool:
        """Whether no number, seen or not, is NaN or infinite; computed once for all views."""
        if "finite" not in self.known:
            self.known["finite"] = sums_to_a_number(self.values)
        return bool(self.known["finite"])

    @property
    def largest(self) -> float:
        """The largest absolute number, seen or not; NaN does not count."""
        if "largest" not in self.known:
            ends = (reduce(self.values, axis=None) for reduce in (np.fmin.reduce, np.fmax.reduce))
            self.known["largest"] = max(map(abs, ends)) if self.values.size else 0.0
        return self.known["largest"]

    def gather(self, columns: Positions) -> npt.NDArray[Any]:
        """Return the seen rows of some columns; no copy where a slice will do."""
        chosen = as_slice(columns)
        if self.rows is None:
            return self.values[:, chosen]
        if len(columns) == 1:  # a label: mixing rows and a slice takes twice as long
            return self.values[:, columns[0]][self.rows][:, None]
        if isinstance(chosen, slice):
            return self.values[self.rows, chosen]
        return _crossed(self.values, self.rows, chosen)


class LooseBlock(ColumnBlock):
    """Columns of doubles that lie apart in memory; the matrix is made when it is first needed."""

    __slots__ = ("columns",)
    columns: Sequence[Floats]

    def __init__(self, columns: Sequence[Floats]) -> None:
        object.__setattr__(self, "columns", columns)  # as a frozen dataclass does it
        object.__setattr__(self, "rows", None)
        object.__setattr__(self, "known", {})

    def __getattr__(self, name: str) -> Floats:
        """Make the matrix when it is first asked for."""
        if name != "values":
            raise AttributeError(name)
        matrix: Floats = np.array(self.columns).T
        matrix.flags.writeable = False
        object.__setattr__(self, "values", matrix)
        return matrix

    def at(self, rows: Rows) -> ColumnBlock:
        """Return some rows, whose columns lie apart as well."""
        return LooseBlock([column[rows] for column in self.columns])


def _crossed(values: npt.NDArray[Any], rows: Rows, columns: Positions) -> npt.NDArray[Any]:
    """Return some rows of some columns.

    A small selection of half of the rows or more takes a third of the time in two steps.
    """
    in_order = values.flags.c_contiguous or values.flags.f_contiguous
    if not in_order or 2 * len(rows) < len(values) or len(values) * len(columns) > SMALL:
        return values[rows[:, None], columns]
    by_row = values.flags.c_contiguous  # `take` would copy all values of the other order
    chosen = values.take(columns, axis=1) if by_row else values.T.take(columns, axis=0).T
    return chosen.take(rows, axis=0)


def as_slice(columns: Positions) -> slice | Positions:
    """Return neighboring columns as a slice, because slices share memory."""
    if len(columns) == 0:
        return slice(0, 0)
    first, last = int(columns[0]), int(columns[-1])
    if last - first + 1 == len(columns) and (
        len(columns) == 1 or bool((np.diff(columns) == 1).all())
    ):
        return slice(first, last + 1)
    return columns


def row_numbers(rows: npt.NDArray[Any], n_rows: int) -> Rows:
    """Return chosen rows as numbers; rows that do not exist are an error."""
    if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "biu"):
        raise DataError("Rows must be given as a list of row numbers, or as a mask.")
    if rows.dtype.kind == "b":
        if len(rows) != n_rows:
            raise DataError(f"The mask has {len(rows)} values, but the table has {n_rows} rows.")
        return np.flatnonzero(rows)
    outside = (rows < -n_rows) | (rows >= n_rows)
    if outside.any():
        allowed = f"Choose rows from 0 to {n_rows - 1}." if n_rows else ""
        raise DataError(
            f"There is no row {rows[outside][0]}; the table has {n_rows} rows.",
            hint=allowed,
        )
    return rows.astype(np.intp)


def occurring(numbers: npt.NDArray[np.integer[Any]]) -> Positions:
    """Return which numbers from 0 occur; unlike `numpy.unique` it loads no further modules."""
    return np.bincount(numbers).nonzero()[0]


def read_only(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the same array, protected against writing."""
    values.flags.writeable = False
    return values


# --- values ---------------------------------------------------------------------------------


def is_missing(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return where stored values of one kind are missing."""
    if values.dtype.hasobject:
        return np.asarray(values == None, dtype=np.bool_)  # noqa: E711 - element by element
    missing: npt.NDArray[np.bool_] = (
        values == MISSING_CODE if values.dtype.kind == "i" else np.isnan(values)
    )
    return missing


def missing_counts(matrix: Any) -> npt.NDArray[np.intp]:
    """Return how many values of each column of numbers, dense or sparse, are missing."""
    if isinstance(matrix, np.ndarray):
        counts: npt.NDArray[np.intp] = is_missing(matrix).sum(axis=0)
        return counts
    return _marked_counts(matrix, np.isnan(matrix.data))


def columns_beyond(matrix: Any, limit: float) -> npt.NDArray[np.bool_]:
    """Return which columns of numbers, dense or sparse, have a value beyond a limit."""
    if isinstance(matrix, np.ndarray):
        return np.asarray((np.abs(matrix) > limit).any(axis=0))
    return _marked_counts(matrix, np.abs(matrix.data) > limit) > 0


def _marked_counts(matrix: Any, marked: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """Return how many stored values of each column of a sparse matrix are marked."""
    before = np.concatenate([[0], np.cumsum(marked)])
    found: npt.NDArray[np.intp] = np.diff(before[matrix.indptr])
    return found


def sums_to_a_number(values: Floats) -> bool:
    """Return whether NaN and infinity can be ruled out by one fast read."""
    with np.errstate(all="ignore"):
        return bool(np.isfinite(values.sum()))


def number_matrix(X: npt.ArrayLike) -> Floats:
    """Return a matrix of doubles, sharing memory where it already is one."""
    raw = np.asarray(X)
    if raw.ndim != 2:
        raise DataError(
            f"A table needs rows and columns, but the array has the shape {raw.shape}.",
            hint="Give a matrix with a row for each example.",
        )
    try:
        if raw.dtype.kind in "cmM":
            raise TypeError  # noqa: TRY301 - numpy would turn them into numbers that mean nothing
        matrix = raw.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        raise DataError(
            "The matrix contains values that are not numbers.",
            hint="Use from_pandas for mixed data.",
        ) from None
    contiguous = matrix.flags.c_contiguous or matrix.flags.f_contiguous
    return matrix if contiguous else np.ascontiguousarray(matrix)


# --- nominal columns ------------------------------------------------------------------------


def category_text(value: object) -> str | None:
    """Return a value as the name of a category; None where it is missing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    return str(value)


def nominal_column(
    name: str, values: Sequence[str | None], role: str = REGULAR
) -> tuple[Attribute, Codes]:
    """Return a nominal attribute with sorted categories, and the codes of the values."""
    known = set(values) - {None}
    found: list[str] = sorted(known)  # type: ignore[arg-type]
    code: dict[str | None, int] = dict(zip(found, range(len(found)), strict=True))
    code[None] = MISSING_CODE
    codes = np.fromiter(map(code.__getitem__, values), np.int32, len(values))
    return replace(Attribute.nominal(name, found), role=role), codes


def coded_column(
    name: str,
    found: Sequence[str],
    codes: npt.NDArray[np.integer[Any]],
    categories: Iterable[str] | None = None,
) -> tuple[Attribute, Codes]:
    """Return a nominal attribute from texts that may repeat, and codes that point to them.

    The categories are the texts in sorted order unless given.
    """
    names = sorted(set(found)) if categories is None else list(categories)
    place = {category: number for number, category in enumerate(names)}
    # The last place is where code -1 points to.
    lookup = np.array([*(place[text] for text in found), MISSING_CODE], dtype=np.int32)
    return Attribute.nominal(name, names), lookup[codes]


def label_column(name: str, y: npt.ArrayLike) -> Column:
    """Return a label: real numbers make it numerical, all else are classes."""
    values = np.asarray(y)
    if values.ndim != 1:
        raise DataError(f"The label needs one value per row, but it has the shape {values.shape}.")
    if values.dtype.kind == "f":
        return Attribute(name, ValueType.REAL, LABEL), values
    if values.dtype.hasobject:
        return nominal_column(name, [category_text(v) for v in values.tolist()], role=LABEL)
    found, places = np.unique(values, return_inverse=True)
    attribute, codes = coded_column(name, [str(category_text(v)) for v in found.tolist()], places)
    return replace(attribute, role=LABEL), codes
