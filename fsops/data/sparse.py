"""Columns of numbers of which most are zero: only the others are stored.

A value that is not stored is zero, a value like any other. A missing value is a stored NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import csc_array, hstack, issparse

from fsops import memory
from fsops.data.columns import ColumnBlock, Floats, Rows, as_slice, sums_to_a_number
from fsops.data.names import Positions
from fsops.errors import DataError

if TYPE_CHECKING:
    from fsops.data.examples import ExampleSet

QUIET = 2**24
"""A table whose dense copy takes at most so many bytes is made dense without a warning."""
LIKE_VALUES = (np.dtype(np.float32), np.dtype(np.float64))


class SparseBlock(ColumnBlock):
    """Columns of a matrix in compressed sparse column format, of which a view sees some rows."""

    __slots__ = ("matrix",)
    is_sparse = True
    matrix: csc_array

    def __init__(
        self, matrix: csc_array, rows: Rows | None = None, known: dict[str, float] | None = None
    ) -> None:
        object.__setattr__(self, "matrix", matrix)  # as a frozen dataclass does it
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "known", {} if known is None else known)

    def __reduce__(self) -> Any:
        """Travel as matrix and rows; the other properties are computed from them."""
        return SparseBlock, (self.matrix, self.rows, self.known)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of values when they are made dense."""
        return np.dtype(np.float64)

    def at(self, rows: Rows) -> SparseBlock:
        """Return the same values with other rows seen."""
        return SparseBlock(self.matrix, rows, self.known)

    @property
    def all_finite(self) -> bool:
        """Whether no number, seen or not, is NaN or infinite; computed once for all views."""
        if "finite" not in self.known:
            self.known["finite"] = sums_to_a_number(self.matrix.data)
        return bool(self.known["finite"])

    @property
    def largest(self) -> float:
        """The largest absolute number, seen or not; NaN does not count."""
        if "largest" not in self.known:
            data = self.matrix.data
            ends = (reduce(data, initial=0.0) for reduce in (np.fmin.reduce, np.fmax.reduce))
            self.known["largest"] = max(map(abs, map(float, ends)))
        return self.known["largest"]

    def gather(self, columns: Positions) -> Floats:
        """Return the seen rows of some columns as a dense matrix, if there is memory for it."""
        rows = self.matrix.shape[0] if self.rows is None else len(self.rows)
        require_dense(rows, len(columns))
        dense: Floats = self.stored(columns).toarray(order="F").astype(np.float64, copy=False)
        return dense

    def stored(self, columns: Positions) -> csc_array:
        """Return the seen rows of some columns; no copy of all rows of neighboring columns."""
        matrix = _columns(self.matrix, columns)
        if self.rows is None:
            return matrix
        taken = matrix[self.rows]
        taken.sort_indices()  # rows in another order come in that of the table
        return taken

    def layout(self) -> list[Any]:
        """Return how the values are stored."""
        return ["sparse", self.matrix.dtype.str, self.rows is None]


def _columns(matrix: csc_array, columns: Positions) -> csc_array:
    chosen = as_slice(columns)
    if not isinstance(chosen, slice):
        return matrix[:, chosen]
    if chosen.stop - chosen.start == matrix.shape[1]:
        return matrix
    pointers = matrix.indptr[chosen.start : chosen.stop + 1] if len(columns) else matrix.indptr[:1]
    part = slice(pointers[0], pointers[-1])
    arrays = matrix.data[part], matrix.indices[part], pointers - pointers[0]
    return csc_array(arrays, shape=(matrix.shape[0], len(columns)), copy=False)


def sparse_numbers(matrix: Any) -> csc_array:
    """Return a sparse matrix of numbers as a table stores it, sharing memory where possible.

    Sorted by column and row, without stored zeros and without repeated places, whose values are
    added up. Single precision is kept, all other numbers become doubles.
    """
    if not issparse(matrix):
        raise DataError(
            f"A sparse matrix of scipy is needed, but got {type(matrix).__name__}.",
            hint="Use from_numpy for a dense matrix.",
        )
    if matrix.ndim != 2:
        raise DataError(f"A table needs rows and columns, but the array has {matrix.ndim} axes.")
    if matrix.dtype.kind not in "fiub":
        raise DataError(f"The sparse matrix has values of type {matrix.dtype}, not numbers.")
    found = csc_array(matrix)
    if found.dtype not in LIKE_VALUES:
        found = found.astype(np.float64)
    if not (found.has_canonical_format and found.data.all()):
        if matrix.format == "csc":  # shares the arrays of the caller
            found = found.copy()
        found.sum_duplicates()
        found.eliminate_zeros()
    return _frozen(found)


def _frozen(matrix: csc_array) -> csc_array:
    """Return the matrix over read-only views of its arrays."""
    arrays = [array.view() for array in (matrix.data, matrix.indices, matrix.indptr)]
    for array in arrays:
        array.flags.writeable = False
    frozen = csc_array(tuple(arrays), shape=matrix.shape, copy=False)
    frozen.has_canonical_format = True
    return frozen


def stored_numbers(table: ExampleSet, positions: Positions) -> csc_array:
    """Return numerical attributes of a table as one sparse matrix, in their order."""
    owners = table._block_of[positions]
    if len(owners) and (owners == owners[0]).all():
        return _stored(table._blocks[owners[0]], table._column_of[positions])
    parts, places = [], []
    for owner in np.unique(owners):
        mine = np.flatnonzero(owners == owner)
        places.append(mine)
        parts.append(_stored(table._blocks[owner], table._column_of[positions[mine]]))
    if not parts:
        return csc_array((table.n_rows, 0))
    order = np.argsort(np.concatenate(places))
    return csc_array(hstack(parts, format="csc"))[:, order]


def _stored(block: ColumnBlock, columns: Positions) -> csc_array:
    if isinstance(block, SparseBlock):
        return block.stored(columns)
    return csc_array(block.gather(columns))


def sparse_content(matrix: csc_array) -> Sequence[bytes]:
    """Return the matrix as bytes that differ if values do."""
    data = matrix.data.astype(np.float64, copy=False)
    indices, pointers = (a.astype(np.int64, copy=False) for a in (matrix.indices, matrix.indptr))
    return [b"sparse", pointers.tobytes(), indices.tobytes(), data.tobytes()]


# --- dense copies -------------------------------------------------------------------------------


def dense_bytes(table: ExampleSet) -> int:
    """Return the memory that a dense copy of the sparse attributes of a table takes."""
    owners = np.bincount(table._block_of, minlength=len(table._blocks))
    columns = sum(int(n) for n, b in zip(owners, table._blocks, strict=True) if b.is_sparse)
    return 8 * table.n_rows * columns


class SparseCells(NamedTuple):
    """Number of sparse attributes of a table, and of their stored values."""

    columns: int
    values: int


def sparse_cells(table: ExampleSet) -> SparseCells:
    """Return how many attributes of a table are sparse, and how many values are stored."""
    columns = values = 0
    for number, block in enumerate(table._blocks):
        mine = table._column_of[table._block_of == number]
        if isinstance(block, SparseBlock) and len(mine):
            columns += len(mine)
            # Of all rows of the block; a view has as many in proportion to its rows.
            stored = int(np.diff(block.matrix.indptr)[mine].sum())
            values += stored * table.n_rows // max(1, block.matrix.shape[0])
    return SparseCells(columns, values)


def dense_table(table: ExampleSet) -> ExampleSet:
    """Return the same table with all values stored; those of each sparse block become one block."""
    for number, block in enumerate(table._blocks):
        positions = np.flatnonzero(table._block_of == number)
        if block.is_sparse and len(positions):
            table = table.with_block(table.schema, positions, table.values(positions))
    return table


def require_dense(rows: int, columns: int) -> None:
    """Raise `DataError` with both numbers if a dense copy does not fit the available memory."""
    memory.require(
        8.0 * rows * columns,
        f"A dense copy of {columns:,} sparse attributes",
        "Choose fewer attributes first (Select by Weights), or use an operator that works on "
        "sparse tables: its help says so.",
    )


def density_warning(table: ExampleSet, title: str) -> str:
    """Return what to say when an operator gets a dense copy; empty if it is small."""
    needed = dense_bytes(table)
    if needed <= QUIET:
        return ""
    free = memory.available()
    left = "" if free is None else f", and {memory.size_text(free)} are available"
    return (
        f"{title} does not work on sparse tables, so the table is made dense. That takes "
        f"{memory.size_text(needed)} of memory{left}."
    )
