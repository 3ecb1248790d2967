"""Importances of attributes and of their shadows, as Boruta compares them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from fsops.data.flow import FlowObject
from fsops.data.names import Names, texts_of

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]


class ImportanceHistory(FlowObject):
    """Importances iteration by iteration.

    Parameters
    ----------
    names : sequence of str
        The attributes.
    importances : array of shape (iterations, attributes)
        NaN after an attribute was rejected.
    shadows : array of shape (iterations, 3)
        Smallest, mean and largest importance of a shadow.
    decisions : array of int
        1 confirmed, 0 tentative, -1 rejected.
    """

    port_name: ClassVar[str] = "history"
    title: ClassVar[str] = "Importance history"

    def __init__(
        self,
        names: Sequence[str],
        importances: Floats,
        shadows: Floats,
        decisions: npt.NDArray[np.intp],
    ) -> None:
        self.names = Names.of(texts_of(names))
        self.importances = importances
        self.shadows = shadows
        self.decisions = decisions

    def __len__(self) -> int:
        return len(self.importances)

    def __repr__(self) -> str:
        confirmed = int((self.decisions == 1).sum())
        return f"<ImportanceHistory of {len(self)} iterations: {confirmed} attributes confirmed>"

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with a row per iteration and attribute that took part in it."""
        import pandas as pd

        rows, columns = np.nonzero(~np.isnan(self.importances))
        return pd.DataFrame(
            {
                "iteration": rows + 1,
                "attribute": np.array(self.names.texts(), dtype=object)[columns],
                "importance": self.importances[rows, columns],
                "best shadow": self.shadows[rows, 2],
                "decision": self.decisions[columns],
            }
        )

    def equals(self, other: object) -> bool:
        """Return whether both are the same, bit for bit."""
        return (
            isinstance(other, ImportanceHistory)
            and self.names == other.names
            and self.importances.tobytes() == other.importances.tobytes()
            and self.shadows.tobytes() == other.shadows.tobytes()
            and np.array_equal(self.decisions, other.decisions)
        )
