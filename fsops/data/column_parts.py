"""Some attributes of a table in a file, with all rows: for statistics that cannot be merged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from fsops.data.blocks import BLOCKS_IN_LIMIT, row_bytes
from fsops.data.examples import ExampleSet
from fsops.data.passes import SerialRunner
from fsops.data.statistics import PassRunner

if TYPE_CHECKING:
    from fsops.data.streamed import StreamedExampleSet

V = TypeVar("V")
Positions = npt.NDArray[np.intp]


@dataclass(frozen=True)
class _OfPart(Generic[V]):
    """The work on some attributes. It may be done on another machine, which reads them there."""

    table: StreamedExampleSet
    along: Positions
    """Label and row weight, which each part has."""
    function: Callable[[ExampleSet, Sequence[str]], V]
    runner: PassRunner

    def __call__(self, positions: Positions) -> V:
        self.runner.check_cancelled()
        part = self.table.read_part(np.union1d(positions, self.along))
        part.require_bounded()
        return self.function(part, self.table.schema.names_at(positions))


def of_parts(
    table: StreamedExampleSet,
    positions: Positions,
    function: Callable[[ExampleSet, Sequence[str]], V],
    ctx: PassRunner | None,
) -> list[V]:
    """Return a function of each part of some attributes, in their order.

    The parts depend on the file and the limit alone, so that results do not depend on the engine.
    """
    special = (table.schema.label, table.schema.row_weight)
    along = table.schema.positions([a.name for a in special if a is not None])
    runner = ctx or SerialRunner()
    work = _OfPart(table, along, function, runner)
    return runner.map(work, _parts(table, positions), "Attributes of the file")


def _parts(table: StreamedExampleSet, positions: Positions) -> list[Positions]:
    """Cut attributes into parts of equal size, of which all rows fit into memory."""
    size = table.n_rows * row_bytes(table.schema.take(positions))
    # As much for a part as for all blocks of a pass, because ranks take copies of it.
    count = -(-size * BLOCKS_IN_LIMIT // max(1, table.budget))
    return np.array_split(positions, max(1, min(len(positions), count)))
