"""The answer of a study: whether anything is beyond chance, with which attributes, how sure."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from fsops.data.flow import FlowObject

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Light = Literal["green", "yellow", "red", "grey"]
Case = Literal[
    "too few rows",
    "nothing",
    "stable, not predictive",
    "label given away",
    "redundant",
    "no single attribute",
    "clear",
    "weak",
]


@dataclass(frozen=True)
class Estimate:
    """A score on new rows, with its interval.

    Parameters
    ----------
    name : str
        Such as ``"balanced accuracy"`` or ``"AUC"``.
    value, lower, upper : float
        The estimate and the ends of its 95 % interval.
    chance : float
        The value that guessing gives; NaN if there is none.
    percent : bool
        Whether it is a fraction that people read in percent.
    """

    name: str
    value: float
    lower: float
    upper: float
    chance: float = math.nan
    percent: bool = False

    def __str__(self) -> str:
        return (
            f"{self.text(self.value)} (95 % interval {self.text(self.lower)} to "
            f"{self.text(self.upper)})"
        )

    def text(self, value: float) -> str:
        """Return a value of this score as text."""
        return f"{100 * value:.1f} %" if self.percent else f"{value:.3g}"


@dataclass(frozen=True, eq=False)
class Band:
    """Values under permuted labels, one per number of attributes.

    ``lower``, ``middle`` and ``upper`` are the 5 %, 50 % and 95 % points over the permutations.
    """

    lower: Floats
    middle: Floats
    upper: Floats


@dataclass(frozen=True, eq=False)
class ChanceBaseline:
    """Results of the true label and of permuted labels, by number of attributes.

    Parameters
    ----------
    sizes : array
        The numbers of attributes, ascending.
    score_name : str
        ``"balanced accuracy"`` for classes, ``"Q²"`` for numbers: pooled over the test rows.
    score : array
        The score of the true label at each size.
    score_band : Band
        The score under permuted labels at each size.
    score_limit : float
        95 % point of the best score over all sizes: permuted labels reach it in one of 20 orders.
    guess : float
        The score of guessing: 1 / classes, or 0 for Q².
    criterion : str
        The error that Compare Feature Selections draws: ``"classification_error"`` or
        ``"root_mean_squared_error"``.
    error, error_band : array, Band
        That error of the true label, and under permuted labels.
    majority_error : float
        The error of always predicting the largest class, or the mean.
    stability, stability_band : array, Band
        Kuncheva's index over the folds, and under permuted labels.
    frequency_limit : float
        95 % point of the largest selection frequency under permuted labels; NaN if not measured.
    list_length, resamples : int
        The frequency is the fraction of so many bootstraps in which an attribute is among the best
        ``list_length``.
    attribute_limit : float
        95 % point of the largest R² of an attribute with the label: the family-wise limit.
    permutations, planned : int
        Orders that were computed and that were planned; fewer if the result was clear early.
    arrangements : float
        Number of different orders of the label; no p-value is below 1 / arrangements.
    p_value : float
        The headline: smallest of the next three, corrected exactly for taking the smallest.
    p_error, p_stability, p_attribute : float
        Of the best score, of the stability, of the best single attribute.
    """

    sizes: Ints
    score_name: str
    score: Floats
    score_band: Band
    score_limit: float
    guess: float
    criterion: str
    error: Floats
    error_band: Band
    majority_error: float
    stability: Floats
    stability_band: Band
    frequency_limit: float
    list_length: int
    resamples: int
    attribute_limit: float
    permutations: int
    planned: int
    arrangements: float
    p_value: float
    p_error: float
    p_stability: float
    p_attribute: float

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with a row per number of attributes."""
        import pandas as pd

        columns: dict[str, object] = {"attributes": self.sizes}
        for name, values, band in (
            (self.score_name, self.score, self.score_band),
            (self.criterion, self.error, self.error_band),
            ("kuncheva", self.stability, self.stability_band),
        ):
            columns[name] = values
            columns[f"{name}, chance 5 %"] = band.lower
            columns[f"{name}, chance 50 %"] = band.middle
            columns[f"{name}, chance 95 %"] = band.upper
        return pd.DataFrame(columns)


@dataclass(frozen=True)
class Verdict:
    """The answer in words.

    Parameters
    ----------
    case : str
        Which rule decided.
    light : {"green", "yellow", "red", "grey"}
        Green: found. Yellow: found, with a restriction. Red: nothing found. Gray: cannot be said.
    headline : str
        The answer in a few words; on noise that nothing was found.
    sentences : tuple of str
        The answer with its numbers.
    not_said : str
        Conclusions that the answer does not allow.
    doubts : tuple of str
        What makes it doubtful.
    next_steps : tuple of str
        What to do next.
    """

    case: Case
    light: Light
    headline: str
    sentences: tuple[str, ...]
    not_said: str
    doubts: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()

    @property
    def found(self) -> bool:
        """Whether anything was found beyond chance."""
        return self.light in ("green", "yellow")

    @property
    def text(self) -> str:
        """Headline and sentences as one text."""
        return " ".join((self.headline, *self.sentences))


@dataclass(frozen=True)
class MethodTest:
    """A further method of the comparison: the lowest error on its curve, and a p-value.

    The lowest error is optimistic. For classes it is a fraction of the rows, for numbers the root
    mean squared error divided by the deviation of the label.
    """

    name: str
    error: float
    p_value: float


@dataclass(frozen=True)
class BeyondChance:
    """An attribute whose relation to the label is beyond chance, corrected for all attributes."""

    name: str
    p_value: float


@dataclass(frozen=True, eq=False)
class StudyAnswer(FlowObject):
    """The answer of a study: verdict, honest scores, chance, attributes beyond chance.

    Parameters
    ----------
    verdict : Verdict
        The answer in words, with a traffic light.
    chance : ChanceBaseline
        Curves with their bands of permuted labels, and p-values.
    estimates : tuple of Estimate
        Scores on new rows with 95 % intervals, the main one first. Size and method are chosen
        inside, so they are not optimistic. Classes: balanced accuracy, accuracy, AUC, and for two
        classes sensitivity and specificity. Numbers: R², RMSE.
    label : str
        Name of the label.
    classes, class_counts : tuple
        The classes and their numbers of rows; empty for numbers.
    rows, attributes : int
        Size of the table.
    method : str
        The best method; empty if only one was tried.
    size : int
        The smallest number of attributes within one standard error of the best.
    best_size : int
        The number of attributes with the best score on the curve.
    best_score : float
        That score: it is optimistic, because the test rows chose the size and the method.
    methods : tuple of MethodTest
        The methods of the comparison.
    beyond : tuple of BeyondChance
        Attributes beyond the family-wise limit, best first.
    alpha : float
        Level of the headline p-value.
    """

    port_name: ClassVar[str] = "answer"
    title: ClassVar[str] = "Answer"

    verdict: Verdict
    chance: ChanceBaseline
    estimates: tuple[Estimate, ...]
    label: str
    classes: tuple[str, ...]
    class_counts: tuple[int, ...]
    rows: int
    attributes: int
    method: str
    size: int
    best_size: int
    best_score: float
    methods: tuple[MethodTest, ...] = ()
    beyond: tuple[BeyondChance, ...] = ()
    alpha: float = 0.05

    def __repr__(self) -> str:
        return f"<Answer: {self.verdict.headline} p = {self.chance.p_value:.3g}>"

    @property
    def main(self) -> Estimate:
        """The score of the headline."""
        return self.estimates[0]

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with a row per score: estimate, interval, and the value of guessing."""
        import pandas as pd

        return pd.DataFrame(
            {
                "score": [e.name for e in self.estimates],
                "estimate": [e.value for e in self.estimates],
                "lower": [e.lower for e in self.estimates],
                "upper": [e.upper for e in self.estimates],
                "guessing": [e.chance for e in self.estimates],
            }
        )

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values, as for JSON."""
        return {"type": "StudyAnswer", **_plain(dataclasses.asdict(self))}

    def equals(self, other: object) -> bool:
        """Return whether all values are the same, bit for bit."""
        return isinstance(other, StudyAnswer) and _bits(self) == _bits(other)


def _plain(value: Any) -> Any:
    """Return arrays and tuples as lists, at any depth."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.tolist() if isinstance(value, np.ndarray) else value


def _bits(value: Any) -> Any:
    """Return a value in which NaN equals NaN."""
    if dataclasses.is_dataclass(value):
        fields = dataclasses.fields(value)
        return type(value), [_bits(getattr(value, field.name)) for field in fields]
    if isinstance(value, tuple):
        return [_bits(item) for item in value]
    if isinstance(value, float):
        return value.hex()
    return value.tobytes() if isinstance(value, np.ndarray) else value
