"""Blocks of rows: where they are read from, how a table is cut into them, reading ahead."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol, TypeVar

import numpy as np

from fsops.data.columns import STORAGE
from fsops.data.examples import ExampleSet
from fsops.data.schema import Schema
from fsops.data.taken_rows import RowsOfBlock

AHEAD = 2  # threads that read
FEW_BATCHES = 8  # of a pass: a few for each worker, each long enough to read ahead
BATCH_BYTES = 2**30  # of a large table, so that there is work for many workers
SETS_IN_LIMIT = 64  # so that there are enough parts of a pass for many workers
BLOCKS_IN_LIMIT = 8  # one is processed, two are there, two more are read and decoded
USUAL_LIMIT = 10**9  # for plans where the user gives no limit
TEXT_BYTES = 64  # guess for one text

T = TypeVar("T")


class RowSource(Protocol):
    """Where the rows come from; small, so that it can be sent to other machines.

    Rows come in groups, the smallest parts that can be read one without the other.
    """

    @property
    def schema(self) -> Schema:
        """All attributes."""

    @property
    def group_rows(self) -> Sequence[int]:
        """Number of rows of each group."""

    @property
    def reads_ahead(self) -> bool:
        """Whether threads may read the next rows while the last ones are processed."""

    def blocks(self, names: Sequence[str], groups: range, rows: int) -> Iterator[ExampleSet]:
        """Read some attributes of neighboring groups, at most so many rows at a time."""

    def fingerprint(self) -> str:
        """Return a hash that differs if the rows do."""


@dataclass(frozen=True)
class Piece:
    """Some regular attributes of some groups of rows, whose statistics are merged in order."""

    columns: range
    """Numbers of the attributes among the regular ones."""
    groups: range


@dataclass(frozen=True, eq=False)
class RowBlock:
    """Some rows of a piece: its attributes come first, then others that were asked for."""

    piece: Piece
    rows: RowsOfBlock
    """Row numbers in the table."""
    values: ExampleSet


def empty_block(piece: Piece, schema: Schema) -> RowBlock:
    """Return a block without rows, for a piece whose groups are all empty."""
    columns = [(a, np.empty(0, dtype=STORAGE[a.value_type])) for a in schema]
    return RowBlock(piece, slice(0, 0), ExampleSet.from_columns(columns, 0))


def read_ahead(readers: Iterator[Iterator[T]]) -> Iterator[T]:
    """Read the next blocks while the last one is processed; all blocks come in order.

    Only reading is done side by side. The work consists of steps so short that threads would wait
    for each other.
    """
    from concurrent.futures import ThreadPoolExecutor  # loads logging, which few runs need

    with ThreadPoolExecutor(AHEAD) as pool:
        coming = deque((r, pool.submit(next, r, None)) for r in islice(readers, AHEAD + 1))
        while coming:
            reader, reading = coming.popleft()
            block = reading.result()
            del reading  # else it would keep the block
            if block is None:
                coming.extend((r, pool.submit(next, r, None)) for r in islice(readers, 1))
                continue
            coming.appendleft((reader, pool.submit(next, reader, None)))
            yield block
            del block


def most_batches(size: int) -> int:
    """Return into how many batches a pass over a table of so many bytes is cut at most."""
    return max(FEW_BATCHES, size // BATCH_BYTES)


def sets_at_once(budget: int, bytes_of_set: int) -> int:
    """Return for how many sets of rows the moments are computed in one pass."""
    return max(1, budget // SETS_IN_LIMIT // max(1, bytes_of_set))


def batches_of(pieces: Sequence[T], most: int = FEW_BATCHES) -> list[Sequence[T]]:
    """Put neighboring pieces together into a few batches of about the same length."""
    count = min(most, len(pieces))
    cuts = [len(pieces) * number // count for number in range(count + 1)] if count else []
    return [pieces[a:b] for a, b in zip(cuts, cuts[1:], strict=False)]


def spans_of(sizes: Sequence[int], most: int) -> list[range]:
    """Cut groups of these sizes into at most so many runs of about the same number of rows."""
    if not sizes:
        return [range(0)]
    ends = np.cumsum(sizes)
    goals = ends[-1] * np.arange(1, most + 1) / most
    cuts = np.unique(np.searchsorted(ends, goals, side="left") + 1)
    cuts = np.minimum(cuts, len(ends))
    starts = np.concatenate([[0], np.unique(cuts)]).tolist()
    return [range(a, b) for a, b in zip(starts, starts[1:], strict=False)]


def row_bytes(schema: Schema) -> int:
    """Return the memory that a row takes."""
    sizes = {kind: dtype.itemsize for kind, dtype in STORAGE.items()}
    sizes = {k: TEXT_BYTES if STORAGE[k].hasobject else size for k, size in sizes.items()}
    return sum(size * len(schema.of_types([kind])) for kind, size in sizes.items())
