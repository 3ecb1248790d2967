"""Class centroids that are shrunken towards the overall mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from fsops.data.flow import FlowObject
from fsops.data.names import Names, texts_of

if TYPE_CHECKING:
    import pandas as pd


class ShrunkenCentroids(FlowObject):
    """Differences of the class means from the overall mean, after shrinking.

    The attributes are sorted: the one with the largest difference in some class comes first.

    Parameters
    ----------
    names : sequence of str
        The attributes whose difference is not 0 in some class.
    classes : sequence of str
        The classes.
    differences : array of shape (classes, attributes)
        In standard errors; above 0 where the class has larger values than all rows together.
    threshold : float
        The threshold by which the differences are shrunken.
    """

    port_name: ClassVar[str] = "centroids"
    title: ClassVar[str] = "Shrunken centroids"

    def __init__(
        self,
        names: Sequence[str],
        classes: Sequence[str],
        differences: npt.NDArray[np.float64],
        *,
        threshold: float,
    ) -> None:
        self.classes = tuple(classes)
        self.threshold = threshold
        found = Names.of(texts_of(names))
        if differences.shape != (len(self.classes), len(found)):
            raise ValueError(f"Differences must be classes x attributes, got {differences.shape}.")
        order = np.argsort(-np.abs(differences).max(axis=0, initial=0.0), kind="stable")
        self.names = found.take(order)
        self.differences = np.ascontiguousarray(differences[:, order])

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<ShrunkenCentroids of {len(self.classes)} classes in {len(self)} attributes>"

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with a row per attribute and a column per class."""
        import pandas as pd

        columns = [f"difference({name})" for name in self.classes]
        table = pd.DataFrame(self.differences.T, columns=columns)
        table.insert(0, "attribute", np.array(self.names.texts(), dtype=object))
        return table

    def equals(self, other: object) -> bool:
        """Return whether both are the same, bit for bit."""
        return (
            isinstance(other, ShrunkenCentroids)
            and self.names == other.names
            and self.classes == other.classes
            and self.threshold == other.threshold
            and self.differences.tobytes() == other.differences.tobytes()
        )
