"""Results of a validation with permuted labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from fsops.data.flow import FlowObject

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]


class PermutationBaseline(FlowObject):
    """Criteria of a validation with the true label and with permuted labels.

    Parameters
    ----------
    criteria : sequence of str
        Measured criteria; the first is the main one.
    true : array of shape (criteria,)
        With the true label.
    permuted : array of shape (permutations, criteria)
        With permuted labels; NaN where there is no value.
    maximize : sequence of bool
        Whether larger is better, by criterion.
    p_values : array of shape (criteria,)
        (b + 1) / (m + 1), where b of m permuted labels are at least as good.
    arrangements : float
        Number of different orders of the label.
    """

    port_name: ClassVar[str] = "baseline"
    title: ClassVar[str] = "Permutation baseline"

    def __init__(
        self,
        criteria: Sequence[str],
        true: Floats,
        permuted: Floats,
        *,
        maximize: Sequence[bool],
        p_values: Floats,
        arrangements: float,
    ) -> None:
        self.criteria = tuple(criteria)
        self.true = true
        self.permuted = permuted
        self.maximize = tuple(map(bool, maximize))
        self.p_values = p_values
        self.arrangements = arrangements
        if permuted.shape[1:] != true.shape or true.shape != (len(self.criteria),):
            raise ValueError(f"Permuted values must be orders x criteria, got {permuted.shape}.")

    def __repr__(self) -> str:
        p = f"p = {self.p_values[0]:.3g}"
        return f"<PermutationBaseline of {self.criteria[0]}: {self.true[0]:.4g}, {p}>"

    @property
    def permutations(self) -> int:
        """Number of permuted labels."""
        return len(self.permuted)

    def band(self) -> Floats:
        """Return the 5 %, 50 % and 95 % points of each criterion (columns) by chance."""
        points = np.full((3, len(self.criteria)), np.nan)
        for place, column in enumerate(self.permuted.T):
            known = column[~np.isnan(column)]
            if len(known):
                points[:, place] = np.quantile(known, [0.05, 0.5, 0.95])
        return points

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with a row per criterion."""
        import pandas as pd

        lower, middle, upper = self.band()
        return pd.DataFrame(
            {
                "criterion": self.criteria,
                "value": self.true,
                "chance 5 %": lower,
                "chance 50 %": middle,
                "chance 95 %": upper,
                "p-value": self.p_values,
                "permutations": self.permutations,
            }
        )

    def equals(self, other: object) -> bool:
        """Return whether all values are the same, bit for bit."""
        return (
            isinstance(other, PermutationBaseline)
            and (self.criteria, self.maximize) == (other.criteria, other.maximize)
            and self.arrangements == other.arrangements
            and all(
                mine.tobytes() == theirs.tobytes()
                for mine, theirs in (
                    (self.true, other.true),
                    (self.permuted, other.permuted),
                    (self.p_values, other.p_values),
                )
            )
        )
