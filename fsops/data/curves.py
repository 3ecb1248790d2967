"""How well selections do at every number of attributes."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from fsops.algorithms.search.size_choice import SizeRule, chosen_size
from fsops.data.flow import FlowObject
from fsops.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

    from fsops.data.answer import ChanceBaseline

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def even_scores(scores: Sequence[Sequence[float]]) -> Floats:
    """Return the values of one method at several sizes, NaN where a size has fewer of them."""
    table = np.full((1, len(scores), max(map(len, scores))), np.nan)
    for row, values in zip(table[0], scores, strict=True):
        row[: len(values)] = values
    return table


class SizeCurves(FlowObject):
    """Merit, and if known stability, of one or several selections by number of attributes.

    Parameters
    ----------
    methods : sequence of str
        Names of the selections.
    sizes : sequence of int
        The numbers of attributes, ascending.
    scores : array of shape (methods, sizes, repetitions)
        What each repetition (a fold, usually) gave; NaN where there is no value.
    criterion : str
        The measured criterion.
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
    learning_seconds : array of shape (methods, sizes), optional
        How long learning and predicting took on average; no part of equality either.
    predictions : array of shape (methods, sizes, rows), optional
        What each row was predicted as when it was first tested: the code of a class of ``classes``,
        or a number; NaN where it never was.
    truth : array of shape (rows,), optional
        The label in the same way.
    classes : sequence of str
        The classes of the label; empty for numbers.
    chance : ChanceBaseline, optional
        What permuted labels give; figures draw its bands.
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
        learning_seconds: Floats | None = None,
        predictions: Floats | None = None,
        truth: Floats | None = None,
        classes: Sequence[str] = (),
        chance: ChanceBaseline | None = None,
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
        self.learning_seconds = learning_seconds
        self.predictions = predictions
        self.truth = truth
        self.classes = tuple(classes)
        self.chance = chance
        if scores.ndim != 3 or scores.shape[:2] != (len(self.methods), len(self.sizes)):
            raise ValueError(
                f"Scores must be methods x sizes x repetitions, got shape {scores.shape}."
            )

    def __repr__(self) -> str:
        count = len(self.methods)
        sizes = f"{len(self.sizes)} size{'s' * (len(self.sizes) != 1)}"
        return f"<SizeCurves of {count} selection{'s' * (count != 1)} at {sizes}>"

    @property
    def mean(self) -> Floats:
        """Mean score of each method (row) at each size, over the repetitions that have one."""
        known = ~np.isnan(self.scores)
        count = known.sum(axis=2)
        total: Floats = np.where(known, self.scores, 0.0).sum(axis=2)
        mean: Floats = np.full(total.shape, np.nan)
        np.divide(total, count, out=mean, where=count > 0)
        return mean

    @property
    def deviation(self) -> Floats:
        """Sample standard deviation over the repetitions; NaN with fewer than two."""
        known = ~np.isnan(self.scores)
        count = known.sum(axis=2)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            apart = np.where(known, self.scores - self.mean[:, :, None], 0.0)
            # A power of 2 keeps the squares of huge and tiny scores, and changes no digit.
            exponent = np.frexp(np.abs(apart).max(axis=2, initial=0.0))[1]
            apart = np.ldexp(apart, -exponent[:, :, None])
            spread: Floats = np.sqrt((apart**2).sum(axis=2) / (count - 1))
        return np.where(count > 1, np.ldexp(spread, exponent), np.nan)

    @property
    def standard_error(self) -> Floats:
        """Standard error of the mean; NaN with fewer than two repetitions."""
        count = (~np.isnan(self.scores)).sum(axis=2)
        error: Floats = self.deviation / np.sqrt(np.maximum(count, 1))
        return error

    def beside(self, chance: ChanceBaseline) -> SizeCurves:
        """Return the same curves with the bands of chance."""
        same = copy.copy(self)
        same.chance = chance
        return same

    def choose(self, rule: SizeRule = "best", percent: float = 1.0) -> tuple[int, ...]:
        """Return a number of attributes for each method; see `chosen_size` for the rules."""
        if rule == "stability_aware" and self.stability is None:
            raise DataError(
                "stability_aware needs the stability of the selections. It is not measured here.",
                hint="Choose one_standard_error, or use Choose Number of Features.",
            )
        loss = -self.mean if self.maximize else self.mean
        chosen = []
        for number, method in enumerate(self.methods):
            if np.isnan(loss[number]).all():
                raise DataError(f'"{method}" has no {self.criterion} at any number of attributes.')
            stability = None if self.stability is None else self.stability[number]
            error = self.standard_error[number]
            place = chosen_size(
                self.sizes, loss[number], error, rule, percent=percent, stability=stability
            )
            chosen.append(int(self.sizes[place]))
        return tuple(chosen)

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with a row per method and number of attributes.

        The seconds are the mean time of the selection, and of learning and predicting where that
        is known.
        """
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
        if self.seconds is not None:
            columns["seconds"] = np.repeat(self.seconds.mean(axis=1), count)
        if self.learning_seconds is not None:
            columns["learning_seconds"] = self.learning_seconds.ravel()
        return pd.DataFrame(columns)

    def equals(self, other: object) -> bool:
        """Return whether all but the times are the same, bit for bit."""
        return isinstance(other, SizeCurves) and self.fingerprint() == other.fingerprint()

    def fingerprint(self) -> str:
        """Return a hash of everything but the times."""
        content = hashlib.sha256(repr(self._content()).encode("utf-8", "surrogatepass"))
        content.update(self.scores.tobytes())
        for values in (self.stability, self.predictions, self.truth):
            if values is not None:
                content.update(values.tobytes())
        return content.hexdigest()

    def _content(self) -> tuple[object, ...]:
        return (
            self.methods,
            tuple(self.sizes.tolist()),
            self.scores.shape,
            self.criterion,
            self.maximize,
            self.stability is not None,
            self.stability_measure,
            self.chosen,
            self.predictions is not None,
            self.classes,
        )
