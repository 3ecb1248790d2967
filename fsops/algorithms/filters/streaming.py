"""Filters over blocks: the parts that the mergeable statistics lack when a table is read in blocks.

`ClassMoments`, `CrossMoments` and `Contingency` of blocks of rows merge by themselves. Here they
are also put side by side, for tables that are cut into groups of features, and correlations
between features are made of sums over blocks.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import reduce
from typing import Any, Generic, Protocol, Self, TypeAlias, TypeVar

import numpy as np

from fsops.algorithms.base.moments import ClassMoments, CrossMoments, negligible
from fsops.algorithms.base.sums import divisor
from fsops.algorithms.base.types import Floats, Ints, Numbers
from fsops.algorithms.statistics.information import Contingency


class Mergeable(Protocol):
    """Statistics of some rows, from which those of all rows can be made."""

    def merge(self, other: Self) -> Self:
        """Statistics of the rows of both."""
        ...


S = TypeVar("S", bound=Mergeable)
S_co = TypeVar("S_co", bound=Mergeable, covariant=True)
M = TypeVar("M", ClassMoments, CrossMoments)


Columns: TypeAlias = Sequence[Floats] | Floats
"""Features one by one, each in one piece: a matrix stored by columns, transposed, or a list."""

FEW_ROWS = 4096  # shorter columns are better taken as a matrix
FEW_CLASSES = 16  # with more, products with their members cost more than a sort
ROWS, BUNDLE = 2**15, 2  # values that stay in the second-level cache: rows, features
PRODUCT_ROWS, PRODUCT_BUNDLE = 2**14, 4  # the same for products of many features with many
AT_ONCE = 8  # attributes whose correlations are fetched in one pass: more cost as much as reading
CANCELLED = 1e-4
"""Fraction of a sum of squares that must remain after removing the mean: 12 digits are right."""


@dataclass(frozen=True, slots=True, eq=False)
class Several(Generic[S_co]):
    """Statistics of several sets of rows."""

    parts: tuple[S_co, ...]

    def merge(self, other: "Several[S_co]") -> "Several[S_co]":
        """Statistics of each set in the rows of both."""
        pairs = zip(self.parts, other.parts, strict=True)
        return Several(tuple(mine.merge(theirs) for mine, theirs in pairs))


def merged(parts: Iterable[S]) -> S:
    """Statistics of all rows from those of blocks, added up in the given order."""
    return reduce(lambda total, part: total.merge(part), parts)


def side_by_side(parts: Sequence[Any]) -> Any:
    """Statistics of all features from those of groups of features, over the same rows.

    Takes `ClassMoments`, `CrossMoments`, `Contingency` or `Products`, or `Several` of them.
    """
    first = parts[0]
    if len(parts) == 1:
        return first
    if isinstance(first, Several):
        by_set = zip(*(part.parts for part in parts), strict=True)
        return Several(tuple(side_by_side(of_set) for of_set in by_set))
    if isinstance(first, ClassMoments):
        return ClassMoments(
            _of_rows(parts, "count", [part.n_features for part in parts]),
            _across(parts, "origin"),
            _across(parts, "offset"),
            _across(parts, "ss"),
        )
    if isinstance(first, CrossMoments):
        sizes = [part.cross.size for part in parts]
        same = {name: _of_rows(parts, name, sizes) for name in ("count", "mean_y", "ss_y")}
        return CrossMoments(**same, **{n: _across(parts, n) for n in ("mean_x", "ss_x", "cross")})
    if isinstance(first, Contingency):
        lines = np.cumsum([0, *(len(part.counts) for part in parts)])
        starts = [part.starts + line for part, line in zip(parts, lines, strict=False)]
        return Contingency(np.concatenate([p.counts for p in parts]), np.concatenate(starts))
    return Products(np.concatenate([part.sums for part in parts]))


def _across(parts: Sequence[Any], name: str) -> Any:
    return np.concatenate([getattr(part, name) for part in parts], axis=-1)


def _of_rows(parts: Sequence[Any], name: str, sizes: Sequence[int]) -> Floats:
    """One value for all features if nothing is missing, else one for each."""
    arrays: list[Floats] = [getattr(part, name) for part in parts]
    # A group of one feature does not show which of the two it means.
    if all(a.shape[-1] == 1 and np.array_equal(a, arrays[0]) for a in arrays):
        return arrays[0]
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
        centre = (moments.count * moments.offset).sum(axis=0) / divisor(count)
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


# --- features that lie apart in memory -------------------------------------------------------


def class_moments_of(
    columns: Columns, codes: Numbers, n_classes: int, weights: Floats | None = None
) -> ClassMoments:
    """`ClassMoments` of features that lie apart in memory, without putting them together."""
    n = len(codes)
    if n < FEW_ROWS or n_classes > FEW_CLASSES:
        return ClassMoments.of(_matrix(columns), codes, n_classes, weights)
    classes = np.arange(n_classes, dtype=codes.dtype)[:, None]

    def members(rows: slice) -> Numbers:
        own: Numbers = codes[rows] == classes
        return own if weights is None else np.multiply(own, weights[rows])

    total, squares = _sums(columns, n, members)
    count = np.bincount(codes, weights, minlength=n_classes).astype(np.float64)[:, None]
    origin = np.array([x[0] for x in columns], dtype=np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        mean = total / divisor(count)
        ss = squares - total * mean
        # One pivot for all classes does not do where they are far apart, or for missing values.
        doubtful = np.flatnonzero(~(ss >= CANCELLED * squares).all(axis=0))
    found = ClassMoments(count, origin, mean, ss)
    return _corrected(
        found, doubtful, lambda X: ClassMoments.of(X, codes, n_classes, weights), columns
    )


def cross_moments_of(columns: Columns, y: Floats, weights: Floats | None = None) -> CrossMoments:
    """`CrossMoments` of features that lie apart in memory, without putting them together."""
    n = len(y)
    if n < FEW_ROWS or weights is not None:
        return CrossMoments.of(_matrix(columns), y, weights)
    mean_y = y.mean()
    centred = y - mean_y
    (total, cross), (squares, _) = _sums(columns, n, lambda rows: _with_ones(centred[rows]))
    origin = np.array([x[0] for x in columns], dtype=np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        ss = np.maximum(squares - total * (total / n), 0.0)
        mean = origin + total / n
        doubtful = np.flatnonzero(~np.isfinite(mean + ss + cross))
    rows = np.array([float(n)]), np.array([mean_y]), np.array([centred @ centred])
    found = CrossMoments(rows[0], mean, rows[1], ss, rows[2], cross)
    return _corrected(found, doubtful, lambda X: CrossMoments.of(X, y), columns)


def products_of(columns: Columns, mean: Floats, centred: Floats) -> "Products":
    """`Products` of features that lie apart in memory with some that are `centred`, in lines."""
    n, p = len(columns[0]), len(columns)
    sums = np.zeros((p, len(centred)))
    buffer = np.empty((min(p, PRODUCT_BUNDLE), min(n, PRODUCT_ROWS)))
    for start in range(0, n, PRODUCT_ROWS):
        rows = slice(start, min(n, start + PRODUCT_ROWS))
        factors = np.ascontiguousarray(centred[:, rows]).T
        for a in range(0, p, PRODUCT_BUNDLE):
            some = slice(a, min(p, a + PRODUCT_BUNDLE))
            d = buffer[: some.stop - a, : len(factors)]
            for line, x, centre in zip(d, columns[some], mean[some], strict=True):
                np.subtract(x[rows], centre, out=line)
            sums[some] += d @ factors
    return Products(sums)


def centred(columns: Columns, mean: Floats) -> Floats:
    """Features less their means, one in a line."""
    return np.stack([x - centre for x, centre in zip(columns, mean, strict=True)])


def _sums(columns: Columns, n: int, factors: Callable[[slice], Any]) -> tuple[Floats, Floats]:
    """Products of the factors with deviations from the first value, and with their squares.

    Factors are asked for some rows at a time, one in a line, so that they stay in the cache.
    """
    parts = []
    buffer = np.empty((BUNDLE, min(n, ROWS)))
    with np.errstate(invalid="ignore", over="ignore"):
        for start in range(0, n, ROWS):
            rows = slice(start, start + ROWS)
            factor = np.asarray(factors(rows), dtype=np.float64).T
            sums = np.empty((2, len(columns), factor.shape[1]))
            for a in range(0, len(columns), BUNDLE):
                group = columns[a : a + BUNDLE]
                d = buffer[: len(group), : len(factor)]
                for line, x in zip(d, group, strict=True):
                    np.subtract(x[rows], x[0], out=line)
                np.matmul(d, factor, out=sums[0, a : a + BUNDLE])
                np.multiply(d, d, out=d)
                np.matmul(d, factor, out=sums[1, a : a + BUNDLE])
            parts.append(sums)
    total, squares = sum(parts[1:], parts[0]).transpose(0, 2, 1)
    return total, squares


def _with_ones(values: Floats) -> Floats:
    return np.stack([np.ones_like(values), values])


def _corrected(found: M, doubtful: Ints, of: Callable[[Floats], M], columns: Columns) -> M:
    """The moments with those of some features computed from a matrix of these."""
    if not doubtful.size:
        return found
    exact = of(_matrix([columns[j] for j in doubtful.tolist()]))
    changed: dict[str, Any] = {}
    for field in fields(found):
        old: Any = getattr(found, field.name)
        new: Any = getattr(exact, field.name)
        if isinstance(old, bool) or (old.shape[-1] == 1 and np.array_equal(old, new)):
            continue
        shape = (*old.shape[:-1], len(columns))
        changed[field.name] = np.broadcast_to(old, shape).copy()
        changed[field.name][..., doubtful] = new
    return replace(found, **changed)


def _matrix(columns: Columns) -> Floats:
    matrix: Floats = np.asarray(columns).T
    return matrix


# --- correlation of features ----------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Products:
    """Sums of the products of centered features with some chosen ones, (p, chosen)."""

    sums: Floats

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

    by_column = True

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
