"""Performance of a model or a selection: criteria with mean, deviation and count."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import add
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from fsops.data.flow import Averageable
from fsops.errors import DataError, did_you_mean, enumerate_names

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Criterion:
    """One criterion, measured once or over several repetitions.

    Parameters
    ----------
    name : str
    values : tuple of float
        One value per repetition, in their order.
    maximize : bool
        Whether larger is better.
    percent : bool
        Whether it is a share that people read in percent.
    measured : bool
        Whether it was measured; False for a computed bound or a setting.
    """

    name: str
    values: tuple[float, ...]
    maximize: bool = True
    percent: bool = False
    measured: bool = True

    def __post_init__(self) -> None:
        if not self.values:
            raise DataError(f'The criterion "{self.name}" has no value.')

    def equals(self, other: Criterion) -> bool:
        """Return whether both are the same, bit for bit; NaN is itself."""
        mine, theirs = np.array(self.values, np.float64), np.array(other.values, np.float64)
        return replace(self, values=other.values) == other and mine.tobytes() == theirs.tobytes()

    @property
    def mean(self) -> float:
        """Mean over the repetitions."""
        return float(self.values[0] if len(self.values) == 1 else np.mean(self.values))

    @property
    def deviation(self) -> float | None:
        """Sample standard deviation over the repetitions; None for a single measurement."""
        return float(np.std(self.values, ddof=1)) if self.count > 1 else None

    @property
    def merit(self) -> float:
        """How good it is, larger being better; an undefined figure is the worst."""
        mean = self.mean if self.maximize else -self.mean
        return -math.inf if math.isnan(mean) else mean

    @property
    def count(self) -> int:
        """Number of repetitions."""
        return len(self.values)

    def __str__(self) -> str:
        scale, unit = (100, " %") if self.percent else (1, "")
        shown = f"{self.mean * scale:.2f}{unit}" if self.percent else f"{self.mean:.6g}"
        if self.deviation is None:
            return shown
        spread = f"{self.deviation * scale:.2f}{unit}" if self.percent else f"{self.deviation:.3g}"
        decimals = len(spread.partition(".")[2])
        if not self.percent and decimals and "e" not in spread + shown:
            shown = f"{self.mean:.{decimals}f}"  # further digits would be below the deviation
        return f"{shown} ± {spread}"


@dataclass(frozen=True, eq=False)
class ConfusionMatrix:
    """How often each true class (rows) was predicted as each class (columns)."""

    classes: tuple[str, ...]
    counts: npt.NDArray[np.int64] | npt.NDArray[np.float64]
    """Numbers of rows, or sums of their weights; these may be fractions."""

    def __add__(self, other: ConfusionMatrix) -> ConfusionMatrix:
        """Add up the counts of two matrices of the same classes."""
        if self.classes != other.classes:
            raise DataError(
                "Confusion matrices of different classes cannot be added: "
                f"{enumerate_names(self.classes)}, and {enumerate_names(other.classes)}."
            )
        return ConfusionMatrix(self.classes, self.counts + other.counts)

    def equals(self, other: ConfusionMatrix) -> bool:
        """Return whether classes and counts are the same."""
        return self.classes == other.classes and np.array_equal(self.counts, other.counts)

    def to_pandas(self) -> pd.DataFrame:
        """Return the counts as a table with named rows and columns."""
        import pandas as pd

        index = [f"true {c}" for c in self.classes]
        return pd.DataFrame(self.counts, index=index, columns=[f"pred. {c}" for c in self.classes])


class PerformanceVector(Averageable):
    """Criteria of one evaluation or of many, the first being the main one."""

    port_name: ClassVar[str] = "performance"
    title: ClassVar[str] = "Performance"
    has_criteria: ClassVar[bool] = True

    def __init__(
        self, criteria: Sequence[Criterion], *, confusion: ConfusionMatrix | None = None
    ) -> None:
        if not criteria:
            raise DataError("A performance needs at least one criterion.")
        self.criteria = tuple(criteria)
        self.confusion = confusion

    @cached_property
    def _by_name(self) -> dict[str, Criterion]:
        return {criterion.name: criterion for criterion in self.criteria}

    def means(self) -> dict[str, float]:
        """Return the mean of each criterion, by its name."""
        return {criterion.name: criterion.mean for criterion in self.criteria}

    @property
    def main(self) -> Criterion:
        """The criterion that decides."""
        return self.criteria[0]

    def __getitem__(self, name: str) -> Criterion:
        try:
            return self._by_name[name]
        except KeyError:
            hint = did_you_mean(name, self._by_name) or f"There are {', '.join(self._by_name)}."
            raise DataError(f'There is no criterion "{name}".', hint=hint) from None

    def __iter__(self) -> Iterator[Criterion]:
        return iter(self.criteria)

    def __len__(self) -> int:
        return len(self.criteria)

    def __repr__(self) -> str:
        return f"<PerformanceVector {', '.join(f'{c.name}: {c}' for c in self.criteria)}>"

    @classmethod
    def average(cls, parts: Sequence[PerformanceVector]) -> PerformanceVector:
        """Return the repetitions of several evaluations as one; confusion counts add up."""
        if not parts:
            raise DataError("There is no performance to average.")
        names = [c.name for c in parts[0]]
        other = next((part for part in parts if [c.name for c in part] != names), None)
        if other is not None:
            raise DataError(
                "Performances with different criteria cannot be averaged: "
                f"{enumerate_names(names)}, and {enumerate_names([c.name for c in other])}."
            )
        criteria = [
            Criterion(
                first.name,
                tuple(value for part in parts for value in part[first.name].values),
                first.maximize,
                first.percent,
                first.measured,
            )
            for first in parts[0]
        ]
        confusions = [part.confusion for part in parts if part.confusion is not None]
        complete = len(confusions) == len(parts)
        return cls(criteria, confusion=reduce(add, confusions) if complete else None)

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with a row per criterion."""
        import pandas as pd

        return pd.DataFrame(
            {
                "criterion": [c.name for c in self],
                "mean": [c.mean for c in self],
                "deviation": [c.deviation for c in self],
                "count": [c.count for c in self],
            }
        )

    def equals(self, other: object) -> bool:
        """Return whether all criteria and counts are the same, bit for bit."""
        if not isinstance(other, PerformanceVector) or len(self) != len(other):
            return False
        mine, theirs = self.confusion, other.confusion
        same = mine is theirs if mine is None or theirs is None else mine.equals(theirs)
        return same and all(a.equals(b) for a, b in zip(self, other, strict=True))
