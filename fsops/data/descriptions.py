"""Attributes described one by one: direction, effect, significance, stability, redundancy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from fsops.data.flow import FlowObject

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]


class AttributeDescriptions(FlowObject):
    """Descriptions of some attributes, the most important first.

    Parameters
    ----------
    names : sequence of str
        The attributes.
    columns : mapping of str to array
        One value per attribute and column, such as effect, lower, upper, p_value.
    groups : sequence of str
        The classes, or thirds of a numerical label.
    boxes : array of shape (attributes, groups, 5)
        Smallest value, quartiles and largest value by group.
    effect : str
        Name of the effect size.
    total : int
        How many attributes the table has; p-values are adjusted for so many.
    link : str
        Template of a web address for an attribute, with ``{attribute}`` for its name; empty: none.
    """

    port_name: ClassVar[str] = "descriptions"
    title: ClassVar[str] = "Attribute descriptions"

    def __init__(
        self,
        names: Sequence[str],
        columns: Mapping[str, npt.NDArray[Any]],
        *,
        groups: Sequence[str],
        boxes: Floats,
        effect: str,
        total: int,
        link: str = "",
    ) -> None:
        self.names = tuple(names)
        self.columns = dict(columns)
        self.groups = tuple(groups)
        self.boxes = boxes
        self.effect = effect
        self.total = total
        self.link = link
        for name, column in self.columns.items():
            if column.shape != (len(self.names),):
                raise ValueError(f'"{name}" must have {len(self.names)} values: {column.shape}.')
        if boxes.shape != (len(self.names), len(self.groups), 5):
            raise ValueError(f"Boxes must be attributes x groups x 5, got {boxes.shape}.")

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<AttributeDescriptions of {len(self)} of {self.total} attributes>"

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with a row per attribute, the most important first."""
        import pandas as pd

        place = np.arange(1, len(self) + 1)
        return pd.DataFrame({"place": place, "attribute": list(self.names), **self.columns})

    def equals(self, other: object) -> bool:
        """Return whether all descriptions are the same, bit for bit."""
        return (
            isinstance(other, AttributeDescriptions)
            and (self.names, self.groups, self.effect, self.total, self.link)
            == (other.names, other.groups, other.effect, other.total, other.link)
            and self.boxes.tobytes() == other.boxes.tobytes()
            and self.columns.keys() == other.columns.keys()
            and all(
                np.array_equal(mine, other.columns[name], equal_nan=mine.dtype.kind == "f")
                for name, mine in self.columns.items()
            )
        )
