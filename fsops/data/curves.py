"""How well selections do at every number of attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from fsops.data.flow import FlowObject

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class SizeCurves(FlowObject):
    """Merit, and if known stability, of one or several selections by number of attributes.

    Parameters
    ----------
    methods : sequence of str
        What the selections are called.
    sizes : sequence of int
        The numbers of attributes, ascending.
    scores : array of shape (methods, sizes, repetitions)
        What each repetition (a fold, usually) gave; NaN where there is no value.
    criterion : str
        What was measured.
    maximize : bool
        Whether larger is better.
    stability : array of shape (methods, sizes), optional
        Agreement of the repetitions' selections at each size.
    stability_measure : str
        Which measure of agreement that is.
    chosen : sequence of int, optional
        Which number of attributes was chosen for each method.
    seconds : array of shape (methods, repetitions), optional
        How long each selection took. It differs from run to run: two curves are equal without it.
    """

    port_name: ClassVar[str] = "curves"
    title: ClassVar[str] = "Curves over the number of attributes"

    def __init__(
        self,
        methods: Sequence[str],
        sizes: Sequence[int] | Ints,
        scores: Floats,
        *,
        criterion: str,
        maximize: bool,
        stability: Floats | None = None,
        stability_measure: str = "kuncheva",
        chosen: Sequence[int] | None = None,
        seconds: Floats | None = None,
    ) -> None:
        self.methods = tuple(methods)
        self.sizes: Ints = np.asarray(sizes, dtype=np.int64)
        self.scores = scores
        self.criterion = criterion
        self.maximize = maximize
        self.stability = stability
        self.stability_measure = stability_measure
        self.chosen = None if chosen is None else tuple(map(int, chosen))
        self.seconds = seconds
        if scores.ndim != 3 or scores.shape[:2] != (len(self.methods), len(self.sizes)):
            raise ValueError(
                f"Scores must be methods x sizes x repetitions, got shape {scores.shape}."
            )

    def __repr__(self) -> str:
        count = len(self.methods)
        return f"<SizeCurves of {count} selection{'s' * (count != 1)} at {len(self.sizes)} sizes>"

    @property
    def mean(self) -> Floats:
        """Mean score of each method (row) at each size, over the repetitions that have one."""
        known = ~np.isnan(self.scores)
        count = known.sum(axis=2)
        total = np.where(known, self.scores, 0.0).sum(axis=2)
        return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)

    @property
    def standard_error(self) -> Floats:
        """Standard error of the mean; NaN with fewer than two repetitions."""
        known = ~np.isnan(self.scores)
        count = known.sum(axis=2)
        apart = np.where(known, self.scores - self.mean[:, :, None], 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            error: Floats = np.sqrt((apart**2).sum(axis=2) / (count - 1) / count)
        return np.where(count > 1, error, np.nan)

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with a row per method and number of attributes."""
        import pandas as pd

        count = len(self.sizes)
        columns: dict[str, object] = {
            "method": np.repeat(np.array(self.methods, dtype=object), count),
            "attributes": np.tile(self.sizes, len(self.methods)),
            self.criterion: self.mean.ravel(),
            "standard_error": self.standard_error.ravel(),
        }
        if self.stability is not None:
            columns[self.stability_measure] = self.stability.ravel()
        if self.chosen is not None:
            columns["chosen"] = (self.sizes == np.array(self.chosen)[:, None]).ravel()
        return pd.DataFrame(columns)

    def equals(self, other: object) -> bool:
        """Return whether all but the times are the same, bit for bit."""
        return (
            isinstance(other, SizeCurves)
            and self._told() == other._told()
            and self.scores.tobytes() == other.scores.tobytes()
            and _bytes(self.stability) == _bytes(other.stability)
        )

    def _told(self) -> tuple[object, ...]:
        return (
            self.methods,
            tuple(self.sizes.tolist()),
            self.scores.shape,
            self.criterion,
            self.maximize,
            self.stability_measure,
            self.chosen,
        )


def _bytes(values: Floats | None) -> bytes | None:
    return None if values is None else values.tobytes()
