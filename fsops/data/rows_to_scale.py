"""Rows of a file that are scaled whenever they are read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fsops.data.blocks import RowSource
from fsops.data.columns import Floats
from fsops.data.examples import ExampleSet
from fsops.data.names import Names
from fsops.data.schema import Schema


@dataclass(frozen=True, eq=False)
class RowsToScale:
    """A source of rows whose values become (value - center) / divisor + offset.

    Nothing is written: a table in a file is normalized block by block, where it is read.
    """

    source: RowSource
    names: Names
    """The attributes that are scaled; the others stay as they are."""
    centre: Floats
    divisor: Floats
    offset: float

    @cached_property
    def schema(self) -> Schema:
        """All attributes; the scaled ones are real numbers."""
        return self.source.schema.as_numbers(self.source.schema.positions(self.names))

    @property
    def group_rows(self) -> Sequence[int]:
        """Number of rows of each group."""
        return self.source.group_rows

    @property
    def reads_ahead(self) -> bool:
        """Whether threads may read the next rows while the last ones are processed."""
        return self.source.reads_ahead

    def blocks(self, names: Sequence[str], groups: range, rows: int) -> Iterator[ExampleSet]:
        """Read and scale some attributes of neighboring groups."""
        places = self.names.locate(Names.of(names))
        mine = np.flatnonzero(places >= 0)
        own = places[mine]
        for block in self.source.blocks(names, groups, rows):
            if len(mine):
                yield block.with_scaled(mine, self.centre[own], self.divisor[own], self.offset)
            else:
                yield block
            del block  # else it would stay until the next one is there

    def fingerprint(self) -> str:
        """Return a hash of the rows and of how they are scaled."""
        digest = hashlib.sha256(self.source.fingerprint().encode())
        digest.update(repr((list(self.names), self.offset)).encode())
        for array in (self.centre, self.divisor):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()
