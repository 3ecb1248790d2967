"""Some rows of a table in a file, in a form small enough to be sent to other machines."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from fsops.data.columns import Rows, read_only

RowsOfBlock = slice | Rows
"""Row numbers of a block: neighboring ones, or each by itself."""


@dataclass(frozen=True, eq=False)
class TakenRows:
    """How often each row of a longer table is taken, and where it goes.

    Each row takes one bit if no row is taken twice, else a byte or more.
    """

    stored: npt.NDArray[np.unsignedinteger[Any]]
    """Counts of the rows, or bits."""
    length: int
    """Rows of the longer table."""
    is_mask: bool
    places: Rows | None = None
    """Place of each taken row, counted in the order of the longer table; None: that order."""

    @classmethod
    def of(cls, rows: Rows, length: int) -> TakenRows:
        """Return row numbers, which may repeat, in this form."""
        counts = np.bincount(rows, minlength=length)
        most = int(counts.max(initial=0))
        is_mask = most <= 1
        stored = np.packbits(counts > 0) if is_mask else counts.astype(np.min_scalar_type(most))
        in_order = bool((rows[1:] >= rows[:-1]).all())
        places = None if in_order else read_only(np.argsort(rows, kind="stable"))
        return cls(read_only(stored), length, is_mask, places)

    def __getstate__(self) -> dict[str, Any]:
        """Leave behind what another process can compute."""
        return {key: value for key, value in vars(self).items() if key != "_before"}

    def counts(self, first: int, last: int) -> npt.NDArray[Any]:
        """Return how often each of some neighboring rows is taken."""
        if not self.is_mask:
            return self.stored[first:last]
        start = first // 8
        bits = np.unpackbits(self.stored[start : -(-last // 8)])
        return bits[first - 8 * start : last - 8 * start]

    def counts_at(self, rows: RowsOfBlock) -> npt.NDArray[Any]:
        """Return how often each row of a block is taken."""
        if isinstance(rows, slice):
            return self.counts(rows.start, rows.stop)
        return self.counts(0, self.length)[rows]

    def within(self, first: int, last: int) -> Rows:
        """Return the taken rows among neighboring ones, counted from the first of these."""
        return np.repeat(np.arange(last - first), self.counts(first, last))

    def numbers(self) -> Rows:
        """Return the row numbers in the longer table."""
        rows = self.within(0, self.length)
        if self.places is None:
            return rows
        placed = np.empty_like(rows)
        placed[self.places] = rows
        return placed

    def before(self, row: int) -> int:
        """Return how many taken rows come before a row of the longer table."""
        return int(self._before[row])

    @cached_property
    def _before(self) -> npt.NDArray[np.intp]:
        counts = self.counts(0, self.length)
        return np.concatenate([[0], np.cumsum(counts, dtype=np.intp)])

    def place(self, first: int, last: int) -> RowsOfBlock:
        """Return the places of taken rows that are neighbors in the longer table."""
        return slice(first, last) if self.places is None else self.places[first:last]
