"""P-values by permuted labels, adjusted for all attributes: step-down maxT.

References
----------
Westfall & Young (1993): Resampling-based multiple testing. Wiley.
Ge, Dudoit & Speed (2003): Resampling-based multiple testing for microarray data analysis. Test 12.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from fsops.algorithms.base.types import Bools, Floats
from fsops.algorithms.chance.p_values import TIED


class MaxT:
    """Counts how often permuted labels reach the statistics of the true one.

    Parameters
    ----------
    statistic : ndarray, shape (p,)
        Larger values speak for an effect; NaN where undefined, whose p-values are 1.
    """

    def __init__(self, statistic: Floats) -> None:
        self.undefined = np.isnan(statistic)
        size = np.where(self.undefined, -np.inf, statistic)
        self.order = np.argsort(-size, kind="stable")
        limits = size[self.order]
        # Equal up to rounding counts as reached.
        slack = np.where(np.isfinite(limits), TIED * np.abs(limits), 0.0)
        self.limits = limits - slack

    def reached(self, statistic: Floats) -> Bools:
        """Return where a permuted label reaches each attribute alone, and by its best attribute.

        The best attribute is the largest among those whose true statistic is no larger, so both are
        in the order of the true statistic.
        """
        found = np.where(np.isnan(statistic), -np.inf, statistic)[self.order]
        best = np.maximum.accumulate(found[::-1])[::-1]
        return np.stack([found >= self.limits, best >= self.limits])

    def p_values(self, reached: Iterable[Bools]) -> tuple[Floats, Floats]:
        """Return p-values of each attribute alone, and those adjusted for all attributes.

        The true label counts as one of the orders.
        """
        counts, orders = np.ones((2, len(self.order))), 1
        for each in reached:
            counts += each
            orders += 1
        alone, adjusted = np.empty((2, len(self.order)))
        alone[self.order] = counts[0] / orders
        adjusted[self.order] = np.maximum.accumulate(counts[1] / orders)
        return np.where(self.undefined, 1.0, alone), np.where(self.undefined, 1.0, adjusted)
