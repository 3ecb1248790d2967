"""Tables that are read in blocks of rows, without a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fsops.data import ExampleSet, Schema
from fsops.data.blocks import row_bytes
from fsops.data.streamed import StreamedExampleSet

LARGEST_VALUE = 8  # bytes of a number


@dataclass(frozen=True, eq=False)
class GroupedRows:
    """The rows of a table in memory, to be read in groups."""

    table: ExampleSet
    group_rows: Sequence[int]
    reads_ahead: bool = False

    @property
    def schema(self) -> Schema:
        """All attributes."""
        return self.table.schema

    def blocks(self, names: Sequence[str], groups: range, rows: int) -> Iterator[ExampleSet]:
        """Return some attributes of some groups, at most so many rows at a time."""
        chosen, ends = self.table.select(names), np.cumsum([0, *self.group_rows])
        for group in groups:
            for start in range(ends[group], ends[group + 1], rows):
                yield chosen.take(np.arange(start, min(start + rows, ends[group + 1])))

    def fingerprint(self) -> str:
        """Return a hash of the table and of how it is cut."""
        return f"{self.table.fingerprint()} {list(self.group_rows)}"


def in_blocks(
    examples: ExampleSet,
    *,
    rows: int = 5,
    group_rows: Sequence[int] | None = None,
    limit: int | None = None,
) -> StreamedExampleSet:
    """Return the same table as if it was in a file and too large for the memory.

    Its statistics are computed from blocks of rows. Single attributes can be read; asking for the
    values of all is an error, as it is for a large file.

    Parameters
    ----------
    examples : ExampleSet
    rows : int
        Rows that are read at once, or fewer if the limit demands it.
    group_rows : sequence of int, optional
        The same for each group of rows; 0 is allowed.
    limit : int, optional
        Bytes of memory; by default so many that half of the attributes can be read, or one.
    """
    if group_rows is None:
        group_rows = [min(rows, len(examples) - first) for first in range(0, len(examples), rows)]
    if limit is None:
        # A table may take half of the limit.
        limit = len(examples) * max(row_bytes(examples.schema), 2 * LARGEST_VALUE)
    return StreamedExampleSet(GroupedRows(examples, tuple(group_rows)), limit)
