"""How much repeated selections agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from fsops.data.flow import FlowObject

if TYPE_CHECKING:
    import pandas as pd


class StabilityResult(FlowObject):
    """The selections of all repetitions, and how their agreement depends on the size.

    Parameters
    ----------
    names : sequence of str
        The attributes.
    weights : array of shape (repetitions, attributes)
        What each repetition gave; 0 where an attribute was not mentioned.
    selections : array of bool of the same shape
        What each repetition selected.
    by_size : mapping of str to array
        Agreement of the best 1, 2, … attributes, by name of the measure.
    """

    port_name: ClassVar[str] = "stability"
    title: ClassVar[str] = "Stability"

    def __init__(
        self,
        names: Sequence[str],
        weights: npt.NDArray[np.float64],
        selections: npt.NDArray[np.bool_],
        by_size: Mapping[str, npt.NDArray[np.float64]],
    ) -> None:
        self.names = tuple(names)
        self.weights = weights
        self.selections = selections
        self.by_size = dict(by_size)

    def __repr__(self) -> str:
        return (
            f"<StabilityResult of {len(self.weights)} selections of {len(self.names)} attributes>"
        )

    @property
    def frequency(self) -> npt.NDArray[np.float64]:
        """Share of the repetitions that selected each attribute."""
        share: npt.NDArray[np.float64] = self.selections.mean(axis=0)
        return share

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with a row per number of attributes and a column per measure."""
        import pandas as pd

        length = max((len(v) for v in self.by_size.values()), default=0)
        return pd.DataFrame({"k": np.arange(1, length + 1), **self.by_size})

    def equals(self, other: object) -> bool:
        """Return whether all weights and agreements are the same, bit for bit."""
        return (
            isinstance(other, StabilityResult)
            and self.names == other.names
            and self.weights.tobytes() == other.weights.tobytes()
            and np.array_equal(self.selections, other.selections)
            and self.by_size.keys() == other.by_size.keys()
            and all(v.tobytes() == other.by_size[k].tobytes() for k, v in self.by_size.items())
        )
