"""The rounds of a recursive elimination."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from fsops.data.flow import FlowObject

if TYPE_CHECKING:
    import pandas as pd

Round = tuple[int, tuple[str, ...], npt.NDArray[np.float64]]


class EliminationTrace(FlowObject):
    """Round by round: how many attributes there were, and the weights of those shown.

    Parameters
    ----------
    rounds : tuple of (size, names, weights)
        The names are those dropped in the round, or all that took part, best first; in the last
        round those that survived.
    origin : str
        Which operator made it.
    """

    port_name: ClassVar[str] = "trace"
    title: ClassVar[str] = "Elimination trace"

    def __init__(self, rounds: tuple[Round, ...], origin: str = "") -> None:
        self.rounds = rounds
        self.origin = origin

    def __len__(self) -> int:
        return len(self.rounds)

    def __repr__(self) -> str:
        return f"<EliminationTrace of {len(self)} rounds>"

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with a row per round and attribute."""
        import pandas as pd

        return pd.DataFrame(
            [
                (number, size, rank, name, weight)
                for number, (size, names, weights) in enumerate(self.rounds, start=1)
                for rank, (name, weight) in enumerate(zip(names, weights, strict=True), start=1)
            ],
            columns=["round", "attributes", "place", "attribute", "weight"],
        )

    def equals(self, other: object) -> bool:
        """Return whether all rounds are the same, bit for bit."""
        return (
            isinstance(other, EliminationTrace)
            and len(self) == len(other)
            and all(
                a[:2] == b[:2] and a[2].tobytes() == b[2].tobytes()
                for a, b in zip(self.rounds, other.rounds, strict=True)
            )
        )
