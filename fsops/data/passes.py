"""One pass over a table that is read in blocks of rows: its statistics, merged in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from operator import itemgetter
from typing import Any, Generic, TypeVar

import numpy as np

from fsops.algorithms.filters.streaming import Mergeable, merged, side_by_side
from fsops.data.blocks import FEW_BATCHES, Piece, RowBlock, batches_of
from fsops.data.statistics import PassRunner, Seen

Item = TypeVar("Item")
Value = TypeVar("Value")
S = TypeVar("S", bound=Mergeable)


class SerialRunner:
    """Runs the parts of a pass one after the other, where there is no operator around."""

    def map(
        self, function: Callable[[Item], Value], items: Iterable[Item], label: str = ""
    ) -> list[Value]:
        """Return ``function`` of every item, in order."""
        return [function(item) for item in items]

    def check_cancelled(self) -> None:
        """Never stop."""


def one_pass(
    read: Callable[[Sequence[Piece]], Iterator[RowBlock]],
    pieces: Sequence[Piece],
    of_block: Callable[[RowBlock], Seen[S]],
    runner: PassRunner,
    batches: int = FEW_BATCHES,
) -> Seen[S]:
    """Return a statistic of all pieces.

    Blocks are merged in the order of the rows, wherever they are read, so that the result does not
    depend on the engine.
    """
    reading = _Reading(read, of_block, runner)
    found = chain(*runner.map(reading, batches_of(pieces, batches), "Parts of the file"))
    tiles: dict[range, list[Seen[S]]] = {}
    for piece, part in zip(pieces, found, strict=True):
        tiles.setdefault(piece.columns, []).append(part)
    return _beside({columns: merged(parts) for columns, parts in tiles.items()})


def _beside(tiles: dict[range, Seen[S]]) -> Seen[S]:
    """Return the statistic of all attributes from those of groups of attributes."""
    missing = [np.broadcast_to(part.missing, len(columns)) for columns, part in tiles.items()]
    statistic: Any = side_by_side([part.statistic for part in tiles.values()])
    extreme = (part.extreme for part in tiles.values())
    return Seen(statistic, np.concatenate(missing), frozenset().union(*extreme))


@dataclass(frozen=True)
class _Reading(Generic[S]):
    """The work on some pieces. It may be done on another machine, which reads them there."""

    read: Callable[[Sequence[Piece]], Iterator[RowBlock]]
    of_block: Callable[[RowBlock], Seen[S]]
    runner: PassRunner

    def __call__(self, pieces: Sequence[Piece]) -> list[Seen[S]]:
        parts = groupby(self._parts(pieces), key=itemgetter(0))
        return [merged(part for _, part in of_piece) for _, of_piece in parts]

    def _parts(self, pieces: Sequence[Piece]) -> Iterator[tuple[Piece, Seen[S]]]:
        for block in self.read(pieces):
            self.runner.check_cancelled()
            piece, part = block.piece, self.of_block(block)
            del block  # else it would stay in memory until the next one is there
            yield piece, part
