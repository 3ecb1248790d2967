"""Filters over blocks: what is missing to the mergeable statistics when a table passes by in parts.

`ClassMoments`, `CrossMoments` and `Contingency` of blocks of rows merge by themselves. Here they
are also put side by side, for tables that are cut into groups of features, and correlations
between features are made of sums over blocks.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from fsops.algorithms.information import Contingency
from fsops.algorithms.moments import ClassMoments, CrossMoments, negligible
from fsops.algorithms.types import Floats, Ints, Numbers


class Mergeable(Protocol):
    """Statistics of some rows, from which those of all rows can be made."""

    def merge(self, other: Self) -> Self:
        """Statistics of the rows of both."""
        ...


S = TypeVar("S", bound=Mergeable)


def merged(parts: Iterable[S]) -> S:
    """Statistics of all rows from those of blocks, added up in the given order."""
    return reduce(lambda total, part: total.merge(part), parts)


def side_by_side(parts: Sequence[Any]) -> Any:
    """Statistics of all features from those of groups of features, over the same rows.

    Takes `ClassMoments`, `CrossMoments`, `Contingency` or `Products`.
    """
    first = parts[0]
    if len(parts) == 1:
        return first
    if isinstance(first, ClassMoments):
        sizes = [part.n_features for part in parts]
        single = all(part.count.shape[-1] == 1 for part in parts)
        return ClassMoments(
            first.count if single else _spread([part.count for part in parts], sizes),
            np.concatenate([part.origin for part in parts]),
            np.concatenate([part.offset for part in parts], axis=1),
            np.concatenate([part.ss for part in parts], axis=1),
        )
    if isinstance(first, CrossMoments):
        sizes = [part.cross.size for part in parts]
        of_rows = {n: [getattr(p, n) for p in parts] for n in ("count", "mean_y", "ss_y")}
        # Either all three are the same for all features, or none is.
        single = all(part.count.size == 1 for part in parts)
        told = {n: a[0] if single else _spread(a, sizes) for n, a in of_rows.items()}
        own = {
            n: np.concatenate([getattr(p, n) for p in parts]) for n in ("mean_x", "ss_x", "cross")
        }
        return CrossMoments(**told, **own)
    if isinstance(first, Contingency):
        lines = np.cumsum([0, *(len(part.counts) for part in parts)])
        starts = [part.starts + line for part, line in zip(parts, lines, strict=False)]
        return Contingency(np.concatenate([p.counts for p in parts]), np.concatenate(starts))
    return Products(np.concatenate([part.sums for part in parts]))


def _spread(arrays: Sequence[Floats], sizes: Sequence[int]) -> Floats:
    """One column for each feature, where some groups have one for all."""
    full = [np.broadcast_to(a, (*a.shape[:-1], p)) for a, p in zip(arrays, sizes, strict=True)]
    return np.concatenate(full, axis=-1)


@dataclass(frozen=True, slots=True, eq=False)
class Overall:
    """Rows, mean and sum of squared deviations of each feature, rounding noise set to 0."""

    count: Floats
    mean: Floats
    ss: Floats

    @classmethod
    def of(cls, moments: ClassMoments | CrossMoments) -> "Overall":
        """All classes of class moments taken together, or the features of cross moments."""
        if isinstance(moments, CrossMoments):
            return cls(moments.count, moments.mean_x, moments.within())
        count = moments.total
        centre = (moments.count * moments.offset).sum(axis=0) / np.maximum(count, 1.0)
        deviation = moments.offset - centre
        ss = moments.ss.sum(axis=0) + (moments.count * deviation * deviation).sum(axis=0)
        mean = moments.origin + centre
        return cls(count, mean, np.where(negligible(ss, count, mean), 0.0, ss))


def may_exceed(moments: ClassMoments | CrossMoments, most: float) -> bool:
    """Whether a value may be larger than this, or infinite; False is certain.

    No value is further from the mean than the root of the sum of squared deviations, so that the
    values need not be read again.
    """
    if isinstance(moments, CrossMoments):
        mean, ss = moments.mean_x, moments.ss_x
    else:
        mean, ss = moments.mean, moments.ss
    with np.errstate(invalid="ignore"):
        within = np.abs(mean) + np.sqrt(ss) <= most
    return not bool(within.all())


# --- correlation of features ----------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Products:
    """Sums of the products of centred features with some chosen ones, (p, chosen)."""

    sums: Floats

    @classmethod
    def of(cls, X: Numbers, mean: Floats, chosen: Numbers, chosen_mean: Floats) -> "Products":
        """Products of the columns of X with those of chosen, both centred by known means."""
        return cls((X - mean).T @ (chosen - chosen_mean))

    def merge(self, other: "Products") -> "Products":
        """Sums over the rows of both."""
        return Products(self.sums + other.sums)


class FetchedCorrelation:
    """Absolute correlation of features, a `Redundancy` whose columns are fetched as needed.

    Fetching costs a pass over the data. Therefore features that are likely to be asked for are
    fetched along.

    Parameters
    ----------
    overall
        Moments of the features.
    fetch
        From features to the sums of their products with all others, (p, features).
    likely
        Features in the order in which they are likely to be asked for.
    at_once
        How many features are fetched together.
    """

    def __init__(
        self, overall: Overall, fetch: Callable[[Ints], Floats], likely: Ints, at_once: int
    ) -> None:
        lengths = np.sqrt(overall.ss)
        self._scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        self._fetch = fetch
        self._likely = [int(feature) for feature in likely]
        self._at_once = at_once
        self._known: dict[int, Floats] = {}
        self.passes = 0

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self._scale.size

    def column(self, feature: int) -> Floats:
        """Absolute correlation of every feature with this one, (p,)."""
        if feature not in self._known:
            further = (f for f in self._likely if f not in self._known and f != feature)
            wanted = [
                feature,
                *(f for f, _ in zip(further, range(self._at_once - 1), strict=False)),
            ]
            sums = self._fetch(np.array(wanted, dtype=np.intp))
            values = np.abs(sums * self._scale[:, None] * self._scale[wanted])
            self._known.update(zip(wanted, np.ascontiguousarray(values.T), strict=True))
            self.passes += 1
        return self._known[feature]

    def block(self, rows: Ints, columns: Ints) -> Floats:
        """Absolute correlation of each feature in rows with each in columns."""
        found = [self.column(int(c))[rows] for c in columns]
        return np.stack(found, axis=1) if found else np.zeros((len(rows), 0))
