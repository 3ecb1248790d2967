"""The path of the weights that KNIFE gives over its penalty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from fsops.data.flow import FlowObject
from fsops.data.weights import AttributeWeights

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]
NONE: Floats = np.empty(0)
NO_COUNTS: npt.NDArray[np.intp] = np.empty(0, dtype=np.intp)
NO_MARKS: npt.NDArray[np.bool_] = np.empty(0, dtype=bool)


class KnifePath(FlowObject):
    """Weights of attributes over rising penalties, until no attribute is left.

    Parameters
    ----------
    names : sequence of str
        The attributes.
    penalties : array
        Rising; a step of the path each.
    weights : array of shape (penalties, attributes)
        From 0 to 1.
    objectives : array
        The minimized objective, at each penalty.
    order : array
        Positions of the attributes from best to worst.
    kernel : str
        Name of the kernel, for people.
    gaps, iterations, settled : array
        For each penalty the largest relative projected gradient, the number of steps, and whether
        the steps ended at a stationary point. Empty where they are unknown.
    """

    port_name: ClassVar[str] = "path"
    title: ClassVar[str] = "KNIFE path"

    def __init__(
        self,
        names: Sequence[str],
        penalties: Floats,
        weights: Floats,
        objectives: Floats,
        *,
        order: npt.NDArray[np.intp],
        kernel: str,
        gaps: Floats = NONE,
        iterations: npt.NDArray[np.intp] = NO_COUNTS,
        settled: npt.NDArray[np.bool_] = NO_MARKS,
    ) -> None:
        self.names = tuple(names)
        self.penalties = penalties
        self.weights = weights
        self.objectives = objectives
        self.order = order
        self.kernel = kernel
        self.gaps = gaps
        self.iterations = iterations
        self.settled = settled
        if weights.shape != (len(penalties), len(self.names)):
            raise ValueError(f"Weights must be penalties x attributes, got {weights.shape}.")

    def __len__(self) -> int:
        return len(self.penalties)

    def __repr__(self) -> str:
        return f"<KnifePath of {len(self.names)} attributes at {len(self)} penalties>"

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """How many attributes have a weight at each penalty."""
        return np.asarray((self.weights != 0).sum(axis=1), dtype=np.int64)

    def at_step(self, step: int) -> AttributeWeights:
        """Return the weights at a step, counted from 1; past the end those of the last step."""
        row = min(step, len(self)) - 1
        return AttributeWeights(self.names, self.weights[row], origin="KNIFE path")

    def at_penalty(self, penalty: float) -> AttributeWeights:
        """Return the weights at the largest penalty of the path that is not above the given one.

        Below the smallest they are those of the first step.
        """
        return self.at_step(max(1, int(np.searchsorted(self.penalties, penalty, side="right"))))

    def at_most(self, attributes: int) -> AttributeWeights:
        """Return the weights at the smallest penalty that leaves at most so many attributes.

        If no penalty of the path does they are those of the last step.
        """
        few = np.flatnonzero(self.counts <= attributes)
        return self.at_step(int(few[0]) + 1 if len(few) else len(self))

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with a row per step and attribute with a weight, best first."""
        import pandas as pd

        rows, columns = np.nonzero(self.weights)
        place = np.argsort(self.order)
        sorted_rows = np.lexsort((place[columns], -self.weights[rows, columns], rows))
        rows, columns = rows[sorted_rows], columns[sorted_rows]
        solution = {"gap": self.gaps, "iterations": self.iterations, "settled": self.settled}
        return pd.DataFrame(
            {
                "step": rows + 1,
                "penalty": self.penalties[rows],
                "objective": self.objectives[rows],
                **{name: column[rows] for name, column in solution.items() if len(column)},
                "attributes": self.counts[rows],
                "attribute": np.array(self.names, dtype=object)[columns],
                "weight": self.weights[rows, columns],
            }
        )

    def equals(self, other: object) -> bool:
        """Return whether the paths are the same, bit for bit."""
        return (
            isinstance(other, KnifePath)
            and (self.names, self.kernel) == (other.names, other.kernel)
            and all(
                mine.tobytes() == theirs.tobytes()
                for mine, theirs in (
                    (self.penalties, other.penalties),
                    (self.weights, other.weights),
                    (self.objectives, other.objectives),
                    (self.order, other.order),
                    (self.gaps, other.gaps),
                    (self.iterations, other.iterations),
                    (self.settled, other.settled),
                )
            )
        )
