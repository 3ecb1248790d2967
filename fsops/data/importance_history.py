"""Importances of attributes and of their shadows, as Boruta compares them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from fsops.data.flow import Traced
from fsops.data.names import Names, texts_of

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]
DECISIONS = {1: "confirmed", 0: "tentative", -1: "rejected"}


class ImportanceHistory(Traced):
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
    main_title: ClassVar[str] = "Decisions"

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

    def main_step(self) -> tuple[str, pd.DataFrame]:
        """Return the final decisions with median importances, confirmed attributes first."""
        import pandas as pd

        known = ~np.isnan(self.importances)
        iterations = known.sum(axis=0)
        medians = np.full(len(self.names), np.nan)
        medians[iterations > 0] = np.nanmedian(self.importances[:, iterations > 0], axis=0)
        order = np.lexsort((-np.nan_to_num(medians), -self.decisions))
        table = {
            "attribute": np.array(self.names.texts(), dtype=object)[order],
            "decision": np.array([DECISIONS[d] for d in self.decisions[order].tolist()], object),
            "median importance": medians[order],
            "iterations": iterations[order],
        }
        counts = (
            f"{np.count_nonzero(self.decisions == d)} {word}" for d, word in DECISIONS.items()
        )
        after = "1 iteration" if len(self) == 1 else f"{len(self)} iterations"
        words = f"After {after}: {', '.join(counts)}"
        if len(self):
            words += f"; best shadow {np.nanmedian(self.shadows[:, -1]):.3g} (median)"
        return words, pd.DataFrame(table)

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
