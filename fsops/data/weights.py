"""Attribute weights: what weighting operators produce and selections read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from fsops.algorithms.base.ranking import Chosen, best, best_first
from fsops.data.flow import Averageable
from fsops.data.names import Names, Positions, repeated, texts_of
from fsops.errors import DataError, did_you_mean, enumerate_names

if TYPE_CHECKING:
    import pandas as pd

    from fsops.data.units import Units

Floats = npt.NDArray[np.float64]
Best = Literal["largest", "smallest"]
Detail = npt.ArrayLike | Callable[[], npt.ArrayLike]


TILE = 4096
UNIT_DETAILS = frozenset({"must_keep", "attribute_group"})
"""Details that selections obey; see `fsops.data.units`."""


class Details(Mapping[str, npt.NDArray[Any]]):
    """Further numbers per attribute; one given as a function is computed when it is first read."""

    def __init__(self, columns: Mapping[str, Detail], count: int) -> None:
        self._columns = {
            key: column if callable(column) else _checked(key, column, count)
            for key, column in columns.items()
        }
        self.count = count

    def __getitem__(self, key: str) -> npt.NDArray[Any]:
        column = self._columns[key]
        if callable(column):
            column = self._columns[key] = _checked(key, column(), self.count)
        return column

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __contains__(self, key: object) -> bool:
        return key in self._columns  # without computing it

    def __repr__(self) -> str:
        return f"<details: {', '.join(self._columns)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Details, (dict(self), self.count)  # another process gets numbers, not functions


def _checked(key: str, column: npt.ArrayLike, count: int) -> npt.NDArray[Any]:
    """Return a copy that cannot be changed; an error if it has not one value per attribute.

    An array that owns its numbers and is protected already is taken as it is.
    """
    values = np.asarray(column)
    if values.flags.writeable or values.base is not None:
        values = values.copy()
        values.flags.writeable = False
    if values.shape != (count,):
        raise DataError(
            f'{count} attributes need {count} values, but "{key}" has the shape {values.shape}.'
        )
    return values


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
        Further numbers per attribute, such as the signed statistic or a p-value. A function that
        returns the array is called when the detail is first read.
    best : {"largest", "smallest"}
        Which weight is the best: the smallest in a ranking.
    """

    port_name: ClassVar[str] = "weights"
    title: ClassVar[str] = "Attribute weights"
    smallest_is_best: bool = False
    is_bound: bool = False
    """Whether attributes must be kept or belong together; see `units`."""

    def __init__(
        self,
        names: Sequence[str],
        values: npt.ArrayLike,
        *,
        origin: str = "",
        details: Mapping[str, Detail] | None = None,
        best: Best = "largest",
    ) -> None:
        self.names = _different(names)
        self.values: Floats = _checked("weights", np.asarray(values, np.float64), len(self.names))
        self.origin = origin
        self.smallest_is_best = best == "smallest"
        self.details = Details(details or {}, len(self.names))
        self.is_bound = not UNIT_DETAILS.isdisjoint(self.details._columns)
        taken = {"attribute", "weight", self.column_title}
        if not taken.isdisjoint(self.details._columns):
            # Tables and files would have two columns of that name.
            names_taken = enumerate_names(sorted(taken & self.details.keys()))
            raise DataError(f"Details of weights cannot be called {names_taken}.")

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[tuple[str, float]]:
        return zip(self.names, self.values.tolist(), strict=True)

    def __repr__(self) -> str:
        best = ", ".join(f"{n}={self[n]:.4g}" for n in self.top(3))
        return f"<AttributeWeights of {len(self)} attributes: {best}{', …' * (len(self) > 3)}>"

    def __getitem__(self, name: str) -> float:
        place = self.names.find([name])[0]
        if place < 0:
            hint = did_you_mean(name, self.names)
            raise DataError(f'There is no weight for "{name}".', hint=hint)
        return float(self.values[place])

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def values_of(self, names: Sequence[str]) -> Floats:
        """Return the weights of these attributes, NaN for one that has no weight."""
        return _placed(self.values, self.names, names)

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

    def order(self, *, absolute: bool = False) -> Positions:
        """Return positions from best to worst; ties keep the order of the data, unknown last."""
        return best_first(self._compared(absolute=absolute))

    def listed(self) -> Positions:
        """Return the positions that a list shows: without weight 0, best first.

        Among equal weights the detail "rank" decides, if there is one. If all weights are 0, all
        are listed.
        """
        rank = self.details.get("rank")
        order = self.order()
        if rank is not None:
            unknown = np.isnan(self.scores)
            order = np.lexsort((rank, -np.where(unknown, 0.0, self.scores), unknown))
        kept = order[self.values[order] != 0]
        return kept if kept.size else order

    def best(self, k: int, *, absolute: bool = False) -> Chosen:
        """Return the positions of the ``k`` best attributes, and whether a tie goes beyond them.

        Attributes that must be kept are among them, and a bound group counts as one attribute.
        """
        units = self.units()
        scores = self._compared(absolute=absolute)
        return best(scores, k) if units is None else units.best(scores, k)

    def units(self) -> Units | None:
        """Return which attributes must be kept or belong together; None if there are none."""
        if not self.is_bound:
            return None
        from fsops.data.units import units_of_weights

        return units_of_weights(self)

    def with_details(self, details: Mapping[str, Detail]) -> AttributeWeights:
        """Return the same weights with further details."""
        return self.replaced(self.values, details)

    def replaced(
        self, values: npt.ArrayLike, details: Mapping[str, Detail] | None = None
    ) -> AttributeWeights:
        """Return other values with the same details and further ones."""
        return AttributeWeights(
            self.names,
            values,
            origin=self.origin,
            details={**self.details._columns, **(details or {})},
            best="smallest" if self.smallest_is_best else "largest",
        )

    def _compared(self, *, absolute: bool) -> Floats:
        return np.abs(self.scores) if absolute else self.scores

    def top(self, k: int, *, absolute: bool = False) -> tuple[str, ...]:
        """Return the names of the ``k`` best attributes, best first."""
        return tuple(self.names.take(self.best(k, absolute=absolute).positions))

    def ranking(self, *, absolute: bool = False) -> npt.NDArray[np.int64]:
        """Return each attribute's place, 1 for the best."""
        ranks = np.empty(len(self), dtype=np.int64)
        ranks[self.order(absolute=absolute)] = np.arange(1, len(self) + 1)
        return ranks

    def selected(self) -> tuple[str, ...]:
        """Return the attributes whose weight is neither 0 nor unknown, in the order of the data."""
        return tuple(self.selected_names())

    def selected_names(self) -> Names:
        """Return the same as `selected`, sharing the names of all attributes."""
        return self.names.take(np.flatnonzero(self.is_selected()))

    def is_selected(self) -> npt.NDArray[np.bool_]:
        """Return which attributes are selected: their weight is neither 0 nor unknown.

        So are those that must be kept, and the others of a bound group.
        """
        keep = (self.values != 0) & ~np.isnan(self.values)
        units = self.units()
        return keep if units is None else units.complete(keep)

    def with_values(
        self, values: npt.ArrayLike, origin: str = "", best: Best = "largest"
    ) -> AttributeWeights:
        """Return weights of the same attributes with other values."""
        bound = {key: self.details[key] for key in UNIT_DETAILS if key in self.details}
        return AttributeWeights(
            self.names, values, origin=origin or self.origin, best=best, details=bound
        )

    @staticmethod
    def stack(
        parts: Sequence[AttributeWeights], names: Sequence[str] | None = None
    ) -> tuple[Names, Floats]:
        """Return several weightings as a matrix, a row each; an attribute that is missing gets 0.

        A ranking is turned, so that larger is better in every row (see `scores`). The columns are
        the given names, or all that occur, in the order of their occurrence.
        """
        kept = _all_names(parts) if names is None else Names.of(texts_of(names))
        matrix = np.empty((len(parts), len(kept)))
        for row, part in zip(matrix, parts, strict=True):
            row[:] = _placed(part.scores, part.names, kept)
        if np.isnan(matrix.max(initial=0.0)):
            matrix[np.isnan(matrix)] = 0.0
        return kept, matrix

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
                "Rankings cannot be averaged with weights: the best attribute has the smallest "
                "rank, but the largest weight.",
                hint="Average the weights before Weights to Ranking, or rank all of them.",
            )
        kept, table = cls.stack(parts, names)
        if rankings == {True}:  # back from scores to places
            table = np.array([[part._after_last()] for part in parts]) - table
        best: Best = "smallest" if rankings == {True} else "largest"
        mean, spread = _mean_and_deviation(table)
        return cls(kept, mean, origin=parts[0].origin, details={"deviation": spread}, best=best)

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

        columns = {"attribute": self.names.texts(), self.column_title: self.values, **self.details}
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


def _mean_and_deviation(table: Floats) -> tuple[Floats, Floats]:
    """Return mean and sample deviation of each column; the deviation in one row is 0."""
    mean, spread = np.zeros((2, table.shape[1]))
    with np.errstate(invalid="ignore"):  # infinite weights have no deviation
        for start in range(0, table.shape[1], TILE):  # read once, while it is in the cache
            tile = slice(start, start + TILE)
            part = table[:, tile]
            mean[tile] = part.mean(axis=0)
            if len(part) > 1:
                deviation = part - mean[tile]
                np.square(deviation, out=deviation)
                spread[tile] = np.sqrt(deviation.sum(axis=0) / (len(part) - 1))
    return mean, spread


def _different(names: Sequence[str]) -> Names:
    """Return the names of weights; repeated ones are an error."""
    if isinstance(names, Names):
        return names
    texts = texts_of(names)
    double = repeated(texts)
    if double:
        raise DataError(f"There are several weights for {enumerate_names(double)}.")
    return Names.of(texts)


def _all_names(parts: Sequence[AttributeWeights]) -> Names:
    """Return all names that occur, in the order of their occurrence."""
    if not parts:
        return Names.of([])
    names = parts[0].names
    for part in parts[1:]:
        if names.is_aligned(part.names):  # mostly the weights come from the same table
            continue
        new = np.flatnonzero(names.find(part.names) < 0)
        names = names.joined(part.names.take(new)) if len(new) else names
    return names


def _placed(values: Floats, names: Names, wanted: Sequence[str]) -> Floats:
    """Return values by name in the order of other names, NaN for one that has no value."""
    if isinstance(wanted, Names) and names.is_aligned(wanted):
        return values  # mostly the weights come from the same table
    return np.append(values, np.nan)[names.find(wanted)]  # -1 is the last one
