"""Tables in files: which operators read them in blocks, how often, and how much data is sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from fsops.algorithms.filters.streaming import AT_ONCE
from fsops.core.checks.plan import Plan, PlannedOperator
from fsops.core.declare.iterations import Count
from fsops.data.blocks import USUAL_LIMIT, sets_at_once
from fsops.data.pass_costs import (
    TableSize,
    Traffic,
    columns_traffic,
    moments_traffic,
    products_traffic,
)
from fsops.memory import available

Way = Literal["in blocks", "by attributes", "loaded", "refused"]
ONE = Count.exactly(1)
NUMBERS = 5  # of an attribute in the moments of two classes


@dataclass(frozen=True)
class PlannedPasses:
    """How an operator gets a table that is in a file."""

    operator: PlannedOperator
    size: TableSize
    way: Way
    passes: Count
    """How often the file is read, all runs together."""
    traffic: Traffic | None = None
    """Data sent, for the lowest number of passes; None if the table is loaded."""


def passes_over_files(plan: Plan, limit: int | None = None) -> list[PlannedPasses]:
    """Return which operators read tables in files, and how.

    Tables that fit into memory are left out, unless they are to stay in their file.

    Parameters
    ----------
    limit : int, optional
        Bytes of memory; by default the available memory.
    """
    return list(_Reader(plan, limit).level(plan.operators, 1))


@dataclass(frozen=True)
class _Reader:
    plan: Plan
    limit: int | None

    def level(self, operators: Sequence[PlannedOperator], sets: int) -> Iterator[PlannedPasses]:
        """Return the passes of operators that run on so many sets of rows."""
        for operator in operators:
            file = self.plan.files.get(operator.node.name)
            if file is None:
                continue
            size = TableSize(file.rows, file.columns)
            fits = self._fits(size)
            if fits and not file.always:
                continue
            # Parts of the attributes are read only if not all of them fit.
            ways = [a.blocks for a in operator.node.operator.accepts.values()]
            in_blocks = any(way is True or (way and not fits) for way in ways)
            if not in_blocks and operator.node.operator.accepts:
                yield PlannedPasses(operator, size, "loaded" if fits else "refused", ONE)
            elif operator.inner:
                for inner in operator.inner:
                    yield from self.level(
                        inner.operators, inner.iterations.high or inner.iterations.low
                    )
            elif in_blocks:
                yield self._passes(operator, size, max(1, sets))

    def _fits(self, size: TableSize) -> bool:
        room = available() if self.limit is None else self.limit
        return room is None or size.bytes <= room / 2

    def _passes(self, operator: PlannedOperator, size: TableSize, sets: int) -> PlannedPasses:
        if any(a.blocks == "columns" for a in operator.node.operator.accepts.values()):
            passes = Count.exactly(sets)
            return PlannedPasses(
                operator, size, "by attributes", passes, columns_traffic(size, sets)
            )
        budget = USUAL_LIMIT if self.limit is None else self.limit
        together = sets_at_once(budget, 8 * NUMBERS * size.attributes)
        first = -(-sets // together)
        further = self._further(operator)
        high = None if further.high is None else first + sets * further.high
        traffic = moments_traffic(size, sets, first)
        if further.low:
            number = sets * further.low
            traffic += products_traffic(size, AT_ONCE * number, number)
        passes = Count(first + sets * further.low, high, further.reason)
        return PlannedPasses(operator, size, "in blocks", passes, traffic)

    @staticmethod
    def _further(operator: PlannedOperator) -> Count:
        """Return the passes of one run after the first one."""
        for accepts in operator.node.operator.accepts.values():
            if accepts.blocks and accepts.passes is not None and operator.parameters:
                passes = accepts.passes(operator.parameters)
                high = None if passes.high is None else passes.high - 1
                return Count(passes.low - 1, high, passes.reason)
        return Count.exactly(0)
