"""Attribute weights: what weighting operators produce and selections read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from fsops.data.flow import Averageable
from fsops.errors import DataError, did_you_mean, enumerate_names

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]
Best = Literal["largest", "smallest"]


class AttributeWeights(Averageable):
    """A weight for each named attribute, in the order of the data; the largest is the best.

    In a ranking the weights are places, and the smallest is the best.

    Parameters
    ----------
    names, values
        One weight per attribute. NaN means that the weight is unknown.
    origin : str
        Which operator made the weights.
    details : mapping of str to array
        Further numbers per attribute, such as the signed statistic or a p-value.
    best : {"largest", "smallest"}
        Which weight is the best: the smallest in a ranking.
    """

    port_name: ClassVar[str] = "weights"
    title: ClassVar[str] = "Attribute weights"
    smallest_is_best: bool = False

    def __init__(
        self,
        names: Sequence[str],
        values: npt.ArrayLike,
        *,
        origin: str = "",
        details: Mapping[str, npt.ArrayLike] | None = None,
        best: Best = "largest",
    ) -> None:
        self.names = tuple(names)
        self.values: Floats = np.array(values, dtype=np.float64)
        self.origin = origin
        self.smallest_is_best = best == "smallest"
        self.details = {key: np.array(column) for key, column in (details or {}).items()}
        taken = {"attribute", "weight", self.column_title} & self.details.keys()
        if taken:  # tables and files would have two columns of that name
            names_taken = enumerate_names(sorted(taken))
            raise DataError(f"Details of weights cannot be called {names_taken}.")
        for key, column in {"weights": self.values, **self.details}.items():
            column.flags.writeable = False
            if column.shape != (len(self.names),):
                raise DataError(
                    f"{len(self.names)} attributes need {len(self.names)} values, "
                    f'but "{key}" has the shape {column.shape}.'
                )
        if len(set(self.names)) != len(self.names):
            double = [name for name, times in Counter(self.names).items() if times > 1]
            raise DataError(f"There are several weights for {enumerate_names(double)}.")

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[tuple[str, float]]:
        return zip(self.names, self.values.tolist(), strict=True)

    def __repr__(self) -> str:
        best = ", ".join(f"{n}={self[n]:.4g}" for n in self.top(3))
        return f"<AttributeWeights of {len(self)} attributes: {best}{', …' * (len(self) > 3)}>"

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: position for position, name in enumerate(self.names)}

    def __getitem__(self, name: str) -> float:
        try:
            return float(self.values[self._index[name]])
        except KeyError:
            hint = did_you_mean(name, self.names)
            raise DataError(f'There is no weight for "{name}".', hint=hint) from None

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def values_of(self, names: Sequence[str]) -> Floats:
        """Return the weights of these attributes, NaN for one that has no weight."""
        if tuple(names) == self.names:  # mostly the weights come from the same table
            return self.values
        place = self._index
        positions = np.array([place.get(name, -1) for name in names], dtype=np.intp)
        return np.where(positions < 0, np.nan, np.append(self.values, np.nan)[positions])

    @property
    def scores(self) -> Floats:
        """The weights, turned in a ranking: there the best has the largest and the worst has 1."""
        if not self.smallest_is_best:
            return self.values
        return np.asarray(self._after_last() - self.values)

    def _after_last(self) -> float:
        """Return the place after the last one of a ranking."""
        return float(self.values[np.isfinite(self.values)].max(initial=0.0)) + 1.0

    @property
    def column_title(self) -> str:
        """Title of the weights in tables and files."""
        return "rank" if self.smallest_is_best else "weight"

    def order(self, *, absolute: bool = False) -> npt.NDArray[np.intp]:
        """Return positions from best to worst; ties keep the order of the data, unknown last."""
        values = np.abs(self.scores) if absolute else self.scores
        return np.argsort(-values, kind="stable")

    def top(self, k: int, *, absolute: bool = False) -> tuple[str, ...]:
        """Return the names of the ``k`` best attributes, best first."""
        return tuple(self.names[i] for i in self.order(absolute=absolute)[:k])

    def ranking(self, *, absolute: bool = False) -> npt.NDArray[np.int64]:
        """Return each attribute's place, 1 for the best."""
        ranks = np.empty(len(self), dtype=np.int64)
        ranks[self.order(absolute=absolute)] = np.arange(1, len(self) + 1)
        return ranks

    def selected(self) -> tuple[str, ...]:
        """Return the attributes whose weight is neither 0 nor unknown, in the order of the data."""
        keep = (self.values != 0) & ~np.isnan(self.values)
        return tuple(self.names[i] for i in np.flatnonzero(keep))

    def with_values(
        self, values: npt.ArrayLike, origin: str = "", best: Best = "largest"
    ) -> AttributeWeights:
        """Return weights of the same attributes with other values."""
        return AttributeWeights(self.names, values, origin=origin or self.origin, best=best)

    @staticmethod
    def stack(
        parts: Sequence[AttributeWeights], names: Sequence[str] | None = None
    ) -> tuple[tuple[str, ...], Floats]:
        """Return several weightings as a matrix, a row each; who is not mentioned gets 0.

        A ranking is turned, so that larger is better in every row (see `scores`). The columns are
        the given names, or all that occur, in the order of their occurrence.
        """
        if names is None:
            # Mostly all parts have the same names: those need no look at each.
            lists = dict.fromkeys(part.names for part in parts)
            names = list(dict.fromkeys(name for each in lists for name in each))
        names = tuple(names)
        place = {name: column for column, name in enumerate(names)}
        matrix = np.zeros((len(parts), len(place)))
        for row, part in zip(matrix, parts, strict=True):
            if part.names == names:
                row[:] = part.scores
                continue
            scored = zip(part.names, part.scores.tolist(), strict=True)
            known = [(place[name], value) for name, value in scored if name in place]
            row[[column for column, _ in known]] = [value for _, value in known]
        return names, np.nan_to_num(matrix, copy=False, nan=0.0, posinf=np.inf, neginf=-np.inf)

    @classmethod
    def average(
        cls, parts: Sequence[AttributeWeights], names: Sequence[str] | None = None
    ) -> AttributeWeights:
        """Return the mean weight of each attribute, with the deviation over the parts as a detail.

        An attribute that a part does not mention counts as 0 there. Of rankings the mean rank is
        returned; there it counts as the place after the last one.
        """
        if not parts:
            raise DataError("There are no weights to average.")
        rankings = {part.smallest_is_best for part in parts}
        if len(rankings) > 1:
            raise DataError(
                "Rankings, in which the smallest number is the best, cannot be averaged with "
                "weights, in which the largest is.",
                hint="Average the weights before Weights to Ranking, or rank all of them.",
            )
        names, table = cls.stack(parts, names)
        if rankings == {True}:  # back from scores to places
            table = np.array([[part._after_last()] for part in parts]) - table
        best: Best = "smallest" if rankings == {True} else "largest"
        with np.errstate(invalid="ignore"):  # infinite weights have no deviation
            spread = table.std(axis=0, ddof=1) if len(parts) > 1 else np.zeros(len(names))
            mean = table.mean(axis=0)
        return cls(names, mean, origin=parts[0].origin, details={"deviation": spread}, best=best)

    def normalized(self) -> AttributeWeights:
        """Return the absolute weights mapped to 0…1, as RapidMiner does; all equal gives 1."""
        size = np.abs(self.scores)
        known = size[~np.isnan(size)]
        low, high = known.min(initial=np.inf), known.max(initial=0.0)
        if np.isinf(high):  # beside infinity all others are nothing
            scaled = np.where(np.isinf(size), 1.0, 0.0)
        else:
            scaled = (size - low) / (high - low) if high > low else np.ones(len(self))
        return self.with_values(np.where(np.isnan(size), np.nan, scaled))

    def to_pandas(self, *, sort: bool = True) -> pd.DataFrame:
        """Return a table with the columns attribute, weight (or rank), and the details."""
        import pandas as pd

        columns = {"attribute": self.names, self.column_title: self.values, **self.details}
        table = pd.DataFrame(columns)
        return table.iloc[self.order()].reset_index(drop=True) if sort else table

    def equals(self, other: object) -> bool:
        """Return whether names, values and details are the same, bit for bit."""
        return (
            isinstance(other, AttributeWeights)
            and self.names == other.names
            and self.smallest_is_best == other.smallest_is_best
            and self.values.tobytes() == other.values.tobytes()
            and self.details.keys() == other.details.keys()
            and all(
                np.array_equal(v, other.details[k], equal_nan=v.dtype.kind == "f")
                for k, v in self.details.items()
            )
        )
