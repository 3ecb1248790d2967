"""Costs of attributes, such as the price of a measurement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base.types import Floats
from fsops.algorithms.search.subsets import Subset
from fsops.data import AttributeWeights, Criterion, PerformanceVector
from fsops.data.names import Names
from fsops.errors import DataError, enumerate_names

TOTAL_COST = "total_cost"


@dataclass(frozen=True)
class AttributeCosts:
    """Costs of the attributes of a table, in its order."""

    values: Floats

    @classmethod
    def of(cls, costs: AttributeWeights, names: Names) -> AttributeCosts:
        """Return the costs of attributes; each needs one that is finite and not negative."""
        places = costs.names.find(names)
        absent = names.take(np.flatnonzero(places < 0))
        if len(absent):
            raise DataError(
                f"No cost is given for {enumerate_names(absent)}.",
                hint="Give each attribute a cost; 0 if it is free.",
            )
        values = costs.values[places]
        wrong = names.take(np.flatnonzero(~(np.isfinite(values) & (values >= 0))))
        if len(wrong):
            raise DataError(
                f"The cost of {enumerate_names(wrong)} is negative or not finite.",
                hint="Costs are numbers from 0 on.",
            )
        return cls(values)

    def total(self, subset: Subset) -> Criterion:
        """Return the cost of all attributes of a set, as a criterion to minimize."""
        cost = float(self.values[list(subset)].sum())
        return Criterion(TOTAL_COST, (cost,), maximize=False)

    def trade_off(self, subset: Subset, performance: PerformanceVector) -> PerformanceVector:
        """Return the main criterion and the cost of a set."""
        return PerformanceVector([performance.main, self.total(subset)])
