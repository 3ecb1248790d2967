"""The values of a table as bytes: what makes two tables the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from fsops.data.columns import STORAGE
from fsops.data.names import Positions

if TYPE_CHECKING:
    from fsops.data.examples import ExampleSet

HASHED = 2**20  # values that are read at once


def stored_content(table: ExampleSet) -> Iterator[bytes]:
    """Return all values as bytes, those of one storage type after the other.

    Attributes that are stored sparsely come first, as they are stored.
    """
    blocks = np.array([block.is_sparse for block in table._blocks], dtype=bool)
    sparse = blocks[table._block_of] if blocks.any() else np.zeros(len(table.schema), dtype=bool)
    if sparse.any():
        from fsops.data.sparse import sparse_content, stored_numbers

        positions = np.flatnonzero(sparse)
        yield positions.astype(np.int64).tobytes()
        yield from sparse_content(stored_numbers(table, positions))
    for dtype in dict.fromkeys(STORAGE.values()):
        stored_so = [kind for kind, storage in STORAGE.items() if storage == dtype]
        positions = table.schema.of_types(stored_so)
        positions = positions[~sparse[positions]] if sparse.any() else positions
        for part in _parts(table, positions):
            values = table.values(part)
            text = json.dumps(values.tolist()).encode() if dtype.hasobject else b""
            yield text or values.tobytes()


def _parts(table: ExampleSet, positions: Positions) -> Iterator[Positions]:
    """Cut attributes into runs: many at once, but a view of a large table is not copied whole."""
    step = max(1, HASHED // max(1, table.n_rows))
    for first in range(0, len(positions), step):
        yield positions[first : first + step]


def same_values(one: ExampleSet, two: ExampleSet) -> bool:
    """Return whether two tables of one schema have the same values, however they are stored."""
    for dtype in dict.fromkeys(STORAGE.values()):
        stored_so = [kind for kind, storage in STORAGE.items() if storage == dtype]
        for part in _parts(one, one.schema.of_types(stored_so)):
            numbers = dtype.kind in "fM"
            if not np.array_equal(one.values(part), two.values(part), equal_nan=numbers):
                return False
    return True
