"""AnnData files whose cells are read in groups, because all of them do not fit into memory."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from fsops.data import ExampleSet, Schema
from fsops.data.streamed import StreamedExampleSet
from fsops.errors import DataError
from fsops.memory import available
from fsops.storage.anndata_file import (
    BYTES_PER_ENTRY,
    FORMATS,
    PARTS,
    matrix_of,
    names_and_cells,
    opened,
    skeleton,
)
from fsops.storage.sparse_table import check_shape
from fsops.storage.text_files import existing_file
from fsops.storage.unpacking import RATIO

GROUP_BYTES = 2**25  # of the dense values of a group of cells


@dataclass(frozen=True)
class CellRows:
    """The cells of an AnnData file by groups; travels as a name and numbers only."""

    path: Path
    size: int
    modified: int
    layer: str
    label: str | None
    shape: tuple[int, int]

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the parts that a worker can read."""
        return {key: value for key, value in vars(self).items() if key != "_skeleton"}

    @cached_property
    def _skeleton(self) -> ExampleSet:
        """The table with zeros in place of the matrix: its attributes, and the columns of obs."""
        with self._content() as content:
            names, cells = names_and_cells(self.path, content)
            return skeleton(content, names, cells, label=self.label, name=self.path.name)

    @property
    def schema(self) -> Schema:
        """All attributes."""
        return self._skeleton.schema

    @property
    def group_rows(self) -> tuple[int, ...]:
        """Number of cells of each group."""
        rows, columns = self.shape
        step = max(1, GROUP_BYTES // (8 * max(1, columns)))
        return tuple(min(step, rows - first) for first in range(0, rows, step))

    @property
    def reads_ahead(self) -> bool:
        """HDF5 reads one part after the other."""
        return False

    def blocks(self, names: Sequence[str], groups: range, rows: int) -> Iterator[ExampleSet]:
        """Read some attributes of neighboring groups, at most so many cells at a time."""
        ends = np.cumsum([0, *self.group_rows])
        first, last = int(ends[groups.start]), int(ends[groups.stop])
        about = self._skeleton.select(names)
        numbers = about.schema.regular
        stored = self._skeleton.schema.positions(about.schema.names_at(numbers))
        with self._content() as content:
            matrix = matrix_of(self.path, content, self.layer)
            for start in range(first, last, rows):
                stop = min(start + rows, last)
                block = about.take(np.arange(start, stop))
                if len(numbers):
                    values = self._values(matrix, start, stop, stored)
                    block = block.with_numbers(numbers, values)
                yield block
                del block

    def _values(self, matrix: Any, start: int, stop: int, columns: Any) -> Any:
        """Return some columns of some cells, dense and by columns."""
        everything = len(columns) == self.shape[1] and bool((np.diff(columns) == 1).all())
        if not hasattr(matrix, "keys"):
            part = matrix[start:stop]
            dense = part if everything else part[:, columns]
            return np.asfortranarray(dense, dtype=np.float64)
        from scipy.sparse import csr_array

        ends = matrix["indptr"][start : stop + 1].astype(np.int64)
        low, high = int(ends[0]), int(ends[-1])
        if not 0 <= low <= high <= matrix["data"].size:
            raise DataError(f'"{self.path.name}" is damaged: its indptr points beyond the values.')
        shape = (stop - start, self.shape[1])
        values, places = (matrix[name][low:high] for name in ("data", "indices"))
        found = csr_array((values.astype(np.float64), places, ends - low), shape=shape)
        found.check_format(full_check=True)  # indices from a file may point anywhere
        chosen = found if everything else found[:, columns]
        return chosen.toarray(order="F")

    @contextmanager
    def _content(self) -> Iterator[Any]:
        if self.path.stat().st_size != self.size:
            raise DataError(f'"{self.path.name}" was changed while it was read.')
        with opened(self.path) as content:
            yield content

    def fingerprint(self) -> str:
        """Return a hash of where the file is, its size and when it was written."""
        about = (str(self.path), self.size, self.modified, self.layer, self.label, self.shape)
        return hashlib.sha256(repr(about).encode()).hexdigest()


def stream_anndata_table(
    file: str, *, layer: str, label: str | None, limit: int | None = None
) -> StreamedExampleSet:
    """Return the table in an AnnData file, to be read in blocks of cells."""
    path = existing_file(Path(file))
    shape, _ = anndata_size(file, layer)
    with opened(path) as content:
        matrix = matrix_of(path, content, layer)
        is_sparse = hasattr(matrix, "keys")
        if is_sparse and FORMATS.get(str(matrix.attrs.get("encoding-type", ""))) != "csr":
            raise DataError(
                f'The matrix of "{path.name}" is stored by genes (CSC), so groups of cells cannot '
                "be read.",
                hint="Save it by cells: adata.X = adata.X.tocsr().",
            )
        if is_sparse and matrix["indptr"].shape != (shape[0] + 1,):
            raise DataError(f'"{path.name}" is damaged: indptr does not fit the cells.')
    status = path.stat()
    changed = status.st_mtime_ns + status.st_ctime_ns
    rows = CellRows(path.absolute(), status.st_size, changed, layer, label, shape)
    return StreamedExampleSet(rows, limit)


def anndata_size(file: str, layer: str) -> tuple[tuple[int, int], int]:
    """Return rows and columns that a file declares, and the bytes that the table takes."""
    path = existing_file(Path(file))
    with opened(path) as content:
        matrix = matrix_of(path, content, layer)
        is_sparse = hasattr(matrix, "keys")
        claimed = matrix.attrs["shape"] if is_sparse else matrix.shape
        rows, columns = (int(size) for size in claimed)
        check_shape(path, rows, columns)
        entries = max(int(matrix[n].size or 0) for n in PARTS) if is_sparse else rows * columns
    return (rows, columns), BYTES_PER_ENTRY * entries


def is_too_large(file: str, layer: str, limit: int | None = None) -> bool:
    """Return whether a table should stay in its file, because it takes over half of the memory.

    A small file that declares a huge table does not count as large: it is refused when it is read.
    """
    _, need = anndata_size(file, layer)
    room = available() if limit is None else limit
    plausible = need <= RATIO * Path(file).stat().st_size
    return room is not None and need > room / 2 and plausible
