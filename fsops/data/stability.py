"""How much repeated selections agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from fsops.data.flow import FlowObject, Traced

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
        """Fraction of repetitions that selected each attribute."""
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


class StabilityPath(Traced):
    """How often halves of the rows select each attribute, by number of attributes per half.

    Parameters
    ----------
    names : sequence of str
        The attributes that at least one half selects.
    sizes : array of int, rising
        Numbers of attributes that each half selects.
    frequencies : array of shape (sizes, attributes)
        Fraction of the halves that select each attribute.
    threshold : float
        An attribute with this fraction at the last size is selected.
    bound : float
        Bound on the expected number of false selections.
    """

    port_name: ClassVar[str] = "path"
    title: ClassVar[str] = "Stability path"
    main_title: ClassVar[str] = "Final size"

    def __init__(
        self,
        names: Sequence[str],
        sizes: npt.NDArray[np.intp],
        frequencies: npt.NDArray[np.float64],
        *,
        threshold: float,
        bound: float,
    ) -> None:
        self.names = tuple(names)
        self.sizes = sizes
        self.frequencies = frequencies
        self.threshold = threshold
        self.bound = bound

    def __len__(self) -> int:
        return len(self.sizes)

    def __repr__(self) -> str:
        return f"<StabilityPath of {len(self.names)} attributes at {len(self)} sizes>"

    def main_step(self) -> tuple[str, pd.DataFrame]:
        """Return the attributes at the final size, most often selected first."""
        import pandas as pd

        if not len(self):
            return "No half selects an attribute", pd.DataFrame({"attribute": [], "frequency": []})
        last = self.frequencies[-1]
        order = np.argsort(-last, kind="stable")
        order = order[last[order] > 0]
        table = {
            "attribute": np.array(self.names, dtype=object)[order],
            "frequency": last[order],
            "selected": np.where(last[order] >= self.threshold - 1e-9, "yes", "no"),
        }
        attributes = "1 attribute" if self.sizes[-1] == 1 else f"{self.sizes[-1]} attributes"
        words = (
            f"Frequencies at the final size, {attributes} per half; selected from "
            f"{self.threshold:.4g} on"
        )
        return words, pd.DataFrame(table)

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with a row per size and attribute that some half selects at it."""
        import pandas as pd

        rows, columns = np.nonzero(self.frequencies)
        return pd.DataFrame(
            {
                "size": self.sizes[rows],
                "attribute": np.array(self.names, dtype=object)[columns],
                "frequency": self.frequencies[rows, columns],
            }
        )

    def equals(self, other: object) -> bool:
        """Return whether both are the same, bit for bit."""
        return (
            isinstance(other, StabilityPath)
            and self.names == other.names
            and (self.threshold, self.bound) == (other.threshold, other.bound)
            and np.array_equal(self.sizes, other.sizes)
            and self.frequencies.tobytes() == other.frequencies.tobytes()
        )
