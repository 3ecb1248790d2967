"""Coefficients of a linear model over its penalty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from fsops.data.flow import Traced

if TYPE_CHECKING:
    import pandas as pd


class CoefficientPath(Traced):
    """Coefficients of the attributes that enter a model while its penalty falls.

    Parameters
    ----------
    names : sequence of str
        The attributes that have a coefficient somewhere on the path.
    penalties : array, falling
        A step of the path each.
    coefficients : array of shape (penalties, attributes)
        Of standardized attributes.
    chosen : int
        Position of the chosen penalty.
    groups : sequence of str
        Name of the group of each attribute, or empty if the model knows no groups.
    """

    port_name: ClassVar[str] = "path"
    title: ClassVar[str] = "Coefficient path"
    main_title: ClassVar[str] = "Chosen penalty"

    def __init__(
        self,
        names: Sequence[str],
        penalties: npt.NDArray[np.float64],
        coefficients: npt.NDArray[np.float64],
        *,
        chosen: int,
        groups: Sequence[str] = (),
    ) -> None:
        self.names = tuple(names)
        self.penalties = penalties
        self.coefficients = coefficients
        self.chosen = chosen
        self.groups = tuple(groups)
        if coefficients.shape != (len(penalties), len(self.names)):
            raise ValueError(
                f"Coefficients must be penalties x attributes, got {coefficients.shape}."
            )

    def __len__(self) -> int:
        return len(self.penalties)

    def __repr__(self) -> str:
        return f"<CoefficientPath of {len(self.names)} attributes at {len(self)} penalties>"

    def main_step(self) -> tuple[str, pd.DataFrame]:
        """Return the attributes at the chosen penalty, largest coefficient first."""
        import pandas as pd

        values = self.coefficients[self.chosen]
        order = np.argsort(-np.abs(values), kind="stable")
        order = order[values[order] != 0]
        table: dict[str, npt.NDArray[Any]] = {
            "attribute": np.array(self.names, dtype=object)[order],
            "coefficient": values[order],
        }
        if self.groups:
            table["group"] = np.array(self.groups, dtype=object)[order]
        number = f"number {self.chosen + 1} of {len(self)}"
        words = f"Coefficients at the chosen penalty {self.penalties[self.chosen]:.4g} ({number})"
        return words, pd.DataFrame(table)

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with a row per penalty and attribute with a coefficient at it."""
        import pandas as pd

        rows, columns = np.nonzero(self.coefficients)
        table: dict[str, npt.NDArray[Any]] = {
            "penalty": self.penalties[rows],
            "attribute": np.array(self.names, dtype=object)[columns],
            "coefficient": self.coefficients[rows, columns],
            "chosen": rows == self.chosen,
        }
        if self.groups:
            table["group"] = np.array(self.groups, dtype=object)[columns]
        return pd.DataFrame(table)

    def equals(self, other: object) -> bool:
        """Return whether both are the same, bit for bit."""
        return (
            isinstance(other, CoefficientPath)
            and self.names == other.names
            and self.groups == other.groups
            and self.chosen == other.chosen
            and self.penalties.tobytes() == other.penalties.tobytes()
            and self.coefficients.tobytes() == other.coefficients.tobytes()
        )
