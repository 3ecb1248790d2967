"""Rows as instance-based selection compares them: numbers and categories in one table."""

from dataclasses import dataclass, replace

import numpy as np

from fsops.algorithms.base.types import Bools, Floats, Ints, Numbers
from fsops.algorithms.neighbors.relief import batches, nearest_hit_and_miss
from fsops.algorithms.preparation.normalization import value_range

DECIMALS = 12
"""Margins and scores that agree so far are ties, as with the distances of Relief."""
NOBODY = -1
"""Stands where there is no row, or no feature."""


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Rows with numbers between 0 and 1 and categories as codes, features in their order.

    Two numbers so differ by |a - b|. Two categories differ by 1, or by `step` where the numbers
    have a common unit, the widest range, instead of one each.
    """

    values: Floats
    nominal: Bools
    step: float | None = None

    @classmethod
    def of(
        cls, numeric: Numbers, nominal: Numbers, is_nominal: Numbers, *, scaled: bool = True
    ) -> "Points":
        """Bring both kinds into one table.

        Parameters
        ----------
        numeric, nominal
            The numbers, and the codes of the categories.
        is_nominal
            Kind of each feature, (p,).
        scaled
            Divide every number by the range of its feature; otherwise all by the widest range,
            so that they differ as they are but for the unit.
        """
        is_nominal = np.asarray(is_nominal, dtype=np.bool_)
        values = np.empty((len(numeric), is_nominal.size))
        step = None
        if not is_nominal.all():
            low, span = value_range(numeric)
            values[:, ~is_nominal] = numeric - low
            if not scaled:
                widest = float(values[:, ~is_nominal].max(initial=0.0)) or 1.0
                span, step = np.full(span.shape, widest), 1.0 / widest
            values[:, ~is_nominal] /= span
        values[:, is_nominal] = nominal
        return cls(values, is_nominal, step)

    @property
    def unit(self) -> float:
        """The value of a difference of 1 before scaling, if the numbers share a scale; else 1."""
        return 1.0 if self.step is None else 1.0 / self.step

    def kinds(self) -> tuple[Floats, Ints]:
        """Return the numbers and the codes of categories apart."""
        return self.values[:, ~self.nominal], self.values[:, self.nominal].astype(np.intp)

    def take(self, rows: Ints) -> "Points":
        """Return these rows, in the scale of all."""
        return replace(self, values=self.values[rows])

    def differences(self, a: Ints, b: Ints) -> Floats:
        """Differences of the rows a from the rows b, pair by pair, (pairs, p)."""
        return self.limited(np.abs(self.values[a] - self.values[b]), slice(None))

    def limited(self, difference: Floats, columns: slice) -> Floats:
        """Convert differences of values and codes, in place, to those of numbers, categories."""
        np.minimum(difference, 1.0, out=difference)
        if self.step is not None:
            difference[:, self.nominal[columns]] *= self.step
        return difference

    def neighbours(self, codes: Ints) -> tuple[Ints, Ints]:
        """For every row, the nearest other one of its class and the nearest of another class.

        Among equals the first row is taken, -1 means there is none.
        """
        numbers, categories = self.kinds()
        if self.step is None:
            return nearest_hit_and_miss(numbers, categories, codes)
        from scipy.spatial.distance import cdist

        hits, misses = np.full((2, len(codes)), NOBODY)
        for some in batches(np.arange(len(codes)), len(codes)):
            distance = cdist(numbers[some], numbers, "cityblock")
            for column in categories.T:
                distance += self.step * (column[some, None] != column)
            np.round(distance, DECIMALS, out=distance)
            same = codes[some, None] == codes
            misses[some] = _closest(distance, ~same)
            same[np.arange(some.size), some] = False
            hits[some] = _closest(distance, same)
        return hits, misses


def _closest(distance: Floats, allowed: Bools) -> Ints:
    """The first of the nearest allowed columns of each line, or `NOBODY`."""
    closest = np.where(allowed, distance, np.inf).argmin(axis=1)
    return np.where(allowed.any(axis=1), closest, NOBODY)
